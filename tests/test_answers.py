"""Answers in the phrasings models use: one choice or none, never a guess."""

from __future__ import annotations

import json
from pathlib import Path
from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from questions_help import THINGS

from vesta_ui.answers import parse_answer
from vesta_ui.domain import Question
from vesta_ui.question import parse_question

DATA = Path(__file__).parent / "data"
SAID = [
    (parse_question(one["question"], one["choices"]), said, label)
    for one in json.loads((DATA / "said_answers.json").read_text(encoding="utf-8"))
    for said, label in one["said"]
]
BLIND = json.loads((DATA / "model_answers.json").read_text(encoding="utf-8"))
MODEL_SAID = [
    (parse_question(one["question"], one["choices"]), said, label, bool(again))
    for one in BLIND["asked"]
    for said, label, *again in one["said"]
]


def test_the_phrasings_kept_as_data_are_many_of_both_kinds() -> None:
    assert sum(label is not None for _, _, label in SAID) >= 100
    assert sum(label is None for _, _, label in SAID) >= 100


@pytest.mark.parametrize(("question", "said", "label"), SAID, ids=[said for _, said, _ in SAID])
def test_a_phrasing_kept_as_data_is_read_as_meant(question: Question, said: str, label: str | None) -> None:
    assert parse_answer(said, question) == label


@pytest.mark.parametrize(("question", "said", "label", "again"), MODEL_SAID, ids=[said for _, said, _, _ in MODEL_SAID])
def test_a_model_answer_is_read_as_meant_or_asked_again(
    question: Question, said: str, label: str | None, again: bool
) -> None:
    assert parse_answer(said, question) == (None if again else label)


def test_few_settled_answers_are_asked_again_and_the_last_round_guessed_none() -> None:
    settled = [again for _, _, label, again in MODEL_SAID if label is not None]
    assert sum(settled) / len(settled) <= 0.1
    last = BLIND["first_try"][-1]
    assert "before the reader was run" in " ".join(BLIND["made"])
    assert last["guessed"] == 0 and last["right"] + last["unread"] == last["asked"]


COLOUR = parse_question("What colour is it?", ["red", "dark red", "blue", "green"])
COUNT = parse_question("How many hosts?", ["3", "4", "7", "12"])
TRUE = parse_question("Is it?", ["Yes", "No"])
SCENE = parse_question("What happens?", ["A man walks in", "A dog barks", "The man leaves", "None of the above"])
CAUSE = parse_question("What stops it?", ["Fog", "A storm", "An engine failure", "None of these"])
DOES = parse_question("Does he leave?", ["Yes, he does", "No, he doesn't", "Not shown"])

