"""The page's functions for programs: `gradio_client`, plain HTTP, and MCP tools with `--mcp`. Everything else is private."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gradio as gr

from vesta_ui.errors import BadInput, VestaError
from vesta_ui.question import parse_question
from vesta_ui.ui.handlers import Handlers

LONGEST_S = 3600.0
"""`ask` waits no longer; the run goes on and `get_run` shows it."""


def offer(handlers: Handlers) -> None:
    """Register the four endpoints on the Blocks being built."""

    def index_video(path: str) -> dict[str, Any]:
        """Build or reuse the scene index of a video.

        Args:
            path: Path of the video file on the server's computer.
        """
        from vesta_ui import scene_index
        from vesta_ui.control import Control

        try:
            building = scene_index.build(Path(path).expanduser(), handlers.settings, Control())
            while True:
                try:
                    next(building)
                except StopIteration as done:
                    built = done.value
                    break
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

    def ask(
        path: str, question: str, choices: list[str] | None = None, policy: str = "", agent: str = ""
    ) -> dict[str, Any]:
        """Ask a question about a video and wait for the answer with its evidence.

        Args:
            path: Path of the video file on the server's computer.
            question: The question, or a whole multiple-choice question.
            choices: Answer options; leave out for an open question.
            policy: focused, recall or contrastive; empty means routed.
            agent: Which agent answers; empty means the server's default.
        """
        try:
            if policy not in ("", "focused", "recall", "contrastive"):
                raise BadInput("the policy is focused, recall, contrastive, or empty for routed")
            asked = parse_question(question, choices or [])
            run = handlers.runs.start(Path(path).expanduser(), asked, handlers.choose(agent, {"policy": policy}))
        except VestaError as error:
            raise gr.Error(str(error), print_exception=False) from error
        run.join(LONGEST_S)
        return get_run(run.id)

    def get_run(run_id: str) -> dict[str, Any]:
        """A run as it is now: route, steps, ledger, answer.

        Args:
            run_id: Id of the run, as `ask` and `list_runs` give it.
        """
        from vesta_ui.runs import report

        try:
            return report.as_json(handlers.runs.get(run_id).session()) | {"run_id": run_id}
        except VestaError as error:
            raise gr.Error(str(error), print_exception=False) from error

    def list_runs() -> list[dict[str, Any]]:
        """Every recorded run, newest first."""
        return handlers.run_list()

    for function in (index_video, ask, get_run, list_runs):
        gr.api(function, api_name=function.__name__, concurrency_limit=4)
