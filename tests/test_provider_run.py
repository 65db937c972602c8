"""A whole run with a provider in every role, over real HTTP: what was sent, what the trace keeps, what it must not keep."""

from __future__ import annotations

import base64
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from provider_server import KEY, Answer, ProviderServer, Received, chat, provider, refusal
from test_scene_index import film

from vesta_ui.__main__ import main
from vesta_ui.domain import Choice, Outcome, Question
from vesta_ui.events import Decided, Event, Observed, Routed, RunFinished
from vesta_ui.models import keys
from vesta_ui.runs import recorder
from vesta_ui.runs.registry import Runs
from vesta_ui.settings import Settings

QUESTION = Question("What is written on the blue sign?", (Choice("A", "Platform 9"), Choice("B", "Bakery")))


@pytest.fixture(scope="module")
def video(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return film(tmp_path_factory.mktemp("film") / "film.mp4")


class Brain:
    """Answers as router, reasoner and observer by the schema it is asked for; looks once, then answers."""

    def __init__(self) -> None:
        self.decisions = 0
        self.blocked = False

    def __call__(self, received: Received) -> Answer:
        name = received.body["response_format"]["json_schema"]["name"]
        if name == "EstimateForm":
            return self._say({"demands": ["localized"], "flags": [], "confidence": 0.9, "why": "one sign"})
        if name == "InspectForm":
            if self.blocked:
                return refusal(400, "blocked", code="content_filter")
            seen = {"start_s": 1, "end_s": 3, "content": "a blue sign reads Platform 9", "verdict": "yes", "confidence": 0.9,
                    "text": "Platform 9", "event": "", "state": "", "number": 9, "number_of": "platform",
                    "stances": [{"label": "A", "supports": True, "weight": 0.9}]}  # fmt: skip
            return self._say({"observations": [seen]})
        self.decisions += 1
        if self.decisions == 1:
            return self._say(
                {
                    "thought": "look",
                    "action": {"operation": "inspect", "arguments": {"intervals": [[0, 6]], "focus": "sign"}},
                }
            )
        entry = re.search(r"entries (e\d+)", json.dumps(received.body["messages"]))
        evidence = [entry[1]] if entry else []
        last = {"answer": "A", "evidence": evidence, "confidence": 0.9, "why": "read"}
        return self._say({"thought": "done", "action": {"operation": "finalize", "arguments": last}})

    def _say(self, data: dict[str, Any]) -> Answer:
        return chat(json.dumps(data))


def play(server: ProviderServer, video: Path, settings: Settings, max_steps: int = 4) -> tuple[list[Event], Path]:
    spec = f"compatible:m@{server.url}"
    chosen = replace(
        settings, router=spec, reasoner=spec, observer=spec, speech="off", image_side=320, max_steps=max_steps
    )
    run = Runs(chosen).start(video, QUESTION, chosen)
    assert run.join(120)
    return list(recorder.read(run.folder).events), run.folder


def test_a_run_on_a_provider_is_answered_and_keeps_no_secret(video: Path, settings: Settings) -> None:
    keys.set_key("compatible", KEY)
    try:
        with provider() as server:
            server.play(Brain())
            events, _ = play(server, video, settings)
            requests = server.requests
    finally:
        keys.set_key("compatible", "")
    finished = events[-1]
    assert isinstance(finished, RunFinished)
    assert (finished.outcome, finished.answer and finished.answer.label) == (Outcome.ANSWERED, "A")
    assert finished.answer is not None
    assert finished.answer.evidence, "the answer points at what was seen"
    assert all(r.headers["authorization"] == f"Bearer {KEY}" for r in requests)
    looked = next(r for r in requests if r.images)
    observed = next(e for e in events if isinstance(e, Observed))
    receipts = [f for m in observed.calls[0].messages for f in m.frames]
    sizes = [cv2.imdecode(np.frombuffer(base64.b64decode(i), np.uint8), 1).shape[:2][::-1] for i in looked.images]
    assert [(f.width, f.height) for f in receipts] == sizes, "the receipt says what was sent"
    assert max(max(size) for size in sizes) <= 320
    assert [f.time for f in receipts] == sorted(f.time for f in receipts)
    assert not any(r.images for r in requests if r is not looked), "pictures are sent once and never again"
    routed = next(e for e in events if isinstance(e, Routed))
    assert routed.route.model is not None
    calls = [c for e in events if isinstance(e, Decided | Observed) for c in e.calls]
    assert sum(c.usage.input_tokens or 0 for c in calls) == 300

    for path in settings.data_dir.rglob("*"):
        if path.is_file() and path.suffix in (".json", ".jsonl", ".md", ".html", ".csv", ".txt"):
            text = path.read_text("utf-8")
            assert KEY not in text, path.name
            assert not re.search(r"[A-Za-z0-9+/]{400}", text), path.name


def test_a_blocked_look_is_a_failed_step_and_the_run_goes_on(video: Path, settings: Settings) -> None:
    brain = Brain()
    brain.blocked = True
    with provider() as server:
        server.play(brain)
        events, _ = play(server, video, settings)
    observed = next(e for e in events if isinstance(e, Observed))
    assert observed.error_kind == "blocked"
    assert observed.calls[0].failure == "blocked"
    assert isinstance(events[-1], RunFinished)
    assert events[-1].outcome is Outcome.ANSWERED


def test_a_reasoner_that_fails_is_never_reported_as_having_answered(video: Path, settings: Settings) -> None:
    def broken(received: Received) -> Answer:
        name = received.body["response_format"]["json_schema"]["name"] if "response_format" in received.body else ""
        return refusal(401, "Incorrect API key") if name == "Decision" else Brain()(received)

    with provider() as server:
        server.play(broken)
        events, _ = play(server, video, settings)
    decided = next(e for e in events if isinstance(e, Decided))
    assert decided.source.startswith("embedded")
    assert decided.calls[0].failure == "auth"
    assert isinstance(events[-1], RunFinished)
    assert (events[-1].outcome, events[-1].failure) == (Outcome.FAILED, "auth")
    assert events[-1].answer is not None and "the reasoner failed (auth)" in events[-1].reason


def test_a_shell_says_the_estimate_and_keeps_the_cap(
    video: Path, settings: Settings, server: ProviderServer, capsys: pytest.CaptureFixture[str]
) -> None:
    settings.data_dir.mkdir(parents=True, exist_ok=True)
    price = {"input": 2.5, "output": 10, "source": "https://prices.example", "date": "2026-05"}
    (settings.data_dir / "prices.json").write_text(json.dumps({"compatible:m": price}))
    server.play(Brain())
    spec = f"compatible:m@{server.url}"
    words = ["ask", str(video), QUESTION.text, "--choice", "Platform 9", "--choice", "Bakery", "--reasoner", spec]
    words += ["--speech", "off", "--data-dir", str(settings.data_dir), "--json"]
    main([*words, "--max-usd", "0.0001"])
    said = capsys.readouterr()
    assert "at most" in said.err and "money cap of $0.0001" in said.err
    assert json.loads(said.out)["outcome"] == "budget"
    for wrong in ("0", "-1", "nan", "much"):
        with pytest.raises(SystemExit):
            main([*words, "--max-usd", wrong])
    assert "--max-usd" in capsys.readouterr().err
