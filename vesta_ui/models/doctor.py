"""Provider doctor: what works with a model spec and what does not, each with the fix. A few small paid requests.

Every check answers, whatever the server does; a check that cannot run because an earlier one failed says so by absence.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit, urlunsplit

import numpy as np
from pydantic import BaseModel

from vesta_ui.control import Control
from vesta_ui.domain import Frame, ModelCall, Usage
from vesta_ui.errors import BadInput, BadSpec, ModelFailed
from vesta_ui.frames import encode_jpeg
from vesta_ui.models import Image, Mode, Model, Spec, Turn, ask, load, parse, prices
from vesta_ui.models.keys import VARIABLES
from vesta_ui.models.remedies import remedy
from vesta_ui.settings import Settings

Verdict = Literal["good", "weak", "bad"]
TOKENS = 1_000
"""Output limit of a probe; reasoning models think before they say “red”."""
PATHS = ("/v1", "/api/v1", "/openai/v1", "/v1beta/openai", "/api")
"""Where the servers we know of keep their API."""
MOST_NAMES = 2_000
"""Names compared with a misspelt one."""


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
    if spec.strip() == "embedded":
        yield Check("spec", "good", "the embedded engine runs on this computer: no provider, no key, nothing to ask")
        return
    try:
        parsed = parse(spec)
        model = load(spec, settings)
    except BadSpec as error:
        forms = "openai:MODEL, gemini:MODEL, compatible:MODEL@URL or scripted:FILE"
        yield Check("spec", "bad", str(error), f"write it as {forms}")
        return
    except BadInput as error:
        yield Check("price table", "bad", str(error), "correct prices.json in the data folder, or delete it")
        return
    except ModelFailed as error:
        fix = f"set {VARIABLES[parsed.provider][0]}, or type the key in Settings"
        yield Check("key", "bad", str(error), fix)
        return
    listed, dead = _offered(model, parsed, control)
    yield listed
    if dead:
        return
    answered, call = _ping(model, control)
    yield answered
    if call is None:
        return
    yield _structured(model, control)
    yield from _pictures(model, control)
    yield _price(model, call)


def _offered(model: Model, spec: Spec, control: Control) -> tuple[Check, bool]:
    """What the server's list of models says, and whether there is no use in asking on.

    A list is not everywhere, and many a local server answers to any name: both are only weak.
    """
    wanted = spec.model
    try:
        names = model.names(control)
    except ModelFailed as error:
        dead = error.kind in ("connection", "timeout")
        elsewhere = _elsewhere(model, spec, control) if error.kind in ("connection", "not_found", "malformed") else ""
        if dead or elsewhere:
            return Check("reachable", "bad", str(error), elsewhere or remedy(error, model.name)), True
        fix = "none needed if the next check is good"
        return Check("reachable", "weak", f"the server gives no list of models: {error}", fix), False
    if wanted in names or f"{wanted}:latest" in names:
        return Check("reachable", "good", f"reachable, key accepted, {wanted} is one of {len(names)} models"), False
    if not names:
        fix = "load a model there: `ollama pull MODEL`, LM Studio: My Models, llama.cpp and vLLM: start it with one"
        return Check("model", "weak", "the server lists no model at all", fix), False
    near = [name for name in names if name.lower() == wanted.lower()]
    if near:
        text = f"the name differs in upper and lower case from {near[0]}"
        return Check("model", "weak", text, f"write {near[0]}"), False
    near = difflib.get_close_matches(wanted, names[:MOST_NAMES], 3, 0.4) or names[:5]
    return Check("model", "weak", f"no {wanted} among its {len(names)} models", f"nearest: {', '.join(near)}"), False


def _elsewhere(model: Model, spec: Spec, control: Control) -> str:
    """Where on the same machine a list of models is given after all, as what to write; "" when nowhere near."""
    if spec.provider != "compatible":
        return ""
    parts = urlsplit(spec.url)
    other = {"http": "https", "https": "http"}[parts.scheme]
    places = [(parts.scheme, path) for path in PATHS if path != parts.path] + [(other, parts.path)]
    for scheme, path in places:
        there = f"compatible:{spec.model}@{urlunsplit((scheme, parts.netloc, path, '', ''))}"
        try:
            if load(there, model.settings).names(control):
                return f"the API is at another address there: write {there}"
        except ModelFailed as error:
            if scheme == other == "https" and "certificate" in str(error).lower():
                return f"the server speaks TLS: write {there}; then {remedy(error, model.name)}"
            if error.kind == "timeout" or (error.kind == "connection" and "refused" in str(error)):
                return ""
    return ""


def _failed(name: str, error: ModelFailed, model: Model) -> Check:
    return Check(name, "bad", f"{error.kind.replace('_', ' ')}: {error}", remedy(error, model.name))


def _ping(model: Model, control: Control) -> tuple[Check, ModelCall | None]:
    try:
        _, call = ask(model, "doctor", [Turn("user", "Answer with the one word: ready")], None, control, TOKENS)
    except ModelFailed as error:
        return _failed("answers", error, model), None
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
        return _failed("structured output", error, model)
    mode = model.known.mode
    repaired = any("repair" in attempt for attempt in call.attempts)
    if mode is Mode.SCHEMA and not repaired:
        return Check("structured output", "good", "takes a JSON schema")
    text = f"works by {mode.value.replace('_', ' ')}{', after one repair' if repaired else ''}"
    fix = "it works; a server that keeps to a JSON schema (vLLM, llama.cpp, Ollama, LM Studio do) needs fewer repairs"
    return Check("structured output", "weak", text, fix)


def _pictures(model: Model, control: Control) -> Iterator[Check]:
    """Two squares: are they seen, and does the server take more than one picture in a request?"""
    vision = remedy(ModelFailed("too_many_images", ""), model.name)
    seen: list[str] = []
    for squares in (("red",), ("red", "blue")):
        images = tuple(_square(colour, n) for n, colour in enumerate(squares))
        turn = Turn("user", "Which colour is each square, in order? Answer with JSON: a list “colours”.", images)
        try:
            found, call = ask(model, "doctor", [turn], Colours, control, TOKENS)
        except ModelFailed as error:
            yield _failed("pictures", error, model)
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
    limit = model.known.max_images
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
