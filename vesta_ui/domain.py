"""The values everything else speaks in: questions, scenes, references, observations, entries, snapshots.

Frozen and free of I/O. Times are seconds (float) on the global video clock: seconds from the start of the picture as the
player shows it. Intervals are half-open `[start, end)`. Frame numbers are 0-based ordinals, shown but never computed with.
This module knows no file, no model, no policy rule and no screen.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


# ------------------------------------------------------------------------------------------------ time
@dataclass(frozen=True, slots=True, order=True)
class Interval:
    """A half-open span `[start, end)` in seconds. Raises `ValueError` if not finite or reversed."""

    start: float
    end: float

    def __post_init__(self) -> None:
        if not (math.isfinite(self.start) and math.isfinite(self.end)):
            raise ValueError(f"interval times must be finite, got {self.start}–{self.end}")
        if self.end < self.start:
            raise ValueError(f"interval ends before it starts: {self.start}–{self.end}")

    @property
    def length(self) -> float:
        """Seconds."""
        return self.end - self.start

    @property
    def middle(self) -> float:
        return (self.start + self.end) / 2

    def overlap(self, other: Interval) -> float:
        """Seconds that both cover; 0 when they only touch."""
        return max(0.0, min(self.end, other.end) - max(self.start, other.start))

    def gap(self, other: Interval) -> float:
        """Seconds between the two; 0 when they touch or overlap."""
        return max(0.0, max(self.start, other.start) - min(self.end, other.end))

    def iou(self, other: Interval) -> float:
        """Intersection over union in [0, 1]; 0 when both are empty."""
        union = self.length + other.length - self.overlap(other)
        return self.overlap(other) / union if union > 0 else 0.0

    def __str__(self) -> str:
        return f"{clock(self.start)}–{clock(self.end)}"


def merge(intervals: Iterable[Interval], within: float = 0.0) -> tuple[Interval, ...]:
    """Union of the intervals in time order; neighbours at most `within` seconds apart become one."""
    merged: list[Interval] = []
    for one in sorted(intervals):
        if merged and one.start - merged[-1].end <= within:
            merged[-1] = Interval(merged[-1].start, max(merged[-1].end, one.end))
        else:
            merged.append(one)
    return tuple(merged)


def clock(seconds: float) -> str:
    """`mm:ss.d`, or `h:mm:ss.d` from an hour up. For people; machines read the seconds."""
    tenths = round(seconds * 10)
    hours, rest = divmod(tenths, 36_000)
    minutes, tenths = divmod(rest, 600)
    text = f"{minutes:02d}:{tenths // 10:02d}.{tenths % 10}"
    return f"{hours}:{text}" if hours else text


# ------------------------------------------------------------------------------------------------ question and route
@dataclass(frozen=True, slots=True)
class Choice:
    """One answer option. `label` is A, B, C … in the order given."""

    label: str
    text: str


@dataclass(frozen=True, slots=True)
class Question:
    """A question with 2 to 10 choices, or none (open answer)."""

    text: str
    choices: tuple[Choice, ...] = ()

    def choice(self, label: str) -> Choice | None:
        return next((c for c in self.choices if c.label == label), None)


class Policy(StrEnum):
    """π: how initial candidate evidence is obtained (VESTA §3.2)."""

    FOCUSED = "focused"
    RECALL = "recall"
    CONTRASTIVE = "contrastive"


class Demand(StrEnum):
    """What kind of evidence a question needs (VESTA §B.3)."""

    LOCALIZED = "localized"
    REPEATED = "repeated"
    ORDERING = "ordering"
    COMPARISON = "comparison"
    CROSS_MODAL = "cross_modal"
    HYPOTHESES = "hypotheses"


class Flag(StrEnum):
    """Single views that μ switches on."""

    COUNTING = "counting"
    ORDERING = "ordering"
    STATE_CHANGE = "state_change"
    NUMERIC = "numeric"
    SPEECH = "speech"
    CROSS_MODAL = "cross_modal"


class Emphasis(StrEnum):
    """What μ stresses in the ledger view (VESTA Table 9)."""

    LOCAL = "compact local evidence"
    COVERAGE = "temporal coverage and event relations"
    HYPOTHESES = "hypothesis support and conflicts"


@dataclass(frozen=True, slots=True)
class View:
    """μ, the evidence-accounting policy: an emphasis and single views. It changes what is shown, never what is kept."""

    emphasis: Emphasis
    flags: tuple[Flag, ...] = ()


@dataclass(frozen=True, slots=True)
class Cue:
    """Words in the question that fired a demand."""

    demand: Demand
    words: str


@dataclass(frozen=True, slots=True)
class Prior:
    """b: the deterministic reading of the question (VESTA §B.3)."""

    demands: tuple[Demand, ...]
    flags: tuple[Flag, ...]
    cues: tuple[Cue, ...]


@dataclass(frozen=True, slots=True)
class Estimate:
    """ρ: a model's reading of the same demands. `confidence` in [0, 1]."""

    demands: tuple[Demand, ...]
    flags: tuple[Flag, ...]
    confidence: float
    why: str


