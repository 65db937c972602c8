"""Aligning runs: same, moved, only here, and where they part."""

from __future__ import annotations

import argparse
import io
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from test_driver import ANSWER, LOOK, QUESTION
from test_recorder import STARTED, played

from vesta_ui import commands
from vesta_ui.commands import compare as command
from vesta_ui.control import Control
from vesta_ui.domain import Action, Outcome, Question
from vesta_ui.errors import BadInput, Stopped
from vesta_ui.events import Event, RunFinished
from vesta_ui.runs import registry
from vesta_ui.runs.compare import align, compare, places
from vesta_ui.runs.registry import Runs
from vesta_ui.runs.run import Run
from vesta_ui.runs.session import Session, fold
from vesta_ui.settings import Settings

HEAR = Action("speech", {"intervals": [[1, 2]]})
CLIP = Action("clip", {"interval": [1, 2], "question": "which colour?"})


def session(folder: Path, *actions: Action) -> Session:
    return fold(played(list(actions), folder))


def shape(*runs: Session) -> list[tuple[tuple[int | None, ...], str]]:
    return [(row.steps, row.kind) for row in align([run.steps for run in runs])]


def test_equal_runs_are_the_same_throughout(tmp_path: Path) -> None:
    one = session(tmp_path, LOOK, HEAR, ANSWER)
    found = compare([one, one])
    assert [row.kind for row in found.rows] == ["same"] * 3
    assert found.first_divergence is None and found.agree
    assert found.only_in == ((), ())


def test_an_extra_step_is_only_in_one_run_and_the_rest_stays_aligned(tmp_path: Path) -> None:
    longer, shorter = session(tmp_path, LOOK, HEAR, CLIP, ANSWER), session(tmp_path, LOOK, CLIP, ANSWER)
    assert shape(longer, shorter) == [((1, 1), "same"), ((2, None), "only"), ((3, 2), "same"), ((4, 3), "same")]
    assert compare([longer, shorter]).first_divergence == 1


def test_rows_the_first_run_lacks_stand_where_their_own_run_took_them(tmp_path: Path) -> None:
    base = session(tmp_path, LOOK, ANSWER)
    steps = [steps for steps, _ in shape(base, session(tmp_path, HEAR, LOOK, CLIP, ANSWER))]
    assert steps == [(None, 1), (1, 2), (None, 3), (2, 4)]
    apart = [steps for steps, _ in shape(base, session(tmp_path, HEAR, CLIP, ANSWER))]
    assert apart == [(1, None), (None, 1), (None, 2), (2, 3)]


def test_swapped_steps_are_moved_not_different(tmp_path: Path) -> None:
    kinds = [kind for _, kind in shape(session(tmp_path, LOOK, HEAR, ANSWER), session(tmp_path, HEAR, LOOK, ANSWER))]
    assert kinds == ["moved", "moved", "same"]


def test_three_runs_where_one_lacks_a_step_differ(tmp_path: Path) -> None:
    full, less = session(tmp_path, LOOK, HEAR, ANSWER), session(tmp_path, LOOK, ANSWER)
    assert ((2, 2, None), "differs") in shape(full, full, less)


def test_costs_count_calls_by_operation(tmp_path: Path) -> None:
    row = compare([session(tmp_path, LOOK, HEAR, CLIP, ANSWER)] * 2).costs[0]
    assert (row.iterations, row.inspect_calls, row.clip_calls, row.speech_calls) == (4, 1, 1, 1)


def test_a_place_looked_at_is_named_once_however_much_was_seen_there(tmp_path: Path) -> None:
    step = session(tmp_path, LOOK, ANSWER).steps[0]
    assert step.observed is not None and step.observed.observations
    twice = replace(step, observed=replace(step.observed, observations=step.observed.observations * 2))
    assert places(twice) == places(step) and len(places(step)) == len(set(places(step)))


def test_other_videos_and_other_numbers_of_runs_are_refused(tmp_path: Path) -> None:
    one = session(tmp_path, LOOK)
    other = fold([replace(STARTED, video=replace(STARTED.video, sha256="1" * 64))])
    with pytest.raises(BadInput, match="different videos"):
        compare([one, other])
    for count in (1, 5):
        with pytest.raises(BadInput, match="two to four"):
            compare([one] * count)


# ------------------------------------------------------------------------------------------------ every agent at once
def playing(run: Run, video: Any, question: Question, settings: Settings) -> Iterator[Event]:
    """In place of an agent: the first answers at once, the others go on until they are stopped."""
    outcome, reason = Outcome.ANSWERED, ""
    try:
        run.add(replace(STARTED, run_id=run.id, agent=settings.agent))
        if settings.agent != "vesta":
            run.control.wait(60)
    except Stopped as error:
        outcome, reason = Outcome.STOPPED, str(error)
    run.add(RunFinished(outcome=outcome, answer=None, reason=reason))
    run.finish()
    yield from ()


def asked(data: Path, stop_after_s: float, *names: str) -> tuple[int, list[str]]:
    """Exit code of `compare --video …`, stopped after a while as by Ctrl-C, and what it said."""
    said: list[str] = []

    def stoppable(control: Control) -> Control:
        threading.Timer(stop_after_s, control.stop).start()
        return control

    parser = argparse.ArgumentParser()
    command.arguments(parser)
    chosen = parser.parse_args(["--video", "a.mp4", "--question", "why?", "--agents", ",".join(names)])
    shell = commands.Shell(said.append, said.append, Settings(data_dir=data), False, lambda event: None, stoppable)
    return command.run(chosen, shell), said


def test_stopping_the_comparison_of_all_agents_stops_every_run_and_keeps_those_that_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registry, "play", playing)
    monkeypatch.setattr(registry, "open_video", lambda path: io.BytesIO())
    began = time.monotonic()
    code, said = asked(tmp_path, 0.5, "vesta", "save", "explore", "native", "saos")
    assert code == 130 and time.monotonic() - began < 20
    assert [line.split("  ")[1] for line in said[:-1]] == ["vesta: no answer", "save: no answer", "explore: no answer"]
    assert "3 of 5 runs are kept" in said[-1]


def test_one_run_is_not_asked_to_be_compared(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="compares with nothing"):
        asked(tmp_path, 0.0, "vesta")


def test_two_comparisons_at_once_still_take_turns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    at_once, most, lock = 0, 0, threading.Lock()

    def counted(run: Run, *_: object) -> Iterator[Event]:
        nonlocal at_once, most
        with lock:
            at_once += 1
            most = max(most, at_once)
        time.sleep(0.05)
        with lock:
            at_once -= 1
        run.finish()
        yield from ()

    monkeypatch.setattr(registry, "play", counted)
    monkeypatch.setattr(registry, "open_video", lambda path: io.BytesIO())
    settings = Settings(data_dir=tmp_path)
    runs = Runs(settings)
    begun = [run for _ in range(2) for run in runs.start_all(tmp_path, QUESTION, [settings] * 4)]
    assert all(run.join(30) for run in begun)
    assert most == registry.AT_ONCE
