"""QueryRange (SAVE §3.3, A.2): the middle frames of the scenes in a range, as coarse or fine as the range is long."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from itertools import pairwise

from pydantic import Field

from vesta_ui import shots
from vesta_ui.domain import Interval
from vesta_ui.exploration import Query
from vesta_ui.operations import Workspace
from vesta_ui.operations.arguments import Arguments
from vesta_ui.roles.forms import Seconds

MOST_FRAMES = 40
"""K."""
REMEMBERED = 64
HIGH_UP_TO_S = 10.0
"""δ: ranges up to this are shown in high resolution."""


@dataclass(frozen=True, slots=True)
class Grain:
    """For ranges up to `upto_s`: how many scenes are wanted, and the thresholds tried for them, highest first."""

    upto_s: float
    target: int
    thresholds: tuple[float, ...]


GRAINS = (
    Grain(10.0, 6, (12, 10, 8, 6)),
    Grain(60.0, 12, (20, 18, 16, 14, 12, 10)),
    Grain(480.0, 25, (30, 25, 20, 18, 16, 14, 12)),
    Grain(float("inf"), 6, (40, 35, 30, 25, 20, 16, 12, 10)),
)


class QueryRangeArguments(Arguments):
    start_s: Seconds = Field(description="start of the range in seconds")
    end_s: Seconds = Field(description="end of the range in seconds")


QUERY_RANGE = Query(
    "query_range",
    QueryRangeArguments,
    "Look at a range of the video: frames chosen from it (not every frame), each with the words said around it. "
    "The shorter the range, the denser the frames; up to 10 s they come in high resolution.",
)


def grain(length_s: float) -> Grain:
    return next(one for one in GRAINS if length_s <= one.upto_s)


def times(span: Interval, workspace: Workspace) -> tuple[list[float], str]:
    """At most `MOST_FRAMES` times inside a range, and how they were found."""
    wanted = grain(span.length)
    cuts = _cuts(span, wanted, workspace)
    edges = [span.start, *(cut for cut in cuts if span.start < cut < span.end), span.end]
    scenes = [Interval(a, b) for a, b in pairwise(edges)] if len(edges) > 2 else []
    middles = [scene.middle for scene in thinned(scenes, MOST_FRAMES)]
    how = f"{len(scenes)} scenes" if scenes else "no scene change, evenly spread"
    return filled(middles, span, wanted.target), how


_known: OrderedDict[tuple[str, Interval, Grain], tuple[float, ...]] = OrderedDict()


def _cuts(span: Interval, wanted: Grain, workspace: Workspace) -> tuple[float, ...]:
    """Scene changes in a range. Every run on a video begins with the same one, so the newest answers are remembered."""
    key = workspace.video.facts.sha256, span, wanted
    found = _known.get(key)
    if found is None:
        found = shots.ladder(workspace.video, span, wanted.target, wanted.thresholds, workspace.control)
        while len(_known) >= REMEMBERED:
            _known.popitem(last=False)
        _known[key] = found
    return found


def uniform(span: Interval, count: int) -> list[float]:
    """The middles of `count` equal parts."""
    part = span.length / count
    return [span.start + part * (n + 0.5) for n in range(count)]


def filled(middles: list[float], span: Interval, target: int) -> list[float]:
    """Scene middles, supplemented to `target` by evenly spread times: those farthest from every time already there."""
    chosen = list(middles)
    spare = uniform(span, target)
    while len(chosen) < target and spare:
        best = max(spare, key=lambda t: min((abs(t - other) for other in chosen), default=span.length))
        spare.remove(best)
        chosen.append(best)
    return sorted(chosen)


def thinned(scenes: list[Interval], most: int) -> list[Interval]:
    """At most `most` of the scenes, evenly."""
    if len(scenes) <= most:
        return scenes
    return [scenes[round(n * (len(scenes) - 1) / (most - 1))] for n in range(most)]
