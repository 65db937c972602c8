"""The library bench tells what it measured and says by its exit code whether the goals were met."""

from __future__ import annotations

import pytest

from vesta_ui import bench
from vesta_ui.bench import library as measured


def test_a_small_library_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measured, "SEARCH_S", 10.0)  # a busy machine is no failure of the search
    monkeypatch.setattr(measured, "LIST_S", 10.0)
    monkeypatch.setattr(measured, "INSIDE_S", 10.0)
    said: list[str] = []
    assert bench.main("library", ["--hours", "6"], said.append) == 0
    assert said[0].startswith("6 hours, 600 scenes") and said[1].startswith("listed: 6 indexes")
    assert "recall of the 15 best: 1.000" in said[3]
    assert said[5].startswith("inside a video of 600 scenes: ") and "recall of the 15 best: 1.000" in said[5]


def test_a_missed_goal_is_an_exit_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measured, "LIST_S", -1.0)
    assert bench.main("library", ["--hours", "1"], lambda _: None) == 1
