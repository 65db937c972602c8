"""Speech recognition by a remote endpoint (`openai:MODEL`, `compatible:MODEL@URL`), in the shape of a local Whisper model.

`transcript` asks it as it asks a local model, stretch by stretch; sound is sent as 16-bit WAV. Not tried live.
"""

from __future__ import annotations

import io
import wave
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vesta_ui.control import Control
from vesta_ui.domain import Usage
from vesta_ui.errors import BadSpec, ModelFailed
from vesta_ui.models import load, prices
from vesta_ui.models.failures import ProviderFailed
from vesta_ui.models.openai import CompatibleModel, OpenAIModel
from vesta_ui.settings import Settings

RATE = 16_000
TRIES = 3


@dataclass(frozen=True, slots=True)
class HeardWord:
    start: float
    end: float
    word: str
    probability: float = 1.0


@dataclass(frozen=True, slots=True)
class HeardSegment:
    """Times are seconds from the start of the sound that was sent; None when the endpoint gives none."""

    text: str
    start: float | None = None
    end: float | None = None
    words: tuple[HeardWord, ...] = ()
    no_speech_prob: float = 0.0
    avg_logprob: float = 0.0


class RemoteWhisper:
    """A remote recogniser with the two calls `transcript` makes of a local one. Raises `ModelFailed` and `Stopped`."""

    def __init__(self, spec: str, data_dir: Path, control: Control) -> None:
        model = load(spec, Settings(data_dir=data_dir))
        if not isinstance(model, OpenAIModel | CompatibleModel):
            raise BadSpec(f"“{spec}” cannot listen: choose openai:MODEL or compatible:MODEL@URL")
        self._model = model
        self._control = control
        self._detailed = True
        self._prices = prices.load(data_dir)
        self.usage = Usage()
        """What was asked and paid so far."""

    def detect_language(self, samples: NDArray[np.float32], **_: Any) -> tuple[str, float, list[Any]]:
        """Left to the endpoint, which detects it while it transcribes."""
        return "", 0.0, []

    def transcribe(
        self, samples: NDArray[np.float32], language: str = "", **_: Any
    ) -> tuple[list[HeardSegment], dict[str, Any]]:
        data = self._ask(_wav(samples), language)
        self._count(data.get("usage"), len(samples) / RATE)
        words = [word for row in _rows(data.get("words")) if (word := _word(row)) is not None]
        segments = [_segment(row, words) for row in _rows(data.get("segments"))]
        if not segments and str(data["text"]).strip():
            segments = [HeardSegment(str(data["text"]), 0.0, len(samples) / RATE, tuple(words))]
        return segments, data

    def _count(self, said: Any, seconds: float) -> None:
        """Tokens where the endpoint counts them. One that counts seconds, or nothing, has used none."""
        told = said if isinstance(said, dict) else {}
        tokens = [_number(told.get(name)) or 0 for name in ("input_tokens", "output_tokens")]
        usage = Usage(remote_requests=1, input_tokens=int(tokens[0]), output_tokens=int(tokens[1]))
        self.usage += replace(usage, cost_usd=self._prices.sound(self._model.name, seconds, usage))

    def _ask(self, wav: bytes, language: str) -> dict[str, Any]:
        tried = 0
        while True:
            try:
                return self._model.transcribe(wav, language, self._detailed, self._control)
            except ProviderFailed as failure:
                tried += 1
                self.usage += Usage(remote_requests=1, failed_requests=1)
                if failure.parameter == "structured" and self._detailed:
                    self._detailed = False  # this model gives text without times
                    continue
                wait = 2.0**tried if failure.retry_after_s is None else failure.retry_after_s
                if not failure.again or tried >= TRIES or wait > self._model.settings.model_wait_s:
                    raise ModelFailed(failure.kind, f"speech: {failure}") from failure
                self._control.wait(wait, f"{self._model.name}: {failure.kind.replace('_', ' ')}, trying again")


def _wav(samples: NDArray[np.float32]) -> bytes:
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes((np.clip(samples, -1, 1) * 32767).astype("<i2").tobytes())
    return out.getvalue()


def _rows(value: Any) -> list[dict[str, Any]]:
    return [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and np.isfinite(value) else None


def _word(row: dict[str, Any]) -> HeardWord | None:
    start, end, text = _number(row.get("start")), _number(row.get("end")), str(row.get("word") or "")
    if start is None or end is None or not text.strip():
        return None
    return HeardWord(start, end, text, min(1.0, max(0.0, _number(row.get("probability")) or 1.0)))


def _segment(row: dict[str, Any], words: list[HeardWord]) -> HeardSegment:
    start, end = _number(row.get("start")), _number(row.get("end"))
    own = [word for one in _rows(row.get("words")) if (word := _word(one)) is not None]
    if not own and start is not None and end is not None:
        own = [word for word in words if start <= (word.start + word.end) / 2 < end]
    silence, sure = _number(row.get("no_speech_prob")) or 0.0, _number(row.get("avg_logprob")) or 0.0
    return HeardSegment(str(row.get("text") or ""), start, end, tuple(own), silence, sure)
