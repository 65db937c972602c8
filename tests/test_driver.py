"""The one loop: how a run steps, fails, is steered and ends, with agents that play a list."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from vesta_ui.agents import Driver
from vesta_ui.control import Control
from vesta_ui.domain import (
    Action,
    Choice,
    Interval,
    Modality,
    ModelCall,
    Notice,
    Observation,
    Outcome,
    Question,
    Scene,
    Snapshot,
    Usage,
    VideoFacts,
    View,
)
from vesta_ui.errors import ModelFailed, OperationRefused, Stopped
from vesta_ui.events import (
    Decided,
    Event,
    IndexProgress,
    IndexReady,
    LedgerUpdated,
    Observed,
    RunFinished,
    RunStarted,
    StepStarted,
    Warned,
)
from vesta_ui.frames import FrameStore
from vesta_ui.operations import Result, Workspace
from vesta_ui.roles import Decision
from vesta_ui.runs.session import fold
from vesta_ui.scene_index import Bill
from vesta_ui.settings import Settings
from vesta_ui.state import State, initial

QUESTION = Question("Which colour is it?", (Choice("A", "red"), Choice("B", "blue")))
FACTS = VideoFacts("0" * 64, "a.mp4", 60.0, 320, 180, 30.0, True, "h264")
ANSWER = Action("finalize", {"answer": "B", "evidence": ["e1"], "confidence": 0.8})
LOOK = Action("inspect", {"intervals": [[1, 2]]})


class Player:
    """An agent that plays a list of actions, or raises what stands there instead. `ran`: what was really carried out."""

    def __init__(self, script: list[Action | Exception], results: dict[str, Result | Exception] | None = None) -> None:
        self.script = list(script)
        self.results = results or {}
        self.finals = 0
        self.ran: list[Action] = []

    def begin(self, workspace: Workspace) -> None:
        pass

    def prepare(self, state: State) -> Iterator[Event]:
        yield from ()

    def budget(self) -> int:
        return 5

    def snapshot(self, state: State) -> tuple[Snapshot | None, View | None]:
        return None, None

    def act(self, state: State, snapshot: Snapshot | None, step: int, final: bool) -> Decision:
        self.finals += final
        item = ANSWER if final or not self.script else self.script.pop(0)
        if isinstance(item, Exception):
            raise item
        return Decision(item)

    def observe(self, action: Action, state: State, step: int) -> Result:
        self.ran.append(action)
        result = self.results.get(action.operation, Result("saw it", (seen(1, 2),)))
        if isinstance(result, Exception):
            raise result
        return result

    def fallback(self, state: State, step: int) -> Decision:
        return Decision(Action("finalize", {"answer": "A", "evidence": [], "confidence": 0.1}))


def seen(start: float, end: float) -> Observation:
    return Observation(Interval(start, end), Modality.PICTURE, "a blue thing", verdict=True, confidence=0.7)


def driver(agent: Player, tmp_path: Path, bills: tuple[Bill, ...] = (), **changes: Any) -> Driver:
    settings = Settings(data_dir=tmp_path, **changes)
    nothing = cast(Any, None)
    index = cast(Any, SimpleNamespace(bills=list(bills)))
    workspace = Workspace(nothing, index, FrameStore(tmp_path), settings, Control())
    started = RunStarted(run_id="r", agent="player", question=QUESTION, video=FACTS, roles={}, settings={})
    return Driver(agent, workspace, initial(started), "scripted")


def kinds(events: list[Event]) -> list[str]:
    return [event.kind for event in events]


def test_a_step_decides_observes_accounts_and_an_answer_ends_it(tmp_path: Path) -> None:
    events = list(driver(Player([LOOK, ANSWER]), tmp_path).loop())
    assert kinds(events) == [
        "step_started", "decided", "observed", "ledger_updated", "step_started", "decided", "run_finished",
    ]  # fmt: skip
    finished = cast(RunFinished, events[-1])
    assert finished.outcome == Outcome.ANSWERED
    assert finished.answer is not None
    assert (finished.answer.label, finished.answer.text) == ("B", "blue")
    assert [(one.entry_id, one.start, one.end) for one in finished.answer.evidence] == [("e1", 1, 2)]


def test_a_decision_says_how_long_it_took(tmp_path: Path) -> None:
    class Slow(Player):
        def act(self, *given: Any) -> Decision:
            time.sleep(0.05)
            return super().act(*given)

    events = list(driver(Slow([ANSWER]), tmp_path).loop())
    assert next(event for event in events if isinstance(event, Decided)).seconds >= 0.05


def test_state_is_the_fold_of_the_events(tmp_path: Path) -> None:
    closer = Action("inspect", {"intervals": [[1, 1.5]]})
    one = driver(Player([LOOK, closer, ANSWER]), tmp_path)
    list(one.loop())
    assert [entry.id for entry in one.state.ledger.entries] == ["e1", "e2"]
    assert [(item.step, item.entry_ids) for item in one.state.memory] == [(1, ("e1",)), (2, ("e2",))]


def test_the_budget_ends_in_a_forced_answer(tmp_path: Path) -> None:
    looks: list[Action | Exception] = [Action("inspect", {"intervals": [[n, n + 1]]}) for n in range(9)]
    agent = Player(looks)
    events = list(driver(agent, tmp_path).loop())
    finished = cast(RunFinished, events[-1])
    assert finished.outcome == Outcome.BUDGET and finished.answer is not None and "budget of 5" in finished.reason
    assert agent.finals == 1
    assert [e.step for e in events if isinstance(e, StepStarted)] == [1, 2, 3, 4, 5, 6]


def test_a_repeated_call_is_answered_from_memory_with_a_notice(tmp_path: Path) -> None:
    other = Action("inspect", {"intervals": [[5, 6]]})
    agent = Player([LOOK, other, Action("inspect", {"intervals": [[1.0, 2.0]]}, "again"), ANSWER])
    one = driver(agent, tmp_path)
    events = list(one.loop())
    assert agent.ran == [LOOK, other], "the third call is the first once more"
    assert [e.step for e in events if isinstance(e, LedgerUpdated)] == [1, 2]
    notice = next(e for e in events if isinstance(e, Warned))
    assert (notice.step, notice.notice.code) == (3, "repeated-call") and "step 1" in notice.notice.message
    item = one.state.memory[2]
    assert item.output.endswith("\nsaw it") and "e1" in item.output and not item.entry_ids and not item.error
    assert cast(RunFinished, events[-1]).outcome == Outcome.ANSWERED


def test_a_failed_call_is_carried_out_again(tmp_path: Path) -> None:
    agent = Player([LOOK, LOOK, ANSWER], {"inspect": ModelFailed("timeout", "no answer within 180 s")})
    events = list(driver(agent, tmp_path).loop())
    assert agent.ran == [LOOK, LOOK] and not any(isinstance(e, Warned) for e in events)


def test_a_call_repeated_by_hand_is_carried_out(tmp_path: Path) -> None:
    agent = Player([LOOK, ANSWER])
    one = driver(agent, tmp_path)
    going = one.loop()
    got: list[Event] = []
    while not isinstance(got[-1] if got else None, LedgerUpdated):
        got.append(next(going))
    one.workspace.control.act_by_hand(LOOK)
    got += going
    assert agent.ran == [LOOK, LOOK]
    assert [e.source for e in got if isinstance(e, Decided)] == ["scripted", "user", "scripted"]


def test_three_identical_calls_in_a_row_force_an_answer(tmp_path: Path) -> None:
    agent = Player([LOOK] * 5)
    events = list(driver(agent, tmp_path).loop())
    assert agent.ran == [LOOK]
    assert cast(RunFinished, events[-1]).outcome == Outcome.BUDGET
    assert len([e for e in events if isinstance(e, Observed)]) == 3
    assert "identical" in cast(RunFinished, events[-1]).reason


def test_a_refused_operation_is_a_failed_step_the_reasoner_sees(tmp_path: Path) -> None:
    refused = OperationRefused("70–80 s lies outside the video (0–60.0 s)")
    one = driver(Player([LOOK, ANSWER], {"inspect": refused}), tmp_path)
    events = list(one.loop())
    observed = next(e for e in events if isinstance(e, Observed))
    assert observed.error_kind == "refused" and "outside" in observed.error
    assert not any(isinstance(e, LedgerUpdated) for e in events)
    assert "outside" in one.state.memory[0].output and cast(RunFinished, events[-1]).outcome == Outcome.ANSWERED


def test_a_failed_observation_keeps_its_type_and_receipt(tmp_path: Path) -> None:
    call = ModelCall("observer", "m", (), "", Usage(remote_requests=1, failed_requests=1), failure="blocked")
    failed = ModelFailed("blocked", "the provider blocked the pictures (SAFETY)", call)
    one = driver(Player([LOOK, ANSWER], {"inspect": failed}), tmp_path)
    events = list(one.loop())
    observed = next(e for e in events if isinstance(e, Observed))
    assert observed.error_kind == "blocked" and observed.calls == (call,)
    assert one.state.usage.failed_requests == 1


def test_a_failed_reasoner_ends_as_failed_with_a_labelled_answer(tmp_path: Path) -> None:
    events = list(driver(Player([ModelFailed("timeout", "no answer within 180 s")]), tmp_path).loop())
    finished = cast(RunFinished, events[-1])
    assert finished.outcome == Outcome.FAILED and finished.failure == "timeout"
    assert finished.answer is not None and finished.answer.label == "A"
    assert "embedded" in next(e for e in events if isinstance(e, Decided)).source
    assert any(isinstance(e, Warned) and e.notice.code == "reasoner-failed" for e in events)


def test_an_answer_that_names_no_choice_is_asked_once_more(tmp_path: Path) -> None:
    unclear = Action("finalize", {"answer": "something else", "evidence": [], "confidence": 0.5})
    events = list(driver(Player([unclear, ANSWER]), tmp_path).loop())
    assert next(e for e in events if isinstance(e, Observed)).error_kind == "refused"
    answer = cast(RunFinished, events[-1]).answer
    assert answer is not None and answer.label == "B"


def test_a_forced_answer_that_names_no_choice_is_asked_once_more(tmp_path: Path) -> None:
    class Late(Player):
        def act(self, state: State, snapshot: Snapshot | None, step: int, final: bool) -> Decision:
            unclear = Action("finalize", {"answer": "hm", "evidence": [], "confidence": 0.5})
            self.finals += final
            return Decision(unclear if self.finals == 1 else ANSWER if final else LOOK)

    agent = Late([])
    events = list(driver(agent, tmp_path).loop())
    finished = cast(RunFinished, events[-1])
    assert finished.answer is not None and finished.answer.label == "B" and agent.finals == 2
    said = [e.notice for e in events if isinstance(e, Warned) and e.notice.code == "forced-answer"]
    assert said == [Notice("forced-answer", finished.reason)], "asked twice, told once"
    assert finished.outcome == Outcome.BUDGET and "identical" in finished.reason


def test_an_answer_that_stays_unclear_is_no_answer(tmp_path: Path) -> None:
    class Mumbler(Player):
        def act(self, state: State, snapshot: Snapshot | None, step: int, final: bool) -> Decision:
            return Decision(Action("finalize", {"answer": f"hm {step}", "evidence": [], "confidence": 0.5}))

    events = list(driver(Mumbler([]), tmp_path).loop())
    finished = cast(RunFinished, events[-1])
    assert finished.answer is not None and finished.answer.label is None and finished.answer.confidence == 0
    assert finished.outcome == Outcome.ANSWERED and kinds(events).count("decided") == 2
    assert any(isinstance(e, Warned) and e.notice.code == "no-choice" for e in events)


@pytest.mark.parametrize(("looks", "finals"), [(4, 1), (5, 2)])
def test_an_answer_unclear_at_the_end_of_the_budget_is_asked_for_twice_in_all(
    tmp_path: Path, looks: int, finals: int
) -> None:
    class Late(Player):
        def act(self, state: State, snapshot: Snapshot | None, step: int, final: bool) -> Decision:
            self.finals += final
            unclear = Action("finalize", {"answer": f"hm {step}", "evidence": [], "confidence": 0.5})
            return Decision(Action("inspect", {"intervals": [[step, step + 1]]}) if step <= looks else unclear)

    agent = Late([])
    events = list(driver(agent, tmp_path).loop())
    asked = [e for e in events if isinstance(e, Decided) and e.action.operation == "finalize"]
    assert len(asked) == 2 and agent.finals == finals
    assert cast(RunFinished, events[-1]).outcome == Outcome.BUDGET


@pytest.mark.parametrize("cap", [{"max_tokens": 10}, {"max_usd": 0.001}])
def test_a_cap_forces_the_answer(tmp_path: Path, cap: dict[str, Any]) -> None:
    call = ModelCall("observer", "m", (), "", Usage(remote_requests=1, input_tokens=20, cost_usd=0.01))
    dear = Result("seen", (seen(1, 2),), calls=(call,))
    events = list(driver(Player([LOOK, LOOK], {"inspect": dear}), tmp_path, **cap).loop())
    assert "cap" in cast(RunFinished, events[-1]).reason
    assert len([e for e in events if isinstance(e, Observed)]) == 1


def test_what_the_index_was_paid_counts_once_and_towards_the_cap(tmp_path: Path) -> None:
    paid = Bill("speech openai:whisper-1", Usage(remote_requests=3, cost_usd=0.02))
    one = driver(Player([LOOK, ANSWER]), tmp_path, (paid,))
    events = list(one.loop())
    told = [e for e in events if isinstance(e, Warned)]
    assert [e.usage for e in told] == [paid.usage] and "$0.0200" in told[0].notice.message
    assert (one.state.usage.remote_requests, one.state.usage.cost_usd) == (3, 0.02)
    started = RunStarted(run_id="r", agent="player", question=QUESTION, video=FACTS, roles={}, settings={})
    assert fold([started, *events]).usage == one.state.usage
    capped = list(driver(Player([LOOK, ANSWER]), tmp_path, (paid,), max_usd=0.01).loop())
    assert "money cap" in cast(RunFinished, capped[-1]).reason and not any(isinstance(e, Observed) for e in capped)


def test_a_transcript_made_behind_the_run_is_told_until_it_is_there(tmp_path: Path) -> None:
    one = driver(Player([LOOK, Action("inspect", {"intervals": [[3, 4]]}), ANSWER]), tmp_path)
    index: Any = one.workspace.index
    scene = Scene("s1", 0.0, 60.0, 0, 1500, (30.0,))
    index.__dict__.update(
        later=SimpleNamespace(upto=12.0), transcript=SimpleNamespace(status="pending"), video=FACTS, id="i", encoder="e",
        speech="embedded", scenes=(scene,), seconds={}, reused=False, notices=(Notice("speech-failed", "no weights"),),
    )  # fmt: skip
    one.unheard = True
    events = []
    for event in one.loop():
        events.append(event)
        if isinstance(event, Observed):
            index.transcript = SimpleNamespace(status="no speech found")
    told = [e for e in events if isinstance(e, IndexProgress | IndexReady | Warned)]
    assert [e.kind for e in told] == ["index_progress", "index_ready", "warned"]
    assert (told[0].done, told[1].speech_pending, told[2].notice.code) == (12.0, False, "speech-failed")  # type: ignore[union-attr]


def test_a_money_cap_that_cannot_be_kept_is_said_once(tmp_path: Path) -> None:
    call = ModelCall("observer", "m", (), "", Usage(remote_requests=1, cost_usd=None))
    unpriced = Result("seen", (seen(1, 2),), calls=(call,))
    script: list[Action | Exception] = [LOOK, Action("inspect", {"intervals": [[3, 4]]}), ANSWER]
    events = list(driver(Player(script, {"inspect": unpriced}), tmp_path, max_usd=1.0).loop())
    assert [e.notice.code for e in events if isinstance(e, Warned)] == ["no-price"]
    free = driver(Player([LOOK, ANSWER], {"inspect": unpriced}), tmp_path)
    assert not [e for e in free.loop() if isinstance(e, Warned)]


def test_stop_is_heard_at_a_decision_boundary(tmp_path: Path) -> None:
    one = driver(Player([LOOK, LOOK, ANSWER]), tmp_path)
    events = one.loop()
    while not isinstance(next(events), Observed):
        pass
    one.workspace.control.stop()
    with pytest.raises(Stopped):
        list(events)


def test_pause_holds_and_step_lets_exactly_one_decision_through(tmp_path: Path) -> None:
    one = driver(Player([LOOK, LOOK, ANSWER]), tmp_path)
    control = one.workspace.control
    control.pause()
    got: list[Event] = []
    thread = play(one, got)
    assert eventually(lambda: kinds(got) == ["step_started", "decided"])
    control.step()
    assert eventually(lambda: kinds(got).count("decided") == 2)
    time.sleep(0.05)
    assert kinds(got).count("observed") == 1
    control.resume()
    thread.join(5)
    assert isinstance(got[-1], RunFinished)


def test_an_action_by_hand_replaces_the_proposed_one(tmp_path: Path) -> None:
    one = driver(Player([LOOK, ANSWER]), tmp_path)
    control = one.workspace.control
    control.pause()
    got: list[Event] = []
    thread = play(one, got)
    assert eventually(lambda: len(got) == 2)
    mine = Action("clip", {"interval": [4, 5], "question": "which colour?"})
    control.act_by_hand(mine)
    control.resume()
    thread.join(5)
    decided = [e for e in got if isinstance(e, Decided)]
    assert (decided[1].action, decided[1].source, decided[1].replaced) == (mine, "user", LOOK)
    assert next(e for e in got if isinstance(e, Observed)).operation == "clip"


def test_closing_the_loop_after_any_event_is_silent(tmp_path: Path) -> None:
    count = len(list(driver(Player([LOOK, ANSWER]), tmp_path).loop()))
    for n in range(1, count):
        events = driver(Player([LOOK, ANSWER]), tmp_path).loop()
        for _ in range(n):
            next(events)
        events.close()


def play(one: Driver, into: list[Event]) -> threading.Thread:
    """Run the loop in a thread, its events appended as they come."""
    thread = threading.Thread(target=lambda: into.extend(one.loop()))
    thread.start()
    return thread


def eventually(true: Any, within: float = 3.0) -> bool:
    end = time.monotonic() + within
    while time.monotonic() < end:
        if true():
            return True
        time.sleep(0.01)
    return False
