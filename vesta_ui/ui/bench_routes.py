"""The Bench tab as plain JSON: what can be run and what it may cost, and one bench with its grid and tables.

Tables go as the Markdown that the shell's benches print; the page draws them from it, so that both show the same.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from starlette.requests import Request

from vesta_ui.bench import locality, score, suite
from vesta_ui.bench.outcomes import Row, placed, right, tables
from vesta_ui.bench.suite import Bench, Benches, Item
from vesta_ui.errors import BadInput
from vesta_ui.settings import ROLES
from vesta_ui.ui import pay_view
from vesta_ui.ui.handlers import Handlers

Json = dict[str, Any]
KEPT = 50
"""Most benches that are listed."""
SMALL = 100
"""Fewer questions are called a hint."""
MARKS = {True: "✓", False: "✗", None: "?"}


def endpoints(handlers: Handlers) -> dict[str, Any]:
    """Path under `vesta/` → what answers it with JSON."""
    benches, settings = handlers.benches, handlers.settings
    table = settings.data_dir / locality.FOLDER / locality.TABLE

    def overview(request: Request) -> Json:
        known = suite.configurations()
        return {
            "sets": [{"key": key, "title": t, "count": n} for key, (t, n) in suite.sets(benches.cases).items()],
            "configurations": [{"name": name, "agent": agent} for name, (agent, _) in known.items()],
            "benches": [{"id": one.id, "title": one.title} for one in benches.newest(KEPT)],
            "live": benches.live,
            "locality": table.read_text("utf-8") if table.is_file() else "",
        }

    def one(request: Request) -> Json:
        return shown(benches, benches.get(request.path_params["bench"]))

    def estimate(request: Request) -> Json:
        asked = {name: value for name, value in request.query_params.items() if value}
        key, names = asked.pop("set", ""), [name for name in asked.pop("names", "").split(",") if name]
        _, count = suite.sets(benches.cases).get(key, ("", 0))
        return {"text": suite.estimate(count, names, handlers.choose("", asked))}

    def paid(request: Request) -> Json:
        """The answered runs on one question, against its gold answer (an open one: what most say) and intervals."""
        bench, n = benches.get(request.path_params["bench"]), int(request.path_params["n"])
        if n >= len(bench.items):
            raise BadInput("this bench has no such question: choose one from the list")
        item, begun = bench.items[n], [bench.runs[n].get(name, "") for name in bench.configurations]
        every = [run for run in map(benches.run, begun) if run and run.done and benches.answered(run)]
        return pay_view.paid(every, item.gold_intervals, item.gold if item.question.choices else "")

    return {"bench/{bench}/pay/{n:int}": paid, "bench": overview, "bench/estimate": estimate, "bench/{bench}": one}


def shown(benches: Benches, bench: Bench) -> Json:
    """The grid as far as it is filled, and the tables over the runs that have ended."""
    rows: list[Row] = []
    grid, went = [], 0
    for item, begun in zip(bench.items, bench.runs, strict=True):
        cells: list[Json | None] = []
        for name in bench.configurations:
            run = benches.run(begun[name]) if name in begun else None
            if run is None:
                cells.append(None)
            elif not run.done:
                state = "running" if run.session().started else "waiting"
                cells.append({"run": run.id, "state": state, "steps": len(run.session().steps)})
            else:
                rows.append(row := benches.row(bench, item, name, run))
                went += 1
                cells.append(_cell(run.id, row, item))
        gold = item.question.choice(item.gold)
        grid.append(
            {"question": item.question.text, "gold": item.gold, "means": gold.text if gold else "", "cells": cells}
        )
    total, live = len(bench.items) * len(bench.configurations), benches.live == bench.id
    rows.sort(key=lambda one: bench.configurations.index(one.configuration))
    data = {
        "id": bench.id, "title": bench.title, "live": live, "done": went, "total": total,
        "failed": sum(not one.answered for one in rows), "open": sum(not one.answered for one in rows) + total - went,
        "trouble": "" if live else bench.trouble,
        "progress": asdict(benches.progress) if live and benches.progress else None,
        "roles": ", ".join(f"{role} {bench.settings.get(role)}" for role in ROLES),
        "configurations": [{"name": n, "agent": suite.configurations().get(n, (n, ""))[0]} for n in bench.configurations],
        "rows": grid, "tables": list(tables(rows)) if rows else [], "notes": notes(bench, rows), "paying": paying(rows),
    }  # fmt: skip
    return data | {"markdown": markdown(data)}


def _cell(run_id: str, row: Row, item: Item) -> Json:
    choice = item.question.choice(row.answer)
    failure = row.failure or row.outcome
    return {
        "run": run_id, "state": "ended" if row.answered else "failed", "answer": row.answer, "means": choice.text if choice else "",
        "mark": MARKS[row.right], "steps": row.steps, "why": "" if row.answered else failure.replace("_", " "),
        "reason": row.reason,
    }  # fmt: skip


def notes(bench: Bench, rows: list[Row]) -> list[str]:
    """What the numbers rest on, and what they do not say."""
    few = f"{len(bench.items)} questions are few: read differences as hints. " if len(bench.items) < SMALL else ""
    said = [f"{few}Intervals: Wilson, 95 %. Counts, tokens, money and seconds are means a question."]
    if failed := sum(not one.answered for one in rows):
        said.append(f"{failed} run{'s' * (failed != 1)} ended without an answer: told as failed, not counted as wrong.")
    if unclear := sum(one.answered and one.right is None for one in rows):
        said.append(
            f"{unclear} open answer{'s' * (unclear != 1)} in other words than the gold one are not counted (?): judge them "
            "on the Cases tab."
        )
    judged = {name: {one.question for one in rows if one.configuration == name and one.right is not None}
              for name in bench.configurations}  # fmt: skip
    same = set.intersection(*judged.values())
    if any(own != same for own in judged.values()) and same:
        each = ", ".join(
            f"{name} {(got := right([r for r in rows if r.configuration == name and r.question in same])).right}/{got.count}"
            for name in judged
        )
        said.append(f"On the questions that all have answered: {each}.")
    return said


def paying(rows: list[Row]) -> list[str]:
    """Accuracy by the share of the video that the evidence takes, as the evidence-locality set is told, and what it costs."""
    same = score.common(placed(rows))
    names = list(dict.fromkeys(one.agent for one in same))
    bins = [one for one in (*score.CONCENTRATION, score.EVERY) if any(one.holds(o) for o in same)]
    guessed = any(not one.input_tokens for one in rows)
    said = ["Input tokens are estimated from the frames where no model counts them."] if guessed else []
    return [score.table(same, names, bins, "evidence / video"), score.costs(same, names), *said] if same else []


def markdown(data: Json) -> str:
    """The whole bench for a paper or an issue; text from outside stays inside its cell."""
    names = [one["name"] for one in data["configurations"]]
    grid = [f"| Question | Gold | {' | '.join(names)} |", "| --- |" + " --- |" * (len(names) + 1)]
    for row in data["rows"]:
        cells = [_inline(_told(cell)) for cell in row["cells"]]
        grid.append(f"| {_inline(row['question'])} | {_inline(row['gold'])} | {' | '.join(cells)} |")
    head = f"## {data['title']}: {data['done']} of {data['total']} runs\n\nRoles: {data['roles']}."
    return "\n\n".join((head, "\n".join(grid), *data["tables"], *data["paying"], *data["notes"])) + "\n"


def _told(cell: Json | None) -> str:
    if cell is None or cell["state"] in ("waiting", "running"):
        return "–"
    return (
        f"failed: {cell['why']}" if cell["state"] == "failed" else f"{cell['mark']} {cell['answer']} ({cell['steps']})"
    )


def _inline(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())
