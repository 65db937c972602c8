"""Forks and continued runs: what cannot be done is refused before anything is recorded; what was changed is told."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from explore_help import square
from test_runs_shell import record

from vesta_ui.agents import AGENTS
from vesta_ui.bench import squares
from vesta_ui.domain import Action, Interval, Modality, Observation, Policy
from vesta_ui.errors import BadInput
from vesta_ui.events import Event, LedgerUpdated, Observed, Retrieved, RunStarted, StepStarted
from vesta_ui.runs import recorder
from vesta_ui.runs.fork import Edit, check_action, first_open_step, prefix
from vesta_ui.runs.registry import Runs
from vesta_ui.settings import Settings
from vesta_ui.ui.handlers import Handlers
from vesta_ui.ui.videos import Shelf

A = "20261130-101010-aaaaaa"
SAMPLE = square(30, 15, 3)


@pytest.mark.parametrize(
    ("operation", "arguments", "says"),
    [
        ("finalize", {}, "answer: Field required"),
        ("finalize", {"answer": "Z", "confidence": 1}, "none of the choices"),
        ("inspect", {"intervals": []}, "intervals"),
        ("inspect", {"intervals": [[5, 2]]}, "empty or reversed"),
        ("clip", {"interval": [70, 80], "question": "what?"}, "outside the video"),
        ("clip", {"interval": [1, 2]}, "question: Field required"),
        ("dance", {}, "choose one of retrieve, inspect"),
    ],
)
def test_an_action_that_cannot_be_is_refused_before_anything_is_recorded(
    tmp_path: Path, operation: str, arguments: dict[str, Any], says: str
) -> None:
    record(tmp_path, A)
    settings = Settings(data_dir=tmp_path)
    with pytest.raises(BadInput, match=says) as refused:
        Runs(settings).fork(A, Edit(2, Action(operation, arguments)), tmp_path / "none.mp4", settings)
    assert "\n" not in str(refused.value)
    assert [folder.name for folder in recorder.folders(tmp_path / "runs")] == [A]


@pytest.mark.parametrize("agent", AGENTS)
def test_every_agent_takes_by_hand_what_it_can_carry_out(tmp_path: Path, agent: str) -> None:
    (started, *_) = recorder.read(record(tmp_path, A, agent=agent)).events
    assert isinstance(started, RunStarted)
    own = {
        "vesta": Action("retrieve", {"query": "sign"}),
        "explore": Action("query_frame", {"frame": 3}),
        "native": Action("watch", {}),
    }.get(agent, Action("query_range", {"start_s": 1.0, "end_s": 2.0}))
    other = Action("watch" if agent == "vesta" else "retrieve", {"query": "sign"})
    settings = Settings(data_dir=tmp_path, agent=agent)
    for action in (
        own,
        Action("inspect", {"intervals": [[1, 2]]}),
        Action("finalize", {"answer": "a", "confidence": 1}),
    ):
        check_action(action, started, settings)
    with pytest.raises(BadInput, match="no operation"):
        check_action(other, started, settings)


def test_without_retrieval_nothing_can_be_retrieved_by_hand(tmp_path: Path) -> None:
    (started, *_) = recorder.read(record(tmp_path, A)).events
    assert isinstance(started, RunStarted)
    with pytest.raises(BadInput, match="no operation “retrieve”"):
        check_action(Action("retrieve", {"query": "x"}), started, Settings(data_dir=tmp_path, ablation="plain"))


def test_an_edit_tells_everything_that_was_changed() -> None:
    before = Settings(data_dir=Path(), max_usd=2.0).public()
    now = Settings(data_dir=Path(), reasoner="openai:gpt-4o", max_steps=20, policy="recall").public()
    told = Edit(2, policy=Policy.RECALL, observation="").told(before, now)
    assert told == "observation: edited; π: recall; max steps: 20; max usd: none; reasoner: openai:gpt-4o"
    assert Edit(2).told(before, before) == "continued"
    assert Edit(2, by_hand=True).told(before, before) == "decisions: by hand"


class Pressed:
    """What gradio hands to a button's function."""

    def __init__(self, **data: Any) -> None:
        self._data = data


