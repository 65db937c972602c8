"""Everything observed so far, taken from H_t: shown ledger entries, and from tool memory what the ledger view left out.

Knows the line form of tool memory (`mm:ss.d–mm:ss.d content`), nothing of the video.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from vesta_ui.domain import Interval, MemoryItem, Modality, merge
from vesta_ui.roles import Context

_TIME = r"(?:(\d+):)?(\d+):(\d+(?:\.\d+)?)"
_LINE = re.compile(rf"^{_TIME}–{_TIME} (.*?)(?: \[(?:yes|no|confidence)(?: [\d.]+)?\])?$")
_SIGN = re.compile(r"reads “([^”]*)”")
PERCEIVING = ("inspect", "clip", "speech")


@dataclass(frozen=True, slots=True)
class Fact:
    """One observation as the engine reasons over it. `id` is its ledger entry; empty when not known."""

    id: str
    interval: Interval
    modality: Modality
    content: str
    text: str = ""
    verdict: bool | None = None
    calls: frozenset[tuple[int, str]] = frozenset()
    """(step, operation) of each call that observed it."""

    @property
    def closely(self) -> bool:
        """Whether a targeted look at one clip observed it."""
        return any(operation == "clip" for _, operation in self.calls)

    @property
    def words(self) -> str:
        """What may be compared with words: the sentence said, or all that was perceived in the picture."""
        if self.modality is Modality.SPEECH:
            return self.content.strip("“”")
        return self.content if not self.text or self.text in self.content else f"{self.content}; {self.text}"


def facts_of(context: Context) -> list[Fact]:
    """In time order, without repetitions of the same observation."""
    found: dict[tuple[Modality, str, int], Fact] = {}
    shown = {e.id: e for e in context.snapshot.entries} if context.snapshot else {}
    for entry in shown.values():
        o = entry.observation
        calls = frozenset({(entry.step, entry.operation)})
        _keep(found, Fact(entry.id, o.interval, o.modality, o.content, o.text, o.verdict, calls))
    for item in context.memory:
        if item.operation in PERCEIVING and not (item.entry_ids and set(item.entry_ids) <= set(shown)):
            for fact in _remembered(item):
                _keep(found, fact)
    return sorted(found.values(), key=lambda f: (f.interval.start, f.interval.end))


def _keep(found: dict[tuple[Modality, str, int], Fact], fact: Fact) -> None:
    key = (fact.modality, fact.content, round(fact.interval.start))
    known = found.get(key)
    found[key] = replace(known, calls=known.calls | fact.calls) if known else fact


def _remembered(item: MemoryItem) -> list[Fact]:
    matches = [m for m in map(_LINE.match, item.output.splitlines()) if m]
    ids = item.entry_ids if len(item.entry_ids) == len(matches) else ("",) * len(matches)
    modality = Modality.SPEECH if item.operation == "speech" else Modality.PICTURE
    calls = frozenset({(item.step, item.operation)})
    facts = []
    for name, m in zip(ids, matches, strict=True):
        start, end, said = _seconds(m.groups()[:3]), _seconds(m.groups()[3:6]), m[7]
        text = " / ".join(_SIGN.findall(said)) if modality is Modality.PICTURE else ""
        facts.append(Fact(name, Interval(start, max(start, end)), modality, said, text, calls=calls))
    return facts


def _seconds(clock: tuple[str | None, ...]) -> float:
    hours, minutes, seconds = clock
    return int(hours or 0) * 3600 + int(minutes or 0) * 60 + float(seconds or 0)


def covered(context: Context, *operations: str, thinnest_s: float = float("inf")) -> tuple[Interval, ...]:
    """Union of the intervals already given to these operations, from tool memory. Calls over more than `thinnest_s`
    seconds in all are left out."""
    spans: list[Interval] = []
    for item in context.memory:
        if item.operation in operations and not item.error:
            given = item.arguments.get("intervals") or [item.arguments.get("interval")]
            here = [Interval(float(s[0]), float(s[1])) for s in given if s and float(s[1]) > float(s[0])]
            spans += here if sum(i.length for i in here) <= thinnest_s else []
    return merge(spans, within=0.5)


def missing(wanted: list[Interval], done: tuple[Interval, ...], least_s: float = 1.0) -> list[Interval]:
    """The parts of `wanted` that `done` does not cover, leaving out slivers under `least_s` seconds."""
    left: list[Interval] = []
    for one in merge(wanted):
        start = one.start
        for other in done:
            if other.overlap(one) > 0:
                if other.start - start >= least_s:
                    left.append(Interval(start, other.start))
                start = max(start, other.end)
        if one.end - start >= least_s:
            left.append(Interval(start, one.end))
    return left


def narrow(interval: Interval, longest_s: float) -> Interval:
    """The middle of an interval: an observation's middle is where it was looked at."""
    half = min(interval.length, longest_s) / 2
    return Interval(interval.middle - half, interval.middle + half)


def pieces(interval: Interval, longest_s: float) -> list[Interval]:
    """An interval in equal parts, none longer than `longest_s`."""
    count = max(1, -int(-interval.length // longest_s))
    part = interval.length / count
    return [Interval(interval.start + n * part, interval.start + (n + 1) * part) for n in range(count)]
