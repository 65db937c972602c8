"""Which frames an operation looks at: times spread over intervals within a budget, and their receipts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from vesta_ui.domain import Frame, Interval, Notice, Observation
from vesta_ui.operations import Workspace
from vesta_ui.roles import Look

DENSEST_S = 0.2
"""Frames closer than this show the same thing; a short interval gets no more."""


def spread(intervals: Sequence[Interval], budget: int, densest_s: float = DENSEST_S) -> list[float]:
    """At most `budget` times: every interval gets one, the rest goes by length, each at the middle of an equal part.

    More intervals than the budget: the first `budget` intervals get one each.
    """
    intervals = list(intervals)[: max(1, budget)]
    total = sum(one.length for one in intervals) or 1.0
    times: list[float] = []
    left = budget - len(intervals)
    for one in intervals:
        wanted = 1 + int(left * one.length / total)
        count = max(1, min(wanted, round(one.length / densest_s) or 1))
        part = one.length / count
        times += [one.start + part * (n + 0.5) for n in range(count)]
    return times


def look(
    intervals: Sequence[Interval], most: int, workspace: Workspace, fewest_apart_s: float = DENSEST_S
) -> tuple[list[Look], tuple[Frame, ...], list[Notice]]:
    """Frames of the intervals with their receipts. `most` is the paper's limit; the observer may take fewer."""
    budget = min(most, workspace.observer.max_frames)
    times = spread(intervals, budget, fewest_apart_s)
    notices = []
    if len(intervals) > budget:
        notices.append(
            Notice("intervals-left-out", f"only the first {budget} of {len(intervals)} intervals were looked at")
        )
    looks: list[Look] = []
    frames: list[Frame] = []
    for picture in workspace.video.frames_at(times, max_side=1280):
        workspace.control.check()
        frame = workspace.frames.add(picture.image, picture.time)
        frames.append(frame)
        looks.append(Look(picture.time, picture.image, frame.sha256))
    return looks, tuple(frames), notices


def density(intervals: Sequence[Interval], count: int) -> str:
    """For example "12 frames, 1 per 0.5 s"."""
    seconds = sum(one.length for one in intervals)
    return f"{count} frame{'s' if count != 1 else ''}, 1 per {seconds / count:.1f} s" if count else "no frame"


def examined(observations: Sequence[Observation], intervals: Sequence[Interval]) -> tuple[Observation, ...]:
    """The observations, each saying which whole interval was looked at; coverage counts that."""

    def of(one: Observation) -> Observation:
        if one.examined is not None:
            return one
        return replace(one, examined=max(intervals, key=lambda i: (i.overlap(one.interval), -i.gap(one.interval))))

    return tuple(of(one) for one in observations)
