"""Vivid objects in a picture, and what moves across a run of pictures: a coloured object, or the camera (pan, zoom).

Pictures are RGB arrays (H, W, 3) uint8 of one size. Knows no video, no question and no names but colours and forms.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import cv2
import numpy as np
from numpy.typing import NDArray

from vesta_ui.perception import Box, Image, colour_of, motion, region_name

SIDE = 240
"""Pixels of the longer side at which objects are looked for."""
SOLID = 0.9
"""Share of its convex hull that a circle, square, rectangle or triangle fills."""
LEAST, MOST = 0.002, 0.3
"""Share of the picture an object takes."""


@dataclass(frozen=True, slots=True)
class Thing:
    """A patch of one vivid colour that stands out. `form`: circle, square, rectangle, triangle or patch."""

    colour: str
    form: str
    share: float
    region: str
    box: Box

    @property
    def name(self) -> str:
        return f"{self.colour} {self.form}"

    @property
    def centre(self) -> tuple[float, float]:
        return (self.box[0] + self.box[2]) / 2, (self.box[1] + self.box[3]) / 2


def things(image: Image, most: int = 4) -> list[Thing]:
    """Objects of a vivid colour against calmer surroundings, the most conspicuous first; at most `most`."""
    small = _small(image)
    height, width = small.shape[:2]
    hsv = cv2.cvtColor(small, cv2.COLOR_RGB2HSV)
    chroma = (hsv[:, :, 1].astype(np.int32) * hsv[:, :, 2] // 255).astype(np.uint8)
    vivid = ((chroma > max(90, int(np.percentile(chroma, 70)))) & (hsv[:, :, 2] > 70)).astype(np.uint8)
    found: list[Thing] = []
    for low, high in ((0, 8), (8, 22), (22, 36), (36, 86), (86, 128), (128, 146), (146, 180)):
        hue = hsv[:, :, 0]
        band = ((hue >= low) & (hue < high)) if low else ((hue < high) | (hue >= 174))
        mask = cv2.morphologyEx((vivid & band).astype(np.uint8), cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
        contours, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
        for contour in contours:
            share = cv2.contourArea(contour) / (height * width)
            if LEAST <= share <= MOST:
                x, y, w, h = cv2.boundingRect(contour)
                box = (x / width, y / height, (x + w) / width, (y + h) / height)
                inner = _shrunk(box, 0.25)
                colour = colour_of(small, inner)
                found.append(
                    Thing(
                        colour,
                        _form(contour, w, h),
                        share,
                        region_name((box[0] + box[2]) / 2, (box[1] + box[3]) / 2),
                        box,
                    )
                )
    coloured = [t for t in found if t.colour not in ("grey", "black", "white", "brown")]
    return sorted(coloured, key=lambda t: -_conspicuous(t))[:most]


def _conspicuous(thing: Thing) -> float:
    """Compact objects of fair size before specks and sprawling areas; whole forms before patches."""
    x0, y0, x1, y1 = thing.box
    compact = thing.share / max(1e-6, (x1 - x0) * (y1 - y0))
    return float(min(thing.share, 0.08) ** 0.5 * (0.3 + compact) * (1.0 if thing.form == "patch" else 1.4))


def _form(contour: NDArray[np.int32], w: int, h: int) -> str:
    area, around = cv2.contourArea(contour), cv2.arcLength(contour, True)
    whole = cv2.contourArea(cv2.convexHull(contour))
    if area < 30 or around <= 0 or area < SOLID * whole:
        return "patch"
    if area > 0.86 * w * h:
        return "square" if 0.85 <= w / h <= 1.18 else "rectangle"
    corners = len(cv2.approxPolyDP(contour, 0.05 * around, True))
    if 4 * np.pi * area / around**2 > 0.8 and 0.8 <= w / h <= 1.25:
        return "circle"
    return "triangle" if corners == 3 and 0.4 <= area / (w * h) <= 0.62 else "patch"


# ------------------------------------------------------------------------------------------------ over time
@dataclass(frozen=True, slots=True)
class Movement:
    """`what`: "camera" or a thing's name. `how`: "moves left to right", "pans right", "zooms in", … ; `first`, `last`: positions in the run."""

    what: str
    how: str
    first: int
    last: int


