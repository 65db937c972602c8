"""Models without a network: specs, keys, scripts, reading structured answers, prices, fitting pictures."""

from __future__ import annotations

import json
import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from pydantic import BaseModel

from vesta_ui import models, transcript
from vesta_ui.control import Control
from vesta_ui.domain import Frame, Usage
from vesta_ui.errors import BadInput, BadSpec, ModelFailed, Stopped
from vesta_ui.frames import encode_jpeg
from vesta_ui.models import Image, Turn, failures, images, prices, structured
from vesta_ui.models.http import local, tidy
from vesta_ui.settings import ROLE_PRESETS, Settings


class Reply(BaseModel):
    answer: str
    score: float = 0.0


# ------------------------------------------------------------------------------------- specs
@pytest.mark.parametrize(
    ("spec", "provider", "model", "url"),
    [
        ("openai:o3", "openai", "o3", ""),
        ("gemini:gemini-3-flash-preview", "gemini", "gemini-3-flash-preview", ""),
        ("compatible:qwen2.5vl:7b@http://127.0.0.1:11434/v1", "compatible", "qwen2.5vl:7b", "http://127.0.0.1:11434/v1"),
        ("compatible:a@b/c@localhost:8080", "compatible", "a@b/c", "http://localhost:8080/v1"),
        ("compatible:m@https://host.example/api/v1/", "compatible", "m", "https://host.example/api/v1"),
        ("compatible:m@HTTP://127.0.0.1:8080/v1", "compatible", "m", "http://127.0.0.1:8080/v1"),
        ("compatible:m@httpbox:8080/v1/", "compatible", "m", "http://httpbox:8080/v1"),
        ("compatible:m@[::1]:8080/v1//v1/", "compatible", "m", "http://[::1]:8080/v1"),
        ("compatible:m@ http://h/v1/models ", "compatible", "m", "http://h/v1"),
        ("compatible:@cf/meta/llama@http://h/v1/v1/chat/completions/", "compatible", "@cf/meta/llama", "http://h/v1"),
        ("scripted:/x/y.json", "scripted", "/x/y.json", ""),
    ],
)  # fmt: skip
def test_specs(spec: str, provider: str, model: str, url: str) -> None:
    parsed = models.parse(spec)
    assert (parsed.provider, parsed.model, parsed.url) == (provider, model, url)


def test_presets_name_roles_and_models_that_exist(settings: Settings) -> None:
    for roles in ROLE_PRESETS.values():
        chosen = replace(settings, **roles)
        for name in ("router", "reasoner", "observer"):
            spec = getattr(chosen, name)
            assert spec == "embedded" or models.parse(spec).model
        assert transcript.identity(chosen.speech)


@pytest.mark.parametrize(
    "spec",
    ["", "o3", "openai", "openai:", "openai: ", "claude:x", "compatible:m", "compatible:@http://x/v1", "embedded",
     "compatible:m@http://", "compatible:m@http://x:notaport/v1", "compatible:m@http://me:secret@x/v1", "compatible:m@http://x/v1?key=secret",
     "compatible:m@me:secret@x/v1", "compatible:m@http://me:secret@x:notaport/v1", "compatible:m@x:y/v1?key=secret", "compatible:@http://me:secret@x/v1",
     "compatible:m@ftp://x/v1", "compatible:m@http:/x/v1", "compatible:m@http//x/v1", "compatible:m@http://x y/v1", "compatible:m@http://:8080/v1"],
)  # fmt: skip
def test_bad_specs_say_what_to_write_in_one_sentence(spec: str) -> None:
    with pytest.raises(BadSpec) as caught:
        models.parse(spec)
    assert "\n" not in str(caught.value)
    assert "secret" not in str(caught.value)
    assert any(word in str(caught.value) for word in ("write", "type", "by rules"))


def test_a_missing_key_names_its_variable(settings: Settings) -> None:
    with pytest.raises(ModelFailed, match="OPENAI_API_KEY") as caught:
        models.load("openai:o3", settings)
    assert caught.value.kind == "not_configured"


@pytest.mark.parametrize(("url", "here"), [("http://127.0.0.1:1/v1", True), ("http://localhost/v1", True), ("http://[::1]:8/", True),
                                           ("http://127.0.0.1.evil.example/", False), ("https://api.openai.com", False), ("http://10.0.0.1/", False)])  # fmt: skip
def test_what_counts_as_this_machine(url: str, here: bool) -> None:
    assert local(url) is here


@given(st.lists(st.sampled_from(["v1", "api", "chat", "completions"]), max_size=5))
def test_tidying_an_address_twice_changes_nothing(steps: list[str]) -> None:
    once = tidy("http://h:1/" + "/".join(steps))
    assert tidy(once) == once


# ------------------------------------------------------------------------------------- scripts
def script(tmp_path: Path, data: Any) -> str:
    path = tmp_path / "replies.json"
    path.write_text(data if isinstance(data, str) else json.dumps(data))
    return f"scripted:{path}"


