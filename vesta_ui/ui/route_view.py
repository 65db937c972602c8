"""Session → the route card: π, μ, what words and model said, what was merged, and the policy's own retrieval."""

from __future__ import annotations

from typing import Any

from vesta_ui.domain import Snapshot
from vesta_ui.events import Retrieved
from vesta_ui.runs.session import Session

Json = dict[str, Any]
_SWITCHED = {
    "no-retrieval": (
        "no retrieval",
        "Retrieval is off in this run: no scenes are fetched, the Reasoner looks where it likes.",
        False,
    ),
    "no-ledger": (
        "no ledger",
        "The ledger is hidden from the Reasoner in this run: it sees its tool memory only.",
        False,
    ),
    "retrieval-only": (
        "retrieval only",
        "The router and the ledger are off in this run: the scenes that match the question best are fetched, whatever it asks.",
        True,
    ),
    "plain": (
        "plain agent",
        "Router, retrieval and ledger are off in this run: the Reasoner looks where it likes.",
        True,
    ),
}
"""What each ablation (§4.4) changes: its name on the page, one sentence, and whether the router is off."""


def route(session: Session, run_id: str, now: Snapshot | None) -> Json | None:
    """π, μ and everything that led to them, with the policy's own retrieval; for a run without a router, what it does."""
    routed = session.routed
    first = next((r for r in session.retrieved if r.step == 0), None)
    vesta = session.started is not None and session.started.agent == "vesta"
    switched = _SWITCHED.get(str(session.started.settings.get("ablation"))) if session.started and vesta else None
    mechanisms = {"name": switched[0], "text": switched[1]} if switched else None
    if routed is None:
        unrouted = switched is not None and switched[2]
        return {"run": run_id, "mechanisms": mechanisms, **_searched(session, first, now)} if unrouted else None
    decided, model = routed.route, routed.route.model
    return {
        "run": run_id,
        "mechanisms": mechanisms,
        "policy": decided.policy.value,
        "emphasis": decided.view.emphasis.value,
        "flags": [flag.value for flag in decided.view.flags],
        "demands": [demand.value for demand in decided.demands],
        "cues": [{"demand": cue.demand.value, "words": cue.words} for cue in decided.prior.cues],
        "prior_flags": [flag.value for flag in decided.prior.flags],
        "model": model
        and {
            "demands": [d.value for d in model.demands],
            "flags": [f.value for f in model.flags],
            "confidence": model.confidence,
            "why": model.why,
        },
        "model_note": decided.model_note,
        "why": decided.why,
        "overridden": list(decided.overridden),
        "seconds": routed.seconds,
        **_searched(session, first, now),
    }


def _searched(session: Session, first: Retrieved | None, now: Snapshot | None) -> Json:
    """The retrieval before the first decision: its queries, sets and references, with what became of each."""
    looked = [frame for step in session.steps if step.observed for frame in step.observed.frames]
    states = {state.reference.id: state for state in (now.references if now else ())}
    return {
        "sets": {name: len(getattr(first, name)) for name in ("pool", "dropped", "backfilled")} if first else None,
        "dropped": [
            {"s": scene.start, "e": scene.end} for scene in session.scenes if first and scene.id in first.dropped
        ],
        "retrieved": [
            {
                "id": ref.id,
                "scene": ref.scene_id,
                "s": ref.start,
                "e": ref.end,
                "score": round(ref.score, 3),
                "sha": next((f.sha256 for f in looked if ref.start <= f.time < ref.end), ""),
                "note": ref.note,
                "h": list(ref.hypotheses),
                "status": states[ref.id].status.value if ref.id in states else "unverified",
            }
            for ref in (first.references if first else ())
        ],
    }
