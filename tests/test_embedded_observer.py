"""The embedded Observer on drawn frames: signs, numbers, states, vivid things, motion; and the one text matcher."""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from vesta_ui import perception
from vesta_ui.control import Control
from vesta_ui.domain import Choice, Interval, Modality, Observation, Question
from vesta_ui.errors import Stopped
from vesta_ui.roles import Look
from vesta_ui.roles.embedded import EmbeddedObserver, signs
from vesta_ui.roles.embedded.reading import read
from vesta_ui.roles.embedded.words import readings, stem, tokens

Image = NDArray[np.uint8]
NONE = Question("What is shown?")


def ask(text: str, *choices: str) -> Question:
    return Question(text, tuple(Choice("ABCDEFGHIJ"[n], c) for n, c in enumerate(choices)))


def canvas(colour: tuple[int, int, int] = (128, 128, 128)) -> Image:
    return np.full((360, 640, 3), colour, np.uint8)


def sign(image: Image, x: int, y: int, *rows: str, ground: tuple[int, int, int] = (20, 50, 170)) -> Image:
    cv2.rectangle(image, (x, y), (x + 270, y + 45 * len(rows) + 15), ground, -1)
    for n, row in enumerate(rows):
        cv2.putText(image, row, (x + 12, y + 42 + 45 * n), cv2.FONT_HERSHEY_SIMPLEX, 1.1, (255, 255, 255), 3)
    return image


def inspect(frames: list[Image], question: Question = NONE, every: float = 1.0, focus: str = "") -> list[Observation]:
    looks = [Look((n + 0.5) * every, frame) for n, frame in enumerate(frames)]
    return list(
        EmbeddedObserver().inspect(looks, [Interval(0, len(frames) * every)], focus, question, Control()).observations
    )


# ------------------------------------------------------------------------------------------------ signs
def test_a_sign_is_read_with_its_colour_and_place() -> None:
    (seen,) = inspect([sign(canvas(), 20, 20, "NORTH GATE")])
    assert seen.text == "NORTH GATE" and seen.modality is Modality.PICTURE
    assert "blue sign at the top left reads “NORTH GATE”" in seen.content
    assert seen.event == "north gate" and seen.examined == Interval(0, 1)


def test_a_sign_that_stays_is_one_observation_over_its_time_and_a_new_one_another() -> None:
    first, second = sign(canvas(), 20, 20, "NORTH GATE"), sign(canvas(), 300, 200, "TEA ROOM")
    seen = inspect([first, first, second, second])
    assert [(o.text, o.interval) for o in seen] == [("NORTH GATE", Interval(0, 2)), ("TEA ROOM", Interval(2, 4))]


def test_two_signs_in_one_picture_are_told_apart() -> None:
    (seen,) = inspect([sign(sign(canvas(), 20, 20, "NORTH GATE"), 340, 250, "TEA ROOM", ground=(170, 30, 30))])
    assert "blue sign at the top left reads “NORTH GATE”" in seen.content
    assert "red sign at the bottom right reads “TEA ROOM”" in seen.content


def test_numbers_on_a_sign_carry_what_they_count() -> None:
    seen = inspect([sign(canvas(), 20, 20, "PLUMS 3.20", "PEARS 2.80")])
    found = {(o.number_of, o.number) for o in seen if o.number is not None}
    assert found == {("plums", 3.2), ("pears", 2.8)}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("SOUP 4 EURO / BREAD 2 EURO", [(4, "soup"), (2, "bread")]),
        ("BOAT HIRE / ONE HOUR 15.00", [(15, "boat hire one hour")]),
        ("TICKETS / ADULT €9", [(9, "tickets adult")]),
        ("PLUMS 3.20", [(3.2, "plums")]),
        ("ROOM 12 / OPEN 9 TO 5", [(12, "room"), (9, "open"), (5, "open")]),
        ("LAST BUS 7:45", [(7.75, "last bus, hour of the day")]),
        ("BUILT IN 1931", [(1931, "built")]),
    ],
)
def test_a_number_on_a_sign_is_told_with_what_it_belongs_to(text: str, found: list[tuple[float, str]]) -> None:
    read = signs.numbers([signs.Sign(text, "white", "in the centre", (0, 0, 10, 10))])
    assert [(value, of) for value, of, _ in read] == found


def test_a_state_on_a_sign_is_thing_and_value() -> None:
    (seen,) = inspect([sign(canvas(), 20, 20, "KIOSK CLOSED")])
    assert seen.state == "kiosk: closed"


