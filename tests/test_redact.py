"""Exports tell nobody's paths and keys, say what they took out, and leave everything else as it was."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, strategies

from vesta_ui.runs.redact import Redactor

SHA = "87205f19c54161ea052e5450fe6931ebc85f4556b4ec99364698660406fded6d"
PATHS = [
    "/home/ada/My Videos/holiday film.mp4",
    "/Users/ada/run.json",
    "/srv/data/x",
    "C:\\Users\\Ada Lovelace\\film.mp4",
    "D:/films/a.mp4",
    "\\\\server\\share\\film.mp4",
    "file:///home/ada/film.mp4",
    "~/films/a.mp4",
    "~ada/films/a.mp4",
    "../../home/ada/film.mp4",
    "//server/share/ada/film.mp4",
    "C:\\\\Users\\\\ada\\\\film.mp4",
    "\\\\\\\\server\\\\share\\\\film.mp4",
    "\\/home\\/ada\\/film.mp4",
    "file:///C:/Users/Ada%20Lovelace/film.mp4",
    "file://server/share/film.mp4",
    "file:/home/ada/film.mp4",
    "/home/ada%20lovelace/film%20two.mp4",
    "%2Fhome%2Fada%2Ffilm.mp4",
    "C%3A%5CUsers%5Cada%5Cfilm.mp4",
    "%252Fhome%252Fada%252Ffilm.mp4",
    "/home/ada/film, cut [2] (1).mp4",
    "/home/ada/Mary’s film.mp4",
    "/Volumes/Ada Disk/film.mov",
    "/home/李雷/film.mp4",
    "/lab/ada/film",
]
KEYS = [
    "sk-" + "a1B2" * 8,
    "sk-proj-" + "a1B2_" * 8,
    "AIza" + "Sy0" * 12,
    "ghp_" + "a1B2c3" * 6,
    "hf_" + "AbCd" * 8,
    "AKIA" + "ABCD1234EFGH5678",
    "sk_live_" + "a1B2" * 6,
    "AQ." + "Ab8RN6L" * 6,
    "xai-" + "a1B2" * 8,
    "npm_" + "a1B2c3" * 6,
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abc-DEF_123",
    "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----",
]


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("around", ["{}", "opened “{}” now", "error: {}: not found", "(see {})", '{{"at": "{}"}}'])
def test_a_path_is_taken_out_wherever_it_stands(path: str, around: str) -> None:
    redactor = Redactor()
    said = redactor.text(around.format(path))
    for part in ("ada", "Ada", "film", "run.json", "srv", "share", "Mary", "cut", "lab"):
        assert part not in said, said
    assert [one.what for one in redactor.report] == ["path"]
    assert said.startswith(around.split("{")[0]) or around.startswith("{")


@pytest.mark.parametrize("key", KEYS)
def test_what_looks_like_a_key_is_taken_out(key: str) -> None:
    redactor = Redactor()
    said = redactor.value({"calls": [{"reply": f"my key is {key}, keep it"}]})
    assert key not in str(said) and "keep it" in said["calls"][0]["reply"]
    (found,) = redactor.report
    assert found.count == 1 and found.places == ("$.calls[0].reply",)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Authorization: Bearer abcdefgh12345678", "Authorization: "),
        ("api_key = 'abcdefgh12345678'", "api_key = "),
        ("password: correcthorse", "password: "),
        ("OPENAI_API_KEY=abcdefgh12345678", "OPENAI_API_KEY="),
        ('{\\"api_key\\": \\"abcdefgh12345678\\"}', '{\\"api_key\\": '),
        ('{"Authorization": "Bearer abcdefgh12345678"}', '{"Authorization": "Bearer '),
        ('"api_key": "correcthorsebattery"', '"api_key": '),
        ("https://example.org/v1?key=abcdefgh12345678&x=1", "https://example.org/v1?key="),
        ("aws_secret_access_key = abcdefgh/12345678", "aws_secret_access_key = "),
        ("postgres://ada:secret@db/x", "postgres://"),
    ],
)
def test_a_named_secret_goes_and_its_name_stays(text: str, kept: str) -> None:
    said = Redactor().text(text)
    assert said.startswith(kept) and "removed" in said
    assert "abcdefgh12345678" not in said and "correcthorse" not in said and ":secret@" not in said


@pytest.mark.parametrize(
    "text",
    [
        f"frame {SHA}.jpg",
        "looked at 5 frames, 1 per 7.3 s and/or 24/7 at 1/2 speed",
        "“HIGH PEAK / 1840 METRES”",
        "see https://example.org/papers/vesta.html",
        "00:12.0–00:14.5 (e1, e3) yes/no",
        "the token count is 1234567890, tokens: 99887766",
        "6.50 / 5.80 / 7.90",
        "openai:gpt-4.1@2026",
        "the sk-8 board",
        "he said: /no/ and “/kəˈnɛdi/”, the /r/ sound",
        "“/TRAIL/ 5 KM”, EXIT /A/B, /TRAIL/PEAK, BUS 24/ROUTE 7",
        "token: transcription; secret: everybody knows; authorization: required for entry",
        "a basic understanding, Basic training, the bearer of the flag",
        "12/31/2024, 2024/12/31, km/h, m/s, left/right/centre, TCP/IP, w/o sugar",
        "Q: who? A:/B:? C: the third, D:8",
        "</b> <br/> <a/b> \\alpha + \\beta",
        "meta-llama/Llama-3.1-8B-Instruct, Qwen/Qwen3-VL-Embedding-2B, models/gemini-2.5-flash",
        "compatible:qwen2.5vl:7b@http://127.0.0.1:11434/v1",
        "http://localhost:7860/?run=20261130-101010-aaaaaa&step=3",
        "00:12.0/00:14.5, 50 % of 2/3, 100%25 sure",
        "d41d8cd98f00b204e9800998ecf8427e",
        "risk-management-and-other-things",
    ],
)
def test_what_a_run_says_is_left_as_it_was(text: str) -> None:
    redactor = Redactor()
    assert redactor.text(text) == text
    assert redactor.report == ()


def test_known_folders_go_whatever_they_look_like() -> None:
    redactor = Redactor(["/data-dir of ada"])
    assert redactor.text("in /data-dir of ada.") == "in [path removed]."


KEY = "sk-abcdefghijklmnopqrstuvwx"


@pytest.mark.parametrize(
    "query", ["home ada secret key sk abcdefghijklmnopqrstuvwx", "HOME Ada  secret, ABCDEFGHIJKLMNOPQRSTUVWX"]
)
@pytest.mark.parametrize("first", ["question", "zuletzt"])
def test_what_a_tokeniser_left_of_a_key_and_a_path_goes_too(query: str, first: str) -> None:
    """Also where the remains stand before what they remain of."""
    redactor = Redactor()
    said = redactor.value({"a": query, first: f"see /home/ada/secret key {KEY}", "b": {"c": [query]}})
    text = str(said).lower()
    assert "abcdefghijkl" not in text
    assert "ada" not in text
    assert {one.what: one.count for one in redactor.report} == {"key": 3, "path": 3}
    assert "$.b.c[0]" in {place for one in redactor.report for place in one.places}


def test_remains_in_pieces_go_and_common_words_stay() -> None:
    key = "sk-proj-" + "a1B2_" * 8
    redactor = Redactor()
    redactor.learn([key, "token: transcription", "/a/b"])
    assert "a1b2" not in redactor.text("sk proj " + "a1b2 " * 8)
    assert redactor.text("the transcription of a b") == "the transcription of a b"


def test_the_keys_of_this_process_go_whatever_they_look_like(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "hunter2-hunter2")
    redactor = Redactor()
    said = redactor.value({"a": "it is hunter2-hunter2.", "b": "find Hunter2 hunter2"})
    assert said == {"a": "it is [key removed].", "b": "find [key removed]"}
    assert [(one.what, one.count) for one in redactor.report] == [("key", 2)]


@pytest.mark.parametrize("gap", ["\n", "\r\n", "  \n   ", "\\n", "\u200b", "\u00ad"])
@pytest.mark.parametrize(
    ("key", "at", "rest"),
    [
        ("sk-proj-AbCdEfGhIjKlMnOpQrStUv1234567890", 12, "GhIjKl"),
        ("ghp_a1b2c3d4e5f6g7h8i9j0k1l2m3n4o5p6q7r8", 28, "m3n4o5"),
        ("AIzaSyA1234567890abcdefGhIjKlMnOpQrStUv", 20, "hIjKlM"),
        ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0.dozjgNryP4J3jVmN", 26, "zdWIiOiIx"),
    ],
)
def test_a_key_that_is_broken_over_two_lines_goes_whole(key: str, at: int, rest: str, gap: str) -> None:
    """And its longer pieces go where they stand alone, as on two lines read one by one."""
    redactor = Redactor()
    said = redactor.value({"a": key[at:], "b": f"it is {key[:at]}{gap}{key[at:]} on the board\nby the door"})
    assert rest not in str(said) and key[6:at] not in str(said)
    assert said["b"].startswith("it is [") and said["b"].endswith(" removed] on the board\nby the door")
    assert Redactor().value(said) == said


def test_a_key_of_this_process_goes_when_it_is_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "hunter2hunter2hunter2")
    assert Redactor().text("it is hunter2hun\nter2hunter2!") == "it is [key removed]!"


@pytest.mark.parametrize(
    "text", ["a sk-learn\nintroduction to it", "the task-\nforce of 20261130", "ghp_ is\n2026-11-30"]
)
def test_lines_below_each_other_stay(text: str) -> None:
    assert Redactor().text(text) == text


@pytest.mark.parametrize(
    "long",
    [
        "/" * 40_000,
        "/home/" + "a b,c " * 8_000,
        "api_" * 10_000,
        "sk-" * 10_000,
        "%2Fa" * 8_000,
        "token: " + "a" * 50_000,
        " " * 60_000,
        "\\" * 60_000,
        "sk-a1b2c3\n" * 6_000,
        "sk-" + "a1b2c3\n" * 8_000,
    ],
)
def test_a_long_text_made_to_be_slow_is_not(long: str) -> None:
    began = time.process_time()
    Redactor().text(long)
    assert time.process_time() - began < 5


json_values = strategies.recursive(
    strategies.none() | strategies.booleans() | strategies.integers() | strategies.text("abc /\\:~sk-.\n", max_size=30),
    lambda inner: (
        strategies.lists(inner, max_size=4) | strategies.dictionaries(strategies.text(max_size=4), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(json_values)
def test_redacting_twice_changes_nothing_more(value: object) -> None:
    once = Redactor().value(value)
    assert Redactor().value(once) == once
