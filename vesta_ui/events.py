"""Every trace event, one small frozen class each, and the one union.

Only agents and the index builder emit events. An event carries what was *seen*: exact messages, frame receipts, raw
replies, decisions, usage, typed failures; never a secret, never a path of the machine. Readers (fold, replay, compare,
report) work on the list of events alone.

`seq` counts from 0 within a run, `at` is seconds since the run started; both are stamped by the run, not the emitter.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeVar

from pydantic import Field, TypeAdapter

from vesta_ui.domain import (
    Action,
    Answer,
    Entry,
    Frame,
    ModelCall,
    Notice,
    Observation,
    Outcome,
    Question,
    Reference,
    Route,
    Scene,
    Snapshot,
    Usage,
    VideoFacts,
    View,
)

SCHEMA = 1
"""Version of the event format, written on every line of a trace."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Base:
    seq: int = -1
    at: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class RunStarted(Base):
    """First event of every run. `roles` maps role → spec; `settings` holds no secret. `parent` names a forked run."""

    kind: Literal["run_started"] = "run_started"
    run_id: str
    agent: str
    question: Question
    video: VideoFacts
    roles: dict[str, str]
    settings: dict[str, Any]
    parent: str = ""
    fork_step: int | None = None
    fork_edit: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexProgress(Base):
    """`phase`: probe, waiting, scenes, speech, encode, store, import. `done` of `total` in `unit`; `eta_s` None while unknown."""

    kind: Literal["index_progress"] = "index_progress"
    phase: str
    done: float
    total: float
    unit: str = "s"
    seconds: float = 0.0
    eta_s: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexReady(Base):
    """The scene index can be searched. `seconds` per phase. `speech_pending`: the transcript is still being made."""

    kind: Literal["index_ready"] = "index_ready"
    index_id: str
    encoder: str
    speech: str
    scenes: tuple[Scene, ...]
    seconds: dict[str, float]
    reused: bool
    speech_pending: bool = False
    notices: tuple[Notice, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Routed(Base):
    """The router's decision, with the model call behind it when there was one."""

    kind: Literal["routed"] = "routed"
    route: Route
    call: ModelCall | None = None
    seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieved(Base):
    """Provisional references found. `step` 0 is the policy's own retrieval. `relevance`: score of every scene, in order.

    `pool`, `dropped`, `backfilled`: scene ids of Algorithm 2's intermediate sets.
    """

    kind: Literal["retrieved"] = "retrieved"
    step: int
    policy: str
    queries: tuple[str, ...]
    references: tuple[Reference, ...]
    relevance: tuple[float, ...]
    pool: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    backfilled: tuple[str, ...] = ()
    seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class StepStarted(Base):
    """The Reasoner is about to decide. `snapshot` is L_t as shown to it (None when the ledger is hidden), `view` is μ.

    `state_hash`: digest of the agent's state before this step; a fork from here must rebuild the same.
    """

    kind: Literal["step_started"] = "step_started"
    step: int
    budget: int
    snapshot: Snapshot | None
    view: View | None = None
    state_hash: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided(Base):
    """The chosen action, with the model calls behind it. `seconds` it took to choose, without pauses.

    `source`: the reasoner's spec, "user", or "embedded, after a failure". `replaced`: what the user overruled.
    """

    kind: Literal["decided"] = "decided"
    step: int
    action: Action
    source: str
    calls: tuple[ModelCall, ...] = ()
    seconds: float = 0.0
    replaced: Action | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Observed(Base):
    """An operation finished. `error` is told to the Reasoner; `output` is its full text as kept in tool memory.

    `summary`: the steps before it, compressed, where the agent keeps its history so (SAVE §A.2).
    """

    kind: Literal["observed"] = "observed"
    step: int
    operation: str
    arguments: dict[str, Any]
    observations: tuple[Observation, ...] = ()
    frames: tuple[Frame, ...] = ()
    output: str = ""
    calls: tuple[ModelCall, ...] = ()
    seconds: float = 0.0
    error: str = ""
    error_kind: str = ""
    summary: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerUpdated(Base):
    """Entries appended by a step. Everything else in the ledger follows from entries and references."""

    kind: Literal["ledger_updated"] = "ledger_updated"
    step: int
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Warned(Base):
    """A degradation, shown on the answer: frames clamped, no sound track, a role that fell back.

    `usage`: what the notice tells of, when that was paid for (speech recognised by a remote model for the index).
    """

    kind: Literal["warned"] = "warned"
    step: int
    notice: Notice
    usage: Usage = Usage()


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFinished(Base):
    """Last event of every run, also after an error. `reason` is one sentence for anything but "answered"."""

    kind: Literal["run_finished"] = "run_finished"
    outcome: Outcome
    answer: Answer | None
    reason: str = ""
    failure: str = ""


Event = (
    RunStarted
    | IndexProgress
    | IndexReady
    | Routed
    | Retrieved
    | StepStarted
    | Decided
    | Observed
    | LedgerUpdated
    | Warned
    | RunFinished
)

EVENT: TypeAdapter[Event] = TypeAdapter(Annotated[Event, Field(discriminator="kind")])
"""Reads and writes one event as JSON."""

E = TypeVar("E")
T = TypeVar("T")


def drained(work: Generator[E, None, T], tell: Callable[[E], object] = lambda _: None) -> T:
    """What the work returns at its end; `tell` hears each event on the way."""
    while True:
        try:
            event = next(work)
        except StopIteration as end:
            value: T = end.value
            return value
        tell(event)
