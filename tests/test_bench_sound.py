"""The sound bench hears a film of its own making in another process and says whether the goals were met."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from vesta_ui import bench
from vesta_ui.bench import sound
from vesta_ui.video import open_video


def test_the_film_holds_the_speech_once_an_hour_and_hiss_between(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sound, "HOUR_S", 20)
    said = np.full(5 * sound.RATE, 0.2, np.float32) * np.sin(np.arange(5 * sound.RATE) * 0.2).astype(np.float32)
    with open_video(sound.write(tmp_path / "v.mkv", said, 50)) as video:
        heard = np.concatenate([block for _, block in video.audio(sound.RATE, 30)])
    loud = [float(np.abs(heard[n * sound.RATE : (n + 1) * sound.RATE]).max()) for n in range(49)]
    assert [second for second, peak in enumerate(loud) if peak > 0.1] == [*range(5), *range(20, 25), *range(40, 45)]
    assert min(loud) > 0.0005


@pytest.mark.parametrize(("peak", "seconds", "code"), [(600, 10, 0), (701, 10, 1), (600, 100, 1)])
def test_a_missed_goal_is_an_exit_code(
    peak: float, seconds: float, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = {"seconds": seconds, "cpu": 20.0, "words": 5, "peak_mb": peak}
    monkeypatch.setattr(sound, "measured", lambda command: (None, json.dumps(found)))
    monkeypatch.setattr(sound.weights, "embedded", lambda folder: folder)
    told: list[str] = []
    assert bench.main("sound", ["--hours", "0.01"], told.append) == code
    assert f"peak {peak} MB" in told[2] and "5 words" in told[2]
