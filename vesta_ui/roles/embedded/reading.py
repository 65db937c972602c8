"""What one piece of text says about a question: whether it meets the query, what it counts, which choices it supports.

The one matcher of the embedded engine, for spoken sentences and for what is read in pictures (VESTA §B.5: observations
carry a judgment and what they say about each hypothesis). Pure; it reports what the text says, and decides nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from vesta_ui.domain import Question, Stance
from vesta_ui.roles.embedded.asked import Asked, Kind, understand
from vesta_ui.roles.embedded.similarity import clauses, cover
from vesta_ui.roles.embedded.words import Reading as NumberReading
from vesta_ui.roles.embedded.words import Token, content, readings

MET, PARTLY = 0.6, 0.2
"""Share of the wanted words: from `MET` the query is met, under `PARTLY` it is not."""
LEAST_STANCE = 0.25
_MEASURED = re.compile(
    r"^(?:(?:an?|one|the)\s+)?(?:bowl|cup|mug|glass|jar|bottle|piece|slice|bag|plate|kilo|pair|loaf|box|packet|tin|can|pot|pint|litre|hour|day|night|"
    r"week|bunch|pound|gram|portion|set|copy|bit)s?\s+of\s+(?=\w)",
    re.IGNORECASE,
)
"""What a thing comes in: "a bowl of soup" is about soup."""


@dataclass(frozen=True, slots=True)
class Reading:
    """`verdict`: the query is met here, is not, or None. `event` names what recurs. Stance weights are in [0, 1]."""

    verdict: bool | None
    confidence: float | None
    number: float | None = None
    number_of: str = ""
    event: str = ""
    stances: tuple[Stance, ...] = ()


@lru_cache(maxsize=8_000)
def read(text: str, question: Question, focus: str = "") -> Reading:
    """Match a sentence, or a line of a sign, against the question, its choices and what was looked for."""
    asked = understand(question)
    if not content(text):
        return Reading(None, None)
    relevance = max(0.0, cover(content(asked.subject), [(text, 1.0)]))
    query = content(focus) or content(f"{asked.subject} {asked.anchor}")
    met = max(0.0, cover(query, [(text, 1.0)])) if query else relevance
    stances = tuple(_stances(text, question, asked, relevance))
    strongest = max((s.weight for s in stances if s.supports), default=0.0)
    number = _number(text, asked)
    event = _event(text, question, asked)
    level = max(met, strongest if strongest >= 0.5 else 0.0)
    verdict = True if level >= MET or event else False if level < PARTLY else None
    confidence = round(
        min(0.95, 0.5 + 0.45 * level)
        if verdict
        else 0.5 + 0.3 * (PARTLY - level) / PARTLY
        if verdict is False
        else 0.4,
        2,
    )
    return Reading(verdict, confidence, number.value if number else None, number.of if number else "", event, stances)


def distinctive(question: Question) -> dict[str, list[Token]]:
    """For every choice the words that matter, those shared by all choices left out when something else remains."""
    words = {c.label: content(_MEASURED.sub("", c.text)) or content(c.text) for c in question.choices}
    shared = set.intersection(*({t.stem for t in line} for line in words.values())) if len(words) > 1 else set()
    return {label: [t for t in line if t.stem not in shared] or line for label, line in words.items()}


def match(choice: list[Token], text: str) -> float:
    """How far a text states (or denies) a choice, in [−1, 1]: the better of the whole text and its clauses."""
    if not choice:
        return 0.0
    whole = cover(choice, [(text, 1.0)])
    best = max((cover(choice, [(part, 1.0)]) for part in clauses(text)), key=abs, default=0.0)
    return best if abs(best) >= abs(whole) else whole


def _stances(text: str, question: Question, asked: Asked, relevance: float) -> list[Stance]:
    found = []
    if asked.kind in (Kind.ORDER, Kind.COUNT):
        return []  # one observation alone says nothing about an order or a count
    said = readings(text)
    for label, wanted in distinctive(question).items():
        stated = match(wanted, text)
        weight = abs(stated) * (0.4 + 0.6 * relevance)
        supports = stated > 0
        figures = [t.number for t in wanted if t.number is not None]
        if figures and said and not {r.value for r in said} & set(figures):
            supports, weight = False, 0.6 * relevance if asked.kind is Kind.QUANTITY and relevance >= MET else 0.0
        if abs(stated) >= 0.5 or not supports:
            if asked.negated:
                supports = not supports
            if weight >= LEAST_STANCE:
                found.append(Stance(label, supports, round(min(1.0, weight), 2)))
    return found


def _number(text: str, asked: Asked) -> NumberReading | None:
    """The number that belongs most to what is asked."""
    found = readings(text)
    if not found:
        return None
    wanted = content(asked.subject)
    return max(found, key=lambda r: cover(wanted, [(r.of, 1.0)]) if wanted and r.of else 0.0)


def _event(text: str, question: Question, asked: Asked) -> str:
    """A name for what recurs: what is counted, or the item of an ordering that this text is about."""
    if asked.kind is Kind.COUNT:
        wanted = content(asked.subject)
        return asked.subject.lower() if wanted and cover(wanted, [(text, 1.0)]) >= MET else ""
    items = (
        asked.items
        if asked.kind is Kind.ORDER
        else tuple(c.text for c in question.choices)
        if asked.kind is Kind.PICK
        else ()
    )
    scored = [(cover(content(item), [(text, 1.0)]), item) for item in items if content(item)]
    best = max(scored, default=(0.0, ""))
    return best[1].lower() if best[0] >= MET else ""
