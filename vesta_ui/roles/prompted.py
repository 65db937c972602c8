"""The roles played by a language or vision model through prompts (VESTA §B.3, §B.4, §B.5).

A role turns what it is handed into turns for a model and the model's answer into our values; it knows no provider.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

from vesta_ui.answers import parse_answer
from vesta_ui.control import Control
from vesta_ui.domain import (
    Action,
    Estimate,
    Frame,
    Interval,
    Modality,
    ModelCall,
    Notice,
    Observation,
    Question,
    Stance,
)
from vesta_ui.errors import ModelFailed
from vesta_ui.frames import encode_jpeg
from vesta_ui.models import Image, Model, Turn, ask
from vesta_ui.models.images import PER_SHEET
from vesta_ui.roles import Context, Decision, Look, Seen, prompts
from vesta_ui.roles.context_text import TIGHT, render_context
from vesta_ui.roles.forms import EstimateForm, InspectForm, JudgeForm, Sighting, decision_form

__all__ = ["PromptedEstimator", "PromptedObserver", "PromptedReasoner", "observed", "render_context", "told"]

MOST_FRAMES = 150
"""VESTA §B.1: most frames of one look."""
LOW_DETAIL_FROM = 17
"""With so many frames in one request they are sent in low detail."""
MOST_OUTPUT = {"router": 1_500, "reasoner": 4_000, "observer": 8_000}
"""Output limit of one request, tokens; what a model thinks counts too."""
REACH_S = 2.0
"""An observation dated so far outside what was looked at is moved to its edge; farther out it is dropped."""
_VERDICT = {"yes": True, "no": False}


class PromptedEstimator:
    """ρ(Q, C) by a model that sees the question and the choices only."""

    def __init__(self, model: Model) -> None:
        self.model, self.spec = model, model.spec

    def estimate(self, question: Question, control: Control) -> tuple[Estimate, ModelCall]:
        """Raises `ModelFailed`."""
        system, user = prompts.estimator(question)
        turns = (Turn("system", system), Turn("user", user))
        form, call = ask(self.model, "router", turns, EstimateForm, control, MOST_OUTPUT["router"])
        return Estimate(tuple(form.demands), tuple(form.flags), form.confidence, form.why), call


class PromptedReasoner:
    """The next operation, chosen by a model from H_t as text."""

    def __init__(self, model: Model) -> None:
        self.model, self.spec = model, model.spec

    def decide(self, context: Context, control: Control) -> Decision:
        """Raises `ModelFailed`; a context the model cannot hold is compacted harder once before that."""
        cards = [
            c for c in context.cards if c.name in context.operations and (not context.final or c.name == "finalize")
        ]
        if not cards:
            raise ValueError("the context describes no operation the Reasoner may choose")
        form = decision_form(cards)
        system = Turn("system", prompts.reasoner(cards))
        spent: tuple[ModelCall, ...] = ()
        notices: tuple[Notice, ...] = ()
        try:
            full = Turn("user", render_context(context))
            chosen, call = ask(self.model, "reasoner", (system, full), form, control, MOST_OUTPUT["reasoner"])
        except ModelFailed as failure:
            # A local server that runs out of context often answers with a plain 500.
            if failure.kind not in ("context_too_long", "server") or failure.call is None:
                raise
            spent = (failure.call,)
            said = f"the context was shortened once, because the first request failed: {failure}"
            notices = (Notice("context-compacted", said),)
            short = Turn("user", render_context(context, TIGHT))
            try:
                chosen, call = ask(self.model, "reasoner", (system, short), form, control, MOST_OUTPUT["reasoner"])
            except ModelFailed as second:
                second.calls = spent
                raise
        return Decision(_action(chosen.model_dump(), context.question), (*spent, call), notices + told(call))


def _action(chosen: dict[str, Any], question: Question) -> Action:
    name, arguments = chosen["action"]["operation"], dict(chosen["action"]["arguments"])
    if name == "finalize" and isinstance(arguments.get("answer"), str):
        arguments["answer"] = parse_answer(arguments["answer"], question) or arguments["answer"]
    return Action(name, arguments, chosen["thought"])


class PromptedObserver:
    """Frames described and judged by a vision model. `max_frames` falls when the server turns out to take fewer."""

    def __init__(self, model: Model) -> None:
        self.model, self.spec = model, model.spec
        self.max_frames = MOST_FRAMES
        self._settle()

    def inspect(
        self, looks: Sequence[Look], intervals: Sequence[Interval], focus: str, question: Question, control: Control
    ) -> Seen:
        """What is seen in each interval. A stretch the provider blocks is left out and said; the others are kept."""
        if not looks:
            return Seen(())
        try:
            return self._inspect(looks, intervals, focus, question, control)
        except ModelFailed as failure:
            if failure.kind not in ("blocked", "refused") or len(intervals) < 2 or failure.call is None:
                raise
            return self._one_by_one(looks, intervals, focus, question, control, failure)

    def judge(
        self, looks: Sequence[Look], interval: Interval, sub_question: str, question: Question, control: Control
    ) -> Seen:
        if not looks:
            return Seen(())
        text = prompts.judge(interval, sub_question, question)
        form, frames, calls, notices = self._ask(text, looks, JudgeForm, control, "high")
        found, more = observed([form], [interval], frames, question)
        return Seen(found, calls, notices + more)

    def _inspect(
        self, looks: Sequence[Look], intervals: Sequence[Interval], focus: str, question: Question, control: Control
    ) -> Seen:
        detail = "low" if len(looks) >= LOW_DETAIL_FROM else "high"
        text = prompts.inspect(intervals, focus, question)
        form, frames, calls, notices = self._ask(text, looks, InspectForm, control, detail)
        found, more = observed(form.observations, intervals, frames, question)
        return Seen((*found, *_silent(found, intervals, frames)), calls, notices + more)

    def _one_by_one(
        self,
        looks: Sequence[Look],
        intervals: Sequence[Interval],
        focus: str,
        question: Question,
        control: Control,
        first: ModelFailed,
    ) -> Seen:
        assert first.call is not None
        whole = Seen((), (first.call,))
        for interval in intervals:
            inside = [look for look in looks if interval.start - 0.05 <= look.time <= interval.end + 0.05]
            try:
                seen = self._inspect(inside, [interval], focus, question, control) if inside else Seen(())
            except ModelFailed as failure:
                if failure.kind not in ("blocked", "refused") or failure.call is None:
                    failure.calls = whole.calls
                    raise
                seen = Seen((), (failure.call,), (Notice(f"model-{failure.kind}", f"{interval}: {failure}"),))
            whole = Seen(whole.observations + seen.observations, whole.calls + seen.calls, whole.notices + seen.notices)
        if not whole.observations:
            first.calls = whole.calls[1:]
            raise first
        return whole

    def _ask(
        self, text: str, looks: Sequence[Look], schema: Any, control: Control, detail: str
    ) -> tuple[Any, tuple[Frame, ...], tuple[ModelCall, ...], tuple[Notice, ...]]:
        """The form, the frames it rests on, receipts and notices. A request too large goes out again with fewer frames."""
        spent: tuple[ModelCall, ...] = ()
        notices: tuple[Notice, ...] = ()
        while True:
            images = tuple(self._image(look, detail) for look in looks)
            turns = (Turn("system", prompts.OBSERVER), Turn("user", text, images))
            try:
                form, call = ask(self.model, "observer", turns, schema, control, MOST_OUTPUT["observer"])
            except ModelFailed as failure:
                failure.calls = spent
                self._settle()
                if failure.kind not in ("too_large", "context_too_long") or len(looks) < 4 or failure.call is None:
                    raise
                spent += (failure.call,)
                count = len(looks)
                looks = looks[::2]
                self.max_frames = min(self.max_frames, len(looks))
                said = f"{len(looks)} of {count} frames were sent, because the server could not take more"
                notices = (Notice("frames-thinned", said),)
                continue
            self._settle()
            frames = tuple(image.frame for image in images)
            return form, frames, (*spent, call), notices + told(call)

    def _settle(self) -> None:
        limit = self.model.known.max_images
        if limit:
            self.max_frames = min(self.max_frames, limit * PER_SHEET)

    def _image(self, look: Look, detail: str) -> Image:
        data, width, height = encode_jpeg(look.image, self.model.settings.image_side)
        digest = look.sha256 or hashlib.sha256(data).hexdigest()
        return Image(Frame(look.time, width, height, digest), data, detail)


def told(call: ModelCall) -> tuple[Notice, ...]:
    """What the receipt says was done to the request, for the answer's list of degradations."""
    return tuple(Notice("model-degraded", text) for text in call.notices)


