"""One multimodal model as an explorer: it sees the newest frames, keeps notes, and chooses where to look (SAVE §3.3, E).

Of older frames it has only its own notes, compressed every few steps by itself. Our own words in the prompts. Knows no
provider and no particular agent: the query it may make is handed to it.
"""

from __future__ import annotations

import mimetypes
from contextlib import nullcontext
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, Field, create_model

from vesta_ui.answers import parse_answer
from vesta_ui.domain import Action, ModelCall, Notice
from vesta_ui.errors import ModelFailed
from vesta_ui.exploration import Past, Query, Sight, history
from vesta_ui.exploration.showing import header, heard, said, with_frames
from vesta_ui.exploration.tokens import FRAME_TOKENS
from vesta_ui.models import Image, Model, Turn, ask, prices
from vesta_ui.operations import Result, Workspace
from vesta_ui.operations.text import lines
from vesta_ui.roles import Decision
from vesta_ui.roles.context_text import quoted, render_question
from vesta_ui.roles.forms import Form, Share, Sighting, Text, alone, entry_ids
from vesta_ui.roles.prompted import observed, told
from vesta_ui.roles.prompts import DATA_RULE

SIGHTED = (
    "For each observation give start_s and end_s (times of the first and last frame that shows it), content (one plain "
    "sentence with what bears on the question, exact words and numbers where there are any), and stances (for each answer "
    "choice it speaks for or against: its label, supports, weight 0 to 1). Leave the other fields null or empty where they "
    "do not apply. Say only what the frames and the words show; do not fill gaps from what is usual."
)
COMPRESS = (
    "Shorten these notes of somebody who searches a video for the answer to a question. Keep every line in square brackets "
    "exactly as it stands: it says which part was searched. Under each, keep in one or two short sentences what helps to "
    "answer, with its times; where nothing helped, say so in a few words. End with one line that begins “Status:”, with the "
    f"likeliest answer so far and what to search next. Write only the shortened notes. {DATA_RULE}"
)


class AnswerForm(Form):
    """The prediction. `answer`: the label of a choice, or a few words."""

    answer: Annotated[str, BeforeValidator(alone)]
    evidence: Annotated[list[str], BeforeValidator(entry_ids)] = Field(
        default_factory=list, description="ids of the ledger entries it rests on"
    )
    confidence: Share
    why: Text = ""


class WatchForm(AnswerForm):
    """Everything at once, for an agent that looks once."""

    observations: list[Sighting]


class NextForm(Form):
    """What the new frames show, and what comes next."""

    observations: list[Sighting] = Field(default_factory=list)
    thought: Text = ""