def test_a_script_plays_by_role_and_in_order(settings: Settings, tmp_path: Path) -> None:
    spec = script(
        tmp_path,
        {"router": [{"answer": "r"}], "reasoner": ["nonsense", {"answer": "1"}, {"fail": "refused", "message": "no"}]},
    )
    one = models.load(spec, settings)  # fmt: skip
    turns = [Turn("user", "?")]
    assert models.ask(one, "router", turns, Reply, Control())[0].answer == "r"
    value, call = models.ask(one, "reasoner", turns, Reply, Control())
    assert value.answer == "1"
    assert len(call.attempts) == 1, "a script goes through the same repair as any provider"
    assert call.model == "scripted:replies.json", "no path of the machine in a receipt"
    assert call.usage.cost_usd == 0.0
    for kind in ("refused", "empty"):
        with pytest.raises(ModelFailed) as caught:
            models.ask(one, "reasoner", turns, Reply, Control())
        assert caught.value.kind == kind
    stopped = Control()
    stopped.stop()
    with pytest.raises(Stopped):
        models.ask(models.load(spec, settings), "router", turns, Reply, stopped)


@pytest.mark.parametrize("data", ["{", '"text"', '{"router": 3}'])
def test_bad_scripts(settings: Settings, tmp_path: Path, data: str) -> None:
    with pytest.raises(BadSpec, match="script"):
        models.load(script(tmp_path, data), settings)
    with pytest.raises(BadSpec, match=r"missing\.json"):
        models.load("scripted:missing.json", settings)


def test_failures_survive_pickling_of_their_receipt(settings: Settings, tmp_path: Path) -> None:
    one = models.load(script(tmp_path, [{"fail": "refused"}]), settings)
    with pytest.raises(ModelFailed) as caught:
        models.ask(one, "router", [Turn("user", "?")], Reply, Control())
    assert pickle.loads(pickle.dumps(caught.value.call)) == caught.value.call


# ------------------------------------------------------------------------------------- reading answers
@given(
    st.text(alphabet=st.characters(blacklist_characters="{}[]<>`\"'"), max_size=60),
    st.text(alphabet=st.characters(blacklist_characters="{}[]<>`\"'"), max_size=60),
    st.dictionaries(st.sampled_from(["answer", "note"]), st.text(max_size=30), min_size=2),
)
def test_one_object_is_found_whatever_stands_around_it(before: str, after: str, value: dict[str, str]) -> None:
    assert structured.read(f"{before}{json.dumps(value)}{after}", Reply).answer == value["answer"]


@given(st.text(max_size=400))
@hypothesis_settings(max_examples=200)
def test_reading_never_breaks_and_never_invents(text: str) -> None:
    try:
        found = structured.read(text, Reply)
    except structured.Unreadable:
        return
    assert found.answer in text or json.dumps(found.answer)[1:-1] in text or "\\" in text


@given(st.integers(1, 40))
def test_a_cut_off_object_is_never_closed(length: int) -> None:
    whole = '{"answer": "a man walks", "score": 0.5}'
    with pytest.raises(structured.Unreadable):
        structured.read(whole[: min(length, len(whole) - 1)], Reply)


@pytest.mark.parametrize(
    "text", ["{" * 5_000, "[" * 50_000, '{"a":' * 3_000, "```" * 2_000, "<think>" * 2_000, "{" + "'a'," * 3_000]
)
def test_hostile_text_is_refused_quickly(text: str) -> None:
    with pytest.raises(structured.Unreadable):
        structured.read(text, Reply)


def test_property_names_are_not_taken_for_schema_words() -> None:
    class Odd(BaseModel):
        title: str
        default: int
        format: list[str]

    for schema in (structured.openai_schema(Odd), structured.gemini_schema(Odd)):
        assert set(schema["properties"]) == {"title", "default", "format"}


# ------------------------------------------------------------------------------------- failures
def test_web_pages_and_long_bodies_become_one_line() -> None:
    page = failures.classify(502, "<html><head><title>502\nBad Gateway</title></head>" + "x" * 5_000, {})
    assert str(page) == "the server failed (a web page: 502 Bad Gateway)"
    long = failures.classify(500, "word " * 5_000, {})
    assert len(str(long)) < 400


@given(st.integers(300, 599), st.text(max_size=200))
def test_any_answer_is_one_of_our_kinds(status: int, body: str) -> None:
    failure = failures.classify(status, body, {})
    assert failure.kind in failures._SAYS
    assert "\n" not in str(failure)


# ------------------------------------------------------------------------------------- prices
def test_the_table_has_source_and_date_and_the_papers_models() -> None:
    table = prices.load()
    for name in ("openai:o3", "openai:gpt-4o", "gemini:gemini-3-flash-preview"):
        row = table.of(name)
        assert row is not None
        assert row.source.startswith("https://")
        assert row.date


