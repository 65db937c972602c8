"""Seconds and half-open intervals on the one clock."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass


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


def listed(spans: Sequence[Interval]) -> str:
    """The first five spans, for people, and whether there are more."""
    return ", ".join(map(str, spans[:5])) + (" and more" if len(spans) > 5 else "")


def clock(seconds: float) -> str:
    """`mm:ss.d`, or `h:mm:ss.d` from an hour up. For people; machines read the seconds."""
    tenths = round(seconds * 10)
    hours, rest = divmod(tenths, 36_000)
    minutes, tenths = divmod(rest, 600)
    text = f"{minutes:02d}:{tenths // 10:02d}.{tenths % 10}"
    return f"{hours}:{text}" if hours else text
