"""References, observations, ledger entries, and the compact view of them (VESTA §3.3–§3.5)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from vesta_ui.domain.time import Interval
from vesta_ui.domain.video import Frame


class Status(StrEnum):
    """Verification outcome of a provisional reference."""

    UNVERIFIED = "unverified"
    VERIFIED = "verified"
    REJECTED = "rejected"
    INCONCLUSIVE = "inconclusive"


@dataclass(frozen=True, slots=True)
class Reference:
    """A retrieved scene: a score and an interval, never evidence (VESTA §3.3).

    `hypotheses`: labels of the choices whose query asked for it. `step` 0 is the policy's own retrieval, n the
    Reasoner's `retrieve` at step n. `note` says how it came in ("backfilled", "dispersed").
    """

    id: str
    scene_id: str
    start: float
    end: float
    score: float
    query: str
    step: int = 0
    hypotheses: tuple[str, ...] = ()
    note: str = ""

    @property
    def interval(self) -> Interval:
        return Interval(self.start, self.end)


class Modality(StrEnum):
    PICTURE = "picture"
    SPEECH = "speech"


@dataclass(frozen=True, slots=True)
class Stance:
    """What an observation says about one hypothesis: `supports` True or False, `weight` in [0, 1]."""

    label: str
    supports: bool
    weight: float


@dataclass(frozen=True, slots=True)
class Observation:
    """What one operation saw or heard in one interval (VESTA §B.5).

    `content` is one plain sentence or quotation. `event` names an occurrence (for grouping), `state` is "thing: value"
    (for transitions), `number` a reading with what it counts in `number_of`. `text` is text read on screen.
    `verdict` says whether the triggering query was met here: True, False, or None when it cannot be told.
    `examined` is the whole interval that was looked at or listened to, when wider than `interval` (coverage counts it).
    """

    interval: Interval
    modality: Modality
    content: str
    verdict: bool | None = None
    confidence: float | None = None
    text: str = ""
    event: str = ""
    state: str = ""
    number: float | None = None
    number_of: str = ""
    stances: tuple[Stance, ...] = ()
    frames: tuple[Frame, ...] = ()
    examined: Interval | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    """e = (p, f, τ, q, o, c): a ledger entry (VESTA §3.5, eq. 10). Never changed once made."""

    id: str
    operation: str
    step: int
    query: str
    observation: Observation

    @property
    def interval(self) -> Interval:
        return self.observation.interval


@dataclass(frozen=True, slots=True)
class MemoryItem:
    """One step of tool memory M_t: the operation, its arguments and its output in full.

    `summary`: what an agent with a compressed history keeps of all steps before this one (SAVE §A.2).
    """

    step: int
    operation: str
    arguments: dict[str, Any]
    output: str
    entry_ids: tuple[str, ...] = ()
    error: str = ""
    summary: str = ""


@dataclass(frozen=True, slots=True)
class Coverage:
    """C_t. `seen` and `heard`: inspected intervals per modality, merged. `never`: what neither covered. Shares in [0, 1]."""

    seen: tuple[Interval, ...]
    heard: tuple[Interval, ...]
    never: tuple[Interval, ...]
    seen_share: float
    heard_share: float
    sufficient: bool
    why: str


@dataclass(frozen=True, slots=True)
class Relation:
    """One line of G_t. `kind`: event, number, state, conflict, verification or hypothesis.

    `status` is the kind's own verdict (events: independent, duplicate, unresolved; conflicts: open, resolved; …).
    """

    kind: str
    text: str
    entry_ids: tuple[str, ...]
    start: float
    end: float
    status: str = ""


@dataclass(frozen=True, slots=True)
class Gap:
    """Something still missing, with a suggested next operation (a suggestion, never an order)."""

    text: str
    operation: str = ""
    start: float | None = None
    end: float | None = None


@dataclass(frozen=True, slots=True)
class HypothesisSupport:
    """One row of the hypothesis matrix. `support` and `refutation` are sums of stance weights."""

    label: str
    support: float
    refutation: float
    entry_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ReferenceState:
    """A reference with its verification outcome now and how it got there: (step, status) transitions."""

    reference: Reference
    status: Status
    history: tuple[tuple[int, Status], ...] = ()


@dataclass(frozen=True, slots=True)
class Snapshot:
    """L_t = (Ẽ, C, G): the compact ledger view shown to the Reasoner (VESTA §3.5, eq. 11).

    `text` is exactly what a language model is shown; `left_out` says which entries were not and why.
    """

    entries: tuple[Entry, ...]
    coverage: Coverage
    relations: tuple[Relation, ...]
    gaps: tuple[Gap, ...]
    hypotheses: tuple[HypothesisSupport, ...]
    references: tuple[ReferenceState, ...]
    text: str
    left_out: tuple[tuple[str, str], ...] = ()
