"""One clock for a video: from the time stamps of its packets to seconds from the start of the picture as it is shown.

Pure: knows no file and no decoder. Ticks are integers in the picture stream's time base after repair, seconds are floats.
Repaired here: recordings glued together (time jumps), missing time stamps, pictures before the start of an edit list.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

MISSING = -(2**63)
BACKWARD_S = 1.0  # a decoding time that falls back this far begins another recording
FORWARD_S = 10.0  # so does one that leaps this far in a broadcast stream, where pictures come without pause
REORDER = 16  # how far apart file order and display order may be, in pictures (H.264 and HEVC allow 16)
HOLE_S, HOLE_STEPS = 0.5, 8  # a picture that stays longer, and this many times longer than usual, hints at lost ones
ROUNDING_S = 6e-4  # times that passed through milliseconds still find their own frame


class PacketLog:
    """What a demultiplexer said of one stream's packets, in file order. Appended to in one pass; 49 bytes a packet."""

    def __init__(self) -> None:
        self.pts, self.dts, self.duration, self.size = array("q"), array("q"), array("q"), array("q")
        self.key, self.hidden, self.corrupt = array("b"), array("b"), array("b")

    def add(
        self, pts: int | None, dts: int | None, duration: int, size: int, key: bool, hidden: bool, corrupt: bool
    ) -> None:
        """One packet. `hidden`: decoded but never shown (before the start of an edit list)."""
        self.pts.append(MISSING if pts is None else pts)
        self.dts.append(MISSING if dts is None else dts)
        self.duration.append(duration)
        self.size.append(size)
        self.key.append(key)
        self.hidden.append(hidden)
        self.corrupt.append(corrupt)

    def __len__(self) -> int:
        return len(self.pts)


@dataclass(frozen=True, slots=True)
class Segment:
    """Packets from `first` (0-based, file order) on have `offset` ticks added to their stamps."""

    first: int
    offset: int


@dataclass(frozen=True)
class Timeline:
    """When each picture is shown. `ticks`: display order, strictly rising, int64. `keys`: ticks at which decoding can
    start, rising. `sizes`: bytes per picture, aligned with `ticks`. `origin`: the tick of second 0. `corrupt`:
    ticks of packets that arrived damaged. `missing` pictures had no stamp, `hidden` ones are never shown. `stampless`:
    no stamp can be trusted, pictures have an order alone."""

    ticks: NDArray[np.int64]
    sizes: NDArray[np.int64]
    keys: NDArray[np.int64]
    origin: int
    time_base: Fraction
    last_duration: int
    segments: tuple[Segment, ...]
    missing: int
    unstamped_start: bool
    stampless: bool
    corrupt: NDArray[np.int64]
    hidden: int

    @property
    def seekable(self) -> bool:
        """Whether the file's own stamps order it, so that seeking by time is safe. A stamp lost here and there is no harm."""
        return len(self.segments) == 1 and not self.unstamped_start and not self.stampless

    @property
    def duration_s(self) -> float:
        return float((int(self.ticks[-1]) - self.origin + self.last_duration) * self.time_base)

    def seconds(self, tick: int) -> float:
        return (tick - self.origin) * self.time_base.numerator / self.time_base.denominator

    def ordinal(self, tick: int) -> int:
        """0-based number, in display order, of the picture shown at a tick; 0 before the first."""
        return max(0, int(np.searchsorted(self.ticks, tick, "right")) - 1)

    def shown_at(self, seconds: float) -> int:
        """The tick of the picture shown at a time: the last that began at or before it."""
        tick = self.origin + int((seconds + ROUNDING_S) / float(self.time_base))
        return int(self.ticks[self.ordinal(tick)])

    def key_before(self, tick: int, back: int = 0) -> int | None:
        """The tick of the key picture to decode from, `back` key pictures earlier; None: from the start of the file."""
        index = int(np.searchsorted(self.keys, tick, "right")) - 1 - back
        return int(self.keys[index]) if index >= 0 else None

    def key_after(self, tick: int) -> int:
        """The tick of the next key picture; one past the last picture after the last of them."""
        index = int(np.searchsorted(self.keys, tick, "right"))
        return int(self.keys[index]) if index < len(self.keys) else int(self.ticks[-1]) + max(1, self.last_duration)

    def after(self, tick: int) -> int:
        """The next picture's tick; one past the given tick after the last."""
        index = int(np.searchsorted(self.ticks, tick, "right"))
        return int(self.ticks[index]) if index < len(self.ticks) else tick + max(1, self.last_duration)

    def offset(self, packet: int) -> int:
        """Ticks to add to the stamps of a packet, by its number in file order."""
        return self.segments[bisect_right(self.segments, packet, key=lambda s: s.first) - 1].offset

    def from_first(self, tick: int) -> Timeline:
        """The same with second 0 at `tick`, the first picture that was really decoded; earlier ones are dropped."""
        keep = self.ticks >= tick
        return replace(self, ticks=self.ticks[keep], sizes=self.sizes[keep], origin=tick)

    @property
    def variable(self) -> bool:
        """Whether pictures come at uneven intervals (beyond the rounding of stamps)."""
        steps = np.diff(self.ticks)
        if len(steps) < 2:
            return False
        middle = float(np.median(steps))
        return bool(np.mean(np.abs(steps - middle) > max(1.5, 0.1 * middle)) > 0.02)

    @property
    def holes(self) -> list[tuple[float, float]]:
        """(start, end) in seconds of every stretch in which an otherwise even film has no picture. A film of uneven pace
        has none: there a picture may stay."""
        if self.variable:
            return []
        steps = np.diff(self.ticks)
        least = max(HOLE_S / float(self.time_base), HOLE_STEPS * float(np.median(steps))) if len(steps) else 0
        return [
            (self.seconds(int(self.ticks[i])), self.seconds(int(self.ticks[i + 1])))
            for i in np.flatnonzero(steps > least)
        ]


