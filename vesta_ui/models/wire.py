"""What a server sent, read without trusting its shape: a value that is not what it should be counts as absent."""

from __future__ import annotations

import json
from typing import Any

MOST_TOKENS = 10**12
"""A count above it was not counted."""


def decoded(body: bytes) -> str:
    """A body as text. JSON is UTF-8 whatever the header says (RFC 8259 §8.1); what is not is replaced."""
    return body.decode("utf-8-sig", "replace")


def parsed(text: str) -> Any:
    """`text` as JSON; None when it is none, or is nested too deeply to be an answer."""
    try:
        return json.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError):
        return None


def mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def items(value: Any) -> list[dict[str, Any]]:
    """The objects of a list."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def tokens(value: Any) -> int | None:
    """A count of tokens, also written as text; None for what is no count."""
    if isinstance(value, str) and value.isdecimal() and len(value) <= len(str(MOST_TOKENS)):
        value = int(value)
    counted = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= MOST_TOKENS
    return int(value) if counted else None
