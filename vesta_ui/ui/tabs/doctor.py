"""Doctor: what is odd about a video file and what the app does about it; which roles are ready and why not."""

from __future__ import annotations

import logging
from collections.abc import Generator, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import gradio as gr

from vesta_ui.control import Control
from vesta_ui.errors import BadInput, Stopped, VestaError
from vesta_ui.events import IndexProgress
from vesta_ui.scene_index.background import watched
from vesta_ui.ui.handlers import Handlers
from vesta_ui.ui.panels import QUIET, STREAM, panel

log = logging.getLogger(__name__)


def build(handlers: Handlers) -> None:
    shown = panel("doctor", "doctor", ("examine", "probe", "stop"))
    asking: dict[str, Control] = {}

    def examine(event: gr.EventData) -> Iterator[dict[str, Any]]:
        """How far the look through a video is, then its report: of a typed path, or of the video on the Live tab."""
        data = event._data or {}  # "where", not "path": gradio takes a dict with a path for a file
        ticket = str(data.get("ticket", ""))
        control = asking[ticket] = Control()
        try:
            path, key = str(data.get("where") or "").strip().strip("\"'"), str(data.get("key") or "")
            if not (path or key):
                raise BadInput("type the path of a video file, or open one on the Live tab first")
            looking = _examined(Path(path).expanduser() if path else handlers.shelf.find(key).path, control)
            while True:
                try:
                    now = next(looking)
                except StopIteration as done:
                    yield {"examined": ticket, "report": done.value.as_json()}
                    return
                yield {"examined": ticket, "share": now.done / now.total if now.total else None, "eta": now.eta_s}
        except Stopped:
            yield {"examined": ticket, "stopped": True}
        except VestaError as error:
            yield {"examined": ticket, "error": str(error)}
        except Exception as error:  # a damaged file may break a decoder in ways nobody has named yet
            log.exception("the doctor broke")
            why = f"this file could not be examined ({type(error).__name__}); the log has the details"
            yield {"examined": ticket, "error": why}
        finally:
            asking.pop(ticket, None)

    def probe(event: gr.EventData) -> Iterator[dict[str, Any]]:
        """What a model can do, check by check, until it is stopped under the same ticket."""
        from vesta_ui.models.doctor import examine as ask

        data = event._data or {}
        ticket = str(data.get("ticket", ""))
        control = asking[ticket] = Control()
        told: dict[str, Any] = {"ticket": ticket, "checks": []}
        try:
            for check in ask(str(data.get("spec", "")), handlers.settings, control):
                told["checks"].append(asdict(check))
                yield {**told, "checks": list(told["checks"])}
            yield {**told, "done": True}
        except Stopped:
            yield {**told, "done": True, "stopped": True}
        finally:
            asking.pop(ticket, None)

    def stop(event: gr.EventData) -> None:
        control = asking.get(str((event._data or {}).get("ticket", "")))
        if control:
            control.stop()

    shown.examine(examine, None, shown, **STREAM)
    shown.probe(probe, None, shown, **STREAM)
    shown.stop(stop, None, None, **QUIET)


def _examined(path: Path, control: Control) -> Generator[IndexProgress, None, Any]:
    from vesta_ui import doctor

    return (yield from watched("examine", lambda told, inner: doctor.examine(path, told, inner), control))
