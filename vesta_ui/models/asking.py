"""One question to a model, brought to an end: adapt, wait, retry, repair, validate, and write the receipt.

The same for every provider. Only what can succeed is tried again, a bounded number of times, and every try is in the
receipt. What a server turned out to accept is remembered in `Model.known`.
"""

from __future__ import annotations

import math
import re
import time
from collections import Counter
from dataclasses import replace
from typing import Any, NoReturn

from pydantic import BaseModel

from vesta_ui.control import Control
from vesta_ui.domain import Frame, Message, ModelCall, Usage
from vesta_ui.errors import ModelFailed
from vesta_ui.models import Mode, Model, Reply, Request, Turn, images, structured
from vesta_ui.models.failures import ProviderFailed, sentence
from vesta_ui.models.keys import scrub

TRIES = {"rate_limited": 5, "server": 2, "connection": 2, "timeout": 1, "empty": 1, "truncated": 1, "malformed": 2}
"""How often a failure of each kind is followed by another try."""
BACKOFF_S = 1.0
"""First wait where the server names none; doubled each time."""
SIDES = (1024, 768, 512, 384)
"""Longest picture sides tried in turn when a request is too large, pixels."""
MOST_TOKENS = 32_000
_REFUSAL = re.compile(r"(?i)(?:i[’']?m |i am )?(?:very |really )?(?:sorry|unable)\b|i (?:can[’']?t|cannot|won[’']?t)\b")
_WEAKER = {Mode.SCHEMA: Mode.OBJECT, Mode.OBJECT: Mode.TEXT}


