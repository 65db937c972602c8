"""Session → plain JSON for every panel of the page. Pure: no gradio, no file, no clock.

Text is passed on as text; the browser puts it on the page through `textContent` only. Times are seconds.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from vesta_ui.domain import Observation, Outcome, Snapshot, Usage, clock
from vesta_ui.events import RunFinished
from vesta_ui.runs.session import Session, Step
from vesta_ui.ui import ledger_view, timeline
from vesta_ui.ui.route_view import route
from vesta_ui.ui.timeline import intervals, places

Json = dict[str, Any]

TAIL = 60
"""Newest step cards sent with every update; older ones are fetched when the reader asks for them."""
PHASES = {
    "probe": "Reading the video",
    "waiting": "Waiting for another run that prepares this video",
    "scenes": "Finding the scenes",
    "speech": "Listening to the speech",
    "encode": "Describing the scenes",
    "store": "Storing the index",
}
DOING = {
    "retrieve": "searching the scenes",
    "inspect": "looking at",
    "speech": "listening to",
    "clip": "analysing",
    "finalize": "answering",
}


class Being(StrEnum):
    """What a run is about beside what its events say."""

    GOING = "going"
    PAUSING = "pausing"
    """Asked to pause; it goes on until its next decision is made."""
    HELD = "held"
    """Paused, at a decision."""
    STOPPING = "stopping"
    """Asked to stop; what is under way ends first."""
    OVER = "over"
    """Nothing more will come. Without its last event it was interrupted: its process was ended."""
    PAST = "past"
    """An earlier moment of a run, looked at again."""


def views(session: Session, run_id: str, being: Being = Being.GOING, waiting: str = "") -> Json:
    """Panel name → value. `waiting`: what a model call waits for, in words."""
    now = ledger_view.snapshot(session)
    return {
        "status": status(session, run_id, being, waiting),
        "route": route(session, run_id, now),
        "steps": steps(session, run_id, being),
        "timeline": timeline.lanes(session, run_id, now, over=being is Being.OVER),
        "ledger": ledger_view.ledger(session, run_id, now),
        "answer": answer(session, run_id, being, now),
    }


def status(session: Session, run_id: str, being: Being, waiting: str) -> Json:
    """One clear sentence, the phase the page is in, progress of long work, and the header's meters."""
    phase, text = _phase(session, being)
    live = being not in (Being.OVER, Being.PAST)
    text += _unheard(session)
    if waiting and live:
        text = f"{text.rstrip(' …')} — waiting: {waiting}"
    usage = session.usage
    started = session.started
    progress = session.progress
    share = min(1.0, progress.done / progress.total) if progress and progress.total > 0 else None
    budget = next((s.started.budget for s in reversed(session.steps) if s.started), 0)
    return {
        "run": run_id,
        "phase": phase,
        "text": text,
        "progress": share if phase == "indexing" else None,
        "live": live,
        "agent": started.agent if started else "",
        "question": started.question.text if started else "",
        "choices": [c.text for c in started.question.choices] if started else [],
        "roles": dict(started.roles) if started else {},
        "step": len(session.steps),
        "budget": budget or (started.settings.get("max_steps", 0) if started else 0),
        "max_usd": started.settings.get("max_usd") if started else None,
        "usage": totals(usage),
        "seconds": round(session.at, 2),
        "sha": started.video.sha256 if started else "",
        "video": started.video.name if started else "",
        "parent": started.parent if started else "",
        "fork_step": started.fork_step if started else None,
        "proposed": _proposed(session) if being is Being.HELD else None,
    }


def _proposed(session: Session) -> Json | None:
    """The decided but not yet executed action, so that it can be replaced while paused."""
    last = session.steps[-1] if session.steps else None
    if last and last.decided and not last.observed:
        action = last.decided.action
        return {"step": last.n, "operation": action.operation, "arguments": action.arguments}
    return None


