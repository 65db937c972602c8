"""Doctor: what is odd about a video file and what the app does about it; which roles are ready and why not."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import gradio as gr

from vesta_ui.errors import BadInput, VestaError
from vesta_ui.ui.handlers import Handlers
from vesta_ui.ui.panels import QUIET, STREAM, panel

log = logging.getLogger(__name__)


def build(handlers: Handlers) -> None:
    shown = panel("doctor", "doctor", ("examine", "probe"))

    def examine(event: gr.EventData) -> dict[str, Any]:
        """The report of a video: of a typed path, or of the one on the Live tab."""
        data = event._data or {}  # "where", not "path": gradio takes a dict with a path for a file
        try:
            path, key = str(data.get("where") or "").strip().strip("\"'"), str(data.get("key") or "")
            if not (path or key):
                raise BadInput("type the path of a video file, or open one on the Live tab first")
            return {"report": _report(Path(path).expanduser() if path else handlers.shelf.find(key).path)}
        except VestaError as error:
            return {"error": str(error)}
        except Exception as error:  # a damaged file may break a decoder in ways nobody has named yet
            log.exception("the doctor broke")
            return {"error": f"this file could not be examined ({type(error).__name__}); the log has the details"}

    def probe(event: gr.EventData) -> Iterator[dict[str, Any]]:
        """What a model can do, check by check."""
        from vesta_ui.control import Control
        from vesta_ui.models.doctor import examine as ask

        checks: list[dict[str, Any]] = []
        for check in ask(str((event._data or {}).get("spec", "")), handlers.settings, Control()):
            checks.append(asdict(check))
            yield {"checks": list(checks)}
        yield {"checks": checks, "done": True}

    shown.examine(examine, None, shown, **QUIET)
    shown.probe(probe, None, shown, **STREAM)


def _report(path: Path) -> Any:
    from vesta_ui import doctor

    return doctor.examine(path).as_json()
