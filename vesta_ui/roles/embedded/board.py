"""Facts side by side: how much each bears on the question, and when things were seen or said. Pure; decides nothing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from vesta_ui.domain import Interval, Modality, Question
from vesta_ui.roles.embedded.asked import Asked, Kind, understand
from vesta_ui.roles.embedded.facts import Fact
from vesta_ui.roles.embedded.reading import distinctive
from vesta_ui.roles.embedded.similarity import clauses, cover, in_line, meaning, rarity
from vesta_ui.roles.embedded.words import COLOURS, Token, content, tokens

BEFORE, AFTER, BESIDE = (0.6, 0.45, 0.35, 0.25), (0.5,), 0.75
"""How much the sentences before and after count, and what is perceived at the same time by the other sense."""
BESIDE_REACH = 40
"""How many facts before and after, in time order, can lie beside one."""
READ_CLOSELY = 240
"""Facts compared with the question in meaning, which costs milliseconds each; in long videos the rest by words alone."""
SIGHTING = 0.7
"""Share of the wanted words that makes a sighting."""
SAME_EVENT_S = {Modality.PICTURE: 12.0, Modality.SPEECH: 12.0}
_WHY = re.compile(
    r"why\b|for (?:what|which) reason|what (?:is the (?:reason|cause)|(?:caus|delay|prevent|forc|mak|mad|stop|keep|kept|held)\w*)\b",
    re.IGNORECASE,
)
_CAUSAL = re.compile(
    r"\b(?:because|since|so|as|due|thanks|reason|caused?|owing|therefore|that is why|otherwise|in order|for)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Occurrence:
    """Sightings that are one event: `facts` are positions on the board, `strength` in [0, 1]."""

    interval: Interval
    facts: tuple[int, ...]
    strength: float


class Board:
    def __init__(self, question: Question, facts: Sequence[Fact]) -> None:
        self.question = question
        self.asked: Asked = understand(question)
        self.facts = list(facts)
        self._sources: dict[int, list[tuple[str, float]]] = {}
        self.weights = rarity(dict.fromkeys(f.words for f in self.facts))
        self.choices: dict[str, list[Token]] = distinctive(question)
        self._asks_why = bool(_WHY.match(question.text))
        self.subject = content(self.asked.subject) + ([] if _measured(question) else shared_words(question))

    # ------------------------------------------------------------------ relevance
    def around(self, at: int) -> list[tuple[str, float]]:
        """See `_around`."""
        if at not in self._sources:
            self._sources[at] = self._around(at)
        return self._sources[at]

    def _around(self, at: int) -> list[tuple[str, float]]:
        """The fact's words, those said shortly before and after, and what the other sense perceived at the same time.

        A topic is named first and then spoken about: what came before counts over several sentences, fading.
        """
        fact = self.facts[at]
        sources = [(fact.words, 1.0)]
        for step, shares in ((-1, BEFORE), (1, AFTER)):
            last, other = fact, at
            for share in shares if fact.modality is Modality.SPEECH else shares[:1]:
                other = self._next(other, step, fact.modality)
                if other < 0 or self.facts[other].interval.gap(last.interval) > 4.0:
                    break
                last = self.facts[other]
                sources.append((last.words, share))
        sources += [
            (o.words, BESIDE)
            for o in self.facts[max(0, at - BESIDE_REACH) : at + BESIDE_REACH]
            if o.modality is not fact.modality and o.interval.overlap(fact.interval) > 0
        ]
        return sources

    def _next(self, at: int, step: int, modality: Modality) -> int:
        """The next fact of the same sense; −1 when there is none."""
        at += step
        while 0 <= at < len(self.facts) and self.facts[at].modality is not modality:
            at += step
        return at if 0 <= at < len(self.facts) else -1

    def passage(self, at: int) -> str:
        """What is said here, with the sentence before and after."""
        spots = [self._next(at, -1, self.facts[at].modality), at, self._next(at, 1, self.facts[at].modality)]
        near = [i for i in spots if i >= 0 and self.facts[i].interval.gap(self.facts[at].interval) <= 4.0]
        return " ".join(self.facts[i].words for i in near)

    @cached_property
    def relevance(self) -> list[float]:
        """Per fact in [0, 1]: how much it bears on the question's subject, words and meaning together."""
        if not self.subject:
            return [0.5] * len(self.facts)
        asked = self.question.text
        told = [abs(cover(self.subject, self.around(i), self.weights)) for i in range(len(self.facts))]
        near = set(sorted(range(len(told)), key=lambda i: -told[i])[:READ_CLOSELY])
        return [
            min(1.0, 0.7 * told[i] + (0.45 * meaning(asked, f.words) if i in near else 0.0))
            for i, f in enumerate(self.facts)
        ]

    @cached_property
    def closest(self) -> set[int]:
        """The facts that bear most on the question: only these are compared in meaning with every choice."""

        def promise(at: int) -> float:
            words = self.facts[at].words
            return self.bearing(at) + 0.5 * max((cover(c, [(words, 1.0)]) for c in self.choices.values()), default=0.0)

        return set(sorted(range(len(self.facts)), key=promise, reverse=True)[: READ_CLOSELY // 4])

    @cached_property
    def nearness(self) -> list[float]:
        """Per fact in [0, 1]: how well it lies in time with the question's anchor; 1 everywhere without one."""
        asked = self.asked
        if not asked.anchor:
            return [1.0] * len(self.facts)
        spans = self.anchors
        if not spans:
            return [0.5] * len(self.facts)
        return [max(_tie(asked.relation, span, f.interval) * s for span, s in spans) for f in self.facts]

    @cached_property
    def anchors(self) -> list[tuple[Interval, float]]:
        """Where the anchor clause was met, with strength relative to the best."""
        wanted = content(self.asked.anchor)
        scored = []
        for i, f in enumerate(self.facts):
            if self.asked.anchor_modality in (None, f.modality):
                own = [(f.words, 1.0)] + [
                    s for s in self.around(i)[1:] if s[1] in (BEFORE[0], AFTER[0]) and f.modality is Modality.SPEECH
                ]
                value = 0.7 * max(0.0, cover(wanted, own, self.weights)) + 0.4 * meaning(self.asked.anchor, f.words)
                scored.append((value, f.interval))
        best = max((v for v, _ in scored), default=0.0)
        return [(span, value / best) for value, span in scored if best >= 0.3 and value >= 0.8 * best]

    def fits(self, at: int) -> float:
        """1 when the fact comes from the sense that was asked about, less otherwise."""
        return 1.0 if self.asked.modality in (None, self.facts[at].modality) else 0.45

    def share(self, at: int) -> float:
        """Relevance in [0, 1] of the most relevant fact's."""
        best = max(self.relevance)
        return float(self.relevance[at] / best) if best > 0 else 0.0

    def bearing(self, at: int) -> float:
        """In [0, 1]: what a fact counts for: of the right sense, at the right time, on the subject."""
        best = max(self.relevance)
        reason = 0.8 if self._asks_why and not _CAUSAL.search(self.facts[at].words) else 1.0
        return (
            reason
            * self.fits(at)
            * self.nearness[at]
            * (0.2 + 0.8 * float(self.share(at) ** 1.5))
            * (0.4 + 0.6 * min(1.0, best))
        )

    # ------------------------------------------------------------------ matching
    def lettered(self, at: int, wanted: Sequence[Token]) -> bool:
        """False when lettering is asked for and these words of a picture's description are not part of it."""
        fact = self.facts[at]
        if self.asked.kind is not Kind.TEXT or fact.modality is not Modality.PICTURE:
            return True
        return cover(wanted, [(fact.text, 1.0)]) >= 0.8 * cover(wanted, [(fact.words, 1.0)])

    def states(self, at: int, wanted: Sequence[Token]) -> float:
        """How far a fact states these words, in [−1, 1]. When the question asks what is not so, a fact that denies
        something states it."""
        value = self._states(at, wanted)
        if not self.asked.denied:
            return value
        return abs(value) if any(t.negated for t in tokens(self.facts[at].words)) else 0.3 * value

    def _states(self, at: int, wanted: Sequence[Token]) -> float:
        """A clause that also bears on the subject counts most where several choices are spoken of."""
        words = self.facts[at].words
        if not in_line(wanted, words) or not self.lettered(at, wanted):
            return 0.0
        sources = [(words, 1.0)] + [s for s in self.around(at)[1:] if s[1] in (BEFORE[0], AFTER[0])]
        whole = cover(wanted, [(words, 1.0)], self.weights)
        wide = 0.85 * cover(wanted, sources, self.weights)
        if abs(wide) > abs(whole) and (whole > 0.3):
            whole = wide
        parts = clauses(words)
        if len(parts) < 2 or not self._contested(at, wanted):
            return whole
        best = 0.0
        for part in parts:
            value = cover(wanted, [(part, 1.0)], self.weights)
            nearby = max(0.0, cover(self.subject, [(part, 1.0)], self.weights)) if self.subject else 1.0
            value *= 0.6 + 0.4 * nearby
            best = value if abs(value) > abs(best) else best
        return 0.5 * whole + 0.5 * best

    def _contested(self, at: int, wanted: Sequence[Token]) -> bool:
        """Whether the fact speaks of another choice too, so that it matters which clause says what."""
        words = self.facts[at].words
        return any(other != wanted and abs(cover(other, [(words, 1.0)])) >= 0.5 for other in self.choices.values())

    # ------------------------------------------------------------------ time
    def sightings(
        self, wanted: Sequence[Token], modality: Modality | None = None, least: float = SIGHTING
    ) -> list[tuple[int, float]]:
        if not wanted:
            return []
        found = []
        for i, f in enumerate(self.facts):
            value = cover(wanted, [(f.words, 1.0)]) if modality in (None, f.modality) else 0.0
            if value >= least and in_line(wanted, f.words):
                found.append((i, value))
        return found

    def occurrences(
        self, wanted: Sequence[Token], modality: Modality | None = None, least: float = SIGHTING
    ) -> list[Occurrence]:
        """Sightings grouped into events: apart in time, or with something else seen in between."""
        return self._grouped(self.sightings(wanted, modality, least))

    def _grouped(self, sightings: Sequence[tuple[int, float]]) -> list[Occurrence]:
        groups: list[list[tuple[int, float]]] = []
        for at, value in sightings:
            if groups and self._same(groups[-1][-1][0], at, {i for i, _ in groups[-1]}):
                groups[-1].append((at, value))
            else:
                groups.append([(at, value)])
        return [
            Occurrence(Interval(self.facts[g[0][0]].interval.start, max(self.facts[i].interval.end for i, _ in g)),
                       tuple(i for i, _ in g), max(v for _, v in g))
            for g in groups
        ]  # fmt: skip

    def tellable(self, modality: Modality) -> list[Token]:
        """The subject's words that this sense meets at all: a word that no picture can show tells no pictures apart.
        All of them, when nothing but a colour would be left."""
        met = [
            t for t in self.subject
            if any(cover([t], [(f.words, 1.0)]) >= 0.8 for f in self.facts if f.modality is modality)
        ]  # fmt: skip
        return met if any(t.stem not in COLOURS for t in met) else self.subject

    def coloured(self) -> list[Occurrence]:
        """Where a thing of the subject's colour was seen, when the kind of thing cannot be told ("red balloon"): whole
        forms count more than patches."""
        hues = [t.stem for t in self.subject if t.stem in COLOURS]
        found = []
        for i, f in enumerate(self.facts):
            forms = (
                re.findall(rf"\b{hues[0]} (circle|square|rectangle|triangle|patch)\b", f.content)
                if hues and f.modality is Modality.PICTURE
                else []
            )
            if forms:
                found.append((i, 0.7 if set(forms) == {"patch"} else 0.9))
        if any(value == 0.9 for _, value in found):
            found = [one for one in found if one[1] == 0.9]
        return self._grouped(found)

    def _same(self, a: int, b: int, group: set[int]) -> bool:
        one, other = self.facts[a], self.facts[b]
        gap = one.interval.gap(other.interval)
        between = [
            i for i in range(a + 1, b)
            if i not in group and self.facts[i].modality is one.modality
            and self.facts[i].interval.start >= one.interval.end - 0.1 and self.facts[i].interval.end <= other.interval.start + 0.1
        ]  # fmt: skip
        if one.modality is Modality.PICTURE and other.modality is Modality.PICTURE and between:
            return False
        return gap <= SAME_EVENT_S[one.modality] and len(between) <= 2


def shared_words(question: Question) -> list[Token]:
    """Words that all choices share ("The ferry left at nine", "The ferry left at ten"; "2 years", "5 years")."""
    lines = [content(c.text) for c in question.choices]
    if len(lines) < 2:
        return []
    asked = {t.stem for t in content(question.text)}
    return [t for t in lines[0] if t.stem not in asked and all(t.stem in {o.stem for o in line} for line in lines[1:])]


def _measured(question: Question) -> bool:
    """Whether every choice is a number, so that the words they share are a unit of measure."""
    return all(any(t.number is not None for t in content(c.text)) for c in question.choices)


def _tie(relation: str, anchor: Interval, span: Interval) -> float:
    """In [0, 1]: overlap for "while", soon after for "after", shortly before for "before"."""
    if relation and span == anchor:
        return 0.8  # one sentence tells both ("The fire has not burned since the war")
    if relation == "after":
        late = span.start - anchor.end
        return 1 / (1 + max(0.0, late) / 12) if late >= -0.5 else 0.15 if span.end > anchor.end else 0.05
    if relation == "before":
        early = anchor.start - span.end
        return 1 / (1 + max(0.0, early) / 12) if early >= -0.5 else 0.15 if span.start < anchor.start else 0.05
    gap = anchor.gap(span)
    return 1.0 if anchor.overlap(span) > 0 else max(0.08, 0.8 - gap / 8)