def movements(images: Sequence[Image]) -> list[Movement]:
    """What moves in a run of pictures of one shot, in time order."""
    small = [_small(image) for image in images]
    seen = [things(image) for image in small]
    return [*_camera(small), *_travels(seen)]


def _travels(seen: Sequence[Sequence[Thing]]) -> list[Movement]:
    found = []
    for name in dict.fromkeys(t.name for line in seen for t in line):
        track = [(i, t) for i, line in enumerate(seen) for t in line[:3] if t.name == name]
        if len(track) < 2 or len({i for i, _ in track}) != len(track):
            continue
        (a, start), (b, end) = track[0], track[-1]
        dx, dy = end.centre[0] - start.centre[0], end.centre[1] - start.centre[1]
        steps = [
            y[1].centre[0] - x[1].centre[0] if abs(dx) >= abs(dy) else y[1].centre[1] - x[1].centre[1]
            for x, y in pairwise(track)
        ]
        onward = sum(s * (dx if abs(dx) >= abs(dy) else dy) >= 0 for s in steps) >= 0.8 * len(steps)
        if max(abs(dx), abs(dy)) >= 0.12 and onward:
            how = (
                ("left to right" if dx > 0 else "right to left")
                if abs(dx) >= abs(dy)
                else ("downwards" if dy > 0 else "upwards")
            )
            found.append(Movement(name, f"moves {how}", a, b))
        elif start.share and (end.share / start.share > 2.2 or start.share / end.share > 2.2) and onward:
            found.append(Movement(name, "gets larger" if end.share > start.share else "gets smaller", a, b))
    return found


def _camera(images: Sequence[Image]) -> list[Movement]:
    """Pan or zoom between neighbouring pictures, runs of the same joined."""
    line: list[Movement] = []
    for i, (a, b) in enumerate(pairwise(images)):
        moved = motion(a, b)
        how = (
            {"left": "pans right", "right": "pans left", "up": "tilts down", "down": "tilts up"}[moved.direction]
            if moved.kind == "pan"
            else ""
        )
        if moved.kind in ("moving", "changed", "pan"):
            scale = _zoom(a, b)
            how = "zooms in" if scale > 1.03 else "zooms out" if scale < 0.97 else how
        if how and line and line[-1].how == how and line[-1].last == i:
            line[-1] = Movement("camera", how, line[-1].first, i + 1)
        elif how:
            line.append(Movement("camera", how, i, i + 1))
    return line


def _zoom(a: Image, b: Image) -> float:
    """Scale from one picture to the next by corner tracking; 1.0 when it cannot be told."""
    grey = [cv2.cvtColor(one, cv2.COLOR_RGB2GRAY) for one in (a, b)]
    points = cv2.goodFeaturesToTrack(grey[0], 120, 0.02, 6)
    if points is None or len(points) < 12:
        return 1.0
    moved, status, _ = cv2.calcOpticalFlowPyrLK(grey[0], grey[1], points, None)
    kept = status.ravel() == 1
    if kept.sum() < 12:
        return 1.0
    matrix, inliers = cv2.estimateAffinePartial2D(points[kept], moved[kept])
    if matrix is None or inliers.mean() < 0.5:
        return 1.0
    return float(np.hypot(matrix[0, 0], matrix[1, 0]))


def _shrunk(box: Box, by: float) -> Box:
    dx, dy = (box[2] - box[0]) * by, (box[3] - box[1]) * by
    return (box[0] + dx, box[1] + dy, box[2] - dx, box[3] - dy)


def _small(image: Image) -> Image:
    height, width = image.shape[:2]
    if max(height, width) <= SIDE:
        return np.ascontiguousarray(image)
    scale = SIDE / max(height, width)
    return np.asarray(
        cv2.resize(image, (max(1, round(width * scale)), max(1, round(height * scale))), interpolation=cv2.INTER_AREA),
        np.uint8,
    )