SETTLED = [
    (COLOUR, "C", "C"), (COLOUR, "c", "C"), (COLOUR, "(B)", "B"), (COLOUR, "**(B)**", "B"), (COLOUR, "[C]", "C"), (COLOUR, "C!", "C"),
    (COLOUR, "Ｃ", "C"), (COLOUR, "Option B", "B"), (COLOUR, "$\\boxed{C}$", "C"), (COLOUR, "B. dark red", "B"), (COLOUR, "C (blue)", "C"),
    (COLOUR, "C - blue", "C"), (COLOUR, "Dark red.", "B"), (COLOUR, "so the answer is C", "C"), (COLOUR, "Answer:\nC", "C"),
    (COLOUR, "Final answer: **C. blue**", "C"), (COLOUR, "The correct option is (D) green.", "D"), (COLOUR, "The final answer is: (c)", "C"),
    (COLOUR, "not A or B, but C", "C"), (COLOUR, "It is red, not blue", "A"), (COLOUR, "It isn't red. It is blue", "C"),
    (COLOUR, "A is wrong, B is wrong, so C", "C"), (COLOUR, "A, B, and D are incorrect. C", "C"), (COLOUR, "I choose blue over red", "C"),
    (COLOUR, "B is the right answer, as A is ruled out", "B"), (COLOUR, "C because A and B contradict the video.", "C"),
    (COLOUR, "the answer cannot be A or B. The answer is D", "D"), (COLOUR, "The answer is not A but B", "B"), (COLOUR, "The answer is C, not B", "C"),
    (COLOUR, "It could be A, but B fits better", "B"), (COLOUR, "The answer is B. Wait, actually the answer is C.", "C"),
    (COLOUR, "B, since the car is dark red", "B"), (COLOUR, "The evidence supports C", "C"), (COLOUR, "I would go with D", "D"),
    (COLOUR, "Based on the evidence, C is the best answer.", "C"), (COLOUR, "It's clearly dark red in the scene", "B"),
    (COLOUR, '{"answer": "D", "confidence": 0.9}', "D"), (COLOUR, "<think>maybe A, or the answer is A</think>B", "B"), (COLOUR, "答案是C", "C"),
    (COLOUR, "A seems right. But A is wrong. It must be D", "D"), (COLOUR, "Saying the answer is A is wrong. B fits.", "B"),
    (COLOUR, "C\n\nExplanation: A is red in the first shot, but the coat is blue.", "C"),
    (COLOUR, "The answer is most likely C", "C"),
    (COLOUR, "Between A and C, I choose C.", "C"),
    (COLOUR, 'The answer is: "C"', "C"),
    (COLOUR, "The answer's C", "C"),
    (COLOUR, "### Final Answer\nC", "C"),
    (COLOUR, "Definitely C", "C"),
    (COLOUR, "B or C? I'd go with C", "C"),
    (COUNT, "4", "B"), (COUNT, "There are four hosts", "B"), (COUNT, "The answer is 12.", "D"), (COUNT, "B) 4", "B"),
    (TRUE, "Yes, he does.", "A"), (TRUE, "Yes, there is no doubt", "A"), (TRUE, "No, it doesn't", "B"), (TRUE, "no", "B"),
    (SCENE, "A man walks in", "A"), (SCENE, "A", "A"), (SCENE, "The answer is A man walks in", "A"), (SCENE, "The answer is a dog barks", "B"),
    (SCENE, "the man leaves", "C"), (SCENE, "None of the above", "D"), (SCENE, "I think the dog barks", "B"), (SCENE, "A is the answer.", "A"),
    (CAUSE, "A) Fog\n\nHmm, that is wrong. The correct answer is B.", "B"), (CAUSE, "Answer: B\nWait, actually the answer is C", "C"),
    (CAUSE, "B\n\nActually, no: C.", "C"), (CAUSE, "The answer is B. No wait, C.", "C"), (CAUSE, "B\nWait, let me check: yes, B.", "B"),
    (CAUSE, "B\n\nA is wrong because no fog is seen.", "B"), (CAUSE, "B\nThe ship rolls in high waves.", "B"),
    (CAUSE, "B\nReason: the fog came later than the storm.", "B"), (CAUSE, "A is plausible at first.\nB", "B"),
    (CAUSE, "No fog was seen; there was a storm", "B"), (CAUSE, "There is no doubt that a storm stops it", "B"), (CAUSE, "N/A, so B", "B"),
    (CAUSE, "none of the above", "D"), (CAUSE, "The answer is none of the options", "D"), (SCENE, "None of these.", "D"),
    (CAUSE, "Choice 2", "B"), (CAUSE, "the second option", "B"), (CAUSE, "The answer is option 3.", "C"),
    (CAUSE, "My first choice: B", "B"), (CAUSE, "Option 1 is wrong, so option 2", "B"),
    (DOES, "The answer is B. No, he doesn't.", "B"), (TRUE, "The answer is B. No, he doesn't.", "B"), (TRUE, "Yes, no doubt", "A"),
]  # fmt: skip