def _phase(session: Session, being: Being) -> tuple[str, str]:
    finished = session.finished
    if finished:
        n = len(session.steps)
        took = f"{n} step{'s' * (n != 1)}, {session.at:.1f} s"
        match finished.outcome:
            case Outcome.ANSWERED:
                return "done", f"Answered in {took}."
            case Outcome.BUDGET:
                return "done", f"Budget spent after {took}: the answer is what the evidence allowed."
            case Outcome.STOPPED:
                return "stopped", f"Stopped after {took}. What was found is kept."
            case Outcome.FAILED:
                return "failed", finished.reason or "The run failed; see the newest step."
    if being is Being.OVER:
        return "lost", "This run was interrupted: the server ended before it did. Continue it, or ask again."
    if being is Being.PAST:
        return "past", f"As it was after {len(session.steps)} step{'s' * (len(session.steps) != 1)}."
    if being is Being.STOPPING:
        return "stopping", f"Stopping after {_now(session)} …"
    if not session.started:
        return "starting", "Starting …"
    if not session.index:
        return "indexing", _progress(session)
    if not session.steps:
        return "routing", "Reading the question: which evidence does it need?" if not session.routed else "Searching …"
    last = session.steps[-1]
    if being is Being.HELD:
        return "paused", f"Paused at step {last.n}: Continue, Step, or change what is proposed."
    if being is Being.PAUSING:
        return "pausing", f"Pausing after {_now(session)} …"
    if last.decided and not last.observed:
        action = last.decided.action
        where = ", ".join(str(i) for i in intervals(action.arguments)[:2])
        return "running", f"Step {last.n}: {DOING.get(action.operation, action.operation)} {where}".rstrip() + " …"
    return "running", f"Step {last.n}: deciding what to look at next …"


def _unheard(session: Session) -> str:
    """What of the speech is missing while its transcript is made behind the run."""
    if not session.index or not session.index.speech_pending:
        return ""
    if session.finished:
        return " The transcript was not whole yet."
    now = session.progress
    heard = f" of {clock(now.total)}, {clock(now.done)} is heard" if now and now.phase == "speech" and now.done else ""
    return f" The speech is still being transcribed{heard}."


def _now(session: Session) -> str:
    """What is under way and cannot be cut short."""
    last = session.steps[-1] if session.steps else None
    if last and last.decided and not last.observed:
        return f"this {last.decided.action.operation}"
    return "this decision" if last else "this part of the preparation"


def _progress(session: Session) -> str:
    now = session.progress
    if not now:
        return "Opening the video …"
    text = PHASES.get(now.phase, now.phase)
    if now.total > 0:
        done, total = (clock(now.done), clock(now.total)) if now.unit == "s" else (f"{now.done:g}", f"{now.total:g}")
        text += f" — {done} of {total}" + ("" if now.unit == "s" else f" {now.unit}")
    if now.eta_s is not None and now.eta_s >= 1:
        text += f", about {now.eta_s:.0f} s left"
    return text + " …"


def steps(session: Session, run_id: str, being: Being) -> Json:
    """The newest cards and how many there are in all."""
    cards = [card(step, session.finished) for step in session.steps[-TAIL:]]
    if cards and cards[-1]["state"] in ("working", "deciding"):
        cards[-1]["state"] = {Being.HELD: "proposed", Being.OVER: "cut"}.get(being, cards[-1]["state"])
    return {"run": run_id, "total": len(session.steps), "cards": cards}


def card(step: Step, finished: RunFinished | None = None) -> Json:
    """One decision in one line, with what the open card shows first. Prompts and raw replies are fetched when asked for."""
    decided, observed = step.decided, step.observed
    action = decided.action if decided else None
    calls = (*(decided.calls if decided else ()), *(observed.calls if observed else ()))
    usage = sum((call.usage for call in calls), Usage())
    failures = [c.failure for c in calls if c.failure] + ([observed.error_kind] if observed and observed.error else [])
    arguments = action.arguments if action else {}
    return {
        "n": step.n,
        "op": action.operation if action else "",
        "at": [[i.start, i.end] for i in places(step)],
        "ask": _asked(arguments),
        "thought": action.thought if action else "",
        "source": decided.source if decided else "",
        "replaced": decided.replaced.operation if decided and decided.replaced else "",
        "state": _state(step, finished),
        "result": _result(step) or _said(step, finished),
        "error": observed.error if observed else "",
        "failures": failures,
        "frames": len(observed.frames) if observed else 0,
        "seconds": round((decided.seconds if decided else 0) + (observed.seconds if observed else 0), 2),
        "usage": totals(usage),
        "calls": len(calls),
        "entries": [entry.id for entry in step.entries],
        "observations": [_observation(o) for o in (observed.observations if observed else ())],
        "thumbs": [{"t": f.time, "sha": f.sha256} for f in (observed.frames[:8] if observed else ())],
        "gaps": [gap.text for gap in (step.started.snapshot.gaps if step.started and step.started.snapshot else ())][
            :3
        ],
        "warnings": [notice.message for notice in step.warnings],
        "h": sorted(_answers_of(step)),
    }


