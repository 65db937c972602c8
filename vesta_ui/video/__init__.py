"""A video file: what it is, the exact pictures at given times, its sound; all on one clock.

The clock: seconds from the start of the picture as the player shows it, from presentation time stamps (`timeline.py`).
Identity is the content hash. Knows no scene and no model.
"""

from __future__ import annotations

import hashlib
import math
import re
import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
from numpy.typing import NDArray

from vesta_ui.domain import Interval, Notice, VideoFacts, clock, listed, merge
from vesta_ui.errors import BadInput, BadVideo
from vesta_ui.video import captions
from vesta_ui.video.container import BROADCAST, main_picture, main_sound, open_container
from vesta_ui.video.decode import Closing, Reader, Readers, Source, scan
from vesta_ui.video.picture import Image, displayed_size, is_wide_range, pixel_shape, to_rgb, turn_of
from vesta_ui.video.sound import blocks
from vesta_ui.video.timeline import Timeline

PAST_END_S = 0.1  # a time this far behind the end still means the last picture


@dataclass(frozen=True, slots=True)
class Picture:
    """One displayed picture. `time`: seconds at which it appears. `frame`: 0-based ordinal. `image`: (H, W, 3) RGB."""

    time: float
    frame: int
    image: Image


class Video(Closing):
    """An opened video; made by `open_video`. Thread-safe. Close it, or use it as a context manager."""

    def __init__(
        self, source: Source, facts: VideoFacts, notices: tuple[Notice, ...], pixel: Fraction, first: av.VideoFrame
    ) -> None:
        self.source, self.facts, self.notices, self.pixel = source, facts, notices, pixel
        self.turn, self.transfer, self.interlaced = turn_of(first), first.color_trc, first.interlaced_frame
        self._readers = Readers(source)

    @property
    def path(self) -> Path:
        return self.source.path

    @property
    def timeline(self) -> Timeline:
        return self.source.timeline

    def close(self) -> None:
        self._readers.close()

    def damaged(self, ticks: Iterable[int]) -> tuple[Interval, ...]:
        """Spans (seconds) from what failed to decode at `ticks`, or arrived damaged, to the next key picture."""
        found = sorted({*ticks, *self.timeline.corrupt.tolist()})
        spans = [(max(0.0, self.timeline.seconds(t)), self.timeline.seconds(self.timeline.key_after(t))) for t in found]
        return merge((Interval(start, end) for start, end in spans if end > start), within=2.0)

    def frames_at(self, times: Sequence[float], max_side: int | None = None) -> list[Picture]:
        """The pictures shown at the given times (seconds, any order, repeats welcome), in the order asked.

        `max_side`: shrink so that no side exceeds it. Each group of pictures is decoded once, pictures nothing else
        refers to are skipped. Raises `BadInput` for a time outside the video.
        """
        for time in times:
            if not math.isfinite(time) or time < 0 or time > self.facts.duration_s + PAST_END_S:
                raise BadInput(
                    f"there is no picture at {time:g} s: {self.facts.name} runs from 0 to {self.facts.duration_s:.1f} s"
                )
        asked = [self.timeline.shown_at(time) for time in times]
        groups: dict[int | None, set[int]] = {}
        for tick in asked:
            start = self.timeline.key_before(tick) if self.source.seekable else None
            groups.setdefault(start, set()).add(tick)
        found: dict[int, Picture] = {}
        reader = self._readers.take()
        try:
            for start, wanted in groups.items():
                found |= self._group(reader, start, wanted, max_side)
        except BaseException:
            reader.close()
            raise
        self._readers.give(reader)
        return [found[tick] for tick in asked]

    def _group(self, reader: Reader, start: int | None, wanted: set[int], max_side: int | None) -> dict[int, Picture]:
        """Pictures at the wanted ticks, all reachable from the key picture at `start`. Where one was lost to damage,
        the picture before it, which a player would go on showing."""
        for back in (0, 1, 8, None):
            origin = start
            if back and start is not None:
                origin = self.timeline.key_before(start, back)
            elif back is None:
                origin = None
            found = self._decode(reader, origin, wanted, max_side, skipping=not back and back is not None)
            if len(found) == len(wanted) or (origin is None and back is None):
                break
        if not found:
            raise BadVideo(
                f"no picture of {self.facts.name} could be decoded around {clock(self.timeline.seconds(min(wanted)))}"
            )
        nearest = sorted(found)
        for tick in wanted - found.keys():
            before = [t for t in nearest if t <= tick]
            found[tick] = found[before[-1] if before else nearest[0]]
        return found

    def _decode(
        self, reader: Reader, start: int | None, wanted: set[int], max_side: int | None, skipping: bool
    ) -> dict[int, Picture]:
        found: dict[int, Picture] = {}
        left = sorted(wanted, reverse=True)
        last: tuple[int, av.VideoFrame] | None = None
        for tick, frame in reader.frames(start, wanted if skipping else None):
            while left and tick > left[-1]:  # the wanted one did not come: what was on screen is the one before
                if last is not None and not skipping:
                    found[left[-1]] = self.picture(*last, max_side)
                left.pop()
            if left and tick == left[-1]:
                found[left.pop()] = self.picture(tick, frame, max_side)
            if not left:
                break
            last = (tick, frame)
        if last is not None and not skipping:
            found |= {tick: self.picture(*last, max_side) for tick in left}
        return found

    def picture(self, tick: int, frame: av.VideoFrame, max_side: int | None = None) -> Picture:
        """A decoded frame as displayed."""
        return Picture(
            self.timeline.seconds(tick), self.timeline.ordinal(tick), to_rgb(frame, self.pixel, self.turn, max_side)
        )

    def audio(self, sample_rate: int = 16_000, block_s: float = 30.0) -> Iterator[tuple[float, NDArray[np.float32]]]:
        """Blocks of mono sound in [-1, 1] with the time of their first sample on the clock. At most `block_s` seconds
        each; a hole in the sound begins a new block. Nothing when there is no sound; sound before the picture is cut."""
        if self.source.sound is not None:
            yield from blocks(self.source, sample_rate, block_s)

    def captions(self) -> Iterator[tuple[float, float, str]]:
        """(start, end, text as stored) of the subtitle track inside the file, on the clock; nothing without one."""
        yield from captions.cues(self.source)


