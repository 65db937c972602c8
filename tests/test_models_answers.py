"""Odd but good answers over real HTTP, unknown token counts, and secrets that a server echoes."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from models_help import Verdict, ask, failed, model, picture
from provider_server import Answer, ProviderServer, chat, refusal

from vesta_ui.models import Turn, keys
from vesta_ui.settings import Settings

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


@pytest.mark.parametrize("said", ["hunter2-hunter2", "hunter2\\u002dhunter2"], ids=["plain", "escaped"])
def test_a_key_in_a_structured_reply_is_in_neither_value_nor_receipt(
    server: ProviderServer, settings: Settings, monkeypatch: pytest.MonkeyPatch, said: str
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "hunter2-hunter2")
    server.play(chat(f'{{"answer": "the key is {said}", "inner": [{{"label": "{said}"}}]}}'))
    value, call = ask(model(server, settings), Verdict)
    assert value.answer == "the key is [key]"
    assert value.inner[0].label == "[key]"
    assert call.parsed == value.model_dump(mode="json")
    assert "hunter2-hunter2" not in repr(call)


def test_a_key_like_a_field_name_leaves_the_reply_readable(
    server: ProviderServer, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "answer")
    server.play(chat('{"answer": "B"}'))
    assert ask(model(server, settings))[0].answer == "B"


def test_pictures_are_receipts_not_data(server: ProviderServer, settings: Settings, tmp_path: Path) -> None:
    _, call = ask(model(server, settings), None, [Turn("user", "?", (picture(),))])
    assert server.requests[0].images[0][:40] not in repr(call)
