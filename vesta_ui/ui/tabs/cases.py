"""Cases: questions kept with their gold answer, runs, notes and labels. Drawn from `vesta/cases`; the events here save."""

from __future__ import annotations

from typing import Any

import gradio as gr

from vesta_ui.domain import Interval
from vesta_ui.errors import BadInput, VestaError
from vesta_ui.runs import cases as keeping
from vesta_ui.runs.cases import Case, Cases
from vesta_ui.ui.handlers import Handlers, Json
from vesta_ui.ui.panels import QUIET, panel


def build(handlers: Handlers) -> None:
    shown = panel("cases", "cases", ("keep", "edit", "remove"))
    cases = Cases(handlers.settings.data_dir)

    def keep(data: Json) -> Case:
        """Runs as a new case, or added to one."""
        ids = [str(one) for one in data.get("runs") or []]
        if not ids:
            raise BadInput("choose a run to keep")
        sessions = [handlers.runs.get(run_id).session() for run_id in ids]
        first = sessions[0].started
        if first is None:
            raise BadInput("this run was interrupted before it began: there is no question to keep")
        case = cases.get(str(data["case"])) if data.get("case") else keeping.new(first.question, first.video)
        for run_id, session in zip(ids, sessions, strict=True):
            case = keeping.with_run(case, run_id, session)
        return case

    def edit(data: Json) -> Case:
        """The gold answer, the user's verdict on a run, a note more or less."""
        case = cases.get(str(data.get("case", "")))
        if "gold" in data:
            case = keeping.with_gold(case, str(data["gold"]), [_interval(one) for one in data.get("intervals") or []])
        if "verdict" in data:
            case = keeping.with_verdict(case, str(data.get("run", "")), str(data["verdict"]))
        if data.get("note"):
            note = data["note"]
            at = _interval(note["at"]) if note.get("at") else None
            step = int(note["step"]) if note.get("step") else None
            made = keeping.Note(
                str(note.get("text", "")), str(note.get("label", "")), str(note.get("run", "")), step, at
            )
            steps = len(handlers.runs.get(made.run_id).session().steps) if made.run_id in case.runs and step else None
            case = keeping.annotate(case, made, steps)
        if "drop_note" in data:
            case = keeping.without_note(case, int(data["drop_note"]))
        return case

    def saved(work: Any) -> Any:
        def handler(event: gr.EventData) -> Json:
            data: Json = event._data or {}
            try:
                case: Case = work(data)
                cases.save(case)
                return {"saved": case.id, "nonce": data.get("nonce")}
            except (VestaError, TypeError, ValueError, LookupError) as error:
                return {"error": str(error), "nonce": data.get("nonce")}

        return handler

    def remove(event: gr.EventData) -> Json:
        data: Json = event._data or {}
        try:
            cases.delete(str(data.get("case", "")))
        except VestaError as error:
            return {"error": str(error), "nonce": data.get("nonce")}
        return {"removed": data.get("case"), "nonce": data.get("nonce")}

    shown.keep(saved(keep), None, shown, **QUIET)
    shown.edit(saved(edit), None, shown, **QUIET)
    shown.remove(remove, None, shown, **QUIET)


def _interval(pair: Any) -> Interval:
    try:
        return Interval(float(pair[0]), float(pair[1]))
    except (TypeError, ValueError, LookupError) as error:
        raise BadInput("write intervals as from-to in seconds, for example 61.5-72") from error
