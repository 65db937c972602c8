"""What holds for every agent of the registry: how a run begins and ends, its budget, leaving it, replaying it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from explore_help import square

from vesta_ui import agents
from vesta_ui.agents import AGENTS
from vesta_ui.bench import squares
from vesta_ui.control import Control
from vesta_ui.domain import Outcome
from vesta_ui.events import Decided, Event, Observed, RunFinished, RunStarted, StepStarted
from vesta_ui.frames import FrameStore
from vesta_ui.operations import Result
from vesta_ui.runs import recorder
from vesta_ui.runs import run as runs
from vesta_ui.runs.session import fold
from vesta_ui.settings import Settings
from vesta_ui.video import Video, open_video

SAMPLE = square(30, 15, 3)
N = 4


@pytest.fixture(scope="module")
def video(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Video]:
    with open_video(squares.render(SAMPLE, tmp_path_factory.mktemp("contract") / "a.mp4")) as opened:
        yield opened


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One data folder for all, so that the index is built once."""
    return tmp_path_factory.mktemp("contract-data")


def events_of(name: str, video: Video, data: Path, control: Control | None = None) -> Iterator[Event]:
    settings = Settings(data_dir=data, agent=name, speech="off", max_steps=N, max_queries=N)
    started = RunStarted(
        run_id="r",
        agent=name,
        question=SAMPLE.question,
        video=video.facts,
        roles=settings.roles(),
        settings=settings.public(),
    )
    return agents.run(started, video, settings, FrameStore(data / "frames"), control or Control())


@pytest.fixture(scope="module", params=AGENTS)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def whole(name: str, video: Video, data: Path) -> list[Event]:
    return list(events_of(name, video, data))


def test_it_starts_with_run_started_and_ends_with_run_finished(whole: list[Event]) -> None:
    assert isinstance(whole[0], RunStarted)
    assert [n for n, e in enumerate(whole) if isinstance(e, RunFinished)] == [len(whole) - 1]
    end = whole[-1]
    assert isinstance(end, RunFinished) and end.outcome in (Outcome.ANSWERED, Outcome.BUDGET) and end.answer is not None


def test_it_ends_within_its_budget_and_a_forced_answer(whole: list[Event]) -> None:
    steps = [e.step for e in whole if isinstance(e, StepStarted)]
    assert steps == list(range(1, len(steps) + 1)) and len(steps) <= N + 1
    decisions = [e for e in whole if isinstance(e, Decided)]
    assert decisions[-1].action.operation == "finalize"
    assert sum(e.action.operation == "finalize" for e in decisions) == 1


def test_what_it_looked_at_has_receipts_and_entries(whole: list[Event], data: Path) -> None:
    seen = [e for e in whole if isinstance(e, Observed) and e.frames]
    store = FrameStore(data / "frames")
    assert seen and all(store.get(frame.sha256)[:2] == b"\xff\xd8" for e in seen for frame in e.frames)
    state = fold(whole).state
    assert state is not None and state.usage.frames == sum(len(e.frames) for e in seen)
    assert {entry.operation for entry in state.ledger.entries} <= {e.operation for e in seen} | {"speech"}


def test_leaving_after_any_event_is_silent(name: str, whole: list[Event], video: Video, data: Path) -> None:
    for count in sorted({1, 2, 3, 4, 5, 6, len(whole) // 2, len(whole) - 2, len(whole) - 1}):
        going = events_of(name, video, data)
        for _ in range(count):
            next(going, None)  # a second run of vesta has fewer events: its index is there
        close = getattr(going, "close")  # noqa: B009
        close()


@pytest.mark.parametrize("after", [0, 1, 4])
def test_stop_ends_it_as_stopped(name: str, video: Video, data: Path, after: int) -> None:
    control = Control()
    going = events_of(name, video, data, control)
    got = [next(going) for _ in range(after)]
    control.stop()
    got += list(going)
    end = got[-1]
    assert isinstance(got[0], RunStarted) and isinstance(end, RunFinished) and end.outcome == Outcome.STOPPED


def record(name: str, video: Video, data: Path, folder: Path, stop_at: int | None = None) -> runs.Run:
    settings = Settings(data_dir=data, agent=name, speech="off", max_steps=N, max_queries=N)
    one = runs.Run(runs.new_id(), folder, video.path)
    for n, _ in enumerate(runs.play(one, open_video(video.path), SAMPLE.question, settings)):
        if n == stop_at:
            one.control.stop()
    return one


@pytest.mark.parametrize("stop_at", [None, 6])
def test_the_fold_of_the_live_run_is_that_of_its_replay(
    name: str, video: Video, data: Path, tmp_path: Path, stop_at: int | None
) -> None:
    live = record(name, video, data, tmp_path / "run", stop_at)
    replayed = recorder.read(tmp_path / "run")
    assert fold(replayed.events) == fold(live.events) == live.session()
    assert isinstance(live.events[-1], RunFinished)


@pytest.mark.parametrize("error", [RuntimeError("broken"), None])
def test_a_break_in_the_middle_still_ends_the_run(
    name: str, video: Video, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception | None
) -> None:
    """An internal error, and an operation that returns nothing at all."""
    kind = agents.registry.load(AGENTS, name, "agent")

    def observe(self: Any, *_: Any) -> Result:
        if error is not None:
            raise error
        return Result("")

    monkeypatch.setattr(kind, "observe", observe)
    live = record(name, video, data, tmp_path / "run")
    end = live.events[-1]
    assert isinstance(end, RunFinished) and (end.outcome == Outcome.FAILED) == (error is not None)
    assert fold(recorder.read(tmp_path / "run").events) == live.session()


def test_an_unknown_agent_is_one_sentence(video: Video, data: Path) -> None:
    end = list(events_of("nobody", video, data))[-1]
    assert isinstance(end, RunFinished) and "unknown agent" in end.reason and replace(end, reason="").answer is None
