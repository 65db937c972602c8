"""Evidence operations: the one guard, what is sampled, what is refused, and what silence is."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given, strategies

from vesta_ui.domain import Choice, Frame, Interval, Modality, Observation, Question, Word
from vesta_ui.errors import OperationRefused
from vesta_ui.ledger import Ledger, entries_from, update
from vesta_ui.operations import OPERATIONS, guard, load
from vesta_ui.operations.arguments import ClipArguments, FinalizeArguments, InspectArguments, RetrieveArguments, checked
from vesta_ui.operations.finalize import answer_of
from vesta_ui.operations.sampling import density, examined, spread
from vesta_ui.operations.speech import NOTHING_SAID, SILENT, Speech, utterances
from vesta_ui.roles import Look, Seen
from vesta_ui.settings import Settings

QUESTION = Question("Which colour?", (Choice("A", "red"), Choice("B", "blue")))


# ------------------------------------------------------------------------------------------------ the guard
def test_intervals_inside_the_video_pass_unchanged() -> None:
    assert guard([(1, 2), (3.5, 9)], 10) == ([Interval(1, 2), Interval(3.5, 9)], [])


def test_what_reaches_out_is_clipped_and_said() -> None:
    kept, notices = guard([(-3, 2), (8, 99)], 10)
    assert kept == [Interval(0, 2), Interval(8, 10)]
    assert [n.code for n in notices] == ["interval-clipped"] * 2


@pytest.mark.parametrize("bad", [(5, 5), (6, 5), (10, 12), (-5, 0), (float("nan"), 3), (11, 9)])
def test_a_bad_interval_beside_a_good_one_is_dropped_and_said(bad: tuple[float, float]) -> None:
    kept, notices = guard([bad, (1, 2)], 10)
    assert kept == [Interval(1, 2)] and [n.code for n in notices] == ["interval-dropped"]
    with pytest.raises(OperationRefused):
        guard([bad], 10)


def test_no_interval_at_all_is_refused() -> None:
    with pytest.raises(OperationRefused, match="no interval"):
        guard([], 10)


# ------------------------------------------------------------------------------------------------ sampling
spans = strategies.lists(
    strategies.tuples(strategies.floats(0, 500), strategies.floats(0.01, 90)).map(lambda p: Interval(p[0], p[0] + p[1])),
    min_size=1, max_size=12,
)  # fmt: skip


@given(spans, strategies.integers(1, 150))
def test_samples_stay_within_budget_and_intervals_and_serve_everyone(intervals: list[Interval], budget: int) -> None:
    times = spread(intervals, budget)
    assert 1 <= len(times) <= budget
    served = intervals[:budget]
    assert all(any(one.start <= t < one.end for one in served) for t in times)
    assert all(any(one.start <= t < one.end for t in times) for one in served)


def test_longer_intervals_get_more_and_short_ones_no_more_than_they_show() -> None:
    times = spread([Interval(0, 90), Interval(100, 110)], 20)
    assert sum(t < 90 for t in times) > sum(t >= 100 for t in times) >= 1
    assert len(spread([Interval(0, 0.3)], 50)) <= 2


def test_density_is_told() -> None:
    assert density([Interval(0, 6)], 12) == "12 frames, 1 per 0.5 s"


def test_an_observation_says_which_whole_interval_was_looked_at() -> None:
    seen = Observation(Interval(4, 5), Modality.PICTURE, "a sign")
    assert examined([seen], [Interval(0, 2), Interval(3, 9)])[0].examined == Interval(3, 9)


def test_frames_stand_in_the_middle_of_equal_parts() -> None:
    assert spread([Interval(0, 10)], 2) == [2.5, 7.5]


class Looked:
    """A workspace with an observer that notes how many frames it was handed, and a film of grey pictures."""

    def __init__(self, most: int) -> None:
        self.video = self.observer = self.frames = self.control = self
        self.facts, self.settings = SimpleNamespace(duration_s=1_000.0), Settings(data_dir=Path())
        self.max_frames, self.given = most, 0

    def check(self) -> None: ...

    def frames_at(self, times: list[float], max_side: int) -> list[SimpleNamespace]:
        return [SimpleNamespace(time=t, image=np.zeros((2, 2, 3), np.uint8)) for t in times]

    def add(self, image: object, time: float) -> Frame:
        return Frame(time, 2, 2, "0" * 64)

    def inspect(self, looks: list[Look], *_: object) -> Seen:
        self.given = len(looks)
        return Seen(())

    judge = inspect


@pytest.mark.parametrize(
    ("operation", "arguments", "most", "frames"),
    [
        ("inspect", {"intervals": [[0, 500]]}, 900, 150),
        ("inspect", {"intervals": [[0, 500]]}, 8, 8),
        ("inspect", {"intervals": [[0, 2]]}, 900, 10),
        ("clip", {"interval": [0, 500], "question": "what?"}, 900, 50),
        ("clip", {"interval": [0, 1], "question": "what?"}, 900, 25),
    ],
)
def test_the_paper_s_limits_and_how_close_frames_lie(
    operation: str, arguments: dict[str, Any], most: int, frames: int
) -> None:
    """VESTA §B.1: 150 frames an inspection, 50 a clip; a clip may look at every frame of a moment."""
    workspace = Looked(most)
    result = load(operation).run(arguments, 1, QUESTION, cast(Any, workspace))
    assert (workspace.given, len(result.frames)) == (frames, frames)
    assert f"{frames} frames, 1 per" in result.output


def test_more_intervals_than_frames_are_left_out_and_said() -> None:
    result = load("inspect").run({"intervals": [[n, n + 1] for n in range(5)]}, 1, QUESTION, cast(Any, Looked(3)))
    assert [n.message for n in result.notices] == ["only the first 3 of 5 intervals were looked at"]


# ------------------------------------------------------------------------------------------------ arguments
@pytest.mark.parametrize(
    ("schema", "arguments", "says"),
    [
        (InspectArguments, {"intervals": []}, "intervals"),
        (InspectArguments, {"intervals": [[1]]}, "intervals"),
        (InspectArguments, {"intervals": [[n, n + 1] for n in range(13)]}, "intervals"),
        (InspectArguments, {"intervals": [[1, 2]], "frames": 9}, "frames"),
        (ClipArguments, {"interval": [1, 2], "question": ""}, "question"),
        (RetrieveArguments, {"query": "x", "k": 0}, "k"),
        (RetrieveArguments, {"query": "x", "k": 16}, "k"),
        (RetrieveArguments, {}, "query"),
        (FinalizeArguments, {"answer": "A", "confidence": 1.2}, "confidence"),
        (FinalizeArguments, {"answer": "A", "confidence": -0.1}, "confidence"),
    ],
)
def test_arguments_that_do_not_fit_are_refused_by_name(schema: Any, arguments: dict[str, Any], says: str) -> None:
    with pytest.raises(OperationRefused, match=says):
        checked(schema, arguments)


@pytest.mark.parametrize("name", OPERATIONS)
def test_every_operation_says_what_it_does_and_takes(name: str) -> None:
    operation = load(name)
    assert operation.name == name and operation.summary.endswith(".")
    assert operation.arguments.model_json_schema()["properties"]


# ------------------------------------------------------------------------------------------------ finalize
def ledger() -> Ledger:
    empty = Ledger(60.0, ("A", "B"))
    seen = Observation(Interval(4, 5), Modality.PICTURE, "a blue sign")
    return update(empty, entries_from(empty, "inspect", 1, "", [seen]))


def test_an_answer_rests_on_entries_that_exist_each_once() -> None:
    answer = answer_of({"answer": "(B)", "evidence": ["e1", "e9", "e1"], "confidence": 0.7}, QUESTION, ledger())
    assert (answer.label, answer.text) == ("B", "blue")
    assert [(e.entry_id, e.start, e.end, e.why) for e in answer.evidence] == [("e1", 4, 5, "a blue sign")]


@pytest.mark.parametrize("given_answer", ["green", "A or B", ""])
def test_an_answer_that_names_no_single_choice_is_refused_not_guessed(given_answer: str) -> None:
    with pytest.raises(OperationRefused, match="answer with one of A, B"):
        answer_of({"answer": given_answer, "evidence": [], "confidence": 0.5}, QUESTION, ledger())


def test_an_open_answer_is_taken_as_it_is() -> None:
    answer = answer_of({"answer": " 1840 metres ", "confidence": 1}, Question("How high?"), ledger())
    assert (answer.label, answer.text, answer.evidence) == (None, "1840 metres", ())


# ------------------------------------------------------------------------------------------------ speech
class Heard:
    """A workspace whose index says these words."""

    def __init__(self, words: list[Word], status: str = "ok") -> None:
        self.words_said, self.transcript = words, type("T", (), {"status": status})()
        self.video = type("V", (), {"facts": type("F", (), {"duration_s": 60.0})()})()
        self.index, self.control = self, None

    def hear(self, interval: Interval, control: object) -> tuple[Word, ...]:
        return self.words(interval)

    def words(self, interval: Interval) -> tuple[Word, ...]:
        return tuple(w for w in self.words_said if interval.start <= (w.start + w.end) / 2 < interval.end)


def listen(words: list[Word], *intervals: list[float], status: str = "ok") -> tuple[Observation, ...]:
    workspace = cast(Any, Heard(words, status))
    return Speech().run({"intervals": list(intervals)}, 1, QUESTION, workspace).observations


def test_speech_is_quoted_with_the_times_of_its_words() -> None:
    words = [Word(3, 3.4, "It"), Word(3.4, 3.6, "is"), Word(3.6, 4, "blue."), Word(9, 9.5, "Yes.")]
    heard = listen(words, [0, 10])
    assert [(o.content, o.interval) for o in heard] == [
        ("“It is blue.”", Interval(3, 4)), ("“Yes.”", Interval(9, 9.5)),
    ]  # fmt: skip
    assert all(o.examined == Interval(0, 10) and o.modality is Modality.SPEECH for o in heard)
    assert any(s.label == "B" and s.supports for s in heard[0].stances)


def test_a_pause_ends_a_sentence_without_a_full_stop() -> None:
    words = [Word(0, 0.5, "one"), Word(0.6, 1, "two"), Word(2.5, 3, "three")]
    assert [[w.text for w in said] for said in utterances(words)] == [["one", "two"], ["three"]]


def test_a_silent_stretch_is_heard_but_says_nothing_for_or_against() -> None:
    (one,) = listen([Word(3, 4, "Hello.")], [20, 30])
    assert (one.content, one.verdict, one.confidence, one.stances) == (NOTHING_SAID, None, None, ())


@pytest.mark.parametrize("status", SILENT)
def test_where_there_is_nothing_to_hear_listening_is_refused_with_the_reason(status: str) -> None:
    with pytest.raises(OperationRefused, match=status):
        listen([], [0, 10], status=status)


def spoken_words(*gaps: float) -> list[Word]:
    """Words of 0.4 s, each after its silence."""
    at, said = 0.0, []
    for n, gap in enumerate(gaps):
        at += gap
        said.append(Word(at, at + 0.4, f"w{n}"))
        at += 0.4
    return said


def test_a_long_utterance_without_full_stops_is_parted_at_its_longest_breath() -> None:
    gaps = [0.1] * 60
    gaps[20], gaps[45] = 0.6, 0.5
    assert [len(said) for said in utterances(spoken_words(*gaps))] == [20, 25, 15]


def test_speech_without_a_breath_and_short_speech_stay_whole() -> None:
    assert [len(said) for said in utterances(spoken_words(*[0.1] * 60))] == [60]
    assert [len(said) for said in utterances(spoken_words(0, 0.1, 0.6, 0.1))] == [4]
