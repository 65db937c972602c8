"""Decoding a whole picture in parts, by several threads, kept on disk if wished; or one range of it.

Parts begin at key pictures and depend on the file alone, so they can be computed in any order, saved and taken up again.
Knows no cut and no scene.
"""

from __future__ import annotations

import os
import queue
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from itertools import pairwise
from pathlib import Path

import numpy as np

from vesta_ui.control import Control
from vesta_ui.domain import Interval
from vesta_ui.errors import BadVideo, StorageFailed
from vesta_ui.shots.parts import Job, Readers, Span, read_part
from vesta_ui.shots.scores import Scorer
from vesta_ui.shots.spool import Part, Spool
from vesta_ui.video import Video
from vesta_ui.video.decode import Reader

VERSION = 1  # of kept parts
PART_S, SHORTEST_PART_S = 60.0, 10.0
LARGE = 4096 * 2304  # pixels from which one thread works alone, to bound memory


def plan(video: Video, workers: int) -> list[Span]:
    """Parts that begin at key pictures and are about a minute long, shorter when there is less for each thread."""
    timeline = video.timeline
    if not video.source.seekable:
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
    threads = 0 if len(spans) == 1 and video.facts.duration_s > SHORTEST_PART_S and not large else 1
    job = Job(video, threshold, fast, spool, control or Control(), threads)
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
    job: Job, work: Sequence[tuple[int, Span]], workers: int, progress: Callable[[float], None] | None
) -> Iterator[tuple[int, Part]]:
    if not work:
        return
    total = max(1, len(job.video.timeline.ticks))
    idle: queue.SimpleQueue[Readers] = queue.SimpleQueue()

    def one(index: int, span: Span) -> tuple[int, Part]:
        job.check()
        try:
            readers = idle.get_nowait()
        except queue.Empty:
            readers = Readers(job)
        try:
            return index, read_part(job, readers, span)
        finally:
            idle.put(readers)

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
    while not idle.empty():
        idle.get().close()


# ------------------------------------------------------------------------------------------------ one range
def read_range(
    video: Video, interval: Interval, thresholds: tuple[float, ...], control: Control | None
) -> tuple[list[int], list[float], list[float]]:
    """Ordinals, scores and times (seconds) of the pictures shown in an interval. Raises `BadVideo` when none decodes."""
    timeline, scorer = video.timeline, Scorer(*video.source.size, thresholds)
    first, last = timeline.shown_at(max(0.0, interval.start)), timeline.shown_at(interval.end)
    frames, scores, times = list[int](), list[float](), list[float]()
    with Reader(video.source) as reader:
        key = timeline.key_before(first)
        for tick, frame in reader.frames() if key is None else reader.frames_from(key):
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
