"""Decoding a whole picture in parts: scores and stills of each, by several threads, kept on disk if wished.

A part runs from one key picture to another. Its result depends on the file alone, so parts can be computed in any order,
saved and taken up again. Knows no cut and no scene.
"""

from __future__ import annotations

import os
import queue
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import IO

import av
import numpy as np
from numpy.typing import NDArray

from vesta_ui.control import Control
from vesta_ui.decode import Reader
from vesta_ui.domain import Interval
from vesta_ui.errors import BadVideo, StorageFailed
from vesta_ui.frames import encode_jpeg
from vesta_ui.scores import Scorer
from vesta_ui.video import Video

VERSION = 1  # of kept parts
PART_S, SHORTEST_PART_S = 60.0, 10.0
STILL_SIDE = 512
STILL_EVERY_S = 1.0
LARGE = 4096 * 2304  # pixels from which one thread works alone, to bound memory
QUIET = 10.0  # fast mode: key pictures that differ less have no cut between them …
SPIKE = 0.25  # … unless a picture between them is this large, measured by its key picture

Place = tuple[int, int, int, int]  # offset and length in the spool, width, height


class Spool:
    """JPEGs in one growing file, so that hours of stills cost no memory. Thread-safe."""

    def __init__(self, path: Path | None = None) -> None:
        try:
            self._file: IO[bytes] = path.open("a+b") if path else tempfile.TemporaryFile()  # noqa: SIM115
        except OSError as error:
            raise StorageFailed(
                f"stills cannot be kept in {path or tempfile.gettempdir()}: {error.strerror}"
            ) from error
        self._lock = threading.Lock()

    def add(self, data: bytes) -> tuple[int, int]:
        """Append; returns (offset, length). Raises `StorageFailed`."""
        try:
            with self._lock:
                offset = self._file.seek(0, os.SEEK_END)
                self._file.write(data)
                self._file.flush()
        except OSError as error:
            raise StorageFailed(f"a still could not be kept: {error.strerror}; free some disk space") from error
        return offset, len(data)

    def read(self, offset: int, length: int) -> bytes:
        with self._lock:
            self._file.seek(offset)
            return self._file.read(length)


@dataclass(frozen=True)
class Part:
    """Pictures of one part: `ticks` and `scores` aligned; `stills`: (tick, place); `damage`: ticks."""

    ticks: NDArray[np.int64]
    scores: NDArray[np.float32]
    stills: tuple[tuple[int, Place], ...]
    damage: tuple[int, ...]

    def save(self, path: Path) -> None:
        stills = np.array([(tick, *place) for tick, place in self.stills], np.int64).reshape(-1, 5)
        partial = path.with_suffix(".partial")
        try:
            with partial.open("wb") as file:
                np.savez(
                    file, ticks=self.ticks, scores=self.scores, stills=stills, damage=np.array(self.damage, np.int64)
                )
            partial.replace(path)
        except OSError as error:
            raise StorageFailed(f"{path.parent} cannot be written: {error.strerror}") from error

    @staticmethod
    def load(path: Path) -> Part | None:
        """A kept part, or None when there is none or it cannot be read."""
        try:
            with np.load(path) as kept:
                stills = tuple((int(s[0]), (int(s[1]), int(s[2]), int(s[3]), int(s[4]))) for s in kept["stills"])
                return Part(kept["ticks"], kept["scores"], stills, tuple(int(t) for t in kept["damage"]))
        except (OSError, ValueError, KeyError, EOFError):
            return None


@dataclass(frozen=True, slots=True)
class Span:
    """The ticks a part owns, `[start, end)`; None: from the beginning, to the end of the file."""

    start: int | None
    end: int | None


@dataclass
class _Job:
    """What the threads of one pass share."""

    video: Video
    thresholds: tuple[float, ...]
    fast: bool
    spool: Spool
    control: Control
    threads: int
    grid: float
    done: int = 0
    failed: bool = False

    def check(self) -> None:
        self.control.check()
        if self.failed:
            raise BadVideo("another part of the pass failed")


