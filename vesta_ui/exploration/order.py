"""In which order things follow each other, from readings at single moments, and how far sampling lets that be trusted.

A reading says which of the asked items was seen at a time. Readings too far apart can show any order at all: a change is
*sure* only where both sides lasted for two readings, and a track of readings is *refuted* where a finer one found
something else between two of its neighbours. Pure; knows no video and no model.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby, pairwise
from statistics import median

from vesta_ui.domain import Entry, Interval, Modality, Question
from vesta_ui.roles.embedded.asked import parts, understand

FINER = 1.5
"""How many times denser a look must be to confirm or refute another."""
SURE, UNSURE = 3.0, 1.0


@dataclass(frozen=True, slots=True)
class Reading:
    """What was there at `time` (seconds): an item of the question, or "" for anything else."""

    time: float
    item: str


@dataclass(frozen=True, slots=True)
class Change:
    """`before` gives way to `after` somewhere in `span`. `sure`: each lasted for at least two readings."""

    before: str
    after: str
    span: Interval
    sure: bool


@dataclass(frozen=True)
class Track:
    """Readings in time order at about equal distances, at least one."""

    readings: tuple[Reading, ...]

    @cached_property
    def spacing(self) -> float:
        """Seconds between readings, the median; infinite for a single one."""
        return median(b.time - a.time for a, b in pairwise(self.readings)) if len(self.readings) > 1 else float("inf")

    @property
    def start(self) -> float:
        return self.readings[0].time

    @property
    def end(self) -> float:
        return self.readings[-1].time

    @cached_property
    def runs(self) -> list[list[Reading]]:
        return [list(run) for _, run in groupby(self.readings, key=lambda r: r.item)]

    @cached_property
    def changes(self) -> list[Change]:
        """From one item to another, whatever else came between."""
        named = [run for run in self.runs if run[0].item]
        return [
            Change(a[0].item, b[0].item, Interval(a[-1].time, b[0].time), len(a) > 1 and len(b) > 1)
            for a, b in pairwise(named)
            if a[0].item != b[0].item
        ]

    @cached_property
    def fleeting(self) -> list[Reading]:
        """Items met for a single reading, with others on both sides: too short for this distance to be trusted."""
        return [run[0] for run in self.runs[1:-1] if len(run) == 1 and run[0].item]


def readings(entries: Iterable[Entry], question: Question) -> list[list[Reading]]:
    """Step by step: which item was seen in each frame. Speech counts only where no picture shows an item."""
    items = {item.lower() for item in understand(question).items}
    held = list(entries)
    for modality in (Modality.PICTURE, Modality.SPEECH):
        steps = []
        chosen = sorted((e for e in held if e.observation.modality is modality), key=lambda e: e.step)
        for _, group in groupby(chosen, key=lambda e: e.step):
            at: dict[float, str] = {}
            for entry in group:
                event = entry.observation.event.lower()
                times = [f.time for f in entry.observation.frames] or [entry.interval.middle]
                for time in times:
                    at[time] = at.get(time) or (event if event in items else "")
            steps.append([Reading(time, at[time]) for time in sorted(at)])
        if any(r.item for step in steps for r in step):
            return steps
    return []


def tracks(steps: Sequence[Sequence[Reading]]) -> list[Track]:
    """One track a look, those of like distance that touch or overlap joined; the finest first."""
    joined: list[Track] = []
    found = [Track(tuple(step)) for step in steps if len(step) > 1]
    found += strung([step[0] for step in steps if len(step) == 1])
    for one in sorted(found, key=lambda t: t.start):
        for n, other in enumerate(joined):
            like = max(one.spacing, other.spacing) < FINER * min(one.spacing, other.spacing)
            gap = max(one.start, other.start) - min(one.end, other.end)
            if like and gap <= FINER * max(one.spacing, other.spacing):
                merged = {r.time: r for r in (*other.readings, *one.readings)}
                joined[n] = Track(tuple(merged[time] for time in sorted(merged)))
                break
        else:
            joined.append(one)
    return sorted(joined, key=lambda t: t.spacing)


def strung(singles: Sequence[Reading]) -> list[Track]:
    """Single frames as tracks: those looked at one after the other, onwards in the video by about the same distance."""
    runs: list[list[Reading]] = []
    for one in singles:
        gap = one.time - runs[-1][-1].time if runs else 0.0
        last = runs[-1][-1].time - runs[-1][-2].time if runs and len(runs[-1]) > 1 else gap
        if gap > 0 and max(gap, last) < FINER * min(gap, last):
            runs[-1].append(one)
        else:
            runs.append([one])
    return [Track(tuple(run)) for run in runs]


def inside(track: Track, finer: Track, span: Interval) -> list[Reading]:
    """Readings of a clearly finer track strictly inside a span."""
    if finer.spacing * FINER > track.spacing:
        return []
    return [r for r in finer.readings if span.start < r.time < span.end]


def refuted(track: Track, every: Sequence[Track]) -> bool:
    """Whether a finer look found, between two neighbouring readings, something that neither of them shows."""
    return any(
        between.item and between.item not in (a.item, b.item)
        for a, b in pairwise(track.readings)
        for finer in every
        for between in inside(track, finer, Interval(a.time, b.time))
    )


def confirmed(change: Change, track: Track, every: Sequence[Track]) -> bool:
    """Whether a finer look went into the change (and, the track not being refuted, found nothing else)."""
    return any(inside(track, finer, change.span) for finer in every)


def sequence(text: str) -> list[str]:
    return [part.lower() for part in parts(text)]


def fits(change: Change, order: Sequence[str]) -> bool:
    """Whether an order allows the change: the next item, or round again from the last to the first."""
    if change.before not in order or change.after not in order:
        return True
    at, after = order.index(change.before), order.index(change.after)
    return after == (at + 1) % len(order)


def compatible(changes: Sequence[Change], question: Question, first: str = "") -> list[str]:
    """Labels of the choices that allow every change. Of choices that differ only in where they begin, the one that
    begins with `first` (the item met first) where there is one."""
    allowed = [c.label for c in question.choices if all(fits(change, sequence(c.text)) for change in changes)]
    orders = {c.label: sequence(c.text) for c in question.choices if c.label in allowed}
    begun = [label for label in allowed if orders[label][:1] == [first]]
    if len(begun) == 1 and all(_turned(orders[begun[0]]) == _turned(order) for order in orders.values()):
        return begun
    return allowed


def _turned(order: Sequence[str]) -> list[str]:
    """The order turned so that its alphabetically first item leads."""
    at = order.index(min(order)) if order else 0
    return [*order[at:], *order[:at]]


def met(every: Iterable[Track]) -> list[str]:
    """The items in the order in which they were first met."""
    held = sorted((r for t in every for r in t.readings), key=lambda r: r.time)
    return list(dict.fromkeys(r.item for r in held if r.item))


def scores(every: Sequence[Track], question: Question) -> dict[str, float]:
    """How far the changes seen speak for each choice: sure ones count `SURE`, others `UNSURE`, for or against.

    Refuted tracks count only when there is nothing else. The order in which items were first met decides between equals.
    """
    kept = [t for t in every if not refuted(t, every)] or list(every)
    tally: Counter[tuple[str, str, bool]] = Counter((c.before, c.after, c.sure) for t in kept for c in t.changes)
    nothing = Interval(0.0, 0.0)
    first = met(kept)
    found = {}
    for choice in question.choices:
        order = sequence(choice.text)
        total = sum(
            (SURE if sure else UNSURE) * count * (1 if fits(Change(before, after, nothing, sure), order) else -1)
            for (before, after, sure), count in tally.items()
        )
        seen = [item for item in first if item in order]
        found[choice.label] = total + (0.5 if len(seen) > 1 and seen == [i for i in order if i in seen] else 0.0)
    return found
