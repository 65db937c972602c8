"""Every reply of tests/data/provider_replies.json, played over real HTTP, and others of its kind.

`plays` says which reply a test plays; the last test checks that none is left out.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from models_help import Short, Waits, ask, failed, gemini_model, model, picture
from provider_server import Answer, ProviderServer, Received, chat, gemini
from roles_help import context
from test_provider_run import Brain, play, video  # noqa: F401  (a fixture)

from vesta_ui.control import Control
from vesta_ui.domain import Outcome
from vesta_ui.errors import ModelFailed
from vesta_ui.events import Decided, Observed, RunFinished, Warned
from vesta_ui.frames import encode_jpeg
from vesta_ui.models import Image, Turn
from vesta_ui.operations import OPERATIONS, load
from vesta_ui.roles.forms import EstimateForm, InspectForm, JudgeForm, decision_form
from vesta_ui.roles.prompted import PromptedReasoner
from vesta_ui.settings import Settings

REPLIES: dict[str, Any] = json.loads((Path(__file__).parent / "data" / "provider_replies.json").read_text("utf-8"))
PLAYED: set[str] = set()
Test = Callable[..., None]
GOOD = chat('{"answer": "B"}')
LOOK = {"operation": "inspect", "arguments": {"intervals": [[10.0, 20.0]], "focus": "the dog"}}


def plays(*ids: str) -> Callable[[Test], Test]:
    PLAYED.update(ids)
    return lambda test: test


def reply(name: str, **changes: Any) -> Answer:
    """The reply as the server sends it; `changes` are put into its first choice's message."""
    found = copy.deepcopy(REPLIES[name])
    if "sse" in found:
        text = "".join(f"data: {line}\n\n" for line in found["sse"])
        return Answer(text, headers={"content-type": "text/event-stream"})
    body = found.get("text", found.get("body"))
    if changes:
        body["choices"][0]["message"] |= changes
    return Answer(body, found["status"], {k.lower(): v for k, v in found.get("headers", {}).items()})


def unless(refused: Callable[[Received], bool], answer: Answer, good: Answer = GOOD) -> Callable[[Received], Answer]:
    return lambda received: answer if refused(received) else good


# ------------------------------------------------------------------------------------- parameters and forms
@plays("L-01a", "L-01b")
@pytest.mark.parametrize(
    ("name", "word", "refused"),
    [
        ("L-01a", "max_tokens", lambda r: "max_tokens" in r.body),
        ("L-01b", "temperature", lambda r: r.body.get("temperature", 1) != 1),
    ],
)
def test_a_refused_parameter_is_left_out_and_stays_out(
    server: ProviderServer, settings: Settings, name: str, word: str, refused: Callable[[Received], bool]
) -> None:
    server.play(unless(refused, reply(name)))
    one = model(server, settings)
    assert ask(one)[0].answer == "B"
    ask(one)
    assert [word in r.body for r in server.requests] == [True, False, False]


@plays("L-06a", "L-06b")
@pytest.mark.parametrize(
    ("refused", "forms"),
    [
        (("L-06a",), ["json_schema"]),
        (("L-06b",), ["json_schema", "json_object"]),
        (("L-06a", "L-06b"), ["json_schema", "json_object", None]),
    ],
)
def test_whatever_form_a_server_refuses_another_is_found(
    server: ProviderServer, settings: Settings, refused: tuple[str, ...], forms: list[str | None]
) -> None:
    said = {"json_object": "L-06a", "json_schema": "L-06b"}

    def form(received: Received) -> str:
        return str((received.body.get("response_format") or {}).get("type"))

    server.play(lambda r: reply(said[form(r)]) if said.get(form(r)) in refused else GOOD)
    assert ask(model(server, settings))[0].answer == "B"
    assert [form(r) for r in server.requests] == [str(f) for f in forms]


@plays("L-11")
@pytest.mark.parametrize("schema", [decision_form([load(n) for n in OPERATIONS]), EstimateForm, InspectForm, JudgeForm])
def test_a_strict_server_finds_no_fault_in_our_schemas(server: ProviderServer, settings: Settings, schema: Any) -> None:
    def loose(node: Any) -> bool:
        if isinstance(node, list):
            return any(map(loose, node))
        if not isinstance(node, dict):
            return False
        closed = node.get("additionalProperties") is False and set(node.get("required", ())) == set(
            node.get("properties", ())
        )
        return ("properties" in node and not closed) or any(map(loose, node.values()))

    server.play(unless(lambda r: loose(r.body.get("response_format")), reply("L-11"), chat("no")))
    kind, text, _ = failed(model(server, settings), schema=schema)
    assert kind == "malformed" and "Invalid schema" not in text
    assert server.requests[0].body["response_format"]["type"] == "json_schema"


