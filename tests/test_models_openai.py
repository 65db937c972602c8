"""The OpenAI wire format over real HTTP: what is sent, and how it is fitted to what a server takes."""

from __future__ import annotations

import base64
import json
from typing import Any

import cv2
import numpy as np
import pytest
from models_help import Verdict, ask, failed, model, picture
from provider_server import KEY, Answer, ProviderServer, Received, chat, refusal

from vesta_ui import models
from vesta_ui.domain import Frame
from vesta_ui.frames import encode_jpeg
from vesta_ui.models import Image, Turn
from vesta_ui.settings import Settings


# ------------------------------------------------------------------------------------- what is sent
def test_sends_text_time_stamps_pictures_and_a_closed_schema(server: ProviderServer, settings: Settings) -> None:
    server.play(chat('{"answer": "B", "sure": "yes", "inner": [], "note": null}'))
    turns = [Turn("system", "be brief"), Turn("user", "what?", (picture(1.0), picture(62.5)))]
    value, call = ask(model(server, settings), Verdict, turns)
    assert value == Verdict(answer="B", sure="yes")
    body = server.requests[0].body
    assert body["model"] == "m"
    assert body["messages"][0] == {"role": "system", "content": "be brief"}
    parts = body["messages"][1]["content"]
    assert [p["type"] for p in parts] == ["text", "text", "image_url", "text", "image_url"]
    assert [p["text"] for p in parts if p["type"] == "text"] == ["what?", "[00:01.0 = 1.00 s]", "[01:02.5 = 62.50 s]"]
    assert parts[2]["image_url"]["url"].startswith("data:image/jpeg;base64,")
    sent = [cv2.imdecode(np.frombuffer(base64.b64decode(i), np.uint8), 1).shape for i in server.requests[0].images]
    assert sent == [(48, 64, 3)] * 2
    schema = body["response_format"]["json_schema"]
    assert schema["strict"] is True
    assert_closed(schema["schema"])
    assert [m.role for m in call.messages] == ["system", "user"]
    assert [f.sha256 for f in call.messages[1].frames] == ["hash1", "hash62.5"]
    assert (call.usage.remote_requests, call.usage.input_tokens, call.usage.output_tokens) == (1, 100, 10)
    assert (call.usage.frames, call.finish_reason, call.request_id) == (2, "stop", "c1")
    assert call.usage.cost_usd is None, "an unknown price is not zero"


def assert_closed(node: Any) -> None:
    text = json.dumps(node)
    assert "$ref" not in text
    assert "default" not in text
    if isinstance(node, dict):
        if "properties" in node:
            assert node["additionalProperties"] is False
            assert set(node["required"]) == set(node["properties"])
        for value in node.values():
            assert_closed(value)
    elif isinstance(node, list):
        for value in node:
            assert_closed(value)


def test_last_message_is_never_the_assistants(server: ProviderServer, settings: Settings) -> None:
    def strict(received: Received) -> Answer:
        if received.body["messages"][-1]["role"] == "assistant":
            return refusal(400, "Cannot use prefill: last message is from the assistant")
        return chat("no idea") if len(server.requests) == 1 else chat('{"answer": "A"}')

    server.play(strict)
    value, call = ask(model(server, settings))
    assert value.answer == "A"
    assert [m.role for m in call.messages] == ["user", "assistant", "user"], "raw and repaired are both in the receipt"


@pytest.mark.parametrize("ending", ["", "/v1", "/v1/v1", "/v1/chat/completions", "/v1/"])
def test_any_spelling_of_the_address_reaches_the_server(
    server: ProviderServer, settings: Settings, ending: str
) -> None:
    one = models.load(f"compatible:m@{server.root}{ending}", settings)
    assert ask(one, None)[0] == "ok"
    assert server.requests[0].path == "/v1/chat/completions"


