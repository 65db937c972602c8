"""Answers about amounts: how many or how much, totals and differences, which has the most or least. Pure."""

from __future__ import annotations

import re
from itertools import combinations

from vesta_ui.domain import Modality
from vesta_ui.roles.embedded import timing
from vesta_ui.roles.embedded.board import Board, shared_words
from vesta_ui.roles.embedded.fitting import fitting
from vesta_ui.roles.embedded.similarity import affinity, clauses, cover
from vesta_ui.roles.embedded.timing import Cited, Scores
from vesta_ui.roles.embedded.words import COLOURS, STOP, Reading, Token, content, readings, stem, tokens

_TOTAL = re.compile(r"\b(?:in total|total|altogether|in all|combined|together|sum)\b", re.IGNORECASE)
_DIFFERENCE = re.compile(
    r"\bhow (?:many|much) (?:more|fewer|less|longer|older|higher|taller|cheaper)\b|\bdifference\b", re.IGNORECASE
)
_FREQUENT = re.compile(
    r"\b(?:most|least) (?:often|frequently|times)\b|\b(?:appears?|seen|shown|visited|mentioned) (?:the )?(?:most|least)\b",
    re.IGNORECASE,
)
_MONEY = frozenset({"pound", "euro", "dollar", "penci", "penny", "cent", "franc", "money"})
MEASURES = frozenset(
    map(
        stem,
        "cost price pay charge take last weigh measure long high height length tall old age number amount many much".split(),
    )
)
"""Words of measuring: every number is near one."""
_KINDS = frozenset(map(stem, "kind type sort one part place thing number time".split()))
_CLOCK = re.compile(r"^when\b|\bwhat time\b|\b[ap]\.?\s?m\b", re.IGNORECASE)
_ZERO = frozenset(("0", "zero", "none", "never", "nobody", "no one"))
_MORE = frozenset({"most", "least", "more", "less"})


def _numbers(board: Board) -> list[tuple[float, float, int, str]]:
    """Every reading: (value, how much it belongs to the question in [0, 1], fact, its clause)."""
    found = []
    weights = lambda stem: board.weights(stem) * (0.4 if stem in MEASURES else 1.0)  # noqa: E731
    units = [t for t in shared_words(board.question) if t.stem not in _MONEY]
    for i, fact in enumerate(board.facts):
        near_by = [(fact.words, 0.7), *((words, 0.6 * share) for words, share in board.around(i)[1:])]
        for part in clauses(fact.words):
            for reading in (r for r in readings(part) if not r.negated):
                near = max(0.0, cover(board.subject, [(part, 1.0), *near_by], weights)) if board.subject else 0.5
                of = max(0.0, cover(board.subject, [(reading.of, 1.0)])) if board.subject and reading.of else 0.0
                unit = 0.3 * max(0.0, cover(units, [(reading.of, 1.0)])) if units and reading.of else 0.0
                named = 0.6 * _named_elsewhere(board, i, part) if fact.modality is Modality.PICTURE else 0.0
                sure = board.bearing(i) * min(1.0, 0.2 + 0.6 * near + 0.35 * of + unit + named)
                found.append((reading.value, sure, i, part))
    return found


def _named_elsewhere(board: Board, at: int, part: str) -> float:
    """In [0, 1]: how much the question is about what a line of a sign is about: it names it, or what is said does: she orders the pie,
    the board gives the price of the pie."""
    label = [t for t in content(part) if t.number is None and t.stem not in COLOURS]
    if not label or not board.subject or len(label) > 4:
        return 0.0
    if cover(label, [(board.question.text, 1.0)]) >= 0.8:
        return 1.0
    return max(
        (
            max(0.0, cover(board.subject, board.around(i)[:1] + board.around(i)[1:3], board.weights))
            for i, fact in enumerate(board.facts)
            if fact.modality is Modality.SPEECH and cover(label, [(fact.words, 1.0)]) >= 0.8
        ),
        default=0.0,
    )


def quantity(board: Board) -> tuple[Scores, Cited, str]:
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
    clock = bool(_CLOCK.search(f"{text} {' '.join(c.text for c in board.question.choices)}"))
    for label, wanted in board.choices.items():
        figures = [t.number for t in wanted if t.number is not None]
        fit = [(s, facts) for v, s, facts in candidates if any(_equal(v, f, clock) for f in figures)]
        scores[label], cited[label] = max(fit, default=(0.0, []), key=lambda f: f[0])
    if max(scores.values()) < 0.25 and re.search(r"\bhow many\b", text, re.IGNORECASE):
        counted = timing.count(board)
        if counted[0] and max(counted[0].values()) > max(scores.values()):
            return counted
    return scores, cited, "derived from several numbers" if derived else ""


def nothing(board: Board) -> tuple[Scores, Cited, str] | None:
    """None at all, where that is a choice and a fact denies what is counted ("no one was hurt")."""
    zero = [c.label for c in board.question.choices if c.text.strip().lower() in _ZERO]
    subject = [t for t in board.subject if t.stem not in ("person", "man", "woman")] or board.subject
    denied = [(-cover(subject, [(f.words, 1.0)]), i) for i, f in enumerate(board.facts)] if zero and subject else []
    most, at = max(denied, default=(0.0, 0))
    if most < 0.6:
        return None
    return {c.label: 0.8 if c.label in zero else 0.1 for c in board.question.choices}, {zero[0]: [at]}, "it is denied"