@plays("L-22")
def test_tools_are_never_asked_for_so_their_flags_do_not_matter(server: ProviderServer, settings: Settings) -> None:
    server.play(unless(lambda r: "tools" in r.body or "tool_choice" in r.body, reply("L-22")))
    assert ask(model(server, settings))[0].answer == "B"
    server.play(reply("L-22"))
    assert "--enable-auto-tool-choice" in failed(model(server, settings))[1]


# ------------------------------------------------------------------------------------- answers cut, odd or empty
@plays("L-03", "L-03b")
@pytest.mark.parametrize(("name", "says"), [("L-03", "16 tokens"), ("L-03b", "all of them thinking")])
def test_an_answer_that_was_cut_is_asked_for_once_more_and_never_read(
    server: ProviderServer, settings: Settings, name: str, says: str
) -> None:
    server.play(reply(name))
    kind, text, call = failed(model(server, settings), max_output_tokens=1_000)
    assert (kind, [r.body["max_tokens"] for r in server.requests]) == ("truncated", [1_000, 4_000])
    assert says in text and call.parsed is None
    server.play(reply(name), GOOD)
    assert ask(model(server, settings))[0].answer == "B"


@plays("L-07")
@pytest.mark.parametrize(("chunks", "tokens"), [(4, 1), (2, None)], ids=["with usage", "without"])
def test_a_stream_nobody_asked_for_is_put_together(
    server: ProviderServer, settings: Settings, chunks: int, tokens: int | None
) -> None:
    lines = [*REPLIES["L-07"]["sse"][:-1][: chunks - 1], "[DONE]"]
    server.play(Answer("".join(f"data: {line}\n\n" for line in lines)) if tokens is None else reply("L-07"))
    value, call = ask(model(server, settings), None)
    assert (value, call.usage.input_tokens) == ("ok", tokens)


@plays("L-23")
@pytest.mark.parametrize("where", ["content", "reasoning_content"])
def test_a_decoy_in_the_thinking_is_not_the_answer(server: ProviderServer, settings: Settings, where: str) -> None:
    said = REPLIES["L-23"]["body"]["choices"][0]["message"]["content"]
    server.play(reply("L-23", **{"content": "", where: said}))
    assert ask(model(server, settings))[0].answer == "B"
    assert len(server.requests) == 1


def calls_of(name: str) -> list[dict[str, Any]]:
    calls: list[dict[str, Any]] = REPLIES[name]["body"]["choices"][0]["message"]["tool_calls"]
    return calls


def renamed(call: dict[str, Any], name: str) -> dict[str, Any]:
    return {**call, "function": {**call["function"], "name": name}}


@plays("L-04", "L-05")
@pytest.mark.parametrize("tool", ["search_scenes", "retrieve", "inspect"])
@pytest.mark.parametrize(("name", "first"), [("L-04", 0), ("L-05", 0), ("L-05", 1), ("L-05", 2)])
def test_broken_arguments_reach_no_operation_and_get_one_repair(
    server: ProviderServer, settings: Settings, name: str, first: int, tool: str
) -> None:
    calls = [renamed(call, tool) for call in calls_of(name)[first:] + calls_of(name)[:first]]
    reasoner = PromptedReasoner(model(server, settings))
    server.play(reply(name, tool_calls=calls), chat(json.dumps({"thought": "t", "action": LOOK})))
    decision = reasoner.decide(context(), Control())
    assert decision.action.arguments == LOOK["arguments"]
    assert "repair" in decision.calls[0].attempts[0]
    server.play(reply(name, tool_calls=calls))
    with pytest.raises(ModelFailed) as caught:
        reasoner.decide(context(), Control())
    assert caught.value.kind == "malformed"
    assert len(server.requests) == 4, "one repair, then the end"