def build(log: PacketLog, time_base: Fraction, rate: Fraction | None, broadcast: bool) -> Timeline | None:
    """The timeline of a packet log, or None when it holds no picture.

    `rate` (pictures a second, or None) spaces pictures without stamps. `broadcast`: leaps forward are seams as well.
    """
    if not len(log):
        return None
    pts, dts = np.frombuffer(log.pts, np.int64), np.frombuffer(log.dts, np.int64)
    duration, size = np.frombuffer(log.duration, np.int64), np.frombuffer(log.size, np.int64)
    key, hidden = np.frombuffer(log.key, np.int8).astype(bool), np.frombuffer(log.hidden, np.int8).astype(bool)
    usual = _usual_step(pts, duration, time_base, rate)
    step = max(1, round(usual))
    segments, shifted = _join(pts, dts, hidden, step, time_base, broadcast)
    missing = shifted == MISSING
    shown = ~hidden
    repeated = False
    if missing.any():
        last_of_each = np.zeros(len(pts), bool)
        last_of_each[len(pts) - 1 - np.unique(shifted[::-1], return_index=True)[1]] = True
        repeated = bool((~missing & ~last_of_each).any())  # several pictures in one packet of the container, one stamp
        missing |= ~last_of_each
        offsets = np.array([s.offset for s in segments])[
            np.searchsorted([s.first for s in segments], np.arange(len(pts)), "right") - 1
        ]
        shifted = _fill(shifted, np.where(dts == MISSING, MISSING, dts + offsets), missing, usual)
    if not shown.any():
        shown = np.ones(len(log), bool)
    ticks, where = np.unique(shifted[shown], return_index=True)
    last = int(duration[shown][where[-1]])
    return Timeline(
        ticks=ticks,
        sizes=size[shown][where],
        keys=np.unique(shifted[key & ~missing] if not missing.all() else shifted[key]),
        origin=int(ticks[0]),
        time_base=time_base,
        last_duration=last if last > 0 else step,
        segments=segments,
        missing=int(missing.sum()),
        unstamped_start=bool(missing[0]),
        stampless=bool(missing.all()) or repeated,
        corrupt=np.unique(shifted[_corrupt(log, segments)]),
        hidden=int((~shown).sum()),
    )