# ------------------------------------------------------------------------------------------------ opening
_known: dict[tuple[str, int, int, int], tuple[str, Timeline]] = {}
_known_lock = threading.Lock()


def content_hash(path: Path) -> str:
    """SHA-256 of the whole file in hexadecimal, read in pieces. Raises `BadVideo` when it cannot be read."""
    digest = hashlib.sha256()
    try:
        with path.open("rb") as file:
            while piece := file.read(1 << 20):
                digest.update(piece)
    except OSError as error:
        raise BadVideo(f"{path.name} cannot be read ({error.strerror}); check the file and its permissions") from None
    return digest.hexdigest()


def open_video(path: Path) -> Video:
    """Open, identify, lay out the timeline and decode the first picture. Raises `BadVideo` with one clear sentence."""
    path = Path(path)
    container = open_container(path)
    try:
        return _open(path, container)
    except av.error.FFmpegError:
        raise BadVideo(f"{path.name} is damaged beyond use: it cannot be read; copy or download it again") from None
    finally:
        container.close()


def _open(path: Path, container: av.container.InputContainer) -> Video:
    stream, sound = main_picture(container), main_sound(container)
    if stream is None:
        if sound is not None or len(container.streams.audio):
            raise BadVideo(f"{path.name} holds sound but no moving picture; choose a video file")
        raise BadVideo(
            f"{path.name} holds no picture at all (it may have been stopped before it began); choose another file"
        )
    if stream.codec_context is None:
        raise BadVideo(f"{path.name} uses a picture format this app cannot decode; convert it to MP4 (H.264)")
    codec, announced = stream.codec_context.name, _announced(container, stream)
    tracks = len(container.streams.audio)
    key = _identity(path)
    with _known_lock:
        known = _known.get(key)
    if known is None:
        timeline = scan(container, stream)
        if timeline is None:
            raise BadVideo(f"{path.name} has a picture track without a single picture; copy or record it again")
        known = content_hash(path), timeline
    digest, timeline = known
    source = Source(path, stream.index, sound.index if sound else None, container.format.name in BROADCAST, timeline)
    source, pixel, first = _first_picture(source)
    with _known_lock:
        while len(_known) >= 32:
            _known.pop(next(iter(_known)))
        _known[key] = digest, source.timeline
    width, height = displayed_size(*source.size, pixel, turn_of(first))
    duration = source.timeline.duration_s
    facts = VideoFacts(
        sha256=digest, name=path.name, duration_s=duration, width=width, height=height,
        fps=len(source.timeline.ticks) / duration, has_audio=sound is not None, codec=codec,
    )  # fmt: skip
    counted = container.format.name == "avi"
    return Video(source, facts, _notices(source, announced, counted, tracks, first.color_trc), pixel, first)