def test_a_run_continued_on_the_page_stays_what_it_was(tmp_path: Path) -> None:
    """An interrupted run of another agent, with a budget of its own, beside a page that is set otherwise."""
    settings = Settings(data_dir=tmp_path / "data", speech="off")
    video = squares.render(SAMPLE, tmp_path / "square.mp4")
    shelf = Shelf(settings.data_dir)
    shelf.open(video)
    own = replace(settings, agent="save", max_queries=3)
    run = Runs(settings).start(video, SAMPLE.question, own)
    assert run.join(60)
    trace = run.folder / recorder.EVENTS
    lines = trace.read_text().splitlines(keepends=True)
    whole = 1 + next(n for n, event in enumerate(run.events) if isinstance(event, Observed))
    trace.write_text("".join(lines[:whole]))
    page = Handlers(settings, Runs(settings), shelf)
    child_id, _, _ = page.resume(Pressed(id=run.id))  # type: ignore[arg-type]
    child = page.runs.get(child_id)
    assert child.join(60)
    started = child.session().started
    assert started is not None and started.parent == run.id
    assert (started.agent, started.settings["max_queries"], started.fork_edit) == ("save", 3, "continued")


@pytest.mark.parametrize(("agent", "every"), [("saos", 1), ("save", 1), ("explore", 9)])
def test_a_run_killed_at_any_event_goes_on_to_what_it_would_have_become(tmp_path: Path, agent: str, every: int) -> None:
    """Between an observation and its ledger entries too: neither is lost, neither is counted twice. What it had planned
    goes on as well: `explore` has more than a hundred events, so every ninth is tried."""
    settings = Settings(data_dir=tmp_path / "data", speech="off", agent=agent)
    video = squares.render(SAMPLE, tmp_path / "square.mp4")
    run = Runs(settings).start(video, SAMPLE.question, settings)
    assert run.join(60)
    whole, lines = run.session(), (run.folder / recorder.EVENTS).read_text().splitlines(keepends=True)
    assert whole.answer is not None and whole.state is not None and whole.state.ledger.entries
    for killed in range(1, len(lines), every):
        (run.folder / recorder.EVENTS).write_text("".join(lines[:killed]))
        child = Runs(settings).resume(run.id, video, settings)
        assert child.join(60)
        state = child.session().state
        assert child.session().answer == whole.answer, f"killed after {run.events[killed - 1]}"
        assert state is not None and state.ledger.entries == whole.state.ledger.entries


@pytest.mark.parametrize(
    ("step", "seen", "found", "goes_on"),
    [
        ("inspect", True, (), 1),
        ("inspect", True, (LedgerUpdated(step=1, entries=()),), 2),
        ("retrieve", False, (), 1),
        ("retrieve", False, (Retrieved(step=1, policy="", queries=(), references=(), relevance=()),), 2),
        ("inspect", False, (), 2),
    ],
)
def test_a_step_is_whole_only_with_everything_that_its_operation_returned(
    step: str, seen: bool, found: tuple[Event, ...], goes_on: int
) -> None:
    looked = Observation(Interval(0, 1), Modality.PICTURE, "a sign", True, 0.5)
    observed = Observed(step=1, operation=step, arguments={}, observations=(looked,) if seen else ())
    assert first_open_step([StepStarted(step=1, budget=9, snapshot=None), observed, *found]) == goes_on


def test_a_run_killed_between_its_preparations_prepares_afresh(tmp_path: Path) -> None:
    events = recorder.read(record(tmp_path, A)).events
    first = next(n for n, event in enumerate(events) if isinstance(event, StepStarted))
    assert first > 2
    for killed in range(1, first + 1):
        assert prefix(events[:killed], Edit(1)) == ()
    assert prefix(events[: first + 1], Edit(1)) != ()
