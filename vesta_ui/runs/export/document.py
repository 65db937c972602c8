"""What an export says, as plain redacted JSON: runs with their steps, the ledger as of every step, costs, notes, frames.

Knows no format. Frames are named by content hash; `frames` hands out their bytes, shrunk to fit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic_core import to_jsonable_python

from vesta_ui import __version__
from vesta_ui.compact import compact
from vesta_ui.domain import Interval, ModelCall, Usage
from vesta_ui.events import EVENT, Event, StepStarted
from vesta_ui.frames import smaller
from vesta_ui.runs import recorder
from vesta_ui.runs.cases import Case, evidence_iou, verdict
from vesta_ui.runs.compare import cost, places
from vesta_ui.runs.redact import Redactor
from vesta_ui.runs.run import Run
from vesta_ui.runs.session import Session, Step, reduce

Json = dict[str, Any]

ROOM = 3_200_000
"""Bytes of pictures in one document: base64 and the text keep it under 5 MB."""
SIDES = (640, 480, 360, 240, 160)
PER_STEP = (60, 30, 16, 8, 4, 2, 1)
"""Most frames of one step that are kept, the first of these with which everything fits."""


@dataclass(frozen=True, slots=True)
class Document:
    """`data` is redacted and JSON-safe; `events` are the redacted traces, one list a run; `folders` hold the frames."""

    data: Json
    events: list[list[Json]]
    folders: tuple[Path, ...]


def build(runs: Sequence[Run], case: Case | None, redactor: Redactor) -> Document:
    """Everything an export may show, redacted once."""
    made = [_run(run, case) for run in runs]
    question = case.question if case else runs[0].session().started.question  # type: ignore[union-attr]
    video = case.video if case else runs[0].session().started.video  # type: ignore[union-attr]
    data = {
        "made_by": f"VESTA UI {__version__}",
        "made_at": f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC",
        "question": asdict(question),
        "video": asdict(video),
        "case": _case(case) if case else None,
        "runs": made,
    }
    events = [[EVENT.dump_python(event, mode="json") for event in run.events] for run in runs]
    redactor.learn(events)
    return Document(
        redactor.value(to_jsonable_python(data)),
        [redactor.value(one, f"$.events[{n}]") for n, one in enumerate(events)],
        tuple(run.folder / recorder.FRAMES for run in runs),
    )


def frames(document: Document, room: int = ROOM) -> dict[str, bytes]:
    """Content hash → JPEG, as large as fit into `room` bytes; frames of the answer's evidence first. Missing ones left out."""
    for most in PER_STEP:
        wanted = _wanted(document, most)
        for side in SIDES if most == PER_STEP[0] else SIDES[-2:]:
            taken: dict[str, bytes] = {}
            total = 0
            for sha256 in wanted:
                jpeg = _jpeg(document, sha256)
                if jpeg is not None:
                    taken[sha256] = smaller(jpeg, side)
                    total += len(taken[sha256])
                if total > room:
                    break
            else:
                return taken
    return {}


def _wanted(document: Document, most: int) -> list[str]:
    """At most `most` frames of every step, evenly spread."""
    found: dict[str, None] = {}
    for run in document.data["runs"]:
        for step in run["steps"]:
            shas = [frame["sha"] for frame in step["frames"]]
            kept = (
                shas
                if len(shas) <= most
                else [shas[round(i * (len(shas) - 1) / max(1, most - 1))] for i in range(most)]
            )
            found.update(dict.fromkeys(kept))
    return list(found)


def _jpeg(document: Document, sha256: str) -> bytes | None:
    for folder in document.folders:
        path = folder / f"{sha256}.jpg"
        if path.is_file():
            return path.read_bytes()
    return None