def _identity(path: Path) -> tuple[str, int, int, int]:
    stat = path.stat()
    return str(path.absolute()), stat.st_size, stat.st_mtime_ns, stat.st_ino


def _announced(container: av.container.InputContainer, stream: av.video.stream.VideoStream) -> float:
    """Seconds of picture that the header promises; 0 when it does not say. A broadcast stream has no header."""
    if container.format.name in BROADCAST:
        return 0.0
    if container.format.name == "avi" and stream.average_rate:  # its duration is worked out from what is there
        return float(stream.frames / stream.average_rate)
    if stream.duration and stream.time_base and stream.duration > 0:
        return float(stream.duration * stream.time_base)
    written = stream.metadata.get("DURATION", "")
    if re.fullmatch(r"\d+:\d\d:\d\d(\.\d+)?", written):
        hours, minutes, seconds = written.split(":")
        return int(hours) * 3600 + int(minutes) * 60 + float(seconds)
    only_picture = len(container.streams) == 1 and container.duration
    return container.duration / 1e6 if only_picture and container.duration and container.duration > 0 else 0.0


def _first_picture(source: Source) -> tuple[Source, Fraction, av.VideoFrame]:
    with Reader(source) as reader:
        for tick, frame in reader.frames():
            pixel = pixel_shape(reader.stream.sample_aspect_ratio)
            source = replace(
                source,
                timeline=source.timeline.from_first(tick),
                size=(frame.width, frame.height),
                palette=frame.format.name == "pal8",
            )
            return source, pixel, frame
    raise BadVideo(
        f"{source.path.name} holds {len(source.timeline.ticks)} pictures, but none could be decoded; convert it to MP4"
    )


def _notices(source: Source, announced: float, counted: bool, tracks: int, transfer: int) -> tuple[Notice, ...]:
    """`counted`: the container has no time stamps, it counts the pictures it finds."""
    timeline, notices = source.timeline, []
    if source.sound is None:
        notices.append(Notice("no-sound", "This video has no sound track; it is searched by its pictures alone."))
    if tracks > 1:
        notices.append(Notice("sound-tracks", f"There are {tracks} sound tracks; the main one is used."))
    if is_wide_range(transfer):
        notices.append(Notice("hdr", "HDR video: colours are mapped to an ordinary screen and are approximate."))
    if len(timeline.segments) > 1:
        notices.append(
            Notice(
                "joined",
                f"{len(timeline.segments)} recordings are joined in this file and their clocks jump; they are laid end to end "
                f"over {clock(timeline.duration_s)}.",
            )
        )
    late = max(0.0, float(timeline.origin * timeline.time_base))
    if announced > timeline.duration_s * 1.02 + 1.0 + late:
        early = " This format only counts its pictures: times behind lost ones are too early." if counted else ""
        notices.append(
            Notice(
                "incomplete",
                f"The file promises {clock(announced)} but holds {clock(timeline.duration_s)}; what is there is used.{early}",
            )
        )
    if holes := timeline.holes:
        named = listed([Interval(*hole) for hole in holes])
        torn = not np.isin([timeline.shown_at(end) for _, end in holes], timeline.keys).all()
        after = " What follows may be wrong up to the next key picture." if torn else ""
        notices.append(
            Notice(
                "hole",
                f"No picture is stored for {named}: lost to damage, or the recording paused; the one before stays.{after}",
            )
        )
    if timeline.variable:
        notices.append(Notice("variable-rate", "Pictures come at uneven intervals; times are exact all the same."))
    return tuple(notices)
