"""Library: every video this data folder knows, and its scene indexes to look into, mend, take along and bring in."""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator, Iterator
from pathlib import Path

import gradio as gr

from vesta_ui.control import Control
from vesta_ui.errors import Stopped, VestaError
from vesta_ui.events import IndexProgress
from vesta_ui.scene_index import SceneIndex, bundle, library
from vesta_ui.ui.handlers import Handlers, Json
from vesta_ui.ui.panels import QUIET, STREAM, panel

log = logging.getLogger(__name__)
Work = Callable[[Control], Generator[IndexProgress, None, SceneIndex]]


def build(handlers: Handlers) -> None:
    settings = handlers.settings
    working: dict[str, Control] = {}
    shown = panel("library", "library", ("redo", "cancel"))
    brought = gr.UploadButton(
        "Import an index …", elem_id="index-import", size="sm", file_types=[".vesta-index", ".zip"], type="filepath"
    )

    def told(job: str, work: Work, result: Callable[[SceneIndex], Json]) -> Iterator[Json]:
        """The progress of a job, then its result or what went wrong. `job` names it for `cancel`."""
        control = working[job] = Control()
        try:
            running = work(control)
            while True:
                try:
                    now = next(running)
                except StopIteration as done:
                    yield result(done.value)
                    return
                left = {"eta": now.eta_s, "unit": now.unit}
                yield {"job": job, "phase": now.phase, "done": now.done, "total": now.total, **left}
        except Stopped:
            yield {"error": "Cancelled: nothing was changed."}
        except VestaError as error:
            yield {"error": str(error)}
        except Exception as error:
            log.exception("the library broke")
            yield {"error": f"this could not be done ({type(error).__name__}); the log has the details"}
        finally:
            working.pop(job, None)

    def redo(event: gr.EventData) -> Iterator[Json]:
        """Read and embed the named scenes again, their frames too where the video is still there."""
        data: Json = event._data or {}
        index_id, scenes = str(data.get("index", "")), [str(one) for one in data.get("scenes") or []]

        def work(control: Control) -> Generator[IndexProgress, None, SceneIndex]:
            entry = library.find(settings, index_id)
            try:
                video = handlers.shelf.find(entry.video.sha256).path
            except VestaError:
                video = None  # the stored frames are read again
            return library.redo(settings, entry, scenes, control, video)

        for value in told(index_id, work, lambda made: {"redone": len(scenes), "failed": len(made.failed)}):
            yield {**value, "nonce": data.get("nonce")}

    def bring(file: str | None) -> Iterator[Json]:
        for value in told(
            "import",
            lambda control: bundle.load(Path(file or ""), settings, control),
            lambda made: {"imported": made.id, "name": made.video.name, "scenes": len(made.scenes)},
        ):
            yield {"trouble": value["error"]} if "error" in value else value

    def cancel(event: gr.EventData) -> None:
        if control := working.get(str((event._data or {}).get("job", ""))):
            control.stop()

    shown.redo(redo, None, shown, **STREAM)
    shown.cancel(cancel, None, None, **QUIET)
    brought.upload(bring, brought, shown, **STREAM)
