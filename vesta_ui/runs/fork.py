"""Forks: a new run that takes over a recorded one up to a step, with one thing changed (the parent stays untouched).

The state is rebuilt by the fold of the parent's events; a recorded state hash must match, or the fork is refused.
Continuing an interrupted run is a fork after its last whole step with nothing changed. Knows no screen.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pydantic_core import to_jsonable_python

from vesta_ui import agents, operations, registry
from vesta_ui.domain import Action, Policy, Question, View
from vesta_ui.errors import BadInput, BadTrace, OperationRefused
from vesta_ui.events import (
    Event,
    IndexProgress,
    LedgerUpdated,
    Observed,
    Retrieved,
    Routed,
    RunFinished,
    RunStarted,
    StepStarted,
)
from vesta_ui.exploration import BY_HAND, Explorer
from vesta_ui.ledger import Ledger
from vesta_ui.operations.arguments import checked
from vesta_ui.operations.finalize import answer_of
from vesta_ui.runs import recorder
from vesta_ui.runs.session import until_step
from vesta_ui.settings import ABLATIONS, Settings
from vesta_ui.state import advance, digest, initial


@dataclass(frozen=True, slots=True)
class Edit:
    """What a fork changes at step `step`; None leaves a thing as it was. Models and budget change through settings.

    `action` is carried out instead of what the Reasoner would choose; `by_hand`: the child waits for the user at its
    first decision. `observation` replaces the output of the step before the fork, as tool memory holds it.
    """

    step: int
    action: Action | None = None
    observation: str | None = None
    policy: Policy | None = None
    view: View | None = None
    question: Question | None = None
    by_hand: bool = False

    def told(self, before: dict[str, Any], now: dict[str, Any]) -> str:
        """The edit in words, with the settings that are others `now` than `before` (models, budget, agent)."""
        parts = {
            "action": self.action and f"{self.action.operation} {self.action.arguments}",
            "observation": self.observation is not None and "edited",
            "π": self.policy and self.policy.value,
            "μ": self.view and self.view.emphasis.value,
            "question": self.question and self.question.text,
            "decisions": self.by_hand and "by hand",
        }
        other = {name for name in before if name in now and before[name] != now[name]} - {"policy"}  # π is told above
        changed = {name.replace("_", " "): "none" if now[name] in (None, "") else now[name] for name in sorted(other)}
        return "; ".join(f"{name}: {value}" for name, value in (parts | changed).items() if value) or "continued"


def check_action(action: Action, started: RunStarted, settings: Settings) -> None:
    """Raises `BadInput` for an action that the run's agent could not carry out: chosen by hand, it is refused at once."""
    schemas: dict[str, Any] = {name: operations.load(name).arguments for name in operations.OPERATIONS}
    agent = registry.load(agents.AGENTS, started.agent, "agent")
    if issubclass(agent, Explorer):
        own = agent.query
        schemas = {own.name: own.arguments, **{name: schemas[name] for name in (*BY_HAND, "finalize")}}
    elif not ABLATIONS[settings.ablation].retrieval:
        del schemas["retrieve"]
    if action.operation not in schemas:
        raise BadInput(f"there is no operation “{action.operation}”: choose one of {', '.join(schemas)}")
    try:
        given = checked(schemas[action.operation], action.arguments)
        spans = getattr(given, "intervals", None) or list(filter(None, [getattr(given, "interval", None)]))
        if spans:
            operations.guard([(start, end) for start, end in spans], started.video.duration_s)
        if action.operation == "finalize":
            answer_of(action.arguments, started.question, Ledger(started.video.duration_s))
    except OperationRefused as error:
        raise BadInput(f"“{action.operation}” cannot be done so: {error}") from error


def prefix(events: Sequence[Event], edit: Edit) -> tuple[Event, ...]:
    """The parent's events before step `edit.step`, edited, without its `RunStarted`.

    Raises `BadInput` when there is no such step and `BadTrace` when the rebuilt state is not the recorded one.
    """
    started = events[0] if events else None
    if not isinstance(started, RunStarted):
        raise BadTrace("the run does not start with a run_started event")
    last = first_open_step(events)
    if not 1 <= edit.step <= last:
        raise BadInput(
            f"this run can be forked from {'step 1' if last == 1 else f'steps 1 to {last}'}, not from {edit.step}"
        )
    steps = [event for event in events if isinstance(event, StepStarted)]
    if not steps:
        return ()  # it may have been interrupted between its preparations: the child prepares afresh
    kept = [e for e in until_step(events, edit.step - 1) if not isinstance(e, RunFinished)]
    _check_hash(started, kept, next((one for one in steps if one.step == edit.step), None))
    if edit.step == 1 and (edit.policy or edit.question):
        return ()  # nothing observed yet: the child retrieves afresh under the new π or question
    return tuple(_edited(event, edit) for event in kept[1:] if not isinstance(event, IndexProgress))


def started(parent: RunStarted, run_id: str, edit: Edit, settings: Settings) -> RunStarted:
    """The child's first event: it names its parent, the step and the edit."""
    now: dict[str, Any] = to_jsonable_python(settings.public())
    return replace(
        parent,
        run_id=run_id,
        agent=settings.agent,
        roles=settings.public_roles(),
        settings=now,
        parent=parent.run_id,
        fork_step=edit.step,
        fork_edit=edit.told(to_jsonable_python(parent.settings), now),
        question=edit.question or parent.question,
    )


def first_open_step(events: Sequence[Event]) -> int:
    """The step from which an interrupted run goes on: the first that is not known to be whole.

    What an operation returned is told in up to three events; a run killed between them does the step again, or its
    memory would hold what its ledger lacks.
    """
    step = max((event.step for event in events if isinstance(event, StepStarted)), default=1)
    own = [event for event in events if isinstance(event, Observed | Retrieved | LedgerUpdated) and event.step == step]
    observed = next((event for event in own if isinstance(event, Observed)), None)
    if observed is None:
        return step
    awaited = LedgerUpdated if observed.observations else Retrieved if observed.operation == "retrieve" else Observed
    return step + 1 if observed.error or any(isinstance(event, awaited) for event in own) else step


def copy_frames(parent: Path, child: Path) -> None:
    """A run folder is self-contained: the child gets the parent's frames (hard links where the disk allows)."""
    source = parent / recorder.FRAMES
    if source.is_dir():
        shutil.copytree(source, child / recorder.FRAMES, copy_function=_link, dirs_exist_ok=True)


def _link(source: str, target: str) -> None:
    try:
        Path(target).hardlink_to(source)
    except OSError:
        shutil.copyfile(source, target)


def _check_hash(started: RunStarted, kept: Sequence[Event], step: StepStarted | None) -> None:
    if step is None or not step.state_hash:
        return
    state = initial(started)
    for event in kept[1:]:
        state = advance(state, event)
    if digest(state) != step.state_hash:
        raise BadTrace(f"the trace was changed: the state before step {step.step} is not the one recorded, so no fork")


def _edited(event: Event, edit: Edit) -> Event:
    if isinstance(event, Routed) and (edit.policy or edit.view):
        route = event.route
        by_hand = (*route.overridden, *(["policy"] if edit.policy else []), *(["view"] if edit.view else []))
        return replace(
            event,
            route=replace(
                route,
                policy=edit.policy or route.policy,
                view=edit.view or route.view,
                overridden=tuple(dict.fromkeys(by_hand)),
            ),
        )
    if isinstance(event, Observed) and edit.observation is not None and event.step == edit.step - 1:
        return replace(event, output=edit.observation)
    return event
