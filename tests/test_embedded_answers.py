"""The embedded engine answers from evidence text: made-up films of several kinds, many ways of asking, known answers."""

from __future__ import annotations

import re

import pytest

from vesta_ui.domain import Choice, Interval, Modality, Question
from vesta_ui.roles.embedded.facts import Fact
from vesta_ui.roles.embedded.weigh import NOT_FOUND, weigh


def film(script: str) -> list[Fact]:
    """Lines `start-end S sentence` or `start-end P what is perceived`."""
    facts = []
    for n, line in enumerate(filter(None, map(str.strip, script.splitlines())), 1):
        span, sense, words = line.split(" ", 2)
        start, end = map(float, span.split("-"))
        picture = sense == "P"
        text = " / ".join(re.findall("reads “([^”]*)”", words)) if picture else ""
        modality = Modality.PICTURE if picture else Modality.SPEECH
        facts.append(Fact(f"e{n}", Interval(start, end), modality, words if picture else f"“{words}”", text))
    return sorted(facts, key=lambda f: f.interval)


def ask(text: str, *choices: str) -> Question:
    return Question(text, tuple(Choice("ABCDEFGHIJ"[n], c) for n, c in enumerate(choices)))


MUSEUM = film(
    """
    0-5 P a white sign in the centre reads “THE CLOCK MUSEUM”; the picture is mostly brown
    1-6 S Welcome to the clock museum, where we will see pendulums, sundials and wristwatches.
    8-14 S Our first room holds the sundials. There are fourteen of them.
    9-15 P a green sign at the top reads “ROOM 1 / SUNDIALS”; the picture is mostly yellow and brown
    16-22 S The oldest sundial was carved in Cairo in 1320.
    24-30 S Next, upstairs, come the pendulum clocks.
    25-31 P a green sign at the top reads “ROOM 2 / PENDULUMS”; the picture is mostly brown
    31-38 S The tallest pendulum is nine metres long, and the smallest fits in a matchbox.
    38-44 S The big pendulum was stopped in 1944, because its weight had cracked the floor.
    40-46 P a red sign at the right reads “DO NOT TOUCH”; the picture is mostly black
    46-52 S A short break in the café, where tea costs three pounds and cake costs four.
    47-53 P a yellow sign at the left reads “CAFÉ / TEA 3.00 / CAKE 4.00”; the picture is mostly white
    55-61 P a green sign at the top reads “ROOM 1 / SUNDIALS”; the picture is mostly yellow and brown
    56-61 S Back among the sundials, a guide shows how to read the shadow.
    63-69 S Last of all, the wristwatches. The collection was a gift from a Swiss pilot, not from a king as people say.
    64-70 P a green sign at the top reads “ROOM 3 / WRISTWATCHES”; a red circle in the centre; the picture is mostly grey
    71-76 S The museum closes at half past five.
    """
)

COOKING = film(
    """
    0-4 S Today we bake a lemon cake in five steps.
    4-9 S First, melt two hundred grams of butter in a small pan.
    5-9 P a blue sign at the bottom reads “BUTTER 200 G”; the picture is mostly yellow
    10-15 S Beat four eggs with the sugar until they are pale.
    11-15 P a blue sign at the bottom reads “EGGS 4”; the picture is mostly white
    16-21 S Then fold in the flour. Do not stir too hard, or the cake will be tough.
    18-21 P a blue sign at the bottom reads “FLOUR 250 G”; the picture is mostly white
    22-28 S Now grate the lemons. I use three lemons instead of two, since mine are tiny.
    24-28 P a blue sign at the bottom reads “LEMONS 3”; a yellow circle in the centre; the picture is mostly green
    29-34 S Bake it for forty minutes in a moderate oven.
    30-34 P a red sign in the centre reads “180 °C”; the picture is mostly black
    36-41 S Meanwhile, whisk the icing. My grandmother never added milk to it.
    42-47 S When the bell rings, take the cake out and let it cool on a rack.
    43-47 P a green sign at the right reads “TIMER 00:00”; the picture is mostly brown
    """
)

MATCH = film(
    """
    0-5 P a black sign at the top reads “HOME 0 / AWAY 0”; the picture is mostly green
    1-6 S Kick-off here in Leeds on a rainy evening.
    20-25 S Goal! Keller heads it in from the corner.
    21-26 P a black sign at the top reads “HOME 1 / AWAY 0”; the picture is mostly green
    40-44 S A yellow card for Brandt after a late tackle.
    41-45 P a yellow rectangle in the centre; the picture is mostly green
    60-65 S Okafor equalises with a free kick, what a strike.
    61-66 P a black sign at the top reads “HOME 1 / AWAY 1”; the picture is mostly green
    80-84 S The home side bring on Silva for the injured Keller.
    100-105 S And another goal! Silva scores from the penalty spot.
    101-106 P a black sign at the top reads “HOME 2 / AWAY 1”; the picture is mostly green
    120-125 S Full time, and eleven thousand people sing in the stands.
    """
)