@pytest.mark.parametrize(
    ("text", "state"),
    [
        ("RIGHT PATH / CLOSED", "right path: closed"),
        ("CLOSED / RIGHT PATH", "right path: closed"),
        ("LIFT OPEN NOW", "lift now: open"),
        ("FROM PIER TO PEAK / A DAY ON FOOT", ""),
        ("HANDS OFF THE RAIL", ""),
        ("OPEN AIR THEATRE", ""),
    ],
)
def test_only_a_state_at_the_end_of_its_row_is_one(text: str, state: str) -> None:
    assert signs.state([signs.Sign(text, "white", "in the centre", (0, 0, 10, 10))]) == state


def test_the_same_picture_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = 0
    real: Callable[..., list[perception.TextBox]] = perception.read_text

    def counted(image: Image, max_side: int = 640) -> list[perception.TextBox]:
        nonlocal calls
        calls += 1
        return real(image, max_side)

    monkeypatch.setattr(perception, "read_text", counted)
    frame = sign(canvas(), 20, 20, "NORTH GATE")
    observer = EmbeddedObserver()
    for _ in range(2):
        observer.inspect(
            [Look(0.5, frame, "a" * 64), Look(1.5, frame, "b" * 64)], [Interval(0, 2)], "", NONE, Control()
        )
    assert calls == 1


