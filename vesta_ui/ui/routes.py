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
    runs, shelf, data_dir = handlers.runs, handlers.shelf, handlers.settings.data_dir

    def found(run_id: str) -> Run:
        return runs.get(run_id)

    def video_state(request: Request) -> Any:
        return shelf.state(request.path_params["key"])

    def run_view(request: Request) -> Any:
        run = found(request.path_params["run"])
        step = request.query_params.get("step")
        if step is None:
            return view.views(run.session(), run.id, attach.being(run))
        return view.views(run.at_step(int(step)), run.id, view.Being.PAST) | {"at_step": int(step)}

    async def run_stream(request: Request) -> Response:
        return StreamingResponse(follow(request.path_params["run"]), media_type="text/event-stream", headers=FRESH)

    async def follow(run_id: str) -> AsyncIterator[str]:
        try:
            run = await run_in_threadpool(found, run_id)
        except VestaError as error:  # as a message: a browser tells its page nothing about a stream that is refused
            gone = RUN_ID.fullmatch(run_id) and not (runs.root / run_id).exists()
            why = BadTrace(f"there is no run {run_id} here (any more): Replay lists those that are") if gone else error
            yield attach.message({"status": json.dumps(trouble(why))}) + attach.END
            return
        async for text in attach.stream(run):
            yield text

    def run_step(request: Request) -> Any:
        return detail.detail(found(request.path_params["run"]).session(), int(request.path_params["n"]))

    def run_cards(request: Request) -> Any:
        session = found(request.path_params["run"]).session()
        return [view.card(step, session.finished) for step in session.steps]

    def run_scenes(request: Request) -> Any:
        return timeline.scenes(found(request.path_params["run"]).session())

    def run_prompt(request: Request) -> Any:
        step = request.query_params.get("step")
        session = found(request.path_params["run"]).session()
        return ledger_view.seen_by_reasoner(session, int(step) if step else None)

    def run_memory(request: Request) -> Any:
        return ledger_view.memory(found(request.path_params["run"]).session())

    def run_list(request: Request) -> Any:
        return handlers.run_list()

    def video_list(request: Request) -> Any:
        return shelf.list()

    def readiness(request: Request) -> Any:
        asked = {name: value for name, value in request.query_params.items() if value}
        return ready.everything(handlers.choose(asked.pop("agent", ""), asked))

    def script(request: Request) -> Response:
        return _script(request, assets.script)

    def plotly(request: Request) -> Response:
        return _script(request, assets.plotly)

    def video(request: Request) -> Response:
        return _file(shelf.find(request.path_params["key"]).playable, "video/mp4")

    def subtitles(request: Request) -> Response:
        cues = [cue for scene in found(request.path_params["run"]).session().scenes for cue in _cues(scene)]
        return Response(webvtt(cues), media_type="text/vtt", headers=FRESH)

    def frame(request: Request) -> Response:
        sha = request.path_params["sha"]
        run = found(request.path_params["run"])
        return _file(run.folder / "frames" / f"{sha}.jpg" if SHA.fullmatch(sha) else None, "image/jpeg")

    def scene_frame(request: Request) -> Response:
        sha, name = request.path_params["key"], request.path_params["name"]
        fits = SHA.fullmatch(sha) and NAME.fullmatch(name)
        path = video_folder(data_dir, sha) / "frames" / name
        if fits and not path.is_file():  # a run replayed where its video was never indexed
            return Response(BLANK, media_type="image/svg+xml", headers=FRESH)
        return _file(path if fits else None, "image/jpeg")

    return [
        Route("/vesta/page.js", _guarded(script)),
        Route("/vesta/plotly.js", _guarded(plotly)),
        Route("/vesta/video/{key}/state", _guarded(video_state)),
        Route("/vesta/video/{key}", _guarded(video)),
        Route("/vesta/runs", _guarded(run_list)),
        Route("/vesta/videos", _guarded(video_list)),
        Route("/vesta/ready", _guarded(readiness)),
        Route("/vesta/run/{run}", _guarded(run_view)),
        Route("/vesta/run/{run}/stream", run_stream),
        Route("/vesta/run/{run}/step/{n:int}", _guarded(run_step)),
        Route("/vesta/run/{run}/cards", _guarded(run_cards)),
        Route("/vesta/run/{run}/scenes", _guarded(run_scenes)),
        Route("/vesta/run/{run}/prompt", _guarded(run_prompt)),
        Route("/vesta/run/{run}/memory", _guarded(run_memory)),
        Route("/vesta/run/{run}/subtitles.vtt", _guarded(subtitles)),
        Route("/vesta/run/{run}/frame/{sha}", _guarded(frame)),
        Route("/vesta/video/{key}/scene/{name}", _guarded(scene_frame)),
        *(Route(f"/vesta/{path}", _guarded(answer)) for path, answer in study_routes.endpoints(handlers).items()),
    ]


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
