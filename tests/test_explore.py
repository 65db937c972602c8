"""The baseline's single frames, and the rules by which the embedded engine explores: what it trusts and where it looks."""

from __future__ import annotations

import ast
from itertools import pairwise
from pathlib import Path

import pytest
from explore_help import answer, decided, finished, looked, play, script, square

import vesta_ui
from vesta_ui.bench import squares
from vesta_ui.domain import Choice, Entry, Frame, Interval, Modality, Observation, Outcome, Question, VideoFacts
from vesta_ui.exploration import Past
from vesta_ui.exploration.order import Reading, Track, compatible, confirmed, fits, readings, refuted, scores, tracks
from vesta_ui.exploration.predict import predict
from vesta_ui.exploration.rules import evidence, ordering, settled
from vesta_ui.ledger import Ledger
from vesta_ui.settings import Settings

SAMPLE = square(30, 15)
ORDER = Question(
    "In which order are the rooms shown?",
    (
        Choice("A", "kitchen, cellar, garden"),
        Choice("B", "kitchen, garden, cellar"),
        Choice("C", "garden, cellar, kitchen"),
    ),
)


@pytest.fixture(scope="module")
def video(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return squares.render(SAMPLE, tmp_path_factory.mktemp("explore") / "a.mp4")


# ------------------------------------------------------------------------------------------------ one frame a step
def test_each_step_shows_one_frame_by_its_index(video: Path, tmp_path: Path, settings: Settings) -> None:
    def ask(frame: int | None) -> dict[str, object]:
        return {"observations": [], "thought": "on", "query": None if frame is None else {"frame": frame}}

    replies = [ask(90), ask(899), ask(900), ask(-1), ask(0), ask(None), answer("B", [])]
    one = play("explore", video, SAMPLE.question, settings, tmp_path, reasoner=script(tmp_path, replies))
    steps = looked(one.events)
    assert [[round(f.time, 3) for f in e.frames] for e in steps] == [[3.0], [round(899 / 30, 3)], [], [], [0.0]]
    assert "frames 0 to 899" in steps[2].error and "no frame -1" in steps[3].error
    assert len(steps[0].calls[0].messages[-1].frames) == 1
    end = finished(one)
    assert end.outcome == Outcome.ANSWERED and end.answer is not None and end.answer.label == "B"


def test_the_embedded_baseline_spends_its_frames_where_least_is_known(
    video: Path, tmp_path: Path, settings: Settings
) -> None:
    counted = Question("How many times does the red square appear?")
    one = play("explore", video, counted, settings, tmp_path, max_queries=7)
    frames = [e.action.arguments["frame"] for e in decided(one.events)[:-1]]
    assert frames[0] == 450 and len(set(frames)) == 7
    times = sorted([0, *frames, 900])
    assert max(b - a for a, b in pairwise(times)) <= 225
    assert finished(one).outcome == Outcome.BUDGET
    entries = one.session().state.ledger.entries  # type: ignore[union-attr]
    assert {round(e.interval.length * 30, 3) for e in entries} == {1}, "a frame speaks for as long as it is shown"


def test_frame_by_frame_it_resolves_an_order_and_stops_when_that_is_sure(tmp_path: Path, settings: Settings) -> None:
    """Six frames over the whole video alias; closer ones, each stretch as an even row, show what follows what."""
    one_cycle = square(60, 10, 7)
    path = squares.render(one_cycle, tmp_path / "b.mp4")
    one = play("explore", path, one_cycle.question, settings, tmp_path)
    end = finished(one)
    assert end.answer is not None and end.answer.label == one_cycle.answer and end.answer.confidence >= 0.7
    assert end.outcome == Outcome.ANSWERED and len(decided(one.events)) < 30
    frames = [e.action.arguments["frame"] for e in decided(one.events)[:-1]]
    assert {round(b - a, -1) for a, b in pairwise(frames[:6])} == {300}


# ------------------------------------------------------------------------------------------------ what is trusted
def track(spacing: float, items: str, start: float = 0.0) -> Track:
    return Track(tuple(Reading(start + n * spacing, item.strip("-")) for n, item in enumerate(items.split())))


def test_a_change_is_sure_only_when_both_sides_last() -> None:
    changes = track(1, "a a b b c d d").changes
    assert [(c.before, c.after, c.sure) for c in changes] == [("a", "b", True), ("b", "c", False), ("c", "d", False)]
    assert changes[0].span == Interval(1, 2)
    assert [(c.before, c.after) for c in track(1, "a - b").changes] == [("a", "b")]
    assert [r.item for r in track(1, "a b b c a a d").fleeting] == ["c"]


def test_a_finer_look_refutes_what_a_coarse_one_seemed_to_show() -> None:
    coarse = track(5, "a a a d d d")
    honest, foul = track(1, "a a d d", start=11), track(1, "a b c d", start=10.5)
    assert not refuted(coarse, [coarse, honest]) and confirmed(coarse.changes[0], coarse, [coarse, honest])
    assert refuted(coarse, [coarse, foul])
    assert not refuted(foul, [coarse, foul])
    like = track(4, "a b", start=11)
    assert not refuted(coarse, [coarse, like]) and not confirmed(coarse.changes[0], coarse, [coarse, like])
    gap = track(5, "a - a")
    assert refuted(gap, [gap, track(1, "b b", start=1)])


def test_an_order_allows_the_next_item_and_going_round() -> None:
    change = track(1, "a a b b").changes[0]
    assert fits(change, ["a", "b", "c"]) and fits(change, ["b", "c", "a"]) and not fits(change, ["a", "c", "b"])
    assert fits(change, ["x", "y"])


def test_choices_that_only_begin_elsewhere_are_told_apart_by_what_was_met_first() -> None:
    changes = track(1, "kitchen kitchen garden garden").changes
    assert compatible(changes, ORDER) == compatible(changes, ORDER, "cellar") == ["B", "C"]
    assert compatible(changes, ORDER, "kitchen") == ["B"] and compatible(changes, ORDER, "garden") == ["C"]


def test_single_frames_looked_at_one_after_the_other_are_one_track() -> None:
    wide = [Reading(20.0 * n, item) for n, item in enumerate("abab")]
    close = [Reading(21.0 + n, item) for n, item in enumerate("aabb")]
    found = tracks([[one] for one in (*wide, *close)])
    assert [t.readings for t in found] == [tuple(close), tuple(wide)]
    assert refuted(found[1], [Track((Reading(21, "c"), Reading(22, "c"))), found[1]]) and not found[0].fleeting


def test_looks_of_like_distance_side_by_side_are_one_track() -> None:
    steps = [
        list(track(1, "a a").readings),
        list(track(1.2, "b b", start=2).readings),
        list(track(1, "c", start=9).readings),
    ]
    found = tracks(steps)
    assert [len(t.readings) for t in found] == [4, 1]
    assert [len(t.readings) for t in tracks([*steps[:1], list(track(5, "a b").readings)])] == [2, 2]


# ------------------------------------------------------------------------------------------------ where to look
def past(*looks: Track, question: Question = ORDER, duration: float = 120.0) -> Past:
    made: list[Entry] = []
    for step, one in enumerate(looks, 1):
        for r in one.readings:
            seen = Observation(
                Interval(r.time, r.time),
                Modality.PICTURE,
                f"the {r.item}",
                event=r.item,
                frames=(Frame(r.time, 1, 1, ""),),
            )
            made.append(Entry(f"e{len(made) + 1}", "query_range", step, "", seen))
    facts = VideoFacts("0", "v.mp4", duration, 64, 64, 25.0, False, "h264")
    return Past(question, facts, Ledger(duration, ("A", "B", "C"), tuple(made)), (), len(looks) + 1, 9)


WHOLE = Interval(0, 120)


def test_what_lasts_for_one_frame_is_looked_at_closer() -> None:
    (span, why), *_ = ordering(past(track(10, "kitchen cellar garden kitchen cellar garden")), WHOLE)
    assert span.length <= 30 and "one frame only" in why


def test_what_seems_resolved_is_checked_by_a_closer_look_before_it_is_believed() -> None:
    slow = track(5, "kitchen kitchen cellar cellar garden garden")
    ((span, _),) = ordering(past(slow), WHOLE)
    assert span.overlap(Interval(5, 10)) == 5 and span.length == pytest.approx(10)
    assert ordering(past(slow, track(1, "kitchen kitchen cellar cellar", start=6)), WHOLE) == []
    spoilt = ordering(past(slow, track(1, "kitchen garden cellar cellar", start=6)), WHOLE)
    assert spoilt and spoilt[0][0].length < 10


def test_a_resolved_stretch_that_leaves_two_answers_is_gone_on_from() -> None:
    question = Question(ORDER.text, (*ORDER.choices[:2], Choice("C", "cellar, garden, attic")))
    short, near = (
        track(1, "cellar cellar cellar garden garden garden", start=50),
        track(0.2, "cellar cellar garden", start=52.2),
    )
    spans = [span for span, _ in ordering(past(short, near, question=question), WHOLE)]
    assert compatible(short.changes, question, "cellar") == ["A", "C"]
    assert spans[0].start == pytest.approx(55.5) and spans[1].end == pytest.approx(49.5)


def test_no_change_at_all_leads_to_a_much_shorter_stretch() -> None:
    spans = [span for span, _ in ordering(past(track(20, "kitchen kitchen kitchen kitchen kitchen kitchen")), WHOLE)]
    assert spans and spans[-1].length < 20


def test_without_any_item_seen_the_video_is_gone_through() -> None:
    spans = [span for span, _ in ordering(past(track(20, "- - - - - -")), WHOLE)]
    assert {(span.start, span.end) for span in spans} == {(0, 60), (60, 120)}
    assert evidence(past(track(1, " ".join("-" * 120))), WHOLE) == []


def test_the_most_is_not_settled_before_every_choice_was_met() -> None:
    question = Question(
        "Which of these costs the most?", (Choice("A", "A loaf"), Choice("B", "A cheese"), Choice("C", "A melon"))
    )

    def signs(*lines: str) -> Past:
        made = [
            Observation(Interval(n, n + 1), Modality.PICTURE, f"a white sign reads “{line}”", True, 0.9, line)
            for n, line in enumerate(lines)
        ]
        entries = tuple(Entry(f"e{n}", "query_frame", n, "", seen) for n, seen in enumerate(made, 1))
        facts = VideoFacts("0", "v.mp4", 60, 64, 64, 25.0, False, "h264")
        return Past(question, facts, Ledger(60, ("A", "B", "C"), entries), (), 4, 9)

    assert not settled(signs("LOAF 2.50 / CHEESE 7.00"))
    assert settled(signs("LOAF 2.50 / CHEESE 7.00", "MELON 9.80"))


# ------------------------------------------------------------------------------------------------ the answer
def test_the_answer_is_the_order_the_sure_changes_allow_and_cites_them() -> None:
    p = past(track(5, "kitchen kitchen garden garden cellar cellar"))
    action = predict(p).action
    assert action.arguments["answer"] == "B" and action.arguments["confidence"] == 0.7
    assert action.arguments["evidence"] == ["e2", "e3", "e4", "e5"]
    looked_into = past(track(5, "kitchen kitchen garden garden cellar cellar"), track(1, "kitchen garden", start=6))
    assert predict(looked_into).action.arguments["confidence"] == 0.9


def test_what_two_looks_met_at_one_time_is_counted_once() -> None:
    """An overview, then the same stretches closer: entries come look by look, occurrences in time."""
    question = Question("How many times is the boat shown?", tuple(Choice("ABC"[n], "246"[n]) for n in range(3)))
    coarse, fine = track(10, "- boat - - boat -"), track(4, "- - boat boat - - - - - boat boat -")
    action = predict(past(coarse, fine, question=question, duration=60)).action
    assert action.arguments["answer"] == "A", action
    assert action.arguments["confidence"] <= 0.5 and "may be missed" in action.arguments["why"], "the end was not seen"
    whole = predict(past(coarse, fine, question=question, duration=44)).action
    assert whole.arguments["confidence"] > 0.5 and "missed" not in whole.arguments["why"]


def test_refuted_readings_do_not_speak() -> None:
    p = past(track(10, "kitchen kitchen cellar cellar"), track(1, "kitchen garden garden cellar cellar", start=11))
    every = tracks(readings(p.ledger.entries, ORDER))
    assert max(scores(every, ORDER).items(), key=lambda pair: pair[1])[0] == "B"


def test_a_guess_says_so() -> None:
    arguments = predict(past(track(5, "- - -"))).action.arguments
    assert arguments["confidence"] <= 0.05 and "guess" in arguments["why"]


def test_no_rule_knows_the_set() -> None:
    """Neither colours nor squares nor the bench occur in what explores or observes by rule."""
    folder = Path(vesta_ui.__file__).parent / "exploration"
    for path in (folder / f"{name}.py" for name in ("__init__", "order", "predict", "ranges", "rules", "showing")):
        strings = [
            n.value
            for n in ast.walk(ast.parse(path.read_text()))
            if isinstance(n, ast.Constant) and isinstance(n.value, str)
        ]
        names = [n.id for n in ast.walk(ast.parse(path.read_text())) if isinstance(n, ast.Name)]
        text = " ".join((*strings, *names)).lower()
        assert not {"red", "green", "blue", "yellow", "square", "squares", "cycle"} & set(text.split()), path.name
        assert "vesta_ui.bench" not in path.read_text()
