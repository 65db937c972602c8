"""What a user may choose about an index, from the shell, the environment and the page: language, fast scenes, late speech."""

from __future__ import annotations

import json
from pathlib import Path

import media
import pytest
from test_scene_index import film, finish

from vesta_ui import scene_index
from vesta_ui.__main__ import main
from vesta_ui.control import Control
from vesta_ui.domain import Interval
from vesta_ui.runs.registry import Runs
from vesta_ui.scene_index import SceneIndex, library
from vesta_ui.settings import Settings, from_environment
from vesta_ui.ui.handlers import Handlers
from vesta_ui.ui.videos import Shelf


@pytest.fixture(scope="module")
def long_groups(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Half a minute that changes at 8 and 16 s, in groups of pictures long enough to skip."""
    images = media.scenes(300, [80, 160])
    return media.write(tmp_path_factory.mktemp("film") / "film.mp4", images, fps=10, gop=40)


def made(capsys: pytest.CaptureFixture[str], video: Path, data: Path, *flags: str) -> dict[str, object]:
    assert main(["index", str(video), "--speech", "off", "--json", "--data-dir", str(data), *flags]) == 0
    value: dict[str, object] = json.loads(capsys.readouterr().out)
    return value


def test_fast_scenes_are_chosen_labelled_and_another_index(
    long_groups: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = made(capsys, long_groups, tmp_path)
    fast = made(capsys, long_groups, tmp_path, "--fast-scenes")
    starts = [[scene["start_s"] for scene in one["scenes"]] for one in (whole, fast)]  # type: ignore[attr-defined]
    assert starts[0] == starts[1] == [0, 8, 16]
    assert whole["index_id"] != fast["index_id"] and not fast["reused"]
    codes = [{notice["code"] for notice in one["warnings"]} for one in (whole, fast)]  # type: ignore[attr-defined]
    assert "fast-scenes" not in codes[0] and "fast-scenes" in codes[1]
    again = made(capsys, long_groups, tmp_path, "--fast-scenes")
    assert again["reused"] and "fast-scenes" in {notice["code"] for notice in again["warnings"]}  # type: ignore[attr-defined]
    assert len(library.entries(Settings(data_dir=tmp_path))) == 2


def test_a_language_is_chosen_anywhere(tmp_path: Path) -> None:
    assert from_environment({"VESTA_LANGUAGE": "de"}).language == "de"
    assert from_environment({"VESTA_LANGUAGE": "de"}, language="fr").language == "fr"
    settings = Settings(data_dir=tmp_path)
    handlers = Handlers(settings, Runs(settings), Shelf(tmp_path))
    chosen = handlers.choose("", {"language": "de", "fast_scenes": True, "speech_later": "true"})
    assert (chosen.language, chosen.fast_scenes, chosen.speech_later) == ("de", True, True)


@pytest.mark.parametrize("command", [["index"], ["ask"]])
def test_what_is_no_language_is_one_line(
    command: list[str], long_groups: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [*command, str(long_groups), *(["what?"] if command == ["ask"] else [])]
    assert main([*words, "--language", "german", "--data-dir", str(tmp_path)]) == 2
    assert "“german” is no language code" in capsys.readouterr().err


def test_a_video_that_vanishes_before_its_speech_is_heard_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Vanishing(scene_index.Later):
        def _work(self, index: SceneIndex, path: Path, settings: Settings) -> None:
            path.unlink()
            super()._work(index, path, settings)

    monkeypatch.setattr(scene_index, "Later", Vanishing)
    settings = Settings(data_dir=tmp_path / "data", speech_later=True)
    index, _ = finish(film(tmp_path / "gone.mp4"), settings)
    assert index.later is not None
    index.later.wait(Control())
    assert index.transcript.status == "transcript failed" and index.hear(Interval(0, 18), Control()) == ()
    (told,) = [notice.message for notice in index.notices if "speech" in notice.code]
    assert told == "the transcript could not be made: gone.mp4 was not found; choose a video file"
    assert library.entries(settings) == ()
