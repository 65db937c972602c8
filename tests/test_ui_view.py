"""Session → the JSON of the panels: what a reader sees at every moment of a run."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
import ui_run

from vesta_ui import domain as d
from vesta_ui import events as ev
from vesta_ui.frames import FrameStore
from vesta_ui.runs.session import Step, fold, until_step
from vesta_ui.settings import ABLATIONS
from vesta_ui.ui import detail, timeline, view
from vesta_ui.ui.view import Being


@pytest.fixture
def events(tmp_path: Path) -> list[ev.Event]:
    return ui_run.run_events(FrameStore(tmp_path), "run", ui_run.facts())


def test_every_moment_of_a_run_is_plain_json_with_a_sentence(events: list[ev.Event]) -> None:
    for n in range(len(events) + 1):
        values = view.views(fold(events[:n]), "run", Being.OVER if n == len(events) else Being.GOING)
        json.dumps(values, allow_nan=False)
        assert values["status"]["text"].strip()


@pytest.mark.parametrize(
    ("upto", "phase", "words"),
    [
        (0, "starting", "Starting"),
        (2, "indexing", "Finding the scenes — 00:30.0 of 01:00.0, about 3 s left"),
        (3, "routing", "Reading the question"),
        (6, "running", "Step 1: deciding"),
        (7, "running", "Step 1: looking at 00:30.0–00:34.0"),
        (99, "done", "Answered in 4 steps"),
    ],
)
def test_the_status_says_what_happens_now(events: list[ev.Event], upto: int, phase: str, words: str) -> None:
    status = view.views(fold(events[:upto]), "run", Being.OVER if upto > len(events) else Being.GOING)["status"]
    assert status["phase"] == phase
    assert words in status["text"]


def test_a_pause_is_told_from_the_wish_for_one(events: list[ev.Event]) -> None:
    session = fold(events[:7])  # step 1 is decided, not done
    asked = view.views(session, "run", Being.PAUSING)["status"]
    held = view.views(session, "run", Being.HELD)["status"]
    assert (asked["phase"], held["phase"]) == ("pausing", "paused")
    assert "after this inspect" in asked["text"]
    assert asked["proposed"] is None
    assert held["proposed"] == {"step": 1, "operation": "inspect", "arguments": {"intervals": [[30.0, 34.0]]}}


def test_a_wish_to_stop_says_what_it_waits_for(events: list[ev.Event]) -> None:
    for upto, what in ((2, "this part of the preparation"), (6, "this decision"), (7, "this inspect")):
        status = view.views(fold(events[:upto]), "run", Being.STOPPING)["status"]
        assert (status["phase"], status["live"]) == ("stopping", True)
        assert what in status["text"]


def test_a_run_without_an_end_is_called_interrupted(events: list[ev.Event]) -> None:
    values = view.views(fold(events[:8]), "run", Being.OVER)
    assert values["status"]["phase"] == "lost"
    assert values["answer"]["outcome"] == "lost"


@pytest.mark.parametrize(
    ("being", "state", "looks"), [(Being.GOING, "working", 1), (Being.HELD, "proposed", 1), (Being.OVER, "cut", 0)]
)
def test_what_was_only_decided_on_is_never_shown_as_done(
    events: list[ev.Event], being: Being, state: str, looks: int
) -> None:
    values = view.views(fold(events[:7]), "run", being)
    assert [card["state"] for card in values["steps"]["cards"]] == [state]
    assert len([i for i in values["timeline"]["items"] if i["lane"] == "inspected"]) == looks


def test_claims_without_verified_evidence_are_told_apart(events: list[ev.Event]) -> None:
    answer = view.views(fold(events), "run", Being.OVER)["answer"]
    assert [(e["entry"], e["verified"]) for e in answer["evidence"]] == [("e1", True), ("e404", False)]
    assert answer["warnings"] == ["the video has no sound track "]


def test_a_failed_step_is_shown_as_failed(events: list[ev.Event]) -> None:
    card = next(c for c in view.views(fold(events), "run")["steps"]["cards"] if c["n"] == 2)
    assert card["state"] == "error"
    assert card["failures"] == ["refused"]
    assert not card["entries"]


def test_why_it_had_to_answer_is_on_the_answer_once(events: list[ev.Event]) -> None:
    said, other = d.Notice("forced-answer", "the budget is spent"), d.Notice("late", "the transcript came late")
    ended = ev.RunFinished(outcome=d.Outcome.BUDGET, answer=None, reason=said.message)
    warned = [ev.Warned(step=4, notice=one) for one in (said, other)]
    answer = view.views(fold([*events[:-1], *warned, ended]), "run")["answer"]
    assert answer["reason"] == said.message
    assert other.message in answer["warnings"] and said.message not in answer["warnings"]


def test_money_is_unknown_when_one_price_is(events: list[ev.Event]) -> None:
    decided = next(e for e in events if isinstance(e, ev.Decided))
    unpriced = d.ModelCall("reasoner", "m", (), "", d.Usage(1, cost_usd=None))
    session = fold([*events[:7], ev.Decided(step=1, action=decided.action, source="x", calls=(unpriced,))])
    assert view.views(session, "run")["status"]["usage"]["usd"] is None


def test_a_wait_for_another_run_is_said_in_words(events: list[ev.Event]) -> None:
    waits = ev.IndexProgress(phase="waiting", done=0, total=0)
    said = view.views(fold([events[0], waits]), "run")["status"]["text"]
    assert said == "Waiting for another run that prepares this video …"


def test_lanes_follow_what_was_looked_at_and_what_it_did(events: list[ev.Event]) -> None:
    lanes = timeline.lanes(fold(events), "run", view.ledger_view.snapshot(fold(events)))
    assert lanes
    by_lane = {
        lane: [i for i in lanes["items"] if i["lane"] == lane]
        for lane in ("retrieved", "inspected", "clip", "speech", "answer")
    }
    assert {lane: len(found) for lane, found in by_lane.items()} == {
        "retrieved": 3,
        "inspected": 1,
        "clip": 1,
        "speech": 1,
        "answer": 2,
    }
    assert by_lane["inspected"][0]["value"] == pytest.approx(1.0)  # four frames in four seconds
    assert by_lane["clip"][0]["state"] == "error"
    assert lanes["relevance"] == [10, 70, 20, 90, 30, 50]
    assert lanes["coverage"]["never"][0] == [0.0, 30.0]


def test_a_step_of_any_agent_has_a_place() -> None:
    def step(arguments: dict[str, object], frames: tuple[d.Frame, ...] = ()) -> Step:
        action = d.Action("query", arguments)
        return Step(
            1,
            decided=ev.Decided(step=1, action=action, source="x"),
            observed=ev.Observed(step=1, operation="query", arguments=arguments, frames=frames),
        )

    assert timeline.places(step({"start_s": 3, "end_s": 9.5})) == [d.Interval(3, 9.5)]
    assert timeline.places(step({}, (d.Frame(2.0, 1, 1, "a"), d.Frame(8.0, 1, 1, "b")))) == [d.Interval(2, 8)]
    assert timeline.places(step({"intervals": [[5, 1], ["x", 2], [1, 2]]})) == [d.Interval(1, 2)]


def test_the_page_at_a_step_is_what_it_was_then(events: list[ev.Event]) -> None:
    live = [view.views(fold(events[:n]), "run", Being.PAST) for n in range(len(events) + 1)]
    at_two = view.views(fold(until_step(events, 2)), "run", Being.PAST)
    assert at_two in live
    assert [c["n"] for c in at_two["steps"]["cards"]] == [1, 2]


def test_the_full_step_holds_prompt_reply_and_every_frame(events: list[ev.Event]) -> None:
    full = detail.detail(fold(events), 1)
    assert full
    assert len(full["all_frames"]) == 4
    assert full["call_list"][0]["messages"][0]["text"].startswith("prompt 1")
    assert full["call_list"][0]["reply"].startswith("reply 1")
    assert detail.detail(fold(events), 99) is None


def test_five_thousand_scenes_fit_in_one_update() -> None:
    scenes = tuple(d.Scene(f"s{i}", float(i), i + 1.0, i, i + 1, (i + 0.5,)) for i in range(5000))
    started = ev.RunStarted(
        run_id="r",
        agent="vesta",
        question=d.Question("?"),
        video=d.VideoFacts("a" * 64, "v", 5000.0, 1, 1, 1.0, False, "h264"),
        roles={},
        settings={},
    )
    ready = ev.IndexReady(index_id="i", encoder="e", speech="off", scenes=scenes, seconds={}, reused=False)
    found = ev.Retrieved(
        step=0, policy="focused", queries=("q",), references=(), relevance=tuple(i / 5000 for i in range(5000))
    )
    assert len(json.dumps(view.views(fold([started, ready, found]), "r"))) < 60_000


# ---- the route card
def test_the_route_card_tells_words_from_model_and_what_was_merged(events: list[ev.Event]) -> None:
    card = view.views(fold(events), "run", Being.OVER)["route"]
    assert (card["cues"][0]["demand"], card["prior_flags"]) == ("localized", ["speech"])
    assert (card["model"]["demands"], card["model"]["flags"], card["model"]["confidence"]) == (["localized"], [], 0.91)
    assert card["demands"] == ["localized"] and card["mechanisms"] is None


@pytest.mark.parametrize(
    ("ablation", "name", "routed", "fetched"),
    [
        ("full", None, True, True),
        ("no-retrieval", "no retrieval", True, False),
        ("no-ledger", "no ledger", True, True),
        ("retrieval-only", "retrieval only", False, True),
        ("plain", "plain agent", False, False),
    ],
)
def test_the_route_card_says_which_mechanisms_are_off(
    events: list[ev.Event], ablation: str, name: str | None, routed: bool, fetched: bool
) -> None:
    parts = ABLATIONS[ablation]
    kept = [
        replace(e, settings={**e.settings, "ablation": ablation}) if isinstance(e, ev.RunStarted) else e
        for e in events
        if (parts.routing or not isinstance(e, ev.Routed)) and (parts.retrieval or not isinstance(e, ev.Retrieved))
    ]
    card = view.views(fold(kept), "run", Being.OVER)["route"]
    assert ("policy" in card) is routed and bool(card["retrieved"]) is fetched
    assert (card["mechanisms"] and card["mechanisms"]["name"]) == name
    other = [
        replace(e, agent="save") if isinstance(e, ev.RunStarted) else e for e in kept if not isinstance(e, ev.Routed)
    ]
    assert view.views(fold(other), "run", Being.OVER)["route"] is None
