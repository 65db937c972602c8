"""Questions, and the route (π, μ) with everything that led to it (VESTA §3.2, §B.3)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


@dataclass(frozen=True, slots=True)
class Choice:
    """One answer option. `label` is A, B, C … in the order given."""

    label: str
    text: str


@dataclass(frozen=True, slots=True)
class Question:
    """A question with 2 to 10 choices, or none (open answer)."""

    text: str
    choices: tuple[Choice, ...] = ()

    def choice(self, label: str) -> Choice | None:
        return next((c for c in self.choices if c.label == label), None)


class Policy(StrEnum):
    """π: how initial candidate evidence is obtained (VESTA §3.2)."""

    FOCUSED = "focused"
    RECALL = "recall"
    CONTRASTIVE = "contrastive"


class Demand(StrEnum):
    """What kind of evidence a question needs (VESTA §B.3)."""

    LOCALIZED = "localized"
    REPEATED = "repeated"
    ORDERING = "ordering"
    COMPARISON = "comparison"
    CROSS_MODAL = "cross_modal"
    HYPOTHESES = "hypotheses"


class Flag(StrEnum):
    """Single views that μ switches on."""

    COUNTING = "counting"
    ORDERING = "ordering"
    STATE_CHANGE = "state_change"
    NUMERIC = "numeric"
    SPEECH = "speech"
    CROSS_MODAL = "cross_modal"


class Emphasis(StrEnum):
    """What μ stresses in the ledger view (VESTA Table 9)."""

    LOCAL = "compact local evidence"
    COVERAGE = "temporal coverage and event relations"
    HYPOTHESES = "hypothesis support and conflicts"


EMPHASES = {one.name.lower(): one for one in Emphasis}
"""The emphases by their short names, as they are typed."""


@dataclass(frozen=True, slots=True)
class View:
    """μ, the evidence-accounting policy: an emphasis and single views. It changes what is shown, never what is kept."""

    emphasis: Emphasis
    flags: tuple[Flag, ...] = ()


@dataclass(frozen=True, slots=True)
class Cue:
    """Words in the question that fired a demand."""

    demand: Demand
    words: str


@dataclass(frozen=True, slots=True)
class Prior:
    """b: the deterministic reading of the question (VESTA §B.3)."""

    demands: tuple[Demand, ...]
    flags: tuple[Flag, ...]
    cues: tuple[Cue, ...]


@dataclass(frozen=True, slots=True)
class Estimate:
    """ρ: a model's reading of the same demands. `confidence` in [0, 1]."""

    demands: tuple[Demand, ...]
    flags: tuple[Flag, ...]
    confidence: float
    why: str


@dataclass(frozen=True, slots=True)
class Route:
    """(π, μ) with everything that led to it. `model` is None when no model was asked or its answer was unusable;
    `model_note` then says why. `overridden` names what the user set by hand ("policy", "view")."""

    policy: Policy
    view: View
    prior: Prior
    model: Estimate | None
    demands: tuple[Demand, ...]
    why: str
    model_note: str = ""
    overridden: tuple[str, ...] = ()