def _corrupt(log: PacketLog, segments: tuple[Segment, ...]) -> NDArray[np.bool_]:
    """Packets that arrived damaged; not those at a seam, where counters jump as they must."""
    corrupt = np.frombuffer(log.corrupt, np.int8).astype(bool)
    for segment in segments[1:]:
        corrupt[max(0, segment.first - 4) : segment.first + 2] = False
    return corrupt


def _usual_step(
    pts: NDArray[np.int64], duration: NDArray[np.int64], time_base: Fraction, rate: Fraction | None
) -> Fraction:
    """Ticks from one picture to the next: from the stamps, refined by the announced rate where the two agree."""
    announced = 1 / (rate * time_base) if rate and rate > 0 else None
    steps = np.diff(np.unique(pts[pts != MISSING]))
    if len(steps):
        middle = Fraction(int(np.median(steps)))
        if announced and (pts == MISSING).any() and abs(middle / announced - round(middle / announced)) < 0.05:
            return announced  # stamps come with every second or third picture alone
        return announced if announced and abs(announced - middle) <= 1 else max(Fraction(1), middle)
    if announced:
        return announced
    if (duration > 0).any():
        return Fraction(int(np.median(duration[duration > 0])))
    return Fraction(1, 25) / time_base


def _join(
    pts: NDArray[np.int64], dts: NDArray[np.int64], hidden: NDArray[np.bool_], step: int, time_base: Fraction,
    broadcast: bool,
) -> tuple[tuple[Segment, ...], NDArray[np.int64]]:  # fmt: skip
    """Find the seams and lay each recording right behind the one before it."""
    stamped = dts != MISSING
    order, back = (dts, 0) if stamped.any() else (pts, REORDER * step)  # display times step back by themselves
    known = np.flatnonzero(order != MISSING)
    jumps = np.diff(order[known])
    seams = jumps < -max(back, int(BACKWARD_S / time_base))
    if broadcast:
        seams |= jumps > int(FORWARD_S / time_base)
    firsts = [0, *(int(i) for i in known[1:][seams])]
    shifted, segments, end = pts.copy(), [], None
    for first, stop in zip(firsts, [*firsts[1:], len(pts)], strict=True):
        part = shifted[first:stop]
        usable = (part != MISSING) & ~hidden[first:stop]
        if not usable.any():
            usable = part != MISSING
        offset = 0
        if end is not None and usable.any():
            offset = end - int(part[usable].min())
        part[part != MISSING] += offset
        if usable.any():
            end = int(part[usable].max()) + step
        segments.append(Segment(first, offset))
    return tuple(segments), shifted


def _fill(
    pts: NDArray[np.int64], dts: NDArray[np.int64], missing: NDArray[np.bool_], step: Fraction
) -> NDArray[np.int64]:
    """Stamps for pictures that have none: as many display times as there are pictures, evenly before or after the known
    ones. Which picture gets which is settled by display order when they are decoded."""
    known = np.flatnonzero(~missing)
    places = np.arange(len(pts))
    if not len(known):
        return np.sort(dts) if (dts != MISSING).all() else np.asarray(places * float(step), np.int64)
    filled = pts.copy()
    leading = known[0] + (REORDER if missing[0] else 0)
    first = int(pts[known].min())
    before = places[missing & (places < leading)]
    filled[before] = first - np.rint((len(before) - np.arange(len(before))) * float(step)).astype(np.int64)
    taken = set(np.rint((pts[known] - first) / float(step)).astype(np.int64).tolist())
    decoded = np.where(dts != MISSING, dts, np.where(missing, first, pts - round(REORDER * step)))
    decoded = np.maximum.accumulate(decoded)
    slot = 0
    for index in places[missing & (places >= leading)].tolist():  # nothing is shown before it is decoded
        slot = max(slot, int((int(decoded[index]) - first) / step))
        while slot in taken:
            slot += 1
        taken.add(slot)
        filled[index] = first + round(slot * step)
    return filled
