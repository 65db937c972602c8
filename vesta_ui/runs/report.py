"""A session as plain JSON: what `ask` and `replay` print. Derived from the fold alone."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

from pydantic_core import to_jsonable_python

from vesta_ui.compact import compact
from vesta_ui.domain import Answer, Reference, Usage
from vesta_ui.runs.session import Session, Step


def as_json(session: Session, run_dir: Path | None = None) -> dict[str, Any]:
    """The contract of `ask --json` and `replay --json`. Times in seconds; None where a thing has not happened yet."""
    assert session.started is not None and session.state is not None
    route, state = session.route, session.state
    snapshot = compact(state.ledger, route.view if route else None, budget_chars=10**9, missing=session.missing)
    statuses = {one.reference.id: one.status for one in snapshot.references}
    finished = session.finished
    data = {
        "run_id": session.started.run_id,
        "run_dir": str(run_dir) if run_dir else None,
        "outcome": finished.outcome if finished else None,
        "reason": finished.reason if finished else "the run has not ended here",
        "answer": _answer(finished.answer) if finished and finished.answer else None,
        "route": {
            "policy": route.policy,
            "view": asdict(route.view),
            "prior": asdict(route.prior),
            "model": asdict(route.model) if route.model else None,
            "why": route.why,
        }
        if route
        else None,
        "references": [_reference(one, statuses.get(one.id)) for one in state.ledger.references],
        "steps": [_step(step) for step in session.steps],
        "ledger": {
            "entries": [asdict(entry) for entry in state.ledger.entries],
            "coverage": asdict(snapshot.coverage),
            "relations": [asdict(one) for one in snapshot.relations],
            "gaps": [asdict(one) for one in snapshot.gaps],
        },
        "usage": _usage(session.usage),
        "warnings": [asdict(notice) for notice in session.warnings],
    }
    jsonable: dict[str, Any] = to_jsonable_python(data)
    return jsonable


def _answer(answer: Answer) -> dict[str, Any]:
    evidence = [
        {"start_s": one.start, "end_s": one.end, "entry_id": one.entry_id, "why": one.why} for one in answer.evidence
    ]
    return {"label": answer.label, "text": answer.text, "confidence": answer.confidence, "evidence": evidence}


def _reference(one: Reference, status: Any) -> dict[str, Any]:
    return {
        "id": one.id,
        "scene_id": one.scene_id,
        "start_s": one.start,
        "end_s": one.end,
        "score": one.score,
        "status": status,
        "hypotheses": one.hypotheses,
        "step": one.step,
    }


def _step(step: Step) -> dict[str, Any]:
    decided, observed = step.decided, step.observed
    calls = (*(decided.calls if decided else ()), *(observed.calls if observed else ()))
    usage = sum((call.usage for call in calls), Usage())
    return {
        "n": step.n,
        "operation": decided.action.operation if decided else None,
        "arguments": decided.action.arguments if decided else None,
        "thought": decided.action.thought if decided else None,
        "observation": observed.output if observed else None,
        "seconds": observed.seconds if observed else None,
        "usage": _usage(usage),
        "error": {"kind": observed.error_kind, "message": observed.error} if observed and observed.error else None,
    }


def _usage(usage: Usage) -> dict[str, Any]:
    shown = ("remote_requests", "failed_requests", "input_tokens", "output_tokens", "frames", "cost_usd")
    return {name: getattr(usage, name) for name in shown}