@plays("A-02")
@pytest.mark.parametrize("first", [0, 1])
def test_a_tool_that_does_not_exist_is_answered_with_the_names_of_those_that_do(
    server: ProviderServer, settings: Settings, first: int
) -> None:
    reasoner = PromptedReasoner(model(server, settings))
    server.play(reply("A-02", tool_calls=calls_of("A-02")[first:]), chat(json.dumps({"thought": "t", "action": LOOK})))
    assert reasoner.decide(context(), Control()).action.operation == "inspect"
    asked = server.requests[-1].body["messages"][-1]["content"]
    assert all(f"{name}" in asked for name in OPERATIONS)
    known = {
        **calls_of("A-02")[0],
        "function": {"name": "functions.inspect", "arguments": json.dumps(LOOK["arguments"])},
    }
    server.play(reply("A-02", tool_calls=[known]))
    assert reasoner.decide(context(), Control()).action.arguments == LOOK["arguments"]


@plays("A-01")
def test_the_same_unknown_tool_for_ever_ends_in_an_answer_of_the_embedded_engine(
    server: ProviderServer,
    settings: Settings,
    video: Path,  # noqa: F811
) -> None:
    brain = Brain()
    server.play(lambda r: reply("A-01") if _decides(r) else brain(r))
    events, _ = play(server, video, settings)
    assert sum(map(_decides, server.requests)) == 2, "the call, and one repair"
    decided = next(e for e in events if isinstance(e, Decided))
    assert decided.source.startswith("embedded") and decided.calls[0].failure == "malformed"
    end = events[-1]
    assert isinstance(end, RunFinished) and end.outcome is Outcome.FAILED and end.answer is not None


@plays("A-01")
def test_the_same_call_for_ever_is_carried_out_once_and_ended(
    server: ProviderServer,
    settings: Settings,
    video: Path,  # noqa: F811
) -> None:
    brain = Brain()
    call = renamed(calls_of("A-01")[0], "retrieve")
    server.play(lambda r: reply("A-01", tool_calls=[call]) if _decides(r) else brain(r))
    events, _ = play(server, video, settings, max_steps=20)
    looked = [e for e in events if isinstance(e, Observed)]
    assert 1 <= len(looked) <= 3
    assert any("identical" in e.notice.message for e in events if isinstance(e, Warned))
    end = events[-1]
    assert isinstance(end, RunFinished) and end.outcome is not Outcome.ANSWERED and end.answer is not None


def _decides(received: Received) -> bool:
    return "decision" in json.dumps(received.body["messages"]) and not received.images and (
        received.body.get("response_format", {}).get("json_schema", {}).get("name", "Decision") == "Decision"
    )  # fmt: skip


# ------------------------------------------------------------------------------------- limits
@plays("L-08a")
def test_a_used_up_quota_ends_at_once_with_its_reason(server: ProviderServer, settings: Settings) -> None:
    server.play(reply("L-08a"))
    kind, text, _ = failed(model(server, settings))
    assert (kind, len(server.requests)) == ("quota", 1)
    assert "check your plan and billing details" in text


@plays("L-08b")
@pytest.mark.parametrize("headers", [{"retry-after": "120"}, {}], ids=["header", "words"])
def test_a_long_wait_is_kept_to_the_second(server: ProviderServer, settings: Settings, headers: dict[str, str]) -> None:
    server.play(replace(reply("L-08b"), headers=headers), GOOD)
    control = Waits()
    assert ask(model(server, settings), control=control)[0].answer == "B"
    assert control.waits == [120.0]


def large_picture() -> Image:
    noise = np.random.default_rng(1).integers(0, 255, (720, 1280, 3), np.uint8)
    data, width, height = encode_jpeg(np.asarray(noise, np.uint8))
    return replace(picture(), jpeg=data, frame=replace(picture().frame, width=width, height=height))


@plays("L-09a", "L-09b")
@pytest.mark.parametrize("name", ["L-09a", "L-09b"])
def test_pictures_too_large_for_a_server_are_shrunk(server: ProviderServer, settings: Settings, name: str) -> None:
    server.play(unless(lambda r: len(r.raw) > 400_000, reply(name)))
    _, call = ask(model(server, settings), Short, [Turn("user", "?", (large_picture(),))])
    assert len(server.requests[0].raw) > 400_000 > len(server.requests[-1].raw)
    assert "pixels" in call.notices[0] and "<html" not in repr(call)
    server.play(reply(name))
    kind, text, _ = failed(model(server, settings))
    assert kind == "too_large" and "<html" not in text


