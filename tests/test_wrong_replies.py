"""Replies that are wrong in some way (tests/data/wrong_replies.json), each played in a whole run over real HTTP.

Whatever a server sends, the run ends with an answer or with a typed failure told in one sentence, its trace can be read,
and every request and token it reported is counted.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from models_help import Waits, ask, model, picture
from provider_server import KEY, Answer, ProviderServer, Received, chat, gemini, refusal
from test_scene_index import film

from vesta_ui.domain import Choice, Outcome, Question
from vesta_ui.events import Decided, LedgerUpdated, Observed, Routed, RunFinished
from vesta_ui.models import Turn, keys
from vesta_ui.runs import recorder
from vesta_ui.runs.registry import Runs
from vesta_ui.settings import Settings

CASES: list[dict[str, Any]] = json.loads(Path(__file__).with_name("data").joinpath("wrong_replies.json").read_text())[
    "cases"
]
QUESTION = Question("What is written on the blue sign?", (Choice("A", "Platform 9"), Choice("B", "Bakery")))
SEEN = {
    "start_s": 1,
    "end_s": 3,
    "content": "a blue sign",
    "stances": [{"label": "A", "supports": True, "weight": 0.9}],
}
GOOD: dict[str, dict[str, Any]] = {
    "router": {"demands": ["localized"], "flags": [], "confidence": 0.9, "why": "one sign"},
    "observer": {"observations": [SEEN]},
    "reasoner": {"action": {"operation": "inspect", "arguments": {"intervals": [[0, 6]], "focus": "sign"}}},
    "answer": {
        "action": {"operation": "finalize", "arguments": {"answer": "A", "evidence": ["e1"], "confidence": 0.9}}
    },
}
DEEP = 5_000


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A film, and the data folder with its index."""
    made = tmp_path_factory.mktemp("wrong")
    film(made / "film.mp4")
    return made


@pytest.fixture(autouse=True)
def keyed() -> None:
    for name in ("compatible", "gemini"):
        keys.set_key(name, KEY)


def stage(received: Received) -> str:
    said = json.dumps(received.body, ensure_ascii=False)
    if "You sort questions" in said:
        return "router"
    if "You look at frames" in said:
        return "observer"
    return "answer" if "a blue sign" in said.replace("the blue sign", "") else "reasoner"


def wrong(case: dict[str, Any], good: dict[str, Any]) -> Answer:
    whole = json.dumps(good)
    status, headers = case.get("status", 200), case.get("headers", {})
    many = case.get("times", 1)
    deep = "[" * DEEP + "]" * DEEP
    if "raw" in case:
        text = case["raw"].replace("DEEP", deep).replace("QUOTED", json.dumps(whole)[1:-1])
        return Answer(text * many, status, headers)
    if "body" in case:
        text = json.dumps(case["body"]).replace('"GOOD"', json.dumps(whole))
        return Answer(case.get("before", "") + re.sub(r'"@(NaN|1e400)"', r"\1", text), status, headers)
    python = repr(good).replace("None", "null").replace("True", "true")
    text = case["text"].replace("GOOD", whole).replace("INNER", whole[1:-1]).replace("PYTHON", python)
    return chat(text.replace("DEEP", deep) * many)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.get('api', 'chat')} {case['stage']} {case['name']}")
