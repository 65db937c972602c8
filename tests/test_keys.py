"""Keys of providers: where they come from, and that none is ever shown or kept, however it is spelt."""

from __future__ import annotations

import base64
import html
import json
import time
from collections.abc import Callable
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st
from models_help import Verdict, ask, failed, model
from provider_server import ProviderServer, chat, refusal

from vesta_ui.control import Control
from vesta_ui.models import keys
from vesta_ui.models.doctor import examine
from vesta_ui.runs.redact import Redactor
from vesta_ui.settings import Settings


def test_typed_keys_come_before_the_environment_and_can_be_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "from-env")
    assert keys.get_key("openai") == "from-env"
    keys.set_key("openai", " typed-key ")
    assert keys.get_key("openai") == "typed-key"
    keys.set_key("openai", "")
    assert keys.get_key("openai") == "from-env"


@pytest.mark.parametrize(
    "text",
    ["Incorrect API key provided: sk-proj-abc***xyz.", "key=AIzaSyA-123456789", "Authorization: Bearer abcdefgh12345",
     "url data:image/jpeg;base64," + "QUJD" * 100, "QUJD" * 60 + "=="],
)  # fmt: skip
def test_scrubbing(text: str) -> None:
    clean = keys.scrub(text)
    for secret in ("abc***", "SyA-1", "abcdefgh", "QUJDQUJD"):
        assert secret not in clean


def test_a_key_of_the_environment_is_scrubbed_wherever_it_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", "correct horse")
    assert keys.scrub("x correct horse y") == "x [key] y"


ODD = 'pass/word+0123="ü&<x>'
"""A key full of characters that something escapes."""
PLAIN = "hunter2-Hunter2"


def b64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


FORMS: dict[str, Callable[[str], str]] = {
    "as it is": str,
    "json": json.dumps,
    "json in json": lambda key: json.dumps(json.dumps(key)),
    "json with its slashes escaped": lambda key: json.dumps(key).replace("/", "\\/"),
    "every character escaped": lambda key: "".join(f"\\u{ord(c):04x}" for c in key),
    "escaped in capitals": lambda key: "".join(f"\\u{ord(c):04X}" for c in key),
    "one character escaped": lambda key: f"{key[:6]}\\u{ord(key[6]):04x}{key[7:]}",
    "address": lambda key: quote(key, safe=""),
    "address, small letters": lambda key: "".join(f"%{byte:02x}" for byte in key.encode()),
    "address twice": lambda key: quote(quote(key, safe=""), safe=""),
    "form": quote_plus,
    "html": html.escape,
    "html numbers": lambda key: "".join(f"&#{ord(c)};" for c in key),
    "bearer header": lambda key: f"Authorization: Bearer {key}",
    "google header": lambda key: f"'x-goog-api-key': '{key}'",
    "basic header": lambda key: f"Authorization: Basic {b64(':' + key)}",
    "basic header with a name": lambda key: f"Basic {b64('me:' + key)}",
    "hexadecimal": lambda key: key.encode().hex(),
    "hexadecimal in capitals": lambda key: key.encode().hex().upper(),
    "base64": b64,
    "base64 of the header": lambda key: b64(f"Bearer {key}"),
    "base64 for addresses": lambda key: base64.urlsafe_b64encode(key.encode()).decode(),
    "base64 in an address": lambda key: quote(b64(key), safe=""),
}


def left(text: str, key: str) -> list[str]:
    """Spellings of the key, or of all but the ends of its base64, that still stand in the text."""
    return [name for name, spell in FORMS.items() if (spelt := spell(key).strip('"\\')) in text or spelt[4:-4] in text]


@pytest.mark.parametrize("key", [ODD, PLAIN])
@pytest.mark.parametrize("form", FORMS)
def test_no_spelling_of_a_key_gets_through(monkeypatch: pytest.MonkeyPatch, form: str, key: str) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", key)
    text = f"before {FORMS[form](key)} after"
    for clean in (keys.scrub(text), Redactor().text(text)):
        assert not left(clean, key)
        assert clean.startswith("before ") and clean.endswith(" after") and "[key" in clean


@given(
    st.text(
        st.characters(min_codepoint=33, max_codepoint=0xFFFF, exclude_categories=["Cs", "Zs", "Cc"]),
        min_size=8,
        max_size=60,
    ),
    st.sampled_from(sorted(FORMS)),
)
def test_any_key_in_any_spelling(key: str, form: str) -> None:
    keys.set_key("openai", key)
    try:
        text = FORMS[form](key)
        assert keys.without_known(text)[1] >= 1, "seen"
        assert not key.strip() or key not in keys.scrub(text)
    finally:
        keys.set_key("openai", "")


@pytest.mark.parametrize(
    "text", ["sk-learn is a library", "the Flag Bearer Championship", "a task-0123456789 in the plan"]
)
def test_words_that_look_a_little_like_keys_stay(text: str) -> None:
    assert keys.scrub(text) == text


@pytest.mark.parametrize(
    "text", ["\\" * 100_000, "%25" * 60_000, "Bearer " * 30_000, "sk-" * 60_000, "&#0000" * 30_000, "/" * 100_000]
)
def test_hostile_text_is_scrubbed_quickly(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "/+" + ODD)
    began = time.process_time()
    keys.scrub(text)
    assert time.process_time() - began < 2


# ------------------------------------------------------------------------------------- a server that echoes
@pytest.mark.parametrize("key", [ODD, PLAIN])
@pytest.mark.parametrize("form", FORMS)
def test_an_echoed_key_is_in_no_value_receipt_or_failure(
    server: ProviderServer, settings: Settings, monkeypatch: pytest.MonkeyPatch, form: str, key: str
) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", key)
    one, said = model(server, settings), FORMS[form](key)
    server.play(refusal(401, f"not accepted: {said}", code=said))
    _, text, call = failed(one)
    assert not left(text + repr(call), key)
    server.play(chat(json.dumps({"answer": f"it is {said}", "inner": [{"label": said}]}), finish=said))
    value, call = ask(one, Verdict)
    assert not left(json.dumps([value.model_dump(), call.parsed]) + call.reply + call.finish_reason, key)
    server.play(chat(f"I will not say {said}"))
    _, text, call = failed(one)
    assert not left(text + "".join(call.attempts) + "".join(m.text for m in call.messages), key)
    server.play(chat(f"the key is {said}", id=said))
    value, call = ask(one, None)
    assert not left(value + call.reply + call.request_id, key)


def test_a_key_among_the_models_of_a_server_is_not_listed(
    server: ProviderServer, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", PLAIN)
    server.models = [f"m-{PLAIN}"]
    server.play(refusal(404, "model not found"))
    assert "m-[key]" in failed(model(server, settings))[1]
    assert not any(PLAIN in repr(check) for check in examine(f"compatible:mm@{server.url}", settings, Control()))
