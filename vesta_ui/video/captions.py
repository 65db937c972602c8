"""The text subtitles inside a video file, on the picture's clock. Pictures of text (DVD, Blu-ray) are not read."""

from __future__ import annotations

from collections.abc import Iterator

import av
from av.stream import Disposition
from av.subtitles.stream import SubtitleStream

from vesta_ui.video.container import open_container
from vesta_ui.video.decode import Source


def cues(source: Source) -> Iterator[tuple[float, float, str]]:
    """(start, end, text as stored, with its markup) of the default subtitle track, else the first. None: no cues."""
    origin = float(source.timeline.origin * source.timeline.time_base)
    container = open_container(source.path)
    try:
        tracks = list(container.streams.subtitles)
        if not tracks:
            return
        track = max(tracks, key=lambda one: (bool(one.disposition & Disposition.default), -one.index))
        assert isinstance(track, SubtitleStream)
        for packet in container.demux(track):
            if packet.pts is None or not packet.duration or track.time_base is None:
                continue
            try:
                read = packet.decode()
            except (av.error.FFmpegError, ValueError):
                continue
            start = float(packet.pts * track.time_base) - origin
            for one in read:
                text = getattr(one, "dialogue", b"") or getattr(one, "text", b"")
                if text:
                    yield start, start + float(packet.duration * track.time_base), text.decode("utf-8", "replace")
    finally:
        container.close()
