"""Provider doctor: what works with a model spec and what does not, each with the fix. A few small paid requests.

Every check answers, whatever the server does; a check that cannot run because an earlier one failed says so by absence.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
from pydantic import BaseModel

from vesta_ui.control import Control
from vesta_ui.domain import Frame, ModelCall, Usage
from vesta_ui.errors import BadInput, ModelFailed
from vesta_ui.frames import encode_jpeg
from vesta_ui.models import Image, Mode, Model, Turn, ask, load, prices
from vesta_ui.settings import Settings

Verdict = Literal["good", "weak", "bad"]
TOKENS = 1_000
"""Output limit of a probe; reasoning models think before they say “red”."""


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at. `fix` is what to do when the verdict is not good."""

    name: str
    verdict: Verdict
    text: str
    fix: str = ""


class Colours(BaseModel):
    colours: list[str]


def examine(spec: str, settings: Settings, control: Control) -> Iterator[Check]:
    """Checks one by one as they are done. Never raises `ModelFailed` or `BadInput`; raises `Stopped`."""
    try:
        model = load(spec, settings)
    except BadInput as error:
        yield Check("spec", "bad", str(error), "correct the spec")
        return
    except ModelFailed as error:
        yield Check("key", "bad", str(error), "set the variable, or type the key in Settings")
        return
    yield _offered(model)
    answered, call = _ping(model, control)
    yield answered
    if call is None:
        return
    yield _structured(model, control)
    yield from _pictures(model, control)
    yield _price(model, call)


def _offered(model: Model) -> Check:
    """Whether the server lists the model; a list is not everywhere, so its absence is only weak."""
    wanted = model.name.partition(":")[2]
    try:
        names = model.names()
    except ModelFailed as error:
        if error.kind in ("auth", "connection"):
            fix = "check the key" if error.kind == "auth" else "start the server, check host, port and /v1"
            return Check("reachable", "bad", str(error), fix)
        return Check(
            "reachable", "weak", f"the server gives no list of models ({error.kind})", "none needed if it answers"
        )
    if wanted in names or f"{wanted}:latest" in names:
        return Check("reachable", "good", f"reachable, key accepted, {wanted} is one of {len(names)} models")
    same = [name for name in names if name.lower() == wanted.lower()]
    if same:
        return Check("model", "bad", f"the name differs in upper and lower case from {same[0]}", f"write {same[0]}")
    near = difflib.get_close_matches(wanted, names, 3, 0.4) or names[:5]
    return Check(
        "model", "bad", f"no model {wanted}", f"nearest: {', '.join(near)}" if near else "the server lists no models"
    )


def _ping(model: Model, control: Control) -> tuple[Check, ModelCall | None]:
    try:
        _, call = ask(model, "doctor", [Turn("user", "Answer with the one word: ready")], None, control, TOKENS)
    except ModelFailed as error:
        return Check("answers", "bad", f"{error.kind}: {error}", "see the reason"), None
    usage = call.usage
    tokens = (
        "tokens not reported" if usage.input_tokens is None else f"{usage.input_tokens} + {usage.output_tokens} tokens"
    )
    learnt = f", after {len(call.attempts)} adaptations" if call.attempts else ""
    return Check("answers", "good", f"answered in {usage.seconds:.1f} s, {tokens}{learnt}"), call


def _structured(model: Model, control: Control) -> Check:
    turn = Turn("user", "Name the colours of a traffic light, top to bottom, as JSON with a list “colours”.")
    try:
        _, call = ask(model, "doctor", [turn], Colours, control, TOKENS)
    except ModelFailed as error:
        return Check("structured output", "bad", f"{error.kind}: {error}", "choose a model that follows instructions")
    mode = model.known.mode
    repaired = any("repair" in attempt for attempt in call.attempts)
    if mode is Mode.SCHEMA and not repaired:
        return Check("structured output", "good", "takes a JSON schema")
    text = f"works by {mode.value.replace('_', ' ')}{', after one repair' if repaired else ''}"
    return Check("structured output", "weak", text, "works, with more repairs than a schema would need")


def _pictures(model: Model, control: Control) -> Iterator[Check]:
    """Two squares: are they seen, and does the server take more than one picture in a request?"""
    vision = "choose a model with vision (llama.cpp: start it with --mmproj)"
    seen: list[str] = []
    for squares in (("red",), ("red", "blue")):
        images = tuple(_square(colour, n) for n, colour in enumerate(squares))
        turn = Turn("user", "Which colour is each square, in order? Answer with JSON: a list “colours”.", images)
        try:
            found, call = ask(model, "doctor", [turn], Colours, control, TOKENS)
        except ModelFailed as error:
            yield Check("pictures", "bad", f"{error.kind}: {error}", vision)
            return
        seen = [colour.lower() for colour in found.colours]
        if not all(any(colour in said for said in seen) for colour in squares):
            text = f"shown {' and '.join(squares)}, it saw {', '.join(seen) or 'nothing'}: the pictures do not reach it"
            yield Check("pictures", "bad", text, vision)
            return
        if call.notices:
            yield Check(
                "pictures", "weak", call.notices[0], "frames go on contact sheets; a higher limit shows more detail"
            )
            return
    limit = model.max_images
    yield Check("pictures", "good", f"sees pictures, {f'at most {limit}' if limit else 'no limit met'} in one request")


def _square(colour: str, n: int) -> Image:
    pixels = np.zeros((256, 256, 3), np.uint8)
    pixels[..., 0 if colour == "red" else 2] = 230
    data, width, height = encode_jpeg(pixels)
    return Image(Frame(float(n), width, height, ""), data, "low")


def _price(model: Model, call: ModelCall) -> Check:
    if call.usage.cost_usd is not None:
        row = prices.load(model.settings.data_dir).of(model.name)
        dated = f", prices of {row.date} from {row.source}" if row else ""
        return Check("price", "good", f"the first answer cost ${call.usage.cost_usd:.6f}{dated}")
    if model.price(Usage(input_tokens=1, output_tokens=1)) is not None:
        return Check("price", "weak", "the price is known, but the server reports no tokens", "costs cannot be shown")
    fix = f"add a row “{model.name}” to prices.json in the data folder"
    return Check("price", "weak", "the price is unknown: only tokens are shown", fix)
