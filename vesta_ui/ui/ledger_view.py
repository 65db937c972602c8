"""Session → the ledger panel: every reference and entry as a row, coverage, relations, gaps, the hypothesis matrix.

The rows are all entries there are (nothing is ever dropped); `shown` says which of them the Reasoner's compact view holds.
"""

from __future__ import annotations

from typing import Any

from vesta_ui.compact import compact
from vesta_ui.domain import Entry, Interval, ReferenceState, Snapshot, Status
from vesta_ui.runs.session import Session

ROWS = 300
"""Newest entries sent with an update; a run of more keeps the rest in its trace."""


def snapshot(session: Session) -> Snapshot | None:
    """L_t over everything so far, uncut (VESTA §3.5). None before the run knows its question."""
    if session.state is None:
        return None
    route = session.route
    return compact(session.state.ledger, route.view if route else None, budget_chars=10**9, missing=session.missing)


def verified_entries(now: Snapshot | None) -> set[str]:
    """Ids of entries that nothing speaks against: their verdict is True, or they overlap a verified reference."""
    if now is None:
        return set()
    verified = [one.reference.interval for one in now.references if one.status is Status.VERIFIED]
    return {
        entry.id
        for entry in now.entries
        if entry.observation.verdict is True or any(entry.interval.overlap(i) > 0 for i in verified)
    }


def ledger(session: Session, run_id: str, now: Snapshot | None) -> dict[str, Any] | None:
    """Rows oldest first. `step` is the newest step that changed anything: its rows flash."""
    if now is None or session.state is None:
        return None
    cited = {evidence.entry_id for evidence in (session.answer.evidence if session.answer else ())}
    last = next((s.started.snapshot for s in reversed(session.steps) if s.started and s.started.snapshot), None)
    shown = {entry.id for entry in last.entries} if last else set()
    entries = session.state.ledger.entries
    question = session.state.question
    return {
        "run": run_id,
        "step": max([e.step for e in entries] + [step for r in now.references for step, _ in r.history], default=0),
        "total": len(entries),
        "references": [_reference(one) for one in now.references],
        "entries": [_entry(one, cited, shown) for one in entries[-ROWS:]],
        "coverage": coverage(now) | {"duration": session.started.video.duration_s if session.started else 0},
        "relations": [
            {"kind": r.kind, "text": r.text, "entries": list(r.entry_ids), "s": r.start, "e": r.end, "status": r.status}
            for r in now.relations
        ],
        "gaps": [{"text": g.text, "op": g.operation, "s": g.start, "e": g.end} for g in now.gaps],
        "hypotheses": [
            {
                "label": h.label,
                "text": choice.text if (choice := question.choice(h.label)) else "",
                "support": round(h.support, 2),
                "refutation": round(h.refutation, 2),
                "entries": list(h.entry_ids),
            }
            for h in now.hypotheses
        ],
        "hidden": last is None and any(step.started for step in session.steps),
    }


def coverage(now: Snapshot) -> dict[str, Any]:
    """C_t: shares in [0, 1], intervals as pairs of seconds."""
    return {
        "seen_share": now.coverage.seen_share,
        "heard_share": now.coverage.heard_share,
        "sufficient": now.coverage.sufficient,
        "why": now.coverage.why,
        "never": [_pair(i) for i in now.coverage.never],
        "seen": [_pair(i) for i in now.coverage.seen],
        "heard": [_pair(i) for i in now.coverage.heard],
    }


def seen_by_reasoner(session: Session, step: int | None = None) -> dict[str, Any]:
    """The compact ledger text the Reasoner was shown at a step (None: the newest), and what was left out of it."""
    steps = [s for s in session.steps if s.started and s.started.snapshot and (step is None or s.n <= step)]
    shown = steps[-1].started.snapshot if steps and steps[-1].started else None
    return {
        "step": steps[-1].n if steps else None,
        "text": shown.text if shown else "",
        "left_out": [list(pair) for pair in (shown.left_out if shown else ())],
    }


def memory(session: Session) -> list[dict[str, Any]]:
    """M_t: every operation output in full."""
    return [
        {"step": m.step, "op": m.operation, "arguments": m.arguments, "output": m.output, "error": m.error}
        for m in (session.state.memory if session.state else ())
    ]


def step_of(session: Session, entry_id: str) -> int | None:
    """The step that made an entry."""
    return next((e.step for e in (session.state.ledger.entries if session.state else ()) if e.id == entry_id), None)


def _reference(one: ReferenceState) -> dict[str, Any]:
    ref = one.reference
    return {
        "id": ref.id,
        "s": ref.start,
        "e": ref.end,
        "scene": ref.scene_id,
        "score": round(ref.score, 3),
        "step": ref.step,
        "query": ref.query,
        "note": ref.note,
        "h": list(ref.hypotheses),
        "status": one.status.value,
        "history": [[step, status.value] for step, status in one.history],
    }


def _entry(one: Entry, cited: set[str], shown: set[str]) -> dict[str, Any]:
    seen = one.observation
    return {
        "id": one.id,
        "s": seen.interval.start,
        "e": seen.interval.end,
        "op": one.operation,
        "step": one.step,
        "modality": seen.modality.value,
        "what": seen.content,
        "text": seen.text,
        "verdict": seen.verdict,
        "confidence": seen.confidence,
        "stances": [{"label": s.label, "supports": s.supports, "weight": round(s.weight, 2)} for s in seen.stances],
        "frames": len(seen.frames),
        "thumb": seen.frames[len(seen.frames) // 2].sha256 if seen.frames else "",
        "cited": one.id in cited,
        "shown": one.id in shown,
    }


def _pair(interval: Interval) -> list[float]:
    return [round(interval.start, 2), round(interval.end, 2)]