class Asking:
    """A question on its way. Used once."""

    def __init__(
        self,
        model: Model,
        role: str,
        turns: tuple[Turn, ...],
        schema: type[BaseModel] | None,
        control: Control,
        max_output_tokens: int,
    ) -> None:
        self.model, self.role, self.turns, self.schema, self.control = model, role, turns, schema, control
        self.tokens = max_output_tokens
        self.attempts: list[str] = []
        self.notices: dict[str, None] = {}
        self.usage = Usage()
        self.failed = Counter[str]()
        self.sent: tuple[Turn, ...] = turns
        self.reply = Reply("", Usage())
        self.mode = Mode.TEXT

    def run(self) -> tuple[Any, ModelCall]:
        while True:
            try:
                reply = self._send()
            except ProviderFailed as failure:
                if failure.reply:
                    self._count(failure.reply)
                self._again(failure)
                continue
            except ModelFailed as failure:
                self._again(ProviderFailed(failure.kind, str(failure), again=failure.kind in TRIES))
                continue
            self._count(reply)
            if self.schema is None:
                text = scrub(structured.without_thinking(reply.text).strip())
                if text:
                    return text, self._receipt()
                self._again(ProviderFailed("empty", sentence("empty", "only its thinking came back"), again=True))
                continue
            try:
                value = structured.read(reply.text, self.schema, scrub)
            except structured.Unreadable as problem:
                self._repair(reply, problem)
                continue
            return value, self._receipt(parsed=value.model_dump(mode="json"))

    # ------------------------------------------------------------------------------------ sending
    def _send(self) -> Reply:
        known = self.model.known
        self.mode = known.mode if self.schema else Mode.TEXT
        fitted, done = images.fit(self.turns, known.max_images, known.max_side)
        if done:
            self.notices[done] = None
        if self.schema and self.mode is not Mode.SCHEMA:
            fitted = _with_instruction(fitted, structured.instruction(self.schema))
        self.sent = fitted
        request = Request(self.role, fitted, self.tokens, self.schema, self.mode)
        started = time.monotonic()
        try:
            return self.model.complete(request, self.control)
        except ModelFailed as failure:
            if not getattr(failure, "reply", None):
                self.usage += Usage(remote_requests=1, failed_requests=1, seconds=time.monotonic() - started)
            raise

    def _count(self, reply: Reply) -> None:
        self.reply = reply
        usage = reply.usage
        self.usage += replace(usage, cost_usd=self.model.price(usage))

    # ------------------------------------------------------------------------------------ what helps
    def _again(self, failure: ProviderFailed) -> None:
        """Prepare another try, or raise the failure with its receipt."""
        self.failed[failure.kind] += 1
        note = f"{failure.kind}: {failure}"
        step = self._adapt(failure)
        if not step and failure.again and self.failed[failure.kind] <= TRIES.get(failure.kind, 0):
            step = self._wait(failure)
        if not step:
            self.attempts.append(note)
            self._fail(failure.kind, failure)
        self.attempts.append(f"{note} → {step}")

    def _adapt(self, failure: ProviderFailed) -> str:
        """Change what is sent so that it may pass. Returns what was changed, "" when nothing can be."""
        known = self.model.known
        if sum(self.failed.values()) > 12:
            return ""
        match failure.kind, failure.parameter:
            case "unsupported", "tokens":
                other = {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}
                if self.failed["unsupported"] <= 4:
                    known.tokens_word = other[known.tokens_word]
                    return f"sent again with {known.tokens_word}"
            case "unsupported", "fewer tokens":
                if self.tokens > 256:
                    self.tokens //= 2
                    return f"sent again with at most {self.tokens} output tokens"
            case "unsupported", "temperature" if known.temperature:
                known.temperature = False
                return "sent again without temperature"
            case "unsupported", "detail" if known.detail:
                known.detail = False
                return "sent again without the resolution of the pictures"
            case "unsupported", "system" if known.system:
                known.system = False
                return "sent again with the instructions in the first message"
            case "unsupported", "structured":
                return self._weaken()
            case "too_many_images", _:
                sent = sum(len(turn.images) for turn in self.sent)
                if failure.limit and failure.limit < sent:
                    known.max_images = failure.limit
                    return f"sent again with at most {failure.limit} image{'s' * (failure.limit != 1)}"
            case "too_large", _:
                largest = max((max(i.frame.width, i.frame.height) for t in self.sent for i in t.images), default=0)
                smaller = next((side for side in SIDES if side < largest), None)
                if smaller:
                    known.max_side = smaller
                    return f"sent again with frames of at most {smaller} pixels a side"
            case "truncated", _ if self.failed["truncated"] <= TRIES["truncated"] and self.tokens < MOST_TOKENS:
                self.tokens = min(MOST_TOKENS, self.tokens * 4)
                return f"sent again with up to {self.tokens} output tokens"
        return ""

    def _weaken(self) -> str:
        weaker = _WEAKER.get(self.mode)
        if not weaker or not self.schema:
            return ""
        self.model.known.mode = weaker
        return f"sent again asking for {weaker} output"

    def _wait(self, failure: ProviderFailed) -> str:
        if failure.kind in ("empty", "malformed"):
            return "sent again"
        wait = failure.retry_after_s
        if wait is None:
            wait = BACKOFF_S * 2 ** (self.failed[failure.kind] - 1)
        longest = self.model.settings.model_wait_s
        if wait > longest:
            self.attempts.append(f"the provider asks to wait {wait:.0f} s, longer than the {longest:.0f} s a run waits")
            return ""
        self.control.wait(wait, f"{self.model.name}: {failure.kind.replace('_', ' ')}, trying again")
        return f"sent again after {wait:g} s" if wait < 1 else f"sent again after {math.ceil(wait)} s"

    def _repair(self, reply: Reply, problem: structured.Unreadable) -> None:
        """One more turn that shows the model its own reply and what is wrong with it."""
        assert self.schema is not None
        if not problem.json_found and _REFUSAL.match(structured.without_thinking(reply.text).strip()):
            self._fail("refused", ProviderFailed("refused", sentence("refused", reply.text)))
        self.failed["unreadable"] += 1
        if self.failed["unreadable"] > 1:
            text = sentence("malformed", f"also after a second request: {problem}")
            self.attempts.append(f"malformed: {problem}")
            self._fail("malformed", ProviderFailed("malformed", text))
        weakened = "" if problem.json_found else self._weaken()
        self.attempts.append(f"malformed: {problem} → asked to repair it{'; ' + weakened if weakened else ''}")
        ask = f"That cannot be used: {problem}.\n{structured.instruction(self.schema)}"
        said = scrub(structured.without_thinking(reply.text).strip())[:4_000] or "(no answer)"
        self.turns = (*self.turns, Turn("assistant", said), Turn("user", ask))

    # ------------------------------------------------------------------------------------ receipt
    def _fail(self, kind: str, failure: ProviderFailed) -> NoReturn:
        kind = "server" if kind == "unsupported" else kind
        text = str(failure)
        if kind == "not_found":
            text += self._offers()
        raise ModelFailed(kind, text, self._receipt(failure=kind, failure_text=text)) from failure

    def _offers(self) -> str:
        try:
            names = self.model.names(self.control)
        except ModelFailed:
            return ""
        return f"; the server has {', '.join(names[:12])}{'…' if len(names) > 12 else ''}" if names else ""

    def _receipt(self, **more: Any) -> ModelCall:
        return ModelCall(
            role=self.role,
            model=self.model.name,
            messages=tuple(_message(turn) for turn in self.sent),
            reply=scrub(self.reply.text),
            usage=self.usage,
            finish_reason=scrub(self.reply.finish_reason),
            request_id=scrub(self.reply.request_id),
            attempts=tuple(map(scrub, self.attempts)),
            notices=tuple(self.notices),
            **more,
        )


def _with_instruction(turns: tuple[Turn, ...], text: str) -> tuple[Turn, ...]:
    """The instruction at the end of the last user turn, unless it is there already."""
    last = turns[-1]
    if text in last.text:
        return turns
    return (*turns[:-1], replace(last, text=f"{last.text}\n\n{text}"))


def _message(turn: Turn) -> Message:
    frames: tuple[Frame, ...] = tuple(f for image in turn.images for f in image.parts or (image.frame,))
    stamps = "".join(f"\n{image.stamp} (image)" for image in turn.images)
    video = f"\n(video {turn.video.mime})" if turn.video else ""
    return Message(turn.role, scrub(turn.text + stamps + video), frames)
