"""Session → the timeline's lanes on one time axis, as plain JSON. Draws nothing; the page gives the numbers to Plotly.

Lanes: scenes and relevance (fetched once and per query), retrieved references, inspected intervals, speech, clip
analyses, events and conflicts, answer evidence, coverage with what was never looked at.
"""

from __future__ import annotations

from typing import Any

from vesta_ui.domain import Interval, Snapshot
from vesta_ui.runs.session import Session, Step
from vesta_ui.ui import ledger_view

OWN_LANE = ("speech", "clip")
"""Operations with a lane of their own; every other one that looks is on "inspected"."""


def lanes(session: Session, run_id: str, now: Snapshot | None, *, over: bool = False) -> dict[str, Any] | None:
    """None before the video is known. Scores and densities are rounded; intervals are `s`, `e` in seconds.

    `over`: nothing more will come; what was only decided on was never looked at."""
    if session.started is None:
        return None
    last = session.retrieved[-1] if session.retrieved else None
    return {
        "run": run_id,
        "duration": session.started.video.duration_s,
        "sha": session.started.video.sha256,
        "index": session.index.index_id if session.index else "",
        "scenes": len(session.scenes),
        "pending": bool(session.index and session.index.speech_pending),
        "relevance": [round(100 * score) for score in last.relevance] if last else [],
        "query": last.queries[0] if last and last.queries else "",
        "items": [*_references(now), *_looks(session, over), *_answer(session, now), *_relations(now)],
        "coverage": now and ledger_view.coverage(now),
    }


def intervals(arguments: dict[str, Any]) -> list[Interval]:
    """The intervals an action names, whatever its argument is called; malformed ones are left out."""
    found: list[Interval] = []
    raw: list[Any] = [*(arguments.get("intervals") or []), arguments.get("interval")]
    if "start_s" in arguments and "end_s" in arguments:
        raw.append([arguments["start_s"], arguments["end_s"]])
    for one in raw:
        try:
            start, end = one
            found.append(Interval(float(start), float(end)))
        except (TypeError, ValueError):
            continue
    return found


def places(step: Step) -> list[Interval]:
    """Where a step looks or looked: the intervals it named, else the span of the frames it got."""
    named = intervals(step.decided.action.arguments) if step.decided else []
    if named or step.observed is None or not step.observed.frames:
        return named
    times = [frame.time for frame in step.observed.frames]
    return [Interval(min(times), max(times))]


def scenes(session: Session) -> list[dict[str, Any]]:
    """What the scene lane and its hover need; sent once per index."""
    return [
        {
            "id": s.id,
            "s": s.start,
            "e": s.end,
            "frames": list(s.frames),
            "times": list(s.frame_times_s),
            "speech": s.transcript,
            "text": s.screen_text,
        }
        for s in session.scenes
    ]


def _references(now: Snapshot | None) -> list[dict[str, Any]]:
    return [
        {
            "lane": "retrieved",
            "id": state.reference.id,
            "s": state.reference.start,
            "e": state.reference.end,
            "step": state.reference.step,
            "value": round(state.reference.score, 3),
            "state": state.status.value,
            "h": list(state.reference.hypotheses),
            "label": f"{state.reference.id}, {state.status.value}, score {state.reference.score:.2f}",
        }
        for state in (now.references if now else ())
    ]


def _looks(session: Session, over: bool) -> list[dict[str, Any]]:
    return [look for step in session.steps if step.observed or not over for look in _looked(step)]


def _looked(step: Step) -> list[dict[str, Any]]:
    """What a step looked at: the intervals it named, with the sampling density of the frames it really got."""
    if step.decided is None or step.decided.action.operation in ("retrieve", "finalize"):
        return []
    operation = step.decided.action.operation
    lane = operation if operation in OWN_LANE else "inspected"
    frames = step.observed.frames if step.observed else ()
    found = []
    for one in places(step):
        taken = sum(one.start <= frame.time <= one.end for frame in frames)
        rate = taken / one.length if one.length else 0.0
        note = (
            f"{taken} frame{'s' * (taken != 1)}, {rate:.2g} a second"
            if taken
            else "transcript"
            if lane == "speech"
            else "looking …"
        )
        found.append(
            {
                "lane": lane,
                "id": f"s{step.n}",
                "s": one.start,
                "e": one.end,
                "step": step.n,
                "value": round(rate, 3),
                "state": "error" if step.observed and step.observed.error else "done" if step.observed else "working",
                "h": [],
                "label": f"step {step.n}: {operation} {one}, {note}",
            }
        )
    return found


def _answer(session: Session, now: Snapshot | None) -> list[dict[str, Any]]:
    verified = ledger_view.verified_entries(now)
    return [
        {
            "lane": "answer",
            "id": e.entry_id,
            "s": e.start,
            "e": e.end,
            "step": ledger_view.step_of(session, e.entry_id),
            "value": 1.0,
            "state": "verified" if e.entry_id in verified else "unverified",
            "h": [],
            "label": f"answer evidence {e.entry_id}: {e.why}",
        }
        for e in (session.answer.evidence if session.answer else ())
    ]


def _relations(now: Snapshot | None) -> list[dict[str, Any]]:
    return [
        {
            "lane": "relations",
            "id": relation.entry_ids[0] if relation.entry_ids else "",
            "s": relation.start,
            "e": relation.end,
            "step": None,
            "value": 1.0,
            "state": "conflict" if relation.kind == "conflict" else relation.kind,
            "h": [],
            "label": f"{relation.kind}: {relation.text}",
        }
        for relation in (now.relations if now else ())
        if relation.kind in ("event", "state", "number", "conflict")
    ]
