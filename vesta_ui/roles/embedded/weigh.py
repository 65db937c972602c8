"""From facts to an answer: scores for the choices, or a short span for an open question, by what is asked (VESTA §3.4).

Evidence text only: similarity, counts of events, order, numbers, colours, negation, comparison. Pure. Says how sure it
is by how far the best choice is ahead, and says "not found" when nothing supports any.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import combinations

from vesta_ui.domain import Modality, Question
from vesta_ui.roles.embedded import timing
from vesta_ui.roles.embedded.asked import Kind
from vesta_ui.roles.embedded.board import Board
from vesta_ui.roles.embedded.facts import Fact
from vesta_ui.roles.embedded.similarity import affinity, clauses, cover, meaning
from vesta_ui.roles.embedded.timing import Cited, Scores
from vesta_ui.roles.embedded.words import colours, content, readings, tokens

NOT_FOUND = "Not found in what was seen and heard."
_TOTAL = re.compile(r"\b(?:in total|total|altogether|in all|combined|together|sum)\b", re.IGNORECASE)
_DIFFERENCE = re.compile(
    r"\bhow (?:many|much) (?:more|fewer|less|longer|older|higher|taller|cheaper)\b|\bdifference\b", re.IGNORECASE
)
_FREQUENT = re.compile(
    r"\b(?:most|least) (?:often|frequently|times)\b|\b(?:appears?|seen|shown|visited|mentioned) (?:the )?(?:most|least)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Verdict:
    """`label` None: open question, or nothing found. `margin` in [0, 1] is how far the best is ahead of the next.
    `facts` are what it rests on, `rival` the runner-up's label."""

    label: str | None
    text: str
    confidence: float
    margin: float
    facts: tuple[Fact, ...]
    why: str
    rival: str | None = None
    rival_facts: tuple[Fact, ...] = ()

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
    if kind is Kind.COUNT:
        return timing.count(board)
    if kind is Kind.ORDER:
        return timing.order(board)
    found: tuple[Scores, Cited, str] = {}, {}, ""
    if kind is Kind.PICK and board.choices and not board.asked.negated:
        found = timing.pick(board)
    elif kind is Kind.EXTREME:
        found = _extreme(board)
    elif kind is Kind.QUANTITY:
        found = _quantity(board)
    elif kind is Kind.YES_NO:
        found = _yes_no(board)
    if not found[0] and board.choices:
        found = _fitting(board)
    return found


# ------------------------------------------------------------------------------------------------ which choice fits
def _fitting(board: Board) -> tuple[Scores, Cited, str]:
    """Each choice by the fact that states it best and bears on the question, a second such fact helping a little."""
    scores: Scores = {}
    cited: Cited = {}
    for label, wanted in board.choices.items():
        ranked = sorted(((_support(board, i, label), i) for i in range(len(board.facts))), reverse=True)
        if board.asked.negated:
            present = max(
                (max(0.0, board.states(i, wanted)) * board.fits(i) for i in range(len(board.facts))), default=0.0
            )
            scores[label], cited[label] = 1.0 - present, [i for _, i in ranked[:1]] if present > 0.5 else []
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
        near = max(
            0.0, meaning(f"{board.question.text} {choice.text}", fact.words) - meaning(board.question.text, fact.words)
        ) + 0.5 * meaning(choice.text, fact.words)
    if board.asked.kind is Kind.COLOUR and fact.modality is Modality.PICTURE:
        stated *= _colour_rank(board, at, label)
    return board.bearing(at) * min(1.0, 0.85 * stated + 0.4 * near)


def _all_figures(board: Board, label: str) -> bool:
    return all(t.number is not None for t in board.choices[label])


def _colour_rank(board: Board, at: int, label: str) -> float:
    """A colour named early in a picture's description is the more conspicuous; one seen in every picture says little."""
    line = colours(board.facts[at].content)
    mine = [c for c in line if any(affinity(c, t.stem) == 1.0 for t in board.choices[label])]
    if not mine:
        return 1.0
    pictures = [f for f in board.facts if f.modality is Modality.PICTURE]
    common = sum(mine[0] in colours(f.content) for f in pictures) / len(pictures)
    return (1.0 - 0.12 * min(5, line.index(mine[0]))) * (1.0 - 0.3 * common * (len(pictures) > 2))


# ------------------------------------------------------------------------------------------------ numbers
def _numbers(board: Board) -> list[tuple[float, float, int, str]]:
    """Every reading: (value, how much it belongs to the question in [0, 1], fact, its clause)."""
    found = []
    for i, fact in enumerate(board.facts):
        for part in clauses(fact.words):
            for reading in readings(part):
                near = max(0.0, cover(board.subject, [(part, 1.0)], board.weights)) if board.subject else 0.5
                of = max(0.0, cover(board.subject, [(reading.of, 1.0)])) if board.subject and reading.of else 0.0
                found.append((reading.value, board.bearing(i) * min(1.0, 0.2 + 0.6 * near + 0.35 * of), i, part))
    return found