def test_cost_counts_cached_tokens_once() -> None:
    table = prices.load()
    usage = Usage(input_tokens=1_000_000, cached_tokens=400_000, output_tokens=100_000)
    assert table.cost("openai:gpt-4o", usage) == pytest.approx(0.6 * 2.5 + 0.4 * 1.25 + 0.1 * 10)
    assert table.cost("openai:gpt-4o-2024-08-06", usage) == table.cost("openai:gpt-4o", usage)
    assert table.cost("openai:gpt-99", usage) is None
    assert table.cost("openai:gpt-4o", replace(usage, output_tokens=None)) is None
    assert table.cost("gemini:gemini-2.5-pro", usage) is None, "above the prompt size its row is for"


@pytest.mark.parametrize(
    ("name", "width", "height", "detail", "tokens"),
    [
        ("openai:gpt-4o", 1024, 1024, "high", 765),
        ("openai:gpt-4o", 2048, 4096, "high", 1105),
        ("openai:gpt-4o", 4096, 8192, "low", 85),
        ("openai:o3", 512, 512, "high", 225),
        ("openai:gpt-4.1-mini", 1024, 1024, "high", 1659),
        ("gemini:gemini-3-flash-preview", 768, 432, "low", 280),
        ("gemini:gemini-3-flash-preview", 768, 432, "auto", 560),
        ("gemini:gemini-3-flash-preview", 768, 432, "high", 1120),
    ],
)
def test_picture_tokens(name: str, width: int, height: int, detail: str, tokens: int) -> None:
    assert prices.load().image_tokens(name, width, height, detail) == tokens


def test_the_users_table_comes_first_and_its_mistakes_are_named(tmp_path: Path) -> None:
    own = tmp_path / "prices.json"
    row = {"input": 1, "output": 2, "source": "mine", "date": "2026-11"}
    own.write_text(json.dumps({"compatible:m": row}))
    table = prices.load(tmp_path)
    assert table.cost("compatible:m", Usage(input_tokens=10**6, output_tokens=10**6)) == 3.0
    assert table.of("openai:o3") is not None, "rows that are not replaced stay"
    own.write_text(json.dumps({"compatible:m": {**row, "input": "cheap"}}))
    with pytest.raises(BadInput, match=r"compatible:m\.input"):
        prices.load(tmp_path)
    own.write_text("{")
    with pytest.raises(BadInput, match=r"prices\.json"):
        prices.load(tmp_path)


# ------------------------------------------------------------------------------------- pictures
def pictures(count: int, width: int = 64, height: int = 36) -> tuple[Image, ...]:
    made = []
    for n in range(count):
        data, w, h = encode_jpeg(np.full((height, width, 3), 20 + n * 3, np.uint8))
        made.append(Image(Frame(float(n), w, h, f"f{n}"), data))
    return tuple(made)


@given(st.integers(1, 40), st.integers(1, 12), st.integers(1, 3))
@hypothesis_settings(max_examples=30, deadline=None)
def test_never_more_pictures_than_the_server_takes(count: int, limit: int, holders: int) -> None:
    turns = tuple(Turn("user", "x", pictures(count)) for _ in range(holders))
    fitted, said = images.fit(turns, limit, None)
    sent = [i for turn in fitted for i in turn.images]
    assert len(sent) <= limit
    assert bool(said) is (count * holders > limit)
    times = [f.time for turn in fitted[:1] for i in turn.images for f in i.parts or (i.frame,)]
    assert times == sorted(times)


def test_a_contact_sheet_shows_each_frame_in_reading_order() -> None:
    (one,), _ = images.fit((Turn("user", "x", pictures(5)),), 1, None)
    sheet = cv2.imdecode(np.frombuffer(one.images[0].jpeg, np.uint8), cv2.IMREAD_GRAYSCALE)
    assert sheet.shape == (72, 192)
    cells = [int(sheet[18 + 36 * (n // 3), 32 + 64 * (n % 3)]) for n in range(6)]
    assert np.allclose(cells, [20, 23, 26, 29, 32, 255], atol=2)
    assert one.images[0].label.count("0 s") == 5


def test_pictures_small_enough_are_left_alone() -> None:
    turns = (Turn("user", "x", pictures(2)),)
    fitted, said = images.fit(turns, 10, 64)
    assert said == ""
    assert fitted[0].images[0] is turns[0].images[0]


@pytest.mark.parametrize("spec", ["openai:{}", "gemini:{}", "compatible:{}@http://127.0.0.1:1/v1"])
def test_a_key_is_no_model_name_and_is_not_repeated(spec: str) -> None:
    key = "sk-" + "a1b2" * 8
    with pytest.raises(BadSpec) as told:
        models.parse(spec.format(key))
    assert key not in str(told.value) and "Settings" in str(told.value)