def observed(
    found: Sequence[Sighting], intervals: Sequence[Interval], frames: Sequence[Frame], question: Question
) -> tuple[tuple[Observation, ...], tuple[Notice, ...]]:
    """Sightings as observations inside what was looked at; one dated elsewhere is dropped and said."""
    labels = {choice.label for choice in question.choices}
    kept: list[Observation] = []
    notices: list[Notice] = []
    for one in found:
        dated = Interval(min(one.start_s, one.end_s), max(one.start_s, one.end_s))
        home = min(intervals, key=lambda span: (-span.overlap(dated), span.gap(dated)))
        if home.gap(dated) > REACH_S:
            said = f"an observation dated {dated} lies outside what was looked at and was dropped"
            notices.append(Notice("observation-dropped", said))
            continue
        start = min(max(dated.start, home.start), home.end)
        inside = Interval(start, max(start, min(dated.end, home.end)))
        kept.append(
            Observation(
                inside,
                Modality.PICTURE,
                one.content.strip(),
                _VERDICT.get(one.verdict or ""),
                one.confidence,
                one.text.strip(),
                one.event.strip(),
                one.state.strip(),
                one.number,
                one.number_of.strip() if one.number is not None else "",
                tuple(
                    Stance(label, s.supports, s.weight)
                    for s in one.stances
                    if (label := s.label if s.label in labels else parse_answer(s.label, question))
                ),
                _shown(inside, frames),
                home if inside != home else None,
            )
        )
    return tuple(kept), tuple(notices)


def _silent(
    found: Sequence[Observation], intervals: Sequence[Interval], frames: Sequence[Frame]
) -> tuple[Observation, ...]:
    """An entry for every stretch that was looked at and of which nothing was said, so that coverage is true."""
    homes = [(one.examined or one.interval) for one in found]
    return tuple(
        Observation(span, Modality.PICTURE, "nothing that matters here was described", frames=_shown(span, frames))
        for span in intervals
        if span not in homes
    )


def _shown(span: Interval, frames: Sequence[Frame]) -> tuple[Frame, ...]:
    """The frames inside the span, or the nearest one."""
    inside = tuple(frame for frame in frames if span.start - 0.05 <= frame.time <= span.end + 0.05)
    return inside or tuple(sorted(frames, key=lambda frame: abs(frame.time - span.middle))[:1])
