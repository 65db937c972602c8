"""The Gemini wire format over real HTTP, answered well and badly, and the life of an uploaded video."""

from __future__ import annotations

import base64
import json
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from models_help import Short, Verdict, Waits, ask, failed, picture, stopped_within
from models_help import gemini_model as model
from provider_server import KEY, Answer, ProviderServer, Received, gemini, provider
from pydantic import BaseModel

from vesta_ui import models
from vesta_ui.control import Control
from vesta_ui.errors import BadSpec, ModelFailed, Stopped
from vesta_ui.models import Turn
from vesta_ui.settings import Settings


def error(code: int, message: str, status: str = "INVALID_ARGUMENT", **more: Any) -> Answer:
    return Answer({"error": {"code": code, "message": message, "status": status, **more}}, code)


def test_the_address_may_end_in_its_version_and_holds_no_password(
    google: ProviderServer, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    for ending in ("/", "/v1beta", "/v1beta/"):
        monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", google.root + ending)
        google.play(gemini("fine"))
        assert ask(model(settings), None)[0] == "fine"
    monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", "http://me:secret@127.0.0.1:9")
    with pytest.raises(BadSpec, match="no password") as caught:
        model(settings)
    assert "secret" not in str(caught.value)


def test_sends_text_pictures_and_a_schema_gemini_takes(google: ProviderServer, settings: Settings) -> None:
    google.play(gemini('{"answer": "B", "sure": "yes", "inner": [{"label": "x", "weight": 1}], "note": null}'))
    turns = [Turn("system", "be brief"), Turn("user", "what?", (picture(1.0), picture(2.0)))]
    value, call = ask(model(settings), Verdict, turns)
    assert value.answer == "B"
    sent = google.requests[0]
    assert sent.path == "/v1beta/models/gemini-3-flash-preview:generateContent"
    assert sent.headers["x-goog-api-key"] == KEY
    assert sent.body["systemInstruction"]["parts"] == [{"text": "be brief"}]
    parts = sent.body["contents"][0]["parts"]
    assert [p.get("text") for p in parts] == ["what?", "[00:01.0 = 1.00 s]", None, "[00:02.0 = 2.00 s]", None]
    assert base64.urlsafe_b64decode(sent.images[0]) == picture(1.0).jpeg
    form = sent.body["generationConfig"]
    assert form["responseMimeType"] == "application/json"
    text = json.dumps(form["responseSchema"])
    for word in ("additionalProperties", "additional_properties", "$schema", "$ref", "$defs", "default"):
        assert word not in text
    assert form["responseSchema"]["properties"]["note"]["nullable"] is True
    assert (call.usage.input_tokens, call.usage.output_tokens, call.usage.reasoning_tokens) == (50, 10, 3)
    assert call.usage.cost_usd == pytest.approx((50 * 0.5 + 10 * 3) / 1e6), "thinking is paid as output"
    assert (call.finish_reason, call.request_id) == ("STOP", "r1")


def blocked(reason: str) -> Answer:
    return Answer({"promptFeedback": {"blockReason": reason}, "usageMetadata": {"promptTokenCount": 258}})


CASES: list[tuple[str, Answer, str, int, str]] = [
    ("prompt blocked", blocked("PROHIBITED_CONTENT"), "blocked", 1, "PROHIBITED_CONTENT"),
    ("safety", Answer({"candidates": [{"finishReason": "SAFETY", "index": 0}]}), "blocked", 1, "SAFETY"),
    ("recitation", gemini(None, "RECITATION"), "blocked", 1, "RECITATION"),
    ("malformed call for ever", Answer({"candidates": [{"finishReason": "MALFORMED_FUNCTION_CALL", "finishMessage": "print(x)"}]}), "malformed", 3, "MALFORMED_FUNCTION_CALL"),
    ("cut", gemini('{"answer": "A m', "MAX_TOKENS"), "truncated", 2, "tokens"),
    ("nothing", Answer({}), "empty", 2, "no candidate"),
    ("other", gemini(None, "OTHER"), "empty", 2, "OTHER"),
    ("bad key", error(400, "API key not valid. Please pass a valid API key."), "auth", 1, "key"),
    ("no model", error(404, "models/x is not found for API version v1beta", "NOT_FOUND"), "not_found", 1, "the server has m, other"),
    ("daily quota", error(429, "You exceeded your current quota, please check your plan and billing details.", "RESOURCE_EXHAUSTED", details=[{"quotaId": "GenerateRequestsPerDay"}]), "quota", 1, "quota"),
    ("context", error(400, "The input token count (2000000) exceeds the maximum number of tokens allowed (1048576)."), "context_too_long", 1, "1048576"),
    ("overloaded", error(503, "The model is overloaded.", "UNAVAILABLE"), "server", 3, "overloaded"),
    ("page", Answer("<html><title>502 Bad Gateway</title></html>", 502), "server", 3, "502 Bad Gateway"),
    ("not JSON", Answer("nonsense"), "server", 3, "nonsense"),
]  # fmt: skip


@pytest.mark.parametrize(("answer", "kind", "requests", "says"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_failures_are_typed(
    google: ProviderServer, settings: Settings, answer: Answer, kind: str, requests: int, says: str
) -> None:
    google.play(answer)
    found, text, call = failed(model(settings))
    assert (found, len(google.requests)) == (kind, requests), text
    assert says in text
    assert "<html" not in text
    assert KEY not in text + repr(call)


def test_a_malformed_call_may_be_followed_by_a_good_answer(google: ProviderServer, settings: Settings) -> None:
    bad = Answer({"candidates": [{"finishReason": "MALFORMED_FUNCTION_CALL"}]})
    google.play(bad, bad, gemini('{"answer": "B"}'))
    assert ask(model(settings))[0].answer == "B"


def test_a_short_retry_delay_is_a_rate_limit_whatever_its_words(google: ProviderServer, settings: Settings) -> None:
    words = "You exceeded your current quota, please check your plan and billing details."
    info = [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "7.5s"}]
    google.play(error(429, words, "RESOURCE_EXHAUSTED", details=info), gemini('{"answer": "B"}'))
    control = Waits()
    assert ask(model(settings), control=control)[0].answer == "B"
    assert control.waits == [7.5]


def test_a_refused_schema_falls_back(google: ProviderServer, settings: Settings) -> None:
    def no_schema(received: Received) -> Answer:
        if "responseSchema" in received.body.get("generationConfig", {}):
            return error(400, 'Invalid JSON payload received. Unknown name "x" at generation_config.response_schema')
        return gemini('{"answer": "B"}')

    google.play(no_schema)
    assert ask(model(settings))[0].answer == "B"
    assert google.requests[-1].body["generationConfig"]["responseMimeType"] == "application/json"


def test_thoughts_are_not_the_answer(google: ProviderServer, settings: Settings) -> None:
    answer = gemini()
    answer.body["candidates"][0]["content"]["parts"] = [
        {"text": '{"answer": "A"}', "thought": True},
        {"text": '{"answer": "B"}'},
    ]
    google.play(answer)
    assert ask(model(settings))[0].answer == "B"


def test_stop_and_time_limit_end_a_silent_request(google: ProviderServer, settings: Settings) -> None:
    google.play(replace(gemini(), stall_s=60))
    control = Control()
    assert stopped_within(control, lambda: ask(model(settings), Short, control=control), lambda: google.requests) < 5
    assert failed(model(settings, model_timeout_s=0.3))[0] == "timeout"


def test_lost_connections_are_typed(
    google: ProviderServer, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    google.play(replace(gemini("x" * 200), cut_at=50), gemini('{"answer": "B"}'))
    assert ask(model(settings))[0].answer == "B"
    with provider() as gone:
        monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", gone.root)
    assert failed(model(settings))[0] == "connection"


def test_no_key_names_the_variable(settings: Settings) -> None:
    with pytest.raises(ModelFailed, match="GEMINI_API_KEY") as caught:
        models.load("gemini:gemini-3-flash-preview", settings)
    assert caught.value.kind == "not_configured"


# ------------------------------------------------------------------------------------- video files
def deleted(google: ProviderServer) -> str:
    return f"delete {google.file_name.removeprefix('files/')}"


@pytest.fixture
def clip(tmp_path: Path) -> Path:
    path = tmp_path / "clip.mp4"
    path.write_bytes(b"0" * 1000)
    return path


def test_a_video_is_used_when_active_and_deleted_afterwards(
    google: ProviderServer, settings: Settings, clip: Path
) -> None:
    processing = {"state": "PROCESSING"}
    google.file_states = [processing, processing, processing, {"state": "ACTIVE"}]
    google.play(gemini('{"answer": "B"}'))
    one = model(settings)
    with one.uploaded(clip, Control()) as video:
        assert ask(one, Short, [Turn("user", "what?", video=video)])[0].answer == "B"
    sent = google.requests[0].body["contents"][0]["parts"][0]
    assert sent["fileData"]["file_uri"].endswith(google.file_name)
    assert google.file_log[0] == "upload 1000"
    assert google.file_log[-2:] == ["get ACTIVE", deleted(google)]


@pytest.mark.parametrize(
    ("states", "kind", "says"),
    [
        ([{"state": "PROCESSING"}, {"state": "PROCESSING"}, {"state": "FAILED", "error": {"code": 3, "message": "Can not find message descriptor"}}], "malformed", "descriptor"),
        ([{"state": "PROCESSING"}], "timeout", "not ready"),
    ],
)  # fmt: skip
def test_a_video_that_never_gets_ready_is_deleted_too(
    google: ProviderServer, settings: Settings, clip: Path, states: list[dict[str, Any]], kind: str, says: str
) -> None:
    google.file_states = states
    limit = 0.3 if kind == "timeout" else 60.0
    with pytest.raises(ModelFailed, match=says) as caught, model(settings).uploaded(clip, Control(), limit_s=limit):
        pass
    assert caught.value.kind == kind
    assert google.file_log[-1] == deleted(google)


def test_stop_while_a_video_is_processed(google: ProviderServer, settings: Settings, clip: Path) -> None:
    google.file_states = [{"state": "PROCESSING"}]
    control = Control()
    stopped_at: list[float] = []

    def stop_when_polled() -> None:
        while len(google.file_log) < 3:
            time.sleep(0.01)
        stopped_at.append(time.monotonic())
        control.stop()

    threading.Thread(target=stop_when_polled, daemon=True).start()
    with pytest.raises(Stopped), model(settings).uploaded(clip, control):
        pass
    assert time.monotonic() - stopped_at[0] < 5
    assert google.file_log[-1] == deleted(google)


def test_schemas_of_every_shape_pass_both_providers() -> None:
    from vesta_ui.models.structured import gemini_schema, openai_schema

    class Tree(BaseModel):
        kind: str
        parts: list[Verdict]
        either: Short | Verdict | None = None

    for text in (json.dumps(gemini_schema(Tree)), json.dumps(openai_schema(Tree))):
        assert "$ref" not in text
    assert "additionalProperties" not in json.dumps(gemini_schema(Tree))
