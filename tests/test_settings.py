"""Settings from flags and environment, and what of them a trace may hold."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from test_driver import FACTS, QUESTION

import app
from vesta_ui import settings as all_settings
from vesta_ui.agents import check
from vesta_ui.errors import BadInput, BadSpec
from vesta_ui.events import RunStarted
from vesta_ui.runs.debug import settings_of
from vesta_ui.settings import ABLATIONS, Settings, from_environment, public_spec


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ("embedded", "embedded"),
        ("off", "off"),
        ("openai:gpt-4o", "openai:gpt-4o"),
        ("compatible:qwen2.5vl:7b@http://127.0.0.1:11434/v1", "compatible:qwen2.5vl:7b@http://127.0.0.1:11434/v1"),
        ("compatible:m@https://me:pass@host:8/v1?key=abc#x", "compatible:m@https://host:8/v1"),
        ("compatible:m@q4@http://host/v1", "compatible:m@q4@http://host/v1"),
        ("remote:m+images@http://u@host/v1?token=1", "remote:m+images@http://host/v1"),
        ("scripted:/home/ann/x.json", "scripted:x.json"),
        ("scripted:plays/x.json", "scripted:x.json"),
        (r"scripted:C:\Users\ann\x.json", "scripted:x.json"),
        ("faster-whisper:/models/large v3", "faster-whisper:large v3"),
        ("faster-whisper:~/models/large", "faster-whisper:large"),
        ("faster-whisper:Systran/faster-whisper-small", "faster-whisper:Systran/faster-whisper-small"),
        ("subtitles:films/a.srt", "subtitles:a.srt"),
        ("subtitles:track", "subtitles:track"),
        ("clip:/models/clip", "clip:clip"),
    ],
)
def test_a_trace_holds_neither_secrets_nor_folders(spec: str, told: str) -> None:
    assert public_spec(spec) == told
    settings = Settings(data_dir=Path("/home/ann/data"), reasoner=spec, encoder=spec, speech=spec)
    for held in (settings.public(), settings.public_roles()):
        assert held["reasoner"] == held["encoder"] == held["speech"] == told
        assert "/home/ann" not in repr(held) and "pass" not in repr(held)
    assert settings.roles()["reasoner"] == spec, "whoever loads the role needs all of it"


def test_a_recorded_run_is_continued_with_the_file_of_this_machine(settings: Settings, tmp_path: Path) -> None:
    base = replace(settings, reasoner=f"scripted:{tmp_path}/x.json", observer="embedded")
    recorded = replace(base, observer="openai:gpt-4o", max_steps=7)
    started = RunStarted(
        run_id="r", agent="vesta", question=QUESTION, video=FACTS, roles={}, settings=recorded.public()
    )
    found = settings_of(started, base)
    assert found.reasoner == base.reasoner and (found.observer, found.max_steps) == ("openai:gpt-4o", 7)


def test_the_server_address_comes_from_our_variables_then_from_gradios(tmp_path: Path) -> None:
    env = {"VESTA_DATA_DIR": str(tmp_path), "GRADIO_SERVER_NAME": "0.0.0.0", "GRADIO_SERVER_PORT": "7861"}
    assert (from_environment(env).host, from_environment(env).port) == ("0.0.0.0", 7861)
    ours = env | {"VESTA_HOST": "127.0.0.2", "VESTA_PORT": "1"}
    assert (from_environment(ours).host, from_environment(ours).port) == ("127.0.0.2", 1)
    assert from_environment(ours, host="127.0.0.3", port=2).port == 2, "a flag comes before the environment"
    with pytest.raises(BadInput, match="must be a number, not “http”"):
        from_environment(env | {"GRADIO_SERVER_PORT": "http"})
    assert from_environment({}).host == Settings(data_dir=tmp_path).host


def test_the_five_ablations_are_those_that_mean_something() -> None:
    """VESTA §4.4: routing off with the ledger on is undefined."""
    assert list(ABLATIONS) == ["full", "no-retrieval", "retrieval-only", "no-ledger", "plain"]
    assert len({(a.routing, a.retrieval, a.ledger) for a in ABLATIONS.values()}) == 5
    assert not any(a.ledger and not a.routing for a in ABLATIONS.values())


def test_the_page_offers_exactly_these() -> None:
    page = Path(all_settings.__file__).parents[1] / "assets" / "page" / "settings.js"
    offered = re.search(r'\["ablation", "[^"]*", \[\["", "full"\], (.*?)\]\]\]', page.read_text("utf-8"))
    assert offered is not None
    assert {value for value, _ in re.findall(r'\["([^"]*)", "([^"]*)"', offered[1])} | {"full"} == set(ABLATIONS)


def test_app_takes_roles_and_limits_as_flags(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    got: list[Settings] = []
    monkeypatch.setattr(app, "launch", lambda settings, **_: got.append(settings))
    flags = "--reasoner openai:o3 --observer openai:gpt-4o --speech off --max-steps 9 --max-usd 0.5 --port 0".split()
    assert app.main([*flags, "--data-dir", str(tmp_path)]) == 0
    one = got[0]
    assert (one.reasoner, one.observer, one.speech, one.router) == ("openai:o3", "openai:gpt-4o", "off", "embedded")
    assert (one.max_steps, one.max_usd, one.port, one.data_dir) == (9, 0.5, 0, tmp_path)


@pytest.mark.parametrize(
    ("name", "value"), [("max_usd", 0.0), ("max_usd", float("nan")), ("max_tokens", -1), ("model_timeout_s", 0.0)]
)
def test_a_limit_that_allows_nothing_is_refused(settings: Settings, name: str, value: float) -> None:
    """The page and app.py take any number; the shell refuses these at its flags."""
    with pytest.raises(BadSpec, match=f"{name.replace('_', '-')} must be above 0"):
        check(replace(settings, **{name: value}))


@pytest.mark.parametrize("value", [-0.01, 1.01, float("nan")])
def test_a_confidence_outside_0_to_1_is_refused(settings: Settings, value: float) -> None:
    with pytest.raises(BadSpec, match=f"route-confidence must be from 0 to 1, got {value:g}"):
        check(replace(settings, route_confidence=value))
    for edge in (0.0, 1.0):
        check(replace(settings, route_confidence=edge))


def test_the_papers_parameters_are_the_defaults(settings: Settings) -> None:
    """VESTA §B.1, §4.1 and SAVE §A.2; a run uses these, whatever the functions' own defaults are."""
    assert (settings.references, settings.separation_s, settings.max_steps) == (6, 20.0, 15)
    assert (settings.cut_threshold, settings.scene_min_s, settings.scene_max_s) == (27.0, 5.0, 60.0)
    assert (settings.frames_per_scene, settings.inspect_frames, settings.clip_frames) == (4, 150, 50)
    assert (settings.max_queries, settings.native_frames) == (30, 60)