def test_openai_takes_key_and_address_from_its_own_variables(
    server: ProviderServer, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_BASE_URL", f"{server.root}/v1/v1")
    usage = {"prompt_tokens": 1000, "completion_tokens": 500, "prompt_tokens_details": {"cached_tokens": 400},
             "completion_tokens_details": {"reasoning_tokens": 300}}  # fmt: skip
    server.play(chat("hi", usage=usage))
    _, call = ask(models.load("openai:o3", settings), None)
    body = server.requests[0].body
    assert "max_completion_tokens" in body
    assert "max_tokens" not in body
    assert "temperature" not in body, "reasoning models refuse it"
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"
    assert (call.usage.cached_tokens, call.usage.reasoning_tokens) == (400, 300)
    assert call.usage.cost_usd == pytest.approx((600 * 2 + 400 * 0.5 + 500 * 8) / 1e6)


def test_the_openai_key_never_goes_to_another_server(
    server: ProviderServer, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    ask(model(server, settings), None)
    assert KEY not in json.dumps(server.requests[0].headers)


def test_no_request_leaves_this_machine_in_tests(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with pytest.raises(RuntimeError, match="switched off"):
        ask(models.load("openai:o3", settings), None)
    with pytest.raises(RuntimeError, match="switched off"):
        ask(models.load("compatible:m@http://models.example/v1", settings), None)


# ------------------------------------------------------------------------------------- adapting
def test_parameter_names_are_learnt_once(server: ProviderServer, settings: Settings) -> None:
    def fussy(received: Received) -> Answer:
        if "max_tokens" in received.body:
            text = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
            return refusal(400, text, param="max_tokens", code="unsupported_parameter")
        if received.body.get("temperature", 1) != 1:
            text = "Unsupported value: 'temperature' does not support 0 with this model."
            return refusal(400, text, param="temperature", code="unsupported_value")
        return chat("fine")

    server.play(fussy)
    value, call = ask(model(server, settings), None)
    assert value == "fine"
    assert len(server.requests) == 3
    assert len(call.attempts) == 2
    assert (call.usage.remote_requests, call.usage.failed_requests) == (3, 2)
    ask(model(server, settings), None)
    assert len(server.requests) == 4, "what was learnt is remembered for the server"


def test_a_parameter_refused_for_ever_ends_with_the_servers_words(server: ProviderServer, settings: Settings) -> None:
    server.play(refusal(400, "Unsupported parameter: 'max_tokens' is not supported with this model."))
    kind, text, call = failed(model(server, settings), schema=None)
    assert kind == "server"
    assert "max_tokens" in text
    assert len(call.attempts) <= 6


@pytest.mark.parametrize(
    ("refused", "error", "used"),
    [
        (["json_schema"], {"error": {"message": "This response_format type is unavailable now", "code": "invalid_request_error"}}, "json_object"),
        (["json_schema", "json_object"], {"error": "'response_format.type' must be 'text'"}, None),
    ],
)  # fmt: skip
def test_structured_output_ladder(
    server: ProviderServer, settings: Settings, refused: list[str], error: Any, used: str | None
) -> None:
    def ladder(received: Received) -> Answer:
        form = (received.body.get("response_format") or {}).get("type")
        return Answer(error, 400) if form in refused else chat('{"answer": "C"}')

    server.play(ladder)
    one = model(server, settings)
    assert ask(one)[0].answer == "C"
    last = server.requests[-1].body
    assert (last.get("response_format") or {}).get("type") == used
    assert "JSON Schema" in last["messages"][-1]["content"], "without a schema mode the prompt says the form"
    count = len(server.requests)
    ask(one)
    assert len(server.requests) == count + 1


def test_json_object_refusal_does_not_matter_to_a_server_that_takes_schemas(
    server: ProviderServer, settings: Settings
) -> None:
    def only_schema(received: Received) -> Answer:
        if (received.body.get("response_format") or {}).get("type") == "json_object":
            return Answer({"error": "'response_format.type' must be 'json_schema' or 'text'"}, 400)
        return chat('{"answer": "C"}')

    server.play(only_schema)
    assert ask(model(server, settings))[0].answer == "C"
    assert len(server.requests) == 1


def test_system_text_moves_where_it_is_refused(server: ProviderServer, settings: Settings) -> None:
    def no_system(received: Received) -> Answer:
        if received.body["messages"][0]["role"] == "system":
            return refusal(400, "System role not supported")
        return chat("fine")

    server.play(no_system)
    ask(model(server, settings), None, [Turn("system", "be brief"), Turn("user", "what?")])
    assert server.requests[-1].body["messages"] == [{"role": "user", "content": "be brief\n\nwhat?"}]


def test_output_limit_over_the_models_own_is_lowered(server: ProviderServer, settings: Settings) -> None:
    def small(received: Received) -> Answer:
        if received.body["max_tokens"] > 1024:
            return refusal(
                400, f"max_tokens is too large: {received.body['max_tokens']}. This model supports at most 1024."
            )
        return chat("fine")

    server.play(small)
    assert ask(model(server, settings), None, max_output_tokens=4000)[0] == "fine"


# ------------------------------------------------------------------------------------- pictures
def test_one_image_servers_get_a_contact_sheet_and_the_limit_is_remembered(
    server: ProviderServer, settings: Settings
) -> None:
    def one_only(received: Received) -> Answer:
        if len(received.images) > 1:
            message = "At most 1 image(s) may be provided in one request."
            return Answer({"object": "error", "message": message, "type": "BadRequestError", "code": 400}, 400)
        return chat("seen")

    server.play(one_only)
    one = model(server, settings)
    turns = [Turn("user", "what?", tuple(picture(t) for t in (1.0, 2.0, 3.0, 4.0)))]
    _, call = ask(one, None, turns)
    assert one.known.max_images == 1
    sheet = cv2.imdecode(np.frombuffer(base64.b64decode(server.requests[-1].images[0]), np.uint8), 1)
    assert sheet.shape == (96, 128, 3), "two rows of two"
    assert "2.00 s" in json.dumps(server.requests[-1].body["messages"])
    assert "contact sheet" in " ".join(call.notices)
    assert len(call.messages[0].frames) == 4, "the receipt names every frame on the sheet"
    ask(one, None, turns)
    assert len(server.requests) == 3


def test_pictures_shrink_until_the_body_fits(server: ProviderServer, settings: Settings) -> None:
    limit = 60_000

    def small_bodies(received: Received) -> Answer:
        if len(received.raw) > limit:
            page = "<html><head><title>413 Request Entity Too Large</title></head></html>"
            return Answer(page, 413, {"content-type": "text/html"})
        return chat("seen")

    server.play(small_bodies)
    rows, columns = np.mgrid[0:720, 0:1280]
    smooth = np.stack([rows % 256, columns % 256, (rows + columns) % 256], axis=2).astype(np.uint8)
    data, w, h = encode_jpeg(smooth)
    shot = Image(Frame(0.0, w, h, "x"), data)
    assert len(data) * 4 / 3 > limit
    _, call = ask(model(server, settings), None, [Turn("user", "?", (shot,))])
    assert len(server.requests[-1].raw) <= limit
    assert "pixels" in " ".join(call.notices)
    assert call.messages[0].frames[0].width < 1280, "the receipt gives the size that was sent"
    sizes = len(server.requests)
    ask(model(server, settings), None, [Turn("user", "?", (shot,))])
    assert len(server.requests) == sizes + 1


@pytest.mark.parametrize(
    "answer",
    [
        refusal(500, "image input is not supported by this server"),
        refusal(
            500, 'Failed to parse messages: Unsupported content part type: "image_url"; messages = [ ' + "QUJD" * 400
        ),
    ],
)
def test_a_server_without_vision_says_so_without_echoing_the_picture(
    server: ProviderServer, settings: Settings, answer: Answer
) -> None:
    server.play(answer)
    kind, text, call = failed(model(server, settings), turns=[Turn("user", "?", (picture(),))], schema=None)
    assert kind == "too_many_images"
    assert "takes no images" in text
    assert "QUJDQUJD" not in text + repr(call)
    assert len(server.requests) == 1


def test_not_found_for_a_big_body_is_too_large(server: ProviderServer, settings: Settings) -> None:
    server.play(Answer({"message": "Cannot POST /v1/chat/completions"}, 404))
    assert failed(model(server, settings), turns=[Turn("user", "?", (picture(),))], schema=None)[0] == "too_large"
    assert failed(model(server, settings), schema=None)[0] == "not_found"
