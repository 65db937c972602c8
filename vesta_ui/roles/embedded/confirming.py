"""Whether what an answer rests on was met again by a closer look, and where a closer look is still owed. Pure.

One coarse look may misread; a second, targeted one either agrees, which makes the answer surer, or does not. What is
said is checked against the picture, which can support it but seldom deny it.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from vesta_ui.domain import Modality
from vesta_ui.roles.embedded.asked import Kind
from vesta_ui.roles.embedded.board import Board
from vesta_ui.roles.embedded.facts import Fact
from vesta_ui.roles.embedded.signs import same
from vesta_ui.roles.embedded.similarity import cover
from vesta_ui.roles.embedded.words import content

RISE, FALL = 0.3, 0.7
WHOLE = (Kind.COUNT, Kind.ORDER)
"""What rests on many places: no single look confirms it."""


class Check(StrEnum):
    OPEN = ""
    CONFIRMED = "a closer look confirms it"
    UNSETTLED = "a closer look did not show it again"


def check(board: Board, cited: Sequence[int], answer: str) -> Check:
    """What closer looks made of the strongest fact an answer rests on."""
    if not cited or board.asked.kind in WHOLE or board.asked.negated:
        return Check.OPEN
    fact = board.facts[cited[0]]
    closer = [f for f in board.facts if f.closely and f.interval.overlap(fact.interval) > 0]
    if fact.modality is Modality.SPEECH:
        met = any(cover(content(answer), [(f.words, 1.0)]) >= 0.6 for f in closer)
        return Check.CONFIRMED if met else Check.OPEN
    if any(_agrees(f, fact, answer) for f in closer):
        return Check.CONFIRMED
    return Check.UNSETTLED if closer else Check.OPEN


def adjusted(confidence: float, outcome: Check) -> float:
    """Confidence in [0, 0.97] after the check."""
    if outcome is Check.CONFIRMED:
        return min(0.97, confidence + RISE * (1 - confidence))
    return confidence * FALL if outcome is Check.UNSETTLED else confidence


def _agrees(closer: Fact, first: Fact, answer: str) -> bool:
    if first.text:
        wanted = content(answer)
        stated = cover(wanted, [(first.words, 1.0)]) if wanted else 0.0
        if stated >= 0.5:
            return cover(wanted, [(closer.words, 1.0)]) >= 0.9 * stated
        return same(closer.text, first.text)
    return cover(content(answer), [(closer.words, 1.0)]) >= 0.6 or closer.content == first.content
