"""Pasted questions in the forms people use."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from questions_help import THINGS

from vesta_ui.domain import Choice, Question
from vesta_ui.errors import BadInput
from vesta_ui.question import LABELS, parse_question

FORMS = json.loads((Path(__file__).parent / "data" / "pasted_forms.json").read_text(encoding="utf-8"))

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


@pytest.mark.parametrize("text", FORMS["apples, pears, plums"])
def test_more_forms_give_the_same_question(text: str) -> None:
    asked = parse_question(text)
    assert (asked.text, [c.text for c in asked.choices]) == ("What is sold?", ["apples", "pears", "plums"])


@pytest.mark.parametrize("text", FORMS["open"])
def test_more_that_only_looks_like_labels_stays_open(text: str) -> None:
    assert parse_question(text) == Question(text)


@pytest.mark.parametrize(("text", "stem", "choices"), FORMS["others"])
def test_text_around_the_choices_goes_where_it_belongs(text: str, stem: str, choices: list[str]) -> None:
    asked = parse_question(text)
    assert (asked.text, [c.text for c in asked.choices]) == (stem, choices)


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
        "Which is larger, f(A)x or g(B)y?",
    ],
)
def test_what_only_looks_like_a_label_stays_an_open_question(text: str) -> None:
    assert parse_question(text) == Question(text)


@pytest.mark.parametrize(
    "text",
    [
        "What is it?\nA. a rope    B. a kettle\nC. an umbrella    D. a drum",
        "What is it?\nA. a rope\tB. a kettle\nC. an umbrella\tD. a drum",
        "What is it?\nA. a rope B. a kettle\nC. an umbrella D. a drum",
        "What is it?\n(A) a rope (B) a kettle\n(C) an umbrella (D) a drum",
        "What is it?\na) a rope  b) a kettle  c) an umbrella\nd) a drum",
        "What is it?\n1. a rope  2. a kettle\n3. an umbrella  4. a drum",
        "What is it?(A)a rope(B)a kettle(C)an umbrella(D)a drum",
        "What is it?\n(A)a rope(B)a kettle\n(C)an umbrella(D)a drum",
        "What is it?（A）a rope（B）a kettle（C）an umbrella（D）a drum",
        "What is it?(a)a rope(b)a kettle(c)an umbrella(d)a drum",
    ],
)
def test_choices_in_columns_or_without_a_space_between_are_all_found(text: str) -> None:
    asked = parse_question(text)
    assert asked.text == "What is it?"
    assert [c.text for c in asked.choices] == ["a rope", "a kettle", "an umbrella", "a drum"]


def test_columns_read_downwards_are_refused_not_misread() -> None:
    with pytest.raises(BadInput, match="labelled A, C, B, D"):
        parse_question("What is it?\nA. a rope\tC. an umbrella\nB. a kettle\tD. a drum")


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
        ("Q?", ("x", "one", "One", "ONE", "X "), "Choices A and E are the same: keep one"),
        ("Q?", ("one", "One", "two", "ONE"), "Choices A, B and D are the same: keep one"),
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
def test_any_text_is_a_question_or_refused(text: str) -> None:
    try:
        asked = parse_question(text)
    except BadInput:
        return
    assert asked.text and len(asked.choices) in (0, *range(2, 11))
    assert [c.label for c in asked.choices] == list(LABELS[: len(asked.choices)])
