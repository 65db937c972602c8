"""What the stored frames of a scene show, in words: text on screen and plain visual facts. One OCR a scene at most.

Deterministic: the same frames give the same words. Knows no question and no store.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vesta_ui import perception
from vesta_ui.perception import Image

VERSION = 3
"""Raised when the same frames would give other words."""
SURE = 0.6
"""Lines read with less certainty are left out."""


@dataclass(frozen=True, slots=True)
class SceneText:
    screen_text: str
    facts: str


def decode(jpeg: bytes) -> Image | None:
    """RGB picture, or None when the JPEG is damaged."""
    picture = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR) if jpeg else None
    return None if picture is None else np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2RGB), np.uint8)


class SceneReader:
    """Reads scenes one after another; remembers what it read, so that a picture that stays is read once."""

    def __init__(self) -> None:
        self._seen: list[tuple[NDArray[np.int16], str]] = []

    def read(self, frames: Sequence[Image]) -> SceneText:
        """`frames` in time order. OCR runs on the one nearest the middle among those that look written on."""
        if not frames:
            return SceneText("", "")
        order = sorted(range(len(frames)), key=lambda i: (abs(i - (len(frames) - 1) / 2), i))
        written = next((i for i in order if perception.likely_text(frames[i])), None)
        text = "" if written is None else self._text(frames[written])
        return SceneText(text, facts(frames))

    def _text(self, frame: Image) -> str:
        tiny = _tiny(frame)
        for known, text in reversed(self._seen):
            if float(np.abs(known - tiny).mean()) < 2.0 and int(np.abs(known - tiny).max()) < 40:
                return text
        text = " · ".join(line.text for line in perception.read_text(frame) if line.score >= SURE)
        self._seen = [*self._seen[-63:], (tiny, text)]
        return text


def _tiny(frame: Image) -> NDArray[np.int16]:
    grey = cv2.cvtColor(np.ascontiguousarray(frame), cv2.COLOR_RGB2GRAY)
    return np.asarray(cv2.resize(grey, (64, 36), interpolation=cv2.INTER_AREA), np.int16)


def facts(frames: Sequence[Image]) -> str:
    """One or two short sentences on colours, light and motion, e.g. "Blue and grey picture, red bottom left. Camera pans left."."""
    middle = frames[len(frames) // 2]
    found = perception.colours(middle, least=0.03)
    main = [one.name for one in found if one.share >= 0.2][:2] or [one.name for one in found[:1]]
    light = perception.brightness(middle)
    words = " and ".join(main) + " picture"
    words = f"{light} {words}" if light != "medium" else words
    spots = [f"{one.name} {one.region}" for one in found if one.name not in main and one.region != "everywhere"][:3]
    sentence = ", ".join([words, *spots]).capitalize() + "."
    if len(frames) > 1:
        moved = perception.motion(frames[0], frames[1])
        said = {
            "still": "Nothing moves.",
            "pan": f"The view moves {_opposite(moved.direction)}.",
            "moving": "Something moves.",
        }
        sentence = f"{sentence} {said.get(moved.kind, '')}".strip()
    return sentence


def _opposite(direction: str) -> str:
    """Where the camera goes when the picture goes the other way."""
    return {"left": "right", "right": "left", "up": "down", "down": "up"}.get(direction, direction)
