""" "When does it pay?": evidence, tokens and cost of runs on one question, from their traces."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from vesta_ui import bench
from vesta_ui.bench import plane, squares
from vesta_ui.bench.pay import as_text, pay
from vesta_ui.domain import (
    Action,
    Answer,
    Choice,
    Evidence,
    Frame,
    Interval,
    ModelCall,
    Outcome,
    Question,
    Usage,
    VideoFacts,
)
from vesta_ui.errors import BadInput, VestaError
from vesta_ui.events import Decided, Event, Observed, RunFinished, RunStarted
from vesta_ui.exploration.tokens import FRAME_TOKENS, HIGH_FRAME_TOKENS
from vesta_ui.runs.recorder import Recorder
from vesta_ui.runs.run import Run

QUESTION = Question("What is it?", (Choice("A", "a cat"), Choice("B", "a dog")))
FACTS = VideoFacts("0" * 64, "a.mp4", 1_000.0, 320, 180, 25.0, False, "h264")


def made(
    agent: str,
    label: str,
    times: list[float],
    cited: tuple[tuple[float, float], ...] = (),
    tokens: int | None = None,
    arguments: dict[str, float] | None = None,
    question: Question = QUESTION,
    sure: float = 0.9,
    ended: Outcome = Outcome.ANSWERED,
) -> Run:
    calls = (ModelCall("reasoner", "m", (), "", Usage(input_tokens=tokens, cost_usd=0.5)),) if tokens else ()
    frames = tuple(Frame(t, 320, 180, "") for t in times)
    answer = Answer(label, "it", sure, tuple(Evidence(a, b, "e1", "seen") for a, b in cited))
    events: list[Event] = [
        RunStarted(run_id=agent, agent=agent, question=question, video=FACTS, roles={}, settings={}),
        Decided(step=1, action=Action("query_range", dict(arguments or {})), source="x"),
        Observed(step=1, operation="query_range", arguments=dict(arguments or {}), frames=frames, calls=calls),
        RunFinished(outcome=ended, answer=answer),
    ]
    one = Run(agent, Path(agent))
    for event in events:
        one.add(event)
    one.finish()
    return one


LONG, SHORT = {"start_s": 0.0, "end_s": 60.0}, {"start_s": 0.0, "end_s": 9.0}


def test_evidence_is_given_or_the_shortest_cited_by_the_runs_that_agree() -> None:
    runs = [
        made("save", "A", [1], ((10, 14), (12, 18))),
        made("native", "A", [1], ((0, 500),)),
        made("saos", "B", [1], ((1, 2),)),
    ]
    found = pay(runs)
    assert (found.agreed, found.evidence, found.evidence_s) == ("A", (Interval(10, 18),), 8)
    assert "Evidence (the shortest cited for A): 8.0 s = 0.8 %" in as_text(found)
    assert "Evidence: 100.0 s = 10.0 %" in as_text(pay(runs, [Interval(0, 100)]))
    assert found.share == pytest.approx(0.008) and (found.length, found.concentration) == ("15 min and more", "≤ 1 %")
    assert pay(runs, [Interval(0, 100)]).concentration == "5–15 %"
    assert pay([made("save", "A", [1])]).evidence_s == pytest.approx(1 / 25)


def test_frames_and_tokens_are_per_second_of_evidence() -> None:
    runs = [
        made("save", "A", [1, 11, 12, 999], arguments=SHORT),
        made("native", "A", [1, 2], arguments=LONG, tokens=5_000),
    ]
    save, native = pay(runs, [Interval(10, 20)]).spent
    assert (save.frames, save.inside, save.tokens, save.counted) == (4, 2, 4 * HIGH_FRAME_TOKENS, False)
    assert (save.frames_per_s, save.tokens_per_s) == (0.4, 4 * HIGH_FRAME_TOKENS / 10)
    assert (native.tokens, native.counted, native.cost_usd) == (5_000, True, 0.5)
    assert pay([made("a", "A", [1, 2], arguments=LONG)]).spent[0].tokens == 2 * FRAME_TOKENS


def test_cost_at_equal_accuracy_counts_only_the_right() -> None:
    runs = [made("save", "A", [1, 2, 3]), made("native", "A", list(range(12))), made("saos", "B", [1])]
    found = pay(runs, answer="A")
    assert found.cheapest == 0 and [row.times for row in found.spent] == [1, 4, None]
    assert [row.agrees for row in found.spent] == [True, True, False]
    text = as_text(found)
    assert (
        "A save reached the right answer with the fewest tokens; B native 4 ×" in text
        and "| C saos | B | no | 1 |" in text
    )
    assert "No run reached the right answer" in as_text(pay(runs, answer="C"))


def test_of_answers_given_equally_often_the_surer_one_counts_and_a_failed_run_gave_none() -> None:
    unsure = made("vesta", "B", [1], sure=0.1)
    broken = made("native", "B", [1], ended=Outcome.FAILED)
    found = pay([unsure, made("save", "A", [1, 2]), broken])
    assert found.agreed == "A" and not found.known and [row.agrees for row in found.spent] == [False, True, False]
    assert pay([unsure, unsure, made("save", "A", [1])]).agreed == "B"


def test_repeats_of_one_agent_each_keep_their_own_cost() -> None:
    found = pay(
        [made("save", "A", [1, 2, 3]), made("save", "A", [1, 2]), made("save", "B", [1]), made("save", "A", [1])]
    )
    assert found.cheapest == 3 and [row.times for row in found.spent] == [3, 2, None, 1]
    assert "D save reached the same answer (A) with the fewest tokens; A save 3 ×, B save 2 ×." in as_text(found)
    many = pay([made("save", "A", [1])] * 28)
    assert "| Z save |" in as_text(many) and "| 28 save |" in as_text(many) and "28 save, ≈ 560" in many.picture()


def test_runs_of_different_questions_are_refused() -> None:
    other = replace(QUESTION, text="Another?")
    with pytest.raises(BadInput, match="one question"):
        pay([made("save", "A", [1]), made("native", "A", [1], question=other)])
    with pytest.raises(BadInput, match="no run"):
        pay([])


def test_each_run_is_a_point_on_the_papers_two_axes() -> None:
    runs = [
        made("save", "A", [1, 2], ((10, 15),)),
        made("<b>", "A", [1], ((0, 900),), tokens=5_000),
        made("saos", "B", [1]),
    ]
    found = pay(runs)
    root = ElementTree.fromstring(found.picture())
    labels = [t.text for t in root.iter() if t.get("class") == "ink run"]
    assert sorted(filter(None, labels)) == [
        "A save, ≈ 1,120 tokens",
        "B <b>, 5,000 tokens, $0.5000",
        "C saos, ≈ 560 tokens",
    ]
    dots = {float(t.get("cx", 0)): t.get("class") for t in root.iter() if t.tag.endswith("circle")}
    assert len({t.get("cy") for t in root.iter() if t.tag.endswith("circle")}) == 1, "one video has one length"
    # Logarithmic from 0.1 to 100 %: its own share for who cites (0.5 and 90 %), the question's for who does not.
    places = [round((x - plane.X0) / (plane.X1 - plane.X0), 3) for x in sorted(dots)]
    assert places == [round(1 - math.log(0.005) / math.log(0.001), 3), round(1 - math.log(0.9) / math.log(0.001), 3)]


def test_a_longer_video_stands_higher_and_one_beyond_the_axes_still_fits() -> None:
    heights = []
    for seconds in (12.0, 60.0, 600.0, 40_000.0):
        root = ElementTree.fromstring(plane.picture([plane.Point("A", 0.1, True)], 0.1, seconds))
        heights += [float(t.get("cy", 0)) for t in root.iter() if t.tag.endswith("circle")]
    assert heights[1] > heights[2] and all(plane.Y0 < y < plane.Y1 for y in heights)


def test_labels_of_many_runs_at_one_place_do_not_run_over_each_other() -> None:
    many = [plane.Point(f"{letter} native, 33,600 tokens", 0.02, letter != "B") for letter in "ABCDEFGHIJKL"]
    root = ElementTree.fromstring(plane.picture(many, 0.02, 600))
    rows = [float(t.get("y", 0)) for t in root.iter() if t.get("class") == "ink run"]
    assert len(set(rows)) == 12 and all(plane.Y0 < y < plane.Y1 + 4 for y in rows)
    assert [t.get("class") for t in root.iter() if t.tag.endswith("circle")].count("dot ring") == 1


def test_from_a_shell_it_reads_run_folders(tmp_path: Path) -> None:
    folders = []
    for run in (made("save", "A", [1, 2], ((1, 2),)), made("native", "B", [1])):
        book = Recorder(tmp_path / run.id)
        for event in run.events:
            book.record(event)
        book.close()
        folders.append(str(tmp_path / run.id))
    told: list[str] = []
    assert bench.main("pay", [*folders, "--answer", "A", "--evidence", "1-3"], told.append) == 0
    assert "2.0 s = 0.2 %" in told[0] and "| B native | B | no |" in told[0]
    assert bench.main("pay", [*folders, "--plot", str(tmp_path / "new" / "pay.svg")], told.append) == 0
    assert "native" in (tmp_path / "new" / "pay.svg").read_text("utf-8")
    with pytest.raises(BadInput, match="START-END"):
        bench.main("pay", [*folders, "--evidence", "soon"], told.append)
    for outside in ("1000-1001", "5-5"):
        with pytest.raises(BadInput, match="not inside the video, which lasts 16:40"):
            bench.main("pay", [*folders, "--evidence", outside], told.append)
    with pytest.raises(BadInput, match="give run folders"):
        bench.main("pay", [], told.append)


def test_it_asks_agents_with_matched_tokens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VESTA_DATA_DIR", str(tmp_path / "data"))
    video = squares.render(squares.samples(0)[72], tmp_path / "a.mp4")
    asked = [
        "--video",
        str(video),
        "--question",
        "In which order do the colours follow?",
        "--choice",
        "red, green, blue, yellow",
    ]
    asked += ["--choice", "red, blue, green, yellow", "--agents", "save,native", "--speech", "off", "--matched"]
    told: list[str] = []
    assert bench.main("pay", [*asked, "--out", str(tmp_path / "runs")], told.append) == 0
    save, native = (
        line.split(" | ") for line in told[0].splitlines() if line.startswith(("| A save", "| B matched native"))
    )
    for agents, why in (("native,save", "another agent before native"), ("save,nobody", "nobody")):
        with pytest.raises(VestaError, match=why):
            bench.main("pay", [*asked, "--agents", agents], told.append)
    assert 0 <= int(save[4].lstrip("≈ ").replace(",", "")) - 560 * int(native[2]) < 560
