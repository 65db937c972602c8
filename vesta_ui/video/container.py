"""Opening a media file safely, choosing its streams, and its packets with the stamps they should have.

Only plain media containers are opened: playlists and lists of other files are refused, nothing outside the file is read.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import av
from av.audio.stream import AudioStream
from av.container import InputContainer
from av.packet import Packet
from av.stream import Disposition
from av.video.stream import VideoStream

from vesta_ui.errors import BadVideo

CONTAINERS = (
    "mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,avi,mpegts,mpegtsraw,mpeg,mpegvideo,flv,live_flv,gif,apng,ogg,asf,mxf,nut,ivf,"
    "h264,hevc,h263,av1,obu,vc1,m4v,wtv,dv,rm,mjpeg,yuv4mpegpipe,dhav,swf,nsv,"
    "mp3,wav,flac,aac,ac3,eac3,aiff,amr,caf,w64,dts,truehd"
)
OPTIONS = {"format_whitelist": CONTAINERS, "protocol_whitelist": "file", "enable_drefs": "0"}
TEXT_STARTS = (
    (b"<!doctype", "a web page"), (b"<html", "a web page"), (b"#extm3u", "a playlist"), (b"ffconcat", "a list of other files"),
    (b"[playlist]", "a playlist"), (b"<?xml", "an XML text"), (b"<mpd", "a playlist"), (b"v=0", "a stream description"),
    (b"webvtt", "a subtitle file"), (b"[script info]", "a subtitle file"), (b"1\n00:", "a subtitle file"),
    (b"1\r\n00:", "a subtitle file"), (b"{1}{", "a subtitle file"), (b"{\\rtf", "a text document"),
    (b"version https://git-lfs", "a pointer to a file in Git LFS"), (b"{", "a JSON text"), (b"%pdf", "a PDF document"), (b"pk\x03\x04", "a ZIP archive"),
    (b"\x89png", "a still picture"), (b"\xff\xd8\xff", "a still picture"),
)  # fmt: skip
BROADCAST = {"mpegts", "mpeg"}
CLOCK = 2**33  # ticks after which a broadcast clock begins again
GIVE_UP = 200  # unreadable packets in a row after which the rest of a file is given up


def open_container(path: Path) -> InputContainer:
    """Open for reading. Raises `BadVideo` with one sentence."""
    head = _head(path)
    text = head.lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    moves = b"acTL" in head or path.suffix.lower() in (".mjpeg", ".mjpg")  # pictures in a row, in a still one's format
    for start, what in TEXT_STARTS:
        if text.startswith(start) and not (what == "a still picture" and moves):
            raise BadVideo(f"{path.name} is {what}, not a video file; open the video itself")
    try:
        return av.open(f"file:{path.absolute()}", options=dict(OPTIONS), metadata_errors="replace")
    except av.error.FFmpegError:
        if head[4:8] == b"ftyp" and "moov" not in _atoms(path):
            raise BadVideo(
                f"{path.name} is incomplete or not a video (moov atom not found); copy or download it again"
            ) from None
        raise BadVideo(f"{path.name} is not a video this app can read; convert it to MP4 and try again") from None


def _atoms(path: Path) -> list[str]:
    """The top-level boxes of an MP4 or QuickTime file, as far as it is whole."""
    found, size = list[str](), path.stat().st_size
    with path.open("rb") as file:
        at = 0
        while at + 8 <= size and len(found) < 10_000:
            file.seek(at)
            header = file.read(16)
            length = int.from_bytes(header[:4], "big")
            if length == 1:
                length = int.from_bytes(header[8:16], "big")
            if length < 8:
                break
            found.append(header[4:8].decode("latin-1"))
            at += length
    return found


def _head(path: Path) -> bytes:
    try:
        if not path.is_file():
            what = "is a folder, not a video file" if path.is_dir() else "was not found"
            raise BadVideo(f"{path.name or path} {what}; choose a video file")
        with path.open("rb") as file:
            head = file.read(4096)
    except OSError as error:
        raise BadVideo(f"{path.name} cannot be read ({error.strerror}); check the file and its permissions") from None
    if not head:
        raise BadVideo(f"{path.name} is empty (0 bytes); copy or download it again")
    return head


def main_picture(container: InputContainer) -> VideoStream | None:
    """The stream a player shows: no cover or thumbnail; the default one unless another is four times larger."""
    extra = Disposition.attached_pic | Disposition.timed_thumbnails | Disposition.still_image
    real = [s for s in container.streams.video if not s.disposition & extra]
    if not real:
        return None

    def area(stream: VideoStream) -> int:
        context = stream.codec_context
        return context.width * context.height if context else 0

    chosen = max(real, key=lambda s: (bool(s.disposition & Disposition.default), area(s)))
    largest = max(real, key=area)
    return largest if area(largest) >= 4 * area(chosen) else chosen


def main_sound(container: InputContainer) -> AudioStream | None:
    """The sound track a player plays: the default one, no commentary or audio description, the most channels."""
    aside = Disposition.comment | Disposition.hearing_impaired | Disposition.visual_impaired | Disposition.descriptions
    usable = [s for s in container.streams.audio if s.codec_context is not None]
    return max(
        usable,
        key=lambda s: (
            not s.disposition & aside, bool(s.disposition & Disposition.default), s.codec_context.channels, -s.index,
        ),
        default=None,
    )  # fmt: skip


def packets(container: InputContainer, stream: VideoStream | AudioStream) -> Iterator[Packet[Any]]:
    """The stream's packets; unreadable ones are skipped, a hopeless rest is given up. No final empty packet."""
    failures, behind, unit = 0, 0, _unit(stream) if container.format.name == "avi" else 0
    last, turns = None, 0
    while failures < GIVE_UP:
        try:
            for packet in container.demux(stream):
                if packet.size == 0 and packet.pts is None:
                    return
                failures = 0
                if unit:
                    behind = _counted(packet, behind, unit)
                elif container.format.name in BROADCAST and packet.dts is not None:
                    last, turns = _unwrapped(packet, last, turns)
                yield packet
            return
        except av.error.FFmpegError:
            failures += 1


