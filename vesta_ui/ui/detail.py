"""One step in full: every prompt as sent, every reply raw and parsed, every frame and failure. Fetched when a card opens."""

from __future__ import annotations

from vesta_ui.domain import ModelCall
from vesta_ui.runs.session import Session
from vesta_ui.ui.view import Json, card, totals


def detail(session: Session, n: int) -> Json | None:
    """The card of step `n` with its calls, all its frames and the ledger view it was decided on."""
    step = next((s for s in session.steps if s.n == n), None)
    if step is None:
        return None
    decided, observed = step.decided, step.observed
    shown = step.started.snapshot if step.started else None
    calls = [*(decided.calls if decided else ()), *(observed.calls if observed else ())]
    return card(step, session.finished) | {
        "arguments": decided.action.arguments if decided else {},
        "output": observed.output if observed else "",
        "all_frames": [
            {"t": f.time, "sha": f.sha256, "w": f.width, "h": f.height} for f in (observed.frames if observed else ())
        ],
        "ledger_text": shown.text if shown else "",
        "call_list": [_call(call) for call in calls],
        "action_raw": {
            "operation": decided.action.operation,
            "arguments": decided.action.arguments,
            "thought": decided.action.thought,
            "source": decided.source,
        }
        if decided
        else None,
    }


def _call(call: ModelCall) -> Json:
    return {
        "role": call.role,
        "model": call.model,
        "messages": [
            {"role": m.role, "text": m.text, "frames": [{"t": f.time, "sha": f.sha256} for f in m.frames]}
            for m in call.messages
        ],
        "reply": call.reply,
        "parsed": call.parsed,
        "finish": call.finish_reason,
        "request": call.request_id,
        "failure": call.failure,
        "failure_text": call.failure_text,
        "attempts": list(call.attempts),
        "notices": list(call.notices),
        "usage": totals(call.usage),
        "seconds": call.usage.seconds,
    }
