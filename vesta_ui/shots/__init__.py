"""Cuts and scenes: one pass over the picture gives PySceneDetect's cuts, 5–60 s scenes and their representative stills.

Every picture is decoded once, by as many threads as there are cores; nothing is sought again. A pass can keep its
finished parts in a folder and go on from there after a crash. Knows no index, no sound and no model.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scenedetect import ContentDetector, FrameTimecode

from vesta_ui.control import Control
from vesta_ui.domain import Interval, Notice, listed
from vesta_ui.errors import BadVideo
from vesta_ui.frames import encode_jpeg
from vesta_ui.shots.parts import STILL_SIDE
from vesta_ui.shots.passes import read_parts, read_range
from vesta_ui.shots.spool import Place, Spool
from vesta_ui.video import Video

THRESHOLD = 27.0


@dataclass(frozen=True, slots=True)
class Shot:
    """A scene: `[start, end)` seconds; `[start_frame, end_frame)` ordinals, from the picture shown as it begins to the one
    shown as the next begins (none when one picture stays for several scenes)."""

    start: float
    end: float
    start_frame: int
    end_frame: int


@dataclass(frozen=True, slots=True)
class Still:
    """A representative picture. `time` lies in its scene. The JPEG is read from where the pass put it."""

    time: float
    frame: int
    width: int
    height: int
    spool: Spool
    place: tuple[int, int]

    @property
    def jpeg(self) -> bytes:
        return self.spool.read(*self.place)


@dataclass(frozen=True, slots=True)
class ScenePass:
    """What a pass found. `stills` is aligned with `shots`, at least one each. `cuts`: PySceneDetect's, before scenes
    are brought to length, seconds."""

    shots: tuple[Shot, ...]
    stills: tuple[tuple[Still, ...], ...]
    cuts: tuple[float, ...]
    notices: tuple[Notice, ...]


class _Scored(ContentDetector):  # type: ignore[misc]
    """PySceneDetect's detector, with its threshold and flash filter, fed with scores instead of pictures."""

    next_score = 0.0

    def _calculate_frame_score(self, timecode: FrameTimecode, frame_img: NDArray[np.uint8]) -> float:
        return self.next_score


def find_cuts(
    frames: Sequence[int], scores: Sequence[float] | NDArray[np.float32], threshold: float, fps: float
) -> list[int]:
    """Ordinals of the pictures that begin a new scene, by PySceneDetect's ContentDetector with its defaults.

    `frames`: rising ordinals; `scores`: aligned, the difference from the picture before."""
    detector = _Scored(threshold=threshold)
    empty = np.empty(0, np.uint8)
    cuts: list[int] = []
    for frame, score in zip(frames, scores, strict=True):
        detector.next_score = float(score)
        cuts += [cut.frame_num for cut in detector.process_frame(FrameTimecode(int(frame), fps), empty)]
    return sorted(set(cuts) - {int(frames[0])}) if len(frames) else []


def scene_pass(
    video: Video,
    threshold: float = THRESHOLD,
    min_s: float = 5.0,
    max_s: float = 60.0,
    stills_per_scene: int = 4,
    fast: bool = False,
    progress: Callable[[float], None] | None = None,
    control: Control | None = None,
    keep: Path | None = None,
) -> ScenePass:
    """One pass over the whole picture (VESTA §3.3: ContentDetector at 27.0, scenes of 5 to 60 s, ≤ 4 stills each).

    `fast`: skip groups of pictures that cannot hold a cut, compare the others roughly; fewer stills a scene. `progress` is told a share in [0, 1]. `keep`: a folder for
    finished parts; a later call with the same folder goes on from them. Raises `BadVideo` when nothing decodes and
    `Stopped` when asked to.
    """
    parts, spool = read_parts(video, threshold, fast, progress, control, keep)
    timeline, scores = video.timeline, np.zeros(len(video.timeline.ticks), np.float32)
    if not any(part.stills for part in parts):
        raise BadVideo(f"no picture of {video.facts.name} could be decoded; convert it to MP4 and try again")
    for part in parts:
        scores[np.maximum(0, np.searchsorted(timeline.ticks, part.ticks, "right") - 1)] = part.scores
    cuts = [
        timeline.seconds(int(timeline.ticks[f])) for f in find_cuts(range(len(scores)), scores, threshold, fps(video))
    ]
    shots = tuple(_shot(video, a, b) for a, b in tile(cuts, video.facts.duration_s, min_s, max_s))
    candidates = [(timeline.seconds(tick), tick, place) for part in parts for tick, place in part.stills]
    if fast:
        candidates = sorted([*candidates, *_missing(video, shots, candidates, spool)])
    stills = tuple(_choose(video, shot, candidates, spool, stills_per_scene) for shot in shots)
    return ScenePass(
        shots,
        stills,
        tuple(cuts),
        _damage_notices(video.damaged(t for part in parts for t in part.damage)),
    )


