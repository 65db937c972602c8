"""Actions, answers, and receipts for what was asked of a model and what it cost."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from vesta_ui.domain.video import Frame


@dataclass(frozen=True, slots=True)
class Action:
    """One operation with its arguments, as chosen. `thought` is the Reasoner's own reason, shown on the page."""

    operation: str
    arguments: dict[str, Any]
    thought: str = ""


@dataclass(frozen=True, slots=True)
class Evidence:
    """Why the answer holds: an interval, the ledger entry behind it, one phrase why."""

    start: float
    end: float
    entry_id: str
    why: str


@dataclass(frozen=True, slots=True)
class Answer:
    """`label` is None for an open question or when no choice could be settled on. `confidence` in [0, 1]."""

    label: str | None
    text: str
    confidence: float
    evidence: tuple[Evidence, ...] = ()


class Outcome(StrEnum):
    ANSWERED = "answered"
    BUDGET = "budget"
    STOPPED = "stopped"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Usage:
    """What was paid. Tokens are None when the provider did not say; `cost_usd` None when the price is unknown."""

    remote_requests: int = 0
    failed_requests: int = 0
    input_tokens: int | None = 0
    cached_tokens: int | None = 0
    output_tokens: int | None = 0
    reasoning_tokens: int | None = 0
    frames: int = 0
    cost_usd: float | None = 0.0
    seconds: float = 0.0

    def __add__(self, other: Usage) -> Usage:
        def total(a: Any, b: Any) -> Any:
            return None if a is None or b is None else a + b

        return Usage(*(total(getattr(self, name), getattr(other, name)) for name in Usage.__slots__))


@dataclass(frozen=True, slots=True)
class Message:
    """One message to a model, as sent. `frames` are images in order, each preceded by its time stamp."""

    role: str  # system, user or assistant
    text: str
    frames: tuple[Frame, ...] = ()


@dataclass(frozen=True, slots=True)
class ModelCall:
    """A receipt for one model call: what was sent, what came back, what it cost, how it failed.

    `failure` is the failure's type name ("refused", "truncated", …) or empty. `attempts` lists earlier tries and waits.
    """

    role: str  # router, reasoner, observer, speech
    model: str
    messages: tuple[Message, ...]
    reply: str
    usage: Usage
    parsed: dict[str, Any] | None = None
    finish_reason: str = ""
    request_id: str = ""
    failure: str = ""
    failure_text: str = ""
    attempts: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
