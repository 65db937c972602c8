"""Which choice fits what was observed, and whether a claim holds: by the fact that states it best. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from vesta_ui.domain import Modality
from vesta_ui.roles.embedded.asked import Kind
from vesta_ui.roles.embedded.board import Board
from vesta_ui.roles.embedded.similarity import affinity, clauses, cover, matches, meaning
from vesta_ui.roles.embedded.timing import Cited, Scores
from vesta_ui.roles.embedded.words import COLOURS, Token, colours, content, readings, tokens


def fitting(board: Board) -> tuple[Scores, Cited, str]:
    """Each choice by the fact that states it best and bears on the question, a second such fact helping a little."""
    scores: Scores = {}
    cited: Cited = {}
    for label, wanted in board.choices.items():
        ranked = sorted(((_support(board, i, label), i) for i in range(len(board.facts))), reverse=True)
        if board.asked.negated:
            stated = [board.states(i, wanted) for i in range(len(board.facts))]
            present = max(
                (max(0.0, v) * board.fits(i) * (0.5 + 0.5 * board.share(i)) for i, v in enumerate(stated)), default=0.0
            )
            denied, at = max(((-v * board.bearing(i), i) for i, v in enumerate(stated)), default=(0.0, 0))
            lack, where = _lacks(board, wanted)
            if lack > denied:
                denied, at = lack, where
            scores[label] = 1.0 - present + max(0.0, denied)
            cited[label] = [at] if denied > 0.3 else [i for _, i in ranked[:1]] if present > 0.5 else []
            continue
        second = next(
            (
                v
                for v, i in ranked[1:]
                if abs(board.facts[i].interval.start - board.facts[ranked[0][1]].interval.start) > 1.0
            ),
            0.0,
        )
        denied = min((board.states(i, wanted) * board.bearing(i) for i in range(len(board.facts))), default=0.0)
        scores[label] = max(0.0, ranked[0][0] + 0.15 * max(0.0, second) + 0.5 * min(0.0, denied))
        cited[label] = [i for v, i in ranked[:2] if v >= 0.6 * ranked[0][0] > 0]
    if board.asked.negated:
        shared = set().union(*map(set, cited.values())) if cited else set()
        cited = {label: sorted(shared) for label in scores}
        return scores, cited, "the others were found, this one was not"
    return scores, cited, ""


def _lacks(board: Board, wanted: Sequence[Token]) -> tuple[float, int]:
    """Where what is asked about is denied of this choice: "the tower has no window"; and how clearly, in [0, 1]."""
    found = [
        (-cover(board.subject, [(f.words, 1.0)]) * max(0.0, cover(wanted, board.around(i)[:2])), i)
        for i, f in enumerate(board.facts)
        if board.subject and any(t.negated for t in tokens(f.words))
    ]
    return max(found, default=(0.0, 0))


def _support(board: Board, at: int, label: str) -> float:
    choice = board.question.choice(label)
    stated = board.states(at, board.choices[label])
    if stated < 0 or choice is None:
        return 0.0
    fact = board.facts[at]
    near = 0.0
    if (
        board.asked.kind in (Kind.WHAT, Kind.YES_NO)
        and fact.modality is Modality.SPEECH
        and not _all_figures(board, label)
    ):
        near = _suggests(board, at, choice.text) if at in board.closest else 0.0
    if board.asked.kind is Kind.COLOUR and fact.modality is Modality.PICTURE:
        stated *= _colour_rank(board, at, label)
    return board.bearing(at) * min(1.0, 0.85 * stated + 0.4 * near)


def _suggests(board: Board, at: int, choice: str) -> float:
    """How much closer in meaning a passage is to the question with this choice than to the question alone, in [0, 1]."""
    asked, passage = board.question.text, board.passage(at)
    closer = meaning(f"{asked} {choice}", passage) - meaning(asked, passage)
    return max(0.0, closer) + 0.5 * meaning(choice, board.facts[at].words)


def _all_figures(board: Board, label: str) -> bool:
    return all(t.number is not None for t in board.choices[label])


def _colour_rank(board: Board, at: int, label: str) -> float:
    """A colour named early in a picture's description is the more conspicuous; one seen in every picture says little."""
    line = colours(board.facts[at].content)
    mine = [c for c in line if any(affinity(c, t.stem) == 1.0 for t in board.choices[label])]
    if not mine:
        return 1.0
    things = {t.stem for t in board.subject if t.stem not in COLOURS}
    words = tokens(board.facts[at].content)
    beside = {a.stem for a, b in pairwise(words) if a.stem in line and b.stem in things}
    if beside:  # "a yellow circle" tells the colour of the circle, whatever else is there
        return 1.0 if mine[0] in beside else 0.5
    pictures = [f for f in board.facts if f.modality is Modality.PICTURE]
    common = sum(mine[0] in colours(f.content) for f in pictures) / len(pictures)
    return (1.0 - 0.12 * min(5, line.index(mine[0]))) * (1.0 - 0.3 * common * (len(pictures) > 2))


# ------------------------------------------------------------------------------------------------ yes or no
def _holds(board: Board, claim: Sequence[Token], at: int) -> float:
    """In [−1, 1]: how far a fact speaks of the claim's words, negative when it denies one of them or says the opposite.
    One clause that speaks of nearly as much as the whole decides alone."""
    fact = board.facts[at]
    whole = matches(claim, [(fact.words, 1.0), *board.around(at)[1:]])
    best = whole
    for part in clauses(fact.words):
        here = matches(claim, [(part, 1.0), *((w, 0.6 * s) for w, s in board.around(at)[1:])])
        if sum(map(abs, here)) >= 0.8 * sum(map(abs, whole)) and min(here) < min(best):
            best = here
    presence = sum(abs(v) * board.weights(t.stem) for v, t in zip(best, claim, strict=True)) / max(
        1e-6, sum(board.weights(t.stem) for t in claim)
    )
    return -presence if min(best, default=0.0) <= -0.5 else presence


def yes_no(board: Board) -> tuple[Scores, Cited, str]:
    """The claim is the question itself; a denial or another number in its place makes it false."""
    claim = content(board.question.text)
    figures = {t.number for t in claim if t.number is not None}
    best, at = 0.0, -1
    for i, fact in enumerate(board.facts):
        value = _holds(board, claim, i) * board.nearness[i]
        if figures and (said := {r.value for r in readings(fact.words)}) and not said & figures and abs(value) > 0.4:
            value = -abs(value)
        if abs(value) > abs(best):
            best, at = value, i
    true = best >= 0.55
    sure = min(0.9, abs(best)) if true or best < 0 else 0.5 - 0.4 * abs(best)
    if not board.choices:
        return {"Yes" if true else "No": sure}, {"Yes" if true else "No": [at]}, ""
    scores: Scores = {}
    fit, cited, _ = fitting(board)
    for choice in board.question.choices:
        says = choice.text.strip().lower().startswith(("yes", "true"))
        scores[choice.label] = (sure if says == true else 0.1) + (
            0.3 * fit.get(choice.label, 0.0) if len(content(choice.text)) > 1 else 0.0
        )
    return scores, {label: cited.get(label) or [at] for label in scores}, ""
