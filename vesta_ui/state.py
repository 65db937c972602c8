"""What an agent knows between two decisions, as a pure fold of its own events.

`advance(state, event)` is the only way state changes, in a running agent and when a run is rebuilt for replay or fork:
the state at step k is the fold of the events before it. Knows no model and no screen.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace

from pydantic import TypeAdapter

from vesta_ui import ledger as ledgers
from vesta_ui.domain import Action, Answer, MemoryItem, ModelCall, Question, Route, Usage
from vesta_ui.events import Decided, Event, LedgerUpdated, Observed, Retrieved, Routed, RunStarted, Warned
from vesta_ui.ledger import Ledger


@dataclass(frozen=True, slots=True)
class State:
    """M_t is `memory`, E_t is `ledger.entries`. `decided` is the newest action, `calls` counts identical ones in a row."""

    question: Question
    ledger: Ledger
    route: Route | None = None
    memory: tuple[MemoryItem, ...] = ()
    usage: Usage = Usage()
    step: int = 0
    decided: Action | None = None
    repeats: int = 0
    answer: Answer | None = None


_STATE: TypeAdapter[State] = TypeAdapter(State)


def initial(started: RunStarted) -> State:
    labels = tuple(choice.label for choice in started.question.choices)
    return State(started.question, Ledger(started.video.duration_s, labels))


def advance(state: State, event: Event) -> State:
    """The state after one more event; the same state for events that carry nothing to remember."""
    if isinstance(event, Routed):
        return replace(state, route=event.route, usage=state.usage + spent((event.call,) if event.call else ()))
    if isinstance(event, Retrieved):
        return replace(state, ledger=ledgers.add_references(state.ledger, event.references))
    if isinstance(event, Decided):
        same = state.decided is not None and _same(state.decided, event.action) and event.step != state.step
        return replace(
            state,
            step=event.step,
            decided=event.action,
            repeats=state.repeats + 1 if same else 1,
            usage=state.usage + spent(event.calls),
        )
    if isinstance(event, Observed):
        item = MemoryItem(
            event.step, event.operation, event.arguments, event.output, error=event.error, summary=event.summary
        )
        usage = replace(spent(event.calls), frames=len(event.frames))
        return replace(state, memory=(*state.memory, item), usage=state.usage + usage)
    if isinstance(event, LedgerUpdated):
        ids = tuple(entry.id for entry in event.entries)
        *before, last = state.memory
        return replace(
            state,
            ledger=ledgers.update(state.ledger, event.entries),
            memory=(*before, replace(last, entry_ids=ids)),
        )
    if isinstance(event, Warned):
        return replace(state, usage=state.usage + event.usage)
    return state


def digest(state: State) -> str:
    """SHA-256 (hex) of everything in a state: a fork is refused when the rebuilt state has another."""
    return hashlib.sha256(_STATE.dump_json(state)).hexdigest()


def spent(calls: tuple[ModelCall, ...]) -> Usage:
    """The sum of what the calls cost. Frames are counted once, by the operation that sampled them."""
    return sum((replace(call.usage, frames=0) for call in calls), Usage())


def _same(one: Action, other: Action) -> bool:
    return (one.operation, one.arguments) == (other.operation, other.arguments)
