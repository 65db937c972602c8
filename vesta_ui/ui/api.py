"""The page's functions for programs: `gradio_client`, plain HTTP, and MCP tools with `--mcp`. Everything else is private."""

import json
from pathlib import Path
from typing import Any, TypedDict, cast

import gradio as gr

from vesta_ui.errors import VestaError
from vesta_ui.events import drained
from vesta_ui.question import parse_question
from vesta_ui.ui.handlers import Handlers

LONGEST_S = 3600.0
"""`ask` waits no longer; the run goes on and `get_run` shows it."""


# Gradio makes schemas of these, and only of types that are there when a function is defined: no deferred annotations.
class SceneFound(TypedDict):
    """A scene; times in seconds on the video's clock."""

    id: str
    start_s: float
    end_s: float
    transcript: str


class IndexBuilt(TypedDict):
    """What `index_video` returns."""

    index_id: str
    reused: bool
    duration_s: float
    scenes: list[SceneFound]


class RunReport(TypedDict):
    """What `ask` and `get_run` return: the report of `python -m vesta_ui ask --json`."""

    run_id: str
    run_dir: str | None
    outcome: str | None
    reason: str
    answer: dict[str, Any] | None
    route: dict[str, Any] | None
    references: list[dict[str, Any]]
    steps: list[dict[str, Any]]
    ledger: dict[str, Any]
    usage: dict[str, Any]
    warnings: list[dict[str, Any]]


class RunRow(TypedDict):
    """A line of the list of runs."""

    id: str
    question: str
    video: str
    sha256: str
    agent: str
    outcome: str
    answer: str


def as_json_text(page: gr.Blocks) -> None:
    """Let MCP tools answer in JSON, as the HTTP functions do; gradio gives them Python's own notation of a dictionary."""
    server = page.mcp_server_obj
    assert server is not None, "the page was not launched with its MCP server"

    def texts(data: list[Any], root_url: str) -> list[Any]:
        return [server.types.TextContent(type="text", text=json.dumps(one, ensure_ascii=False)) for one in data]

    server.postprocess_output_data = texts


def offer(handlers: Handlers) -> None:
    """Register the four endpoints on the Blocks being built."""

    def index_video(path: str) -> IndexBuilt:
        """Build or reuse the scene index of a video.

        Args:
            path: Path of the video file on the server's computer.
        """
        from vesta_ui import scene_index
        from vesta_ui.control import Control

        try:
            built = drained(scene_index.build(Path(path).expanduser(), handlers.settings, Control()))
        except VestaError as error:
            raise gr.Error(str(error), print_exception=False) from error
        return {
            "index_id": built.id,
            "reused": built.reused,
            "duration_s": built.video.duration_s,
            "scenes": [
                {"id": s.id, "start_s": s.start, "end_s": s.end, "transcript": s.transcript} for s in built.scenes
            ],
        }

    def ask(path: str, question: str, choices: list[str] | None = None, policy: str = "", agent: str = "") -> RunReport:
        """Ask a question about a video and wait for the answer with its evidence.

        Args:
            path: Path of the video file on the server's computer.
            question: The question, or a whole multiple-choice question.
            choices: Answer options; leave out for an open question.
            policy: focused, recall or contrastive; empty means routed.
            agent: Which agent answers; empty means the server's default.
        """
        try:
            asked = parse_question(question, choices or [])
            run = handlers.runs.start(Path(path).expanduser(), asked, handlers.choose(agent, {"policy": policy}))
        except VestaError as error:
            raise gr.Error(str(error), print_exception=False) from error
        run.join(LONGEST_S)
        return get_run(run.id)

    def get_run(run_id: str) -> RunReport:
        """A run as it is now: route, steps, ledger, answer.

        Args:
            run_id: Id of the run, as `ask` and `list_runs` give it.
        """
        from vesta_ui.runs import report

        try:
            return cast(RunReport, report.as_json(handlers.runs.get(run_id).session()) | {"run_id": run_id})
        except VestaError as error:
            raise gr.Error(str(error), print_exception=False) from error

    def list_runs() -> list[RunRow]:
        """Every recorded run, newest first."""
        return cast(list[RunRow], handlers.run_list())

    for function in (index_video, ask, get_run, list_runs):
        gr.api(function, api_name=function.__name__, concurrency_limit=4)
