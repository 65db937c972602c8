"""Words out of subtitles (SubRip, WebVTT, or a track of the video), on the video clock. Text is data: markup is dropped."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from vesta_ui.domain import Word
from vesta_ui.errors import BadSpec

_TIME = r"(-?)(?:(\d+):)?(\d{1,2}):(\d{2})[.,](\d{1,3})"
_TIMES = re.compile(rf"{_TIME}\s*-->\s*{_TIME}")
_MARKUP = re.compile(r"<[^>]*>|\{\\[^}]*\}")
MOST_BYTES = 20_000_000


def read(path: Path) -> tuple[Word, ...]:
    """Words in time order; the time of a cue is shared out over its words by length. Raises `BadSpec`."""
    try:
        if path.stat().st_size > MOST_BYTES:
            raise BadSpec(f"{path.name} is too large for a subtitle file")
        text = _decode(path.read_bytes())
    except OSError as error:
        raise BadSpec(f"the subtitle file {path} cannot be read: {error.strerror}") from error
    words = words_of(_cues(text))
    if not words:
        raise BadSpec(f"{path.name} holds no SubRip or WebVTT cues")
    return words


def words_of(cues: Iterable[tuple[float, float, str]]) -> tuple[Word, ...]:
    """Words in time order out of (start, end, text) cues."""
    words = [word for start, end, text in cues if end > start for word in _spread(start, end, _MARKUP.sub("", text))]
    return tuple(sorted(words, key=lambda word: (word.start, word.end)))


def _decode(data: bytes) -> str:
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return data.decode("utf-16", "replace")
    if b"\0" in data[:100]:  # two bytes a letter, without the mark that says so
        return data.decode("utf-16-be" if data[0] == 0 else "utf-16-le", "replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")


def _cues(text: str) -> list[tuple[float, float, str]]:
    cues = []
    for block in re.split(r"\n\s*\n", text.replace("\r\n", "\n").replace("\r", "\n")):
        times = _TIMES.search(block)
        if times is None:
            continue
        start, end = _seconds(*times.groups()[:5]), _seconds(*times.groups()[5:])
        body = block[times.end() :].partition("\n")[2]  # the rest of a timing line holds cue settings
        cues.append((start, end, body))
    return cues


def _seconds(sign: str, hours: str | None, minutes: str, seconds: str, fraction: str) -> float:
    time = int(hours or 0) * 3600 + int(minutes) * 60 + int(seconds) + int(fraction.ljust(3, "0")) / 1000
    return -time if sign else time


def _spread(start: float, end: float, text: str) -> list[Word]:
    parts = text.replace("\\N", " ").replace("\\n", " ").split()
    total = sum(len(part) + 1 for part in parts)
    words, done = [], 0
    for part in parts:
        begin = start + (end - start) * done / total
        done += len(part) + 1
        words.append(Word(begin, start + (end - start) * done / total, part))
    return words
