"""Which roles can play now and why not. Asks nobody over a network: a key that is there counts as ready."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from vesta_ui import models, transcript
from vesta_ui.bench.suite import most
from vesta_ui.encoders import ENCODERS
from vesta_ui.errors import BadInput, BadSpec
from vesta_ui.models import keys
from vesta_ui.settings import ROLE_PRESETS, Settings

HINTS = {
    "router": ["embedded", "openai:gpt-5-mini", "gemini:gemini-3-flash-preview"],
    "reasoner": ["embedded", "openai:o3", "gemini:gemini-3-pro-preview"],
    "observer": ["embedded", "openai:gpt-4o", "gemini:gemini-3-flash-preview"],
    "speech": ["embedded", "off", "faster-whisper:large-v3", "openai:whisper-1"],
    "encoder": list(ENCODERS),
}


def everything(settings: Settings) -> dict[str, Any]:
    """What the settings drawer shows: roles, presets of them, keys, and what a run may cost at most."""
    try:
        cost = most(settings)
        estimate = {"text": cost.text, "usd": cost.usd, "requests": cost.requests}
    except BadInput as error:
        estimate = {"text": str(error), "usd": None, "requests": 0}
    return {
        "roles": roles(settings.roles()),
        "presets": ROLE_PRESETS,
        "providers": providers(),
        "hints": HINTS,
        "forecast": estimate,
    }


def roles(specs: dict[str, str]) -> list[dict[str, Any]]:
    """Per role: its spec, whether it can play, and one sentence that says so."""
    return [{"role": role, "spec": spec, **_ready(role, spec)} for role, spec in specs.items()]


def providers() -> list[dict[str, Any]]:
    return [
        {"name": name, "variables": list(names), "has_key": bool(keys.get_key(name))}
        for name, names in keys.VARIABLES.items()
    ]


def _ready(role: str, spec: str) -> dict[str, Any]:
    if spec == "embedded":
        return {"ready": True, "why": "runs on this computer, no key"}
    if spec == "off" and role == "speech":
        return {"ready": True, "why": "not used"}
    if role == "encoder":
        return _encoder(spec)
    if role == "speech" and spec.partition(":")[0] not in models.LISTENERS:
        return _local_speech(spec)
    try:
        provider = models.parse(spec).provider
    except BadSpec as error:
        return {"ready": False, "why": str(error)}
    if provider in keys.VARIABLES and provider != "compatible" and not keys.get_key(provider):
        return {"ready": False, "why": f"no key for {provider}: type one below or set {keys.VARIABLES[provider][0]}"}
    if provider == "compatible" and not keys.get_key(provider):
        return {"ready": True, "why": "no key set: few servers of one's own want one"}
    return {"ready": True, "why": "the key is there" if provider in keys.VARIABLES else "ready"}


def _encoder(spec: str) -> dict[str, Any]:
    name, _, detail = spec.partition(":")
    if name not in ENCODERS:
        return {"ready": False, "why": f"unknown encoder: choose one of {', '.join(ENCODERS)}"}
    if name == "remote" and "@" not in detail.strip("@"):
        return {"ready": False, "why": "write remote:MODEL@URL"}
    needs = "its server is asked when an index is built" if name == "remote" else "needs torch and its own weights"
    return {"ready": True, "why": needs}


def _local_speech(spec: str) -> dict[str, Any]:
    try:
        transcript.identity(spec)
    except BadSpec as error:
        return {"ready": False, "why": str(error)}
    fetched = spec.startswith("faster-whisper:") and not Path(spec.partition(":")[2]).expanduser().is_dir()
    more = "; weights that are not here yet are fetched once" if fetched else ""
    return {"ready": True, "why": f"runs on this computer, no key{more}"}
