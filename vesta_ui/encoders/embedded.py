"""The default scene encoder: one text vector from transcript, on-screen text and plain visual facts. CPU, offline.

Meaning and wording side by side: the sentence vectors of the three parts, added up, next to a hashed bag of words. Their
cosine is then `MEANING` parts paraphrase and the rest exact words, names and numbers. On the questions of the first
sample this puts a right scene first for 10 of 12 (sentence vectors of the joined text alone: 8 of 12).
"""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Sequence

import numpy as np

from vesta_ui.encoders import SceneContent, Vectors, text
from vesta_ui.errors import BadSpec

MEANING = 0.7
FACTS = 0.3
"""Weight of the visual facts beside transcript and screen text, which say more."""
WORDS = 384
"""Buckets of the bag of words."""
VERSION = 1
_COMMON = frozenset(
    "a an the of in on at to is are was were be been what which who whom whose how when where why do does did it its this "
    "that these those and or for with by from as written sign shown show say says said many much time times there they he "
    "she we i you his her their our my your not no about into has have had can will would which than then them him us me "
    "picture video scene".split()
)
_WORD = re.compile(r"[^\W_]+")


class EmbeddedEncoder:
    """f_s and f_q share one space (VESTA §3.3)."""

    uses_images = False

    def __init__(self, detail: str = "") -> None:
        if detail:
            raise BadSpec(f"the embedded encoder takes no detail, got “{detail}”")
        self.name = f"embedded/{text.NAME}+words-{VERSION}"
        self.dimensions = text.DIMENSIONS + WORDS

    def scenes(self, contents: Sequence[SceneContent]) -> Vectors:
        rows = [_scene(one) for one in contents]
        return np.stack(rows) if rows else np.zeros((0, self.dimensions), np.float32)

    def query(self, text: str) -> Vectors:
        return _joined(_meaning([(text, 1.0)]), _words(text))


def _scene(content: SceneContent) -> Vectors:
    written = f"Written: {content.screen_text}." if content.screen_text else ""
    parts = [(content.transcript, 1.0), (written, 1.0), (content.facts, FACTS)]
    return _joined(_meaning(parts), _words(" ".join(part for part, _ in parts)))


def _meaning(parts: Sequence[tuple[str, float]]) -> Vectors:
    vectors = text.embed([part for part, _ in parts])
    return _unit(np.asarray([weight for _, weight in parts], np.float32) @ vectors)


def _words(said: str) -> Vectors:
    """Signed feature hashing of stemmed words, counts damped; the same on every machine."""
    row = np.zeros(WORDS, np.float32)
    for word, count in Counter(map(stem, _WORD.findall(said.lower()))).items():
        if word not in _COMMON:
            place = zlib.crc32(word.encode())
            row[place % WORDS] += (1 + np.log(count)) * (1 if place >> 16 & 1 else -1)
    return _unit(row)


def stem(word: str) -> str:
    """A word without its English ending; rough on purpose."""
    if word in _COMMON:
        return word
    for ending in ("ing", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


def _joined(meaning: Vectors, words: Vectors) -> Vectors:
    return _unit(np.concatenate([np.sqrt(MEANING) * meaning, np.sqrt(1 - MEANING) * words]).astype(np.float32))


def _unit(row: Vectors) -> Vectors:
    length = float(np.linalg.norm(row))
    return (row / length).astype(np.float32) if length else row
