"""Fitting pictures to what a server takes: smaller, or several frames on one contact sheet. Pure but for the JPEG codec."""

from __future__ import annotations

import hashlib
import itertools
import math
from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np

from vesta_ui.domain import Frame, clock
from vesta_ui.frames import encode_jpeg
from vesta_ui.models import Image, Turn

PER_SHEET = 9
CELL = 512
"""Longest side of one frame on a contact sheet, pixels."""


def fit(turns: Sequence[Turn], max_images: int | None, max_side: int | None) -> tuple[tuple[Turn, ...], str]:
    """The turns with at most `max_images` pictures of at most `max_side` pixels, and what was done ("" when nothing)."""
    count = sum(len(turn.images) for turn in turns)
    done: list[str] = []
    if max_side:
        smaller = tuple(replace(t, images=tuple(shrink(i, max_side) for i in t.images)) for t in turns)
        if any(
            a is not b for x, y in zip(turns, smaller, strict=True) for a, b in zip(x.images, y.images, strict=True)
        ):
            done.append(f"{count} frames were sent at no more than {max_side} pixels a side")
        turns = smaller
    if max_images is not None and count > max_images > 0:
        turns, text = _sheets(turns, max_images)
        done.append(text)
    return tuple(turns), "; ".join(done)


def shrink(image: Image, max_side: int) -> Image:
    """The same picture with no side over `max_side`; the very same object when it fits already."""
    if max(image.frame.width, image.frame.height) <= max_side:
        return image
    data, width, height = encode_jpeg(_pixels(image), max_side)
    return replace(image, jpeg=data, frame=replace(image.frame, width=width, height=height))


def _pixels(image: Image) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    decoded = cv2.imdecode(np.frombuffer(image.jpeg, np.uint8), cv2.IMREAD_COLOR)
    if decoded is None:
        raise ValueError(f"the frame at {image.frame.time:.2f} s is not a JPEG")
    return np.asarray(cv2.cvtColor(decoded, cv2.COLOR_BGR2RGB), np.uint8)


def _sheets(turns: Sequence[Turn], max_images: int) -> tuple[tuple[Turn, ...], str]:
    """Pictures of each turn on at most its share of `max_images` sheets; frames beyond nine a sheet are thinned evenly."""
    holders = [turn for turn in turns if turn.images]
    left = max_images
    sheets: dict[int, tuple[Image, ...]] = {}
    kept = 0
    for index, turn in enumerate(holders):
        share = max(1, left // (len(holders) - index)) if left else 0
        share = min(share, len(turn.images))
        chosen = _spread(turn.images, share * PER_SHEET)
        sheets[id(turn)] = tuple(p[0] if len(p) == 1 else sheet(p) for p in _chunks(chosen, share))
        left -= share
        kept += len(chosen)
    total = sum(len(turn.images) for turn in holders)
    made = sum(len(s) for s in sheets.values())
    text = f"the server takes {_plural(max_images, 'image')}: {kept} of {total} frames were sent on {_plural(made, 'contact sheet')}"
    return tuple(replace(t, images=sheets.get(id(t), ())) for t in turns), text


def _plural(count: int, word: str) -> str:
    return f"{count} {word}{'' if count == 1 else 's'}"


def _spread(images: tuple[Image, ...], count: int) -> tuple[Image, ...]:
    if len(images) <= count:
        return images
    return tuple(images[i] for i in np.linspace(0, len(images) - 1, count).round().astype(int)) if count else ()


def _chunks(images: tuple[Image, ...], count: int) -> list[tuple[Image, ...]]:
    if not count:
        return []
    edges = np.linspace(0, len(images), count + 1).round().astype(int)
    return [images[a:b] for a, b in itertools.pairwise(edges) if b > a]


def sheet(images: Sequence[Image]) -> Image:
    """One picture with the frames in reading order on white; its label names the time of each cell."""
    frames = [_pixels(shrink(image, CELL)) for image in images]
    columns = math.ceil(math.sqrt(len(frames)))
    rows = math.ceil(len(frames) / columns)
    height, width = max(f.shape[0] for f in frames), max(f.shape[1] for f in frames)
    canvas = np.full((rows * height, columns * width, 3), 255, np.uint8)
    for index, frame in enumerate(frames):
        top, left = (index // columns) * height, (index % columns) * width
        canvas[top : top + frame.shape[0], left : left + frame.shape[1]] = frame
    data, w, h = encode_jpeg(canvas)
    times = ", ".join(f"{clock(i.frame.time)} = {i.frame.time:.2f} s" for i in images)
    label = f"[contact sheet of {len(images)} frames, {columns} a row, left to right, top to bottom: {times}]"
    receipt = Frame(images[0].frame.time, w, h, hashlib.sha256(data).hexdigest())
    return Image(receipt, data, "high", label, tuple(image.frame for image in images))