def _equal(a: float, b: float, clock: bool) -> bool:
    """Equal numbers, or the same hour on a clock of twelve."""
    return abs(a - b) < 1e-6 or (clock and abs(abs(a - b) - 12) < 1e-6 and 13 <= max(a, b) <= 24)


def extreme(board: Board) -> tuple[Scores, Cited, str]:
    """The choice called so outright, met most often, or with the highest or lowest number next to it."""
    sign = board.asked.extreme
    outright, cited, _ = fitting(board)
    if _FREQUENT.search(board.question.text):
        events = {label: timing.strong(board.occurrences(wanted, None, 0.6)) for label, wanted in board.choices.items()}
        values = {k: (float(len(e)), [i for o in e for i in o.facts]) for k, e in events.items() if e or sign < 0}
    else:
        called = _called(board)
        if called:
            label, at = called
            return (
                {k: 0.85 if k == label else 0.3 * outright.get(k, 0.0) for k in board.choices},
                {k: [at] for k in board.choices},
                "",
            )
        values = {label: v for label, v in ((label, _number_beside(board, label)) for label in board.choices) if v}
    if len(values) < 2:
        return outright, cited, ""
    if _aged(board.question.text) and all(1000 <= v <= 2100 for v, _ in values.values()):
        sign = -sign  # the oldest has the earliest year
    ranked = sorted(values, key=lambda k: -sign * values[k][0])
    scores = {label: 0.35 * outright.get(label, 0.0) + 0.1 for label in board.choices}
    if values[ranked[0]][0] != values[ranked[1]][0]:
        scores[ranked[0]] += 0.55 * (0.6 + 0.4 * len(values) / len(board.choices))
    told = ", ".join(f"{(c := board.question.choice(k)) and c.text}: {values[k][0]:g}" for k in ranked)
    return scores, dict.fromkeys(scores, [i for k in ranked for i in values[k][1]][:6]), told


def _aged(text: str) -> bool:
    return bool(re.search(r"\b(?:old|new|young|recent)(?:er|est)?\b", text, re.IGNORECASE))


def _called(board: Board) -> tuple[str, int] | None:
    """A choice that a clause calls the tallest, the most dangerous …, in the question's own word."""
    line = tokens(board.question.text)
    degrees = [
        (line[n + 1].stem if t.text.lower() in _MORE and n + 1 < len(line) else t.stem, t.text.lower() if t.text.lower() in _MORE else "")
        for n, t in enumerate(line)
        if t.text.lower() in _MORE or (t.text.lower().endswith(("est", "er")) and t.stem != t.text.lower().removesuffix("e"))
    ]  # fmt: skip
    for base, degree in degrees:
        for i, fact in enumerate(board.facts):
            for part in clauses(fact.words):
                said = tokens(part)
                here = _qualifies(said, base, board) and any(
                    t.stem == base and not t.negated
                    and ((said[n - 1].text.lower() == degree) if degree else t.text.lower().endswith(("est", "er")))
                    for n, t in enumerate(said) if n or not degree
                )  # fmt: skip
                fits = {k: cover(w, [(part, 1.0), (fact.words, 0.7)]) for k, w in board.choices.items()} if here else {}
                ranked = sorted(fits, key=lambda k: -fits[k])
                if ranked and fits[ranked[0]] >= 0.6 and (len(ranked) < 2 or fits[ranked[0]] > fits[ranked[1]] + 0.1):
                    return ranked[0], i
    return None


def _qualifies(said: list[Token], base: str, board: Board) -> bool:
    """Whether the degree word stands alone, or before the kind of thing that is asked about or chosen from."""
    at = next((n for n, t in enumerate(said) if t.stem == base), -1)
    after = next((t for t in said[at + 1 : at + 2] if t.text.lower() not in STOP and t.number is None), None)
    if after is None:
        return True
    kinds = [*board.subject, *(t for line in board.choices.values() for t in line)]
    return any(affinity(after.stem, t.stem, after.text, t.text) >= 0.5 for t in kinds) or after.stem in _KINDS


def _number_beside(board: Board, label: str) -> tuple[float, list[int]] | None:
    """The number said or shown together with a choice, from the clause that fits it best."""
    best: tuple[float, float, int] | None = None
    wanted = [t for t in board.choices[label] if t.number is None] or board.choices[label]
    own_figures = {t.number for t in content(choice.text)} if (choice := board.question.choice(label)) else set()
    for i, fact in enumerate(board.facts):
        parts = clauses(fact.words)
        for n, part in enumerate(parts):
            own = max(0.0, cover(wanted, [(part, 1.0)]))
            if own < 0.6:
                continue
            values = _plain(part, own_figures)
            if not values and n + 1 < len(parts) and not _names_other(board, label, parts[n + 1]):
                values = _plain(parts[n + 1], own_figures)[:1]
            if values:
                score = own * (0.5 + 0.5 * board.bearing(i))
                if best is None or score > best[1]:
                    best = (min(values, key=lambda r: _apart(part, wanted[0].stem, r.text)).value, score, i)
    if best is None:
        best = _number_after(board, label)
    return (best[0], [best[2]]) if best else None


def _plain(part: str, but: set[float | None]) -> list[Reading]:
    """Numbers stated in a clause, without those of the choice's own name; amounts with a fraction, if any, come first."""
    found = [r for r in readings(part) if not r.negated and r.value not in but]
    return [r for r in found if "." in r.text] or found


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
