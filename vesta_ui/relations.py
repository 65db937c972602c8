"""What the ledger's entries say about each other: events, numbers, states, conflicts (VESTA §3.5, Algorithm 3 line 10).

Pure functions of a ledger, free of policy. Subjects are matched by their words, places by overlap; nothing here decides
what is shown or whether it suffices.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import pairwise, permutations

from vesta_ui.domain import Entry, Interval, Modality, ReferenceState, Relation, Status, merge
from vesta_ui.ledger import Ledger, examined, hypotheses, one_line, reference_states, same_place

JOIN_S = 1.0
"""Seconds between two descriptions of one occurrence that still count as one."""
SEPARATION_S = 20.0
"""Beyond this many seconds one look in between is enough to tell two occurrences apart (VESTA §B.1 uses the same)."""
TAKES_SIDES = 0.25
"""Least net stance weight that can put an observation in conflict with another."""
ALIKE = 2 / 3
"""Share of words two names of one thing have in common."""

_UNITS = (
    "number euro dollar pound cent pence yen usd eur gbp year month week day hour minute second h hr min sec s ms am pm "
    "clock o metre meter kilometre kilometer centimetre centimeter mile foot feet inch m km cm mm ft kilo kilogram gram "
    "kg g lb litre liter l ml percent per degree celsius fahrenheit c f"
)
"""What a number may be measured in; such a word alone does not say what was counted."""
_EMPTY = frozenset(["a", "an", "the", "of", "in", "on", "at", "to", "is", "are", "was", "were", "and", "his", "her", "its", "their"])  # fmt: skip


# ------------------------------------------------------------------------------------------------ events
@dataclass(frozen=True, slots=True)
class Occurrence:
    """One happening: the entries that describe it. `apart` is False when it may be the same as the one before it."""

    name: str
    interval: Interval
    entries: tuple[Entry, ...]
    apart: bool


@dataclass(frozen=True, slots=True)
class Count:
    """How often something happened, between `least` and `most`."""

    name: str
    least: int
    most: int
    entry_ids: tuple[str, ...]


def occurrences(ledger: Ledger) -> tuple[tuple[Occurrence, ...], ...]:
    """Occurrences of every kind of event, in time order. Two neighbouring descriptions of a kind are

    - a *duplicate description* of one occurrence if they share the place (overlap ≥ half of the shorter);
    - the *same occurrence*, going on, if they overlap less, or lie at most `JOIN_S` apart;
    - *independent* if the stretch between them was examined in the later one's modality and the event not reported
      there: anywhere in a stretch longer than `SEPARATION_S`, at least half of a shorter one;
    - *unresolved* otherwise: nobody looked whether it went on in between.
    """
    looks = {
        modality: merge(examined(e) for e in ledger.entries if e.observation.modality is modality)
        for modality in Modality
    }
    return tuple(_occurrences(entries, looks) for entries in _kinds(ledger.entries, lambda e: e.observation.event))


def _occurrences(entries: Sequence[Entry], looks: Mapping[Modality, Sequence[Interval]]) -> tuple[Occurrence, ...]:
    found: list[Occurrence] = []
    for entry in sorted(entries, key=lambda e: (e.interval, e.step)):
        last = found[-1] if found else None
        if last is not None and last.interval.gap(entry.interval) <= JOIN_S:
            span = Interval(last.interval.start, max(last.interval.end, entry.interval.end))
            found[-1] = Occurrence(last.name, span, (*last.entries, entry), last.apart)
        else:
            apart = last is None or _told_apart(looks[entry.observation.modality], last.interval, entry.interval)
            found.append(Occurrence(entry.observation.event, entry.interval, (entry,), apart))
    return tuple(found)


def _told_apart(looks: Sequence[Interval], before: Interval, after: Interval) -> bool:
    between = Interval(before.end, after.start)
    if between.length > SEPARATION_S:
        return any(i.overlap(between) >= JOIN_S or between.start < i.middle < between.end for i in looks)
    return sum(i.overlap(between) for i in looks) >= between.length / 2


def events(ledger: Ledger) -> tuple[Relation, ...]:
    """One relation an occurrence (*independent* or *unresolved*), and one for each that was described more than once
    at the same place (*duplicate*). Rule: `occurrences`."""
    relations = []
    for kind in occurrences(ledger):
        for number, one in enumerate(kind, 1):
            where = f"{one.name}: occurrence {number} of {len(kind)} at {one.interval}"
            status = "independent" if one.apart else "unresolved"
            doubt = "" if one.apart else ", perhaps the one before going on (the time between was not examined)"
            relations.append(_relation("event", where + doubt, one.entries, status))
            twice = [
                e for e in one.entries if any(e is not o and same_place(e.interval, o.interval) for o in one.entries)
            ]
            if twice:
                text = f"{one.name}: {len(twice)} descriptions of one occurrence at {one.interval}"
                relations.append(_relation("event", text, twice, "duplicate"))
    return tuple(relations)


def counts(ledger: Ledger) -> tuple[Count, ...]:
    """How often each kind of event happened: at least the independent ones, at most with the unresolved ones."""
    return tuple(
        Count(kind[0].name, sum(o.apart for o in kind), len(kind), tuple(e.id for o in kind for e in o.entries))
        for kind in occurrences(ledger)
    )


# ------------------------------------------------------------------------------------------------ numbers and states
def numbers(ledger: Ledger) -> tuple[Relation, ...]:
    """Readings of each quantity in time order; equal ones at one place are one cluster (*repeated*, else *single*)."""
    relations = []
    for readings in _kinds((e for e in ledger.entries if e.observation.number is not None), _quantity):
        for cluster in _clusters(readings, lambda e: e.observation.number):
            text = f"{_quantity(cluster[0])} = {cluster[0].observation.number:g} at {_span(cluster)}"
            if len(cluster) > 1:
                text += f", read {len(cluster)} times"
            relations.append(_relation("number", text, cluster, "repeated" if len(cluster) > 1 else "single"))
    return tuple(relations)


def states(ledger: Ledger) -> tuple[Relation, ...]:
    """What each thing was and became, in time order: a *transition* wherever the value changes, else *constant*.

    Two values for one place are a conflict (`conflicts`), not a change.
    """
    relations = []
    for told in _kinds((e for e in ledger.entries if ":" in e.observation.state), _thing):
        runs = _runs(told, _value)
        if len(runs) == 1:
            text = f"{_thing(told[0])}: {_shown_value(runs[0][0])} at {_span(runs[0])}"
            relations.append(_relation("state", text, runs[0], "constant"))
        for before, after in pairwise(runs):
            if same_place(before[-1].interval, after[0].interval):
                continue
            text = (
                f"{_thing(told[0])}: {_shown_value(before[0])} → {_shown_value(after[0])}, "
                f"{_span(before)} then {_span(after)}"
            )
            relations.append(_relation("state", text, (*before, *after), "transition"))
    return tuple(relations)


def _quantity(entry: Entry) -> str:
    return entry.observation.number_of or entry.query or "number"


def _thing(entry: Entry) -> str:
    return entry.observation.state.split(":", 1)[0].strip()


def _shown_value(entry: Entry) -> str:
    return entry.observation.state.split(":", 1)[1].strip()


def _value(entry: Entry) -> str:
    return _shown_value(entry).casefold()


def _clusters(entries: Sequence[Entry], value: Callable[[Entry], object]) -> list[list[Entry]]:
    """Entries of one value that join in time (gap ≤ `JOIN_S`), by their start."""
    clusters: list[list[Entry]] = []
    for entry in sorted(entries, key=lambda e: (e.interval, e.step)):
        for cluster in clusters:
            if value(cluster[0]) == value(entry) and _hull(cluster).gap(entry.interval) <= JOIN_S:
                cluster.append(entry)
                break
        else:
            clusters.append([entry])
    return clusters


def _runs(entries: Sequence[Entry], value: Callable[[Entry], object]) -> list[list[Entry]]:
    """Entries in time order, cut where the value changes."""
    runs: list[list[Entry]] = []
    for entry in sorted(entries, key=lambda e: (e.interval.middle, e.step)):
        if runs and value(runs[-1][-1]) == value(entry):
            runs[-1].append(entry)
        else:
            runs.append([entry])
    return runs


# ------------------------------------------------------------------------------------------------ conflicts
def conflicts(ledger: Ledger) -> tuple[Relation, ...]:
    """What disagrees about one place: numbers of one quantity, states of one thing, verdicts on one query, support and
    refutation of one choice. *resolved* when every later look at the place says the same and one side had said so;
    else *open*. Two equal readings never conflict; different readings at different places are a sequence, not a conflict.

    A quantity is what `number_of` says was counted; a mere unit ("euro", "hour") names none. Numbers that one look read
    at a place (a price list, opening hours) stand beside each other there and are nobody's rivals.
    """
    found: list[Relation] = []
    numbered = [e for e in ledger.entries if e.observation.number is not None and _names(e.observation.number_of)]
    for kind in _kinds(numbered, _quantity):
        found += _disagreements(_sole(kind), _quantity(kind[0]), lambda e: f"{e.observation.number:g}")
    for kind in _kinds((e for e in ledger.entries if ":" in e.observation.state), _thing):
        found += _disagreements(kind, _thing(kind[0]), _value)
    judged = [e for e in ledger.entries if e.observation.verdict is not None and e.query]
    for query in dict.fromkeys(e.query.casefold() for e in judged):
        asked = [e for e in judged if e.query.casefold() == query]
        found += _disagreements(_one_a_step(asked), asked[0].query, lambda e: "yes" if e.observation.verdict else "no")
    for label in ledger.choices:
        taken = [e for e in ledger.entries if abs(_net(e, label)) >= TAKES_SIDES]
        found += _disagreements(taken, f"choice {label}", partial(_side, label=label))
    return tuple(found)


def _names(quantity: str) -> bool:
    return bool(words(quantity) - words(_UNITS))


def _sole(readings: Sequence[Entry]) -> list[Entry]:
    """The readings that are the only number their look gave of this quantity at their place."""
    return [
        e
        for e in readings
        if not any(
            o.step == e.step and o.observation.number != e.observation.number and same_place(o.interval, e.interval)
            for o in readings
        )
    ]


def _one_a_step(judged: Sequence[Entry]) -> list[Entry]:
    """Without the False verdicts of a look that also said True there: it found the thing among others."""
    yes = [e for e in judged if e.observation.verdict]
    return [
        e
        for e in judged
        if e.observation.verdict or not any(y.step == e.step and same_place(y.interval, e.interval) for y in yes)
    ]


def _net(entry: Entry, label: str) -> float:
    return sum(s.weight if s.supports else -s.weight for s in entry.observation.stances if s.label == label)


def _side(entry: Entry, label: str) -> str:
    return "supported" if _net(entry, label) > 0 else "refuted"


def _disagreements(entries: Sequence[Entry], subject: str, value: Callable[[Entry], str]) -> list[Relation]:
    """One conflict for each two entries that differ about a place, with every other look at that place taken in."""
    groups: list[list[Entry]] = []
    together: set[tuple[str, str]] = set()
    said = {e.id: value(e) for e in entries}
    for one, other in _meeting(entries):
        if said[one.id] == said[other.id] or (one.id, other.id) in together:
            continue
        looks = [e for e in entries if same_place(e.interval, one.interval) and same_place(e.interval, other.interval)]
        groups.append(sorted(looks, key=lambda e: e.step))
        together |= set(permutations([e.id for e in looks], 2))
    return [_conflict(group, subject, value) for group in groups]


def _meeting(entries: Sequence[Entry]) -> Iterator[tuple[Entry, Entry]]:
    """Every two entries about one place, by time."""
    ordered = sorted(entries, key=lambda e: (e.interval.start, e.step))
    for n, one in enumerate(ordered):
        for other in ordered[n + 1 :]:
            if other.interval.start > one.interval.end:
                break
            if same_place(one.interval, other.interval):
                yield one, other


def _conflict(group: Sequence[Entry], subject: str, value: Callable[[Entry], str]) -> Relation:
    sides: dict[str, list[str]] = {}
    arose = 0
    for entry in group:
        if value(entry) not in sides and len(sides) == 1:
            arose = entry.step
        sides.setdefault(value(entry), []).append(entry.id)
    later = [e for e in group if e.step > arose]
    earlier = {value(e) for e in group if e.step <= arose}
    final = {value(e) for e in later}
    text = f"{subject} at {_span(group)}: " + " against ".join(f"{v} ({', '.join(ids)})" for v, ids in sides.items())
    if len(final) == 1 and final <= earlier:
        text += f"; resolved at step {later[0].step} as {final.pop()}"
        return _relation("conflict", text, group, "resolved")
    return _relation("conflict", text, group, "open")


# ------------------------------------------------------------------------------------------------ outcomes as relations
def verifications(ledger: Ledger, states: Iterable[ReferenceState] | None = None) -> tuple[Relation, ...]:
    """One relation for each reference that was looked at: its outcome and the way to it."""
    return tuple(
        Relation(
            "verification",
            f"{s.reference.id} {' → '.join(f'{status.value} (step {step})' for step, status in s.history)}",
            (),
            s.reference.start,
            s.reference.end,
            s.status.value,
        )
        for s in (reference_states(ledger) if states is None else states)
        if s.status is not Status.UNVERIFIED
    )


def standings(ledger: Ledger) -> tuple[Relation, ...]:
    """One relation for each choice with evidence: *supported*, *refuted* or *contested*."""
    relations = []
    by_id = {e.id: e for e in ledger.entries}
    for row in hypotheses(ledger):
        if row.entry_ids:
            status = "contested" if row.support and row.refutation else "supported" if row.support else "refuted"
            text = f"{row.label}: for {row.support:.2f}, against {row.refutation:.2f}"
            relations.append(_relation("hypothesis", text, [by_id[id] for id in row.entry_ids], status))
    return tuple(relations)


# ------------------------------------------------------------------------------------------------ sameness
@lru_cache(maxsize=4_096)
def words(text: str) -> frozenset[str]:
    """The words that tell one name from another: lower case, without articles and plural or verb endings."""
    found = re.findall(r"\w+", text.casefold())
    return frozenset(re.sub(r"(?<=\w{3})(?:ing|ed|e?s|e)$", "", w).rstrip("e") or w for w in found if w not in _EMPTY)


def alike(a: str, b: str) -> bool:
    """Whether two names mean one thing: at least `ALIKE` of their words are shared and all their numbers."""
    left, right = words(a), words(b)
    if not left or not right:
        return one_line(a).casefold() == one_line(b).casefold()
    if {w for w in left if w.isdigit()} != {w for w in right if w.isdigit()}:
        return False
    return len(left & right) >= ALIKE * len(left | right)


def _kinds(entries: Iterable[Entry], name: Callable[[Entry], str]) -> list[list[Entry]]:
    """Entries sorted by what they are about: each joins the first kind whose first name is like its own."""
    kinds: list[list[Entry]] = []
    for entry in entries:
        if name(entry):
            kind = next((k for k in kinds if alike(name(k[0]), name(entry))), None)
            kind.append(entry) if kind is not None else kinds.append([entry])
    return kinds


def _hull(entries: Sequence[Entry]) -> Interval:
    return Interval(min(e.interval.start for e in entries), max(e.interval.end for e in entries))


def _span(entries: Sequence[Entry]) -> str:
    return str(_hull(entries))


def _relation(kind: str, text: str, entries: Sequence[Entry], status: str) -> Relation:
    hull = _hull(entries)
    return Relation(kind, text, tuple(e.id for e in entries), hull.start, hull.end, status)
