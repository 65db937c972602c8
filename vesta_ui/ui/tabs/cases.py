"""Cases: questions kept with their gold answer, runs, notes and labels. Drawn from `vesta/cases`; the events here save."""

from __future__ import annotations

from typing import Any

from vesta_ui.domain import Interval
from vesta_ui.errors import BadInput
from vesta_ui.runs import cases as keeping
from vesta_ui.runs.cases import Case, Cases
from vesta_ui.ui.handlers import Handlers, Json
from vesta_ui.ui.panels import QUIET, answering, panel


def build(handlers: Handlers) -> None:
    shown = panel("cases", "cases", ("keep", "edit", "remove"))
    cases = Cases(handlers.settings.data_dir)

    def keep(data: Json) -> Json:
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
        return saved(case)

    def edit(data: Json) -> Json:
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
        return saved(case)

    def saved(case: Case) -> Json:
        cases.save(case)
        return {"saved": case.id}

    def remove(data: Json) -> Json:
        cases.delete(str(data.get("case", "")))
        return {"removed": data.get("case")}

    shown.keep(answering(keep), None, shown, **QUIET)
    shown.edit(answering(edit), None, shown, **QUIET)
    shown.remove(answering(remove), None, shown, **QUIET)


def _interval(pair: Any) -> Interval:
    try:
        return Interval(float(pair[0]), float(pair[1]))
    except (TypeError, ValueError, LookupError) as error:
        raise BadInput("write intervals as from-to in seconds, for example 61.5-72") from error
