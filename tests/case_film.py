"""What the tests of whole VESTA runs share: a film of plain scenes with signs, models that are functions, and reading runs.

A scripted Reasoner here gets the very text a language model would, and a scripted Observer the very JPEGs; neither knows
the film. `played` runs the real pipeline: index, router, retrieval, operations, ledger, driver, recorder.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import cv2
import media
import numpy as np
import pytest
from numpy.typing import NDArray

from vesta_ui import models
from vesta_ui.domain import Interval, Question
from vesta_ui.models import Request, Spec
from vesta_ui.models.scripted import ScriptedModel
from vesta_ui.runs import run as runs
from vesta_ui.settings import Settings
from vesta_ui.video import open_video

FPS = 4
SIZE = (480, 270)


@dataclass(frozen=True)
class Scene:
    """`seconds` of one colour (RGB); `sign` stands on a golden disc when `gold`; `boxes` white figures stand in a row."""

    seconds: float
    colour: tuple[int, int, int]
    sign: str = ""
    gold: bool = False
    boxes: int = 0


def film(path: Path, scenes: Sequence[Scene]) -> Path:
    images = []
    for scene in scenes:
        for n in range(round(scene.seconds * FPS)):
            image = np.full((SIZE[1], SIZE[0], 3), scene.colour, np.uint8)
            if scene.gold:
                cv2.circle(image, (240, 135), 125, GOLD, -1)
            for row, words in enumerate(scene.sign.split("\n") if scene.sign else ()):
                ink = (0, 0, 0) if scene.gold else (255, 255, 255)
                cv2.putText(image, words, (140 if scene.gold else 60, 110 + 40 * row), 0, 1.0, ink, 2, cv2.LINE_AA)
            for box in range(scene.boxes):
                image[190:250, 60 + box * 90 : 90 + box * 90] = 255
            image[262:268, (n * 9) % 460 : (n * 9) % 460 + 12] = 120
            images.append(image)
    return media.write(path, images, fps=FPS, gop=FPS * 2)


GOLD = (230, 180, 30)


def golden(image: NDArray[np.uint8]) -> bool:
    """Whether a tenth of an RGB picture is the gold of the disc."""
    return bool((np.abs(image.astype(int) - GOLD).sum(axis=2) < 90).mean() > 0.1)


def figures(image: NDArray[np.uint8]) -> int:
    """White figures standing in the row."""
    row = (image[image.shape[0] * 220 // 270].min(axis=1) > 200).astype(int)
    return int((np.diff(row, prepend=0) == 1).sum())


def pictures(request: Request) -> list[tuple[float, NDArray[np.uint8]]]:
    """(seconds, RGB) of every picture a request carries."""
    sent = [image for turn in request.turns for image in turn.images]
    decoded = [(one.frame.time, cv2.imdecode(np.frombuffer(one.jpeg, np.uint8), 1)) for one in sent]
    return [(time, np.asarray(image[:, :, ::-1], np.uint8)) for time, image in decoded]


@dataclass
class Told:
    """What a scripted role was sent, in order."""

    requests: list[Request] = field(default_factory=list)

    def text(self, n: int) -> str:
        """The user text of the n-th request."""
        return self.requests[n].turns[-1].text


Play = Callable[[Request], Any]


def give_roles(patch: pytest.MonkeyPatch, **plays: Play) -> dict[str, Told]:
    """Give roles to functions: `give_roles(patch, reasoner=f)` → what each is sent. Specs: `scripted:reasoner` …"""
    told = {role: Told() for role in plays}

    def load(spec: str, settings: Settings) -> models.Model:
        role = spec.partition(":")[2]

        def play(request: Request) -> Any:
            told[role].requests.append(request)
            return plays[role](request)

        return ScriptedModel(Spec("scripted", role), settings, play)

    patch.setattr(models, "load", load)
    return told


def played(path: Path, question: Question, settings: Settings, folder: Path) -> runs.Run:
    one = runs.Run(runs.new_id(), folder / "run", path)
    for _ in runs.play(one, open_video(path), question, settings):
        pass
    return one


# ------------------------------------------------------------------------------------------------ replies
def do(operation: str, thought: str = "", **arguments: Any) -> dict[str, Any]:
    """A Reasoner's decision."""
    return {"thought": thought, "action": {"operation": operation, "arguments": arguments}}


def finalize(answer: str, evidence: Sequence[str], confidence: float = 0.9) -> dict[str, Any]:
    return do("finalize", answer=answer, evidence=list(evidence), confidence=confidence)


def sighting(start: float, end: float, content: str, verdict: str | None = None, **more: Any) -> dict[str, Any]:
    """One observation of an Observer."""
    return {"start_s": start, "end_s": end, "content": content, "verdict": verdict, "confidence": 0.9, **more}


def stance(label: str, supports: bool, weight: float = 0.8) -> dict[str, Any]:
    return {"label": label, "supports": supports, "weight": weight}


# ------------------------------------------------------------------------------------------------ reading a prompt
def references(text: str) -> list[tuple[str, Interval, str]]:
    """(id, interval, the rest of the line) of the provisional references in a Reasoner's prompt."""
    rest = text.partition("Provisional references")[2]
    part = rest.partition("\n\n")[0]
    found = re.findall(r"│ (\S+) ([\d.]+)–([\d.]+) s, (.*)", part)
    return [(name, Interval(float(a), float(b)), tail) for name, a, b, tail in found]


def intervals_asked(request: Request) -> list[Interval]:
    """The stretches an Observer's `inspect` is asked about."""
    return [Interval(float(a), float(b)) for a, b in re.findall(r"- ([\d.]+) to ([\d.]+) s", request.turns[-1].text)]
