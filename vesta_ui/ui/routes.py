"""Read-only routes beside gradio's: the page's script, media by key, and details fetched when a reader opens them.

Nothing here takes a path: names are ids and content hashes, checked against their form. Media are immutable, so the
browser may keep them.
"""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from vesta_ui.domain import Scene
from vesta_ui.errors import BadTrace, VestaError
from vesta_ui.playback import webvtt
from vesta_ui.runs.run import RUN_ID, Run
from vesta_ui.scene_index import video_folder
from vesta_ui.ui import assets, attach, detail, ledger_view, ready, study_routes, timeline, view
from vesta_ui.ui.handlers import Handlers, trouble
from vesta_ui.ui.videos import SHA

FOREVER = {"Cache-Control": "public, max-age=31536000, immutable"}
FRESH = {"Cache-Control": "no-store"}
BLANK = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 9"><rect width="16" height="9" fill="#8a94a0"/></svg>'
CUE_WORDS = 10
NAME = re.compile(r"[A-Za-z0-9_-]{1,100}[.]jpg")


def routes(handlers: Handlers) -> list[Route]:
    """Everything under `vesta/`."""
    page = Page(handlers)
    answers = {
        "page.js": page.script,
        "plotly.js": page.plotly,
        "runs": page.run_list,
        "videos": page.video_list,
        "ready": page.readiness,
        "video/{key}": page.video,
        "video/{key}/state": page.video_state,
        "video/{key}/scene/{name}": page.scene_frame,
        "run/{run}": page.run_view,
        "run/{run}/step/{n:int}": page.run_step,
        "run/{run}/cards": page.run_cards,
        "run/{run}/scenes": page.run_scenes,
        "run/{run}/prompt": page.run_prompt,
        "run/{run}/memory": page.run_memory,
        "run/{run}/subtitles.vtt": page.subtitles,
        "run/{run}/frame/{sha}": page.frame,
        **study_routes.endpoints(handlers),
    }
    stream = Route("/vesta/run/{run}/stream", page.run_stream)
    return [stream, *(Route(f"/vesta/{path}", _guarded(answer)) for path, answer in answers.items())]


