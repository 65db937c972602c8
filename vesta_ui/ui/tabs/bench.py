"""Bench: a set of questions under several configurations. Drawn from `vesta/bench`; the events here start and stop it."""

from __future__ import annotations

from vesta_ui.bench import suite
from vesta_ui.ui.handlers import Handlers, Json
from vesta_ui.ui.panels import QUIET, answering, panel


def build(handlers: Handlers) -> None:
    shown = panel("bench", "bench", ("start", "halt"))
    benches = handlers.benches

    def start(data: Json) -> Json:
        """A new bench, or the rest of the one named."""
        chosen = data.get("settings") if isinstance(data.get("settings"), dict) else {}
        settings = handlers.choose("", chosen or {})
        if data.get("bench"):
            bench = benches.get(str(data["bench"]))
        else:
            names = [str(name) for name in data.get("names") or []]
            bench = suite.plan(str(data.get("set", "")), names, settings, benches.cases)
        benches.start(bench, settings)
        return {"started": bench.id}

    def halt(data: Json) -> Json:
        benches.stop()
        return {"stopped": True}

    shown.start(answering(start), None, shown, **QUIET)
    shown.halt(answering(halt), None, shown, **QUIET)
