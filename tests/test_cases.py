"""Cases: kept, found, annotated and judged."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_driver import FACTS, QUESTION

from vesta_ui.domain import Answer, Evidence, Interval, Question
from vesta_ui.errors import BadInput
from vesta_ui.runs.cases import Case, Cases, Note, annotate, evidence_iou, new, same_words, verdict, with_verdict
from vesta_ui.ui import study

RUN = "20261130-101010-abcdef"


def case(**changes: object) -> Case:
    made = new(QUESTION, FACTS, [RUN])
    return Case(**({name: getattr(made, name) for name in Case.__slots__} | changes))  # type: ignore[arg-type]


def test_a_case_comes_back_as_it_was_saved(tmp_path: Path) -> None:
    kept = annotate(
        case(gold="B", gold_intervals=(Interval(1, 2),)), Note("looked “away” <b>", "missed evidence", RUN, 2)
    )
    cases = Cases(tmp_path)
    cases.save(kept)
    assert cases.get(kept.id) == kept
    assert list(cases.all()) == [kept]
    cases.delete(kept.id)
    assert list(cases.all()) == []


def test_cases_are_found_by_words_label_and_video(tmp_path: Path) -> None:
    cases = Cases(tmp_path)
    one = annotate(case(), Note("the harbour", "hallucinated"))
    two = annotate(case(), Note("on the stage"))
    cases.save(one)
    cases.save(two)
    assert cases.find("harbour colour") == [one]
    assert cases.find("STAGE") == [two]
    assert cases.find("HALLUC") == [one]
    assert cases.find(label="hallucinated") == [one]
    assert cases.find(video="f" * 64) == []
    assert cases.find("stage", video="A.MP") == cases.find("stage", video="0" * 64) == [two]
    with pytest.raises(BadInput, match="unknown label"):
        cases.find(label="so-so")
    assert cases.of([RUN]) is None, "neither has a gold answer"
    cases.save(gold := case(gold="B"))
    assert cases.of(["other", RUN]) == gold and cases.of(["other"]) is None


@pytest.mark.parametrize(
    ("note", "says"),
    [
        (Note("x", "so-so"), "unknown label"),
        (Note("x", run_id="other"), "not part"),
        (Note("  "), "empty note"),
        (Note("x", step=2), "which run"),
        (Note("x", run_id=RUN, step=0), "no step 0"),
        (Note("x", run_id=RUN, step=5), "that run has 4"),
        (Note("x", interval=Interval(50, 900)), "outside the video"),
    ],
)
def test_a_note_that_makes_no_sense_is_refused(note: Note, says: str) -> None:
    with pytest.raises(BadInput, match=says):
        annotate(case(), note, 4)


@pytest.mark.parametrize("bad", ["../x", "", "20261130-101010-abcdef"])
def test_only_known_case_ids_open_cases(tmp_path: Path, bad: str) -> None:
    with pytest.raises(BadInput):
        Cases(tmp_path).get(bad)


def test_evidence_is_measured_against_the_gold_interval() -> None:
    answer = Answer("B", "blue", 0.9, (Evidence(0, 10, "e1", ""), Evidence(5, 15, "e2", "")))
    assert evidence_iou(answer, [Interval(10, 20)]) == pytest.approx(5 / 20)
    assert evidence_iou(answer, [Interval(0, 15)]) == pytest.approx(1)
    assert evidence_iou(answer, []) == 0


def test_a_verdict_is_known_only_with_a_gold_answer() -> None:
    answer = Answer("B", "blue", 0.9)
    assert verdict(case(), RUN, answer) == ""
    assert verdict(case(gold="B"), RUN, answer) == "right"
    assert verdict(case(gold="A"), RUN, answer) == "wrong"
    assert verdict(case(gold="A"), RUN, None) == "wrong"


def test_the_users_own_verdict_stands_above_the_comparison_and_can_be_taken_back() -> None:
    answer, judged = Answer("B", "blue", 0.9), with_verdict(case(gold="A"), RUN, "partly")
    assert verdict(judged, RUN, answer) == "partly"
    assert verdict(with_verdict(judged, RUN, ""), RUN, answer) == "wrong"
    for run_id, said in (("20261130-101010-000000", "right"), (RUN, "so-so")):
        with pytest.raises(BadInput):
            with_verdict(judged, run_id, said)


@pytest.mark.parametrize(
    ("said", "gold", "same"),
    [
        ("A blue boat.", "the Blue Boat", True),
        ("five", "5", True),
        ("It happens 5 times", "five times", True),
        ("1,840 metres", "1840", True),
        ("£6.50", "6.5", True),
        ("half past nine", "9:30", True),
        ("an 电影", "电影", True),
        ("six", "5", False),
        ("It is not fog", "fog", None),
        ("tea or coffee", "tea", None),
        ("the dog bites the man", "the man bites the dog", None),
        ("5 boats", "5 cars", None),
        ("2 of 5", "5", None),
        ("a storm", "fog", None),
        ("", "fog", None),
    ],
)
def test_open_answers_are_compared_by_their_words_and_doubt_is_left_to_the_user(
    said: str, gold: str, same: bool | None
) -> None:
    assert same_words(said, gold) is same
    open_case = case(gold=gold, question=Question("What?"))
    assert verdict(open_case, RUN, Answer(None, said, 0.5)) == {True: "right", False: "wrong", None: ""}[same]


def test_a_runs_marks_are_the_notes_on_it_and_on_the_video_it_was_asked_about(tmp_path: Path) -> None:
    cases, other = Cases(tmp_path), "20261130-101010-000000"
    kept = case(runs=(RUN, other))
    for note in (
        Note("step", run_id=RUN, step=2),
        Note("place", interval=Interval(3, 9)),
        Note("whole case"),
        Note("theirs", run_id=other, interval=Interval(3, 9)),
    ):
        kept = annotate(kept, note)
    cases.save(kept)
    marks = study.case_list(cases, {"run": RUN})["marks"]
    assert [(mark["text"], mark["step"], mark["at"]) for mark in marks] == [("step", 2, None), ("place", None, [3, 9])]