def _unwrapped(packet: Packet[Any], last: int | None, turns: int) -> tuple[int, int]:
    """Carry the 33-bit clock of a broadcast stream on where it begins at 0 again in the middle of a recording. The
    library does so for the first recording in a file only. Returns the packet's decoding time, and how often it began."""
    assert packet.dts is not None
    second = round(1 / (packet.time_base or 1))
    if last is not None and 0 <= packet.dts + (turns + 1) * CLOCK - last < second:
        turns += 1
    packet.dts += turns * CLOCK
    if packet.pts is not None:
        packet.pts += turns * CLOCK
        if packet.pts < packet.dts - CLOCK // 2:  # shown after the clock began again, decoded before
            packet.pts += CLOCK
    return packet.dts, turns


def _unit(stream: VideoStream | AudioStream) -> int:
    """What the index of an AVI file counts in one tick of a stream: 1 packet, or bytes of plain sound."""
    index, rate = stream.index_entries, stream.codec_context.bit_rate
    in_bytes = len(index) > 1 and index[1].timestamp - index[0].timestamp == index[0].size > 1
    return max(1, round(rate / 8 * (stream.time_base or 0))) if in_bytes and rate else 1


def _counted(packet: Packet[Any], behind: int, unit: int) -> int:
    """Put right the stamp of an AVI packet, which is its number among those that were found: behind lost ones it is too
    small. The file's index tells it by the place of the packet. `behind` and the result: by how much."""
    index = packet.stream.index_entries
    at = bisect_left(index, (packet.pos or 0) - 8, key=lambda entry: entry.pos)  # 8: the head of the chunk
    if at < len(index) and index[at].pos + 8 == packet.pos and packet.dts is not None:
        behind, packet.is_keyframe = index[at].timestamp // unit - packet.dts, index[at].is_keyframe
    packet.dts = None if packet.dts is None else packet.dts + behind
    packet.pts = None if packet.pts is None else packet.pts + behind
    return behind


def only(container: InputContainer, stream: VideoStream | AudioStream) -> None:
    """Let the container skip the data of every other stream."""
    for other in container.streams:
        if other.index != stream.index:
            other.discard = av.stream.Discard.all


@dataclass(frozen=True, slots=True)
class StreamFacts:
    """One stream as its file describes it, for people. `layout`: pixel format, or sound channels and rate."""

    index: int
    kind: str
    codec: str
    profile: str
    layout: str
    default: bool
    container: str


def streams(path: Path) -> list[StreamFacts]:
    """Every stream of a file, in order. Raises `BadVideo`."""
    with open_container(path) as container:
        listed = []
        for stream in container.streams:
            context: Any = stream.codec_context
            layout = ""
            if stream.type == "video" and context:
                layout = str(context.pix_fmt)
            elif stream.type == "audio" and context:
                layout = f"{context.layout.name}, {context.sample_rate} Hz"
            codec, profile = (context.name, context.profile) if context else ("unknown", None)
            default = bool(stream.disposition & Disposition.default)
            listed.append(
                StreamFacts(stream.index, stream.type, codec, profile or "", layout, default, container.format.name)
            )
        return listed
