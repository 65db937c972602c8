"""Language and vision models behind one interface: what is sent, what comes back, which provider a spec names.

A provider makes one request and reads one answer; retries, fallbacks and receipts are `ask`'s (models/asking.py). This
package knows no role's prompt, no agent and no page. None of the remote providers could be tried against the real
service where this was written: they are tested over HTTP against a local server that speaks their wire formats.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Protocol, TypeVar, overload

from pydantic import BaseModel

from vesta_ui import registry
from vesta_ui.control import Control
from vesta_ui.domain import Frame, ModelCall, Usage, clock
from vesta_ui.errors import BadSpec
from vesta_ui.settings import Settings

ALLOW_REQUESTS = True
"""Tests switch it off: then any request to a host other than this machine raises `RuntimeError`."""

MODELS = {
    "openai": "vesta_ui.models.openai:OpenAIModel",
    "gemini": "vesta_ui.models.gemini:GeminiModel",
    "compatible": "vesta_ui.models.openai:CompatibleModel",
    "scripted": "vesta_ui.models.scripted:ScriptedModel",
}

S = TypeVar("S", bound=BaseModel)


class Mode(StrEnum):
    """How structured output is asked for, strictest first."""

    SCHEMA = "json_schema"
    OBJECT = "json_object"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class Image:
    """One JPEG with its receipt. `detail` is the provider's word for resolution: "low", "high" or "auto"."""

    frame: Frame
    jpeg: bytes
    detail: str = "auto"
    label: str = ""
    """Text put before the picture; empty: its time stamp."""
    parts: tuple[Frame, ...] = ()
    """The frames on it, when it is a contact sheet."""

    @property
    def stamp(self) -> str:
        return self.label or f"[{clock(self.frame.time)} = {self.frame.time:.2f} s]"


@dataclass(frozen=True, slots=True)
class VideoPart:
    """A video file that the provider already holds (Gemini)."""

    uri: str
    mime: str


@dataclass(frozen=True, slots=True)
class Turn:
    """One message: `role` is system, user or assistant. Images follow the text, each after its time stamp."""

    role: str
    text: str
    images: tuple[Image, ...] = ()
    video: VideoPart | None = None


@dataclass(frozen=True, slots=True)
class Request:
    """One request to a model. `role` is the role being played (router, reasoner, observer)."""

    role: str
    turns: tuple[Turn, ...]
    max_output_tokens: int
    schema: type[BaseModel] | None = None
    mode: Mode = Mode.TEXT


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer. `finish_reason` is the provider's own word; `request_id` is for its support."""

    text: str
    usage: Usage
    finish_reason: str = ""
    request_id: str = ""
    seconds: float = 0.0


@dataclass(slots=True)
class Known:
    """What one server was found to accept; remembered for the process, so that nothing is learnt twice."""

    mode: Mode = Mode.SCHEMA
    tokens_word: str = "max_tokens"
    temperature: bool = True
    system: bool = True
    detail: bool = True
    max_images: int | None = None
    """Most images of one request; None while no limit is known."""
    max_side: int | None = None
    """Longest side of an image, pixels; None while no limit is known."""


_KNOWN: dict[str, Known] = {}


def known(server: str, default: Known) -> Known:
    """The memory of one server and model; `default` when it is new."""
    return _KNOWN.setdefault(server, default)


class Model(Protocol):
    """A model of a provider. `name` goes into receipts and has no address in it."""

    spec: str
    name: str
    known: Known
    settings: Settings

    def complete(self, request: Request, control: Control) -> Reply:
        """One request, no retry. Raises `ModelFailed`, and `Stopped` within a second of Stop."""
        ...

    def names(self, control: Control) -> list[str]:
        """Models the server offers. Raises `ModelFailed` and `Stopped`."""
        ...

    def price(self, usage: Usage) -> float | None:
        """US dollars, None when the price is unknown."""
        ...


@dataclass(frozen=True, slots=True)
class Spec:
    """A parsed model spec."""

    provider: str
    model: str
    url: str = ""


def parse(spec: str) -> Spec:
    """`openai:MODEL`, `gemini:MODEL`, `compatible:MODEL@URL` or `scripted:FILE`. Raises `BadSpec`."""
    provider, colon, rest = spec.strip().partition(":")
    if provider == "embedded":
        raise BadSpec("“embedded” is not a model: it plays a role by rules, without one")
    if provider not in MODELS:
        raise BadSpec(f"unknown provider “{provider}”: write one of {', '.join(f'{name}:…' for name in MODELS)}")
    if not colon or not rest.strip():
        raise BadSpec(f"“{spec}” names no model: write for example {_EXAMPLES[provider]}")
    from vesta_ui.models.keys import scrub

    if scrub(rest) != rest:
        raise BadSpec(
            "a key stands where a model's name belongs: type the key in Settings, or set the provider's variable"
        )
    if provider != "compatible":
        return Spec(provider, rest.strip())
    from vesta_ui.models.http import addressed

    return Spec(provider, *addressed(rest, _EXAMPLES[provider]))


_EXAMPLES = {
    "openai": "openai:gpt-4o",
    "gemini": "gemini:gemini-3-flash-preview",
    "compatible": "compatible:qwen2.5vl:7b@http://127.0.0.1:11434/v1",
    "scripted": "scripted:replies.json",
}


def load(spec: str, settings: Settings) -> Model:
    """The model a spec names. Raises `BadSpec`, and `ModelFailed("not_configured", …)` naming the missing key."""
    parsed = parse(spec)
    model: Model = registry.load(MODELS, parsed.provider, "provider")(parsed, settings)
    return model


LISTENERS = ("openai", "compatible")
"""Providers that recognise speech."""


def listener(spec: str, data_dir: Path, control: Control) -> Any:
    """A remote speech recogniser for `spec`, None when it names no provider. Raises `BadSpec` and `ModelFailed`."""
    if spec.partition(":")[0] not in LISTENERS:
        return None
    from vesta_ui.models.listening import RemoteWhisper

    return RemoteWhisper(spec, data_dir, control)


@overload
def ask(
    model: Model, role: str, turns: Sequence[Turn], schema: type[S], control: Control, max_output_tokens: int = ...
) -> tuple[S, ModelCall]: ...
@overload
def ask(
    model: Model, role: str, turns: Sequence[Turn], schema: None, control: Control, max_output_tokens: int = ...
) -> tuple[str, ModelCall]: ...
def ask(
    model: Model,
    role: str,
    turns: Sequence[Turn],
    schema: type[S] | None,
    control: Control,
    max_output_tokens: int = 4_000,
) -> tuple[S | str, ModelCall]:
    """One answer, validated against `schema` (or plain text), with its receipt.

    Retries what can succeed and adapts to what the server accepts; every try is in `ModelCall.attempts`. Raises
    `ModelFailed` with the receipt in `.call`, and `Stopped`.
    """
    from vesta_ui.models.asking import Asking

    return Asking(model, role, tuple(turns), schema, control, max_output_tokens).run()
