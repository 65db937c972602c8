"""Walking the pictures of a file with repaired time stamps.

Holds what is known of one file (`Source`) and one reading position in it (`Reader`). A `Reader` belongs to one thread.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import av
from av.container import InputContainer
from av.packet import Packet
from av.video.stream import VideoStream

from vesta_ui.errors import BadVideo
from vesta_ui.video.container import BROADCAST, only, open_container, packets
from vesta_ui.video.timeline import PacketLog, Timeline, build

BARE = {"h264", "hevc"}  # pictures without a container, and so without stamps


@dataclass(frozen=True)
class Source:
    """What reading one file needs to know. `picture` and `sound` are stream indexes, `size` the stored width and
    height, `palette` whether colours are numbers of a palette."""

    path: Path
    picture: int
    sound: int | None
    broadcast: bool
    timeline: Timeline
    size: tuple[int, int] = (0, 0)
    palette: bool = False

    @property
    def seekable(self) -> bool:
        """Whether decoding may begin at a key picture. Palettes come once, at the beginning of a file."""
        return self.timeline.seekable and not self.palette


@dataclass
class Damage:
    """Spans (ticks) where decoding failed or pictures came out marked corrupt."""

    ticks: list[int] = field(default_factory=list)

    def note(self, tick: int) -> None:
        self.ticks.append(tick)


def scan(container: InputContainer, stream: VideoStream) -> Timeline | None:
    """Read every packet of the picture once (no decoding) and lay out the timeline."""
    only(container, stream)
    log = PacketLog()
    # AVI keeps file order only; with B-pictures what it reports as display times is wrong
    unordered = container.format.name == "avi" and bool(stream.codec_context.has_b_frames)
    for packet in packets(container, stream):
        log.add(
            None if unordered else packet.pts, packet.dts, packet.duration or 0, packet.size, packet.is_keyframe, packet.is_discard,
            packet.is_corrupt,
        )  # fmt: skip
    base = stream.time_base or Fraction(1, 90_000)
    rate = stream.average_rate or stream.base_rate
    if container.format.name in BARE:
        rate = stream.guessed_rate or rate  # what the pictures say of themselves; the average is a mere default
    return build(log, base, rate, bool(container.format.name in BROADCAST))


class Closing:
    """Closed on leaving a `with`."""

    def close(self) -> None:
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class Reader(Closing):
    """One reading position in the picture of a file; for one thread. `damage` collects what could not be decoded.

    `threads`: of the decoder, 0 for as many as there are cores. `rough`: leave out the filter that smooths block edges,
    which saves a quarter of the work; good enough to compare pictures, not to look at.
    """

    def __init__(self, source: Source, threads: int = 1, rough: bool = False) -> None:
        self.source, self.rough = source, rough
        self.damage = Damage()
        self._container = open_container(source.path)
        stream = self._container.streams[source.picture]
        assert isinstance(stream, VideoStream)
        self.stream = stream
        only(self._container, stream)
        if stream.codec_context is None:
            raise BadVideo(
                f"{source.path.name} uses a picture format this app cannot decode; convert it to MP4 (H.264)"
            )
        stream.thread_type = "AUTO" if threads != 1 else "NONE"
        stream.codec_context.thread_count = threads
        if rough:
            stream.codec_context.options = {"skip_loop_filter": "all"}
        self._fresh = True

    def close(self) -> None:
        self._container.close()

    def frames(
        self, start: int | None = None, only_at: Collection[int] | None = None, keys_only: bool = False
    ) -> Iterator[tuple[int, av.VideoFrame]]:
        """(tick, picture) in display order, from the key picture at tick `start` (None: the beginning of the file).

        `only_at`: ticks that are wanted; pictures that neither are wanted nor are needed to decode those may be left out.
        `keys_only`: key pictures alone. Decoding errors are noted and skipped.
        """
        timeline = self.source.timeline
        whole = start is None or not self.source.seekable
        self._rewind(None if whole else start)
        context = self.stream.codec_context
        context.skip_frame = "DEFAULT"
        last, segment = None, timeline.segments[0].offset
        seams = {s.first: s.offset for s in timeline.segments[1:]} if whole else {}
        for number, packet in enumerate(packets(self._container, self.stream)):
            if number in seams:
                for tick, frame in self._drain(last, segment, whole):
                    last = tick
                    yield tick, frame
                segment = seams[number]
            if keys_only and not packet.is_keyframe:  # not every decoder can be told to skip them
                continue
            if only_at is not None and not timeline.missing:  # where stamps lack, pictures are counted
                needed = packet.pts is None or packet.pts + segment in only_at
                context.skip_frame = "DEFAULT" if needed else "NONREF"
            for frame in self._decode(packet, segment):
                if (place := self._tick(frame, last, segment, whole)) is not None:
                    last = place
                    yield place, frame
        yield from self._drain(last, segment, whole)

    def frames_from(
        self, key: int, only_at: Collection[int] | None = None, keys_only: bool = False
    ) -> Iterator[tuple[int, av.VideoFrame]]:
        """As `frames`, beginning with the key picture at tick `key` and nothing before it; from further back where the
        container lands too late or that picture cannot be decoded alone."""
        timeline = self.source.timeline
        for back in (0, 1, 8, None):
            begun = False
            for tick, frame in self.frames(
                None if back is None else timeline.key_before(key, back), only_at, keys_only
            ):
                if tick < key:
                    continue
                if not begun and tick > key and back is not None:
                    break
                begun = True
                yield tick, frame
            if begun:
                return

    def _drain(self, last: int | None, segment: int, whole: bool) -> Iterator[tuple[int, av.VideoFrame]]:
        for frame in self._decode(None, segment):
            if (place := self._tick(frame, last, segment, whole)) is not None:
                last = place
                yield place, frame
        self.stream.codec_context.flush_buffers()

    def _decode(self, packet: Packet[Any] | None, segment: int) -> list[av.VideoFrame]:
        try:
            frames = self.stream.codec_context.decode(packet)
        except (av.error.FFmpegError, ValueError):
            if packet is not None and packet.pts is not None:
                self.damage.note(packet.pts + segment)
            return []
        for frame in frames:
            if frame.is_corrupt and frame.pts is not None:
                self.damage.note(frame.pts + segment)
        return frames

    def _tick(self, frame: av.VideoFrame, last: int | None, segment: int, whole: bool) -> int | None:
        """When a picture is shown: its own stamp, else the place after `last`; None where nothing tells: at the start of
        a reading that is not `whole`, and for one that comes when its time has passed, as happens behind lost data."""
        timeline = self.source.timeline
        if frame.pts is not None and not timeline.stampless:
            tick = frame.pts + segment
            if last is None or tick > last:
                return tick
            if not timeline.missing:
                return None
        if last is None:
            return int(timeline.ticks[0]) if whole else None
        return timeline.after(last)

    def _rewind(self, start: int | None) -> None:
        context = self.stream.codec_context
        if start is not None:
            try:
                self._container.seek(start, stream=self.stream, backward=True)
                context.flush_buffers()
                self._fresh = False
                return
            except av.error.FFmpegError:
                pass
        if not self._fresh:
            self._container.close()
            self.__init__(self.source, context.thread_count, self.rough)  # type: ignore[misc]
        self._fresh = False


class Readers:
    """A small pool: one idle `Reader` is kept, so that single frames need not open the file again. Thread-safe."""

    def __init__(self, source: Source) -> None:
        self._source, self._idle, self._lock, self._closed = source, list[Reader](), threading.Lock(), False

    def take(self) -> Reader:
        with self._lock:
            if self._closed:
                raise BadVideo(f"{self._source.path.name} was closed; open it again")
            if self._idle:
                return self._idle.pop()
        return Reader(self._source)

    def give(self, reader: Reader) -> None:
        with self._lock:
            if not self._idle and not self._closed:
                self._idle.append(reader)
                return
        reader.close()

    def close(self) -> None:
        with self._lock:
            idle, self._idle, self._closed = self._idle, [], True
        for reader in idle:
            reader.close()
