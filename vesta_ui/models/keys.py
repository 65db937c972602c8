"""Provider keys of this process: from the providers' own variables, or typed by the user for this session.

Held in memory only. `scrub` takes them, and image data, out of any text that is about to be shown or kept.
"""

from __future__ import annotations

import os
import re
import threading

from vesta_ui.errors import ModelFailed

VARIABLES = {
    "openai": ("OPENAI_API_KEY",),
    "gemini": ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    "compatible": ("VESTA_COMPATIBLE_API_KEY",),
}

_typed: dict[str, str] = {}
_lock = threading.Lock()

_IMAGE = re.compile(r"(?:data:image/\w+;base64,)?[A-Za-z0-9+/_-]{160,}={0,2}")
_LOOKS_LIKE_KEY = re.compile(r"\b(?:sk-[\w*.-]{4,}|AIza[\w*-]{6,}|Bearer\s+[\w*.-]{8,})")


def set_key(provider: str, key: str) -> None:
    """Use `key` for this process; an empty one forgets it. Raises `KeyError` for a provider that takes none."""
    if provider not in VARIABLES:
        raise KeyError(provider)
    with _lock:
        _typed.pop(provider, None)
        if key.strip():
            _typed[provider] = key.strip()


def get_key(provider: str) -> str | None:
    with _lock:
        typed = _typed.get(provider)
    return typed or next((value for name in VARIABLES[provider] if (value := os.environ.get(name, "").strip())), None)


def need_key(provider: str, model: str) -> str:
    """Its key. Raises `ModelFailed` ("not_configured") naming the variable to set."""
    key = get_key(provider)
    if not key:
        name = VARIABLES[provider][0]
        raise ModelFailed("not_configured", f"no key for {model}: set {name} or type a key in Settings")
    return key


def known() -> list[str]:
    """Every key of this process, the longest first; none shorter than 6 characters."""
    with _lock:
        secrets = set(_typed.values())
    secrets |= {os.environ.get(name, "").strip() for names in VARIABLES.values() for name in names}
    return sorted((s for s in secrets if len(s) >= 6), key=len, reverse=True)


def scrub(text: str) -> str:
    """`text` without any known key, anything shaped like one, and without long runs of base64."""
    for secret in known():
        text = text.replace(secret, "[key]")
    return _IMAGE.sub("[data left out]", _LOOKS_LIKE_KEY.sub("[key]", text))