def plan(video: Video, workers: int) -> list[Span]:
    """Parts that begin at key pictures and are about a minute long, shorter when there is less for each thread."""
    timeline = video.timeline
    if not timeline.seekable:
        return [Span(None, None)]
    length = min(PART_S, max(SHORTEST_PART_S, video.facts.duration_s / (2 * workers)))
    starts: list[int | None] = [None]
    before = timeline.origin
    for key in timeline.keys[np.isin(timeline.keys, timeline.ticks)]:
        if float((int(key) - before) * timeline.time_base) >= length:
            starts.append(int(key))
            before = int(key)
    return [Span(a, b) for a, b in pairwise([*starts, None])]


def read_parts(
    video: Video,
    threshold: float,
    fast: bool,
    progress: Callable[[float], None] | None,
    control: Control | None,
    keep: Path | None,
) -> tuple[list[Part], Spool]:
    """All parts in order, and where their stills are. Kept ones are loaded, the rest computed."""
    large = video.source.size[0] * video.source.size[1] > LARGE
    workers = 1 if large else max(1, min(os.cpu_count() or 1, 4))
    spans = plan(video, workers)
    folder = _folder(keep, video, threshold, fast) if keep else None
    spool = Spool(folder / "stills.bin" if folder else None)
    grid = min(STILL_EVERY_S, max(0.02, video.facts.duration_s / 16))
    threads = 0 if len(spans) == 1 and video.facts.duration_s > SHORTEST_PART_S and not large else 1
    job = _Job(video, (threshold,), fast, spool, control or Control(), threads, grid)
    found: dict[int, Part] = {}
    if folder:
        found = {i: part for i in range(len(spans)) if (part := Part.load(folder / f"{i}.npz"))}
        job.done = sum(len(part.ticks) for part in found.values())
    left = [i for i in range(len(spans)) if i not in found]
    for index, part in _in_threads(job, [(i, spans[i]) for i in left], min(workers, len(left)), progress):
        found[index] = part
        if folder:
            part.save(folder / f"{index}.npz")
    if progress:
        progress(1.0)
    return [found[i] for i in range(len(spans))], spool


def _folder(keep: Path, video: Video, threshold: float, fast: bool) -> Path:
    name = f"{video.facts.sha256[:16]}-{threshold:g}{'-fast' if fast else ''}-v{VERSION}"
    folder = keep / name
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StorageFailed(f"{keep} cannot be written: {error.strerror}") from error
    return folder


def _in_threads(
    job: _Job, work: Sequence[tuple[int, Span]], workers: int, progress: Callable[[float], None] | None
) -> Iterator[tuple[int, Part]]:
    if not work:
        return
    total = max(1, len(job.video.timeline.ticks))
    readers: queue.SimpleQueue[Reader] = queue.SimpleQueue()

    def one(index: int, span: Span) -> tuple[int, Part]:
        job.check()
        try:
            reader = readers.get_nowait()
        except queue.Empty:
            reader = Reader(job.video.source, job.threads)
        try:
            return index, _part(job, reader, span)
        finally:
            readers.put(reader)

    with ThreadPoolExecutor(workers, "decode") as pool:
        pending: set[Future[tuple[int, Part]]] = {pool.submit(one, *item) for item in work}
        try:
            while pending:
                finished, pending = wait(pending, timeout=0.1, return_when=FIRST_COMPLETED)
                job.control.check()
                if progress:
                    progress(min(0.999, job.done / total))
                for future in finished:
                    yield future.result()
        finally:
            job.failed = bool(pending)
            for future in pending:
                future.cancel()
    while not readers.empty():
        readers.get().close()


# ------------------------------------------------------------------------------------------------ one part
def _part(job: _Job, reader: Reader, span: Span) -> Part:
    reader.damage.ticks.clear()
    if job.fast and job.video.timeline.seekable:
        return _fast_part(job, reader, span)
    return _whole_part(job, reader, span)


def _from(job: _Job, reader: Reader, span: Span) -> Iterator[tuple[int, av.VideoFrame]]:
    """Pictures from the span's start on; when its key picture does not come (it cannot be decoded alone), from an earlier
    one. Goes on past the span's end."""
    if span.start is None:
        yield from reader.frames()
        return
    for back in (0, 1, 8, None):
        origin = None if back is None else job.video.timeline.key_before(span.start, back)
        begun = False
        for tick, frame in reader.frames(origin):
            if tick < span.start:
                continue
            if not begun and tick > span.start and back is not None:
                break
            begun = True
            yield tick, frame
        if begun:
            return


