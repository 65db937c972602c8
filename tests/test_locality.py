"""The evidence-locality set is what it says, and its bench counts, resumes and refuses honestly."""

from __future__ import annotations

import json
import math
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from vesta_ui import bench
from vesta_ui.bench import locality, score, squares
from vesta_ui.bench.score import CONCENTRATION, Outcome, wilson
from vesta_ui.domain import Interval
from vesta_ui.errors import BadInput
from vesta_ui.exploration.ranges import GRAINS
from vesta_ui.perception import colours
from vesta_ui.settings import Settings
from vesta_ui.shots import ladder
from vesta_ui.video import open_video

ALL = squares.samples(0)


def sample(duration: int, cycle: int, nth: int = 0) -> squares.Sample:
    return [s for s in ALL if (s.duration_s, s.cycle_s) == (duration, cycle)][nth]


# ------------------------------------------------------------------------------------------------ the set
def test_the_set_has_24_videos_a_pair_and_four_of_each_order() -> None:
    assert len(ALL) == 384
    assert sum(s.duration_s for s in ALL) / 3600 == pytest.approx(21.6)
    assert set(Counter((s.duration_s, s.cycle_s) for s in ALL).values()) == {24}
    assert set(Counter((s.duration_s, s.cycle_s, s.order) for s in ALL).values()) == {4}
    counts = [sum(where.holds(outcome(s.number, "a", s)) for s in ALL) for where in CONCENTRATION]
    assert counts == [48, 120, 96, 120]


def test_every_question_has_five_different_orders_from_red_and_the_right_one() -> None:
    for one in ALL:
        orders = [choice.text.split(", ") for choice in one.question.choices]
        assert len({tuple(o) for o in orders}) == 5 and all(o[0] == "red" for o in orders)
        right = one.question.choice(one.answer)
        assert right is not None and tuple(right.text.split(", ")) == one.order
    places = Counter(s.answer for s in ALL)
    assert set(places) == set("ABCDE") and max(places.values()) < 2 * min(places.values())


def test_the_seed_alone_makes_a_sample() -> None:
    assert squares.samples(0) == ALL
    other = squares.samples(1)
    assert [s.order for s in other] == [s.order for s in ALL] and [s.phase_s for s in other] != [s.phase_s for s in ALL]
    assert len({round(s.phase_s / s.cycle_s, 3) for s in ALL}) > 300


def test_a_subset_takes_as_many_of_every_pair() -> None:
    chosen = squares.subset(ALL, 32, seed=3)
    assert set(Counter((s.duration_s, s.cycle_s) for s in chosen).values()) == {2}
    assert chosen == squares.subset(ALL, 32, seed=3) != squares.subset(ALL, 32, seed=4)
    assert len(squares.subset(ALL, 1)) == 16 and len(squares.subset(ALL, 9_999)) == 384


@pytest.fixture(scope="module")
def short(tmp_path_factory: pytest.TempPathFactory) -> tuple[squares.Sample, Path]:
    one = sample(30, 2, 7)
    return one, squares.render(one, tmp_path_factory.mktemp("squares") / "a.mp4")


def test_the_video_shows_what_the_sample_says(short: tuple[squares.Sample, Path]) -> None:
    one, path = short
    with open_video(path) as video:
        facts = video.facts
        assert (facts.width, facts.height, round(facts.fps, 3), facts.duration_s) == (256, 256, 30, 30)
        times = [n / 30 for n in range(0, 900, 23)]
        for time, picture in zip(times, video.frames_at(times), strict=True):
            seen = [c.name for c in colours(picture.image) if c.name != "white"]
            assert seen == [one.colour_at(time)], time


def test_rendering_is_reproducible(short: tuple[squares.Sample, Path], tmp_path: Path) -> None:
    one, path = short
    assert squares.render(one, tmp_path / "b.mp4").read_bytes() == path.read_bytes()


def test_no_threshold_of_save_sees_a_cut(short: tuple[squares.Sample, Path]) -> None:
    """As the paper found: what SAVE gains here does not come from scene detection."""
    with open_video(short[1]) as video:
        for grain in GRAINS:
            assert ladder(video, Interval(0, 30), grain.target, grain.thresholds) == ()


