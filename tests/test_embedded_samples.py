"""The embedded engine's score on the sample videos, as README states it. Slow: builds the indexes (about two minutes)."""

from __future__ import annotations

from pathlib import Path

import pytest

from vesta_ui import samples
from vesta_ui.bench import samples as bench
from vesta_ui.settings import Settings

LEAST = {"pier_to_peak": 10, "evening_sale": 8}


@pytest.mark.slow
@pytest.mark.parametrize("sample", samples.load(), ids=lambda s: s.name)
def test_score(sample: samples.Sample, tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path)
    bench.index(sample, settings)
    lines = [bench.ask(sample, question, settings, tmp_path)[0] for question in sample.questions]
    assert sum(line.right for line in lines) >= LEAST[sample.name], lines
    assert sum(line.hit for line in lines) >= LEAST[sample.name], lines


def test_every_sample_question_can_be_scored() -> None:
    for sample in samples.load():
        for question in sample.questions:
            labels = "ABCDEFGHIJ"[: len(question["choices"])]
            assert question["gold"] in labels and question["gold_intervals"], question["id"]
            assert all(0 <= start < end for start, end in question["gold_intervals"])
