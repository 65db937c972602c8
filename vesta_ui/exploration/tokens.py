"""What frames cost in input tokens, where no model says: two stated constants, so that budgets can be matched (SAVE §5)."""

from __future__ import annotations

from collections.abc import Iterable

from vesta_ui.events import Event, Observed
from vesta_ui.exploration.ranges import HIGH_UP_TO_S, QUERY_RANGE

FRAME_TOKENS = 560
"""One ordinary frame: an image at medium resolution for the model of the paper (Gemini 3)."""
HIGH_FRAME_TOKENS = 1120
"""One frame in high resolution."""


def frames_for(tokens: int, each: int = FRAME_TOKENS) -> int:
    """How many frames of `each` tokens so many input tokens hold; at least one."""
    return max(1, tokens // each)


def estimate(events: Iterable[Event]) -> int:
    """Input tokens of all frames a run was shown, each once. Text is left out: it is small beside the frames."""
    return sum(
        len(one.frames) * (HIGH_FRAME_TOKENS if _high(one) else FRAME_TOKENS)
        for one in events
        if isinstance(one, Observed)
    )


def _high(one: Observed) -> bool:
    if one.operation != QUERY_RANGE.name:
        return False
    try:
        return float(one.arguments["end_s"]) - float(one.arguments["start_s"]) <= HIGH_UP_TO_S
    except (KeyError, TypeError, ValueError):
        return False
