"""SAVE as in the paper: which frames a range gives, what the model is shown, how its history is kept, when it ends."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from explore_help import answer, decided, finished, look, looked, play, script, square, stop

from vesta_ui import operations, shots
from vesta_ui.bench import squares
from vesta_ui.control import Control
from vesta_ui.domain import Action, Interval, MemoryItem, Outcome, Word
from vesta_ui.events import Warned
from vesta_ui.exploration import history, ranges, showing
from vesta_ui.frames import FrameStore
from vesta_ui.runs import run as runs
from vesta_ui.settings import Settings
from vesta_ui.video import open_video

SAMPLE = square(30, 10)


@pytest.fixture(scope="module")
def video(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return squares.render(SAMPLE, tmp_path_factory.mktemp("save") / "a.mp4")


# ------------------------------------------------------------------------------------------------ which frames
@pytest.mark.parametrize(
    ("length", "target", "first", "last"),
    [
        (2, 6, 12, 6),
        (10, 6, 12, 6),
        (10.1, 12, 20, 10),
        (60, 12, 20, 10),
        (61, 25, 30, 12),
        (480, 25, 30, 12),
        (481, 6, 40, 10),
    ],
)
def test_target_and_thresholds_follow_the_range(length: float, target: int, first: float, last: float) -> None:
    grain = ranges.grain(length)
    assert (grain.target, grain.thresholds[0], grain.thresholds[-1]) == (target, first, last)
    assert list(grain.thresholds) == sorted(grain.thresholds, reverse=True)


def chosen(span: Interval, cuts: list[float], monkeypatch: pytest.MonkeyPatch) -> list[float]:
    asked: dict[str, Any] = {}

    def ladder(_: Any, inside: Interval, target: int, thresholds: Any, control: Any) -> tuple[float, ...]:
        assert not asked, "the same range of the same video is not decoded twice"
        asked.update(inside=inside, target=target, thresholds=thresholds)
        return tuple(cuts)

    monkeypatch.setattr(shots, "ladder", ladder)
    ranges._known.clear()
    video = SimpleNamespace(facts=SimpleNamespace(sha256="v"))
    times, _ = ranges.times(span, cast(Any, SimpleNamespace(video=video, control=None)))
    assert ranges.times(span, cast(Any, SimpleNamespace(video=video, control=None)))[0] == times and len(asked) == 3
    assert asked["inside"] == span and asked["target"] == ranges.grain(span.length).target
    return times


def test_each_scene_gives_its_middle_frame(monkeypatch: pytest.MonkeyPatch) -> None:
    cuts = [101.0, 102.0, 104.0, 105.0, 108.0]
    assert chosen(Interval(100, 110), cuts, monkeypatch) == [100.5, 101.5, 103, 104.5, 106.5, 109]


def test_too_few_scenes_are_filled_up_evenly_to_the_target(monkeypatch: pytest.MonkeyPatch) -> None:
    times = chosen(Interval(100, 110), [101.0], monkeypatch)
    assert len(times) == 6 and {100.5, 105.5} <= set(times)
    gaps = [b - a for a, b in zip([100, *times], [*times, 110], strict=True)]
    assert max(gaps) < 3.5


def test_without_a_cut_frames_lie_evenly(monkeypatch: pytest.MonkeyPatch) -> None:
    assert chosen(Interval(0, 30), [], monkeypatch) == [1.25 + 2.5 * n for n in range(12)]


def test_never_more_than_forty_frames_and_those_spread_over_the_range(monkeypatch: pytest.MonkeyPatch) -> None:
    times = chosen(Interval(0, 400), [float(n) for n in range(1, 400)], monkeypatch)
    assert len(times) == 40 and times[0] == 0.5 and times[-1] == 399.5
    assert max(b - a for a, b in pairwise(times)) <= 11


def workspace(path: Path, folder: Path, words: list[Word] | None = None, **changes: Any) -> Any:
    def inside(span: Interval) -> tuple[Word, ...]:
        return tuple(w for w in words or [] if span.start <= (w.start + w.end) / 2 < span.end)

    return SimpleNamespace(
        video=open_video(path), frames=FrameStore(folder), settings=Settings(data_dir=folder, **changes),
        control=Control(), index=SimpleNamespace(words=inside),
    )  # fmt: skip


def test_high_resolution_is_twice_the_ordinary_side(video: Path, tmp_path: Path) -> None:
    space = workspace(video, tmp_path, image_side=100)
    low = showing.show([1.0], Interval(0, 30), False, "", space)
    high = showing.show([1.0], Interval(0, 9), True, "", space)
    assert (low.frames[0].width, high.frames[0].width) == (100, 200)
    assert low.looks[0].image.shape[1] == 100 and space.frames.get(high.frames[0].sha256)


def test_a_frame_comes_with_the_words_within_a_second(video: Path, tmp_path: Path) -> None:
    words = [
        Word(t, t + 0.2, text)
        for t, text in [(8.8, "long"), (9.2, "just"), (10.0, "now"), (10.8, "soon"), (11.2, "later")]
    ]
    sight = showing.show([10.0], Interval(0, 30), False, "", workspace(video, tmp_path, words))
    assert sight.heard == ("just now soon",)


def test_pictures_shown_twice_are_stored_and_told_once(video: Path, tmp_path: Path) -> None:
    sight = showing.show([10.0, 10.001, 10.02], Interval(10, 10.1), True, "", workspace(video, tmp_path))
    assert len(sight.looks) == len(sight.frames) == len(sight.heard) == 1


# ------------------------------------------------------------------------------------------------ with a model
def test_the_model_sees_the_newest_frames_and_text_of_the_rest(video: Path, tmp_path: Path, settings: Settings) -> None:
    replies = [
        look(0, 30, "an overview first"),
        look(4, 12, "closer", start=1, end=3, what="a red square at the left"),
        stop(start=5, end=9, what="green after red"),
        answer("B", ["e2", "e99"]),
    ]
    one = play("save", video, SAMPLE.question, settings, tmp_path, reasoner=script(tmp_path, replies))
    first, second = looked(one.events)
    assert [e.action.operation for e in decided(one.events)] == ["query_range", "query_range", "finalize"]
    assert [e.action.thought for e in decided(one.events)][:2] == ["an overview first", "closer"]
    asked = decided(one.events)[0].calls[0].messages[-1]
    assert not asked.frames and "Nothing was looked at yet" in asked.text
    assert len(first.frames) == 12 and first.calls[0].messages[-1].frames == first.frames
    shown = second.calls[0].messages[-1]
    assert shown.frames == second.frames and len(second.frames) == 6
    assert "[step 1: query_range start_s=0 end_s=30 → e1]" in shown.text and "a red square at the left" in shown.text
    prediction = decided(one.events)[2].calls[0].messages[-1]
    assert not prediction.frames and "green after red" in prediction.text
    end = finished(one)
    assert end.outcome == Outcome.ANSWERED and end.answer is not None and end.answer.label == "B"
    assert [(e.entry_id, e.start, e.end) for e in end.answer.evidence] == [("e2", 5, 9)]
    entry = one.session().state.ledger.entries[0]  # type: ignore[union-attr]
    assert entry.operation == "query_range" and entry.observation.frames and entry.observation.stances[0].label == "A"


def test_a_model_that_looks_by_itself_has_no_observer_loaded(
    video: Path, tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded: list[str] = []
    real = operations.load_observer
    monkeypatch.setattr(operations, "load_observer", lambda s: loaded.append(s.observer) or real(s))  # type: ignore[func-returns-value]
    replies = [look(0, 30), stop(start=5, end=9), answer()]
    one = play("save", video, SAMPLE.question, settings, tmp_path, reasoner=script(tmp_path, replies))
    assert finished(one).outcome == Outcome.ANSWERED and not loaded
    play("saos", video, SAMPLE.question, settings, tmp_path)
    assert loaded == ["embedded"]


def test_every_five_steps_the_history_is_compressed_and_no_anchor_is_lost(
    video: Path, tmp_path: Path, settings: Settings
) -> None:
    looks: list[Any] = [look(n, n + 5, start=n, end=n + 1, what=f"thing {n}") for n in range(6)]
    first = [look(0, 30), *looks[:5]]
    kept = "[step 2: query_range start_s=0 end_s=5 → e2]\n  a short word on it\nStatus: red, look at the end"
    replies = [*first, kept, looks[5], stop(start=20, end=21), answer()]
    one = play("save", video, SAMPLE.question, settings, tmp_path, reasoner=script(tmp_path, replies))
    steps = looked(one.events)
    assert [bool(e.summary) for e in steps] == [False] * 5 + [True, False]
    sixth = steps[5]
    assert len(sixth.calls) == 2 and not sixth.calls[0].messages[-1].frames and sixth.calls[1].messages[-1].frames
    for n, step in enumerate(steps[:5], 1):
        given = " ".join(f"{name}={value:g}" for name, value in step.arguments.items())
        assert f"[step {n}: query_range {given} → e{n}]" in sixth.summary
    assert "a short word on it" in sixth.summary and "thing 3" not in sixth.summary
    assert all(line.startswith("│ ") for line in sixth.summary.splitlines())
    after = steps[6].calls[0].messages[-1].text
    assert sixth.summary in after and "thing 3" not in after and "[step 6:" in after
    assert finished(one).outcome == Outcome.ANSWERED


def test_a_failed_compression_loses_nothing(video: Path, tmp_path: Path, settings: Settings) -> None:
    looks: list[Any] = [look(n, n + 5, start=n, end=n + 1, what=f"thing {n}") for n in range(5)]
    replies = [look(0, 30), *looks, {"fail": "blocked", "message": "no"}, stop(), answer()]
    one = play("save", video, SAMPLE.question, settings, tmp_path, reasoner=script(tmp_path, replies))
    assert any(isinstance(e, Warned) and e.notice.code == "history-not-compressed" for e in one.events)
    last = looked(one.events)[-1]
    assert not last.summary and len(last.calls) == 2 and "thing 3" in last.calls[1].messages[-1].text
    assert finished(one).outcome == Outcome.ANSWERED


def test_history_is_a_fold_of_memory() -> None:
    items = tuple(MemoryItem(n, "query_range", {"start_s": float(n)}, f"saw {n}", (f"e{n}",)) for n in range(1, 8))
    assert history.text(()) == "Nothing was looked at yet."
    assert not history.due(items[:4]) and history.due(items[:5])
    summed = (*items[:5], MemoryItem(6, "query_range", {}, "saw 6", ("e6",), summary="│ short"), items[6])
    text = history.text(summed)
    assert text.startswith("│ short") and "saw 5" not in text and "saw 6" in text and "saw 7" in text
    assert not history.due(summed)


def test_a_bad_range_is_a_failed_step_that_the_model_reads(video: Path, tmp_path: Path, settings: Settings) -> None:
    replies = [
        look(40, 50),
        look(5, 2),
        {"thought": "?", "query": {"start_s": 1, "end_s": 99}},
        stop(start=2, end=3),
        answer(),
    ]
    one = play("save", video, SAMPLE.question, settings, tmp_path, reasoner=script(tmp_path, replies))
    outside, reversed_, clipped = looked(one.events)
    assert "outside the video" in outside.error and "reversed" in reversed_.error
    assert not clipped.error and any(isinstance(e, Warned) and e.notice.code == "interval-clipped" for e in one.events)
    assert "outside the video" in decided(one.events)[1].calls[0].messages[-1].text
    assert finished(one).outcome == Outcome.ANSWERED


@pytest.mark.parametrize(
    "broken",
    [
        {"thought": "closer"},
        {"thought": "closer", "query": {"start_s": 3}},
        {"thought": "closer", "query": {"start_s": "soon", "end_s": 9}},
        {"thought": "closer", "start_s": 3, "end_s": 9},
    ],
)
def test_only_an_explicit_null_stops_the_search(
    broken: dict[str, Any], video: Path, tmp_path: Path, settings: Settings
) -> None:
    replies = [broken, look(0, 30), stop(start=5, end=9), answer("B")]
    one = play("save", video, SAMPLE.question, settings, tmp_path, reasoner=script(tmp_path, replies))
    assert len(looked(one.events)) == 1 and finished(one).outcome == Outcome.ANSWERED


def test_the_budget_of_queries_ends_in_a_prediction(video: Path, tmp_path: Path, settings: Settings) -> None:
    replies = [look(0, 30), *[look(n, n + 9) for n in range(3)], answer("C")]
    one = play("save", video, SAMPLE.question, settings, tmp_path, reasoner=script(tmp_path, replies), max_queries=3)
    end = finished(one)
    assert len(looked(one.events)) == 3 and end.outcome == Outcome.BUDGET
    prompts = [decided(one.events)[0].calls[0], *(e.calls[0] for e in looked(one.events))]
    assert [re.findall(r"Looks left: (\d+)", call.messages[0].text) for call in prompts] == [["3"], ["2"], ["1"], ["0"]]
    assert end.answer is not None and end.answer.label == "C"


def test_saos_asks_once_and_answers_in_its_own_time(video: Path, tmp_path: Path, settings: Settings) -> None:
    replies = [look(0, 30), look(3, 4, start=1, end=2), answer("D")]
    one = play("saos", video, SAMPLE.question, settings, tmp_path, reasoner=script(tmp_path, replies))
    assert len(looked(one.events)) == 1 and finished(one).outcome == Outcome.ANSWERED
    end = finished(one)
    assert end.answer is not None and end.answer.label == "D"


def test_a_model_that_fails_leaves_an_answer_from_the_ledger(video: Path, tmp_path: Path, settings: Settings) -> None:
    replies = [look(0, 30), look(3, 9, start=1, end=2), {"fail": "quota", "message": "spent"}]
    one = play("save", video, SAMPLE.question, settings, tmp_path, reasoner=script(tmp_path, replies))
    end = finished(one)
    assert end.outcome == Outcome.FAILED and end.failure and end.answer is not None
    assert looked(one.events)[-1].error_kind == "quota"


def test_the_user_may_add_an_operation_by_hand(video: Path, tmp_path: Path, settings: Settings) -> None:
    chosen = replace(settings, agent="save", speech="off")
    one = runs.Run(runs.new_id(), tmp_path / "run", video)
    mine = Action("inspect", {"intervals": [[3.0, 4.0]], "focus": "the square"})
    one.control.act_by_hand(mine)
    for _ in runs.play(one, open_video(video), SAMPLE.question, chosen):
        pass
    first, second, *_ = looked(one.events)
    assert (first.operation, first.error) == ("inspect", "") and second.operation == "query_range"
    assert decided(one.events)[0].source == "user" and finished(one).answer is not None