def _whole_part(job: _Job, reader: Reader, span: Span) -> Part:
    """Every picture of the span, and the next one's difference from the last, which opens the next part."""
    scorer = Scorer(*job.video.source.size, job.thresholds)
    ticks, scores, stills = list[int](), list[float](), _Stills(job)
    for tick, frame in _from(job, reader, span):
        job.check()
        ticks.append(tick)
        scores.append(scorer.score(frame))
        if span.end is not None and tick >= span.end:
            break
        stills.offer(tick, frame)
        job.done += 1
    if span.start is not None and ticks:  # its first score belongs to the part before
        ticks, scores = ticks[1:], scores[1:]
    return _made(ticks, scores, stills, reader, job.thresholds)


def _made(
    ticks: list[int], scores: list[float], stills: _Stills, reader: Reader, thresholds: tuple[float, ...]
) -> Part:
    quiet = [t for t, s in zip(ticks, scores, strict=True) if s >= thresholds[0]]
    return Part(
        np.array(ticks, np.int64), np.array(scores, np.float32), stills.spooled(quiet), tuple(reader.damage.ticks)
    )


class _Stills:
    """Candidate stills of one part: one a second where scenes may be short, fewer in long quiet stretches."""

    def __init__(self, job: _Job) -> None:
        self._job, self._last, self._held = job, -1, list[tuple[int, float, bytes, int, int]]()

    def offer(self, tick: int, frame: av.VideoFrame) -> None:
        video = self._job.video
        time = video.timeline.seconds(tick)
        if int(time / self._job.grid + 1e-6) != self._last:
            self._last = int(time / self._job.grid + 1e-6)
            self._held.append((tick, time, *encode_jpeg(video.picture(tick, frame, STILL_SIDE).image)))

    def spooled(self, cuts: Sequence[int]) -> tuple[tuple[int, Place], ...]:
        """Write those worth keeping to the spool: one in four in stretches of 20 s without a cut, one in two in 10 s."""
        edges = np.array(sorted(self._job.video.timeline.seconds(c) for c in cuts))
        kept = []
        for number, (tick, time, data, width, height) in enumerate(self._held):
            where = int(np.searchsorted(edges, time, "right"))
            begin = edges[where - 1] if where else self._held[0][1]
            end = edges[where] if where < len(edges) else self._held[-1][1]
            stretch = end - begin
            every = 4 if stretch >= 20 else 2 if stretch >= 10 else 1
            if number % every == 0 or number == 0:
                kept.append((tick, (*self._job.spool.add(data), width, height)))
        return tuple(kept)


def _fast_part(job: _Job, reader: Reader, span: Span) -> Part:
    """Key pictures first; then only those groups whose ends differ or that hold a picture large enough for a cut."""
    timeline = job.video.timeline
    keys = [
        int(k) for k in timeline.keys if (span.start or timeline.origin) <= k and (span.end is None or k <= span.end)
    ]
    if not keys or keys[0] > (span.start or timeline.origin) or len(keys) < 2:
        return _whole_part(job, reader, span)
    return _whole_part(job, reader, span)


# ------------------------------------------------------------------------------------------------ one range
def read_range(
    video: Video, interval: Interval, thresholds: tuple[float, ...], control: Control | None
) -> tuple[list[int], list[float], list[float]]:
    """Ordinals, scores and times (seconds) of the pictures shown in an interval. Raises `BadVideo` when none decodes."""
    timeline, scorer = video.timeline, Scorer(*video.source.size, thresholds)
    first, last = timeline.shown_at(max(0.0, interval.start)), timeline.shown_at(interval.end)
    frames, scores, times = list[int](), list[float](), list[float]()
    with Reader(video.source) as reader:
        for tick, frame in reader.frames(timeline.key_before(first)):
            if control:
                control.check()
            if tick > last:
                break
            if tick >= first and (not frames or timeline.ordinal(tick) > frames[-1]):
                frames.append(timeline.ordinal(tick))
                scores.append(scorer.score(frame))
                times.append(timeline.seconds(tick))
    if not frames:
        raise BadVideo(f"no picture of {video.facts.name} could be decoded in {interval}")
    return frames, scores, times
