"""Decoded pictures as people see them: turned once, square pixels, whole lines, the right colours, wide-range light mapped
to a screen.

Knows no file and no time.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

import av
import numpy as np
from av.video.reformatter import ColorTrc
from numpy.typing import NDArray

Image = NDArray[np.uint8]

WHITE_NITS = 203.0  # reference white of wide-range video (ITU-R BT.2408)
HLG_PEAK_NITS = 1000.0
PQ, HLG = int(ColorTrc.SMPTE2084), int(ColorTrc.ARIB_STD_B67)
BT709, BT601 = 1, 5  # libswscale's numbers
SPACES = {1: BT709, 4: 4, 5: BT601, 6: BT601, 7: 7, 9: 9, 10: 9}  # from FFmpeg's numbers
UNSPECIFIED = 2
LIMITED = 1
BT2020_TO_709 = np.array(
    [[1.6605, -0.5876, -0.0728], [-0.1246, 1.1329, -0.0083], [-0.0182, -0.1006, 1.1187]], np.float32
)


@dataclass(frozen=True, slots=True)
class Turn:
    """How a stored picture becomes the displayed one: transpose first, then mirror."""

    transpose: bool = False
    mirror: bool = False
    flip: bool = False

    def apply(self, image: Image) -> Image:
        if self.transpose:
            image = image.swapaxes(0, 1)
        if self.mirror:
            image = image[:, ::-1]
        if self.flip:
            image = image[::-1]
        return np.ascontiguousarray(image)

    @property
    def degrees(self) -> int:
        """Counter-clockwise turn, for people; a mirrored picture reports the turn alone."""
        if self.transpose:
            return 270 if self.mirror else 90
        return 180 if self.mirror and self.flip else 0


def turn_of(frame: av.VideoFrame) -> Turn:
    """The display matrix of a frame, to the nearest quarter turn. Absent or broken: as stored."""
    sides: Any = frame.side_data
    matrix = next((side for side in sides if side.type.name == "DISPLAYMATRIX"), None)
    if matrix is None:
        return Turn()
    a, b, _, c, d, *_ = (int(v) for v in np.frombuffer(bytes(matrix), np.int32))
    if a == b == c == d == 0:
        return Turn()
    if abs(a) + abs(d) >= abs(b) + abs(c):
        return Turn(False, a < 0, d < 0)
    return Turn(True, c < 0, b < 0)


def pixel_shape(ratio: Fraction | None) -> Fraction:
    """Width over height of a stored pixel; 1 when missing, absurd or only a rounding away from square."""
    usable = ratio is not None and Fraction(1, 8) <= ratio <= 8 and abs(ratio - 1) > Fraction(1, 100)
    return ratio if ratio is not None and usable else Fraction(1)


def is_wide_range(transfer: int) -> bool:
    """Whether light is coded as HDR (PQ or HLG)."""
    return transfer in (PQ, HLG)


def fit(width: int, height: int, max_side: int | None) -> tuple[int, int]:
    """Width and height shrunk, never enlarged, so that no side exceeds `max_side`; at least one pixel each."""
    scale = min(1.0, max_side / max(width, height)) if max_side else 1.0
    return max(1, round(width * scale)), max(1, round(height * scale))


def displayed_size(width: int, height: int, pixel: Fraction, turn: Turn) -> tuple[int, int]:
    """Width and height on screen. Pixels that are not square are stretched, never squeezed, as browsers do."""
    wide = round(width * pixel) if pixel > 1 else width
    high = round(height / pixel) if pixel < 1 else height
    return (high, wide) if turn.transpose else (wide, high)


def progressive(frame: av.VideoFrame) -> av.VideoFrame:
    """An interlaced frame without combs: its first field, the other lines drawn along edges from it. Others as they are."""
    if not frame.interlaced_frame:
        return frame
    graph = av.filter.Graph()
    base = frame.time_base or Fraction(1, 90_000)
    source = graph.add_buffer(width=frame.width, height=frame.height, format=frame.format, time_base=base)
    graph.link_nodes(source, graph.add("estdif", "mode=frame"), graph.add("buffersink")).configure()
    try:
        graph.push(frame)
        graph.push(None)
        whole = graph.pull()
    except (av.error.FFmpegError, ValueError):  # a layout the filter does not take
        return frame
    assert isinstance(whole, av.VideoFrame)
    return whole


def to_rgb(frame: av.VideoFrame, pixel: Fraction, turn: Turn, max_side: int | None) -> Image:
    """(H, W, 3) RGB, 8 bits, as displayed. Scaled while converting, so a huge frame never exists at full size in RGB."""
    frame = progressive(frame)
    width, height = fit(*displayed_size(frame.width, frame.height, pixel, turn), max_side)
    if turn.transpose:
        width, height = height, width
    transfer = frame.color_trc
    layout = "rgb48le" if is_wide_range(transfer) else "rgb24"
    plain = frame.reformat(width=width, height=height, format=layout, src_colorspace=colour_space(frame), threads=1)
    image = plain.to_ndarray()
    if is_wide_range(transfer):
        image = tone_map(image.astype(np.uint16, copy=False), transfer)
    return turn.apply(image.astype(np.uint8, copy=False))


def colour_space(frame: av.VideoFrame) -> int:
    """libswscale's number for how a frame codes colour; where it does not say, what players assume for its size."""
    if frame.colorspace == UNSPECIFIED:
        return BT709 if frame.height >= 720 else BT601
    return SPACES.get(frame.colorspace, BT601)


def tone_map(image: NDArray[np.uint16], transfer: int) -> Image:
    """RGB in BT.2020 with PQ or HLG light, 16 bits, to 8-bit sRGB: light up to reference white is kept up to a knee, the
    rest is rolled off. Colours are approximate, as on any screen that is not HDR."""
    light = _light(transfer)[image] @ BT2020_TO_709.T
    light = np.maximum(light, 0.0)
    knee = 0.6
    rolled = knee + (1 - knee) * (1 - np.exp(-(light - knee) / (1 - knee)))
    light = np.where(light > knee, rolled, light)
    gamma = np.where(light <= 0.0031308, 12.92 * light, 1.055 * np.power(light, 1 / 2.4) - 0.055)
    return np.asarray(np.clip(gamma * 255 + 0.5, 0, 255), np.uint8)


@cache
def _light(transfer: int) -> NDArray[np.float32]:
    """Code value (16 bits) to light, 1.0 = reference white."""
    code = np.arange(65536) / 65535.0
    if transfer == PQ:  # SMPTE ST 2084 inverse
        power = np.power(code, 1 / 78.84375)
        nits = 10000 * np.power(np.maximum(power - 0.8359375, 0) / (18.8515625 - 18.6875 * power), 1 / 0.1593017578125)
    else:  # ARIB STD-B67 inverse with a system gamma of 1.2
        scene = np.where(code <= 0.5, code**2 / 3, (np.exp((code - 0.55991073) / 0.17883277) + 0.28466892) / 12)
        nits = HLG_PEAK_NITS * np.power(scene, 1.2)
    return np.asarray(nits / WHITE_NITS, np.float32)
