"""A run of 20 steps with 150 frames each: what the Reasoner is sent stays bounded, pictures go out once, nothing is lost."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from case_film import Scene, Told, do, film, finalize, give_roles, intervals_asked, played, sighting

from vesta_ui.domain import Choice, Outcome, Question
from vesta_ui.events import Decided, Observed, StepStarted, Warned
from vesta_ui.models import Request
from vesta_ui.roles.context_text import FULL
from vesta_ui.runs.run import Run
from vesta_ui.settings import Settings

QUESTION = Question("How many times does a boat pass?", (Choice("A", "twice"), Choice("B", "three times")))
STEPS, FRAMES, SEEN = 20, 150, 24
BOUND = 40_000
"""Characters of one decision's whole prompt, instructions included: about 10,000 tokens."""


@pytest.fixture(scope="module")
def long_run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Run, dict[str, Told]]]:
    """Nineteen looks at stretches of 150 frames, each described in 24 long sentences; then the first call once more."""
    folder = tmp_path_factory.mktemp("long")
    path = film(folder / "film.mp4", [Scene(30, (60, 90, 120)), Scene(30, (120, 70, 60))])

    def eye(request: Request) -> dict[str, Any]:
        (span,) = intervals_asked(request)
        part = span.length / SEEN
        return {
            "observations": [
                sighting(
                    span.start + n * part, span.start + (n + 1) * part,
                    f"look {span.start:.1f} sight {n}: a boat with {n} sails passes the pier while gulls circle " + "far out " * 20,
                    event="a boat passes", number=n, number_of="sails",
                )
                for n in range(SEEN)
            ]
        }  # fmt: skip

    def mind(request: Request) -> dict[str, Any]:
        done = request.turns[-1].text.count("\nStep ")
        if done == STEPS - 1:
            return do("inspect", "I need all of the first output again.", intervals=[[0, 31]], focus="boats")
        if done < STEPS - 1:
            return do("inspect", intervals=[[done, 31 + done]], focus="boats")
        return finalize("A", ["e1"])

    with pytest.MonkeyPatch.context() as patch:
        told = give_roles(patch, reasoner=mind, observer=eye)
        settings = Settings(
            data_dir=folder / "data", reasoner="scripted:reasoner", observer="scripted:observer", speech="off",
            frames_per_scene=1, max_steps=STEPS, image_side=160,
        )  # fmt: skip
        yield played(path, QUESTION, settings, folder), told


def sizes(told: Told) -> list[int]:
    return [sum(len(turn.text) for turn in request.turns) for request in told.requests]


def test_it_ran_as_meant(long_run: tuple[Run, dict[str, Told]]) -> None:
    run, _ = long_run
    looks = [e for e in run.events if isinstance(e, Observed)]
    assert [len(e.frames) for e in looks] == [FRAMES] * (STEPS - 1) + [0]
    state = run.session().state
    assert state is not None and len(state.ledger.entries) == SEEN * (STEPS - 1)
    assert run.session().finished is not None
    assert run.session().finished.outcome is Outcome.BUDGET  # type: ignore[union-attr]


def test_the_prompt_is_bounded_and_stops_growing(long_run: tuple[Run, dict[str, Told]]) -> None:
    _, told = long_run
    sent = sizes(told["reasoner"])
    print("characters of each prompt:", sent)
    assert len(sent) == STEPS + 1
    assert max(sent) < BOUND
    assert max(sent[-8:]) - min(sent[-8:]) < 0.15 * BOUND, "older steps shrink as new ones come"


def test_pictures_are_sent_once_and_to_the_observer_only(long_run: tuple[Run, dict[str, Told]]) -> None:
    _, told = long_run
    assert not [r for r in told["reasoner"].requests if any(turn.images for turn in r.turns)]
    sent = [sum(len(turn.images) for turn in r.turns) for r in told["observer"].requests]
    assert sent == [FRAMES] * (STEPS - 1), "the repeated call sends nothing"


def test_every_entry_can_be_reached_from_the_prompt(long_run: tuple[Run, dict[str, Told]]) -> None:
    run, told = long_run
    last = told["reasoner"].text(STEPS)
    state = run.session().state
    assert state is not None
    ranges = re.findall(r"→ entries e(\d+)–e(\d+)", last)
    named = {f"e{n}" for first, final in ranges for n in range(int(first), int(final) + 1)}
    assert named == {entry.id for entry in state.ledger.entries}, "each step names its entries, also when shortened"
    started = [e for e in run.events if isinstance(e, StepStarted)][-1]
    assert started.snapshot is not None
    shown, left = {e.id for e in started.snapshot.entries}, {name for name, _ in started.snapshot.left_out}
    assert shown | left == named and not shown & left, "what the ledger view leaves out is told"


def test_a_shortened_output_comes_back_by_the_same_call(long_run: tuple[Run, dict[str, Told]]) -> None:
    run, told = long_run
    before, after = told["reasoner"].text(STEPS - 1), told["reasoner"].text(STEPS)
    first = next(e for e in run.events if isinstance(e, Observed)).output
    assert len(first) > FULL.older
    assert "look 0.0 sight 3:" not in _steps(before) and "look 0.0 sight 3:" in _steps(after)
    notice = next(e.notice for e in run.events if isinstance(e, Warned) and e.notice.code == "repeated-call")
    assert "step 1" in notice.message
    again = next(e for e in run.events if isinstance(e, Decided) and e.step == STEPS)
    assert again.action.thought.startswith("I need all")


def _steps(prompt: str) -> str:
    return prompt.partition("Steps so far:")[2]


def test_the_full_output_stays_in_memory(long_run: tuple[Run, dict[str, Told]], tmp_path: Path) -> None:
    run, _ = long_run
    state = run.session().state
    assert state is not None
    for item in state.memory[:-1]:
        assert item.output.count("a boat with") == SEEN == len(item.entry_ids)