# ------------------------------------------------------------------------------------------------ the score
def outcome(number: int, agent: str, of: squares.Sample, right: bool = True) -> Outcome:
    return Outcome(number, agent, right, of.concentration, of.duration_s, 1_000, 10, 2)


def test_wilson_is_the_textbook_interval() -> None:
    assert wilson(8, 10) == pytest.approx((0.4902, 0.9433), abs=1e-4)
    assert wilson(0, 20)[0] == 0 and wilson(0, 20)[1] == pytest.approx(0.1611, abs=1e-4)
    assert wilson(0, 0) == (0, 1)


def test_agents_are_compared_on_the_same_samples_only() -> None:
    one, two = sample(600, 2), sample(30, 15)
    rows = [outcome(1, "save", one), outcome(1, "native", one, False), outcome(2, "save", two)]
    same = score.common(rows)
    assert {o.sample for o in same} == {1}
    assert score.share(same, "save", CONCENTRATION[0]).value == 1
    assert math.isnan(score.share(same, "save", CONCENTRATION[3]).value)
    table = score.table(same, ("save", "native"), CONCENTRATION, "x")
    assert "| ≤ 1 % | 1 | 100 % (21–100) | 0 % (0–79) |" in table and "| > 15 % | 0 | – | – |" in table


def test_the_plot_is_whole_xml_with_a_bar_a_share() -> None:
    from xml.etree import ElementTree

    rows = [outcome(1, name, sample(600, 2)) for name in ("save", "<b>")]
    tree = ElementTree.fromstring(score.bars(rows, ("save", "<b>"), CONCENTRATION, "a & b"))
    assert len([r for r in tree.iter() if r.tag.endswith("title")]) == 2


# ------------------------------------------------------------------------------------------------ the bench
def plan(tmp_path: Path, agents: tuple[str, ...] = ("save", "native", "saos")) -> locality.Plan:
    return locality.Plan(agents, 0, Settings(data_dir=tmp_path / "data", speech="off"))


def test_the_agent_others_are_matched_to_is_run_first() -> None:
    assert locality.ordered(["native", "saos", "save"]) == ("save", "native", "saos")
    with pytest.raises(BadInput, match="unknown agent"):
        locality.ordered(["nobody"])
    with pytest.raises(BadInput, match="no agent"):
        locality.ordered([""])


def test_native_is_matched_to_what_save_was_shown(tmp_path: Path) -> None:
    lines = locality.measure(sample(30, 2), plan(tmp_path))
    save, native, saos = lines
    assert [line["agent"] for line in lines] == ["save", "native", "saos"]
    assert 0 <= save["tokens"] - native["tokens"] < 560
    assert native["frames"] * 560 == native["tokens"] and saos["steps"] == 2 and saos["frames"] == 12
    assert save["right"]


