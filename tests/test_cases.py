"""Cases: kept, found, annotated and judged."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_driver import FACTS, QUESTION

from vesta_ui.domain import Answer, Evidence, Interval
from vesta_ui.errors import BadInput
from vesta_ui.runs.cases import Case, Cases, Note, annotate, evidence_iou, is_right, new

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
    two = case(tags=("stage",))
    cases.save(one)
    cases.save(two)
    assert cases.find("harbour colour") == [one]
    assert cases.find("STAGE") == [two]
    assert cases.find(label="hallucinated") == [one]
    assert cases.find(video="f" * 64) == []


@pytest.mark.parametrize(
    ("note", "says"),
    [(Note("x", "so-so"), "unknown label"), (Note("x", run_id="other"), "not part"), (Note("  "), "empty note")],
)
def test_a_note_that_makes_no_sense_is_refused(note: Note, says: str) -> None:
    with pytest.raises(BadInput, match=says):
        annotate(case(), note)


@pytest.mark.parametrize("bad", ["../x", "", "20261130-101010-abcdef"])
def test_only_known_case_ids_open_cases(tmp_path: Path, bad: str) -> None:
    with pytest.raises(BadInput):
        Cases(tmp_path).get(bad)


def test_evidence_is_measured_against_the_gold_interval() -> None:
    answer = Answer("B", "blue", 0.9, (Evidence(0, 10, "e1", ""), Evidence(5, 15, "e2", "")))
    assert evidence_iou(answer, [Interval(10, 20)]) == pytest.approx(5 / 20)
    assert evidence_iou(answer, [Interval(0, 15)]) == pytest.approx(1)
    assert evidence_iou(answer, []) == 0


def test_right_is_known_only_with_a_gold_answer() -> None:
    answer = Answer("B", "blue", 0.9)
    assert is_right(case(), answer) is None
    assert is_right(case(gold="B"), answer) is True
    assert is_right(case(gold="A"), answer) is False
    assert is_right(case(gold="A"), None) is False
