"""The OpenAI wire format over real HTTP, answered well and badly: what is sent, what is made of what comes back."""

from __future__ import annotations

import base64
import json
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any, Literal

import cv2
import numpy as np
import pytest
from provider_server import Answer, ProviderServer, Received, chat, provider, refusal
from pydantic import BaseModel

from vesta_ui import models
from vesta_ui.control import Control
from vesta_ui.domain import Frame, ModelCall
from vesta_ui.errors import ModelFailed, Stopped
from vesta_ui.frames import encode_jpeg
from vesta_ui.models import Image, Turn, asking, keys
from vesta_ui.settings import Settings

KEY = "sk-test-0123456789abcdef"


class Inner(BaseModel):
    label: str
    weight: float = 0.5


class Verdict(BaseModel):
    answer: str
    sure: Literal["yes", "no"] = "no"
    inner: list[Inner] = []
    note: str | None = None


class Short(BaseModel):
    answer: str


@pytest.fixture
def server() -> Iterator[ProviderServer]:
    with provider() as one:
        yield one


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "BACKOFF_S", 0.01)


def model(server: ProviderServer, settings: Settings, **changes: Any) -> models.Model:
    return models.load(f"compatible:m@{server.url}", replace(settings, **changes))


def picture(time_s: float = 1.0, width: int = 64, height: int = 48) -> Image:
    pixels = np.random.default_rng(int(time_s)).integers(0, 255, (height, width, 3), np.uint8)
    data, w, h = encode_jpeg(np.asarray(pixels, np.uint8))
    return Image(Frame(time_s, w, h, f"hash{time_s:g}"), data)


def ask(
    one: models.Model, schema: type[BaseModel] | None = Short, turns: list[Turn] | None = None, **more: Any
) -> tuple[Any, ModelCall]:
    return models.ask(one, "observer", turns or [Turn("user", "what?")], schema, more.pop("control", Control()), **more)  # type: ignore[call-overload,no-any-return]


def failed(one: models.Model, **more: Any) -> tuple[str, str, ModelCall]:
    with pytest.raises(ModelFailed) as caught:
        ask(one, **more)
    assert caught.value.call is not None, "the receipt of a failed call is lost"
    assert caught.value.call.failure == caught.value.kind
    return caught.value.kind, str(caught.value), caught.value.call


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
    assert one.max_images == 1
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


# ------------------------------------------------------------------------------------- every failure has a kind
CASES: list[tuple[str, Answer, str, int, str]] = [
    ("refusal field", chat(None, refusal="I can't help with that."), "refused", 1, "help with that"),
    ("refusal in prose", chat("I'm sorry, but I can't assist with that."), "refused", 1, "assist"),
    ("content filter", chat("", "content_filter"), "blocked", 1, "content_filter"),
    ("azure filter", refusal(400, "The response was filtered", code="content_filter"), "blocked", 1, "filtered"),
    ("empty", chat(""), "empty", 2, "stop"),
    ("no choices", Answer({"choices": []}), "empty", 2, "no choice"),
    ("choices null", Answer({"choices": None}), "empty", 2, "no choice"),
    ("half a JSON", chat('{"answer":"A man wal', "length"), "truncated", 2, "10 tokens"),
    ("reasoning ate it all", chat("", "length"), "truncated", 2, "thinking"),
    ("prose twice", chat("It is a dog."), "malformed", 2, "JSON"),
    ("wrong keys twice", chat('{"reply": 3}'), "malformed", 2, "answer"),
    ("a list", chat("[1, 2]"), "malformed", 2, ""),
    ("null", chat("null"), "malformed", 2, ""),
    ("quota", refusal(429, "You exceeded your current quota, please check your plan and billing details.", code="insufficient_quota"), "quota", 1, "billing"),
    ("payment", refusal(402, "Payment required"), "quota", 1, "Payment"),
    ("key", refusal(401, f"Incorrect API key provided: {KEY}. You can find it…", code="invalid_api_key"), "auth", 1, "key"),
    ("forbidden", refusal(403, "Country not supported"), "auth", 1, "Country"),
    ("no model", refusal(404, "The model `gpt-4.9` does not exist", code="model_not_found"), "not_found", 1, "other"),
    ("context", refusal(400, "This model's maximum context length is 4096 tokens.", code="context_length_exceeded"), "context_too_long", 1, "4096"),
    ("context llama.cpp", refusal(400, "the request exceeds the available context size, try increasing it"), "context_too_long", 1, ""),
    ("bad picture", refusal(400, "You uploaded an unsupported image. Please make sure your image is below 20 MB in size"), "too_large", 1, "20 MB"),
    ("server error", refusal(500, "boom"), "server", 3, "boom"),
    ("bad gateway page", Answer("<html><title>502 Bad Gateway</title><body>nginx</body></html>", 502), "server", 3, "502 Bad Gateway"),
    ("a page under 200", Answer("<!doctype html><title>Sign in</title>", headers={"content-type": "text/html"}), "not_found", 1, "Sign in"),
    ("empty body", Answer(""), "server", 3, "empty body"),
    ("error under 200", Answer({"error": {"code": 503, "message": "upstream overloaded"}}), "server", 3, "overloaded"),
    ("gateway timeout", refusal(504, "upstream timed out"), "timeout", 2, "upstream"),
    ("other 400", refusal(400, "messages: field required"), "server", 1, "field required"),
    ("tool flags", Answer({"object": "error", "message": '"auto" tool choice requires --enable-auto-tool-choice', "code": 400}, 400), "server", 1, "--enable-auto-tool-choice"),
]  # fmt: skip


