"""Read-only addresses of the Replay, Compare and Cases tabs, and downloads of runs and cases. Names are ids; no path is taken."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from vesta_ui.runs import export
from vesta_ui.runs.cases import Cases
from vesta_ui.ui import bench_routes, index_routes, pay_view, study
from vesta_ui.ui.handlers import Handlers

TYPES = {
    "html": ("text/html; charset=utf-8", ".html"),
    "markdown": ("application/zip", ".md.zip"),
    "json": ("application/json", ".json"),
    "otlp": ("application/json", ".otlp.json"),
    "zip": ("application/zip", ".zip"),
}


def endpoints(handlers: Handlers) -> dict[str, Any]:
    """Path under `vesta/` → what answers it with JSON or a `Response`."""
    runs, settings = handlers.runs, handlers.settings
    cases = Cases(settings.data_dir)

    def rows(request: Request) -> Any:
        return study.rows(runs, request.query_params, cases)

    def inside(request: Request) -> Any:
        return study.inside(runs.get(request.path_params["run"]), request.path_params["n"], request.query_params)

    def retrievals(request: Request) -> Any:
        return study.retrievals(runs.get(request.path_params["run"]), settings, request.query_params.get("query", ""))

    def compared(request: Request) -> Any:
        return study.compared(study.found(runs, request.query_params.get("runs", "").split(",")))

    def paid(request: Request) -> Any:
        every = study.found(runs, request.query_params.get("runs", "").split(","))
        kept = cases.of([run.id for run in every])
        return pay_view.paid(every, kept.gold_intervals, kept.gold) if kept else pay_view.paid(every)

    def case_list(request: Request) -> Any:
        return study.case_list(cases, request.query_params)

    def case(request: Request) -> Any:
        return study.case(cases.get(request.path_params["case"]), runs)

    def export_run(request: Request) -> Any:
        run = runs.get(request.path_params["run"])
        started = run.session().started
        wanted = request.query_params.get("video") and started
        video = handlers.shelf.find(started.video.sha256).path if wanted and started else None
        return _download(run.id, request, lambda kind: export.export_run(run, kind, settings.data_dir, video))

    def export_case(request: Request) -> Any:
        one = cases.get(request.path_params["case"])
        return _download(f"case-{one.id}", request, lambda kind: export.export_case(one, runs, kind))

    return {
        "find": rows,
        "run/{run}/inside/{n:int}": inside,
        "run/{run}/retrievals": retrievals,
        "run/{run}/export": export_run,
        "compare": compared,
        "pay": paid,
        "cases": case_list,
        "case/{case}": case,
        "case/{case}/export": export_case,
        **index_routes.endpoints(handlers),
        **bench_routes.endpoints(handlers),
    }


def _download(name: str, request: Request, make: Any) -> Response:
    kind = request.query_params.get("format", "html")
    made = make(kind)
    media_type, ending = TYPES[kind]
    headers = {
        "Content-Disposition": f'attachment; filename="{name}{ending}"',
        "X-Redacted": "; ".join(f"{one.count} {one.what}" for one in made.redacted) or "nothing",
    }
    return Response(export.packed(made, name), media_type=media_type, headers=headers)
