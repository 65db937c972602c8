"""The embedded Reasoner: rules over exactly H_t, one decision at a time (VESTA §3.4, Algorithm 1).

Each rule names a gap and the operation that may close it: listen, look, look between, ask the index again, settle
between two choices, answer. The first rule with something new to do decides; no call is made twice.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from vesta_ui.control import Control
from vesta_ui.domain import Action, Interval, Modality, Policy, Status, merge
from vesta_ui.roles import Context, Decision
from vesta_ui.roles.embedded.asked import Kind
from vesta_ui.roles.embedded.board import Board
from vesta_ui.roles.embedded.confirming import WHOLE, Check
from vesta_ui.roles.embedded.facts import Fact, covered, facts_of, missing, narrow, pieces
from vesta_ui.roles.embedded.weigh import NOT_FOUND, Verdict, weigh
from vesta_ui.roles.embedded.words import brief, content

SURE, AHEAD = 0.5, 0.35
"""Confidence and margin from which the ledger is taken to support one answer."""
SHORT_S = 900.0
"""Up to this length all speech is read at once: it is transcribed already, and costs one step."""
PATIENCE = 9
"""Steps after which the best answer so far is given, sure or not."""
AT_ONCE = 8
"""Intervals looked at in one call: one frame each at least."""
LOOKS = 4
"""Visual inspections before an answer; each costs seconds."""
PAD_S = 3.0
CLIP_S = 1.6
"""Length of a targeted look: the frames lie close together."""
DOUBTFUL = 0.3
THIN_S = 15.0
"""A look every so many seconds or less often is a glance, after which a stretch still counts as not looked at."""
_WHOLE = (Kind.COUNT, Kind.ORDER, Kind.PICK, Kind.EXTREME)
"""What can only be told from the whole video."""


class EmbeddedReasoner:
    spec = "embedded"

    def decide(self, context: Context, control: Control) -> Decision:
        control.check()
        return Decision(_Turn(context).action())


class _Turn:
    """One decision: what is known now, and the rules in order of use."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.question = context.question
        self.facts = facts_of(context)
        self.board = Board(context.question, self.facts)
        self.asked = self.board.asked
        self.verdict: Verdict = weigh(context.question, self.facts)
        self.whole = Interval(0.0, context.video.duration_s)
        self.heard = covered(context, "speech")
        self.seen = covered(context, "inspect", "clip", thinnest_s=THIN_S * AT_ONCE)
        self.done = {_key(m.operation, m.arguments) for m in context.memory}
        self.broad = self.asked.kind in _WHOLE or self.asked.negated
        self.looks = sum(m.operation == "inspect" and not m.error for m in context.memory)

    def action(self) -> Action:
        if self.context.final or self.context.step >= min(self.context.budget, PATIENCE):
            return self.answer()
        named = (self.widen, self.ask_again) if self.asked.kind is Kind.COUNT else (self.ask_again, self.widen)
        hear_out = (self.listen_to_all,)
        short = self.whole.length <= SHORT_S
        rules: tuple[Callable[[], Iterator[Action]], ...] = (
            self.search, self.listen, *(hear_out if short else ()), self.look, *named, *hear_out, self.look_where_spoken, self.look_between, self.name_it, self.contrast, self.confirm,
        )  # fmt: skip
        for rule in rules:
            for action in rule():
                new = _key(action.operation, action.arguments) not in self.done
                if new and action.operation in self.context.operations:
                    return action
        return self.answer()

    # ------------------------------------------------------------------ what is known
    @property
    def settled(self) -> bool:
        return self.verdict.confidence >= SURE and (self.verdict.margin >= AHEAD or not self.question.choices)

    @property
    def enough(self) -> bool:
        """Settled, and for what only the whole video can tell: told outright in speech, or every item was met."""
        if not self.settled or self.asked.kind is Kind.COUNT:
            told = self.asked.modality is None and any(f.modality is Modality.SPEECH for f in self.verdict.facts)
            return self.settled and told
        return not self.broad or self.asked.modality is None or not self._unmet()

    @property
    def wants_picture(self) -> bool:
        return self.asked.modality is not Modality.SPEECH

    @property
    def wants_speech(self) -> bool:
        return self.asked.modality is not Modality.PICTURE or (
            bool(self.asked.anchor) and self.asked.anchor_modality is not Modality.PICTURE
        )

    @property
    def owed(self) -> dict[str, list[Interval]]:
        """Per choice, where the contrastive retrieval points for it."""
        found: dict[str, list[Interval]] = {}
        for state in self.context.references:
            for label in state.reference.hypotheses:
                found.setdefault(label, []).append(state.reference.interval)
        return found

    def places(self) -> list[Interval]:
        """Retrieved scenes that are not ruled out, the most promising first, each once."""
        states = [s for s in self.context.references if s.status is not Status.REJECTED]
        ranked = sorted(states, key=lambda s: (s.reference.step == 0, s.reference.score), reverse=True)
        return list(dict.fromkeys(s.reference.interval for s in ranked))

    def unseen(self, places: list[Interval]) -> list[Interval]:
        """Those of which less than half was looked at."""
        return [p for p in places if sum(p.overlap(i) for i in self.seen) < 0.5 * p.length]

    # ------------------------------------------------------------------ rules
    def search(self) -> Iterator[Action]:
        if not self.context.references:
            why = "Nothing has been retrieved yet, so I ask the index with the question itself."
            yield self._retrieve(self.question.text, 6, why)

    def listen(self) -> Iterator[Action]:
        if not self.wants_speech or self.settled:
            return
        if not self.context.references and self.whole.length <= SHORT_S:
            wanted = [self.whole]
            why = "There is no index to point anywhere; reading all that is said is cheap, so I start there."
        elif (self.broad or self.asked.anchor) and self.whole.length <= SHORT_S:
            wanted = [self.whole]
            whole = f"{self.asked.kind.value} can only be told from the whole"
            wide = whole if self.broad else f"“{self.asked.anchor}” may be said anywhere"
            why = f"It is not known yet what is said, and {wide}; reading it is cheap."
        else:
            wanted = self.places()[:6]
            news = "newly found" if self.heard else "retrieved"
            why = f"It is not known yet what is said in the {news} scenes; speech is cheap, so I listen there first."
        yield from self._speech(wanted, why)

    def look(self) -> Iterator[Action]:
        """The pictures at the time the question points to, else the best open references."""
        if not self.wants_picture or self.looks >= LOOKS or (self.enough and not self._picture_missing()):
            return
        if self.asked.anchor and self.board.anchors:
            why = f"The question points to when “{self.asked.anchor}”; that time is found, not yet what is shown there."
            yield from self._inspect(self._pointed(), why)
        if not self.context.references:
            why = "There is no index to point anywhere, so I glance over the whole video."
            yield from self._inspect([self.whole], why)
            return
        first = self.unseen(self.places())[: AT_ONCE if self.broad else 4]
        if first and not self._exhausted():
            scenes = "scenes are" if len(first) > 1 else "scene is"
            yield from self._inspect(
                first, f"{len(first)} retrieved {scenes} not verified by the picture yet; I look there."
            )

    def widen(self) -> Iterator[Action]:
        """For counts and orders: every scene that may show it, not only the first few."""
        if self.broad and self.wants_picture and not self.enough and self.looks < LOOKS and not self._exhausted():
            why = f"For {self.asked.kind.value} a few scenes are not enough; I ask for all that may show it."
            yield self._retrieve(self._focus(), 15, why)

    def listen_to_all(self) -> Iterator[Action]:
        if self.wants_speech and not self.settled:
            left = missing([self.whole], self.heard, 2.0)
            if self.whole.length > SHORT_S:
                left = [Interval(i.start, min(i.end, i.start + SHORT_S)) for i in left[:2]]
            yield from self._speech(left, "What was heard so far does not settle it, so I listen to the rest.")

    def look_where_spoken(self) -> Iterator[Action]:
        """When the pictures found do not show it: what is said may tell where to look."""
        if not self.wants_picture or self.settled or self.looks >= LOOKS or self._exhausted():
            return
        if self.whole.length <= SHORT_S:
            yield from self._speech(
                [self.whole], "The pictures seen so far do not settle it; what is said may tell where to look."
            )
        relevant = [
            (self.board.relevance[n], f)
            for n, f in enumerate(self.facts)
            if f.modality is Modality.SPEECH and self.board.relevance[n] >= 0.3
        ]
        best = sorted(relevant, key=lambda r: -r[0])[:3]
        spans = [self._clipped(f.interval.start - PAD_S, f.interval.end + 2 * PAD_S) for _, f in best]
        if spans:
            yield from self._inspect(
                list(merge(spans)),
                f"“{best[0][1].words[:60]}” is said there, but what is shown is not known; I look there.",
            )

    def look_between(self) -> Iterator[Action]:
        """For counts and orders, and where no index helps: the stretches nobody has looked at."""
        blind = not self.context.references and not self.settled
        needless = not (self.broad or blind) or not self.wants_picture or self.enough
        if needless or self.looks >= LOOKS or self._exhausted():
            return
        left = missing([self.whole], self.seen, 4.0)
        parts = [p for i in left for p in pieces(i, 20.0)]
        chosen = sorted(sorted(parts, key=lambda i: -i.length)[:AT_ONCE])
        if chosen:
            share = 1 - sum(i.length for i in left) / max(1e-6, self.whole.length)
            yield from self._inspect(
                chosen,
                f"Only {share:.0%} of the video has been looked at, too little for {self.asked.kind.value}; I look into the gaps.",
            )

    def ask_again(self) -> Iterator[Action]:
        """Other words: each choice or item that nothing supports yet, then what was found near the subject."""
        if self.enough or sum(m.operation == "retrieve" for m in self.context.memory) >= 4:
            return
        for name in self._unmet():
            why = f"Nothing found so far speaks of “{name}”; I search for it by name."
            yield self._retrieve(f"{self.asked.subject} {name}".strip(), 4, why)
        if not self.question.choices and self.asked.subject:
            yield self._retrieve(
                self.asked.subject, 6, "The scenes found do not answer it; I search again with the key words alone."
            )

    def name_it(self) -> Iterator[Action]:
        """A count of shapes of the right colour: pictures do not say what they are, but speech may."""
        if self.asked.kind is Kind.COUNT and self.verdict.gap and self.whole.length <= SHORT_S:
            yield from self._speech(
                [self.whole], f"Pictures alone do not name “{self.asked.subject}”; I hear whether it is spoken of."
            )

    def contrast(self) -> Iterator[Action]:
        """No choice is dropped unseen: the references of each are looked at or listened to before the answer."""
        if self.context.policy is not Policy.CONTRASTIVE or not self.verdict.found:
            return
        known = self.heard if self.wants_speech else self.seen
        left = {k: spans for k, spans in self.owed.items() if not any(s.overlap(i) > 0 for s in spans for i in known)}
        if left:
            spans = list(dict.fromkeys(s for some in left.values() for s in some))[:AT_ONCE]
            names = " and ".join(f"“{c.text}”" for c in self.question.choices if c.label in left)
            why = f"Nothing retrieved for {brief(names, 10)} was examined yet; I do so before answering."
            yield from self._speech(spans, why) if self.wants_speech else self._inspect(spans, why)

    def confirm(self) -> Iterator[Action]:
        """A closer look at what the answer rests on, and at the runner-up when the two are close."""
        v = self.verdict
        if not v.found or v.gap or not v.facts or v.check is not Check.OPEN:
            return
        if self.asked.kind in WHOLE:
            yield from self._see_what_was_said(v.facts)
            return
        near = [v.facts[0], *(v.rival_facts[:1] if not self.settled else ())]
        for fact in near:
            if fact.modality is Modality.SPEECH and self.asked.modality is Modality.SPEECH:
                if self.whole.length <= SHORT_S:
                    yield from self._speech(
                        [self.whole], "One passage answers it; I listen to the rest for anything against it."
                    )
            elif not any(fact.interval.overlap(i) > 0 for i in self.judged()):
                yield self._clip(fact)

    def _see_what_was_said(self, facts: tuple[Fact, ...]) -> Iterator[Action]:
        if self.asked.modality is None and not any(f.modality is Modality.PICTURE for f in facts):
            spans = [narrow(f.interval, CLIP_S) for f in facts[:4]]
            yield from self._inspect(
                spans, "So far this is only said; I look whether the pictures at those times agree."
            )

    def _clip(self, fact: Fact) -> Action:
        v = self.verdict
        rival = self.question.choice(v.rival) if v.rival else None
        answer = brief(v.text, 8)
        if fact.modality is Modality.SPEECH:
            why = f"“{answer}” is only said so far; I check the picture at that moment."
        elif rival and not self.settled:
            why = f"“{answer}” and “{brief(rival.text, 6)}” are still close; a targeted look may separate them."
        else:
            why = f"“{answer}” rests on one coarse look; a closer one confirms or unsettles it."
        ask = f"“{v.text}” or “{rival.text}”? " if rival else f"Is it “{v.text}”? "
        return Action(
            "clip", {"interval": _span(narrow(fact.interval, CLIP_S)), "question": ask + self.question.text}, why
        )

    def judged(self) -> list[Interval]:
        return [
            Interval(*map(float, m.arguments["interval"]))
            for m in self.context.memory
            if m.operation == "clip" and not m.error
        ]

    def answer(self) -> Action:
        v = self.verdict
        ids = [f.id for f in v.facts if f.id][:6]
        if v.found:
            why = v.why or (brief(v.facts[0].words, 30) if v.facts else "it fits best")
            why += f"; {v.check.value}" if v.check else ""
            why += "".join(
                f"; nothing was retrieved for “{brief(c.text, 8)}”"
                for c in self.question.choices
                if self.owed and c.label not in self.owed
            )
            start = (
                "The evidence supports"
                if v.confidence > DOUBTFUL
                else "Nothing clearly supports any answer; the best guess is"
            )
            thought = f"{start} “{brief(v.text, 8)}” ({v.confidence:.0%}): {brief(why, 12)}"
            return Action(
                "finalize",
                {"answer": v.label or v.text, "evidence": ids, "confidence": v.confidence, "why": why},
                thought,
            )
        guess = self._guess() if self.question.choices else NOT_FOUND
        why = f"not found: {v.why}; {guess} is a guess" if self.question.choices else v.why
        return Action("finalize", {"answer": guess, "evidence": [], "confidence": 0.05, "why": why}, f"I stop: {why}.")

    # ------------------------------------------------------------------ help
    def _picture_missing(self) -> bool:
        """The answer is to be seen, but rests on no picture yet."""
        return self.asked.modality is Modality.PICTURE and not any(
            f.modality is Modality.PICTURE for f in self.verdict.facts
        )

    def _exhausted(self) -> bool:
        """In a count: the last look showed nothing more, after others had."""
        looks = [m for m in self.context.memory if m.operation == "inspect" and not m.error]
        if self.asked.kind is not Kind.COUNT or len(looks) < 2:
            return False
        found = [
            o.interval
            for o in self.board.occurrences(self.board.tellable(Modality.PICTURE), Modality.PICTURE, 0.6)
            or self.board.coloured()
        ]
        last = [Interval(float(a), float(b)) for a, b in looks[-1].arguments["intervals"]]
        return bool(found) and not any(o.overlap(i) > 0 for o in found for i in last)

    def _pointed(self) -> list[Interval]:
        strongest = sorted(self.board.anchors, key=lambda a: -a[1])[:3]
        ahead = 15.0 if self.asked.relation == "after" else PAD_S
        behind = 15.0 if self.asked.relation == "before" else PAD_S
        return [self._clipped(span.start - behind, span.end + ahead) for span, _ in strongest]

    def _unmet(self) -> list[str]:
        """Choices, or items of an ordering, that nothing observed speaks of in the sense asked about."""
        if self.asked.kind in (Kind.COUNT, Kind.QUANTITY, Kind.YES_NO):
            return []
        named = [(i, content(i)) for i in self.asked.items] or [
            (c.text, self.board.choices[c.label]) for c in self.question.choices
        ]
        return [name for name, wanted in named if not self.board.sightings(wanted, self.asked.modality, 0.5)]

    def _guess(self) -> str:
        """The choice whose own query retrieved best, else the first."""
        best: dict[str, float] = {}
        for state in self.context.references:
            for label in state.reference.hypotheses:
                best[label] = max(best.get(label, 0.0), state.reference.score)
        return max(best, key=lambda k: best[k]) if best else self.question.choices[0].label

    def _retrieve(self, query: str, k: int, thought: str) -> Action:
        return Action("retrieve", {"query": query, "interval": None, "k": k}, thought)

    def _speech(self, wanted: list[Interval], why: str) -> Iterator[Action]:
        left = missing(wanted, self.heard)
        if left:
            yield Action("speech", {"intervals": [_span(i) for i in left[:12]], "focus": self._focus()}, why)

    def _inspect(self, wanted: list[Interval], why: str) -> Iterator[Action]:
        left = self.unseen(wanted)
        if left:
            yield Action(
                "inspect", {"intervals": [_span(i) for i in sorted(left[:AT_ONCE])], "focus": self._focus()}, why
            )

    def _focus(self) -> str:
        return f"{self.asked.subject} {self.asked.anchor}".strip() or self.question.text

    def _clipped(self, start: float, end: float) -> Interval:
        start = min(max(0.0, start), self.whole.end)
        return Interval(start, max(start, min(self.whole.end, end)))


def _span(interval: Interval) -> list[float]:
    return [round(interval.start, 2), round(interval.end, 2)]


def _key(operation: str, arguments: dict[str, Any]) -> str:
    return operation + json.dumps(arguments, sort_keys=True, default=str)


__all__ = ["EmbeddedReasoner"]