def fps(video: Video) -> float:
    """The average rate, kept away from zero: PySceneDetect needs one though nothing here is computed from it."""
    return max(video.facts.fps, 0.01)


def tile(cuts: Sequence[float], duration: float, min_s: float, max_s: float) -> list[tuple[float, float]]:
    """Spans that tile `[0, duration)`: one shorter than `min_s` is merged into the next (the last into the one before),
    one longer than `max_s` split evenly. A video shorter than `min_s` is one span."""
    edges = [0.0]
    for cut in sorted(cuts):
        if cut - edges[-1] >= min_s and duration - cut > 0:
            edges.append(cut)
    if len(edges) > 1 and duration - edges[-1] < min_s:
        edges.pop()
    spans: list[tuple[float, float]] = []
    for start, end in pairwise([*edges, duration]):
        pieces = max(1, math.ceil((end - start) / max_s - 1e-9))
        marks = [start + (end - start) * i / pieces for i in range(pieces)]
        spans += pairwise([*marks, end])
    return spans


def _shot(video: Video, start: float, end: float) -> Shot:
    timeline = video.timeline
    first = timeline.ordinal(timeline.shown_at(start))
    last = len(timeline.ticks) if end >= video.facts.duration_s else timeline.ordinal(timeline.shown_at(end))
    return Shot(start, end, first, last)


def _missing(
    video: Video, shots: Sequence[Shot], candidates: Sequence[tuple[float, int, Place]], spool: Spool
) -> list[tuple[float, int, Place]]:
    """A still from the middle of each scene that has no key picture."""
    times = [time for time, _, _ in candidates]
    bare = [s for s in shots if bisect_left(times, s.start - 1e-9) == bisect_left(times, s.end - 1e-9)]
    pictures = video.frames_at([(s.start + s.end) / 2 for s in bare], STILL_SIDE)
    made = []
    for picture in pictures:
        data, width, height = encode_jpeg(picture.image)
        made.append((picture.time, int(video.timeline.ticks[picture.frame]), (*spool.add(data), width, height)))
    return made


def _choose(
    video: Video, shot: Shot, candidates: Sequence[tuple[float, int, Place]], spool: Spool, count: int
) -> tuple[Still, ...]:
    """Up to `count` stills nearest to the middles of equal pieces of the scene; else the picture shown as it begins."""
    first = bisect_left(candidates, shot.start - 1e-9, key=lambda c: c[0])
    last = bisect_left(candidates, shot.end - 1e-9, key=lambda c: c[0])
    inside = candidates[first:last] or [candidates[max(0, first - 1)]]
    wanted = [shot.start + (i + 0.5) * (shot.end - shot.start) / count for i in range(count)]
    chosen = sorted({min(inside, key=lambda c: abs(c[0] - w)) for w in wanted})
    return tuple(
        Still(max(time, shot.start), video.timeline.ordinal(tick), width, height, spool, (offset, length))
        for time, tick, (offset, length, width, height) in chosen
    )


def _damage_notices(spans: Sequence[Interval]) -> tuple[Notice, ...]:
    if not spans:
        return ()
    return (Notice("damaged-span", f"The picture is damaged at {listed(spans)}; what decodes there is used."),)


def ladder(
    video: Video,
    interval: Interval,
    target: int,
    thresholds: Sequence[float],
    control: Control | None = None,
) -> tuple[float, ...]:
    """Cuts inside an interval, the threshold lowered step by step until there are at least `target` scenes (SAVE §3).

    `thresholds` are tried in the order given, over one decoding. Returns cut times in seconds, those of the last
    threshold when the target is never reached.
    """
    if not thresholds:
        return ()
    frames, scores, times = read_range(video, interval, tuple(thresholds), control)
    cuts: list[int] = []
    for threshold in thresholds:
        cuts = find_cuts(frames, scores, threshold, fps(video))
        if len(cuts) + 1 >= target:
            break
    by_frame = dict(zip(frames, times, strict=True))
    return tuple(by_frame[c] for c in cuts)
