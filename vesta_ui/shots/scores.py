"""How much each picture differs from the one before: PySceneDetect's content score, most of it from few pixels.

The score is the mean absolute difference of hue, saturation and brightness of pictures 256 pixels wide. Most pictures
are told from a grid of single pixels, some 3,600 of them, for a tenth of the work. Where that could decide about a cut,
the decoder's planes are shrunk before their colours are converted; where even that could, the score is computed from the
full picture, as PySceneDetect does. Knows no scene.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import av
import cv2
import numpy as np
from numpy.typing import NDArray

from vesta_ui.video.picture import Image, fit

WIDTH = 256  # PySceneDetect's working width (of the longer side)
GRID = 80  # pixels along the longer side of the grid
GRID_BAND = 14.0  # how far a grid's score is trusted: largest error seen 6.6 (strong noise), 2.4 (all else)
BAND = 10.0  # how far a shrunk picture's is: largest error seen 4.6 (640×360), 3.6 (1280×720), 2.3 (1920×1080)
DEPTHS = {"yuv420p": 8, "yuvj420p": 8, "yuv422p": 8, "yuvj422p": 8, "yuv444p": 8, "yuvj444p": 8, "yuv420p10le": 10}
WEIGHTS = {
    1: (0.2126, 0.0722),
    9: (0.2627, 0.0593),
    10: (0.2627, 0.0593),
}  # red and blue in brightness, by colour space
DEFAULT_WEIGHTS = (0.299, 0.114)
FULL_RANGE = 2


class Scorer:
    """Scores pictures in display order. `thresholds`: the values that will decide about a cut. Not `exact`: a score near
    them comes from shrunk planes as well."""

    def __init__(self, width: int, height: int, thresholds: tuple[float, ...], exact: bool = True) -> None:
        self._size, self._exact = fit(width, height, WIDTH), exact
        self._low, self._high = min(thresholds), max(thresholds)
        self._before: Look | None = None

    @property
    def sight(self) -> Image | None:
        """The grid of the picture scored last; None where its planes cannot be read."""
        return self._before.seen(grid) if self._before and self._before.planar else None

    def score(self, frame: av.VideoFrame) -> float:
        """The difference from the picture before, 0 to 255; 0 for the first."""
        before, now = self._before, Look(frame, self._size)
        self._before = now
        if before is None:
            return 0.0
        if now.planar and before.planar:
            for make, band in CHEAP:
                value = distance(now.seen(make), before.seen(make))
                if not self._low - band < value < self._high + band:
                    return value
            if not self._exact:
                return value
        return distance(now.seen(full), before.seen(full))


class Look:
    """One picture and what has been made of it so far."""

    def __init__(self, frame: av.VideoFrame, size: tuple[int, int]) -> None:
        self.frame, self.size = frame, size
        self.planar = frame.format.name in DEPTHS and max(frame.width, frame.height) > GRID
        self._seen: dict[Callable[[Look], Image], Image] = {}

    def seen(self, make: Callable[[Look], Image]) -> Image:
        if make not in self._seen:
            self._seen[make] = make(self)
        return self._seen[make]

    def planes(self) -> tuple[list[NDArray[Any]], int]:
        """Brightness and the two colour planes as stored, and their depth in bits."""
        depth = DEPTHS[self.frame.format.name]
        size = 1 if depth == 8 else 2
        return [
            np.frombuffer(memoryview(plane), f"u{size}").reshape(-1, plane.line_size // size)[
                : plane.height, : plane.width
            ]
            for plane in self.frame.planes
        ], depth

    def colours(self, yuv: NDArray[np.uint8]) -> Image:
        full = self.frame.color_range == FULL_RANGE or self.frame.format.name.startswith("yuvj")
        return _hsv(cv2.transform(yuv, _to_bgr(self.frame.colorspace, full)))


def grid(look: Look) -> Image:
    """Hue, saturation, brightness of single pixels at even steps; colour planes of half a side have half the step."""
    planes, depth = look.planes()
    whole = planes[0]
    step = max(2, max(whole.shape) // GRID // 2 * 2)
    picked = np.empty((-(-whole.shape[0] // step), -(-whole.shape[1] // step), 3), np.uint8)
    for index, plane in enumerate(planes):
        down = step if plane.shape[0] == whole.shape[0] else step // 2
        across = step if plane.shape[1] == whole.shape[1] else step // 2
        pixels = plane[::down, ::across]
        picked[:, :, index] = pixels if depth == 8 else pixels >> (depth - 8)
    return look.colours(picked)


def shrunk(look: Look) -> Image:
    """Hue, saturation, brightness from shrunk planes."""
    planes, depth = look.planes()
    small: list[NDArray[Any]] = []
    for index, plane in enumerate(planes):
        how = cv2.INTER_NEAREST_EXACT if index else cv2.INTER_LINEAR
        plane = cv2.resize(plane, look.size, interpolation=how)
        small.append(plane if depth == 8 else (plane >> (depth - 8)).astype(np.uint8))
    return look.colours(cv2.merge(small))


def full(look: Look) -> Image:
    image = np.asarray(look.frame.to_ndarray(format="bgr24", threads=1), np.uint8)
    if (image.shape[1], image.shape[0]) != look.size:
        image = cv2.resize(image, look.size, interpolation=cv2.INTER_LINEAR)
    return _hsv(image)


CHEAP = ((grid, GRID_BAND), (shrunk, BAND))
"""Ways to look at a picture, the cheapest first, each with its band; the last resort is `full`."""


@cache
def _to_bgr(space: int, full: bool) -> NDArray[np.float32]:
    """3×4: (Y, U, V, 1) to blue, green, red."""
    red, blue = WEIGHTS.get(space, DEFAULT_WEIGHTS)
    green = 1 - red - blue
    luma, chroma = (1.0, 1.0) if full else (255 / 219, 255 / 224)
    rows = np.array(
        [
            [luma, 2 * (1 - blue) * chroma, 0],
            [luma, -2 * (1 - blue) * blue / green * chroma, -2 * (1 - red) * red / green * chroma],
            [luma, 0, 2 * (1 - red) * chroma],
        ]
    )
    zero = rows @ np.array([0 if full else 16, 128, 128])
    return np.asarray(np.hstack([rows, -zero[:, None]]), np.float32)


def _hsv(bgr: NDArray[np.uint8]) -> Image:
    return np.asarray(cv2.cvtColor(bgr, cv2.COLOR_BGR2HSV), np.uint8)


def distance(one: Image, other: Image) -> float:
    return float(cv2.norm(one, other, cv2.NORM_L1)) / one.size
