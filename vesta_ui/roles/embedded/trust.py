"""How sure an answer may be: how directly its evidence states it, whether that evidence is about what was asked, and how
far the next choice is behind. Pure; changes no score.

What never appeared in any observation supports nothing: absence caps confidence, whatever the scores say.
"""

from __future__ import annotations

from collections.abc import Sequence

from vesta_ui.domain import Modality
from vesta_ui.roles.embedded.amounts import MEASURES
from vesta_ui.roles.embedded.asked import Kind
from vesta_ui.roles.embedded.board import Board
from vesta_ui.roles.embedded.similarity import cover, in_line, matches, meaning
from vesta_ui.roles.embedded.timing import WRITTEN
from vesta_ui.roles.embedded.words import COLOURS, Token, content

UNMET, VAGUE = 0.15, 0.2
"""Most confidence when nothing asked about was met, and when what was met is not plainly about the question."""
_MET, _NEAR = 0.8, 0.45
_PLAIN = WRITTEN | MEASURES | frozenset(COLOURS) | frozenset(("year", "date", "day", "hour"))
_ABOUT, _AGAIN = 0.35, 0.25
_STATED = (Kind.WHAT, Kind.TEXT, Kind.COLOUR, Kind.MOTION, Kind.QUANTITY)


def trust(board: Board, label: str | None, score: float, margin: float, cited: Sequence[int]) -> tuple[float, str]:
    """Confidence in [0, 0.95] of the choice (None: of an open answer), and what is missing, if anything."""
    kind = board.asked.kind
    gap = _absent(board)
    if gap:
        return min(UNMET, score), gap
    if board.asked.anchor and not board.anchors:
        return min(VAGUE, 0.5 * score), f"“{board.asked.anchor}” was met nowhere"
    direct, gap = _direct(board, label, cited)
    sure = (0.3 * min(1.0, score) + 0.7 * direct) * (0.5 + 0.5 * min(1.0, 1.6 * margin))
    if gap:
        return min(VAGUE, sure), gap
    if kind is Kind.COUNT:
        sure *= min(1.0, direct + 0.2)
    if kind in _STATED and not board.asked.negated and max(about(board, cited), _written(board, label, cited)) < _ABOUT:
        return min(VAGUE, sure), "the evidence is hardly about the question"
    for _ in range(_again(board, label, cited) if label is not None and kind in _STATED else 0):
        sure += _AGAIN * (1 - sure)
    return min(0.95, sure), ""


def _again(board: Board, label: str, cited: Sequence[int]) -> int:
    """How many further passages, at most two, state the choice and are about the question: distinct evidence adds."""
    first = board.facts[cited[0]].interval if cited else None
    others = [
        at for at in range(len(board.facts))
        if first and board.facts[at].interval.overlap(first) == 0 and _in_fact(board, board.choices[label], at) >= _MET
    ]  # fmt: skip
    return min(2, sum(about(board, [at]) >= _ABOUT for at in others[:8])) if not board.asked.negated else 0


def about(board: Board, cited: Sequence[int]) -> float:
    """In [0, 1]: how far the cited facts, with what surrounds them, are about what was asked, in words or in meaning."""
    wanted = named(board.subject)
    if not wanted and not board.asked.anchor:
        return 1.0
    asked = board.question.text
    found = 0.0
    for at in cited:
        told = abs(cover(wanted, board.around(at))) if wanted else 0.0
        near = (max(meaning(asked, board.facts[at].words), meaning(asked, board.passage(at))) - 0.2) / 0.35
        if board.facts[at].modality is Modality.PICTURE:
            near *= 0.3  # all descriptions of pictures sound alike
        timed = 0.8 * board.nearness[at] if board.asked.anchor and board.anchors else 0.0
        found = max(found, told, near, timed)
    return min(1.0, found)


def named(words: Sequence[Token]) -> list[Token]:
    """Without colours and words of lettering and measuring, which fit anything; all of them when nothing else is left."""
    return [t for t in words if t.stem not in _PLAIN] or list(words)


