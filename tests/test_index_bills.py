"""What a remote speech model and a remote encoder were paid for an index is in the run that paid it, over real HTTP."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from case_film import finalize, give_roles, played
from provider_server import Answer, Received, provider, refusal
from test_models_listening import TONE
from test_scene_index import film

from vesta_ui import models
from vesta_ui.control import Control
from vesta_ui.domain import Choice, Question
from vesta_ui.events import Warned
from vesta_ui.runs.run import Run
from vesta_ui.settings import Settings

QUESTION = Question("What is written on the blue sign?", (Choice("A", "Platform 9"), Choice("B", "Bakery")))
ROW = {"output": 0, "source": "a test", "date": "2026-11"}
PRICES = {
    "compatible:whisper-1": {"input": 0, "minute": 0.6, **ROW},
    "remote:m": {"input": 1000, **ROW},
}


def endpoint(received: Received) -> Answer:
    """Transcribes and embeds; embeddings tell their tokens."""
    if received.path.endswith("/transcriptions"):
        words = [{"word": "hello", "start": 7.2, "end": 7.5}]
        return Answer({"text": "hello", "segments": [{"text": "hello", "start": 7.0, "end": 8.0}], "words": words})
    rows = [{"index": n, "embedding": [1.0, float(n), 2.0]} for n in range(len(received.body["input"]))]
    return Answer({"data": rows, "usage": {"prompt_tokens": 10, "total_tokens": 10}})


@pytest.fixture
def url() -> Iterator[str]:
    with provider() as server:
        server.play(endpoint)
        yield server.url


def ask(folder: Path, name: str, url: str, monkeypatch: pytest.MonkeyPatch, **changes: str) -> Run:
    video = folder / "film.mp4"
    if not video.exists():
        film(video)
        (folder / "data").mkdir()
        (folder / "data" / "prices.json").write_text(json.dumps(PRICES))
    give_roles(monkeypatch, reasoner=lambda request: finalize("A", []))
    roles = {"speech": f"compatible:whisper-1@{url}", "reasoner": "scripted:reasoner", **changes}
    settings = Settings(data_dir=folder / "data", frames_per_scene=1, **roles)  # type: ignore[arg-type]
    return played(video, QUESTION, settings, folder / name)


def test_the_run_that_has_the_index_made_pays_and_the_next_one_does_not(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = ask(tmp_path, "one", url, monkeypatch, encoder=f"remote:m@{url}")
    paid = {
        w.notice.message.split()[0]: w.usage for w in first.events if isinstance(w, Warned) and w.usage.remote_requests
    }
    assert set(paid) == {"speech", "encoder"}, first.events[-1]
    assert paid["speech"].cost_usd == pytest.approx(18 / 60 * 0.6, rel=0.05), "eighteen seconds at 0.60 a minute"
    asked = paid["encoder"]
    assert asked.input_tokens == 10 * asked.remote_requests and asked.cost_usd == asked.input_tokens / 1000
    usage = first.session().usage
    assert usage.cost_usd == pytest.approx(sum(one.cost_usd or 0 for one in paid.values()))
    again = ask(tmp_path, "two", url, monkeypatch, encoder=f"remote:m@{url}")
    assert again.session().usage.cost_usd == 0 and again.session().usage.remote_requests == 0
    assert first.session().index is not None and again.session().index.reused  # type: ignore[union-attr]


def test_an_agent_without_an_index_pays_for_its_transcript_too(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = ask(tmp_path, "one", url, monkeypatch, agent="native", reasoner="embedded")
    usage = run.session().usage
    assert usage.remote_requests == 1 and usage.cost_usd == pytest.approx(0.18, rel=0.05)


def test_failed_requests_are_counted(url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with provider() as server:
        monkeypatch.setattr(Control, "wait", lambda *_: None)
        server.play(refusal(500, "try later"), Answer({"text": "hello"}))
        one = models.listener(f"compatible:whisper-1@{server.url}", tmp_path, Control())
        one.transcribe(TONE)
        assert (one.usage.remote_requests, one.usage.failed_requests, one.usage.cost_usd) == (2, 1, None)
