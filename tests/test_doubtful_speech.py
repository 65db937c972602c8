"""Words the recogniser only guessed: left out, tried in another language, or told as doubtful; never passed off as heard."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from vesta_ui import transcript
from vesta_ui.transcript import sifting

RATE = sifting.RATE
SOUND = (0.2 * np.sin(np.arange(10 * RATE) * 0.1)).astype(np.float32)


def segment(text: str, *sure: float) -> SimpleNamespace:
    """One second a word, with these probabilities."""
    words = [
        SimpleNamespace(start=float(n), end=n + 1.0, word=word, probability=p)
        for n, (word, p) in enumerate(zip(text.split(), sure, strict=True))
    ]
    return SimpleNamespace(
        start=0.0, end=float(len(sure)), text=text, words=words, no_speech_prob=0.05, avg_logprob=-0.5
    )


class Polyglot:
    """Understands each language as well as `sure` says; ranks the languages by `shares`."""

    def __init__(self, shares: dict[str, float], sure: dict[str, float]) -> None:
        self.shares, self.sure = shares, sure
        self.asked: list[str] = []

    def detect_language(self, samples: Any, **_: Any) -> tuple[str, float, list[tuple[str, float]]]:
        ranked = sorted(self.shares.items(), key=lambda one: -one[1])
        return *ranked[0], ranked

    def transcribe(self, samples: Any, language: str, **_: Any) -> tuple[Any, None]:
        self.asked.append(language)
        return iter([segment(f"{language} words", *[self.sure[language]] * 2)]), None


@pytest.fixture(autouse=True)
def speech_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transcript, "_speech_likely", lambda samples: True)


def test_a_guessed_segment_is_left_out_and_counted() -> None:
    scrap = segment("and the other side.", 0.13, 0.07, 0.03, 0.19)
    words, dropped = sifting.sift([scrap, segment("The bakery opens", 0.15, 0.3, 0.9)], SOUND, 0.0)
    assert ([word.text for word in words], dropped) == (["The", "bakery", "opens"], 1)
    notices = transcript._finish([transcript.Block(0.0, 10.0, words, "en", dropped)], 10.0, "").notices
    assert [notice.code for notice in notices] == ["speech-dropped", "speech-doubtful"]


def test_words_without_probabilities_are_not_doubted() -> None:
    plain = SimpleNamespace(start=0.0, end=2.0, text="said so", words=None, no_speech_prob=0.0, avg_logprob=0.0)
    words, dropped = sifting.sift([plain], SOUND, 0.0)
    assert (len(words), dropped) == (2, 0)
    assert transcript._finish([transcript.Block(0.0, 10.0, words, "")], 10.0, "").notices == ()


def test_the_first_guess_gives_way_to_a_language_that_is_understood() -> None:
    model = Polyglot({"la": 0.5, "de": 0.3, "en": 0.05}, {"la": 0.3, "de": 0.8, "en": 0.9})
    block = transcript.hear(model, 0.0, SOUND, "", False)
    assert (block.language, block.words[0].text, model.asked) == ("de", "de", ["la", "de"])


def test_a_first_guess_that_was_all_guessed_is_tried_again() -> None:
    model = Polyglot({"la": 0.5, "de": 0.3}, {"la": 0.1, "de": 0.8})
    assert transcript.hear(model, 0.0, SOUND, "", False).language == "de"


def test_what_no_language_explains_is_told_once_with_the_way_out() -> None:
    model = Polyglot({"la": 0.5, "de": 0.3}, {"la": 0.3, "de": 0.4})
    blocks = [transcript.hear(model, start, SOUND, "", False) for start in (0.0, 10.0)]
    done = transcript._finish(blocks, 20.0, "")
    (notice,) = done.notices
    assert (done.language, done.status, notice.code) == ("la", "ok", "speech-doubtful")
    assert "00:00.0–00:12.0" in notice.message and "“la”" in notice.message and "--language" in notice.message


def test_a_language_the_user_named_stays_and_is_told_as_doubtful() -> None:
    model = Polyglot({"de": 0.9}, {"en": 0.3, "de": 0.9})
    block = transcript.hear(model, 0.0, SOUND, "en", True)
    (notice,) = transcript._finish([block], 10.0, "en").notices
    assert model.asked == ["en"] and notice.code == "speech-doubtful" and "--language" not in notice.message


def test_a_doubtful_block_does_not_set_the_language_of_the_next() -> None:
    doubtful = transcript.Block(0.0, 10.0, sifting.sift([segment("a b c", 0.3, 0.4, 0.3)], SOUND, 0.0)[0], "la")
    sure = transcript.Block(10.0, 20.0, sifting.sift([segment("d", 0.9)], SOUND, 10.0)[0], "de")
    assert transcript._likely_language([doubtful]) == ""
    assert transcript._finish([doubtful, sure], 20.0, "").language == "de"
