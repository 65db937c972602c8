"""`python -m vesta_ui indexes …`: everything about scene indexes from a shell."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from test_scene_index import SIGNS, film, finish

from vesta_ui.__main__ import main
from vesta_ui.settings import Settings


@pytest.fixture(scope="module")
def home(tmp_path_factory) -> tuple[Path, Path, str]:
    folder = tmp_path_factory.mktemp("home")
    video = film(folder / "film.mp4")
    index, _ = finish(video, Settings(data_dir=folder / "data", speech="off"))
    return folder / "data", video, index.id


def call(capsys, data: Path, *words: str) -> tuple[int, object, str]:
    code = main(["indexes", *words, "--json", "--data-dir", str(data)])
    told = capsys.readouterr()
    return code, json.loads(told.out) if told.out else None, told.err


def test_list_and_show_with_scores(home, capsys):
    data, _, index_id = home
    code, value, _ = call(capsys, data, "list")
    assert (code, [one["id"] for one in value]) == (0, [index_id])
    assert str(data) not in json.dumps(value)
    _, shown, _ = call(capsys, data, "show", index_id[:6], "--query", "platform")
    assert [scene["screen_text"] for scene in shown["scenes"]] == list(SIGNS)
    assert max(range(3), key=lambda n: shown["scores"][n]) == 0
    assert main(["indexes", "show", "film.mp4", "--data-dir", str(data)]) == 0
    assert f"written: {SIGNS[1]}" in capsys.readouterr().out


def test_search_and_redo(home, capsys):
    data, video, index_id = home
    _, hits, _ = call(capsys, data, "search", "the hotel", "-k", "1")
    assert hits[0]["screen_text"] == SIGNS[2]
    code, _, said = call(capsys, data, "redo", index_id)
    assert code == 0 and "nothing failed" in said
    _, done, _ = call(capsys, data, "redo", index_id, "--scene", "s00001", "--video", str(video))
    assert (done["failed"], done["redone"][0]["screen_text"]) == ({}, SIGNS[1])
    next(data.glob("indexes/*/frames/*.jpg")).unlink()
    lost = list(call(capsys, data, "show", index_id)[1]["failed"])
    _, done, _ = call(capsys, data, "redo", index_id, "--video", str(video))
    assert len(lost) == 1 and [scene["id"] for scene in done["redone"]] == lost and done["failed"] == {}


def test_export_import_remove(home, capsys, tmp_path):
    data, video, index_id = home
    _, made, _ = call(capsys, data, "export", index_id, "--out", str(tmp_path / "one.vesta-index"))
    assert made["bytes"] == (tmp_path / "one.vesta-index").stat().st_size
    code, loaded, _ = call(capsys, tmp_path / "new", "import", made["path"], "--video", str(video))
    assert (code, loaded["id"]) == (0, index_id)
    assert call(capsys, tmp_path / "new", "remove", index_id)[0] == 0
    assert call(capsys, tmp_path / "new", "list")[1] == []
    other = film(tmp_path / "other.mp4", seed=1)
    code, _, said = call(capsys, tmp_path / "new", "import", made["path"], "--video", str(other))
    assert code == 2 and "another video" in said


@pytest.mark.parametrize("words", [("show", "nothing"), ("import", "/no/such/file"), ("search", " ")])
def test_mistakes_are_one_line(words, home, capsys):
    code, value, said = call(capsys, home[0], *words)
    assert (code, value) == (2, None)
    assert len(said.strip().splitlines()) == 1 and "Traceback" not in said
