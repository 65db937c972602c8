"""Taking out of exported text what is nobody's business: absolute paths, this process's keys, what looks like a key.

Works on plain JSON values. What a tokeniser left of a key or a path (its words, lower case, spaces between) goes as well. What is replaced is replaced everywhere; the report says what kind, how often and where, never
the text itself. Content hashes of frames and videos are not keys and stay.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from vesta_ui.models import keys

_SEP = r"(?:\\+/|[\\/]+)"
"""Between folders; JSON in JSON doubles backslashes and may put one before a slash."""
_SEGMENT = r"[^\s/\\\"“”‘<>|:*?,;()\[\]{}]+"
_FOLDER = rf"{_SEGMENT}(?:[ ]{_SEGMENT}){{0,4}}{_SEP}"
"""A folder name may hold spaces, since another separator follows it."""
_LOOSE = r"[^\s/\\\"“”‘<>|:*?{}]+"
_ENDING = (
    r"(?:mp4|m4v|mkv|mov|avi|webm|mpe?g|m?ts|wmv|flv|wav|mp3|m4a|flac|ogg|srt|vtt|jpe?g|png|gif|json|jsonl|txt|log|csv|md|html?|pdf"
    r"|zip|py|js|ya?ml|toml|sqlite3?|db|npy|onnx|safetensors|gguf|pt|so|dll|exe)\b"
)
_NAME = rf"(?:{_LOOSE}(?:[ ]{_LOOSE}){{0,4}}?\.{_ENDING}|{_SEGMENT}(?:[ ]{_SEGMENT}){{0,4}}?\.\w{{2,5}}\b|[^\s/\\\"'“”‘’<>|:*?,;()\[\]{{}}]+)"
"""A file name may hold spaces, and brackets and commas too, as long as it ends in an extension."""
_ROOT = (
    r"(?:home|Users|root|tmp|var|mnt|media|Volumes|private|opt|srv|usr|etc|data|datasets?|work|workspace|app|content|scratch|nfs|nas|net|run|dev"
    r"|proc|sys|storage|sdcard|Applications|Library|System)"
)
_CODED = r"(?:[^\s%/\\\"'<>&]|%(?!(?:25)*(?:2F|5C))[0-9A-F]{2})+"
_RANDOM = r"(?=[A-Za-z._~+/=-]*\d)"
"""What was drawn at random and is long enough has a digit in it; a word has none."""
_VALUE = r"[A-Za-z0-9._~+/=-]{8,}"
_IS = r"\\*[\"']?\s*[:=]\s*\\*[\"']?"
PATTERNS: dict[str, re.Pattern[str]] = {
    "private key": re.compile(
        r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)", re.DOTALL
    ),
    "token": re.compile(r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*"),
    "key": re.compile(
        r"\b(?:sk|pk|rk)-[A-Za-z0-9_-]{16,}|\b(?:sk|pk|rk)_(?:live|test)_[A-Za-z0-9]{10,}|\bAIza[0-9A-Za-z_-]{30,}"
        r"|\bAQ\.[A-Za-z0-9_-]{30,}|\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_[A-Za-z0-9_]{20,}|\b(?:hf|npm|r8)_[A-Za-z0-9]{20,}"
        r"|\bxox[abpr]-[A-Za-z0-9-]{10,}|\b(?:AKIA|ASIA)[0-9A-Z]{16}\b|\bgsk_[A-Za-z0-9]{20,}|\b(?:xai|pplx)-[A-Za-z0-9]{20,}"
        r"|\bglpat-[A-Za-z0-9_-]{16,}|\bnvapi-[A-Za-z0-9_-]{16,}|\bya29\.[A-Za-z0-9_-]{20,}"
    ),
    "secret": re.compile(
        rf"(?i)(?P<keep>\b(?:bearer|basic)\s+){_RANDOM}{_VALUE}"
        rf"|(?P<keep_name>(?<![A-Za-z0-9])(?:[A-Za-z0-9]+[_-]){{0,6}}(?:api[_-]?key|access[_-]?key|account[_-]?key|secret(?:[_-]?key)?|auth[_-]?token"
        rf"|access[_-]?token|token|key|authorization)(?:{_IS}(?:(?:bearer|basic)\s+)?{_RANDOM}|\\*[\"']\s*[:=]\s*\\*[\"']))(?!\d+\b){_VALUE}"
        rf"|(?P<keep_word>(?<![A-Za-z0-9])(?:[A-Za-z0-9]+[_-]){{0,6}}(?:password|passwd|pwd){_IS})[A-Za-z0-9._~+/=-]{{7,}}"
    ),
    "address with a password": re.compile(r"(?P<keep>\b[a-z][a-z0-9+.-]{0,20}://)[^\s/@:]+:[^\s/@]+@"),
    "path": re.compile(
        rf"\bfile:{_SEP}(?:[A-Za-z](?::|%3A){_SEP})?(?:{_FOLDER})*{_NAME}"
        rf"|\b[A-Za-z]:(?:\\+|/(?={_FOLDER}|{_LOOSE}\.{_ENDING}))(?:{_FOLDER})*{_NAME}"
        rf"|(?<![\w:/\\])(?:\\{{2,}}|//){_SEGMENT}{_SEP}(?:{_FOLDER})*{_NAME}"
        rf"|(?<![\w/.~\\])(?:\\*/|(?:\.\./)+)(?:{_ROOT}{_SEP}|(?=[A-Za-z_.])(?:{_FOLDER}{_FOLDER}|(?:{_FOLDER})+?(?={_LOOSE}(?:[ ]{_LOOSE}){{0,4}}?\.{_ENDING})|[a-z_.][\w.-]+{_SEP}(?=[\w.])))(?:{_FOLDER})*(?:{_NAME})?"
        rf"|(?<![\w./])~(?:[A-Za-z_][\w.-]*)?{_SEP}(?:{_FOLDER})*{_NAME}"
        rf"|(?i:(?<![\w%])(?:[a-z](?:%(?:25)*3A|:))?%(?:25)*(?:2F|5C){_CODED}(?:%(?:25)*(?:2F|5C){_CODED})+)"
    ),
}
"""Kind → what looks like it. Groups whose names begin with `keep` stay."""

_MORE = r"(?=[A-Za-z0-9_-]{6})(?=[A-Za-z_-]*\d|[A-Za-z_-]*[a-z][A-Z])"
_BREAK = re.compile(
    rf"[\u00ad\u200b-\u200d\u2060\ufeff]+|(?<![ \t])[ \t]{{0,40}}(?:\r?\n|\\{{1,8}}n)[ \t]{{0,40}}{_MORE}"
)
"""What may stand inside a key on a picture or in a mail: an invisible character, or a line break before more of it."""

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
        self._remains: dict[str, str] = {}
        self._words: set[str] = set()
        self._pattern: re.Pattern[str] | None = None
        self._counts: dict[str, int] = {}
        for key in keys.known():
            self._remember(key, "key")
        self._places: dict[str, list[str]] = {}

    def learn(self, value: Any) -> None:
        """Remember the keys and paths of a JSON value, so that their remains go from all that is redacted afterwards."""
        if isinstance(value, str):
            for what, pattern in PATTERNS.items():
                for match in pattern.finditer(value):
                    found = match[0].removeprefix(_kept(match))
                    self._remember(found, what)
            for start, end, what in _broken_keys(value):
                for piece in _BREAK.split(value[start:end]):
                    self._remember(piece, what)
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
        text, count = keys.without_known(text, "[key removed]")
        if count:
            self._found("key", count, place)
        for start, end, what in reversed(_broken_keys(text)):
            text = f"{text[:start]}[{what} removed]{text[end:]}"
            self._found(what, 1, place)
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


def _broken_keys(text: str) -> list[tuple[int, int, str]]:
    """(start, end, kind) of every key with a break in it, in order."""
    breaks = [match.span() for match in _BREAK.finditer(text)]
    if not breaks:
        return []
    whole, before, upto = [], [0], 0
    for start, end in breaks:
        whole.append(text[upto:start])
        before.append(before[-1] + start - upto)
        upto = end
    joined = "".join([*whole, text[upto:]])
    ends = [0, *(end for _, end in breaks)]

    def place(n: int) -> int:
        k = bisect_right(before, n) - 1
        return ends[k] + n - before[k]

    spans = [(*match.span(), what) for what in ("key", "token") for match in PATTERNS[what].finditer(joined)]
    for key in keys.known():
        spans += [(match.start(), match.end(), "key") for match in re.finditer(re.escape(key), joined)]
    found: list[tuple[int, int, str]] = []
    for first, last, what in sorted(spans):
        start, end = place(first), place(last - 1) + 1
        if end - start > last - first and (not found or start >= found[-1][1]):
            found.append((start, end, what))
    return found


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
    return f"{_kept(match)}[{what} removed]"


def _kept(match: re.Match[str]) -> str:
    return next((kept for kept in match.groupdict().values() if kept), "")
