"""The provider doctor against servers that are right and wrong in many ways."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from provider_server import Answer, ProviderServer, Received, chat, provider, refusal

from vesta_ui.__main__ import main
from vesta_ui.control import Control
from vesta_ui.models import asking
from vesta_ui.models.doctor import Check, examine
from vesta_ui.settings import Settings


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ProviderServer]:
    monkeypatch.setattr(asking, "BACKOFF_S", 0.01)
    with provider() as one:
        yield one


def colours(received: Received) -> list[str]:
    """What a model with eyes would say."""
    found = []
    for image in received.images:
        blue, _, red = cv2.imdecode(np.frombuffer(base64.b64decode(image), np.uint8), 1).mean(axis=(0, 1))
        found.append("Red" if red > blue else "blue")
    return found


def good(received: Received) -> Answer:
    if received.images:
        return chat(json.dumps({"colours": colours(received)}))
    if received.body.get("response_format"):
        return chat('{"colours": ["red", "yellow", "green"]}')
    return chat("ready")


def checks(
    server: ProviderServer, settings: Settings, play: Callable[[Received], Answer] | Answer, name: str = "m"
) -> dict[str, Check]:
    server.play(play)
    return {check.name: check for check in examine(f"compatible:{name}@{server.url}", settings, Control())}


def test_a_good_server(server: ProviderServer, settings: Settings) -> None:
    found = checks(server, settings, good)
    assert {name: check.verdict for name, check in found.items()} == {
        "reachable": "good", "answers": "good", "structured output": "good", "pictures": "good", "price": "weak",
    }  # fmt: skip
    assert "compatible:m" in found["price"].fix


@pytest.mark.parametrize(("name", "says"), [("M", "write m"), ("othr", "other")])
def test_wrong_names_are_told_from_right_ones(server: ProviderServer, settings: Settings, name: str, says: str) -> None:
    found = checks(server, settings, refusal(404, "model not found"), name)
    assert found["model"].verdict == "bad"
    assert says in found["model"].fix
    assert found["answers"].verdict == "bad"


def blind(received: Received) -> Answer:
    return chat(json.dumps({"colours": ["green"] * len(received.images)})) if received.images else good(received)


def no_vision(received: Received) -> Answer:
    return refusal(500, "image input is not supported by this server") if received.images else good(received)


def one_image(received: Received) -> Answer:
    if len(received.images) > 1:
        return Answer(
            {"object": "error", "message": "At most 1 image(s) may be provided in one request.", "code": 400}, 400
        )
    if received.images and "contact sheet" in json.dumps(received.body):
        return chat('{"colours": ["red", "blue"]}')
    return good(received)


def no_schema(received: Received) -> Answer:
    return (
        refusal(400, "response_format is not supported") if "response_format" in received.body else good_text(received)
    )


def good_text(received: Received) -> Answer:
    return chat(json.dumps({"colours": colours(received)})) if received.images else chat('{"colours": ["red"]}')


@pytest.mark.parametrize(
    ("play", "name", "verdict", "says"),
    [
        (blind, "pictures", "bad", "do not reach it"),
        (no_vision, "pictures", "bad", "takes no images"),
        (one_image, "pictures", "weak", "contact sheet"),
        (no_schema, "structured output", "weak", "text"),
        (refusal(401, "Incorrect API key"), "answers", "bad", "auth"),
        (Answer("<html><title>It works!</title></html>"), "answers", "bad", "It works!"),
        (refusal(429, "insufficient quota", code="insufficient_quota"), "answers", "bad", "quota"),
        (chat(""), "answers", "bad", "empty"),
    ],
)
def test_what_is_wrong_is_named(
    server: ProviderServer, settings: Settings, play: Any, name: str, verdict: str, says: str
) -> None:
    check = checks(server, settings, play)[name]
    assert check.verdict == verdict, check
    assert says in check.text
    assert check.fix


def test_nobody_there_and_nothing_configured(settings: Settings) -> None:
    with provider() as gone:
        url = gone.url
    first = next(examine(f"compatible:m@{url}", settings, Control()))
    assert (first.name, first.verdict) == ("reachable", "bad")
    assert [c.name for c in examine("openai:o3", settings, Control())] == ["key"]
    assert [c.name for c in examine("what", settings, Control())] == ["spec"]


def test_from_a_shell(server: ProviderServer, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    server.play(good)
    data = ["--data-dir", str(tmp_path)]
    assert main(["doctor", "--provider", f"compatible:m@{server.url}", "--json", *data]) == 0
    assert json.loads(capsys.readouterr().out)[0]["name"] == "reachable"
    assert main(["doctor", "--provider", f"compatible:nope@{server.url}", *data]) == 3
    assert "nearest" in capsys.readouterr().out
    assert main(["doctor", *data]) == 2
