"""Recorded runs as plain JSON for the Replay, Compare and Cases tabs. No gradio, no file of its own, no decision.

Text is passed on as text; the browser puts it on the page through `textContent` only. Times are seconds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from vesta_ui.domain import Snapshot
from vesta_ui.errors import BadInput, BadTrace
from vesta_ui.runs import compare, debug
from vesta_ui.runs.cases import LABELS, Case, Cases, Note, judged
from vesta_ui.runs.catalog import Query, family
from vesta_ui.runs.registry import Runs
from vesta_ui.runs.run import Run
from vesta_ui.runs.session import Session
from vesta_ui.settings import Settings
from vesta_ui.ui import ledger_view, timeline, view

Json = dict[str, Any]
NEWEST = 300
"""Most rows of a list sent at once."""
PATIENCE_S = 0.6
"""Reading of run folders never read before, an answer: the page shows what there is and asks on."""


# ------------------------------------------------------------------------------------------------ finding
def rows(runs: Runs, asked: Mapping[str, str], cases: Cases) -> Json:
    """The runs that fit, newest first; with `tree` every fork under its parent. `left`: folders to be read by the next
    call. Raises `BadInput`."""
    label = asked.get("label", "")
    query = Query(
        words=asked.get("words", ""),
        video=asked.get("video", ""),
        agent=asked.get("agent", ""),
        outcome=asked.get("outcome", ""),
        failure=asked.get("failure", ""),
        least_usd=_usd(asked.get("least_usd", "")),
        most_usd=_usd(asked.get("most_usd", "")),
        ids=cases.labelled(label) if label else None,
    )
    limit = None if asked.get("tree") else NEWEST + 1
    found, left = runs.look(None if query == Query() else query, limit, PATIENCE_S)
    order = family(found) if asked.get("tree") else [(row, 0) for row in found]
    shown = [one.shown() | {"depth": depth} for one, depth in order[:NEWEST]]
    return {"rows": shown, "more": len(order) > NEWEST, "left": left}


def _usd(text: str) -> float | None:
    try:
        return float(text) if text.strip() else None
    except ValueError as error:
        raise BadInput(f"“{text}” is no amount: write dollars, for example 0.05") from error


# ------------------------------------------------------------------------------------------------ one step by hand
def inside(run: Run, step: int, asked: Mapping[str, str]) -> Json:
    """M_t, E_t, L_t when step `step` was decided, and L_t under another μ or size budget with the difference."""
    events = list(run.events)
    session = debug.deciding(events, step)
    state, shown = session.state, debug.recorded_view(events, step)
    assert state is not None
    flags = [flag for flag in asked.get("flags", "").split(",") if flag]
    other = debug.otherwise(events, step, asked.get("view", ""), flags, int(asked.get("chars") or 0))
    own_view = state.route.view if state.route else None
    return {
        "run": run.id,
        "step": step,
        "steps": len(run.session().steps),
        "memory": [
            {"step": m.step, "op": m.operation, "arguments": m.arguments, "output": m.error or m.output}
            for m in state.memory
        ],
        "entries": [
            {
                "id": e.id,
                "s": e.interval.start,
                "e": e.interval.end,
                "op": e.operation,
                "step": e.step,
                "what": e.observation.content,
            }
            for e in state.ledger.entries
        ],
        "hidden": _hidden(run.session(), step),
        "unknown": [
            {"kind": one.kind, "schema": one.schema, "line": one.line, "raw": one.raw} for one in run.unknown[:200]
        ],
        "emphasis": own_view.emphasis.name.lower() if own_view else "none",
        "flags": [flag.value for flag in own_view.flags] if own_view else [],
        "chars": debug.snapshot_chars(session),
        "shown": _shown(other or shown),
        "difference": asdict(debug.difference(shown, other)) if other else None,
    }


def _hidden(session: Session, step: int) -> bool:
    """Whether the Reasoner saw no ledger at that step (an ablation, or an agent without one)."""
    started = session.step(step).started
    return started is None or started.snapshot is None


def _shown(now: Snapshot) -> Json:
    return {
        "text": now.text,
        "entries": [entry.id for entry in now.entries],
        "left_out": [list(pair) for pair in now.left_out],
        "sufficient": now.coverage.sufficient,
        "why": now.coverage.why,
    }


def retrievals(run: Run, settings: Settings, query: str) -> Json:
    """What each policy returns for the run's question, or for an edited query; why not, where the index is not here."""
    session = run.session()
    try:
        found = debug.retrievals(session, debug.index_of(session, settings), query)
    except BadInput as error:
        return {"unavailable": str(error)}
    had = {r.scene_id for one in session.retrieved if one.step == 0 for r in one.references}
    return {
        "policies": [
            {
                "policy": policy.value,
                "note": one.note,
                "references": [
                    {"s": r.start, "e": r.end, "score": round(r.score, 3), "h": list(r.hypotheses), "note": r.note,
                     "had": r.scene_id in had}
                    for r in one.references
                ],
            }
            for policy, one in found.items()
        ]
    }  # fmt: skip


