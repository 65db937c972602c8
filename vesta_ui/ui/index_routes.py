"""The Library as plain JSON: videos with their indexes, one index's scenes, their scores for a query, and its bundle.

Names are ids and content hashes; no path is taken or given. Times are seconds, sizes pixels.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from starlette.background import BackgroundTask
from starlette.requests import Request
from starlette.responses import FileResponse, Response

from vesta_ui.scene_index import bundle, library
from vesta_ui.scene_index.library import IndexEntry
from vesta_ui.ui.handlers import Handlers

Json = dict[str, Any]


def endpoints(handlers: Handlers) -> dict[str, Any]:
    """Path under `vesta/` → what answers it with JSON or a `Response`."""
    settings = handlers.settings

    def videos(request: Request) -> list[Json]:
        found: dict[str, Json] = {
            one["key"]: {**one, "here": True, "indexes": []} for one in handlers.shelf.list()
        }  # fmt: skip
        for entry in library.entries(settings):
            facts = entry.video
            video = found.setdefault(
                facts.sha256, {"key": facts.sha256, "name": facts.name, "here": False, "indexes": []}
            )
            video |= {"duration": facts.duration_s, "width": facts.width, "height": facts.height, "codec": facts.codec}
            video["indexes"].append(_entry(entry))
            video.setdefault("still", entry.still)
        return sorted(found.values(), key=lambda one: (not one["indexes"], one["name"]))

    def scenes(request: Request) -> Json:
        """Every scene; with `query` its cosine too. Raises `BadInput` where the index's encoder is not here."""
        entry = library.find(settings, request.path_params["index"])
        index = library.open_entry(settings, entry)
        query = request.query_params.get("query", "").strip()
        scores = index.scores(query) if query else ()
        return {
            **_entry(entry),
            "notices": [one.message for one in index.notices],
            "heard": " ".join(filter(None, (index.transcript.status, index.transcript.language))),
            "rows": [
                {
                    "id": scene.id, "s": scene.start, "e": scene.end, "frames": list(scene.frames),
                    "times": list(scene.frame_times_s), "speech": scene.transcript, "text": scene.screen_text,
                    "facts": scene.facts, "failed": index.failed.get(scene.id, ""),
                    "score": round(scores[i], 3) if scores else None,
                }
                for i, scene in enumerate(index.scenes)
            ],
        }  # fmt: skip

    def exported(request: Request) -> Response:
        entry = library.find(settings, request.path_params["index"])
        folder = tempfile.TemporaryDirectory()
        name = f"{Path(entry.video.name).stem}-{entry.id[:8]}.vesta-index"
        made = bundle.export(entry, Path(folder.name) / f"{entry.id}.vesta-index")
        return FileResponse(
            made, media_type="application/zip", filename=name, background=BackgroundTask(folder.cleanup)
        )

    return {"library": videos, "index/{index}/scenes": scenes, "index/{index}/export": exported}


def _entry(entry: IndexEntry) -> Json:
    return {
        "id": entry.id,
        "encoder": entry.encoder,
        "speech": entry.speech,
        "scenes": entry.scenes,
        "failed": len(entry.failed),
    }