@dataclass(frozen=True, slots=True)
class Route:
    """(π, μ) with everything that led to it. `model` is None when no model was asked or its answer was unusable;
    `model_note` then says why. `overridden` names what the user set by hand ("policy", "view")."""

    policy: Policy
    view: View
    prior: Prior
    model: Estimate | None
    demands: tuple[Demand, ...]
    why: str
    model_note: str = ""
    overridden: tuple[str, ...] = ()


# ------------------------------------------------------------------------------------------------ video
@dataclass(frozen=True, slots=True)
class VideoFacts:
    """What a video is. `sha256` is its identity; the name is for people only. `fps` is the average rate, for show."""

    sha256: str
    name: str
    duration_s: float
    width: int
    height: int
    fps: float
    has_audio: bool
    codec: str


@dataclass(frozen=True, slots=True)
class Notice:
    """Something the user should know: a stable `code` (kebab-case) and one sentence on what it means and what is done."""

    code: str
    message: str


@dataclass(frozen=True, slots=True)
class Word:
    """A spoken word; `probability` in [0, 1]."""

    start: float
    end: float
    text: str
    probability: float = 1.0


@dataclass(frozen=True, slots=True)
class Scene:
    """A span of the scene index (VESTA §3.3). The scenes of a video tile it without gap or overlap.

    `frame_times_s`: at most 4 representative frames. `transcript`: the words spoken inside. `screen_text`: text read in
    the picture. `facts`: plain visual facts in words. `frames`: file names of the stored JPEGs, one per time.
    """

    id: str
    start: float
    end: float
    start_frame: int
    end_frame: int
    frame_times_s: tuple[float, ...]
    transcript: str = ""
    screen_text: str = ""
    facts: str = ""
    frames: tuple[str, ...] = ()

    @property
    def interval(self) -> Interval:
        return Interval(self.start, self.end)


@dataclass(frozen=True, slots=True)
class Frame:
    """A receipt for one frame a model or observer was given: when, how large, and its stored JPEG (content hash)."""

    time: float
    width: int
    height: int
    sha256: str


# ------------------------------------------------------------------------------------------------ evidence
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


# ------------------------------------------------------------------------------------------------ what the ledger shows
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


# ------------------------------------------------------------------------------------------------ deciding and answering
@dataclass(frozen=True, slots=True)
class Action:
    """One operation with its arguments, as chosen. `thought` is the Reasoner's own reason, shown on the page."""

    operation: str
    arguments: dict[str, Any]
    thought: str = ""


@dataclass(frozen=True, slots=True)
class Evidence:
    """Why the answer holds: an interval, the ledger entry behind it, one phrase why."""

    start: float
    end: float
    entry_id: str
    why: str


@dataclass(frozen=True, slots=True)
class Answer:
    """`label` is None for an open question or when no choice could be settled on. `confidence` in [0, 1]."""

    label: str | None
    text: str
    confidence: float
    evidence: tuple[Evidence, ...] = ()


class Outcome(StrEnum):
    ANSWERED = "answered"
    BUDGET = "budget"
    STOPPED = "stopped"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Usage:
    """What was paid. Tokens are None when the provider did not say; `cost_usd` None when the price is unknown."""

    remote_requests: int = 0
    failed_requests: int = 0
    input_tokens: int | None = 0
    cached_tokens: int | None = 0
    output_tokens: int | None = 0
    reasoning_tokens: int | None = 0
    frames: int = 0
    cost_usd: float | None = 0.0
    seconds: float = 0.0

    def __add__(self, other: Usage) -> Usage:
        def total(a: Any, b: Any) -> Any:
            return None if a is None or b is None else a + b

        return Usage(*(total(getattr(self, name), getattr(other, name)) for name in Usage.__slots__))


@dataclass(frozen=True, slots=True)
class Message:
    """One message to a model, as sent. `frames` are images in order, each preceded by its time stamp."""

    role: str  # system, user or assistant
    text: str
    frames: tuple[Frame, ...] = ()


@dataclass(frozen=True, slots=True)
class ModelCall:
    """A receipt for one model call: what was sent, what came back, what it cost, how it failed.

    `failure` is the failure's type name ("refused", "truncated", …) or empty. `attempts` lists earlier tries and waits.
    """

    role: str  # router, reasoner, observer, speech
    model: str
    messages: tuple[Message, ...]
    reply: str
    usage: Usage
    parsed: dict[str, Any] | None = None
    finish_reason: str = ""
    request_id: str = ""
    failure: str = ""
    failure_text: str = ""
    attempts: tuple[str, ...] = ()
    notices: tuple[str, ...] = field(default=())
