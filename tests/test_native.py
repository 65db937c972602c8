"""One look at the whole video: how many frames, how they are matched to a budget, and one call for everything."""

from __future__ import annotations

import json
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from explore_help import answer, decided, finished, looked, play, script, sighting, square
from test_recorder import STARTED

from vesta_ui import models
from vesta_ui.__main__ import main
from vesta_ui.bench import squares
from vesta_ui.bench.pay import to_match
from vesta_ui.domain import Outcome
from vesta_ui.errors import BadInput
from vesta_ui.events import IndexReady, Warned
from vesta_ui.exploration.tokens import FRAME_TOKENS, HIGH_FRAME_TOKENS, estimate, frames_for
from vesta_ui.models import Request, Spec, VideoPart
from vesta_ui.models.scripted import ScriptedModel
from vesta_ui.runs.run import Run
from vesta_ui.settings import Settings

SAMPLE = square(30, 10, 5)


@pytest.fixture(scope="module")
def video(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return squares.render(SAMPLE, tmp_path_factory.mktemp("native") / "a.mp4")


def watched(label: str = "C") -> dict[str, Any]:
    return {**answer(label, ["e1"]), "observations": [sighting(2, 4, "red, then blue")]}


def test_sixty_frames_evenly_and_an_answer_in_one_call(video: Path, tmp_path: Path, settings: Settings) -> None:
    one = play("native", video, SAMPLE.question, settings, tmp_path, reasoner=script(tmp_path, [watched()]))
    (step,) = looked(one.events)
    times = [f.time for f in step.frames]
    assert len(times) == 60 and {round(b - a, 3) for a, b in pairwise(times)} == {0.5}
    assert [len(d.calls) for d in decided(one.events)] == [0, 0] and len(step.calls) == 1
    assert step.calls[0].messages[-1].frames == step.frames
    end = finished(one)
    assert end.outcome == Outcome.ANSWERED and end.answer is not None
    assert (end.answer.label, [e.entry_id for e in end.answer.evidence]) == ("C", ["e1"])


def test_nothing_is_indexed_for_it(video: Path, tmp_path: Path, settings: Settings) -> None:
    one = play("native", video, SAMPLE.question, settings, tmp_path)
    assert not any(isinstance(e, IndexReady) for e in one.events)
    assert not list(settings.data_dir.rglob("index-*.json")) and not (settings.data_dir / "chroma").exists()


@pytest.mark.parametrize(
    ("tokens", "count"), [(8 * FRAME_TOKENS, 8), (8 * FRAME_TOKENS + 559, 8), (3, 1), (10**9, 900)]
)
def test_matched_to_a_budget_it_takes_what_the_budget_holds(
    video: Path, tmp_path: Path, settings: Settings, tokens: int, count: int
) -> None:
    one = play(
        "native",
        video,
        SAMPLE.question,
        settings,
        tmp_path,
        match_tokens=tokens,
        reasoner=script(tmp_path, [watched()]),
    )
    assert len(looked(one.events)[0].frames) == count


def test_it_is_matched_to_a_given_run_from_a_shell(
    video: Path, tmp_path: Path, settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    one = play("save", video, SAMPLE.question, settings, tmp_path)
    choices = [word for choice in SAMPLE.question.choices for word in ("--choice", choice.text)]
    asked = ["ask", str(video), SAMPLE.question.text, *choices, "--agent", "native", "--speech", "off", "--json"]
    assert main([*asked, "--data-dir", str(tmp_path / "d"), "--match", str(one.folder)]) == 0
    usage = json.loads(capsys.readouterr().out)["usage"]
    assert usage["frames"] == frames_for(estimate(one.events)) != 60
    assert main([*asked, "--agent", "save", "--match", str(one.folder)]) == 2
    assert "for --agent native" in capsys.readouterr().err


def test_what_cannot_be_matched_is_refused_in_a_sentence(tmp_path: Path) -> None:
    blind = Run("blind", tmp_path)
    blind.add(STARTED)
    with pytest.raises(BadInput, match="when that has ended"):
        to_match(blind)
    blind.finish()
    with pytest.raises(BadInput, match="no input tokens"):
        to_match(blind)


def test_the_file_may_be_asked_for_from_a_shell(video: Path, tmp_path: Path) -> None:
    asked = ["ask", str(video), SAMPLE.question.text, "--agent", "native", "--speech", "off", "--native-file"]
    assert main([*asked, "--data-dir", str(tmp_path / "d"), "--native-frames", "3"]) == 0
    (trace,) = (tmp_path / "d" / "runs").glob("*/events.jsonl")
    assert "takes no video file" in trace.read_text("utf-8")


def test_a_known_price_of_pictures_decides_how_many_fit(
    video: Path, tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """gpt-4o: 85 tokens and 170 a tile of 512 pixels; a 256-pixel frame is one tile."""
    monkeypatch.setattr(models, "load", lambda spec, chosen: Named(Spec("scripted", "x"), chosen, lambda _: watched()))
    one = play("native", video, SAMPLE.question, settings, tmp_path, reasoner="scripted:x", match_tokens=10 * 255)
    assert len(looked(one.events)[0].frames) == 10


class Named(ScriptedModel):
    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.name = "openai:gpt-4o"


def test_high_resolution_counts_double_in_the_estimate(video: Path, tmp_path: Path, settings: Settings) -> None:
    one = play("save", video, SAMPLE.question, settings, tmp_path)
    steps = looked(one.events)
    short = [e for e in steps if e.arguments["end_s"] - e.arguments["start_s"] <= 10]
    assert short and len(short) < len(steps)
    frames = sum(len(e.frames) for e in steps)
    high = sum(len(e.frames) for e in short)
    assert estimate(one.events) == (frames - high) * FRAME_TOKENS + high * HIGH_FRAME_TOKENS
    assert frames_for(estimate(one.events)) * FRAME_TOKENS <= estimate(one.events)


class Holding(ScriptedModel):
    """A provider that takes the file itself."""

    held: list[str] = []

    @contextmanager
    def uploaded(self, path: Path, control: Any, mime: str = "video/mp4", limit_s: float = 300.0) -> Any:
        self.held.append(mime)
        yield VideoPart("files/1", mime)
        self.held.append("deleted")


def test_the_file_itself_goes_where_the_model_takes_one(
    video: Path, tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    requests: list[Request] = []

    def reply(request: Request) -> Any:
        requests.append(request)
        return watched("B")

    monkeypatch.setattr(models, "load", lambda spec, chosen: Holding(Spec("scripted", "x"), chosen, reply))
    one = play("native", video, SAMPLE.question, settings, tmp_path, reasoner="scripted:x", native_file=True)
    assert Holding.held == ["video/mp4", "deleted"]
    assert requests[0].turns[-1].video == VideoPart("files/1", "video/mp4") and not requests[0].turns[-1].images
    end = finished(one)
    assert end.answer is not None and end.answer.label == "B" and not looked(one.events)[0].frames


def test_a_model_that_takes_no_file_is_shown_frames_and_it_is_said(
    video: Path, tmp_path: Path, settings: Settings
) -> None:
    one = play(
        "native", video, SAMPLE.question, settings, tmp_path, reasoner=script(tmp_path, [watched()]), native_file=True
    )
    assert len(looked(one.events)[0].frames) == 60
    assert any(isinstance(e, Warned) and e.notice.code == "native-frames" for e in one.events)
