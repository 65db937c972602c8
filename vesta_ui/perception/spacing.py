"""Puts the spaces back that OCR lost: "Startsat120" → "Starts at 120". Names stay whole unless little words give them away."""

from __future__ import annotations

import re
from functools import lru_cache
from math import log

from vesta_ui.encoders import text

LITTLE = frozenset("a at and are as be by for from in is it no of on or our the this to we with you your".split())
COMMON = log(7000) + 4
"""Cost of about the 7,000th most frequent word."""
_PIECE = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d[\d.,:–-]*|[^A-Za-z\d]+")


@lru_cache(maxsize=1)
def _costs() -> dict[str, float]:
    """Whole words of the encoder's vocabulary, which is listed by frequency; a rarer word costs more."""
    words = {word: number for word, number in text.vocabulary().items() if word.isalpha() and word.isascii()}
    first = words["the"]
    return {
        word: log(2 + number - first) + 4
        for word, number in words.items()
        if number >= first and (len(word) > 1 or word == "a")
    }


def spaced(line: str) -> str:
    """A line of text with glued words taken apart. Only ASCII letters and digits are touched; the letters never change."""
    return " ".join(_word(word) for word in line.split())


@lru_cache(maxsize=4096)
def _word(word: str) -> str:
    if len(word) < 4 or not word.isascii() or word.lower() in _costs() or "/" in word or "@" in word:
        return word
    pieces = [part for run in _runs(word) for part in _split(run)]
    return " ".join(pieces)


def _runs(word: str) -> list[str]:
    """Cut at "theRed" and between a known word and a number; never inside a code such as "KX17"."""
    runs: list[str] = []
    for piece in _PIECE.findall(word):
        if runs and _apart(runs[-1], piece):
            runs.append(piece)
        elif runs:
            runs[-1] += piece
        else:
            runs = [piece]
    return runs


def _apart(before: str, after: str) -> bool:
    if before[-1].isalpha() and (before.lower() in _costs() or len(before) >= 6):
        return after[0].isdigit() or (after[0].isupper() and before[-1].islower())
    if before[-1].isdigit() and len(after) > 1 and after.isalpha():
        return after.lower() in LITTLE or len(after) >= 4
    return False


def _split(run: str) -> list[str]:
    """The cheapest way to write a run of letters as known words; the run itself when that is not convincing."""
    letters = run.lower()
    if not letters.isalpha() or letters in _costs() or len(letters) < 6:
        return [run]
    best: list[tuple[float, int]] = [(0.0, 0)] + [(float("inf"), 0)] * len(letters)
    for end in range(1, len(letters) + 1):
        for start in range(max(0, end - 16), end):
            cost = best[start][0] + _costs().get(letters[start:end], float("inf"))
            if cost < best[end][0]:
                best[end] = (cost, start)
    if best[-1][0] == float("inf"):
        return [run]
    pieces: list[str] = []
    end = len(letters)
    while end:
        start = best[end][1]
        pieces.insert(0, run[start:end])
        end = start
    little = any(piece.lower() in LITTLE for piece in pieces)
    long_enough = all(len(piece) >= 3 or piece.lower() in LITTLE for piece in pieces)
    signs = run.isupper() and len(letters) >= 8 and len(pieces) == 2
    common = signs and all(_costs()[piece.lower()] < COMMON for piece in pieces)
    convincing = long_enough and (little or common or len(letters) >= 14) and len(letters) / len(pieces) >= 3
    return pieces if convincing else [run]