def test_results_are_kept_a_line_a_run_and_gone_on_from(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[tuple[int, str]] = []

    def fake(one: squares.Sample, agent: str, *_: Any) -> dict[str, Any]:
        made.append((one.number, agent))
        values = outcome(one.number, agent, one)
        return {**{name: getattr(values, name) for name in Outcome.__slots__}, "cycle_s": one.cycle_s}

    monkeypatch.setattr(locality, "_ask", fake)
    wanted = [sample(30, 2), sample(30, 5)]
    first = locality.measured(plan(tmp_path), wanted, tmp_path / "out")
    next(first)
    first.close()
    assert len(made) == 3
    torn = (tmp_path / "out" / "results.jsonl").open("a")
    torn.write('{"sample": 24, "age')
    torn.close()
    list(locality.measured(plan(tmp_path), wanted, tmp_path / "out"))
    assert len(made) == 6 and len(set(made)) == 6
    assert len(locality.read(plan(tmp_path), tmp_path / "out")) == 6
    list(locality.measured(plan(tmp_path, ("save", "explore")), wanted, tmp_path / "out"))
    assert made[6:] == [(wanted[0].number, "explore"), (wanted[1].number, "explore")]


def test_results_of_another_set_up_are_not_mixed_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    list(locality.measured(plan(tmp_path), [], tmp_path / "out"))
    other = replace(plan(tmp_path), seed=1)
    with pytest.raises(BadInput, match="another set-up"):
        list(locality.measured(other, [], tmp_path / "out"))
    monkeypatch.setattr(locality, "code", lambda: "other rules")
    with pytest.raises(BadInput, match="another set-up"):
        list(locality.measured(plan(tmp_path), [], tmp_path / "out"))
    with pytest.raises(BadInput, match="choose another --out"):
        list(locality.measured(plan(tmp_path), [], tmp_path / "out" / "plan.json"))


def test_the_shell_knows_the_bench_and_refuses_nonsense(tmp_path: Path) -> None:
    told: list[str] = []
    with pytest.raises(BadInput, match="unknown bench"):
        bench.main("nix", [], told.append)
    with pytest.raises(BadInput, match="--subset"):
        bench.main("locality", ["--subset", "0", "--out", str(tmp_path)], told.append)


@pytest.mark.parametrize(("flag", "folder"), [("--out", "new"), ("--data-dir", "new/locality")])
def test_it_tells_and_draws_by_concentration_and_by_duration(
    flag: str, folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fake(one: squares.Sample, agent: str, *_: Any) -> dict[str, Any]:
        values = outcome(one.number, agent, one, agent == "save")
        return {**{name: getattr(values, name) for name in Outcome.__slots__}, "cycle_s": one.cycle_s}

    monkeypatch.setattr(locality, "_ask", fake)
    monkeypatch.setattr(squares, "render", lambda one, path: path)
    told: list[str] = []
    assert bench.main("locality", ["--subset", "16", flag, str(tmp_path / "new")], told.append) == 0
    for name, groups in (("locality.svg", ("≤ 1 %", "&gt; 15 %")), ("locality-duration.svg", ("30 s", "600 s"))):
        drawn = (tmp_path / folder / name).read_text("utf-8")
        assert all(f">{group}</text>" in drawn for group in groups)
    table = (tmp_path / folder / "locality.md").read_text("utf-8")
    assert "| 600 s | 4 | 100 % (51–100) | 0 % (0–49) | 0 % (0–49) |" in table and table.strip() in "\n".join(told)


def test_the_shape_shows_in_a_few_videos_already(tmp_path: Path) -> None:
    """With matched input, exploring wins where one cycle is under 2 % of the video, and wins nothing where it is half."""
    brief, broad = (sample(120, 2, 1), sample(120, 2, 20)), (sample(30, 15, 21),)
    lines = [line for one in (*brief, *broad) for line in locality.measure(one, plan(tmp_path))]
    right = {(line["agent"], line["sample"]): line["right"] for line in lines}
    assert all(right["save", one.number] for one in (*brief, *broad))
    assert not any(right[agent, one.number] for agent in ("native", "saos") for one in brief)
    assert all(right["native", one.number] for one in broad)


@pytest.mark.slow
def test_the_shape_of_figure_2_comes_out_of_real_runs(tmp_path: Path) -> None:
    told: list[str] = []
    assert bench.main("locality", ["--subset", "32", "--out", str(tmp_path), "--jobs", "2"], told.append) == 0
    rows = [json.loads(line) for line in (tmp_path / "results.jsonl").read_text().splitlines()]

    def accuracy(agent: str, low: float, high: float) -> float:
        return float(np.mean([r["right"] for r in rows if r["agent"] == agent and low < r["concentration"] <= high]))

    assert accuracy("save", 0, 0.01) >= accuracy("native", 0, 0.01) + 0.25
    assert abs(accuracy("save", 0.15, 1) - accuracy("native", 0.15, 1)) <= 0.05
    assert accuracy("saos", 0, 1) <= accuracy("save", 0, 1) - 0.3
    assert (tmp_path / "locality.svg").read_text().startswith("<svg") and "| save |" in (
        tmp_path / "locality.md"
    ).read_text()
