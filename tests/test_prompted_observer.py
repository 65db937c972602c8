"""The Observer played by a model: what it is sent, and what is made of what it says it saw."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from models_help import Player
from provider_server import Answer, Received, chat, provider
from roles_help import EVIL, QUESTION

from vesta_ui import models
from vesta_ui.control import Control
from vesta_ui.domain import (
    Interval,
)  # fmt: skip
from vesta_ui.errors import ModelFailed
from vesta_ui.models import Request, Spec
from vesta_ui.models.scripted import ScriptedModel
from vesta_ui.roles import Look
from vesta_ui.roles.context_text import BAR, quoted
from vesta_ui.roles.prompted import PromptedObserver
from vesta_ui.settings import Settings


# ------------------------------------------------------------------------------------- observer
def looks(*times: float) -> list[Look]:
    return [Look(t, np.full((90, 160, 3), int(t) % 255, np.uint8), f"stored{t:g}") for t in times]


def sighting(start: Any, end: Any, **more: Any) -> dict[str, Any]:
    return {"start_s": start, "end_s": end, "content": "a dog barks", **more}


def test_inspect_keeps_times_inside_what_was_looked_at(settings: Settings) -> None:
    reply = {"observations": [
        sighting(12, 14, verdict="yes", confidence=0.9, text="DOG", event="bark", state="dog: awake", number=2,
                 number_of="barks", stances=[{"label": "A", "supports": True, "weight": 0.7}, {"label": "Z", "supports": True, "weight": 1}]),
        sighting(19, 25),
        sighting("00:33", 31),
        sighting(60, 61),
    ]}  # fmt: skip
    player = Player(settings, reply)
    spans = [Interval(10, 20), Interval(30, 40), Interval(50, 52)]
    seen = PromptedObserver(player.model).inspect(looks(11, 13, 19, 31, 51), spans, "the dog", QUESTION, Control())
    first, second, third, silent = seen.observations
    assert (first.interval, first.examined) == (Interval(12, 14), Interval(10, 20))
    assert (first.verdict, first.confidence, first.text, first.event) == (True, 0.9, "DOG", "bark")
    assert (first.state, first.number, first.number_of) == ("dog: awake", 2, "barks")
    assert [(s.label, s.weight) for s in first.stances] == [("A", 0.7)], (
        "stances on choices that do not exist are dropped"
    )
    assert [f.sha256 for f in first.frames] == ["stored13"]
    assert (second.interval, second.verdict) == (Interval(19, 20), None)
    assert third.interval == Interval(31, 33), "reversed times are put in order"
    assert silent.interval == Interval(50, 52)
    assert "nothing" in silent.content
    assert [n.code for n in seen.notices] == ["observation-dropped"]
    turn = player.requests[0].turns[1]
    assert [image.frame.time for image in turn.images] == [11, 13, 19, 31, 51]
    assert f"{BAR}the dog" in turn.text


@pytest.mark.parametrize(("word", "verdict"), [("yes", True), ("no", False), ("unclear", None)])
def test_judge_gives_one_verdict(settings: Settings, word: str, verdict: bool | None) -> None:
    player = Player(settings, sighting(0, 100, verdict=word, confidence=0.7))
    seen = PromptedObserver(player.model).judge(looks(5, 6), Interval(4, 8), EVIL, QUESTION, Control())
    (one,) = seen.observations
    assert (one.interval, one.verdict, one.confidence) == (Interval(4, 8), verdict, 0.7)
    assert f"{BAR}{EVIL}" in player.text()


def test_frames_are_sent_no_larger_than_set(settings: Settings) -> None:
    player = Player(settings, {"observations": []})
    big = [Look(1.0, np.zeros((1080, 1920, 3), np.uint8), "big")]
    observer = PromptedObserver(ScriptedModel(Spec("scripted", "x"), replace(settings, image_side=640), player._play))
    observer.inspect(big, [Interval(0, 2)], "", QUESTION, Control())
    frame = player.requests[0].turns[1].images[0].frame
    assert (frame.width, frame.height) == (640, 360)


def test_many_frames_go_in_low_detail(settings: Settings) -> None:
    player = Player(settings, {"observations": []})
    observer = PromptedObserver(player.model)
    observer.inspect(looks(*range(30)), [Interval(0, 30)], "", QUESTION, Control())
    observer.inspect(looks(1, 2), [Interval(0, 30)], "", QUESTION, Control())
    assert [{i.detail for i in r.turns[1].images} for r in player.requests] == [{"low"}, {"high"}]


def test_one_blocked_stretch_does_not_lose_the_others(settings: Settings) -> None:
    def play(request: Request) -> Any:
        times = [image.frame.time for image in request.turns[1].images]
        if 15 in times:
            return {"fail": "blocked", "message": "PROHIBITED_CONTENT"}
        return {"observations": [sighting(times[0], times[-1])]}

    observer = PromptedObserver(ScriptedModel(Spec("scripted", "x"), settings, play))
    spans = [Interval(0, 10), Interval(10, 20), Interval(20, 30)]
    seen = observer.inspect(looks(5, 15, 25), spans, "", QUESTION, Control())
    assert [o.interval for o in seen.observations] == [Interval(5, 5), Interval(25, 25)]
    assert [n.code for n in seen.notices] == ["model-blocked"]
    assert [c.failure for c in seen.calls] == ["blocked", "", "blocked", ""]
    with pytest.raises(ModelFailed) as caught:
        observer.inspect(looks(15), [Interval(10, 20)], "", QUESTION, Control())
    assert caught.value.kind == "blocked"


def test_a_request_too_large_goes_out_with_fewer_frames_and_fewer_are_taken_next_time(settings: Settings) -> None:
    with provider() as server:

        def few(received: Received) -> Answer:
            if len(received.images) > 5:
                return Answer("<html><title>413</title></html>", 413)
            return chat(json.dumps({"observations": []}))

        server.play(few)
        observer = PromptedObserver(models.load(f"compatible:m@{server.url}", settings))
        seen = observer.inspect(looks(*range(16)), [Interval(0, 16)], "", QUESTION, Control())
        assert [c.failure for c in seen.calls] == ["too_large", "too_large", ""]
        assert seen.notices[0].code == "frames-thinned"
        assert observer.max_frames == 4


def test_a_one_image_server_still_sees_every_frame(settings: Settings) -> None:
    with provider() as server:

        def one(received: Received) -> Answer:
            if len(received.images) > 1:
                return Answer(
                    {"object": "error", "message": "At most 1 image(s) may be provided in one request.", "code": 400},
                    400,
                )
            return chat(json.dumps({"observations": []}))

        server.play(one)
        observer = PromptedObserver(models.load(f"compatible:m@{server.url}", settings))
        seen = observer.inspect(looks(1, 2, 3), [Interval(0, 4)], "", QUESTION, Control())
        assert "contact sheet" in seen.notices[0].message
        assert [f.time for f in seen.calls[0].messages[1].frames] == [1, 2, 3]
        assert observer.max_frames == 9


def test_no_frames_no_request(settings: Settings) -> None:
    player = Player(settings, {"observations": []})
    assert PromptedObserver(player.model).inspect([], [Interval(0, 1)], "", QUESTION, Control()).observations == ()
    assert player.requests == []


def test_quoting_survives_every_line_break() -> None:
    text = quoted("a\nb\r\nc\u2028d\x0be\x85f")
    assert all(line.startswith(BAR) for line in text.splitlines())
