"""Provider keys of this process: from the providers' own variables, or typed by the user for this session.

Held in memory only. `scrub` takes them, and image data, out of any text that is about to be shown or kept, however they
are spelt there: as they are, escaped as in JSON, HTML or an address, in hexadecimal, or in base64 as in a header.
"""

from __future__ import annotations

import base64
import os
import re
import threading
from collections.abc import Sequence
from functools import lru_cache

from vesta_ui.errors import ModelFailed

VARIABLES = {
    "openai": ("OPENAI_API_KEY",),
    "gemini": ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    "compatible": ("VESTA_COMPATIBLE_API_KEY",),
}

_typed: dict[str, str] = {}
_lock = threading.Lock()

_UNFIT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
_IMAGE = re.compile(r"(?:data:image/\w+;base64,)?[A-Za-z0-9+/_-]{160,}={0,2}")
_PART = r"(?:[\w*.-]|\\{1,8}u[0-9a-fA-F]{4}|%[0-9a-fA-F]{2})"
_DASH = r"(?:-|\\{1,8}u002[dD]|%2[dD])"
_LOOKS_LIKE_KEY = re.compile(
    rf"\bsk{_DASH}(?={_PART}*[\d*]|{_PART}{{16}}){_PART}{{4,}}|\bAIza{_PART}{{6,}}|\bBearer\s+(?={_PART}*[\d*]){_PART}{{8,}}"
)


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
    return checked(key)


def checked(key: str) -> str:
    """The key itself. Raises `ModelFailed` ("not_configured") for one that cannot stand in a header."""
    if not (key.isascii() and key.isprintable()):
        raise ModelFailed("not_configured", "the key holds characters that no key has: copy it again, whole and alone")
    return key


def known() -> list[str]:
    """Every key of this process, the longest first; none shorter than 6 characters."""
    with _lock:
        secrets = set(_typed.values())
    secrets |= {os.environ.get(name, "").strip() for names in VARIABLES.values() for name in names}
    return sorted((s for s in secrets if len(s) >= 6), key=len, reverse=True)


def without_known(text: str, instead: str = "[key]") -> tuple[str, int]:
    """`text` with `instead` for every known key in every spelling, and how many there were."""
    secrets = tuple(known())
    return _spelt(secrets).subn(lambda _: instead, text) if secrets else (text, 0)


def scrub(text: str) -> str:
    """`text` without any known key, anything shaped like one, and without long runs of base64.

    Half characters, which no file can hold, and those that steer a terminal become “�”.
    """
    return _UNFIT.sub("\ufffd", _IMAGE.sub("[data left out]", _LOOKS_LIKE_KEY.sub("[key]", without_known(text)[0])))


@lru_cache(maxsize=4)
def _spelt(secrets: Sequence[str]) -> re.Pattern[str]:
    forms = [form for secret in secrets for form in (secret, *_encoded(secret))]
    return re.compile("|".join("".join(map(_character, form)) for form in sorted(forms, key=len, reverse=True)))


def _encoded(secret: str) -> list[str]:
    """In hexadecimal, and what surely stands in the base64 of any text that holds it: for each place it may begin at."""
    data = secret.encode()
    cores = []
    for before in range(3):
        whole = base64.b64encode(b"\0" * before + data).decode()
        first, last = -(-before * 8 // 6), (before + len(data)) * 8 // 6
        cores.append(whole[first:last])
    both = [form for core in cores if len(core) >= 8 for form in {core, core.translate(str.maketrans("+/", "-_"))}]
    return [data.hex(), data.hex().upper(), *both]


def _character(one: str) -> str:
    """A pattern for one character as it is, or escaped as in JSON (also twice), HTML, an address or a form."""
    forms = [rf"\\{{0,8}}{re.escape(one)}" if not one.isalnum() else re.escape(one)]
    units = one.encode("utf-16-be")
    forms.append("".join(rf"\\{{1,8}}u(?i:{units[n : n + 2].hex()})" for n in range(0, len(units), 2)))
    forms.append("".join(rf"%(?:25){{0,3}}(?i:{byte:02x})" for byte in one.encode()))
    forms.append(rf"&#(?:0{{0,6}}{ord(one)}|[xX]0{{0,6}}(?i:{ord(one):x}));")
    if one in _ENTITIES:
        forms.append(_ENTITIES[one])
    return f"(?:{'|'.join(forms)})"


_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;", " ": r"\+"}
