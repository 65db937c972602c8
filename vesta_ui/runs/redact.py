"""Taking out of exported text what is nobody's business: absolute paths, this process's keys, what looks like a key.

Works on plain JSON values. What a tokeniser left of a key or a path (its words, lower case, spaces between) goes as well. What is replaced is replaced everywhere; the report says what kind, how often and where, never
the text itself. Content hashes of frames and videos are not keys and stay.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from vesta_ui.models import keys

_SEGMENT = r"[^\s/\\\"'“”‘’<>|:*?,;()\[\]{}]+"
_SPACED = rf"{_SEGMENT}(?:[ ]{_SEGMENT}){{0,4}}"
"""A folder name may hold spaces, as long as another separator follows it."""
_NAME = rf"(?:{_SPACED}\.\w{{2,5}}\b|{_SEGMENT})"
"""A file name may hold spaces, as long as it ends in an extension."""
PATTERNS: dict[str, re.Pattern[str]] = {
    "private key": re.compile(
        r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)", re.DOTALL
    ),
    "token": re.compile(r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*"),
    "key": re.compile(
        r"\b(?:sk|pk|rk)-[A-Za-z0-9_-]{16,}|\bAIza[0-9A-Za-z_-]{30,}|\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_[A-Za-z0-9_]{20,}"
        r"|\bhf_[A-Za-z0-9]{20,}|\bxox[abpr]-[A-Za-z0-9-]{10,}|\b(?:AKIA|ASIA)[0-9A-Z]{16}\b|\bgsk_[A-Za-z0-9]{20,}"
        r"|\bglpat-[A-Za-z0-9_-]{16,}|\bnvapi-[A-Za-z0-9_-]{16,}|\bya29\.[A-Za-z0-9_-]{20,}"
    ),
    "secret": re.compile(
        r"(?i)(?P<keep>\b(?:bearer|basic)\s+|\b(?:api[_-]?key|access[_-]?key|secret(?:[_-]?key)?|auth[_-]?token|access[_-]?token|token"
        r"|password|passwd|authorization|x-api-key)[\"']?\s*[:=]\s*[\"']?(?:bearer\s+)?)(?!\d+\b)[A-Za-z0-9._~+/=-]{8,}"
    ),
    "address with a password": re.compile(r"(?P<keep>\b[a-z][a-z0-9+.-]*://)[^\s/@:]+:[^\s/@]+@"),
    "path": re.compile(
        rf"file:///?(?:{_SPACED}/)*{_NAME}"
        rf"|\b[A-Za-z]:[\\/](?:{_SPACED}[\\/])*{_NAME}"
        rf"|\\\\{_SEGMENT}\\(?:{_SPACED}\\)*{_NAME}"
        rf"|(?<![\w:/.<~\\])/(?=[A-Za-z_.])(?:{_SPACED}/)+(?:{_NAME})?"
        rf"|(?<![\w./])~/(?:{_SPACED}/)*{_NAME}"
    ),
}
"""Kind → what looks like it. A group `keep` stays."""

LONG = 12
"""Characters that must be left of a key or a path for its remains to be told from common words."""


@dataclass(frozen=True, slots=True)
class Redacted:
    """`what` was found `count` times; `places` are JSON paths of the first of them."""

    what: str
    count: int
    places: tuple[str, ...]


class Redactor:
    """Redacts value after value and remembers what it did. `also`: texts to take out wherever they stand (a data folder)."""

    MOST_PLACES = 20

    def __init__(self, also: Iterable[str] = ()) -> None:
        self._also = sorted({text for text in also if len(text) > 3}, key=len, reverse=True)
        self._keys = keys.known()
        self._remains: dict[str, str] = {}
        self._words: set[str] = set()
        self._pattern: re.Pattern[str] | None = None
        self._counts: dict[str, int] = {}
        for key in self._keys:
            self._remember(key, "key")
        self._places: dict[str, list[str]] = {}

    def learn(self, value: Any) -> None:
        """Remember the keys and paths of a JSON value, so that their remains go from all that is redacted afterwards."""
        if isinstance(value, str):
            for what, pattern in PATTERNS.items():
                for match in pattern.finditer(value):
                    found = match[0].removeprefix(match.groupdict().get("keep") or "")
                    self._remember(found, what)
        elif isinstance(value, dict):
            for name, one in value.items():
                self.learn(str(name))
                self.learn(one)
        elif isinstance(value, list | tuple):
            for one in value:
                self.learn(one)

    def value(self, value: Any, place: str = "$") -> Any:
        """The same JSON value with its strings redacted, the names of its fields too."""
        self.learn(value)
        return self._value(value, place)

    def _value(self, value: Any, place: str) -> Any:
        if isinstance(value, str):
            return self._text(value, place)
        if isinstance(value, dict):
            return {self._text(str(name), place): self._value(one, f"{place}.{name}") for name, one in value.items()}
        if isinstance(value, list | tuple):
            return [self._value(one, f"{place}[{n}]") for n, one in enumerate(value)]
        return value

    def text(self, text: str, place: str = "$") -> str:
        self.learn(text)
        return self._text(text, place)

    def _text(self, text: str, place: str) -> str:
        for key in self._keys:
            if key in text:
                self._found("key", text.count(key), place)
                text = text.replace(key, "[key removed]")
        for known in self._also:
            if known in text:
                self._found("path", text.count(known), place)
                text = text.replace(known, "[path removed]")
        for what, pattern in PATTERNS.items():
            text, count = pattern.subn(lambda match, what=what: _instead(match, what), text)  # type: ignore[misc]
            if count:
                self._found(what, count, place)
        return self._without_remains(text, place)

    def _remember(self, found: str, what: str) -> None:
        for remains, longest in _remains(found, what).items():
            if remains not in self._remains:
                self._remains[remains] = what
                self._words.add(longest.lower())
                self._pattern = None

    def _without_remains(self, text: str, place: str) -> str:
        # Almost no text holds any of them, and a plain search is much faster than the pattern.
        lower = text.lower()
        if not any(word in lower for word in self._words):
            return text
        kinds = list(self._remains.values())
        if self._pattern is None:
            self._pattern = re.compile("|".join(f"({remains})" for remains in self._remains), re.IGNORECASE)

        def instead(match: re.Match[str]) -> str:
            what = kinds[(match.lastindex or 1) - 1]
            self._found(what, 1, place)
            return f"[{what} removed]"

        return self._pattern.sub(instead, text)

    def _found(self, what: str, count: int, place: str) -> None:
        self._counts[what] = self._counts.get(what, 0) + count
        places = self._places.setdefault(what, [])
        if len(places) < self.MOST_PLACES and place not in places:
            places.append(place)

    @property
    def report(self) -> tuple[Redacted, ...]:
        return tuple(Redacted(what, count, tuple(self._places[what])) for what, count in sorted(self._counts.items()))


def _remains(found: str, what: str) -> dict[str, str]:
    """Pattern → its longest word, for what a tokeniser leaves of a key or a path. None when it could be anybody's words."""
    words = re.findall(r"[^\W_]+", found)
    if what != "path" and len(words) > 1 and len(words[0]) <= 6:
        # What a key begins with (sk, ghp, hf) says whose it is, not which.
        words = words[1:]
    if sum(map(len, words)) < LONG:
        return {}
    together, longest = r"[\W_]{1,3}".join(words), max(words, key=len)
    if what == "path":
        return {rf"(?<![^\W_]){together}(?![^\W_])": longest} if len(words) > 2 else {}
    if what in ("secret", "address with a password") and not re.search(r"\d", "".join(words)):
        return {}
    return {together: longest} | {word: word for word in words if len(word) >= LONG}


def _instead(match: re.Match[str], what: str) -> str:
    kept = match.groupdict().get("keep") or ""
    return f"{kept}[{what} removed]"