class Page:
    """What answers each address: JSON, or a `Response`. Raises `VestaError`."""

    def __init__(self, handlers: Handlers) -> None:
        self.handlers, self.runs, self.shelf = handlers, handlers.runs, handlers.shelf

    def _run(self, request: Request) -> Run:
        return self.runs.get(request.path_params["run"])

    def script(self, request: Request) -> Response:
        return _script(request, assets.script)

    def plotly(self, request: Request) -> Response:
        return _script(request, assets.plotly)

    # ------------------------------------------------------------------------------------------- videos
    def video_list(self, request: Request) -> Any:
        return self.shelf.list()

    def video_state(self, request: Request) -> Any:
        key = request.path_params["key"]
        self.shelf.refuse(key, request.query_params.get("refused", ""))
        return self.shelf.state(key)

    def video(self, request: Request) -> Response:
        played = request.query_params.get("as", "")
        return _file(self.shelf.media(request.path_params["key"], played), "video/mp4")

    def scene_frame(self, request: Request) -> Response:
        sha, name = request.path_params["key"], request.path_params["name"]
        fits = SHA.fullmatch(sha) and NAME.fullmatch(name)
        path = video_folder(self.handlers.settings.data_dir, sha) / "frames" / name
        if fits and not path.is_file():  # a run replayed where its video was never indexed
            return Response(BLANK, media_type="image/svg+xml", headers=FRESH)
        return _file(path if fits else None, "image/jpeg")

    # ------------------------------------------------------------------------------------------- runs
    def run_list(self, request: Request) -> Any:
        return self.handlers.run_list()

    def readiness(self, request: Request) -> Any:
        asked = {name: value for name, value in request.query_params.items() if value}
        return ready.everything(self.handlers.choose(asked.pop("agent", ""), asked))

    def run_view(self, request: Request) -> Any:
        run = self._run(request)
        step = request.query_params.get("step")
        if step is None:
            return view.views(run.session(), run.id, attach.being(run))
        return view.views(run.at_step(int(step)), run.id, view.Being.PAST) | {"at_step": int(step)}

    async def run_stream(self, request: Request) -> Response:
        events = self._follow(request.path_params["run"])
        return StreamingResponse(events, media_type="text/event-stream", headers=FRESH)

    async def _follow(self, run_id: str) -> AsyncIterator[str]:
        try:
            run = await run_in_threadpool(self.runs.get, run_id)
        except VestaError as error:  # as a message: a browser tells its page nothing about a stream that is refused
            gone = RUN_ID.fullmatch(run_id) and not (self.runs.root / run_id).exists()
            why = BadTrace(f"there is no run {run_id} here (any more): Replay lists those that are") if gone else error
            yield attach.message({"status": json.dumps(trouble(why))}) + attach.END
            return
        async for text in attach.stream(run):
            yield text

    def run_step(self, request: Request) -> Any:
        return detail.detail(self._run(request).session(), int(request.path_params["n"]))

    def run_cards(self, request: Request) -> Any:
        session = self._run(request).session()
        return [view.card(step, session.finished) for step in session.steps]

    def run_scenes(self, request: Request) -> Any:
        return timeline.scenes(self._run(request).session())

    def run_prompt(self, request: Request) -> Any:
        step = request.query_params.get("step")
        return ledger_view.seen_by_reasoner(self._run(request).session(), int(step) if step else None)

    def run_memory(self, request: Request) -> Any:
        return ledger_view.memory(self._run(request).session())

    def subtitles(self, request: Request) -> Response:
        cues = [cue for scene in self._run(request).session().scenes for cue in _cues(scene)]
        return Response(webvtt(cues), media_type="text/vtt", headers=FRESH)

    def frame(self, request: Request) -> Response:
        run, sha = self._run(request), request.path_params["sha"]
        return _file(run.folder / "frames" / f"{sha}.jpg" if SHA.fullmatch(sha) else None, "image/jpeg")


def _guarded(answer: Callable[[Request], Any]) -> Callable[[Request], Any]:
    """Runs off the event loop; errors of ours become one sentence with a 404 or 400."""

    async def endpoint(request: Request) -> Response:
        try:
            value = await run_in_threadpool(answer, request)
        except BadTrace as error:
            return JSONResponse({"error": str(error)}, 404)
        except VestaError as error:
            return JSONResponse({"error": str(error)}, 400)
        except ValueError:
            return JSONResponse({"error": "a number was expected in this address"}, 400)
        if isinstance(value, Response):
            return value
        return JSONResponse(value, headers=FRESH)

    return endpoint


def _script(request: Request, text: Callable[[], str]) -> Response:
    """Packed when the browser can unpack it: plotly.js is 4.7 MB, too much for the wireless network of a hall."""
    if "gzip" not in request.headers.get("accept-encoding", ""):
        return Response(text(), media_type="text/javascript", headers=FOREVER)
    packed = {"Content-Encoding": "gzip", "Vary": "Accept-Encoding"}
    return Response(assets.packed(text), media_type="text/javascript", headers=FOREVER | packed)


def _file(path: Path | None, media_type: str) -> Response:
    if path is None or not path.is_file():
        return JSONResponse({"error": "not here"}, 404)
    return FileResponse(path, media_type=media_type, headers=FOREVER)


def _cues(scene: Scene) -> list[tuple[float, float, str]]:
    """The transcript of a scene in lines of `CUE_WORDS`, its time shared out over them."""
    words = scene.transcript.split()
    parts = [" ".join(words[i : i + CUE_WORDS]) for i in range(0, len(words), CUE_WORDS)]
    each = (scene.end - scene.start) / max(1, len(parts))
    return [(scene.start + i * each, scene.start + (i + 1) * each, part) for i, part in enumerate(parts)]
