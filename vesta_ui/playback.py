"""What the page plays: the video itself or a copy that any browser plays on the same clock; a poster; a subtitle track.

Knows no page. Copies are keyed by content hash and made whole or not at all.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
from av.audio.stream import AudioStream
from av.packet import Packet

from vesta_ui.control import Control
from vesta_ui.domain import Word
from vesta_ui.errors import BadVideo, StorageFailed
from vesta_ui.video import Video, open_video
from vesta_ui.video.container import open_container, streams
from vesta_ui.video.decode import Reader
from vesta_ui.video.picture import BT709, LIMITED, Turn, colour_space, fit, is_wide_range, progressive
from vesta_ui.video.timeline import Timeline

VERSION = 2
DECODED = "-decoded"
LONGEST_SIDE = 1280
KEY_EVERY_S = 2.0
LONGEST_GROUP_S = 10.0  # longer between key pictures, a browser seeks too slowly
CLOCK = Fraction(1, 90_000)
SAME_CLOCK_S = 0.01  # a picture that starts this close to zero needs no shift
LARGEST_PLAYED = 4096
SOUND_RATE = 48_000
MP4_SOUND = {"aac", "mp3", "mp3float", "opus", "flac"}
WEB_SOUND = {"opus", "vorbis"}


def needs_copy(video: Video) -> bool:
    """Whether a browser cannot play the file itself, shows another clock, or shows it wrongly."""
    return bool(copy_reason(video))


def copy_reason(video: Video) -> str:
    """Why a browser would not play the file as it is, in a few words; empty when it would."""
    listed, source, timeline = streams(video.path), video.source, video.timeline
    sound = listed[source.sound].codec if source.sound is not None else ""
    kinds, ending = listed[source.picture].container.split(","), video.path.suffix.lower()
    if "mp4" in kinds and ending in (".mp4", ".m4v", ".mov"):
        pictures, sounds = {"h264"}, MP4_SOUND
    elif "webm" in kinds and ending == ".webm":
        pictures, sounds = {"vp8", "vp9", "av1", "libdav1d"}, WEB_SOUND
    else:
        return f"the container ({kinds[0]}{' named ' + ending if ending else ''})"
    if video.facts.codec not in pictures:
        return f"the picture format ({video.facts.codec})"
    if sound and sound not in sounds:
        return f"the sound format ({sound})"
    if listed[source.picture].layout not in ("yuv420p", "yuvj420p", "yuva420p"):
        return f"the pixel format ({listed[source.picture].layout})"
    if is_wide_range(video.transfer):
        return "HDR light"
    if video.interlaced:
        return "the picture is interlaced"
    if max(source.size) > LARGEST_PLAYED:
        return "the picture is larger than browsers decode"
    if abs(float(timeline.origin * timeline.time_base)) > SAME_CLOCK_S or not timeline.seekable:
        return "its clock does not begin at the first picture"
    for kind, chosen in (("video", source.picture), ("audio", source.sound)):
        if chosen is not None and next(s.index for s in listed if s.kind == kind) != chosen:
            return f"a browser would take another {'picture' if kind == 'video' else 'sound'} stream"
    return ""


def playable(
    video: Video,
    folder: Path,
    progress: Callable[[float], None] | None = None,
    control: Control | None = None,
    *,
    refused: bool = False,
) -> Path:
    """The original when a browser plays it on the same clock; else an H.264 + AAC copy in `folder`, made once.

    The copy: 8 bits, 4:2:0, index first, picture at 0 s. What is such H.264 and AAC already is put into MP4 without
    encoding it again; all else has an even size of at most 1280 pixels a side and a key picture every 2 s.
    `refused`: a browser could not play what this gave before (a damaged packet, say, which only it stumbles over): the
    copy then comes from our own decoder, and is what later calls give. `progress` is told a share in [0, 1]. Raises `StorageFailed` or `Stopped`; a copy is never left half made.
    """
    repacked = folder / f"{video.facts.sha256}-v{VERSION}.mp4"
    decoded = folder / f"{repacked.stem}{DECODED}.mp4"
    if decoded.is_file():
        return decoded
    if not refused and not needs_copy(video):
        return video.path
    if not refused and repacked.is_file():
        return repacked
    partial = repacked.with_suffix(f".{os.getpid()}.partial.mp4")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        copy = repacked
        if refused or not _repack(video, partial, progress, control or Control()):
            copy = decoded
            _copy(video, partial, progress, control or Control())
        partial.replace(copy)
    except (OSError, av.error.FFmpegError) as error:
        raise StorageFailed(
            f"a copy of {video.facts.name} for the player could not be written to {folder}: {error.strerror}"
        ) from error
    finally:
        with suppress(OSError):
            partial.unlink()
    if progress:
        progress(1.0)
    return copy


def _repack(video: Video, path: Path, progress: Callable[[float], None] | None, control: Control) -> bool:
    """Copy picture and sound packets into an MP4 that begins at 0 s; false where that cannot keep format or clock."""
    source, timeline, listed = video.source, video.timeline, streams(video.path)
    chosen = [source.picture] if source.sound is None else [source.picture, source.sound]
    groups = np.diff([*timeline.keys, timeline.ticks[-1]]) * float(timeline.time_base)
    if (
        [(listed[i].codec, listed[i].kind) for i in chosen] != [("h264", "video"), ("aac", "audio")][: len(chosen)]
        or listed[source.picture].layout != "yuv420p"
        or is_wide_range(video.transfer) or video.interlaced or video.turn != Turn() or video.pixel != 1
        or max(source.size) > LARGEST_PLAYED or any(side % 2 for side in source.size)
        or not timeline.seekable or timeline.hidden or len(timeline.corrupt) or timeline.missing
        or timeline.keys[0] != timeline.origin or groups.max(initial=0) > LONGEST_GROUP_S
    ):  # fmt: skip
        return False
    try:
        with (
            open_container(video.path) as read,
            av.open(str(path), "w", format="mp4", options={"movflags": "+faststart"}) as out,
        ):
            origin = Fraction(timeline.origin) * timeline.time_base
            copies = {i: out.add_stream_from_template(read.streams[i]) for i in chosen}
            for packet in _stamped(read.demux([read.streams[i] for i in chosen])):
                control.check()
                shift, dts = round(origin / packet.time_base), packet.dts or 0
                packet.pts, packet.dts, packet.stream = (
                    (packet.pts or 0) - shift,
                    dts - shift,
                    copies[packet.stream.index],
                )
                if progress and packet.stream.type == "video":
                    progress(min(0.999, max(0.0, float((dts - shift) * packet.time_base)) / video.facts.duration_s))
                out.mux(packet)
        with open_video(path) as copy:
            return not needs_copy(copy) and _same_times(timeline, copy.timeline)
    except (av.error.FFmpegError, ValueError, BadVideo):
        return False


def _stamped(packets: Iterable[Packet[Any]]) -> Iterator[Packet[Any]]:
    """Packets with decoding times. Matroska has none for the first few, which must come before the first that is known."""
    held: dict[int, list[Packet[Any]]] = {}
    for packet in packets:
        if packet.pts is None:
            continue
        waiting = held.setdefault(packet.stream.index, [])
        if packet.dts is None:
            waiting.append(packet)
            continue
        for count, early in enumerate(reversed(waiting), 1):
            early.dts = packet.dts - count * max(1, packet.duration or 1)
        yield from waiting
        waiting.clear()
        yield packet


def _same_times(one: Timeline, other: Timeline) -> bool:
    """Whether the same number of pictures is shown at the same seconds."""
    if len(one.ticks) != len(other.ticks):
        return False
    times = [(t.ticks - t.origin) * float(t.time_base) for t in (one, other)]
    return bool(np.abs(times[0] - times[1]).max() < 0.002)


def _copy(video: Video, path: Path, progress: Callable[[float], None] | None, control: Control) -> None:
    width, height = (max(2, side // 2 * 2) for side in fit(video.facts.width, video.facts.height, LONGEST_SIDE))
    with av.open(str(path), "w", format="mp4", options={"movflags": "+faststart"}) as out:
        picture = out.add_stream("libx264", rate=max(1, min(240, round(video.facts.fps))))
        picture.width, picture.height, picture.pix_fmt = width, height, "yuv420p"
        picture.time_base = picture.codec_context.time_base = CLOCK
        context = picture.codec_context
        context.colorspace = context.color_primaries = context.color_trc = BT709
        context.color_range = LIMITED
        picture.options = {"preset": "veryfast", "crf": "23", "bf": "0"}
        sound = out.add_stream("aac", rate=SOUND_RATE, layout="stereo") if video.facts.has_audio else None
        heard = _Sound(video, out, sound) if sound else None
        last_key = -KEY_EVERY_S
        with Reader(video.source, threads=0) as reader:
            for tick, frame in reader.frames():
                control.check()
                time = video.timeline.seconds(tick)
                shown = _shown(video, tick, frame, width, height)
                shown.pts, shown.time_base = round(time / CLOCK), CLOCK
                if time >= last_key + KEY_EVERY_S:
                    shown.pict_type, last_key = av.video.frame.PictureType.I, time
                out.mux(picture.encode(shown))
                if heard:
                    heard.until(time)
                if progress:
                    progress(min(0.999, time / video.facts.duration_s))
        out.mux(picture.encode(None))
        if heard:
            heard.until(None)


def _shown(video: Video, tick: int, frame: av.VideoFrame, width: int, height: int) -> av.VideoFrame:
    """A picture as displayed, at the copy's size, 8-bit 4:2:0 in BT.709."""
    if video.turn == Turn() and not is_wide_range(frame.color_trc):
        return progressive(frame).reformat(
            width, height, "yuv420p", src_colorspace=colour_space(frame), dst_colorspace=BT709, dst_color_range=LIMITED
        )
    image = video.picture(tick, frame, LONGEST_SIDE).image[:height, :width]
    missing = (height - image.shape[0], width - image.shape[1])
    if any(missing):  # one pixel wide or high: doubled to an even size
        image = np.pad(image, ((0, missing[0]), (0, missing[1]), (0, 0)), "edge")
    rgb = av.VideoFrame.from_ndarray(np.ascontiguousarray(image))
    return rgb.reformat(format="yuv420p", dst_colorspace=BT709, dst_color_range=LIMITED)


