"""Where a Whisper model runs: on a graphics card that can run it, else on the processor."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import ctranslate2
import faster_whisper
import pytest

from vesta_ui import transcript

CPU = ("cpu", "int8")


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    transcript._model.cache_clear()
    yield
    transcript._model.cache_clear()


@pytest.mark.parametrize(
    ("cards", "types", "broken", "used"),
    [
        (0, set(), "", [CPU]),
        (1, {"float32", "float16", "int8_float16"}, "", [("cuda", "float16")]),
        (1, {"float32", "int8_float16", "int8"}, "", [("cuda", "int8_float16")]),
        (1, {"float32"}, "", [("cuda", "default")]),
        (1, {"float16"}, "loading", [("cuda", "float16"), CPU]),
        (1, {"float16"}, "running", [("cuda", "float16"), CPU]),
    ],
)
def test_the_best_that_works_is_used(
    monkeypatch: pytest.MonkeyPatch, cards: int, types: set[str], broken: str, used: list[tuple[str, str]]
) -> None:
    tried: list[tuple[str, str]] = []

    class Whisper:
        def __init__(self, folder: str, device: str, compute_type: str, **more: Any) -> None:
            assert more["local_files_only"], "nothing is fetched here"
            self.device = device
            tried.append((device, compute_type))
            if broken == "loading" and device == "cuda":
                raise ValueError("out of memory")

        def detect_language(self, sound: Any) -> None:
            if broken == "running":
                raise RuntimeError("Library libcublas.so.12 is not found or cannot be loaded")

    monkeypatch.setattr(ctranslate2, "get_cuda_device_count", lambda: cards)
    monkeypatch.setattr(ctranslate2, "get_supported_compute_types", lambda device: types)
    monkeypatch.setattr(faster_whisper, "WhisperModel", Whisper)
    assert transcript._model("folder").device == used[-1][0]
    assert tried == used
