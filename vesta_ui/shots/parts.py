"""One part of a pass: how much each picture differs from the one before, and candidate stills. Belongs to one thread.

A whole part decodes every picture. A fast part looks at key pictures and packet sizes first, and decodes only where a cut
may be; its stills are key pictures. Knows no scene.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import av
import numpy as np

from vesta_ui.control import Control
from vesta_ui.errors import Stopped
from vesta_ui.frames import encode_jpeg
from vesta_ui.shots.scores import Scorer, distance
from vesta_ui.shots.spool import Part, Place, Spool
from vesta_ui.video import Video
from vesta_ui.video.decode import Reader
from vesta_ui.video.picture import Image

STILL_SIDE = 512
QUIET = 10.0  # fast: key pictures that differ less have no cut between them …
SPIKE = 0.25  # … unless a picture between them is this large, measured by its key picture
TAIL = 10  # fast: pictures before a key picture or a large one that are all decoded, as encoders put these at cuts
GUARD = 6.0  # fast: a rough difference this near to the threshold is looked at closer; largest error seen there 2.4
BUSY = 12  # fast: a group with more large pictures than this is decoded whole at once


@dataclass(frozen=True, slots=True)
class Span:
    """The ticks a part owns, `[start, end)`; None: from the beginning, to the end of the file."""

    start: int | None
    end: int | None


@dataclass
class Job:
    """What the threads of one pass share."""

    video: Video
    threshold: float
    fast: bool
    spool: Spool
    control: Control
    threads: int
    done: int = 0
    failed: bool = False

    def check(self) -> None:
        """Raises `Stopped` when the user asked to stop, or another thread of the pass failed."""
        self.control.check()
        if self.failed:
            raise Stopped("another part of the pass failed")


class Readers:
    """The readers of one thread: an exact one, and a rough one opened when it is first needed. Only H.264 is read faster
    without its filter; the pictures of other codecs stay good enough to look at."""

    def __init__(self, job: Job) -> None:
        self.exact, self._job = Reader(job.video.source, job.threads), job
        self._rough: Reader | None = None

    @property
    def rough(self) -> Reader:
        if self._job.video.facts.codec != "h264":
            return self.exact
        if self._rough is None:
            self._rough = Reader(self._job.video.source, rough=True)
        return self._rough

    def close(self) -> None:
        self.exact.close()
        if self._rough is not None:
            self._rough.close()


def read_part(job: Job, readers: Readers, span: Span) -> Part:
    """Decode one part. Raises `Stopped`, `StorageFailed`."""
    reader = readers.exact
    reader.damage.ticks.clear()
    found = _Found(job, reader)
    keys = _keys(job.video, span) if job.fast else []
    if len(keys) > 1:
        _fast(job, readers, keys, span, found)
    else:
        _whole(job, reader, span, found)
    return found.part()


class _Found:
    """What one part collects. Stills: every 1.25 s after a cut, later every 2 s, then every 4 s."""

    def __init__(self, job: Job, reader: Reader) -> None:
        self._job, self._reader = job, reader
        self._scores: dict[int, float] = {}
        self._stills: dict[int, Place] = {}
        self._cut, self._still = float("-inf"), float("-inf")
        self._dense = min(1.0, job.video.facts.duration_s / 20)  # shorter videos: closer together

    def score(self, tick: int, value: float) -> None:
        self._scores[tick] = value
        if value >= self._job.threshold:
            self._cut = self._job.video.timeline.seconds(tick)

    def offer(self, tick: int, frame: av.VideoFrame) -> None:
        """Keep the picture as a still if one is due. Ticks rise."""
        time = self._job.video.timeline.seconds(tick)
        age = time - self._cut
        due = self._still + (1.25 if age < 5 else 2 if age < 20 or self._cut < 0 else 4) * self._dense
        first_of_scene = self._still < self._cut and age >= 0.6 * self._dense
        if time >= due or first_of_scene:
            self.keep(tick, frame)

    def keep(self, tick: int, frame: av.VideoFrame) -> None:
        video = self._job.video
        data, width, height = encode_jpeg(video.picture(tick, frame, STILL_SIDE).image)
        self._stills[tick] = (*self._job.spool.add(data), width, height)
        self._still = video.timeline.seconds(tick)

    def again(self) -> None:
        """Begin at the start of the part once more."""
        self._cut = self._still = float("-inf")

    def part(self) -> Part:
        ticks = sorted(self._scores)
        scores = np.array([self._scores[t] for t in ticks], np.float32)
        return Part(
            np.array(ticks, np.int64), scores, tuple(sorted(self._stills.items())), tuple(self._reader.damage.ticks)
        )


def _whole(job: Job, reader: Reader, span: Span, found: _Found) -> None:
    """Every picture of the span, and the next one's difference from the last, which opens the next part."""
    scorer = Scorer(*job.video.source.size, (job.threshold,))
    first = span.start is not None  # its score belongs to the part before
    for tick, frame in reader.frames() if span.start is None else reader.frames_from(span.start):
        job.check()
        score = scorer.score(frame)
        if not first:
            found.score(tick, score)
        first = False
        if span.end is not None and tick >= span.end:
            break
        found.offer(tick, frame)
        job.done += 1