def test_a_wrong_reply_ends_in_an_answer_or_a_typed_failure(
    case: dict[str, Any], place: Path, server: ProviderServer, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", server.root)
    google = case.get("api") == "gemini"
    good = gemini if google else chat
    played: list[int] = []

    def answer(received: Received) -> Answer:
        at = stage(received)
        if at == case["stage"]:
            played.append(1)
            return wrong(case, GOOD[at])
        return good(json.dumps(GOOD[at]))

    server.play(answer)
    spec = "gemini:gemini-2.5-flash" if google else f"compatible:m@{server.url}"
    chosen = replace(settings, data_dir=place / "data", speech="off", image_side=320, max_steps=3)
    chosen = replace(chosen, router=spec, reasoner=spec, observer=spec)
    run = Runs(chosen).start(place / "film.mp4", QUESTION, chosen)
    assert run.join(60)
    events = recorder.read(run.folder).events
    end = events[-1]
    assert isinstance(end, RunFinished) and end.failure != "internal", end
    routed = next(e for e in events if isinstance(e, Routed))
    looked = [e for e in events if isinstance(e, Observed)]
    if case["ends"] == "answered":
        assert end.outcome is Outcome.ANSWERED and end.answer and end.answer.label == "A", end.reason
        assert end.answer.evidence and len(played) <= 2
        entries = [entry for e in events if isinstance(e, LedgerUpdated) for entry in e.entries]
        assert case["stage"] != "observer" or "null" in case["text"] or entries[0].observation.stances
    else:
        failures = {
            "router": [routed.call.failure if routed.call else ""],
            "observer": [e.error_kind for e in looked[:1]],
        }
        assert failures.get(case["stage"], [end.failure]) == [case["ends"]], end.reason
    if case["stage"] in ("reasoner", "answer") and case["ends"] != "answered":
        assert end.outcome is Outcome.FAILED and end.answer is not None
    for said in (end.reason, routed.route.why, *(e.error for e in looked)):
        assert len(said) < 900 and not re.search(r"[\x00-\x1f\x7f-\x9f]|(?i:<html)", said)
    calls = [call for e in events if isinstance(e, Decided | Observed) for call in e.calls]
    usage = [call.usage for call in (*calls, *([routed.call] if routed.call else ()))]
    assert sum(one.remote_requests for one in usage) == len(server.requests)
    if "tokens" in case:
        counted = next(e.calls[0].usage for e in events if isinstance(e, Decided))
        assert counted.input_tokens == case["tokens"]
    trace = (run.folder / recorder.EVENTS).read_text("utf-8")
    assert KEY not in trace and not re.search(r"[:\[ ]-?(?:NaN|Infinity)\b", re.sub(r'"(?:[^"\\]|\\.)*"', '""', trace))


@pytest.mark.parametrize("image", ["image_url.detail", "image_url', 'detail"])
def test_the_resolution_of_pictures_is_left_out_where_a_server_refuses_it(
    server: ProviderServer, settings: Settings, image: str
) -> None:
    message = f"property 'messages.1.content.2.{image}' is unsupported"
    server.play(lambda r: refusal(400, message) if b'"detail"' in r.raw else chat('{"answer": "B"}'))
    one = model(server, settings)
    for _ in range(2):
        assert ask(one, turns=[Turn("user", "?", (picture(),))])[0].answer == "B"
    assert [b'"detail"' in r.raw for r in server.requests] == [True, False, False]


@pytest.mark.parametrize(
    "message",
    [
        "`temperature` is deprecated for this model.",
        "invalid temperature: only 1 is allowed for this model",
        "`temperature` must be strictly positive",
    ],
)
def test_a_temperature_is_left_out_however_it_is_refused(
    server: ProviderServer, settings: Settings, message: str
) -> None:
    server.play(lambda r: refusal(422, message) if "temperature" in r.body else chat('{"answer": "B"}'))
    assert ask(model(server, settings))[0].answer == "B"


@pytest.mark.parametrize(
    "message",
    [
        "Invalid max_tokens value, the valid range of max_tokens is [1, 2048]",
        "`max_tokens` must be less than or equal to `2048`, the maximum value for it is less than the `context_window`",
    ],
)
def test_less_is_asked_for_where_a_server_writes_less(server: ProviderServer, settings: Settings, message: str) -> None:
    server.play(lambda r: refusal(400, message) if r.body["max_tokens"] > 2048 else chat('{"answer": "B"}'))
    assert ask(model(server, settings))[0].answer == "B"


@pytest.mark.parametrize(
    ("headers", "message", "wait"),
    [
        ({"retry-after": "nan"}, "slow", 0.01),
        ({}, "try again in 1.2.3s", 0.01),
        ({}, "try again in ...s", 0.01),
        ({}, "Please try again in 7 seconds.", 7.0),
        ({}, "Rate limit exceeded, retry after 1 minute", 60.0),
    ],
)
def test_an_odd_wait_is_read_or_left(
    server: ProviderServer, settings: Settings, headers: dict[str, str], message: str, wait: float
) -> None:
    server.play(replace(refusal(429, message), headers=headers), chat('{"answer": "B"}'))
    control = Waits()
    assert ask(model(server, settings), control=control)[0].answer == "B"
    assert control.waits == [wait]
