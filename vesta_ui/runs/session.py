"""The fold: what the page, replay, compare and reports show of a run, built from its events alone.

`reduce(session, event)` is pure, so live and replayed runs look the same, and the session after the first k events is
exactly what the page showed then. Knows no gradio, no thread and no file.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import assert_never

from vesta_ui.domain import Answer, Entry, Notice, Route, Scene, Usage
from vesta_ui.events import (
    Decided,
    Event,
    IndexProgress,
    IndexReady,
    LedgerUpdated,
    Observed,
    Retrieved,
    Routed,
    RunFinished,
    RunStarted,
    StepStarted,
    Warned,
)
from vesta_ui.settings import ABLATIONS
from vesta_ui.state import State, advance, initial


@dataclass(frozen=True, slots=True)
class Step:
    """One decision and what came of it. `retrieved` is set when the operation searched."""

    n: int
    started: StepStarted | None = None
    decided: Decided | None = None
    observed: Observed | None = None
    retrieved: Retrieved | None = None
    entries: tuple[Entry, ...] = ()
    warnings: tuple[Notice, ...] = ()


@dataclass(frozen=True, slots=True)
class Session:
    """Everything known of a run after some events. Fields are None or empty until their event came."""

    started: RunStarted | None = None
    progress: IndexProgress | None = None
    index: IndexReady | None = None
    routed: Routed | None = None
    retrieved: tuple[Retrieved, ...] = ()
    steps: tuple[Step, ...] = ()
    warnings: tuple[Notice, ...] = ()
    finished: RunFinished | None = None
    state: State | None = None
    at: float = 0.0
    """Seconds since the run began, of the newest event."""

    @property
    def scenes(self) -> tuple[Scene, ...]:
        return self.index.scenes if self.index else ()

    @property
    def route(self) -> Route | None:
        return self.routed.route if self.routed else None

    @property
    def answer(self) -> Answer | None:
        return self.finished.answer if self.finished else None

    @property
    def usage(self) -> Usage:
        return self.state.usage if self.state else Usage()

    @property
    def missing(self) -> tuple[str, ...]:
        """Operations the run does not have: `speech` where no word was found, `retrieve` without an index."""
        silent = self.index is not None and not self.index.speech_pending and not any(s.transcript for s in self.scenes)
        parts = ABLATIONS.get(str(self.started.settings.get("ablation"))) if self.started else None
        blind = parts is not None and not parts.retrieval
        return (*(("speech",) if silent else ()), *(("retrieve",) if blind else ()))

    def step(self, n: int) -> Step:
        return next((step for step in self.steps if step.n == n), Step(n))


def reduce(session: Session, event: Event) -> Session:
    """The session after one more event."""
    state = initial(event) if isinstance(event, RunStarted) else session.state
    if state is not None and not isinstance(event, RunStarted):
        state = advance(state, event)
    session = replace(session, state=state, at=event.at)
    match event:
        case RunStarted():
            return replace(session, started=event)
        case IndexProgress():
            return replace(session, progress=event)
        case IndexReady():
            return replace(session, index=event)
        case Routed():
            return replace(session, routed=event)
        case Retrieved():
            session = replace(session, retrieved=(*session.retrieved, event))
            return _with(session, event.step, retrieved=event) if event.step else session
        case StepStarted():
            return _with(session, event.step, started=event)
        case Decided():
            return _with(session, event.step, decided=event)
        case Observed():
            return _with(session, event.step, observed=event)
        case LedgerUpdated():
            return _with(session, event.step, entries=event.entries)
        case Warned():
            session = replace(session, warnings=(*session.warnings, event.notice))
            if not event.step:
                return session
            return _with(session, event.step, warnings=(*session.step(event.step).warnings, event.notice))
        case RunFinished():
            return replace(session, finished=event)
        case _:
            assert_never(event)


def fold(events: Iterable[Event]) -> Session:
    session = Session()
    for event in events:
        session = reduce(session, event)
    return session


def until_step(events: Iterable[Event], step: int) -> list[Event]:
    """The events up to and including everything of step `step` (0: before the first decision)."""
    kept: list[Event] = []
    for event in events:
        if isinstance(event, StepStarted) and event.step > step:
            break
        kept.append(event)
    return kept


class History:
    """The session after each step of a recorded run, folded once and kept: scrubbing to any step is a look-up."""

    def __init__(self, events: Sequence[Event]) -> None:
        self._after: list[tuple[int, Session]] = []
        session, step = Session(), 0
        for event in events:
            if isinstance(event, StepStarted):
                self._after.append((step, session))
                step = event.step
            session = reduce(session, event)
        self._after.append((step, session))

    @property
    def last(self) -> int:
        """The newest step; 0 before the first decision."""
        return self._after[-1][0]

    def at(self, step: int) -> Session:
        """Everything up to and including step `step` (0: before the first decision)."""
        place = bisect_right(self._after, step, key=lambda one: one[0])
        return self._after[max(0, place - 1)][1]


def _with(session: Session, n: int, **changes: object) -> Session:
    *before, last = session.steps or (Step(n),)
    if last.n == n:  # nearly always the newest
        return replace(session, steps=(*before, replace(last, **changes)))  # type: ignore[arg-type]
    steps = session.steps if any(step.n == n for step in session.steps) else (*session.steps, Step(n))
    return replace(session, steps=tuple(replace(s, **changes) if s.n == n else s for s in steps))  # type: ignore[arg-type]