LECTURE = film(
    """
    0-6 S Good morning. This lecture is about three kinds of volcano.
    7-12 P a white sign at the top reads “SHIELD VOLCANOES”; the picture is mostly blue
    8-14 S Shield volcanoes are wide and flat, because their lava is runny.
    15-20 S Mauna Loa is one of them; it rises 4,169 metres above the sea.
    25-30 P a white sign at the top reads “CINDER CONES”; the picture is mostly blue
    26-32 S Cinder cones are the smallest kind, rarely over 300 metres.
    33-38 S They do not last long; rain washes them away.
    45-50 P a white sign at the top reads “STRATOVOLCANOES”; the picture is mostly red and black
    46-52 S Stratovolcanoes are steep, and by far the most dangerous of the three.
    53-60 S Vesuvius is a stratovolcano. It buried Pompeii in the year 79.
    62-68 S Some students think that Etna is extinct. In fact it erupts nearly every year.
    """
)

HOUSE = film(
    """
    0-4 S The hall has three windows and a fine fireplace.
    5-9 S Then the kitchen, with a window to the garden.
    10-14 S The tower has no windows at all.
    15-20 S Nobody may enter the library except the librarian.
    22-26 S On board nobody says a word.
    28-33 S All the trains were late except the one from Dover.
    35-40 S No one was hurt in the fire.
    42-46 S She sells not only bread but cakes.
    """
)

VALLEY = film(
    """
    0-4 S Good morning from the valley, we start at the old mill.
    1-5 P a white sign in the centre reads “OLD MILL / OPEN DAILY”
    5-9 S The miller says the wheel has not turned for a year.
    9-13 S The river is too low. Because of that, there is no flour today.
    14-18 P a red sign at the left reads “NO SWIMMING”; the picture is mostly green
    15-19 S We wanted to take the ferry. But the ferryman was ill.
    19-22 S So we walked over the hanging bridge instead.
    23-27 P a yellow sign at the right reads “BRIDGE / MAX 12 PERSONS”
    28-33 P a blue sign in the centre reads “KIOSK / COFFEE 3 FRANCS / ICE CREAM 5 FRANCS / MAP 8 FRANCS”
    29-34 S At the kiosk my sister buys a map and I have a coffee.
    36-40 P a red sign at the left reads “NO FISHING”; the picture is mostly blue
    41-45 P a red sign at the left reads “NO SWIMMING”; the picture is mostly blue
    46-51 S In the afternoon clouds came up. The guide looked at the sky and shook his head.
    51-54 S We turned back before the summit.
    56-60 P a green sign at the top reads “SUMMIT 40 MIN”
    61-66 S The bus was full. We had to wait for the next one, which came at six.
    67-71 P a white sign in the centre reads “BUS / LAST DEPARTURE 18:00”
    72-76 S I forgot my gloves on the bus. My sister ran after it and got them back.
    78-82 P a red sign at the left reads “NO CAMPING”
    """
)

UNPUNCTUATED = film(
    """
    0-11 S so today we visit three workshops and the first one belongs to a potter called Ines who makes blue bowls
    12-23 S the second workshop is a smithy where Tom forges gates and he told us that his hammer is older than he is
    24-35 S in the third workshop they build violins and the violin maker Clara needs two months for one of them
    """
)

