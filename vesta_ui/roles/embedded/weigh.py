"""From facts to an answer: scores for the choices, or a short span for an open question, by what is asked (VESTA §3.4).

Evidence text only: similarity, counts of events, order, numbers, colours, negation, comparison. Pure. Says how sure it
is by how far the best choice is ahead, and says "not found" when nothing supports any.
"""

from __future__ import annotations

from dataclasses import dataclass

from vesta_ui.domain import Modality, Question
from vesta_ui.roles.embedded import amounts, timing
from vesta_ui.roles.embedded.asked import Kind
from vesta_ui.roles.embedded.board import Board
from vesta_ui.roles.embedded.confirming import Check, adjusted, check
from vesta_ui.roles.embedded.facts import Fact
from vesta_ui.roles.embedded.fitting import fitting, yes_no
from vesta_ui.roles.embedded.similarity import cover
from vesta_ui.roles.embedded.timing import Cited, Scores
from vesta_ui.roles.embedded.trust import trust
from vesta_ui.roles.embedded.words import colours

NOT_FOUND = "not found in what was looked at"


@dataclass(frozen=True, slots=True)
class Verdict:
    """`label` None: open question, or nothing found. `margin` in [0, 1] is how far the best is ahead of the next.
    `facts` are what it rests on, `rival` the runner-up's label, `gap` what is missing for more confidence."""

    label: str | None
    text: str
    confidence: float
    margin: float
    facts: tuple[Fact, ...]
    why: str
    rival: str | None = None
    rival_facts: tuple[Fact, ...] = ()
    check: Check = Check.OPEN
    gap: str = ""

    @property
    def found(self) -> bool:
        return self.confidence > 0.0


def weigh(question: Question, facts: list[Fact]) -> Verdict:
    board = Board(question, facts)
    if not facts:
        return Verdict(None, NOT_FOUND, 0.0, 0.0, (), "nothing was observed yet")
    scores, cited, why = _scores(board)
    return _choose(board, scores, cited, why) if question.choices else _open(board, scores, cited, why)


def _scores(board: Board) -> tuple[Scores, Cited, str]:
    kind = board.asked.kind
    if kind in (Kind.COUNT, Kind.QUANTITY) and (none := amounts.nothing(board)):
        return none
    if kind is Kind.COUNT:
        return timing.count(board)
    if kind is Kind.ORDER:
        return timing.order(board)
    found: tuple[Scores, Cited, str] = {}, {}, ""
    if kind is Kind.PICK and board.choices and not board.asked.negated:
        found = timing.pick(board)
    elif kind is Kind.EXTREME:
        found = amounts.extreme(board)
    elif kind is Kind.QUANTITY:
        found = amounts.quantity(board)
    elif kind is Kind.YES_NO:
        found = yes_no(board)
    if not found[0] and board.choices:
        found = fitting(board)
    return found


# ------------------------------------------------------------------------------------------------ choosing
def _choose(board: Board, scores: Scores, cited: Cited, why: str) -> Verdict:
    ranked = sorted(scores, key=lambda label: -scores[label])
    if not ranked or scores[ranked[0]] <= 0.02:
        return Verdict(None, NOT_FOUND, 0.0, 0.0, (), "nothing observed supports any choice")
    best = ranked[0]
    second = scores[ranked[1]] if len(ranked) > 1 else 0.0
    margin = (scores[best] - second) / scores[best]
    confidence, gap = trust(board, best, scores[best], margin, cited.get(best, []))
    choice = board.question.choice(best)
    text = choice.text if choice else best
    outcome = check(board, cited.get(best, []), text)
    confidence = confidence if gap else adjusted(confidence, outcome)
    rival = ranked[1] if len(ranked) > 1 and second > 0 else None
    return Verdict(
        best, text, round(max(0.03, confidence), 2), round(margin, 3), _facts(board, cited.get(best, [])), gap or why,
        rival, _facts(board, cited.get(rival, [])) if rival else (), outcome, gap,
    )  # fmt: skip


def _open(board: Board, scores: Scores, cited: Cited, why: str) -> Verdict:
    if scores:
        best = max(scores, key=lambda k: scores[k])
        sure, gap = trust(board, None, scores[best], 1.0, cited.get(best, []))
        if gap:
            return Verdict(None, NOT_FOUND, 0.0, 0.0, (), gap)
        return Verdict(None, best, round(sure, 2), scores[best], _facts(board, cited.get(best, [])), why)
    ranked = sorted(range(len(board.facts)), key=lambda i: -board.bearing(i) * _useful(board, i))
    at = ranked[0]
    score = board.bearing(at) * _useful(board, at)
    sure, gap = trust(board, None, score, 1.0, [at])
    if gap or score < 0.2:
        return Verdict(None, NOT_FOUND, 0.0, 0.0, (), gap or "nothing observed bears on the question")
    outcome = check(board, [at], _span(board, at))
    sure = adjusted(min(0.85, sure), outcome)
    return Verdict(None, _span(board, at), round(sure, 2), score, _facts(board, [at]), "", check=outcome)


def _useful(board: Board, at: int) -> float:
    """In [0, 1]: whether a fact holds the sort of thing that is asked for, and speaks of it itself."""
    fact, kind = board.facts[at], board.asked.kind
    if kind is Kind.TEXT:
        return 1.0 if fact.text else 0.1
    if kind is Kind.COLOUR:
        return 1.0 if colours(fact.words) else 0.1
    own = max(0.0, cover(board.subject, [(fact.words, 1.0)])) if board.subject else 1.0
    return (1.0 if fact.modality is Modality.SPEECH or fact.text else 0.5) * (0.3 + 0.7 * own)


def _span(board: Board, at: int) -> str:
    fact, kind = board.facts[at], board.asked.kind
    if kind is Kind.COLOUR:
        return colours(fact.words)[0]
    if fact.text and kind in (Kind.TEXT, Kind.WHAT):
        return fact.text
    return fact.words


def _facts(board: Board, positions: list[int]) -> tuple[Fact, ...]:
    return tuple(board.facts[i] for i in dict.fromkeys(positions))
