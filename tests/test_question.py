"""Pasted questions in the forms people use; answers in the phrasings models use; never a guess."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vesta_ui.domain import Choice, Question
from vesta_ui.errors import BadInput
from vesta_ui.question import LABELS, parse_answer, parse_question

COLOURS = ("red", "blue", "green")

PASTED = [
    "What colour is it?\nA. red\nB. blue\nC. green",
    "What colour is it?\n(A) red\n(B) blue\n(C) green",
    "What colour is it?\na) red\nb) blue\nc) green",
    "What colour is it?\n1. red\n2. blue\n3. green",
    "What colour is it?\n(1) red\n(2) blue\n(3) green",
    "What colour is it? A. red B. blue C. green",
    "What colour is it? (A) red, (B) blue, (C) green",
    "What colour is it? A: red; B: blue; C: green",
    "What colour is it? 1) red 2) blue 3) green",
    "What colour is it? ① red ② blue ③ green",
    "What colour is it?\nＡ．red\nＢ．blue\nＣ．green",
    "What colour is it? A、red B、blue C、green",
    "What colour is it?\r\n  A)  red \r\n\r\n  B)  blue\r\n  C)  green\r\n",
    "What colour is it?\n**A.** red\n**B.** blue\n**C.** green",
    "What colour is it?\n- A. red\n- B. blue\n- C. green",
    "What colour is it?\nOption A: red\nOption B: blue\nOption C: green",
    "What colour is it?\n[A] red\n[B] blue\n[C] green",
    "What colour is it?\nA - red\nB - blue\nC - green",
    "What colour is it?\n- red\n- blue\n- green",
    "What colour is it?\nOptions:\nred\nblue\ngreen",
    "Question: What colour is it?\nChoices:\nA. red\nB. blue\nC. green",
    "Q1. What colour is it?\nA. red\nB. blue\nC. green\nAnswer with the option's letter from the given choices directly.",
    "What colour is it?\nA) red, B) blue, or C) green",
    "What colour is it? A) red, B) blue, and C) green",
    "What colour is it?\nA) red, or\nB) blue, or\nC) green\nAnswer:",
    "What colour is it?\nA) red\nB) blue\nC) green\n\n**Your answer:**",
    "Q: What colour is it? Choices: A) red; B) blue; C) green",
    "Question: What colour is it? Options: A. red B. blue C. green",
    "What colour is it? (i) red (ii) blue (iii) green",
    "What colour is it?\n(i) red\n(ii) blue\n(iii) green",
    "What colour is it? Ⓐ red Ⓑ blue Ⓒ green",
    "Select the best answer to the following multiple-choice question based on the video.\nWhat colour is it?\n"
    "A. red\nB. blue\nC. green\nThe best answer is:",
]


@pytest.mark.parametrize("text", PASTED)
def test_every_pasted_form_gives_the_same_question(text: str) -> None:
    asked = parse_question(text)
    assert asked.text == "What colour is it?"
    assert [(c.label, c.text) for c in asked.choices] == list(zip("ABC", COLOURS, strict=True))


@pytest.mark.parametrize(
    "text",
    [
        "What is written on the sign?",
        "What does vitamin B. do?",
        "Compare (a) the dog and (b) the cat",
        "What happens at 1. 30?",
        "A. Lincoln is shown in which scene?",
        "Is it 3?",
        "Compare (i) the dog and (ii) the cat",
        "What are the options:",
    ],
)
def test_what_only_looks_like_a_label_stays_an_open_question(text: str) -> None:
    assert parse_question(text) == Question(text)


def test_numbered_statements_belong_to_the_question() -> None:
    asked = parse_question("1. a bell rings 2. a gate opens. In which order?\nA. 1-2\nB. 2-1")
    assert asked.text == "1. a bell rings 2. a gate opens. In which order?"
    assert [c.text for c in asked.choices] == ["1-2", "2-1"]


def test_roman_statements_stay_as_written_beside_lettered_choices() -> None:
    asked = parse_question("(i) a bell rings (ii) a gate opens. In which order?\nA. (i)(ii)\nB. (ii)(i)")
    assert asked.text == "(i) a bell rings (ii) a gate opens. In which order?"
    assert [c.text for c in asked.choices] == ["(i)(ii)", "(ii)(i)"]


def test_a_choice_may_be_or_or_and() -> None:
    assert [c.text for c in parse_question("Which word? A. and B. or C. but").choices] == ["and", "or", "but"]


def test_full_width_text_without_spaces() -> None:
    asked = parse_question("它是什么颜色？（Ａ）红（Ｂ）蓝（Ｃ）绿")
    assert (asked.text, [c.text for c in asked.choices]) == ("它是什么颜色?", ["红", "蓝", "绿"])


def test_a_choice_may_run_over_lines_and_hold_other_labels() -> None:
    asked = parse_question("Which?\nA. vitamin\n   (B) or C\nB. (1)(2)(3)")
    assert [c.text for c in asked.choices] == ["vitamin (B) or C", "(1)(2)(3)"]


def test_choices_given_apart_lose_labels_only_if_all_carry_them() -> None:
    assert [c.text for c in parse_question("Q?", ["A. one", "B. two"]).choices] == ["one", "two"]
    assert [c.text for c in parse_question("Q?", ["1.5", "2.5"]).choices] == ["1.5", "2.5"]
    assert [c.text for c in parse_question("Q?", ["A. Lincoln", "G. Washington"]).choices] == [
        "A. Lincoln",
        "G. Washington",
    ]


def test_ten_choices_are_read_and_eleven_refused() -> None:
    lines = [f"{label}. thing {n}" for n, label in enumerate("ABCDEFGHIJK")]
    assert [c.label for c in parse_question("\n".join(["Q?", *lines[:10]])).choices] == list(LABELS)
    with pytest.raises(BadInput, match="11 choices: give 2 to 10"):
        parse_question("\n".join(["Q?", *lines]))


@pytest.mark.parametrize(
    ("text", "choices", "says"),
    [
        ("", (), "question is empty"),
        (" \n\t", (), "question is empty"),
        ("A. red\nB. blue", (), "write it before the choices"),
        ("Q?", ("one",), "only one choice"),
        ("Q?", ("one", " "), "Choice B is empty"),
        ("Q?", ("one", "two", "ONE"), "Choices A and C are the same"),
        ("Q?\nA. one\nB. two\nD. four", (), "labelled A, B, D"),
        ("Q?\nA. one\nB. two\nB. three", (), "labelled A, B, B"),
        ("Q?\nA. one\nC. three", (), "labelled A, C"),
        ("x" * 30_000, (), "30,000 characters long"),
    ],
)
def test_what_cannot_be_used_is_refused_in_one_sentence(text: str, choices: tuple[str, ...], says: str) -> None:
    with pytest.raises(BadInput, match=says) as refused:
        parse_question(text, choices)
    assert "\n" not in str(refused.value)


COLOUR = parse_question("What colour is it?", ["red", "dark red", "blue", "green"])
COUNT = parse_question("How many?", ["3", "4", "7", "12"])
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
    (CAUSE, "No fog was seen; there was a storm", "B"), (CAUSE, "There is no doubt that a storm hits", "B"), (CAUSE, "N/A, so B", "B"),
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
THINGS = [
    "a red kite",
    "the old bridge",
    "two horses",
    "a tall ship",
    "the market",
    "a violin",
    "an oak tree",
    "snow",
    "the lighthouse",
    "a map",
]


@given(st.lists(st.sampled_from(THINGS), min_size=2, max_size=10, unique=True), st.data())
def test_every_phrasing_round_trips_for_every_choice(texts: list[str], data: st.DataObject) -> None:
    question = parse_question("What is it?", texts)
    choice = data.draw(st.sampled_from(question.choices))
    said = data.draw(st.sampled_from(PHRASINGS)).format(l=choice.label, t=choice.text)
    assert parse_answer(said, question) == choice.label


@given(
    st.lists(st.sampled_from(THINGS), min_size=2, max_size=10, unique=True),
    st.sampled_from(["{l}. {t}", "({l}) {t}", "{l}) {t}"]),
)
def test_a_written_out_question_is_read_back(texts: list[str], form: str) -> None:
    choices = tuple(Choice(LABELS[n], text) for n, text in enumerate(texts))
    lines = [form.format(l=c.label, t=c.text) for c in choices]
    assert parse_question("\n".join(["What is it?", *lines])).choices == choices
    assert parse_question(" ".join(["What is it?", *lines])).choices == choices


@given(st.text(max_size=200))
def test_any_text_gives_a_label_of_the_question_or_none(said: str) -> None:
    assert parse_answer(said, COLOUR) in (None, "A", "B", "C", "D")


@given(st.text(max_size=200))
def test_any_text_is_a_question_or_refused(text: str) -> None:
    try:
        asked = parse_question(text)
    except BadInput:
        return
    assert asked.text and len(asked.choices) in (0, *range(2, 11))
    assert [c.label for c in asked.choices] == list(LABELS[: len(asked.choices)])