CASES = [
    # negation
    (HOUSE, "Which room has no window?", ("The hall", "The kitchen", "The tower"), "C"),
    (HOUSE, "Who may enter the library?", ("The cook", "The librarian", "The gardener"), "B"),
    (HOUSE, "Does anybody on board say a word?", ("Yes", "No"), "B"),
    (HOUSE, "Which train was not late?", ("From Dover", "From London"), "A"),
    (HOUSE, "Was anyone hurt in the fire?", ("Yes", "No"), "B"),
    (HOUSE, "How many people were hurt in the fire?", ("None", "One", "Two"), "A"),
    (HOUSE, "Does she sell bread?", ("Yes", "No"), "A"),
    # speech, one place
    (MUSEUM, "When did the big pendulum stop?", ("1320", "1944", "1920", "1844"), "B"),
    (MUSEUM, "Why was the large pendulum stopped?", ("It was too loud", "Its weight damaged the floor", "The king forbade it", "It was too tall"), "B"),
    (MUSEUM, "Who gave the wristwatches to the museum?", ("A king", "A Swiss pilot", "A guide", "A clockmaker"), "B"),
    (MUSEUM, "According to the narrator, how many sundials are there?", ("9", "13", "14", "20"), "C"),
    (MUSEUM, "At what time does the museum close?", ("5:00", "5:30", "6:30", "half past four"), "B"),
    (MUSEUM, "How long is the tallest pendulum?", ("Three metres", "Four metres", "Nine metres", "Fourteen metres"), "C"),
    (MUSEUM, "Where was the oldest sundial made?", ("Geneva", "Cairo", "London", "Rome"), "B"),
    # picture
    (MUSEUM, "What does the red sign say?", ("Do not touch", "No smoking", "Exit", "Mind the step"), "A"),
    (MUSEUM, "Which colour is the sign that names Room 2?", ("red", "green", "yellow", "blue"), "B"),
    (MUSEUM, "What colour is the café sign?", ("Green", "Red", "Yellow", "White"), "C"),
    (MUSEUM, "What is written on the sign of room 3?", ("Wristwatches", "Sundials", "Pendulums"), "A"),
    (MUSEUM, "How much does cake cost on the menu?", ("3", "4", "5"), "B"),
    # both
    (MUSEUM, "Which sign is on screen while the narrator talks about the cracked floor?", ("DO NOT TOUCH", "ROOM 3", "CAFÉ"), "A"),
    (MUSEUM, "What colour is the sign shown when the pendulum clocks are introduced?", ("green", "red", "yellow"), "A"),
    # counting
    (MUSEUM, "How many times is the sundial room shown?", ("1", "2", "3", "4"), "B"),
    (MUSEUM, "How often does the film visit the sundials?", ("once", "twice", "three times"), "B"),
    # ordering
    (MUSEUM, "In what order are the rooms visited?", ("Wristwatches, sundials, pendulums", "Sundials, pendulums, wristwatches", "Pendulums, sundials, wristwatches"), "B"),
    (MUSEUM, "Which of these comes last?", ("The pendulums", "The café", "The wristwatches"), "C"),
    (MUSEUM, "What is shown right after the café?", ("The wristwatches", "The sundials", "The pendulums"), "B"),
    (MUSEUM, "Which room is visited first?", ("pendulums", "wristwatches", "sundials"), "C"),
    # contrast
    (MUSEUM, "Which is dearer in the café, tea or cake?", ("Tea", "Cake"), "B"),
    (MUSEUM, "Which of the following is not in the museum?", ("Sundials", "Hourglasses", "Pendulums", "Wristwatches"), "B"),
    (MUSEUM, "Which statement is true?", ("The wristwatches came from a king.", "The wristwatches came from a pilot.", "The wristwatches came from Cairo."), "B"),
    (COOKING, "How many lemons does the cook use?", ("two", "three", "four", "five"), "B"),
    (COOKING, "How many eggs are needed?", ("2", "3", "4", "5"), "C"),
    (COOKING, "What should you do right after beating the eggs?", ("Grate the lemons", "Fold in the flour", "Bake the cake", "Melt the butter"), "B"),
    (COOKING, "What did the grandmother never put in the icing?", ("Sugar", "Milk", "Lemon", "Butter"), "B"),
    (COOKING, "For how long is the cake baked?", ("20 minutes", "30 minutes", "40 minutes", "60 minutes"), "C"),
    (COOKING, "What temperature is shown on the oven?", ("160", "180", "200", "220"), "B"),
    (COOKING, "Why does the cook use more lemons than usual?", ("They are cheap", "They are small", "She likes them sour", "They are old"), "B"),
    (COOKING, "Put these in the order they are used.", ("eggs, butter, flour, lemons", "butter, eggs, flour, lemons", "butter, flour, eggs, lemons"), "B"),
    (COOKING, "Which ingredient appears first?", ("Flour", "Lemons", "Butter", "Eggs"), "C"),
    (COOKING, "What colour is the circle on screen when the lemons are grated?", ("red", "yellow", "blue"), "B"),
    (COOKING, "What happens when the bell rings?", ("The cake is taken out", "The flour is added", "The oven is lit"), "A"),
    (MATCH, "Who scored first?", ("Okafor", "Keller", "Silva", "Brandt"), "B"),
    (MATCH, "Who came on for the injured player?", ("Brandt", "Okafor", "Silva"), "C"),
    (MATCH, "What was the final score?", ("1-1", "2-1", "1-0", "2-2"), "B"),
    (MATCH, "How many people were in the stands?", ("1,100", "11,000", "7,000"), "B"),
    (MATCH, "What was the weather like?", ("sunny", "wet", "snowing"), "B"),
    (MATCH, "Who was booked?", ("Keller", "Brandt", "Silva"), "B"),
    (MATCH, "In which order did the players score?", ("Keller, Okafor, Silva", "Okafor, Keller, Silva", "Silva, Okafor, Keller"), "A"),
    (LECTURE, "Which kind of volcano is the most dangerous?", ("Shield volcanoes", "Cinder cones", "Stratovolcanoes"), "C"),
    (LECTURE, "Why are shield volcanoes flat?", ("Rain washes them away", "Their lava is runny", "They are old"), "B"),
    (LECTURE, "What is true of Etna?", ("It is extinct", "It erupts almost every year", "It buried Pompeii"), "B"),
    (LECTURE, "Which type is the smallest?", ("Shield", "Cinder cone", "Stratovolcano"), "B"),
    (LECTURE, "What is the title of the second slide?", ("Shield volcanoes", "Cinder cones", "Stratovolcanoes"), "B"),
    (LECTURE, "Which volcano buried Pompeii?", ("Etna", "Mauna Loa", "Vesuvius"), "C"),
    (LECTURE, "Does the lecturer say that Etna is extinct?", ("Yes", "No"), "B"),
    (LECTURE, "Are stratovolcanoes steep?", ("Yes", "No"), "A"),
    (VALLEY, "Why is there no flour today?", ("The wheel is broken", "The river is too low", "The miller is ill"), "B"),
    (VALLEY, "Why did they walk over the bridge?", ("The ferryman was ill", "The river was low", "The bus was full"), "A"),
    (VALLEY, "Why did they turn back before the summit?", ("Because of clouds", "They were tired", "The guide was ill"), "A"),
    (VALLEY, "How much does a map cost, according to the sign?", ("3 francs", "5 francs", "8 francs", "12 francs"), "C"),
    (VALLEY, "How much did the narrator's coffee cost?", ("3 francs", "5 francs", "8 francs", "11 francs"), "A"),
    (VALLEY, "Which costs the least at the kiosk?", ("Coffee", "Ice cream", "A map"), "A"),
    (VALLEY, "How many times is the NO SWIMMING sign shown?", ("1", "2", "3", "4"), "B"),
    (VALLEY, "How often does the sign “NO FISHING” appear?", ("1", "2", "3", "4"), "A"),
    (VALLEY, "When does the last bus leave?", ("At 16:00", "At 17:00", "At 18:00", "At 19:00"), "C"),
    (UNPUNCTUATED, "Who makes the blue bowls?", ("Ines", "Tom", "Clara"), "A"),
]  # fmt: skip