@pytest.mark.parametrize(("answer", "kind", "requests", "says"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_failures_are_typed_and_only_retried_when_that_can_help(
    server: ProviderServer, settings: Settings, answer: Answer, kind: str, requests: int, says: str
) -> None:
    server.play(answer)
    found, text, call = failed(model(server, settings, model_wait_s=1.0))
    assert (found, len(server.requests)) == (kind, requests), text
    assert says in text
    assert "<html" not in text
    assert "\n" not in text
    assert len(text) < 700
    assert KEY not in text + repr(call)
    assert call.usage.remote_requests == requests


def test_not_found_lists_what_the_server_has(server: ProviderServer, settings: Settings) -> None:
    server.models = ["qwen2.5-vl", "llama3"]
    server.play(refusal(404, "model not found"))
    assert "the server has llama3, qwen2.5-vl" in failed(model(server, settings))[1]


def test_a_truncated_answer_gets_one_larger_try(server: ProviderServer, settings: Settings) -> None:
    server.play(chat('{"answer":"A man wal', "length"), chat('{"answer":"A man walks"}'))
    value, call = ask(model(server, settings), max_output_tokens=500)
    assert value.answer == "A man walks"
    assert [r.body["max_tokens"] for r in server.requests] == [500, 2000]
    assert call.usage.output_tokens == 20, "the cut answer was paid for too"


# ------------------------------------------------------------------------------------- waiting
@pytest.mark.parametrize(
    ("headers", "message", "low", "high"),
    [
        ({"retry-after": "0.3"}, "Rate limit reached", 0.3, 8.0),
        ({"retry-after-ms": "250"}, "Rate limit reached", 0.25, 8.0),
        ({}, "Rate limit reached. Please try again in 300ms. Add billing to raise it.", 0.3, 8.0),
        ({"retry-after": "DATE"}, "Rate limit reached", 0.5, 8.0),
    ],
)
def test_rate_limits_wait_as_told(
    server: ProviderServer, settings: Settings, headers: dict[str, str], message: str, low: float, high: float
) -> None:
    def limited(received: Received) -> Answer:
        if len(server.requests) > 1:
            return chat("fine")
        told = {
            k: format_datetime(datetime.now(UTC) + timedelta(seconds=2), True) if v == "DATE" else v
            for k, v in headers.items()
        }
        return replace(refusal(429, message, code="rate_limit_exceeded"), headers=told)  # fmt: skip

    server.play(limited)
    started = time.monotonic()
    _, call = ask(model(server, settings), None)
    assert low <= time.monotonic() - started < high
    assert "rate_limited" in call.attempts[0]
    assert "after" in call.attempts[0]


def test_a_wait_longer_than_allowed_fails_at_once(server: ProviderServer, settings: Settings) -> None:
    server.play(replace(refusal(429, "slow down"), headers={"retry-after": "900"}))
    kind, _, call = failed(model(server, settings), schema=None)
    assert kind == "rate_limited"
    assert any("900 s" in attempt for attempt in call.attempts)


def stopped_within(control: Control, work: Any, after_s: float = 0.3) -> float:
    """Seconds from Stop until the call is over."""
    timer = threading.Timer(after_s, control.stop)
    timer.start()
    started = time.monotonic()
    with pytest.raises(Stopped):
        work()
    return time.monotonic() - started - after_s


def test_stop_ends_a_rate_limit_wait(server: ProviderServer, settings: Settings) -> None:
    server.play(replace(refusal(429, "slow down"), headers={"retry-after": "120"}))
    control = Control()
    shown: list[str] = []
    threading.Timer(0.2, lambda: shown.append(control.waiting)).start()
    assert stopped_within(control, lambda: ask(model(server, settings), None, control=control)) < 1.0
    assert "rate limited" in shown[0], "the wait can be shown while it lasts"
    assert "120 s left" in shown[0]
    assert control.waiting == ""


def test_stop_hangs_up_a_waiting_request(server: ProviderServer, settings: Settings) -> None:
    server.play(replace(chat(), stall_s=60))
    control = Control()
    assert stopped_within(control, lambda: ask(model(server, settings), None, control=control)) < 1.0
    deadline = time.monotonic() + 2
    while server.requests[0].hung_up_after_s is None and time.monotonic() < deadline:
        time.sleep(0.02)
    assert server.requests[0].hung_up_after_s is not None, "the provider must see the connection end"


@pytest.mark.parametrize(
    "answer", [replace(chat(), stall_s=60), replace(chat("x" * 500), drip_s=0.05)], ids=["stall", "drip"]
)
def test_silence_and_slow_drips_end_at_the_time_limit(
    server: ProviderServer, settings: Settings, answer: Answer
) -> None:
    server.play(answer)
    started = time.monotonic()
    kind, text, _ = failed(model(server, settings, model_timeout_s=0.5), schema=None)
    assert kind == "timeout"
    assert "model_timeout_s" in text
    assert len(server.requests) == 2
    assert time.monotonic() - started < 5


def test_a_connection_lost_in_mid_answer_is_tried_again(server: ProviderServer, settings: Settings) -> None:
    server.play(replace(chat("x" * 200), cut_at=100), chat("fine"))
    value, call = ask(model(server, settings), None)
    assert value == "fine"
    assert "connection" in call.attempts[0]
    server.play(replace(chat("x" * 200), cut_at=100))
    assert failed(model(server, settings), schema=None)[0] == "connection"


def test_nobody_listening(settings: Settings) -> None:
    with provider() as gone:
        url = gone.url
    kind, text, _ = failed(models.load(f"compatible:m@{url}", settings), schema=None)
    assert kind == "connection"
    assert url in text


# ------------------------------------------------------------------------------------- odd but good answers
GOOD: list[tuple[str, Answer]] = [
    ("thinking with a decoy", chat('<think>The options are {A, B}. {"answer": "A"} looks wrong.</think>\n```json\n{"answer": "B"}\n```')),
    ("thinking without its start", chat('{"answer": "A"}? no.</think>{"answer": "B"}')),
    ("prose with a decoy before", chat('At first {"answer": "A"} seemed right, but it is {"answer": "B"}.')),
    ("two objects in a row", chat('{"answer": "B"}\n{"answer": "A"}')),
    ("JSON in reasoning_content", chat("", reasoning_content='{"answer": "B"}')),
    ("content parts", chat([{"type": "text", "text": '{"answer":'}, {"type": "text", "text": ' "B"}'}])),  # type: ignore[arg-type]
    ("trailing comma", chat('{"answer": "B",}')),
    ("python quotes", chat("{'answer': 'B'}")),
    ("raw line break", chat('{"answer": "B", "x": "two\nlines"}')),
    ("JSON in a string", chat(json.dumps('{"answer": "B"}'))),
    ("wrapped", chat('{"response": {"answer": "B"}}')),
    ("wrapped as text", chat('{"output": "{\\"answer\\": \\"B\\"}"}')),
    ("in a list", chat('[{"answer": "B"}]')),
    ("gzip", replace(chat('{"answer": "B"}'), zipped=True)),
    ("wrong content type", replace(chat('{"answer": "B"}'), headers={"content-type": "text/plain"})),
    ("no usage", chat('{"answer": "B"}', usage=None)),
    ("no finish reason", chat('{"answer": "B"}', finish=None)),
    ("a megabyte", chat('{"answer": "B"}' + " " * 1_000_000)),
    ("stream nobody asked for", Answer(
        'data: {"id":"c","choices":[{"index":0,"delta":{"content":"{\\"answer\\":"}}]}\n\n'
        'data: {"id":"c","choices":[{"index":0,"delta":{"content":" \\"B\\"}"},"finish_reason":"stop"}]}\n\n'
        'data: {"id":"c","choices":[],"usage":{"prompt_tokens":1,"completion_tokens":1}}\n\ndata: [DONE]\n\n',
        headers={"content-type": "text/event-stream"})),
]  # fmt: skip


@pytest.mark.parametrize("answer", [g[1] for g in GOOD], ids=[g[0] for g in GOOD])
def test_odd_answers_are_read_at_once(server: ProviderServer, settings: Settings, answer: Answer) -> None:
    server.play(answer)
    value, call = ask(model(server, settings))
    assert value.answer == "B"
    assert len(server.requests) == 1
    assert call.parsed == {"answer": "B"}


def test_tokens_nobody_reported_are_unknown(server: ProviderServer, settings: Settings) -> None:
    server.play(chat("fine", usage=None))
    usage = ask(model(server, settings), None)[1].usage
    assert (usage.input_tokens, usage.output_tokens, usage.cost_usd) == (None, None, None)
    assert usage.remote_requests == 1


# ------------------------------------------------------------------------------------- secrets
def test_a_key_the_server_echoes_never_gets_out(server: ProviderServer, settings: Settings) -> None:
    keys.set_key("compatible", "hunter2-hunter2")
    try:
        server.play(refusal(401, "Incorrect API key provided: hunter2-hunter2"))
        one = model(server, settings)
        _, text, call = failed(one)
        assert server.requests[0].headers["authorization"] == "Bearer hunter2-hunter2"
        assert "hunter2" not in text + repr(call) + repr(one)
        server.play(chat("your key is hunter2-hunter2"))
        assert "hunter2" not in repr(ask(one, None)[1])
    finally:
        keys.set_key("compatible", "")


def test_pictures_are_receipts_not_data(server: ProviderServer, settings: Settings, tmp_path: Path) -> None:
    _, call = ask(model(server, settings), None, [Turn("user", "?", (picture(),))])
    assert server.requests[0].images[0][:40] not in repr(call)