class PromptedMind:
    """`query` without arguments means one look, answered at once; else one look after the other until it stops."""

    def __init__(self, query: Query, workspace: Workspace, model: Model) -> None:
        self.query, self.workspace, self.model = query, workspace, model
        self.once = not query.arguments.model_fields
        self.takes_file = hasattr(model, "uploaded")
        about = f"the next look: arguments of {query.name}; null to stop, when the answer is certain"
        look: Any = query.arguments | None
        self.form = create_model("Next", __base__=NextForm, query=(look, Field(description=about)))
        self._next: tuple[int, Any] | None = None
        """Chosen while the newest frames were in view: (step it is meant for, form)."""

    def frame_tokens(self, width: int, height: int) -> int:
        table = prices.load(self.workspace.settings.data_dir)
        return table.image_tokens(self.model.name, width, height, "auto") or FRAME_TOKENS

    # ------------------------------------------------------------------ deciding
    def choose(self, past: Past) -> Decision:
        if self.once and past.left > 0:
            return Decision(Action(self.query.name, {}, "One look at the whole video."))
        calls: tuple[ModelCall, ...] = ()
        form = self._held(past)
        if form is None:
            form, call = self._ask(self.form, self._explorer(past.left), self._text(past))
            calls = (call,)
        if form.query is None:
            decision = self.predict(past)
            return Decision(decision.action, (*calls, *decision.calls), decision.notices)
        notices = tuple(notice for call in calls for notice in told(call))
        return Decision(Action(self.query.name, form.query.model_dump(), form.thought), calls, notices)

    def predict(self, past: Past) -> Decision:
        """From the notes alone (Algorithm 1, line 23); at once when the answer came with the only look."""
        form = self._held(past) if self.once else None
        if form is not None:
            evidence = [entry.id for entry in past.ledger.entries]
            return Decision(
                self._finalize(form, [i for i in form.evidence if i.lower() in evidence] or evidence[:6], past)
            )
        system = (
            "You answer a question about a video from the notes of a search through it. The lines in square brackets name the "
            "ledger entries (e1, e2 …) that came of each look; evidence lists those the answer rests on. With choices, answer "
            "with the label of one; without, in a few words. Give your best answer, and a confidence that is honest. "
            f"{DATA_RULE}"
        )
        form, call = self._ask(AnswerForm, system, self._text(past))
        return Decision(self._finalize(form, form.evidence, past), (call,), told(call))

    # ------------------------------------------------------------------ seeing
    def take_in(self, sight: Sight, past: Past) -> Result:
        calls: tuple[ModelCall, ...] = ()
        summary = ""
        if history.due(past.memory):
            summary, call, failed = self._compressed(past)
            calls = (call,) if call else ()
            notices = [*sight.notices, *failed]
        else:
            notices = list(sight.notices)
        schema: type[BaseModel] = WatchForm if self.once else self.form
        system = self._watcher() if self.once else self._explorer(past.left - 1)
        known = summary or history.text(past.memory)
        shown = f"New frames: {header(sight)}\n{quoted(said(sight) or 'nothing is said around them')}"
        notes = "" if self.once else f"Notes so far:\n{known}"
        form, call = self._ask(schema, system, "\n\n".join(filter(None, (self._head(past), notes, shown))), sight)
        self._next = (past.step + 1, form)
        seen, dropped = observed(form.observations, [sight.span], sight.frames, past.question)
        seen = with_frames(seen, sight)
        thought = "" if self.once or not form.thought else f"Thought: {form.thought}"
        output = "\n".join(filter(None, (header(sight), said(sight), lines(seen), thought)))
        return Result(
            output=output,
            observations=(*seen, *heard(sight, past.question, self.workspace)),
            frames=sight.frames,
            calls=(*calls, call),
            notices=(*notices, *dropped, *told(call)),
            summary=summary,
        )

    def _compressed(self, past: Past) -> tuple[str, ModelCall | None, list[Notice]]:
        """The history so far in the model's own short words; left as it is, with a notice, when that fails."""
        notes = f"{quoted(render_question(past.question))}\n\nThe notes:\n{history.text(past.memory)}"
        turns = (Turn("system", COMPRESS), Turn("user", notes))
        try:
            reply, call = ask(self.model, "reasoner", turns, None, self.workspace.control, 2_048)
        except ModelFailed as error:
            notice = Notice(
                "history-not-compressed", f"the history was not compressed this time ({error.kind}): {error}"
            )
            return "", error.call, [notice]
        return history.anchored(reply, past.memory), call, []

    # ------------------------------------------------------------------ asking
    def _ask(
        self, schema: type[BaseModel], system: str, user: str, sight: Sight | None = None
    ) -> tuple[Any, ModelCall]:
        control, path = self.workspace.control, self.workspace.video.path
        file = sight is not None and not sight.looks and self.takes_file
        mime = mimetypes.guess_type(path.name)[0] or "video/mp4"
        uploading: Any = self.model.uploaded(path, control, mime) if file else nullcontext()  # type: ignore[attr-defined]
        with uploading as part:
            turns = (Turn("system", system), Turn("user", user, self._images(sight) if sight else (), part))
            return ask(self.model, "reasoner", turns, schema, control, 8_000)

    def _images(self, sight: Sight) -> tuple[Image, ...]:
        detail = "high" if sight.high else "auto"
        return tuple(Image(frame, self.workspace.frames.get(frame.sha256), detail) for frame in sight.frames)

    def _held(self, past: Past) -> Any:
        return self._next[1] if self._next and self._next[0] == past.step else None

    def _finalize(self, form: AnswerForm, evidence: list[str], past: Past) -> Action:
        answer = parse_answer(form.answer, past.question) or form.answer
        arguments = {"answer": answer, "evidence": evidence, "confidence": form.confidence, "why": form.why}
        return Action("finalize", arguments, form.why)

    def _explorer(self, left: int) -> str:
        """`left`: queries that may follow what is shown now."""
        fields = self.query.arguments.model_fields
        arguments = "; ".join(f"{name} ({field.description})" for name, field in fields.items())
        return (
            "You search a video for the answer to a question by looking at parts of it, one look at a time. You see the frames "
            "of the newest look only; of earlier ones you have your notes.\n\n"
            f"A look: {self.query.name}. {self.query.summary} Arguments: {arguments}.\n\n"
            "Look as seldom as the question allows, but do not stop while two answers are still possible. Things that happen "
            "between two frames are missed: where that could change the answer, look at a shorter stretch. Each look goes "
            f"somewhere new or closer. Looks left: {left}.\n\n"
            f"{SIGHTED} thought: what is still missing and why the next look may show it, or why you can answer. query: the "
            f"next look, or null to stop.\n\n{DATA_RULE}"
        )

    def _watcher(self) -> str:
        return (
            "You are shown a video once and answer a question about it. Note the observations the answer rests on, then "
            "answer: with choices, the label of one; without, in a few words; with an honest confidence 0 to 1. "
            f"{SIGHTED}\n\n{DATA_RULE}"
        )

    def _head(self, past: Past) -> str:
        facts = past.video
        frames = len(self.workspace.video.timeline.ticks)
        return (
            f"{quoted(render_question(past.question))}\n\nThe video: {facts.duration_s:.2f} s long, {frames} frames numbered "
            f"from 0, {facts.fps:.2f} a second on average. Times are seconds from its start."
        )

    def _text(self, past: Past) -> str:
        return f"{self._head(past)}\n\nNotes so far:\n{history.text(past.memory)}"