def _absent(board: Board) -> str:
    """What is asked about, when it was met in no observation at all; else empty."""
    asked, kind = board.asked, board.asked.kind
    if kind is Kind.COUNT:
        wanted = named(board.subject)
        return f"“{asked.subject}” was met nowhere" if wanted and not _share_met(board, wanted) else ""
    if kind is Kind.YES_NO:
        claim = named(content(board.question.text))
        return "what is asked was met nowhere" if _share_met(board, claim) < 0.5 else ""
    least = {Kind.COLOUR: _MET, Kind.QUANTITY: _NEAR}.get(
        kind
    )  # colours are met in every picture, numbers in every talk
    if least and board.subject and not asked.anchor and not _share_met(board, named(board.subject), least):
        return f"“{asked.subject}” was met nowhere"
    if not board.choices:
        return (
            ""
            if not board.subject or asked.anchor or _share_met(board, named(board.subject)) > 0
            else "nothing asked about was met"
        )
    if any(
        _in_fact(board, [t], at) >= _MET
        for line in board.choices.values()
        for t in line
        for at in range(len(board.facts))
    ):
        return ""
    return (
        ""
        if kind is Kind.QUANTITY and _share_met(board, named(board.subject)) >= 0.5
        else "none of the choices was met"
    )


def _share_met(board: Board, wanted: Sequence[Token], least: float = _MET) -> float:
    """Share of the words that some observation contains, or comes at least so near to."""
    seen = [max((abs(matches([t], [(f.words, 1.0)])[0]) for f in board.facts), default=0.0) for t in wanted]
    return sum(v >= least for v in seen) / max(1, len(wanted))


def _direct(board: Board, label: str | None, cited: Sequence[int]) -> tuple[float, str]:
    """In [0, 1]: how directly the cited facts state the answer; and what is missing."""
    asked, kind = board.asked, board.asked.kind
    if kind is Kind.COUNT:
        share = _share_met(board, named(board.subject)) if board.subject else 1.0
        return share, "" if share > 0.5 else f"only part of “{asked.subject}” was met"
    if kind is Kind.ORDER:
        items = [content(i) for i in asked.items]
        met = sum(bool(board.sightings(i, None, 0.5)) for i in items)
        return met / max(1, len(items)), "" if met > 1 else "fewer than two of its parts were met"
    if kind is Kind.YES_NO:
        claim = content(board.question.text)
        stated = max((sum(map(abs, matches(claim, board.around(at)))) for at in cited), default=0.0) / max(
            1, len(claim)
        )
        return stated, "" if stated >= 0.5 else "nothing speaks for or against it"
    if label is None:
        return about(board, cited), ""
    each = {k: _stated(board, wanted) for k, wanted in board.choices.items()}
    if asked.negated:
        others = min((v for k, v in each.items() if k != label), default=0.0)
        denied = max((-board.states(at, board.choices[label]) for at in cited), default=0.0)
        return max(others, denied), "" if max(others, denied) >= 0.5 else "the other choices were not all met"
    met = sum(v >= 0.7 for v in each.values())
    if kind in (Kind.PICK, Kind.EXTREME) and met < 2:
        return each[label], "only one of the choices was met, so nothing can be compared"
    if kind in (Kind.PICK, Kind.EXTREME):
        return each[label], ""
    here = max((_in_fact(board, board.choices[label], at) for at in cited), default=0.0)
    if kind is Kind.QUANTITY and here < _MET:
        here = 0.7  # worked out from several numbers
    return here * (0.2 + 0.8 * max(about(board, cited), _written(board, label, cited))), ""


def _written(board: Board, label: str | None, cited: Sequence[int]) -> float:
    """When it is asked what is written: half sure that a sign with a choice's very words is the one meant."""
    words = [t for t in board.choices[label] if t.number is None] if label is not None else []
    if board.asked.kind is not Kind.TEXT or not words:
        return 0.0
    return 0.5 if any(cover(words, [(board.facts[at].text, 1.0)]) >= 0.9 for at in cited) else 0.0


def _stated(board: Board, wanted: Sequence[Token]) -> float:
    return max((_in_fact(board, wanted, at) for at in range(len(board.facts))), default=0.0)


def _in_fact(board: Board, wanted: Sequence[Token], at: int) -> float:
    words = board.facts[at].words
    return abs(cover(wanted, [(words, 1.0)])) if in_line(wanted, words) and board.lettered(at, wanted) else 0.0
