"""The vector store: batches, neighbours, formats, locks."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from vesta_ui import files, store
from vesta_ui.errors import BadSpec, StorageFailed
from vesta_ui.store import Row, Store


def synthetic(count: int, dimensions: int = 384, seed: int = 0) -> np.ndarray:
    """Clustered as the frames of shots are: 50 scenes around each centre."""
    rng = np.random.default_rng(seed)
    centres = rng.standard_normal((max(1, count // 50), dimensions))
    rows = centres[np.arange(count) % len(centres)] + 0.3 * rng.standard_normal((count, dimensions))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def rows(vectors: np.ndarray, prefix: str = "a") -> list[Row]:
    return [Row(f"{prefix}:{i}", vector, {"index": prefix, "start": float(i)}) for i, vector in enumerate(vectors)]


def test_store_batches_replaces_and_deletes(tmp_path):
    kept = Store(tmp_path / "chroma")
    vectors = synthetic(6000, 16)
    kept.put("e", 16, rows(vectors))
    kept.put("e", 16, rows(vectors))
    assert np.allclose(kept.vectors("e", 16, ["a:5999", "a:0"]), vectors[[5999, 0]], atol=1e-6)
    assert len(kept.search("e", 16, vectors[0], 10_000)) == 6000
    kept.delete("e", 16, ["a:0"])
    assert kept.vectors("e", 16, ["a:0"]) is None


def test_an_empty_store_answers_with_nothing(tmp_path):
    empty = Store(tmp_path / "chroma")
    assert empty.search("e", 16, np.ones(16, np.float32), 5) == []
    assert empty.vectors("e", 16, ["x"]) is None
    assert not (tmp_path / "chroma").exists()
    with pytest.raises(BadSpec, match="at least 1"):
        empty.search("e", 16, np.ones(16, np.float32), 0)


def test_library_search_finds_the_true_neighbours(tmp_path):
    kept = Store(tmp_path / "chroma")
    vectors = synthetic(8000, 32)
    kept.put("e", 32, rows(vectors))
    hit = 0
    for query in synthetic(20, 32, seed=0):
        truth = {f"a:{i}" for i in np.argsort(-(vectors @ query))[:15]}
        hit += len(truth & {found.id for found in kept.search("e", 32, query, 15)})
    assert hit / 300 >= 0.99


def test_another_format_is_refused(tmp_path):
    files.write_json(tmp_path / "chroma" / "vesta.json", {"schema": 0})
    with pytest.raises(StorageFailed, match="another version"):
        Store(tmp_path / "chroma").put("e", 4, rows(synthetic(3, 4)))


def test_a_damaged_store_is_one_sentence(tmp_path):
    (tmp_path / "chroma").mkdir()
    (tmp_path / "chroma" / "chroma.sqlite3").write_bytes(b"not a database" * 1000)
    with pytest.raises(StorageFailed, match="delete that folder") as told:
        Store(tmp_path / "chroma").vectors("e", 4, ["a"])
    assert "\n" not in str(told.value)


def test_a_held_lock_is_busy(tmp_path):
    with store.locked(tmp_path / "x.lock", "somebody is here"):
        code = (
            "import sys; from pathlib import Path; from vesta_ui import store\n"
            "try:\n"
            "    with store.locked(Path(sys.argv[1]), 'somebody is here', 0.2): pass\n"
            "except store.Busy as told: print(told)"
        )
        done = subprocess.run(
            [sys.executable, "-c", code, str(tmp_path / "x.lock")], capture_output=True, text=True, check=True,
            cwd=Path(__file__).parent.parent,
        )  # fmt: skip
    assert done.stdout.strip() == "somebody is here; try again when it is done"