class _Sound:
    """Encodes the main sound in step with the picture, holes filled with silence."""

    def __init__(self, video: Video, out: av.container.OutputContainer, stream: AudioStream) -> None:
        self._blocks = video.audio(SOUND_RATE, 1.0)
        self._out, self._stream, self._at = out, stream, 0

    def until(self, time: float | None) -> None:
        """Mux what is heard up to a time in seconds; None: all there is and the end."""
        while time is None or self._at / SOUND_RATE <= time:
            block = next(self._blocks, None)
            if block is None:
                break
            begin = round(block[0] * SOUND_RATE)
            if begin > self._at:
                self._write(np.zeros(begin - self._at, np.float32))
            self._write(block[1][max(0, self._at - begin) :])
        if time is None:
            self._out.mux(self._stream.encode(None))

    def _write(self, samples: np.ndarray[tuple[int, ...], np.dtype[np.float32]]) -> None:
        for start in range(0, len(samples), SOUND_RATE):
            piece = samples[start : start + SOUND_RATE]
            frame = av.AudioFrame.from_ndarray(np.stack([piece, piece]), "fltp", "stereo")
            frame.sample_rate, frame.pts, frame.time_base = SOUND_RATE, self._at, Fraction(1, SOUND_RATE)
            self._out.mux(self._stream.encode(frame))
            self._at += len(piece)


def webvtt(segments: Iterable[tuple[float, float, str]] | Iterable[Word]) -> str:
    """A WebVTT subtitle track from (start, end, text) or words, in seconds. Text is escaped, never markup."""
    lines = ["WEBVTT", ""]
    for segment in segments:
        start, end, text = (segment.start, segment.end, segment.text) if isinstance(segment, Word) else segment
        plain = " ".join(text.split()).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        if plain and end > start:
            lines += [f"{_stamp(start)} --> {_stamp(end)}", plain, ""]
    return "\n".join(lines)


def _stamp(seconds: float) -> str:
    thousandths = round(max(0.0, seconds) * 1000)
    minutes, thousandths = divmod(thousandths, 60_000)
    return f"{minutes // 60:02d}:{minutes % 60:02d}:{thousandths // 1000:02d}.{thousandths % 1000:03d}"
