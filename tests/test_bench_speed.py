"""The speed table measures whole processes, counts cuts against the peer, and says which peer is absent."""

from __future__ import annotations

import re
from pathlib import Path

import media
import numpy as np
import pytest

from vesta_ui import bench
from vesta_ui.bench import films, speed
from vesta_ui.video import open_video


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


def test_the_summary_has_a_row_a_film_and_one_for_all(film: Path) -> None:
    cost = speed.Cost(2.0, 1.0, (1.0,))
    costs = dict(
        zip(speed.KINDS, (cost, speed.Cost(6.0, 5.0, (1.0,)), speed.Cost(3.0, 2.0, (1.0,)), cost), strict=True)
    )
    rows = speed.summary([("one", costs), ("two", costs), ("three", {})])
    assert (
        "| **all** | 4.0 | 12.0 | 6.0 | 1.50 | 2.00 | 2.50 | 4.0 | 3.00 | 2; 2, 2 of the peer's 2, 0 others;"
        in rows[-2]
    )
    assert rows[-1].startswith("three: a peer is not installed")


def test_films_differ_in_what_they_say_and_repeat_without_encoding(tmp_path: Path) -> None:
    tiny = films.Film("tiny", (160, 90), 4, 10, gop=20, shot_s=(1, 2))
    short = films.make(tiny, tmp_path)
    assert list(map(np.array_equal, films.pictures(tiny, 1), films.pictures(tiny, 1))) == [True] * 40
    with open_video(films.repeated(short, 3, tmp_path / "long.mp4")) as video:
        assert video.facts.duration_s == pytest.approx(12.0, abs=0.01) and len(video.timeline.ticks) == 120
        assert not video.timeline.variable
    assert len({(f.size, f.gop, f.codec, f.kinds) for f in films.FILMS}) == len(films.FILMS) >= 10


def test_cost_and_memory_are_told_for_each_length(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(speed, "SMALL", films.Film("tiny", (160, 90), 5, 12))
    rows = speed.long_rows(tmp_path, (1 / 240, 1 / 60))
    assert [row.split(" | ")[0] for row in rows[2:]] == ["| 00:15.0", "| 01:00.0"]
    assert all(20 < float(row.split("|")[3]) < 400 for row in rows[2:])
    assert max(row.count("█") for row in rows) == 20, "the dearest length has the longest bar"


def test_text_is_measured_against_the_pass_and_read_once_a_scene(tmp_path: Path) -> None:
    slides = films.make(films.Film("slides", (640, 360), 24, 10, kinds=("slide",), shot_s=(7, 8)), tmp_path)
    long = films.repeated(slides, 2, tmp_path / "long.mp4")
    row = speed.text_row(long, 24)
    scenes, read = (int(part) for part in re.findall(r"(\d+) (?:scenes|pictures)", row))
    assert 2 <= read <= scenes
    again = int(re.findall(r"(\d+) pictures", speed.text_row(long, 1e9))[0])
    assert again < read, "what the second turn shows again is read again only when told so"
    ratio, text, whole = (
        float(re.findall(find, row)[0]) for find in (r"ratio ([\d.]+)", r"([\d.]+) s of", r"pass ([\d.]+)")
    )
    assert ratio == pytest.approx(text / whole, rel=0.2)
