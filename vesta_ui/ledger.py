"""The temporal evidence ledger: entries and provisional references, appended and never changed (VESTA §3.5, §B.2, §B.7).

`update` is the persistent phase of Algorithm 3: monotone and policy-free. What follows from the entries (coverage,
reference states, hypothesis support here; events, numbers, states and conflicts in `relations`) are pure functions of
the ledger. This module knows no policy, no view, no model and no screen.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from vesta_ui.domain import (
    Coverage,
    Entry,
    HypothesisSupport,
    Interval,
    Modality,
    Observation,
    Reference,
    ReferenceState,
    Stance,
    Status,
    merge,
)


@dataclass(frozen=True, slots=True)
class Ledger:
    """E_t: everything observed so far in the order it came, and every provisional reference.

    `duration_s` is the video's length, `choices` the labels of the question's options.
    """

    duration_s: float
    choices: tuple[str, ...] = ()
    entries: tuple[Entry, ...] = ()
    references: tuple[Reference, ...] = ()


# ------------------------------------------------------------------------------------------------ growing
def add_references(ledger: Ledger, references: Iterable[Reference]) -> Ledger:
    """Append provisional references; one whose id is empty or taken gets the next free `r{n}`."""
    held = list(ledger.references)
    taken = {one.id for one in held}
    for one in references:
        if not one.id or one.id in taken:
            number = len(held) + 1
            while f"r{number}" in taken:
                number += 1
            one = replace(one, id=f"r{number}")
        taken.add(one.id)
        held.append(one)
    return replace(ledger, references=tuple(held))


def entries_from(
    ledger: Ledger, operation: str, step: int, query: str, observations: Iterable[Observation]
) -> tuple[Entry, ...]:
    """Normalise an operation's output into entries `e{n}`, numbered on from the ledger's (Algorithm 3, lines 1–5).

    Text becomes one line, times are clipped to the video, confidences and weights to [0, 1], unknown hypothesis labels
    and unreadable numbers are taken out. An observation that says nothing or lies wholly outside the video is no entry.
    """
    made: list[Entry] = []
    for observation in observations:
        valid = _normalised(observation, ledger)
        if valid is not None:
            number = len(ledger.entries) + len(made) + 1
            made.append(Entry(f"e{number}", operation, step, one_line(query), valid))
    return tuple(made)


def update(ledger: Ledger, entries: Iterable[Entry]) -> Ledger:
    """The ledger with `entries` appended. An entry already held is not added twice.

    Raises `ValueError` when an id is used again for something else: an entry is never rewritten.
    """
    held = {entry.id: entry for entry in ledger.entries}
    for entry in entries:
        if held.setdefault(entry.id, entry) != entry:
            raise ValueError(f"ledger entry {entry.id} exists and cannot be changed")
    return replace(ledger, entries=tuple(held.values()))


def one_line(text: str) -> str:
    """The text without control characters and line breaks: what comes from outside cannot imitate our layout."""
    return " ".join("".join(" " if unicodedata.category(c)[0] in "CZ" else c for c in text).split())


def _normalised(observation: Observation, ledger: Ledger) -> Observation | None:
    interval = _inside(observation.interval, ledger.duration_s)
    number = observation.number if observation.number is not None and math.isfinite(observation.number) else None
    content, text = one_line(observation.content), one_line(observation.text)
    event, state = one_line(observation.event), one_line(observation.state)
    if interval is None or not (content or text or event or state or number is not None):
        return None
    stances = tuple(
        Stance(stance.label, stance.supports, weight)
        for stance in observation.stances
        if stance.label in ledger.choices and (weight := _share(stance.weight)) is not None
    )
    examined = observation.examined and _inside(observation.examined, ledger.duration_s)
    return replace(
        observation,
        interval=interval,
        content=content or text or event or state or f"{observation.number_of or 'number'}: {number:g}",
        confidence=_share(observation.confidence),
        text=text,
        event=event,
        state=state,
        number=number,
        number_of=one_line(observation.number_of),
        stances=stances,
        examined=examined,
    )


def _inside(interval: Interval, duration_s: float) -> Interval | None:
    if interval.start > duration_s or interval.end < 0:
        return None
    return Interval(min(max(0.0, interval.start), duration_s), max(0.0, min(interval.end, duration_s)))


def _share(value: float | None) -> float | None:
    return min(1.0, max(0.0, value)) if value is not None and not math.isnan(value) else None


# ------------------------------------------------------------------------------------------------ what follows
def examined(entry: Entry) -> Interval:
    """The whole interval the entry's operation looked at or listened to."""
    return entry.observation.examined or entry.interval


