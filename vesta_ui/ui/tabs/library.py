"""Library: every video this data folder knows, and its scene indexes to look into, mend, take along and bring in."""

from __future__ import annotations

from pathlib import Path

import gradio as gr

from vesta_ui.control import Control
from vesta_ui.errors import VestaError
from vesta_ui.scene_index import bundle, library
from vesta_ui.ui.handlers import Handlers, Json
from vesta_ui.ui.panels import QUIET, panel


def build(handlers: Handlers) -> None:
    settings = handlers.settings
    shown = panel("library", "library", ("redo",))
    brought = gr.UploadButton(
        "Import an index …", elem_id="index-import", size="sm", file_types=[".vesta-index", ".zip"], type="filepath"
    )

    def redo(event: gr.EventData) -> Json:
        """Read and embed the named scenes again, their frames too where the video is still there."""
        data: Json = event._data or {}
        try:
            entry = library.find(settings, str(data.get("index", "")))
            scenes = [str(one) for one in data.get("scenes") or []]
            try:
                video = handlers.shelf.find(entry.video.sha256).path
            except VestaError:
                video = None  # the stored frames are read again
            work = library.redo(settings, entry, scenes, Control(), video)
            for _ in work:
                pass
            left = library.find(settings, entry.id).failed
            return {"redone": len(scenes), "failed": len(left), "nonce": data.get("nonce")}
        except VestaError as error:
            return {"error": str(error), "nonce": data.get("nonce")}

    def bring(file: str | None) -> Json:
        try:
            index = bundle.load(Path(file or ""), settings)
        except VestaError as error:
            return {"trouble": str(error)}
        return {"imported": index.id, "name": index.video.name, "scenes": len(index.scenes)}

    shown.redo(redo, None, shown, **QUIET)
    brought.upload(bring, brought, shown, **QUIET)
