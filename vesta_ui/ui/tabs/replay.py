"""Replay: every recorded run, to be found, opened, replayed, stepped into, forked, exported or deleted.

What is shown is fetched when it is asked for (study_routes); the events here start work or change the data folder.
"""

from __future__ import annotations

import tempfile
from dataclasses import asdict, replace
from pathlib import Path

from vesta_ui import agents
from vesta_ui.domain import Action, Policy
from vesta_ui.errors import BadInput
from vesta_ui.question import parse_question
from vesta_ui.runs import debug
from vesta_ui.runs.cases import LABELS
from vesta_ui.runs.fork import Edit
from vesta_ui.runs.verify import problems
from vesta_ui.ui.handlers import Handlers, Json
from vesta_ui.ui.panels import QUIET, answering, panel


def build(handlers: Handlers) -> None:
    known = {"agents": list(agents.AGENTS), "labels": list(LABELS)}
    shown = panel("replay", "replay", ("fork_edit", "rerun", "verify", "delete"), value=known)
    runs, settings = handlers.runs, handlers.settings

    def fork(data: Json) -> Json:
        """A child with another μ, π, question, observation, model or budget."""
        run_id, step = str(data.get("run", "")), int(data.get("step", 0))
        started = runs.get(run_id).session().started
        if started is None:
            raise BadInput("this run was interrupted before it began: ask again")
        question = str(data.get("question") or "").strip()
        view, policy = str(data.get("view") or ""), str(data.get("policy") or "")
        edit = Edit(
            step,
            observation=str(data["observation"]) if data.get("observation") else None,
            policy=Policy(policy) if policy else None,
            view=debug.view_of(view, [str(flag) for flag in data.get("flags") or []]) if view else None,
            question=parse_question(question, [c.text for c in started.question.choices]) if question else None,
            by_hand=bool(data.get("paused")),
        )
        own = debug.settings_of(started, settings)
        if data.get("reasoner"):
            own = replace(own, reasoner=str(data["reasoner"]))
        if data.get("max_steps"):
            own = replace(own, max_steps=int(data["max_steps"]))
        path = handlers.shelf.find(started.video.sha256).path
        return {"forked": runs.fork(run_id, edit, path, own).id}

    def rerun(data: Json) -> Json:
        run, step = runs.get(str(data.get("run", ""))), int(data.get("step", 0))
        started = run.session().started
        path = handlers.shelf.find(started.video.sha256 if started else "").path
        action = None
        if data.get("operation"):
            if not isinstance(data.get("arguments"), dict):
                raise BadInput("the arguments of an operation are a JSON object")
            action = Action(str(data["operation"]), data["arguments"], "chosen by hand")
        with tempfile.TemporaryDirectory() as frames:
            done = debug.rerun(list(run.events), step, action, path, settings, Path(frames))
        before = done.recorded.output if done.recorded else ""
        usage = [asdict(call.usage) for call in done.result.calls]
        return {"rerun": {"step": step, "operation": done.action.operation, "arguments": done.action.arguments,
                          "output": done.result.output, "recorded": before, "usage": usage}}  # fmt: skip

    def verify(data: Json) -> Json:
        run = runs.get(str(data.get("run", "")))
        return {"verified": run.id, "problems": problems(run.folder)}

    def delete(data: Json) -> Json:
        run_id = str(data.get("run", ""))
        runs.delete(run_id)
        return {"deleted": run_id}

    shown.fork_edit(answering(fork), None, shown, **QUIET)
    shown.rerun(answering(rerun), None, shown, **QUIET)
    shown.verify(answering(verify), None, shown, **QUIET)
    shown.delete(answering(delete), None, shown, **QUIET)
