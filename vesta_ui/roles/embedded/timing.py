"""Answers about time: how often, in what order, which comes first, next or last. Works on a board of facts; pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from itertools import combinations

from vesta_ui.domain import Interval, Modality, merge
from vesta_ui.roles.embedded.asked import parts
from vesta_ui.roles.embedded.board import Board, Occurrence
from vesta_ui.roles.embedded.similarity import affinity, cover, squeezed
from vesta_ui.roles.embedded.words import content, stem, tokens

Scores = dict[str, float]
Cited = dict[str, list[int]]
_NAMED = re.compile(r"[“\"]([^”\"]{2,})[”\"]|\b([A-Z]{2,}(?: [A-Z0-9]{2,})+)\b")
"""A sign named by what is written on it: the "EXIT" sign, the NO SWIMMING sign."""
WRITTEN = frozenset(
    map(stem, "sign signs signpost caption title board word text name label poster card notice banner".split())
)


# ------------------------------------------------------------------------------------------------ how often
def count(board: Board) -> tuple[Scores, Cited, str]:
    """Choices by how well they fit the number of occurrences; without choices one key, the number itself."""
    estimates = _estimates(board)
    if not estimates:
        return {}, {}, ""
    cited = estimates[0][2]
    if not board.choices:
        return (
            {str(estimates[0][0]): min(0.9, estimates[0][1])},
            {str(estimates[0][0]): cited},
            _plural(estimates[0][0]),
        )
    scores: Scores = {}
    for label, wanted in board.choices.items():
        number = next((t.number for t in wanted if t.number is not None), 0.0)
        scores[label] = max(
            (s if n == number else 0.3 * s / (1 + abs(n - number)) for n, s, _ in estimates), default=0.0
        )
    return scores, dict.fromkeys(scores, cited), _plural(estimates[0][0])


def _plural(times: int) -> str:
    return f"{times} separate occurrence{'s' if times != 1 else ''} found"


def _estimates(board: Board) -> list[tuple[int, float, list[int]]]:
    """(number, strength, facts): the best first. Stated outright, then seen, then heard."""
    asked, found = board.asked, []
    low = board.question.text.lower()
    for i, fact in enumerate(board.facts):
        times = _times_said(fact.words)
        about = cover(board.subject, board.around(i)[:3]) if times is not None and board.subject else 0.0
        if times is not None and about >= 0.35:
            found.append((times, min(0.9, 0.55 + 0.5 * about), [i]))
    named = _NAMED.search(board.question.text)
    if named and asked.modality is not Modality.SPEECH:
        read = [i for i, f in enumerate(board.facts) if squeezed(named[1] or named[2]) in squeezed(f.text)]
        if read:
            return [(len(merge(board.facts[i].interval for i in read)), 0.85, read), *found]
    if board.subject and {t.stem for t in board.subject} <= WRITTEN:
        shown = _distinct_texts(board)
        return [(len(shown), 0.75, shown)] if shown else found
    if asked.modality is Modality.SPEECH and re.search(r"\bwords?\b|\bphrase\b|[“\"'‘]", low):
        spoken = [(i, sum(affinity(w.stem, t.stem) == 1.0 for t in tokens(board.facts[i].words) for w in board.subject))
                  for i, _ in board.sightings(board.subject, Modality.SPEECH, 0.5)]  # fmt: skip
        if spoken:
            found.insert(0, (sum(n for _, n in spoken) // max(1, len(board.subject)), 0.85, [i for i, _ in spoken]))
    order = (
        [Modality.SPEECH, Modality.PICTURE]
        if asked.modality is Modality.SPEECH
        else [Modality.PICTURE, Modality.SPEECH]
    )
    for rank, modality in enumerate(order):
        events = strong(board.occurrences(board.tellable(modality), modality, 0.6))
        alike = not events and modality is Modality.PICTURE
        if alike:  # things of that colour, whose kind a picture does not tell
            events = strong(board.coloured())
        if events:
            certainty = (
                (0.85 if asked.modality in (None, modality) else 0.5)
                - 0.2 * rank
                - 0.12 * (len(events) == 1)
                - 0.1 * alike
            )
            found.append(
                (
                    len(events),
                    certainty * min(1.0, 0.5 + 0.5 * max(e.strength for e in events)),
                    [i for e in events for i in e.facts],
                )
            )
    return sorted(found, key=lambda f: -f[1])


def _times_said(text: str) -> int | None:
    """The number in "three times", "twice"; None when none is said."""
    line = tokens(text)
    for n, token in enumerate(line):
        if token.number is not None and (
            token.text.lower() in {"once", "twice", "thrice"}
            or (n + 1 < len(line) and line[n + 1].text.lower() == "times")
        ):
            return int(token.number)
    return None


def strong(events: Sequence[Occurrence]) -> list[Occurrence]:
    """Leaves out faint look-alikes beside clear sightings."""
    best = max((e.strength for e in events), default=0.0)
    return [e for e in events if e.strength >= 0.8 * best]


def _distinct_texts(board: Board) -> list[int]:
    shown: list[int] = []
    for i, fact in enumerate(board.facts):
        text = fact.text.lower()
        if text and not any(SequenceMatcher(None, text, board.facts[j].text.lower()).ratio() > 0.75 for j in shown):
            shown.append(i)
    return shown


# ------------------------------------------------------------------------------------------------ when, and in what order
def moment(board: Board, item: str, last: bool = False, among: Sequence[str] = ()) -> tuple[float, int, float] | None:
    """When an item comes: (seconds, fact, strength). Sentences that list several of the items at once tell nothing of time."""
    wanted = content(item)
    sighted = board.sightings(wanted, None, 0.5)
    if not sighted:
        return None
    scored = []
    for i, _ in sighted:
        value = cover(wanted, [(board.facts[i].words, 1.0)], board.weights)
        others = sum(cover(content(o), [(board.facts[i].words, 1.0)]) >= 0.6 for o in among if o != item)
        fit = 1.0 if board.asked.modality in (None, board.facts[i].modality) else 0.6
        scored.append((i, value * fit * (0.55 if others >= 2 else 1.0)))
    best = max(v for _, v in scored)
    kept = [(i, v) for i, v in scored if v >= 0.85 * best]
    at, value = kept[-1] if last else kept[0]
    return board.facts[at].interval.start + 0.001 * _position(board, at, wanted[0].stem), at, value


def _position(board: Board, at: int, first: str) -> int:
    """Place of a word in its sentence: two items in one sentence come in the order they are said."""
    return next((n for n, t in enumerate(tokens(board.facts[at].words)) if affinity(first, t.stem) >= 0.8), 99)


def order(board: Board) -> tuple[Scores, Cited, str]:
    """Sequences by the share of pairs in the right order, times the share of items found at all."""
    asked = board.asked
    items = asked.items or tuple(dict.fromkeys(t.text for t in board.subject))
    when = {item.lower(): moment(board, item, among=items) for item in items}
    found = {item: w for item, w in when.items() if w}
    told = " → ".join(sorted(found, key=lambda i: found[i][0]))
    cited = [found[i][1] for i in sorted(found, key=lambda i: found[i][0])]
    if not board.choices:
        return ({told: 0.7 * len(found) / len(items)} if found else {}), {told: cited}, f"first met in the order {told}"
    scores: Scores = {}
    for choice in board.question.choices:
        line = [p.lower() for p in parts(choice.text)]
        pairs = [(a, b) for a, b in combinations(line, 2) if a in found and b in found]
        right = sum(found[a][0] < found[b][0] for a, b in pairs) / len(pairs) if pairs else 0.0
        share = len([p for p in line if p in found]) / max(1, len(line))
        scores[choice.label] = (
            right**3 * share * (sum(found[p][2] for p in line if p in found) / max(1, len(found)) if found else 0)
        )
    return scores, dict.fromkeys(scores, cited), f"first met in the order {told}"


def pick(board: Board) -> tuple[Scores, Cited, str]:
    """Which choice comes first, second, last, or next to the anchor."""
    asked, place = board.asked, board.asked.place
    texts = [c.text for c in board.question.choices]
    when = {
        c.label: moment(board, c.text, last=place == -1 and not asked.anchor, among=texts)
        for c in board.question.choices
    }
    found = {label: w for label, w in when.items() if w}
    if not found:
        return {}, {}, ""
    anchor = max(board.anchors, key=lambda a: a[1])[0] if asked.anchor and board.anchors else None
    if anchor is not None and asked.relation in {"before", "after"}:
        found, ranked = _beside(board, found, anchor)
    elif asked.relation == "while" and asked.anchor:
        return {}, {}, ""
    else:
        ranked = sorted(found, key=lambda label: found[label][0])
    if not ranked:
        return {}, {}, ""
    at = place - 1 if place > 0 else len(ranked) + place
    scores = {label: 0.2 * found[label][2] for label in ranked}
    if 0 <= at < len(ranked):
        scores[ranked[at]] = 0.9 * found[ranked[at]][2]
    names = {c.label: c.text for c in board.question.choices}
    return (
        scores,
        {label: [found[label][1]] for label in ranked},
        "met in the order " + " → ".join(names[label] for label in ranked),
    )


def _beside(
    board: Board, found: dict[str, tuple[float, int, float]], anchor: Interval
) -> tuple[dict[str, tuple[float, int, float]], list[str]]:
    """Choices met after (or before) the anchor, each by its sighting on that side; in time order."""
    after = board.asked.relation == "after"
    kept: dict[str, tuple[float, int, float]] = {}
    for label in found:
        side = []
        for i, value in board.sightings(board.choices[label], None, 0.5):
            span = board.facts[i].interval
            if (span.start >= anchor.end - 0.5) if after else (span.end <= anchor.start + 0.5):
                side.append((span.start, i, value))
        if side:
            kept[label] = min(side) if after else max(side)
    return kept, sorted(kept, key=lambda label: kept[label][0])
