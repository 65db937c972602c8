"""The vector store: batches, neighbours, formats, locks."""

from __future__ import annotations

import contextlib
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from vesta_ui import files
from vesta_ui.errors import BadSpec, StorageFailed
from vesta_ui.scene_index import store
from vesta_ui.scene_index.store import Row, Store


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


def test_a_reader_sees_what_another_process_writes(tmp_path):
    kept = Store(tmp_path / "chroma")
    vectors = synthetic(60, 8)
    kept.put("e", 8, rows(vectors[:30]))
    assert kept.vectors("e", 8, ["a:40"]) is None
    code = (
        "import sys; from pathlib import Path; sys.path.insert(0, 'tests')\n"
        "from test_store import Store, rows, synthetic\n"
        "Store(Path(sys.argv[1])).put('e', 8, rows(synthetic(60, 8)))"
    )
    home = Path(__file__).parent.parent
    subprocess.run([sys.executable, "-c", code, str(tmp_path / "chroma")], check=True, cwd=home)
    assert np.allclose(kept.vectors("e", 8, ["a:40"]), vectors[[40]], atol=1e-6)
    assert {hit.id for hit in kept.search("e", 8, vectors[40], 60)} == {f"a:{i}" for i in range(60)}
    kept.put("e", 8, rows(vectors, "b"))
    assert len(kept.search("e", 8, vectors[40], 200)) == 120


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
            "import sys; from pathlib import Path; from vesta_ui.scene_index import store\n"
            "try:\n"
            "    with store.locked(Path(sys.argv[1]), 'somebody is here', 0.2): pass\n"
            "except store.Busy as told: print(told)"
        )
        done = subprocess.run(
            [sys.executable, "-c", code, str(tmp_path / "x.lock")], capture_output=True, text=True, check=True,
            cwd=Path(__file__).parent.parent,
        )  # fmt: skip
    assert done.stdout.strip() == "somebody is here; try again when it is done"


# ------------------------------------------------------------------------------------------------ a shared server
@pytest.fixture(scope="module")
def server(tmp_path_factory) -> Iterator[str]:
    """A real `chroma run` of this machine."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [str(Path(sys.executable).parent / "chroma"), "run", "--host", "127.0.0.1", "--port", str(port)]
    command += ["--path", str(tmp_path_factory.mktemp("server"))]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            break
        time.sleep(0.2)
    yield f"http://127.0.0.1:{port}"
    process.terminate()
    process.wait(20)


def test_a_server_holds_what_a_folder_holds(server, tmp_path):
    shared, local = Store(tmp_path / "a", server), Store(tmp_path / "b")
    vectors = synthetic(300, 16)
    for one in (shared, local):
        one.put("e", 16, rows(vectors))
        one.put("e", 16, rows(vectors))
    ids = [f"a:{i}" for i in range(300)]
    assert np.allclose(shared.vectors("e", 16, ids), local.vectors("e", 16, ids), atol=1e-6)
    found = [[hit.id for hit in one.search("e", 16, vectors[3], 5)] for one in (shared, local)]
    assert found[0] == found[1] and found[0][0] == "a:3"
    shared.delete("e", 16, ids[:1])
    assert shared.vectors("e", 16, ids) is None
    assert not (tmp_path / "a").exists(), "nothing is kept locally"
    assert Store(tmp_path / "c", server).vectors("other", 16, ids) is None


def test_two_machines_share_one_library(server, tmp_path):
    from test_scene_index import content, film, finish

    from vesta_ui.commands import indexes
    from vesta_ui.scene_index import library
    from vesta_ui.settings import Settings

    video = film(tmp_path / "film.mp4")
    first, second = (Settings(data_dir=tmp_path / who, speech="off", chroma_url=server) for who in ("one", "two"))
    made, _ = finish(video, first)
    assert finish(video, first)[0].reused
    assert {hit.index_id for hit in library.search(second, "the bakery", 3)} == {made.id}
    assert library.search(second, "the bakery", 1)[0].screen_text == "BAKERY"
    (there,) = library.search(second, "the bakery", 1)
    assert (there.video_name, there.here) == ("film.mp4", False)
    assert indexes.named(there) == "film.mp4 (not here: indexed on another machine)"
    (own,) = library.search(first, "the bakery", 1)
    assert indexes.named(own) == "film.mp4"
    assert content(finish(video, second)[0]) == content(made)
    assert len(library.search(second, "the bakery", 99)) == 3, "indexed twice, kept once"


@pytest.mark.parametrize("url", ["http://127.0.0.1:9", "127.0.0.1:8000", "ftp://x", "http://x:port"])
def test_no_server_is_one_sentence(url, tmp_path):
    with pytest.raises((StorageFailed, BadSpec), match=r"chroma run|must look like") as told:
        Store(tmp_path, url).search("e", 4, np.ones(4, np.float32), 1)
    assert "\n" not in str(told.value)


def test_a_server_that_goes_away_is_one_sentence(server, tmp_path, monkeypatch):
    gone = Store(tmp_path, server)
    real = Store._server

    def cut_off(self, quiet):
        client = real(self, quiet)
        client._server._api_url = "http://127.0.0.1:9/api/v2"
        return client

    monkeypatch.setattr(Store, "_server", cut_off)
    with pytest.raises(StorageFailed, match="cannot be used") as told:
        gone.put("e", 4, rows(synthetic(3, 4)))
    assert "\n" not in str(told.value)
