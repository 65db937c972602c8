"""What of a recogniser's output is kept: no invented text, and times that make sense. Knows no model."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vesta_ui.domain import Word

Samples = NDArray[np.float32]
RATE = 16_000
"""Samples a second, everywhere speech is handled."""
DOUBTFUL = 0.55
"""Mean word probability under which a stretch was hardly understood, and another language is tried."""
GUESSED = 0.2
"""Mean word probability under which a segment is made up: a scrap of a word at a cut, music, noise."""


def sift(segments: Iterable[Any], samples: Samples, start: float) -> tuple[tuple[Word, ...], int]:
    """Words worth keeping, on the video clock, and how many segments were thrown away.

    Thrown away: what the model itself takes for no speech or only guesses, what has no sound under it, text that goes round in circles,
    and the third and further of equal segments in a row. Times are put inside the stretch and in order; a missing end
    becomes the next start.
    """
    length = len(samples) / RATE
    loud = float(np.sqrt(np.mean(samples**2))) if len(samples) else 0.0
    words: list[Word] = []
    dropped, same, last = 0, 0, ""
    for segment in segments:
        text = " ".join((segment.text or "").lower().split())
        same = same + 1 if text == last else 1
        last = text
        begin = min(max(segment.start or 0.0, 0.0), length)
        under = samples[int(begin * RATE) : int(min(segment.end if segment.end is not None else length, length) * RATE)]
        quiet = not len(under) or float(np.sqrt(np.mean(under**2))) < max(1e-4, 0.02 * loud)
        silent = segment.no_speech_prob > 0.6 and segment.avg_logprob < -0.7
        guessed = bool(segment.words) and sureness(segment.words) < GUESSED
        if not text or quiet or silent or guessed or same > 2 or _circles(text):
            dropped += 1
            continue
        words += _timed(segment, begin, length, start)
    ordered: list[Word] = []
    for word in words:
        floor = ordered[-1].start if ordered else start
        begin = max(word.start, floor)
        ordered.append(Word(begin, max(begin, word.end), word.text, word.probability))
    return tuple(ordered), dropped


def sureness(words: Sequence[Any]) -> float:
    """Mean probability of the words, in [0, 1]; 0 without any."""
    return float(sum(word.probability for word in words)) / len(words) if words else 0.0


def _circles(text: str) -> bool:
    """Eight words or more made of fewer than a third as many different ones: "you you you …"."""
    parts = text.split()
    return len(parts) >= 8 and len(set(parts)) * 3 < len(parts)


def _timed(segment: Any, begin: float, length: float, offset: float) -> list[Word]:
    raw = list(segment.words or ())
    if not raw:
        raw_text = segment.text.split()
        end = min(segment.end if segment.end is not None else length, length)
        step = (end - begin) / max(1, len(raw_text))
        return [
            Word(round(offset + begin + i * step, 3), round(offset + begin + (i + 1) * step, 3), text)
            for i, text in enumerate(raw_text)
        ]
    timed = []
    for index, word in enumerate(raw):
        following = raw[index + 1].start if index + 1 < len(raw) else segment.end
        first = min(max(word.start if word.start is not None else begin, 0.0), length)
        end = word.end if word.end is not None else (following if following is not None else length)
        if word.word.strip():
            times = round(float(offset + first), 3), round(float(offset + min(max(end, first), length)), 3)
            timed.append(Word(*times, word.word.strip(), round(float(word.probability), 3)))
    return timed
