"""How much each picture differs from the one before: PySceneDetect's content score, most of it from few pixels.

The score is the mean absolute difference of hue, saturation and brightness of pictures 256 pixels wide. Shrinking the
decoder's planes before the colours are converted gives it to within a few units for a quarter of the work; wherever
that could decide about a cut, it is computed again from the full picture, as PySceneDetect does. Knows no scene.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import av
import cv2
import numpy as np
from numpy.typing import NDArray

from vesta_ui.video.picture import Image, fit

WIDTH = 256  # PySceneDetect's working width (of the longer side)
BAND = 10.0  # how far a quick score is trusted: largest error seen 4.6 (640×360), 3.6 (1280×720), 2.3 (1920×1080)
DEPTHS = {"yuv420p": 8, "yuvj420p": 8, "yuv422p": 8, "yuvj422p": 8, "yuv444p": 8, "yuvj444p": 8, "yuv420p10le": 10}
WEIGHTS = {
    1: (0.2126, 0.0722),
    9: (0.2627, 0.0593),
    10: (0.2627, 0.0593),
}  # red and blue in brightness, by colour space
DEFAULT_WEIGHTS = (0.299, 0.114)
FULL_RANGE = 2


class Scorer:
    """Scores pictures in display order. `thresholds`: the values that will decide about a cut; none: quick scores do."""

    def __init__(self, width: int, height: int, thresholds: tuple[float, ...]) -> None:
        self._size = fit(width, height, WIDTH)
        self._low, self._high = (min(thresholds) - BAND, max(thresholds) + BAND) if thresholds else (256.0, 0.0)
        self._previous: av.VideoFrame | None = None
        self._quick: Image | None = None
        self._exact: Image | None = None

    def score(self, frame: av.VideoFrame) -> float:
        """The difference from the picture before, 0 to 255; 0 for the first."""
        quick = self._shrunk(frame)
        previous, quick_before, exact_before = self._previous, self._quick, self._exact
        self._previous, self._quick, self._exact = frame, quick, None
        if previous is None:
            return 0.0
        if quick is not None and quick_before is not None:
            value = _distance(quick, quick_before)
            if not self._low < value < self._high:
                return value
        self._exact = self._full(frame)
        return _distance(self._exact, self._full(previous) if exact_before is None else exact_before)

    def _shrunk(self, frame: av.VideoFrame) -> Image | None:
        """Hue, saturation, brightness from shrunk planes; None for layouts that are not planar YUV."""
        depth = DEPTHS.get(frame.format.name)
        if depth is None or max(frame.width, frame.height) <= WIDTH:
            return None
        width = 1 if depth == 8 else 2
        planes: list[NDArray[Any]] = []
        for index, plane in enumerate(frame.planes):
            whole = np.frombuffer(memoryview(plane), f"u{width}").reshape(-1, plane.line_size // width)[
                : plane.height, : plane.width
            ]
            how = cv2.INTER_NEAREST_EXACT if index else cv2.INTER_LINEAR
            small = cv2.resize(whole, self._size, interpolation=how)
            planes.append(small if depth == 8 else (small >> (depth - 8)).astype(np.uint8))
        full = frame.color_range == FULL_RANGE or frame.format.name.startswith("yuvj")
        return _hsv(cv2.transform(cv2.merge(planes), _to_bgr(frame.colorspace, full)))

    def _full(self, frame: av.VideoFrame) -> Image:
        image = np.asarray(frame.to_ndarray(format="bgr24", threads=1), np.uint8)
        if (image.shape[1], image.shape[0]) != self._size:
            image = cv2.resize(image, self._size, interpolation=cv2.INTER_LINEAR)
        return _hsv(image)


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


def _distance(one: Image, other: Image) -> float:
    return float(cv2.norm(one, other, cv2.NORM_L1)) / one.size