OPEN = [
    (MUSEUM, "How many times is the sundial room shown?", "2"),
    (MUSEUM, "What does the red sign say?", "DO NOT TOUCH"),
    (MUSEUM, "What colour is the sign of the café?", "yellow"),
    (COOKING, "How many eggs are needed?", "4"),
    (LECTURE, "Which volcano buried Pompeii?", "Pompeii"),
    (LECTURE, "Are cinder cones the smallest kind?", "Yes"),
]  # fmt: skip


@pytest.mark.parametrize(("facts", "text", "choices", "gold"), CASES, ids=[c[1][:60] for c in CASES])
def test_choice(facts: list[Fact], text: str, choices: tuple[str, ...], gold: str) -> None:
    verdict = weigh(ask(text, *choices), facts)
    assert verdict.label == gold, verdict


@pytest.mark.parametrize(("facts", "text", "gold"), OPEN, ids=[c[1][:60] for c in OPEN])
def test_open(facts: list[Fact], text: str, gold: str) -> None:
    assert gold in weigh(ask(text), facts).text


def test_nothing_observed_is_not_found() -> None:
    verdict = weigh(ask("What colour is the kite?", "red", "blue"), [])
    assert verdict.label is None and verdict.text == NOT_FOUND and verdict.confidence == 0


def test_unsupported_answers_have_low_confidence() -> None:
    verdict = weigh(ask("Which bird sings on the roof?", "A robin", "A starling", "An owl"), LECTURE)
    assert verdict.confidence < 0.3


def test_evidence_is_where_the_answer_was_found() -> None:
    verdict = weigh(ask("Who gave the wristwatches to the museum?", "A king", "A Swiss pilot"), MUSEUM)
    assert verdict.facts[0].interval == Interval(63, 69)
