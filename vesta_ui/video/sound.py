"""The main sound track as mono blocks on the picture's clock. Knows no speech."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction

import av
import numpy as np
from av.audio.stream import AudioStream
from numpy.typing import NDArray

from vesta_ui.domain import Interval, merge
from vesta_ui.video.container import only, open_container, packets
from vesta_ui.video.decode import Source
from vesta_ui.video.timeline import BACKWARD_S, FORWARD_S

HOLE_S = 0.1  # sound that comes this much later or earlier than expected begins a new block; shorter damage is not told
NEAR_S = 0.5  # damage this close together is told as one span


def damaged(source: Source, reach: Callable[[float], None]) -> tuple[Interval, ...]:
    """Spans (seconds on the clock) whose sound arrived damaged or does not decode, by reading all of it. Damage that a
    decoder takes for sound, as those of PCM and Opus do, is not found. `reach` is told the seconds read so far."""
    found: list[Interval] = []
    for begin, samples in blocks(source, 8_000, 10.0, found):
        reach(begin + len(samples) / 8_000)
    return told(found)


def told(damage: Iterable[Interval]) -> tuple[Interval, ...]:
    """Damage as spans worth telling."""
    return tuple(span for span in merge(damage, within=NEAR_S) if span.length >= HOLE_S)


def blocks(
    source: Source, sample_rate: int, block_s: float, damage: list[Interval] | None = None
) -> Iterator[tuple[float, NDArray[np.float32]]]:
    """(seconds of the first sample on the clock, float32 samples). Broken packets leave a hole; memory is one block.
    `damage` collects, while it is read, from where to where sound was damaged (seconds on the clock)."""
    held: list[NDArray[np.float32]] = []
    begin, count = 0.0, 0
    for time, samples in _pieces(source, sample_rate, [] if damage is None else damage):
        if time < 0:
            samples = samples[round(-time * sample_rate) :]
            time = 0.0
        if not len(samples):
            continue
        if held and abs(time - (begin + count / sample_rate)) > HOLE_S:
            yield begin, np.concatenate(held)
            held, count = [], 0
        if not held:
            begin = time
        held.append(samples)
        count += len(samples)
        limit = max(1, round(block_s * sample_rate))
        while count >= limit:
            whole = np.concatenate(held)
            yield begin, whole[:limit]
            begin, count = begin + limit / sample_rate, count - limit
            held = [whole[limit:]] if count else []
    if held:
        yield begin, np.concatenate(held)


def _pieces(source: Source, sample_rate: int, damage: list[Interval]) -> Iterator[tuple[float, NDArray[np.float32]]]:
    """Short runs of samples with their times; the resampler's delay is taken into account by its own stamps."""
    timeline, container = source.timeline, open_container(source.path)
    try:
        stream = container.streams[source.sound or 0]
        assert isinstance(stream, AudioStream)
        only(container, stream)
        base = stream.time_base or Fraction(1, sample_rate)
        start = float(timeline.origin * timeline.time_base)
        seams = [float(s.offset * timeline.time_base) for s in timeline.segments]
        resampler = av.AudioResampler("fltp", "mono", sample_rate)
        last, shift, segment, expected = None, 0.0, 0, 0.0
        begun, broken = False, None  # what does not decode before the first sound is cut off, not damaged
        for packet in packets(container, stream):
            stamp = packet.dts if packet.dts is not None else packet.pts
            if stamp is not None:
                step = float((stamp - last) * base) if last is not None else 0.0
                if segment + 1 < len(seams) and (step < -BACKWARD_S or (source.broadcast and step > FORWARD_S)):
                    segment += 1
                    shift = seams[segment]
                    begun, broken = False, None
                    resampler = av.AudioResampler("fltp", "mono", sample_rate)
                last = stamp
            try:
                frames = stream.codec_context.decode(packet)
            except (av.error.FFmpegError, ValueError):
                if begun and broken is None:
                    broken = expected
                continue
            for frame in frames:
                if frame.pts is not None and frame.time_base:
                    expected = float(frame.pts * frame.time_base) + shift - start
                if broken is not None:
                    _note(damage, broken, expected)
                    broken = None
                if packet.is_corrupt or frame.is_corrupt:
                    _note(damage, expected, expected + frame.samples / frame.sample_rate)
                begun, frame.pts = True, None
                try:
                    made = resampler.resample(frame)
                except (av.error.FFmpegError, ValueError):  # the layout changed in the middle
                    resampler = av.AudioResampler("fltp", "mono", sample_rate)
                    made = resampler.resample(frame)
                for piece in made:
                    samples = np.asarray(piece.to_ndarray()[0], np.float32)
                    yield expected, samples
                    expected += len(samples) / sample_rate
        for piece in resampler.resample(None):
            yield expected, np.asarray(piece.to_ndarray()[0], np.float32)
        if broken is not None and last is not None:
            _note(damage, broken, float(last * base) + shift - start)
    finally:
        container.close()


def _note(damage: list[Interval], begin: float, end: float) -> None:
    if end > max(begin, 0.0):
        damage.append(Interval(max(begin, 0.0), end))
