"""Evidence operations (VESTA §3.4, §B.5): the interface, the registry, and the one guard for their arguments.

An operation turns arguments into observations or references. It knows the workspace it is handed and emits no events.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

from pydantic import BaseModel

from vesta_ui import registry
from vesta_ui.control import Control
from vesta_ui.domain import Frame, Interval, ModelCall, Notice, Observation, Question, Reference
from vesta_ui.errors import OperationRefused
from vesta_ui.frames import FrameStore
from vesta_ui.roles import Observer
from vesta_ui.roles.loading import load_observer
from vesta_ui.scene_index import SceneIndex
from vesta_ui.settings import Settings
from vesta_ui.video import Video

OPERATIONS = {
    "retrieve": "vesta_ui.operations.retrieve:Retrieve",
    "inspect": "vesta_ui.operations.inspect:Inspect",
    "speech": "vesta_ui.operations.speech:Speech",
    "clip": "vesta_ui.operations.clip:Clip",
    "finalize": "vesta_ui.operations.finalize:Finalize",
}


@dataclass(frozen=True)
class Workspace:
    """What an agent works with: one video, its index, the observer, where frames are kept, settings, control."""

    video: Video
    index: SceneIndex
    frames: FrameStore
    settings: Settings
    control: Control

    @cached_property
    def observer(self) -> Observer:
        """Loaded when it is first asked; where the Reasoner's model looks by itself, never. Raises `ModelFailed`."""
        return load_observer(self.settings)


@dataclass(frozen=True, slots=True)
class Result:
    """What an operation returns. `output` is its full text as kept in tool memory; `relevance` a score per scene.

    `summary`: the history before it, compressed anew.
    """

    output: str
    observations: tuple[Observation, ...] = ()
    references: tuple[Reference, ...] = ()
    frames: tuple[Frame, ...] = ()
    calls: tuple[ModelCall, ...] = ()
    notices: tuple[Notice, ...] = ()
    relevance: tuple[float, ...] = ()
    queries: tuple[str, ...] = field(default=())
    summary: str = ""


class Operation(Protocol):
    name: str
    summary: str
    """One sentence for the Reasoner's prompt."""
    arguments: type[BaseModel]
    """The schema of its arguments."""

    def run(self, arguments: dict[str, Any], step: int, question: Question, workspace: Workspace) -> Result:
        """Raises `OperationRefused` (told to the Reasoner) or `ModelFailed`."""
        ...


def load(name: str) -> Operation:
    operation: Operation = registry.load(OPERATIONS, name, "operation")()
    return operation


def guard(intervals: Sequence[tuple[float, float]], duration_s: float) -> tuple[list[Interval], list[Notice]]:
    """Clip intervals to the video and drop what lies outside, saying so. Raises `OperationRefused` if none is left."""
    kept: list[Interval] = []
    notices: list[Notice] = []
    for start, end in intervals:
        if not (start == start and end == end) or end <= start:
            notices.append(Notice("interval-dropped", f"the interval {start:g}–{end:g} s is empty or reversed"))
        elif start >= duration_s or end <= 0:
            notices.append(
                Notice("interval-dropped", f"{start:g}–{end:g} s lies outside the video (0–{duration_s:.1f} s)")
            )
        else:
            clipped = Interval(max(0.0, start), min(duration_s, end))
            if (clipped.start, clipped.end) != (start, end):
                notices.append(
                    Notice(
                        "interval-clipped", f"{start:g}–{end:g} s was clipped to {clipped.start:g}–{clipped.end:g} s"
                    )
                )
            kept.append(clipped)
    if not kept:
        raise OperationRefused(
            "; ".join(n.message for n in notices) or "no interval given: name at least one [start_s, end_s]"
        )
    return kept, notices
