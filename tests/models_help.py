"""What the tests of the providers share: a picture, two schemas, and how to ask and to fail."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import pytest
from provider_server import ProviderServer
from pydantic import BaseModel

from vesta_ui import models
from vesta_ui.control import Control
from vesta_ui.domain import Frame, ModelCall
from vesta_ui.errors import ModelFailed, Stopped
from vesta_ui.frames import encode_jpeg
from vesta_ui.models import Image, Request, Spec, Turn
from vesta_ui.models.gemini import GeminiModel
from vesta_ui.models.scripted import ScriptedModel
from vesta_ui.settings import Settings


class Inner(BaseModel):
    label: str
    weight: float = 0.5


class Verdict(BaseModel):
    answer: str
    sure: Literal["yes", "no"] = "no"
    inner: list[Inner] = []
    note: str | None = None


class Short(BaseModel):
    answer: str


def model(server: ProviderServer, settings: Settings, **changes: Any) -> models.Model:
    return models.load(f"compatible:m@{server.url}", replace(settings, **changes))


def gemini_model(settings: Settings, **changes: Any) -> GeminiModel:
    """With the fixture `google`."""
    one = models.load("gemini:gemini-3-flash-preview", replace(settings, **changes))
    assert isinstance(one, GeminiModel)
    return one


def picture(time_s: float = 1.0, width: int = 64, height: int = 48) -> Image:
    pixels = np.random.default_rng(int(time_s)).integers(0, 255, (height, width, 3), np.uint8)
    data, w, h = encode_jpeg(np.asarray(pixels, np.uint8))
    return Image(Frame(time_s, w, h, f"hash{time_s:g}"), data)


def ask(
    one: models.Model, schema: type[BaseModel] | None = Short, turns: list[Turn] | None = None, **more: Any
) -> tuple[Any, ModelCall]:
    return models.ask(one, "observer", turns or [Turn("user", "what?")], schema, more.pop("control", Control()), **more)  # type: ignore[call-overload,no-any-return]


def failed(one: models.Model, **more: Any) -> tuple[str, str, ModelCall]:
    with pytest.raises(ModelFailed) as caught:
        ask(one, **more)
    assert caught.value.call is not None, "the receipt of a failed call is lost"
    assert caught.value.call.failure == caught.value.kind
    return caught.value.kind, str(caught.value), caught.value.call


class Waits(Control):
    """Writes down the waits, in seconds, and does not wait."""

    def __init__(self) -> None:
        super().__init__()
        self.waits: list[float] = []

    def wait(self, seconds: float, reason: str = "") -> None:
        if reason:
            self.waits.append(seconds)
            return
        super().wait(seconds)


def stopped_within(control: Control, work: Callable[[], Any], when: Callable[[], Any]) -> float:
    """Seconds from Stop, which is pressed as soon as `when` holds, until the call is over."""
    pressed: list[float] = []

    def press() -> None:
        deadline = time.monotonic() + 30
        while not when() and time.monotonic() < deadline:
            time.sleep(0.01)
        pressed.append(time.monotonic())
        control.stop()

    threading.Thread(target=press, daemon=True).start()
    with pytest.raises(Stopped):
        work()
    return time.monotonic() - pressed[0]


class Player:
    """A scripted model that remembers what it was asked."""

    def __init__(self, settings: Settings, *replies: Any) -> None:
        self.requests: list[Request] = []
        self.replies = list(replies)
        self.model = ScriptedModel(Spec("scripted", "test"), settings, self._play)

    def _play(self, request: Request) -> Any:
        self.requests.append(request)
        return self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]

    def text(self, n: int = -1) -> str:
        return "\n".join(turn.text for turn in self.requests[n].turns)
