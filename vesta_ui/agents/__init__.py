"""Agents and the one loop they all run on: act, observe, update the state, stop, predict (SAVE §3, VESTA Algorithm 1).

An agent says how it prepares, what it does next and how that is carried out; `run` drives it and yields every event.
In the terms of SAVE §3.1:

    s₁ = F_init(q, E)             `Agent.prepare`
    aₜ ~ π(· | sₜ)                `Agent.act`; Stop is the action `finalize`
    oₜ₊₁ = O(aₜ, E)               `Agent.observe`
    sₜ₊₁ = F(q, sₜ, oₜ₊₁)         `state.advance`: the state is the fold of the events, the same for every agent
    ŷ = g(s)                      the answer of `finalize`; past the budget `act` is asked for it (`final`)

Adding an agent is one file and one line in `AGENTS`. Agents never import each other, and nothing here knows a recorder,
a thread or a screen.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from vesta_ui import encoders, registry, scene_index
from vesta_ui import ledger as ledgers
from vesta_ui.control import Control
from vesta_ui.domain import EMPHASES, Action, Answer, MemoryItem, Notice, Outcome, Policy, Snapshot, View
from vesta_ui.errors import BadSpec, ModelFailed, OperationRefused, Stopped, VestaError
from vesta_ui.events import (
    Decided,
    Event,
    IndexProgress,
    LedgerUpdated,
    Observed,
    Retrieved,
    RunFinished,
    RunStarted,
    StepStarted,
    Warned,
)
from vesta_ui.exploration import Explorer
from vesta_ui.exploration.listening import listen
from vesta_ui.exploration.loading import rules_for
from vesta_ui.frames import FrameStore
from vesta_ui.operations import Result, Workspace
from vesta_ui.operations.finalize import answer_of
from vesta_ui.roles import Decision
from vesta_ui.roles.loading import check_roles
from vesta_ui.settings import ABLATIONS, VIEW_CHARS, Settings, public_spec
from vesta_ui.state import State, advance, digest, initial
from vesta_ui.video import Video

AGENTS = {
    "vesta": "vesta_ui.agents.vesta:Vesta",
    "save": "vesta_ui.agents.save:Save",
    "saos": "vesta_ui.agents.save:Saos",
    "explore": "vesta_ui.agents.explore:Explore",
    "native": "vesta_ui.agents.native:Native",
}

MOST_REPEATS = 3
"""An agent that makes the identical call this often in a row is made to answer."""


class Agent(Protocol):
    """A fresh object a run. `begin` hands it the workspace, once, before anything else."""

    needs_index: bool
    """Whether the scene index is built first; without it the workspace holds the transcript alone."""

    def begin(self, workspace: Workspace) -> None: ...

    def prepare(self, state: State) -> Iterator[Event]:
        """Whatever comes before the first decision (route, first retrieval), as events. Not asked of a forked run."""
        ...

    def budget(self) -> int:
        """Most decisions before the forced answer."""
        ...

    def snapshot(self, state: State) -> tuple[Snapshot | None, View | None]:
        """L_t and μ as they will be shown at the next decision; None when there is no ledger view."""
        ...

    def act(self, state: State, snapshot: Snapshot | None, step: int, final: bool) -> Decision:
        """Choose the next action; `final` demands `finalize`. Raises `ModelFailed`."""
        ...

    def observe(self, action: Action, state: State, step: int) -> Result:
        """Carry the action out. Raises `OperationRefused` or `ModelFailed`: a failed step, not the end of the run."""
        ...

    def fallback(self, state: State, step: int) -> Decision:
        """The final answer from what is in the ledger, without any model, for when models fail."""
        ...


@dataclass
class Driver:
    """One run of one agent. `emit` keeps `state` the fold of everything yielded."""

    agent: Agent
    workspace: Workspace
    state: State
    source: str
    broken: ModelFailed | None = None
    """Why the Reasoner could not decide; its answer then came from the embedded engine."""
    capless: bool = False
    """It was said that the money cap cannot be kept."""
    unheard: bool = False
    """The index was announced before its transcript was there."""

    def emit(self, event: Event) -> Event:
        self.state = advance(self.state, event)
        return event

    def loop(self, first_step: int = 1) -> Iterator[Event]:
        """Decide, carry out, account; until an answer, the budget, or a failure. Ends with `RunFinished`."""
        budget = self.agent.budget()
        step = first_step
        reason = ""
        while True:
            yield from self._speech(step)
            yield from self._bills(step)
            known, reason = reason, reason or self._why_final(step, budget)
            snapshot, view = self.agent.snapshot(self.state)
            started = StepStarted(step=step, budget=budget, snapshot=snapshot, view=view, state_hash=digest(self.state))
            yield self.emit(started)
            if reason and not known:
                yield self.emit(Warned(step=step, notice=Notice("forced-answer", reason)))
            answer = yield from self._step(step, snapshot, final=bool(reason))
            if answer is not None:
                yield self.emit(self._finished(answer, reason))
                return
            step += 1

    def _speech(self, step: int) -> Iterator[Event]:
        """How far a transcript made behind the run has come; the index once more when it is there or has failed."""
        index = self.workspace.index
        if self.unheard and index.later is not None and index.transcript.status == "pending":
            yield self.emit(IndexProgress(phase="speech", done=index.later.upto, total=index.video.duration_s))
        elif self.unheard:
            self.unheard = False
            yield self.emit(scene_index.ready_event(index))
            for notice in index.notices:
                if notice.code == "speech-failed":
                    yield self.emit(Warned(step=step, notice=notice))

    def _bills(self, step: int) -> Iterator[Event]:
        """What was paid for the index since the last step (a transcript may be made behind the run), and what cannot be told."""
        waiting = self.workspace.index.bills
        while waiting:
            bill = waiting.pop(0)
            yield self.emit(Warned(step=step, notice=bill.notice, usage=bill.usage))
        if self.workspace.settings.max_usd is not None and self.state.usage.cost_usd is None and not self.capless:
            self.capless = True
            said = "the price of a model is unknown, so the money cap cannot be kept: cap the tokens, or add the price"
            yield self.emit(Warned(step=step, notice=Notice("no-price", said)))

    def _finished(self, answer: Answer, reason: str) -> RunFinished:
        """ "answered" only when the agent itself answered, in its own time."""
        if self.broken is not None:
            why = f"the reasoner failed ({self.broken.kind}): {self.broken}"
            return RunFinished(outcome=Outcome.FAILED, answer=answer, reason=why, failure=self.broken.kind)
        return RunFinished(outcome=Outcome.BUDGET if reason else Outcome.ANSWERED, answer=answer, reason=reason)

    def _why_final(self, step: int, budget: int) -> str:
        settings, usage = self.workspace.settings, self.state.usage
        if step > budget:
            return f"the budget of {budget} decisions is spent, so it had to answer"
        if self.state.repeats >= MOST_REPEATS:
            return f"it chose the identical operation {self.state.repeats} times in a row, so it had to answer"
        if settings.max_usd is not None and usage.cost_usd is not None and usage.cost_usd >= settings.max_usd:
            return f"the money cap of ${settings.max_usd:g} is reached, so it had to answer"
        tokens = (usage.input_tokens or 0) + (usage.output_tokens or 0)
        if settings.max_tokens is not None and tokens >= settings.max_tokens:
            return f"the cap of {settings.max_tokens} tokens is reached, so it had to answer"
        return ""

    def _step(self, step: int, snapshot: Snapshot | None, final: bool) -> Generator[Event, None, Answer | None]:
        control = self.workspace.control
        control.check()
        began = time.monotonic()
        decision, source = self._decide(step, snapshot, final)
        seconds = time.monotonic() - began
        for notice in decision.notices:
            yield self.emit(Warned(step=step, notice=notice))
        action = decision.action
        yield self.emit(Decided(step=step, action=action, source=source, calls=decision.calls, seconds=seconds))
        control.gate()
        by_hand = control.take_by_hand()
        if by_hand is not None and by_hand != action:
            yield self.emit(Decided(step=step, action=by_hand, source="user", replaced=action))
            action, source = by_hand, "user"
        if action.operation == "finalize":
            answer = yield from self._answer(action, step)
            return answer
        earlier = self._remembered(action) if source != "user" else None
        if earlier is not None:
            yield from self._recall(earlier, step)
        else:
            yield from self._observe(action, step)
        return None

    def _remembered(self, action: Action) -> MemoryItem | None:
        """The first identical call that succeeded. A failed one may succeed now, and is carried out again."""
        return next(
            (
                item
                for item in self.state.memory
                if (item.operation, item.arguments) == (action.operation, action.arguments) and not item.error
            ),
            None,
        )

    def _recall(self, earlier: MemoryItem, step: int) -> Iterator[Event]:
        """The identical call is answered from tool memory: nothing runs, nothing new enters the ledger."""
        made = f" (entries {', '.join(earlier.entry_ids)})" if earlier.entry_ids else ""
        said = f"the same call as in step {earlier.step}, answered from memory{made}"
        yield self.emit(Warned(step=step, notice=Notice("repeated-call", said)))
        output = f"{said}: nothing new\n{earlier.output}"
        yield self.emit(Observed(step=step, operation=earlier.operation, arguments=earlier.arguments, output=output))

    def _decide(self, step: int, snapshot: Snapshot | None, final: bool) -> tuple[Decision, str]:
        by_hand = self.workspace.control.take_by_hand()
        if by_hand is not None and not final:
            return Decision(by_hand), "user"
        try:
            return self.agent.act(self.state, snapshot, step, final), self.source
        except ModelFailed as error:
            self.broken = error
            notice = Notice(
                "reasoner-failed", f"the reasoner failed ({error.kind}): the embedded engine answers from the ledger"
            )
            decision = self.agent.fallback(self.state, step)
            return replace(decision, calls=error.receipts, notices=(notice,)), "embedded, after a failure"

    def _answer(self, action: Action, step: int) -> Generator[Event, None, Answer | None]:
        """The answer, or None after one that names no choice: the Reasoner is asked once more, and not a third time.

        Only two in a row end the run: who looks further after the first has not been asked in vain.
        """
        again = bool(self.state.memory) and self.state.memory[-1].operation == "finalize"
        try:
            return answer_of(action.arguments, self.state.question, self.state.ledger)
        except OperationRefused as error:
            observed = Observed(
                step=step, operation="finalize", arguments=action.arguments, error=str(error), error_kind="refused"
            )
            yield self.emit(observed)
            if not again and self.broken is None:
                return None
            text = str(action.arguments.get("answer", ""))
            yield self.emit(
                Warned(step=step, notice=Notice("no-choice", f"no choice could be read from “{text[:120]}”"))
            )
            return Answer(None, text, 0.0)

    def _observe(self, action: Action, step: int) -> Iterator[Event]:
        observed = Observed(step=step, operation=action.operation, arguments=action.arguments)
        began = time.monotonic()
        try:
            result = self.agent.observe(action, self.state, step)
        except (OperationRefused, ModelFailed) as error:
            kind = error.kind if isinstance(error, ModelFailed) else "refused"
            calls = error.receipts if isinstance(error, ModelFailed) else ()
            failed = replace(
                observed,
                error=str(error),
                error_kind=kind,
                output=f"failed: {error}",
                calls=calls,
                seconds=time.monotonic() - began,
            )
            yield self.emit(failed)
            return
        for notice in result.notices:
            yield self.emit(Warned(step=step, notice=notice))
        yield self.emit(
            replace(
                observed,
                observations=result.observations,
                frames=result.frames,
                output=result.output,
                summary=result.summary,
                calls=result.calls,
                seconds=time.monotonic() - began,
            )
        )
        if result.references:
            yield self.emit(
                Retrieved(
                    step=step,
                    policy="",
                    queries=result.queries,
                    references=result.references,
                    relevance=result.relevance,
                    seconds=time.monotonic() - began,
                )
            )
        if result.observations:
            query = str(action.arguments.get("question") or action.arguments.get("focus") or "")
            made = ledgers.entries_from(self.state.ledger, action.operation, step, query, result.observations)
            yield self.emit(LedgerUpdated(step=step, entries=made))


def check(settings: Settings) -> None:
    """Raises `BadSpec` or `ModelFailed` for a setting that names nothing usable, before anything is started."""
    agent = registry.load(AGENTS, settings.agent, "agent")
    if settings.reasoner == "embedded" and issubclass(agent, Explorer):
        rules_for(agent.query)
    if settings.ablation not in ABLATIONS:
        raise BadSpec(f"unknown ablation “{settings.ablation}”: choose one of {', '.join(ABLATIONS)}")
    if settings.policy and settings.policy not in set(Policy):
        raise BadSpec(f"unknown policy “{settings.policy}”: choose one of {', '.join(Policy)}")
    if settings.emphasis and settings.emphasis not in EMPHASES:
        raise BadSpec(f"unknown emphasis “{settings.emphasis}”: choose one of {', '.join(EMPHASES)}")
    if not VIEW_CHARS[0] <= settings.snapshot_chars <= VIEW_CHARS[1]:
        raise BadSpec(
            f"the ledger view takes {VIEW_CHARS[0]:,} to {VIEW_CHARS[1]:,} characters, not {settings.snapshot_chars:,}"
        )
    if not 0 <= settings.route_confidence <= 1:
        raise BadSpec(f"route-confidence must be from 0 to 1, got {settings.route_confidence:g}")
    for name in ("max_steps", "max_queries", "native_frames", "match_tokens"):
        value = getattr(settings, name)
        if value is not None and value < 1:
            raise BadSpec(f"{name.replace('_', '-')} must be at least 1, got {value}")
    for name in ("max_usd", "max_tokens", "model_timeout_s"):
        value = getattr(settings, name)
        if value is not None and not 0 < value < float("inf"):
            raise BadSpec(f"{name.replace('_', '-')} must be above 0, got {value:g}")
    encoders.load(settings.encoder)
    check_roles(settings)


def run(
    started: RunStarted,
    video: Video,
    settings: Settings,
    frames: FrameStore,
    control: Control,
    prefix: Sequence[Event] = (),
) -> Iterator[Event]:
    """Every event of a run: index, preparation, steps, answer. Starts with `started`, always ends with `RunFinished`.

    `prefix` are the events a forked or continued run takes over from its parent, after its own `started`; the agent
    then goes on with the step after them.
    """
    yield started
    try:
        agent: Agent = registry.load(AGENTS, started.agent, "agent")()
        if agent.needs_index:
            index = yield from scene_index.build(video.path, settings, control)
        else:
            index = yield from listen(video, settings, control)
        workspace = Workspace(video, index, frames, settings, control)
        agent.begin(workspace)
        driver = Driver(agent, workspace, initial(started), public_spec(settings.reasoner))
        if prefix:
            for event in prefix:
                yield driver.emit(event)
        else:
            if agent.needs_index:
                ready = scene_index.ready_event(index)
                driver.unheard = ready.speech_pending
                yield ready
            for notice in index.notices:
                yield Warned(step=0, notice=notice)
            for event in agent.prepare(driver.state):
                yield driver.emit(event)
        yield from driver.loop(first_step=driver.state.step + 1)
    except Stopped:
        yield RunFinished(outcome=Outcome.STOPPED, answer=None, reason="stopped by the user")
    except VestaError as error:
        yield RunFinished(outcome=Outcome.FAILED, answer=None, reason=str(error), failure=error.kind)


__all__ = ["AGENTS", "Agent", "Driver", "check", "run"]
