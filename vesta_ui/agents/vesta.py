"""VESTA: route, retrieve by policy, then decide–observe–account until the ledger supports an answer (Algorithm 1).

The three mechanisms switch off by the ablations of §4.4. This file reads the paper's loop; what each part does is in
router, policies, operations, ledger, compact and roles.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

from vesta_ui import policies, router
from vesta_ui.compact import compact
from vesta_ui.domain import (
    EMPHASES,
    Action,
    Estimate,
    ModelCall,
    Notice,
    Policy,
    Question,
    ReferenceState,
    Snapshot,
    Status,
    View,
)
from vesta_ui.errors import ModelFailed, OperationRefused
from vesta_ui.events import Event, Retrieved, Routed, Warned
from vesta_ui.ledger import reference_states
from vesta_ui.operations import OPERATIONS, Result, Workspace, load
from vesta_ui.operations.speech import SILENT
from vesta_ui.roles import Context, Decision
from vesta_ui.roles.embedded import EmbeddedReasoner
from vesta_ui.roles.loading import load_estimator, load_reasoner
from vesta_ui.settings import ABLATIONS
from vesta_ui.state import State


class Vesta:
    needs_index = True

    def begin(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self.parts = ABLATIONS[workspace.settings.ablation]
        self.reasoner = load_reasoner(workspace.settings)

    def prepare(self, state: State) -> Iterator[Event]:
        """(π, μ) ← R(Q, C), then the policy's own retrieval."""
        policy = Policy.FOCUSED
        if self.parts.routing:
            routed = self._route(state.question)
            policy = routed.route.policy
            yield routed
        if self.parts.retrieval:
            yield from self._retrieve(state.question, policy)

    def budget(self) -> int:
        return self.workspace.settings.max_steps

    def snapshot(self, state: State) -> tuple[Snapshot | None, View | None]:
        """L_t = Compact_μ(E_t), recomputed every step; hidden without the ledger mechanism."""
        if not self.parts.ledger:
            return None, None
        view = state.route.view if state.route else None
        missing = set(OPERATIONS) - set(self._offered())
        return compact(state.ledger, view, self.workspace.settings.snapshot_chars, missing), view

    def act(self, state: State, snapshot: Snapshot | None, step: int, final: bool) -> Decision:
        return self.reasoner.decide(self._context(state, snapshot, step, final), self.workspace.control)

    def observe(self, action: Action, state: State, step: int) -> Result:
        if action.operation not in self._operations():
            known = ", ".join(self._operations())
            raise OperationRefused(f"there is no operation “{action.operation}”: choose one of {known}")
        return load(action.operation).run(action.arguments, step, state.question, self.workspace)

    def fallback(self, state: State, step: int) -> Decision:
        snapshot, _ = self.snapshot(state)
        return EmbeddedReasoner().decide(self._context(state, snapshot, step, final=True), self.workspace.control)

    def _context(self, state: State, snapshot: Snapshot | None, step: int, final: bool) -> Context:
        """H_t = (Q, π, references, L_t, M_t)."""
        return Context(
            question=state.question,
            video=self.workspace.video.facts,
            policy=state.route.policy if state.route else None,
            view=state.route.view if state.route else None,
            references=self._references(state),
            snapshot=snapshot,
            memory=state.memory,
            step=step,
            budget=self.budget(),
            operations=self._offered(),
            final=final,
            cards=tuple(load(name) for name in self._offered()),
        )

    def _references(self, state: State) -> tuple[ReferenceState, ...]:
        """What became of a reference is the ledger's knowledge: without that mechanism each stays provisional."""
        if self.parts.ledger:
            return reference_states(state.ledger)
        return tuple(ReferenceState(one, Status.UNVERIFIED) for one in state.ledger.references)

    def _operations(self) -> tuple[str, ...]:
        return tuple(name for name in OPERATIONS if name != "retrieve" or self.parts.retrieval)

    def _offered(self) -> tuple[str, ...]:
        """What the Reasoner may choose now: `speech` only where there is something to hear."""
        silent = self.workspace.index.transcript.status in SILENT
        return tuple(name for name in self._operations() if name != "speech" or not silent)

    def _route(self, question: Question) -> Routed:
        settings = self.workspace.settings
        began = time.monotonic()
        estimate: Estimate | None = None
        call: ModelCall | None = None
        note = ""
        estimator = load_estimator(settings)
        if estimator is None:
            note = "no model was asked: the embedded router is the prior alone"
        else:
            try:
                estimate, call = estimator.estimate(question, self.workspace.control)
            except ModelFailed as error:
                note = f"the model gave no usable estimate ({error.kind}): {error}"
                call = error.call
        policy = Policy(settings.policy) if settings.policy else None
        emphasis = EMPHASES[settings.emphasis] if settings.emphasis else None
        route = router.route(question, estimate, note, settings.route_confidence, policy, emphasis)
        return Routed(route=route, call=call, seconds=time.monotonic() - began)

    def _retrieve(self, question: Question, policy: Policy) -> Iterator[Event]:
        settings, index = self.workspace.settings, self.workspace.index
        began = time.monotonic()
        found = policies.retrieve(policy, question, index, settings.references, settings.separation_s)
        if found.note and question.choices:  # without choices the route has said it already
            yield Warned(step=0, notice=Notice("focused-instead", found.note))
        yield Retrieved(
            step=0,
            policy=policy.value,
            queries=found.queries,
            references=found.references,
            relevance=index.scores(question.text),
            pool=found.pool,
            dropped=found.dropped,
            backfilled=found.backfilled,
            seconds=time.monotonic() - began,
        )
