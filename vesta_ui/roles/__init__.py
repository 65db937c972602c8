"""The roles of VESTA, chosen one by one: Estimator (router's model), Reasoner, Observer.

`prompted` plays a role with any language/vision model; `embedded` plays it with rules and local perception, no key and
no network, and is labelled as such. A role sees only what it is handed: a Reasoner decides from H_t alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel

from vesta_ui.control import Control
from vesta_ui.domain import (
    Action,
    Estimate,
    Interval,
    MemoryItem,
    ModelCall,
    Notice,
    Observation,
    Policy,
    Question,
    ReferenceState,
    Snapshot,
    VideoFacts,
    View,
)


class Card(Protocol):
    """What a Reasoner is told of one operation: its name, one sentence, and the schema of its arguments."""

    name: str
    summary: str
    arguments: type[BaseModel]


@dataclass(frozen=True, slots=True)
class Context:
    """H_t = (Q, π, references, L_t, M_t), what the Reasoner decides from (VESTA §3.4, eq. 7), with its budget.

    `snapshot` is None when the ledger is hidden (ablation). `operations`: names it may choose now. `final` demands an
    answer (budget spent). `policy` and `view` are None when routing is off. `cards` describe the operations to a model.
    """

    question: Question
    video: VideoFacts
    policy: Policy | None
    view: View | None
    references: tuple[ReferenceState, ...]
    snapshot: Snapshot | None
    memory: tuple[MemoryItem, ...]
    step: int
    budget: int
    operations: tuple[str, ...]
    final: bool = False
    cards: tuple[Card, ...] = ()


@dataclass(frozen=True, slots=True)
class Decision:
    """An action with the model calls behind it. A `finalize` action carries `answer`, `evidence` (entry ids), `confidence`."""

    action: Action
    calls: tuple[ModelCall, ...] = ()
    notices: tuple[Notice, ...] = ()


@dataclass(frozen=True, slots=True)
class Look:
    """One frame handed to an Observer: time in seconds, image (H, W, 3) uint8 RGB as the player shows it."""

    time: float
    image: NDArray[np.uint8]
    sha256: str = ""


@dataclass(frozen=True, slots=True)
class Seen:
    """What an Observer made of the frames."""

    observations: tuple[Observation, ...]
    calls: tuple[ModelCall, ...] = ()
    notices: tuple[Notice, ...] = ()


class Estimator(Protocol):
    spec: str

    def estimate(self, question: Question, control: Control) -> tuple[Estimate, ModelCall]:
        """ρ. Raises `ModelFailed` when there is no usable answer."""
        ...


class Reasoner(Protocol):
    spec: str

    def decide(self, context: Context, control: Control) -> Decision:
        """The next operation. Raises `ModelFailed`."""
        ...


class Observer(Protocol):
    spec: str
    max_frames: int
    """Most frames it takes in one call; the operation samples no more."""

    def inspect(
        self, looks: Sequence[Look], intervals: Sequence[Interval], focus: str, question: Question, control: Control
    ) -> Seen:
        """Describe what is seen in each interval, with times. `focus` may be empty. Raises `ModelFailed`."""
        ...

    def judge(
        self, looks: Sequence[Look], interval: Interval, sub_question: str, question: Question, control: Control
    ) -> Seen:
        """One targeted answer about one clip, with confidence; verdict None means "cannot tell". Raises `ModelFailed`."""
        ...


__all__ = ["Card", "Context", "Decision", "Estimator", "Look", "Observer", "Reasoner", "Seen"]
