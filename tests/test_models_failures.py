"""Providers that fail, over real HTTP: every failure has a kind, only what can succeed is retried, Stop is heard."""

from __future__ import annotations

import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from models_help import Waits, ask, failed, model, stopped_within
from provider_server import KEY, Answer, ProviderServer, Received, chat, provider, refusal

from vesta_ui import models
from vesta_ui.control import Control
from vesta_ui.settings import Settings

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
    ("redirect", Answer("", 307, {"location": "https://elsewhere.example/v1"}), "server", 1, "elsewhere.example"),
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
        ({"retry-after": "7.5"}, "Rate limit reached", 7.5, 7.5),
        ({"retry-after-ms": "250"}, "Rate limit reached", 0.25, 0.25),
        ({}, "Rate limit reached. Please try again in 300ms. Add billing to raise it.", 0.3, 0.3),
        ({"retry-after": "DATE"}, "Rate limit reached", 10.0, 20.0),
    ],
)
def test_rate_limits_wait_as_told(
    server: ProviderServer, settings: Settings, headers: dict[str, str], message: str, low: float, high: float
) -> None:
    def limited(received: Received) -> Answer:
        if len(server.requests) > 1:
            return chat("fine")
        told = {
            k: format_datetime(datetime.now(UTC) + timedelta(seconds=20), True) if v == "DATE" else v
            for k, v in headers.items()
        }
        return replace(refusal(429, message, code="rate_limit_exceeded"), headers=told)  # fmt: skip

    server.play(limited)
    control = Waits()
    _, call = ask(model(server, settings), None, control=control)
    (waited,) = control.waits
    assert low <= waited <= high
    assert "rate_limited" in call.attempts[0]
    assert "after" in call.attempts[0]


def test_a_wait_longer_than_allowed_fails_at_once(server: ProviderServer, settings: Settings) -> None:
    server.play(replace(refusal(429, "slow down"), headers={"retry-after": "900"}))
    kind, _, call = failed(model(server, settings), schema=None)
    assert kind == "rate_limited"
    assert any("900 s" in attempt for attempt in call.attempts)


def test_stop_ends_a_rate_limit_wait(server: ProviderServer, settings: Settings) -> None:
    server.play(replace(refusal(429, "slow down"), headers={"retry-after": "120"}))
    control = Control()
    shown: list[str] = []

    def waits() -> bool:
        shown.append(control.waiting)
        return bool(shown[-1])

    assert stopped_within(control, lambda: ask(model(server, settings), None, control=control), waits) < 5
    assert "rate limited" in shown[-1], "the wait can be shown while it lasts"
    assert "120 s left" in shown[-1]
    assert control.waiting == ""


def test_stop_hangs_up_a_waiting_request(server: ProviderServer, settings: Settings) -> None:
    server.play(replace(chat(), stall_s=60))
    control = Control()
    ends = stopped_within(control, lambda: ask(model(server, settings), None, control=control), lambda: server.requests)
    assert ends < 5
    deadline = time.monotonic() + 5
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
    assert "--model-timeout" in text
    assert len(server.requests) == 2
    assert time.monotonic() - started < 20


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