def _quantity(board: Board) -> tuple[Scores, Cited, str]:
    found = _numbers(board)
    text = board.question.text
    derived: list[tuple[float, float, list[int]]] = []
    best = max((s for _, s, _, _ in found), default=0.0)
    top = [(v, s, i) for v, s, i, part in found if s >= 0.5 * best]
    if _TOTAL.search(text) and not any(_TOTAL.search(board.facts[i].words) for _, _, i in top):
        each = list({v: (v, s, i) for v, s, i in sorted(top, key=lambda t: t[1])}.values())
        if len(each) > 1:
            derived.append((sum(v for v, _, _ in each), 1.2 * best, [i for _, _, i in each]))
            derived += [(a[0] + b[0], best, [a[2], b[2]]) for a, b in combinations(each, 2)]
    if _DIFFERENCE.search(text):
        derived += [
            (abs(a[0] - b[0]), 1.1 * min(a[1], b[1]), [a[2], b[2]]) for a, b in combinations(top, 2) if a[0] != b[0]
        ]
    candidates = derived + [(v, s * (0.4 if derived else 1.0), [i]) for v, s, i, _ in found]
    if not candidates:
        return timing.count(board) if re.search(r"\bhow many\b", text, re.IGNORECASE) else ({}, {}, "")
    if not board.choices:
        value, score, facts = max(candidates, key=lambda c: c[1])
        return {f"{value:g}": min(0.9, score)}, {f"{value:g}": facts}, ""
    scores: Scores = {}
    cited: Cited = {}
    for label, wanted in board.choices.items():
        figures = [t.number for t in wanted if t.number is not None]
        fit = [(s, facts) for v, s, facts in candidates if any(abs(v - f) < 1e-6 for f in figures)]
        scores[label], cited[label] = max(fit, default=(0.0, []), key=lambda f: f[0])
    if max(scores.values()) < 0.25 and re.search(r"\bhow many\b", text, re.IGNORECASE):
        counted = timing.count(board)
        if counted[0] and max(counted[0].values()) > max(scores.values()):
            return counted
    return scores, cited, "derived from several numbers" if derived else ""


def _extreme(board: Board) -> tuple[Scores, Cited, str]:
    """The choice with the highest or lowest number next to it, or met most often, or called so outright."""
    sign = board.asked.extreme
    if _FREQUENT.search(board.question.text):
        events = {label: timing.strong(board.occurrences(wanted, None, 0.6)) for label, wanted in board.choices.items()}
        values: dict[str, tuple[float, list[int]]] = {
            k: (float(len(e)), [i for o in e for i in o.facts]) for k, e in events.items() if e or sign < 0
        }
    else:
        values = {label: v for label, v in ((label, _number_beside(board, label)) for label in board.choices) if v}
    outright, cited, _ = _fitting(board)
    if len(values) < 2:
        return outright, cited, ""
    ranked = sorted(values, key=lambda k: -sign * values[k][0])
    scores = {label: 0.35 * outright.get(label, 0.0) + 0.1 for label in board.choices}
    if values[ranked[0]][0] != values[ranked[1]][0]:
        scores[ranked[0]] += 0.55 * (0.6 + 0.4 * len(values) / len(board.choices))
    told = ", ".join(f"{(c := board.question.choice(k)) and c.text}: {values[k][0]:g}" for k in ranked)
    return scores, {label: [i for k in ranked for i in values[k][1]][:6] for label in scores}, told


def _number_beside(board: Board, label: str) -> tuple[float, list[int]] | None:
    """The number said or shown together with a choice, from the clause that fits it best."""
    best: tuple[float, float, int] | None = None
    wanted = board.choices[label]
    for i, fact in enumerate(board.facts):
        parts = clauses(fact.words)
        for n, part in enumerate(parts):
            own = max(0.0, cover(wanted, [(part, 1.0)]))
            values = readings(part) or (
                readings(parts[n + 1])[:1]
                if own >= 0.7 and n + 1 < len(parts) and not _names_other(board, label, parts[n + 1])
                else []
            )
            if own >= 0.6 and values:
                score = own * (0.5 + 0.5 * board.bearing(i))
                if best is None or score > best[1]:
                    best = (min(values, key=lambda r: _apart(part, wanted[0].stem, r.text)).value, score, i)
    if best is None:
        best = _number_after(board, label)
    return (best[0], [best[2]]) if best else None