def test_another_observer_in_this_process_does_not_read_a_stored_picture_again(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = Look(0.5, sign(canvas(), 20, 20, "SOUTH GATE"), "c" * 64)
    first = EmbeddedObserver().inspect([frame], [Interval(0, 1)], "", NONE, Control()).observations
    monkeypatch.setattr(perception, "read_text", lambda *_: pytest.fail("read again"))
    assert EmbeddedObserver().inspect([frame], [Interval(0, 1)], "", NONE, Control()).observations == first
    other = sign(canvas(), 20, 20, "OTHER GATE")
    with pytest.raises(pytest.fail.Exception):
        EmbeddedObserver().inspect([Look(0.5, other, "d" * 64)], [Interval(0, 1)], "", NONE, Control())


# ------------------------------------------------------------------------------------------------ the sentences
def test_beside_a_sign_colours_and_patches_are_told_only_when_asked_about() -> None:
    image = sign(canvas((60, 120, 60)), 20, 20, "NORTH GATE")
    cv2.circle(image, (500, 260), 50, (220, 30, 30), -1)
    (plain,) = inspect([image], ask("Which gate is shown?", "North", "South"))
    assert plain.content == "a blue sign at the top left reads “NORTH GATE”"
    (asked,) = inspect([image], ask("How often is the red balloon seen?"))
    assert "a red circle at the bottom right" in asked.content
    (named,) = inspect([image], ask("How often is the Red Balloon Inn shown?"))
    assert "circle" not in named.content
    (colour,) = inspect([image], ask("What colour is the lawn?"))
    assert "mostly" in colour.content
    (bare,) = inspect([canvas((60, 120, 60))], ask("Which gate is shown?"))
    assert bare.content == "the picture is mostly green"


def test_sentences_are_short_and_keep_what_bears_on_the_question() -> None:
    rows = tuple(f"DISH {n} {n}.50" for n in range(1, 7))
    image = sign(canvas(), 20, 20, *rows)
    (seen,) = [o for o in inspect([image], ask("What does dish 5 cost?", "5.50", "6.50")) if o.text]
    assert "DISH 5 5.50" in seen.content and len(seen.content.split()) <= 28
    assert all(row.split()[-1] in seen.text for row in rows)


def test_things_alike_are_told_together_with_the_right_article() -> None:
    image = canvas()
    for x in (80, 560):
        cv2.circle(image, (x, 60), 40, (250, 140, 20), -1)
    (seen,) = inspect([image], ask("Which orange things are shown?"))
    assert seen.content.startswith("an orange circle at the top ") and " and at the top " in seen.content


# ------------------------------------------------------------------------------------------------ colour, form, motion
def test_a_vivid_thing_is_named_by_colour_and_form() -> None:
    image = canvas()
    cv2.circle(image, (320, 180), 50, (220, 30, 30), -1)
    (seen,) = inspect([image])
    assert "a red circle in the centre" in seen.content and seen.text == ""


def test_a_square_on_white_is_seen() -> None:
    image = canvas((255, 255, 255))
    cv2.rectangle(image, (290, 150), (350, 210), (30, 60, 220), -1)
    (seen,) = inspect([image])
    assert "a blue square in the centre" in seen.content


def test_a_moving_thing_moves_and_a_still_one_does_not() -> None:
    def at(x: int) -> Image:
        image = canvas()
        cv2.circle(image, (x, 180), 40, (240, 200, 20), -1)
        return image

    moving = " ".join(o.content for o in inspect([at(100), at(250), at(400), at(550)]))
    assert "the yellow circle moves left to right" in moving
    assert "moves" not in " ".join(o.content for o in inspect([at(300)] * 4))


def test_looks_far_apart_are_not_motion() -> None:
    frames = [canvas(), canvas()]
    for image, x in zip(frames, (100, 550), strict=True):
        cv2.circle(image, (x, 180), 40, (240, 200, 20), -1)
    assert "moves" not in " ".join(o.content for o in inspect(frames, every=20.0))


def test_a_look_does_not_speak_for_a_long_interval() -> None:
    (seen,) = inspect([sign(canvas(), 20, 20, "NORTH GATE")], every=60.0)
    assert seen.interval.length <= 10 and seen.examined == Interval(0, 60)


# ------------------------------------------------------------------------------------------------ judging
def test_a_clip_question_is_answered_yes_no_or_not_at_all() -> None:
    looks = [Look(0.5, sign(canvas(), 20, 20, "TEA ROOM", "CAKES 4.50"))]
    judge = EmbeddedObserver().judge
    met = judge(looks, Interval(0, 1), "Is there a sign with cakes?", NONE, Control()).observations
    assert any(o.verdict is True and (o.confidence or 0) >= 0.6 for o in met)
    missed = judge(looks, Interval(0, 1), "Does a giraffe drink?", NONE, Control()).observations
    assert not any(o.verdict is True for o in missed)


def test_a_clip_says_no_only_where_another_choice_is_met() -> None:
    question = ask("Which room is it?", "Tea room", "Music room")
    sub = "Is it “Music room”? Which room is it?"
    judge = EmbeddedObserver().judge
    (other,) = judge(
        [Look(0.5, sign(canvas(), 20, 20, "TEA ROOM"))], Interval(0, 1), sub, question, Control()
    ).observations
    assert other.verdict is False
    (blank,) = judge([Look(0.5, canvas())], Interval(0, 1), sub, question, Control()).observations
    assert blank.verdict is None


def test_no_frames_is_no_observation() -> None:
    assert EmbeddedObserver().judge([], Interval(0, 1), "What?", NONE, Control()).observations == ()


def test_stop_is_heard_between_frames() -> None:
    control = Control()
    control.stop()
    with pytest.raises(Stopped):
        EmbeddedObserver().inspect([Look(0.5, canvas())], [Interval(0, 1)], "", NONE, control)


# ------------------------------------------------------------------------------------------------ the matcher
def test_a_text_supports_the_choice_it_states() -> None:
    question = ask("Which fruit is sold at the gate?", "Plums", "Pears", "Melons")
    stances = {s.label: s.supports for s in read("At the gate an old man sells plums.", question).stances}
    assert stances == {"A": True}


def test_a_text_refutes_the_choice_it_denies() -> None:
    question = ask("Why was the gate closed?", "A storm", "A festival")
    stances = {s.label: s.supports for s in read("The gate was not closed for a festival.", question).stances}
    assert stances == {"B": False}


def test_another_number_of_the_same_thing_refutes() -> None:
    question = ask("How many sheep are in the field?", "12", "15")
    stances = {s.label: s.supports for s in read("There are fifteen sheep in the field.", question).stances}
    assert stances == {"A": False, "B": True}
    assert read("There are fifteen sheep in the field.", question).number == 15


def test_a_query_is_met_missed_or_open() -> None:
    question = ask("Where does the blue tram stop?")
    assert read("The blue tram stops at the theatre.", question).verdict is True
    assert read("Bread is baked at night.", question).verdict is False


def test_what_is_counted_is_an_event() -> None:
    question = ask("How many times does the blue tram pass?", "1", "2")
    assert (
        read("A blue tram comes along.", question).event == read("There is the blue tram again.", question).event != ""
    )
    assert read("A bus comes along.", question).event == ""


def test_numbers_in_words_and_figures() -> None:
    text = "Twenty-one geese, two hundred and five ducks, 4,200 ants, £3.50, half past nine, 4 pounds 50."
    assert [r.value for r in readings(text)] == [21, 205, 4200, 3.5, 9.5, 4.5]
    assert readings("Platform 3")[0].of == "Platform" and readings("fourteen red boats")[0].of == "red boats"


def test_negation_reaches_to_the_end_of_the_clause() -> None:
    denied = {t.text for t in tokens("She did not buy fish, she bought bread.") if t.negated}
    assert denied == {"buy", "fish"}


def test_stems_join_inflections() -> None:
    for a, b in (
        ("boats", "boat"),
        ("stopped", "stop"),
        ("cities", "city"),
        ("children", "child"),
        ("cheapest", "cheap"),
        ("larger", "large"),
    ):
        assert stem(a) == stem(b)