# ------------------------------------------------------------------------------------------------ fast
@dataclass(frozen=True, slots=True)
class Group:
    """A group of pictures: their ticks, the places of large ones among them, the tick that follows and, where known, the
    key picture there."""

    ticks: list[int]
    large: list[int]
    stop: int
    next_key: Image | None

    def quiet_after(self, tick: int, sight: Image | None) -> bool:
        """Whether no cut follows the picture at `tick`: it is past the large ones and the next key picture is like it."""
        if (self.large and tick <= self.ticks[self.large[-1]]) or sight is None or self.next_key is None:
            return False
        return distance(sight, self.next_key) < QUIET


def _keys(video: Video, span: Span) -> list[int]:
    """Key pictures from the span's start to its end, both included."""
    timeline = video.timeline
    start, end = span.start or timeline.origin, span.end
    keys = timeline.keys[(timeline.keys >= start) & (timeline.keys <= (end if end is not None else timeline.keys[-1]))]
    return [int(k) for k in keys] if video.source.seekable and len(keys) and keys[0] == start else []


def _fast(job: Job, readers: Readers, keys: list[int], span: Span, found: _Found) -> None:
    """Key pictures first; then only those groups whose ends differ or that hold a picture large enough for a cut."""
    timeline, scorer = job.video.timeline, Scorer(*job.video.source.size, (QUIET,))
    differ, sights = dict[int, float](), dict[int, Image | None]()
    for tick, frame in readers.exact.frames_from(keys[0], keys_only=True):
        job.check()
        differ[tick], sights[tick] = scorer.score(frame), scorer.sight
        if tick >= keys[-1]:
            break
        found.offer(tick, frame)
    found.again()
    end = span.end if span.end is not None else int(timeline.ticks[-1]) + 1
    for start, stop in pairwise([*keys, end] if keys[-1] < end else keys):
        first, last = timeline.ordinal(start), timeline.ordinal(stop - 1) + 1
        ticks, sizes = timeline.ticks[first:last].tolist(), timeline.sizes[first:last]
        large = np.flatnonzero(sizes > SPIKE * sizes[0])[1:].tolist()
        if large or start not in differ or differ.get(stop, QUIET) >= QUIET:
            _group(job, readers, Group(ticks, large, stop, sights.get(stop)), found)
        job.done += len(ticks)


def _group(job: Job, readers: Readers, group: Group, found: _Found) -> None:
    """Roughly and without pictures nothing refers to, except at the end and before large ones; then exactly as far as that
    leaves a doubt. Many large ones: exactly at once."""
    ticks, large = group.ticks, group.large
    if len(large) > BUSY:
        _compare(job, readers.exact, group, {*ticks, group.stop}, found, True)
        return
    near = {tick for at in large for tick in ticks[max(0, at - TAIL) : at + 2]}
    wanted = {*ticks[:1], *near, *ticks[-TAIL:], group.stop}
    if doubtful := _compare(job, readers.rough, group, wanted, found, False):
        _compare(job, readers.exact, group, doubtful, found, True)


def _compare(job: Job, reader: Reader, group: Group, wanted: set[int], found: _Found, exact: bool) -> set[int]:
    """Score neighbours of which both were decoded, to the last wanted or until the rest is quiet. Returns the pictures
    between which a cut may lie: those not neighbours that differ, and, unless `exact`, neighbours whose difference is near
    the threshold."""
    timeline, end = job.video.timeline, max(wanted)
    scorer = Scorer(*job.video.source.size, (job.threshold,), exact)
    doubtful, before, low, high = set[int](), None, job.threshold - GUARD, job.threshold + GUARD
    for tick, frame in reader.frames_from(group.ticks[0], wanted):
        job.check()
        score, number = scorer.score(frame), timeline.ordinal(tick)
        if before is not None and number == before + 1 and (exact or not low <= score <= high):
            found.score(tick, score)
        elif before is not None and score >= low:
            doubtful |= {int(t) for t in timeline.ticks[before : number + 1]}
        if tick >= end or group.quiet_after(tick, scorer.sight):
            break
        if not reader.rough:
            found.offer(tick, frame)
        before = number
    return doubtful