# ------------------------------------------------------------------------------------------------ side by side
def compared(runs: Sequence[Run]) -> Json:
    """Lanes, aligned steps, answers and costs of two to four runs; of more, answers and costs alone.

    Runs that have not started yet are listed as waiting. Raises `BadInput` for runs of different videos.
    """
    sessions = [run.session() for run in runs]
    going = [n for n, session in enumerate(sessions) if session.started is not None]
    live = any(not run.done for run in runs)
    data: Json = {
        "runs": [_head(run, session) for run, session in zip(runs, sessions, strict=True)],
        "live": live,
        "duration": max((s.started.video.duration_s for s in sessions if s.started), default=0.0),
        "question": next((s.started.question.text for s in sessions if s.started), ""),
    }
    started = [sessions[n] for n in going]
    if len({s.started.video.sha256 for s in started if s.started}) > 1:
        raise BadInput("these runs are of different videos: choose runs of one video")
    data["costs"] = {runs[n].id: asdict(one) for n, one in zip(going, compare.board(started), strict=True)}
    if 2 <= len(started) <= 4:
        found = compare.compare(started)
        data |= {
            "columns": [runs[n].id for n in going],
            "rows": [
                {"kind": r.kind, "steps": [_cell(s, n) for s, n in zip(started, r.steps, strict=True)]}
                for r in found.rows
            ],
            "divergence": found.first_divergence,
            "agree": found.agree,
            "only": [_entries(session, ids) for session, ids in zip(started, found.only_in, strict=True)],
        }
    questions = {s.started.question for s in started if s.started}
    agents = {compare.agent_of(session) for session in started}
    if len(started) > 2 and len(questions) == 1 and len(agents) == 1 and not live:
        data["spread"] = asdict(compare.spread(started))
    return data


def _head(run: Run, session: Session) -> Json:
    now = ledger_view.snapshot(session)
    lanes = timeline.lanes(session, run.id, now)
    started, finished = session.started, session.finished
    outcome = finished.outcome.value if finished else "running" if not run.done else "interrupted"
    return {
        "id": run.id,
        "agent": compare.agent_of(session) or run.agent,
        "matchable": run.done and started is not None and started.agent != "native",
        "reasoner": started.roles.get("reasoner", "") if started else "",
        "fork": f"step {started.fork_step}: {started.fork_edit}" if started and started.parent else "",
        "outcome": outcome if started else ("stopped" if run.control.stopped else "failed") if run.done else "waiting",
        "answer": compare.answer_of(session) if finished else "",
        "said": session.answer.text if session.answer else "",
        "confidence": session.answer.confidence if session.answer else None,
        "steps": len(session.steps),
        "items": lanes["items"] if lanes else [],
        "coverage": lanes["coverage"] if lanes else None,
        "sha": started.video.sha256 if started else "",
    }


def _cell(session: Session, n: int | None) -> Json | None:
    if n is None:
        return None
    card = view.card(session.step(n), session.finished)
    where = [[i.start, i.end] for i in compare.places(session.step(n))] or card["at"]
    return {"n": n, "op": card["op"], "at": where[:4], "result": card["result"], "error": card["error"]}


def _entries(session: Session, ids: Sequence[str]) -> list[Json]:
    held = session.state.ledger.entries if session.state else ()
    return [
        {"id": e.id, "s": e.interval.start, "e": e.interval.end, "what": e.observation.content}
        for e in held
        if e.id in ids
    ]


# ------------------------------------------------------------------------------------------------ cases
def case_list(cases: Cases, asked: Mapping[str, str]) -> Json:
    """The cases that fit; with `run` those it belongs to, and as `marks` every note on it, its steps or the video."""
    found = cases.find(asked.get("words", ""), asked.get("label", ""), asked.get("video", ""))
    marks: list[Json] = []
    if run := asked.get("run"):
        found = [one for one in found if run in one.runs]
        notes = (note for one in found for note in one.notes)
        marks = [_mark(n) for n in notes if n.run_id == run or (n.interval and not n.run_id)]
    return {"marks": marks, "labels": list(LABELS), "cases": [_case_row(case) for case in found[:NEWEST]]}


def _mark(note: Note) -> Json:
    """A note as the timeline and the steps need it; `at` in seconds, where the note is on an interval."""
    at = [note.interval.start, note.interval.end] if note.interval else None
    return {"step": note.step, "label": note.label, "text": note.text, "at": at}


def _case_row(case: Case) -> Json:
    return {
        "id": case.id,
        "question": case.question.text,
        "video": case.video.name,
        "gold": case.gold,
        "runs": len(case.runs),
        "notes": len(case.notes),
        "labels": sorted({note.label for note in case.notes if note.label}),
    }


def case(one: Case, runs: Runs) -> Json:
    """A case with how each of its runs did."""
    return {
        **_case_row(one),
        "choices": [asdict(choice) for choice in one.question.choices],
        "sha": one.video.sha256,
        "duration": one.video.duration_s,
        "gold_intervals": [[i.start, i.end] for i in one.gold_intervals],
        "judged": [asdict(j) for j in judged(one, runs)],
        "written": [
            asdict(note) | {"at": [note.interval.start, note.interval.end] if note.interval else None}
            for note in one.notes
        ],
        "labels": list(LABELS),
    }


def found(runs: Runs, ids: Sequence[str]) -> list[Run]:
    """The named runs that are there. Raises `BadInput` for none at all."""
    some = []
    for run_id in ids:
        try:
            some.append(runs.get(run_id))
        except BadTrace:
            continue
    if not some:
        raise BadInput("choose runs to compare: tick them on the Replay tab, or run several agents here")
    return some