# ------------------------------------------------------------------------------------------------ a run
def _run(run: Run, case: Case | None) -> Json:
    session, states = _states(run.events)
    started, finished, route = session.started, session.finished, session.route
    assert started is not None and session.state is not None
    answer = finished.answer if finished else None
    return {
        "id": run.id,
        "agent": started.agent,
        "roles": started.roles,
        "settings": started.settings,
        "parent": started.parent,
        "fork": f"step {started.fork_step}: {started.fork_edit}" if started.parent else "",
        "outcome": finished.outcome.value if finished else "interrupted",
        "reason": finished.reason if finished else "",
        "answer": asdict(answer) if answer else None,
        "verdict": verdict(case, run.id, answer) if case else "",
        "judged_by_hand": bool(case and run.id in case.verdicts),
        "iou": evidence_iou(answer, case.gold_intervals) if case and answer and case.gold_intervals else None,
        "route": {
            "policy": route.policy.value,
            "emphasis": route.view.emphasis.value,
            "flags": [flag.value for flag in route.view.flags],
            "why": route.why,
            "call": _call(session.routed.call) if session.routed and session.routed.call else None,
        }
        if route
        else None,
        "scenes": [[scene.start, scene.end] for scene in session.scenes],
        "references": [
            {
                "id": r.id,
                "s": r.start,
                "e": r.end,
                "score": round(r.score, 3),
                "step": r.step,
                "query": r.query,
                "h": r.hypotheses,
            }
            for r in session.state.ledger.references
        ],
        "entries": [
            {
                "id": e.id,
                "op": e.operation,
                "step": e.step,
                "s": e.interval.start,
                "e": e.interval.end,
                "modality": e.observation.modality.value,
                "what": e.observation.content,
                "text": e.observation.text,
                "verdict": e.observation.verdict,
                "confidence": e.observation.confidence,
                "stances": [("+" if s.supports else "−") + s.label for s in e.observation.stances],
            }
            for e in session.state.ledger.entries
        ],
        "steps": [_step(step) for step in session.steps],
        "states": states,
        "cost": asdict(cost(session)),
        "warnings": [notice.message for notice in dict.fromkeys(session.warnings)],
        "unknown": [{"kind": one.kind, "schema": one.schema} for one in run.unknown],
    }


def _states(events: Sequence[Event]) -> tuple[Session, list[Json]]:
    """The session at the end, and what the ledger held after step 0, 1, 2 …"""
    session, states = Session(), []
    for event in events:
        if isinstance(event, StepStarted):
            states.append(_state(session))
        session = reduce(session, event)
    return session, [*states, _state(session)]


def _state(session: Session) -> Json:
    if session.state is None:
        return {}
    now = compact(session.state.ledger, session.route.view if session.route else None, missing=session.missing)
    cover = now.coverage
    return {
        "seen": [[i.start, i.end] for i in cover.seen],
        "heard": [[i.start, i.end] for i in cover.heard],
        "never": [[i.start, i.end] for i in cover.never],
        "seen_share": cover.seen_share,
        "heard_share": cover.heard_share,
        "sufficient": cover.sufficient,
        "why": cover.why,
        "references": {one.reference.id: one.status.value for one in now.references},
        "relations": [{"kind": r.kind, "text": r.text, "s": r.start, "e": r.end, "status": r.status} for r in now.relations if r.kind != "verification"],
        "gaps": [gap.text for gap in now.gaps],
        "hypotheses": [{"label": h.label, "for": round(h.support, 2), "against": round(h.refutation, 2)} for h in now.hypotheses],
        "spent": asdict(session.usage),
        "at": session.at,
    }  # fmt: skip


def _step(step: Step) -> Json:
    decided, observed, shown = step.decided, step.observed, step.started.snapshot if step.started else None
    calls = [*(decided.calls if decided else ()), *(observed.calls if observed else ())]
    usage = sum((call.usage for call in calls), Usage())
    return {
        "n": step.n,
        "op": decided.action.operation if decided else "",
        "arguments": decided.action.arguments if decided else {},
        "thought": decided.action.thought if decided else "",
        "source": decided.source if decided else "",
        "places": [[i.start, i.end] for i in (places(step) or _named(decided.action.arguments if decided else {}))],
        "output": observed.output if observed else "",
        "error": observed.error if observed else "",
        "error_kind": observed.error_kind if observed else "",
        "seconds": round((decided.seconds if decided else 0) + (observed.seconds if observed else 0), 2),
        "usage": asdict(usage),
        "frames": [{"t": frame.time, "sha": frame.sha256} for frame in (observed.frames if observed else ())],
        "shown": shown.text if shown else "",
        "calls": [_call(call) for call in calls],
        "warnings": [notice.message for notice in step.warnings],
    }


def _named(arguments: Json) -> list[Interval]:
    """The intervals an action names, for a step that brought no observation; malformed ones are left out."""
    found = []
    for pair in [*(arguments.get("intervals") or []), arguments.get("interval")]:
        try:
            found.append(Interval(float(pair[0]), float(pair[1])))
        except (TypeError, ValueError, LookupError):
            continue
    return found


def _call(call: ModelCall) -> Json:
    return {
        "role": call.role,
        "model": call.model,
        "messages": [{"role": m.role, "text": m.text, "frames": len(m.frames)} for m in call.messages],
        "reply": call.reply,
        "failure": call.failure,
        "finish": call.finish_reason,
        "usage": asdict(call.usage),
    }


def _case(case: Case) -> Json:
    return {
        "id": case.id,
        "gold": case.gold,
        "gold_intervals": [[i.start, i.end] for i in case.gold_intervals],
        "notes": [
            {
                "text": note.text,
                "label": note.label,
                "run": note.run_id,
                "step": note.step,
                "at": [note.interval.start, note.interval.end] if note.interval else None,
            }
            for note in case.notes
        ],
    }