def _number_after(board: Board, label: str) -> tuple[float, float, int] | None:
    """ "Then the bakery. It has nine ovens.": the number in the next sentence, when no other choice is named there."""
    for i, _ in board.sightings(board.choices[label], None, 0.6):
        follower = next(
            (j for j in range(i + 1, len(board.facts)) if board.facts[j].modality is board.facts[i].modality), None
        )
        if (
            follower is not None
            and board.facts[follower].interval.gap(board.facts[i].interval) <= 4.0
            and not _names_other(board, label, board.facts[follower].words)
        ):
            said = readings(board.facts[follower].words)
            if said:
                return said[0].value, 0.4, follower
    return None


def _names_other(board: Board, label: str, text: str) -> bool:
    return any(cover(wanted, [(text, 1.0)]) >= 0.7 for other, wanted in board.choices.items() if other != label)


def _apart(part: str, word: str, figure: str) -> int:
    line = tokens(part)
    a = next((n for n, t in enumerate(line) if affinity(word, t.stem) >= 0.8), 0)
    return min((abs(n - a) for n, t in enumerate(line) if t.text == figure), default=99)


# ------------------------------------------------------------------------------------------------ yes or no
def _yes_no(board: Board) -> tuple[Scores, Cited, str]:
    """The claim is the question itself; a denial or another number in its place makes it false."""
    claim = content(board.question.text)
    figures = {t.number for t in claim if t.number is not None}
    best, at = 0.0, -1
    for i, fact in enumerate(board.facts):
        value = cover(claim, [(fact.words, 1.0), *board.around(i)[1:]], board.weights) * board.nearness[i]
        if figures and (said := {r.value for r in readings(fact.words)}) and not said & figures and abs(value) > 0.4:
            value = -abs(value)
        if abs(value) > abs(best):
            best, at = value, i
    true = best >= 0.55
    sure = min(0.9, abs(best)) if true or best < 0 else 0.5 - 0.4 * abs(best)
    if not board.choices:
        return {"Yes" if true else "No": sure}, {"Yes" if true else "No": [at]}, ""
    scores: Scores = {}
    fitting, cited, _ = _fitting(board)
    for choice in board.question.choices:
        says = choice.text.strip().lower().startswith(("yes", "true"))
        scores[choice.label] = (sure if says == true else 0.1) + (
            0.3 * fitting.get(choice.label, 0.0) if len(content(choice.text)) > 1 else 0.0
        )
    return scores, {label: cited.get(label) or [at] for label in scores}, ""


# ------------------------------------------------------------------------------------------------ choosing
def _choose(board: Board, scores: Scores, cited: Cited, why: str) -> Verdict:
    ranked = sorted(scores, key=lambda label: -scores[label])
    if not ranked or scores[ranked[0]] <= 0.05:
        return Verdict(None, NOT_FOUND, 0.0, 0.0, (), "nothing observed supports any choice")
    best = ranked[0]
    second = scores[ranked[1]] if len(ranked) > 1 else 0.0
    margin = (scores[best] - second) / scores[best]
    confidence = min(0.95, min(1.0, scores[best]) * (0.45 + 0.6 * min(1.0, 2 * margin)))
    choice = board.question.choice(best)
    rival = ranked[1] if len(ranked) > 1 and second > 0 else None
    return Verdict(
        best, choice.text if choice else best, round(confidence, 2), round(margin, 3), _facts(board, cited.get(best, [])), why,
        rival, _facts(board, cited.get(rival, [])) if rival else (),
    )  # fmt: skip


def _open(board: Board, scores: Scores, cited: Cited, why: str) -> Verdict:
    if scores:
        best = max(scores, key=lambda k: scores[k])
        return Verdict(
            None, best, round(min(0.9, scores[best]), 2), scores[best], _facts(board, cited.get(best, [])), why
        )
    ranked = sorted(range(len(board.facts)), key=lambda i: -board.bearing(i) * _useful(board, i))
    at = ranked[0]
    sure = board.bearing(at) * _useful(board, at)
    if sure < 0.3:
        return Verdict(None, NOT_FOUND, 0.0, 0.0, (), "nothing observed bears on the question")
    return Verdict(None, _span(board, at), round(min(0.85, sure), 2), sure, _facts(board, [at]), "")


def _useful(board: Board, at: int) -> float:
    """Whether a fact holds the sort of thing that is asked for."""
    fact, kind = board.facts[at], board.asked.kind
    if kind is Kind.TEXT:
        return 1.0 if fact.text else 0.1
    if kind is Kind.COLOUR:
        return 1.0 if colours(fact.words) else 0.1
    return 1.0 if fact.modality is Modality.SPEECH or fact.text else 0.5


def _span(board: Board, at: int) -> str:
    fact, kind = board.facts[at], board.asked.kind
    if kind is Kind.COLOUR:
        return colours(fact.words)[0]
    if fact.text and kind in (Kind.TEXT, Kind.WHAT):
        return fact.text
    return fact.words


def _facts(board: Board, positions: list[int]) -> tuple[Fact, ...]:
    return tuple(board.facts[i] for i in dict.fromkeys(positions))
