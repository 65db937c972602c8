"""The speed table measures whole processes, counts cuts against the peer, and says which peer is absent."""

from __future__ import annotations

from pathlib import Path

import media
import pytest

from vesta_ui import bench
from vesta_ui.bench import speed


@pytest.fixture
def film(tmp_path: Path) -> Path:
    return media.write(tmp_path / "v.mp4", media.scenes(120, [40, 80]), gop=120)


def test_the_table_compares_cuts_and_exact_frames(film: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(speed.shutil, "which", lambda name: None)
    said: list[str] = []
    assert bench.main("speed", [str(film)], said.append) == 0
    text = "\n".join(said)
    assert "plain decode (ffmpeg)   not installed here" in text
    assert text.count("2, 2 of the peer's 2, 0 others") == 2
    assert "50 of 50 exact" in text


def test_an_absent_peer_leaves_plain_figures(film: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(speed, "scenedetect_command", lambda path: None)
    rows = speed.scene_rows(film, 1)
    assert any(row.startswith("scenedetect command     not installed here") for row in rows)
    assert all(float(row[24:33]) > 0 for row in rows if row.startswith("scene pass"))


def test_cuts_are_matched_within_a_picture() -> None:
    peer, own = speed.Cost(1, 1, (1.0, 2.0)), speed.Cost(1, 1, (1.02, 3.0))
    assert speed._cuts(own, peer) == "2, 1 of the peer's 2, 1 others"