def coverage(ledger: Ledger) -> Coverage:
    """Union of the examined intervals per modality. `sufficient` stays False: only a view can say what suffices."""

    def union(modality: Modality) -> tuple[Interval, ...]:
        return merge(examined(e) for e in ledger.entries if e.observation.modality is modality)

    def share(intervals: Sequence[Interval]) -> float:
        return min(1.0, sum(i.length for i in intervals) / ledger.duration_s) if ledger.duration_s > 0 else 0.0

    seen, heard = union(Modality.PICTURE), union(Modality.SPEECH)
    never: list[Interval] = []
    at = 0.0
    for one in merge((*seen, *heard)):
        if one.start > at:
            never.append(Interval(at, one.start))
        at = max(at, one.end)
    if at < ledger.duration_s:
        never.append(Interval(at, ledger.duration_s))
    return Coverage(seen, heard, tuple(never), share(seen), share(heard), sufficient=False, why="")


def same_place(a: Interval, b: Interval) -> bool:
    """Whether two intervals show the same stretch: the overlap is at least half of the shorter one."""
    shorter = min(a.length, b.length)
    if shorter == 0:
        return a.gap(b) == 0
    return a.overlap(b) >= shorter / 2


def concerns(entry: Entry, reference: Reference) -> bool:
    """Whether an entry can settle a reference: an observation that shares a second or half of the shorter with it."""
    if entry.operation == "retrieve":
        return False
    return entry.interval.overlap(reference.interval) >= 1.0 or same_place(entry.interval, reference.interval)


def reference_states(ledger: Ledger) -> tuple[ReferenceState, ...]:
    """Verification outcome of every reference, from the verdicts of the entries that concern it, step by step.

    Retrieval never verifies (VESTA §3.3), observation does, whenever it was made: a reference to a place that was looked
    at before takes over what those looks settled, so one scene found twice has one outcome. Its history then begins with
    that outcome at the step at which the reference appeared. Within a step:
    - a True verdict makes it *verified*: one part of a scene that meets the query is enough;
    - a False verdict makes it *rejected* once the False verdicts together cover half of it, before that *inconclusive*.
      A verified reference only yields to a False verdict on the place and query that verified it: *inconclusive*;
    - looked at without a verdict makes an unverified one *inconclusive* and leaves any other as it is.
    """
    return tuple(_state(ledger, reference) for reference in ledger.references)


def _state(ledger: Ledger, reference: Reference) -> ReferenceState:
    concerned = [e for e in ledger.entries if concerns(e, reference)]
    status = Status.UNVERIFIED
    history: list[tuple[int, Status]] = []
    yes: list[Entry] = []
    no: list[Entry] = []
    for step in sorted({e.step for e in concerned}):
        now = [e for e in concerned if e.step == step]
        agreed = [e for e in now if e.observation.verdict is True]
        denied = [e for e in now if e.observation.verdict is False]
        yes += agreed
        no += denied
        before = status
        if agreed:
            status = Status.VERIFIED
        elif denied and status is Status.VERIFIED:
            if any(_against(y, d) for y in yes for d in denied):
                status = Status.INCONCLUSIVE
        elif denied:
            ruled_out = sum(i.overlap(reference.interval) for i in merge(e.interval for e in no))
            whole = ruled_out >= reference.interval.length / 2
            status = Status.REJECTED if whole else Status.INCONCLUSIVE
        elif status is Status.UNVERIFIED:
            status = Status.INCONCLUSIVE
        if step < reference.step:
            history = [(reference.step, status)]
        elif status is not before:
            history.append((step, status))
    return ReferenceState(reference, status, tuple(history))


def _against(a: Entry, b: Entry) -> bool:
    return a.query.casefold() == b.query.casefold() and same_place(a.interval, b.interval)


def hypotheses(ledger: Ledger) -> tuple[HypothesisSupport, ...]:
    """Sums of stance weights for and against each choice, in the order of the choices; none is left out."""
    rows = []
    for label in ledger.choices:
        stances = [(e.id, s) for e in ledger.entries for s in e.observation.stances if s.label == label]
        rows.append(
            HypothesisSupport(
                label,
                support=sum(s.weight for _, s in stances if s.supports),
                refutation=sum(s.weight for _, s in stances if not s.supports),
                entry_ids=tuple(dict.fromkeys(id for id, _ in stances)),
            )
        )
    return tuple(rows)