@plays("L-20a", "L-20b")
@pytest.mark.parametrize("name", ["L-20a", "L-20b"])
def test_a_server_without_vision_is_named_and_its_echo_left_out(
    server: ProviderServer, settings: Settings, name: str
) -> None:
    def echo(received: Received) -> Answer:
        answer = reply(name)
        error = answer.body["error"]
        error["message"] = error["message"].replace("... the whole base64 image is echoed here ...", received.images[0])
        return answer

    server.play(lambda r: echo(r) if r.images else GOOD)
    kind, text, call = failed(model(server, settings), turns=[Turn("user", "?", (picture(),))])
    assert (kind, len(server.requests)) == ("too_many_images", 1)
    assert "takes no images" in text and not re.search(r"[A-Za-z0-9+/]{100}", text + repr(call))


@plays("L-21")
def test_one_picture_at_a_time_becomes_a_contact_sheet(server: ProviderServer, settings: Settings) -> None:
    server.play(unless(lambda r: len(r.images) > 1, reply("L-21")))
    turns = [Turn("user", "?", (picture(1.0), picture(2.0), picture(3.0)))]
    _, call = ask(model(server, settings), Short, turns)
    assert [len(r.images) for r in server.requests] == [3, 1]
    assert "contact sheet" in call.notices[0]


# ------------------------------------------------------------------------------------- gemini
@plays("L-14", "L-14b", "L-16")
@pytest.mark.parametrize(
    ("name", "says"), [("L-14", "PROHIBITED_CONTENT"), ("L-14b", "SAFETY"), ("L-16", "RECITATION")]
)
def test_blocked_content_is_named_and_not_asked_for_again(
    google: ProviderServer, settings: Settings, name: str, says: str
) -> None:
    google.play(reply(name))
    kind, text, _ = failed(gemini_model(settings))
    assert (kind, len(google.requests)) == ("blocked", 1)
    assert says in text


@plays("L-15")
@pytest.mark.parametrize("times", [1, 2, 3])
def test_a_malformed_call_is_tried_twice_more_at_most(google: ProviderServer, settings: Settings, times: int) -> None:
    google.play(*[reply("L-15")] * times, gemini('{"answer": "B"}'))
    if times < 3:
        assert ask(gemini_model(settings))[0].answer == "B"
    else:
        assert failed(gemini_model(settings))[0] == "malformed"
    assert len(google.requests) == min(times + 1, 3)


@plays("L-17")
@pytest.mark.parametrize("refusals", [1, 9])
def test_a_video_not_active_yet_is_asked_about_again_and_deleted(
    google: ProviderServer, settings: Settings, tmp_path: Path, refusals: int
) -> None:
    upload, generate, first, _ = (next(iter(step.items())) for step in REPLIES["L-17"]["steps"])
    google.file_states = [{"state": upload[1]["file"]["state"]}, {"state": first[1]["state"]}, {"state": "ACTIVE"}]
    refused = Answer(generate[1]["body"], generate[1]["status"])
    google.play(*[refused] * refusals, gemini('{"answer": "B"}'))
    (tmp_path / "a.mp4").write_bytes(b"0" * 100)
    one = gemini_model(settings)
    with one.uploaded(tmp_path / "a.mp4", Control()) as part:
        turns = [Turn("user", "?", video=part)]
        if refusals == 1:
            assert ask(one, Short, turns)[0].answer == "B"
        else:
            kind, text, _ = failed(one, turns=turns)
            assert kind == "server" and "not in an ACTIVE state" in text
            assert len(google.requests) == 3
    assert google.file_log[-1].startswith("delete")


@plays("L-17")
def test_a_video_the_provider_cannot_read_is_said_to_be_so(
    google: ProviderServer, settings: Settings, tmp_path: Path
) -> None:
    *_, waits, broken = (next(iter(step.values())) for step in REPLIES["L-17"]["steps"])
    google.file_states = [{"state": waits["state"]}] * 3 + [{"state": broken["state"], "error": broken["error"]}]
    (tmp_path / "a.mp4").write_bytes(b"0" * 100)
    with pytest.raises(ModelFailed, match="Can not find message descriptor") as caught:
        gemini_model(settings).uploaded(tmp_path / "a.mp4", Control()).__enter__()
    assert caught.value.kind == "malformed"
    assert google.file_log[-1].startswith("delete")


def test_every_reply_is_played_by_some_test() -> None:
    assert set(REPLIES) == PLAYED