UNSETTLED = [
    (COLOUR, ""), (COLOUR, "E"), (COLOUR, "A or B"), (COLOUR, "The answer is A or B"), (COLOUR, "red or blue"), (COLOUR, "Both A and C"), (COLOUR, "A,C"),
    (COLOUR, "ABCD"), (COLOUR, "A B C D"), (COLOUR, "none of these"), (COLOUR, "Neither A nor B"), (COLOUR, "not C"), (COLOUR, "The answer is not A."),
    (COLOUR, "I cannot tell"),
    (COLOUR, "A\nor\nB"),
    (COLOUR, "I think that A is the wrong answer"), (COLOUR, "The coat looks blue, but there is not enough evidence"), (COLOUR, "I cannot determine whether it is C"), (COLOUR, "I don't know"), (COLOUR, "All of them"), (COLOUR, "A. blue"),
    (COLOUR, "The car is blue and the house is red"), (COLOUR, "Vitamin C is mentioned"), (COLOUR, "Plan B"), (COLOUR, "A man is seen walking"),
    (COLOUR, "reddish"), (COUNT, "2"), (COUNT, "14"), (COUNT, "4.5"), (COUNT, "I see 4 of the 7 hosts"), (SCENE, "A man is seen walking"),
    (COLOUR, "<think>the answer is B"), (Question("Open?"), "A"),
    (CAUSE, "There was no fog"), (CAUSE, "N/A"), (CAUSE, "n / a"), (CAUSE, "N / A"), (CAUSE, "C is the least likely"),
    (CAUSE, "The least likely answer is C"), (CAUSE, "The least likely is:\nC"), (CAUSE, "Everything but A"), (CAUSE, "All of them but A"),
    (CAUSE, "Everything apart from A"), (CAUSE, "A\nNo, that is wrong."), (CAUSE, "A) Fog\nA storm is seen."), (CAUSE, "B\nI cannot tell"),
    (CAUSE, "2"), (CAUSE, "Option 1 or 2"), (CAUSE, "The answer is option 1 or 2"), (CAUSE, "the first or second option"), (CAUSE, "Option 7"),
    (COUNT, "Option 3"), (COUNT, "The answer is option 4"),
    (TRUE, "yes and no"), (TRUE, "yes or no"), (TRUE, "Yes and no, depending"), (TRUE, "Yes, no"), (TRUE, "No, yes"), (TRUE, "Yes\nActually, no"),
]  # fmt: skip


@pytest.mark.parametrize(("question", "said", "label"), SETTLED)
def test_an_answer_in_any_phrasing_is_one_choice(question: Question, said: str, label: str) -> None:
    assert parse_answer(said, question) == label


@pytest.mark.parametrize(("question", "said"), UNSETTLED)
def test_what_settles_on_no_choice_is_never_guessed(question: Question, said: str) -> None:
    assert parse_answer(said, question) is None


PHRASINGS = ["{l}", "({l})", "{l}.", "{l}. {t}", "**{l}**", "The answer is {l}.", "so the answer is {l}", "The answer is ({l}) {t}.",
             "Answer: {l}", "{t}", "I choose {l}.", "The correct answer is {t}.", '{{"answer": "{l}"}}', "Looking closely, it is {t}."]  # fmt: skip


@given(st.lists(st.sampled_from(THINGS), min_size=2, max_size=10, unique=True), st.data())
def test_every_phrasing_round_trips_for_every_choice(texts: list[str], data: st.DataObject) -> None:
    question = parse_question("What is it?", texts)
    choice = data.draw(st.sampled_from(question.choices))
    said = data.draw(st.sampled_from(PHRASINGS)).format(l=choice.label, t=choice.text)
    assert parse_answer(said, question) == choice.label


@given(st.text(max_size=200))
def test_any_text_gives_a_label_of_the_question_or_none(said: str) -> None:
    assert parse_answer(said, COLOUR) in (None, "A", "B", "C", "D")


@pytest.mark.parametrize("word", ["would ", "if ", "word ", "dog, "])
def test_a_long_answer_without_a_stop_is_read_in_seconds(word: str) -> None:
    started = perf_counter()
    assert parse_answer(word * 700, COLOUR) is None
    assert perf_counter() - started < 10