def _answers_of(step: Step) -> set[str]:
    """Labels of the answers a step bears on: what it saw speaks for or against them, or it searched for them."""
    seen = step.observed.observations if step.observed else ()
    found = step.retrieved.references if step.retrieved else ()
    return {s.label for o in seen for s in o.stances} | {label for ref in found for label in ref.hypotheses}


def _state(step: Step, finished: RunFinished | None) -> str:
    if step.observed:
        return "error" if step.observed.error else "done"
    if finished:
        return "done" if step.decided and step.decided.action.operation == "finalize" else "cut"
    return "working" if step.decided else "deciding"


def _said(step: Step, finished: RunFinished | None) -> str:
    """The answer, on the step that gave it."""
    answer = finished.answer if finished else None
    if answer is None or step.decided is None or step.decided.action.operation != "finalize":
        return ""
    return f"{answer.label}: {answer.text}" if answer.label and answer.text else answer.label or answer.text


def _observation(seen: Observation) -> Json:
    return {
        "s": seen.interval.start,
        "e": seen.interval.end,
        "modality": seen.modality.value,
        "content": seen.content,
        "text": seen.text,
        "verdict": seen.verdict,
        "confidence": seen.confidence,
        "stances": [{"label": s.label, "supports": s.supports, "weight": round(s.weight, 2)} for s in seen.stances],
    }


def _asked(arguments: Json) -> str:
    return next((str(arguments[k]) for k in ("query", "question", "focus", "answer") if arguments.get(k)), "")


def _result(step: Step) -> str:
    """What came of it, cut to one line by the page."""
    observed = step.observed
    if observed is None:
        return ""
    if observed.error:
        return observed.error
    if step.retrieved:
        found = len(step.retrieved.references)
        return f"{found} scene{'s' * (found != 1)} found"
    best = sorted(observed.observations, key=lambda o: (o.verdict is not True, -(o.confidence or 0)))
    if best:
        return (f"“{best[0].text}” — " if best[0].text and best[0].text not in best[0].content else "") + best[
            0
        ].content
    return observed.output.strip().split("\n")[0]


def answer(session: Session, run_id: str, being: Being, now: Snapshot | None) -> Json | None:
    """The answer with its evidence; claims whose evidence was never verified are marked."""
    finished = session.finished
    if finished is None:
        return {"run": run_id, "outcome": "lost"} if being is Being.OVER else None
    said = finished.answer
    verified = ledger_view.verified_entries(now)
    question = session.started.question if session.started else None
    choice = question.choice(said.label) if question and said and said.label else None
    notices = (*(session.index.notices if session.index else ()), *session.warnings)
    return {
        "run": run_id,
        "outcome": finished.outcome.value,
        "reason": finished.reason,
        "failure": finished.failure,
        "label": said.label if said else None,
        "text": said.text if said else "",
        "choice": choice.text if choice else "",
        "confidence": said.confidence if said else None,
        "evidence": [
            {"s": e.start, "e": e.end, "entry": e.entry_id, "why": e.why, "verified": e.entry_id in verified}
            for e in (said.evidence if said else ())
        ],
        "warnings": [n.message for n in dict.fromkeys(notices) if n.message != finished.reason],
        "steps": len(session.steps),
        "seconds": round(session.at, 1),
        "usage": totals(session.usage),
    }


def totals(usage: Usage) -> Json:
    tokens = (
        None if usage.input_tokens is None or usage.output_tokens is None else usage.input_tokens + usage.output_tokens
    )
    return {
        "frames": usage.frames,
        "tokens": tokens,
        "usd": usage.cost_usd,
        "requests": usage.remote_requests,
        "failed": usage.failed_requests,
    }
