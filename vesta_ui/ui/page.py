"""The page put together: panels in their places, controls wired to handlers. No decision about a run is made here."""

from __future__ import annotations

from typing import Any

import gradio as gr

from vesta_ui import __version__, agents, samples
from vesta_ui.runs.run import Runs
from vesta_ui.settings import Settings
from vesta_ui.ui.attach import PANELS
from vesta_ui.ui.handlers import Handlers
from vesta_ui.ui.panels import Panel
from vesta_ui.ui.videos import Shelf

QUIET: dict[str, Any] = {"queue": False, "show_progress": "hidden", "api_visibility": "private"}
STREAM: dict[str, Any] = {
    "show_progress": "hidden",
    "api_visibility": "private",
    "concurrency_limit": None,
    "trigger_mode": "multiple",
}


def build(settings: Settings, runs: Runs, shelf: Shelf) -> gr.Blocks:
    """The whole page over the runs and videos of one data folder."""
    handlers = Handlers(settings, runs, shelf)
    shown = samples.load()
    first = shown[0] if shown else None
    preset = first.presets[0] if first and first.presets else None
    with gr.Blocks(title="VESTA UI", analytics_enabled=False, fill_width=True, delete_cache=(3600, 86400)) as page:
        run_id = gr.Textbox(visible="hidden", elem_id="run-id", label="run", container=False)
        head = Panel("head", "head", value=_head(settings))
        with gr.Column(elem_id="tab-live", elem_classes="tab"):
            with gr.Row(elem_id="top"):
                status = Panel("status", "status", value={"phase": "idle", "text": ""})
                with gr.Row(elem_id="source"):
                    picker = Panel("samples", "samples", value=[_sample(s) for s in shown])
                    path = gr.Textbox(
                        elem_id="video-path", placeholder="path of a video", label="Video path",
                        show_label=False, container=False, lines=1, max_lines=1, min_width=60,
                    )  # fmt: skip
                    opened = gr.Button("Open", elem_id="video-open", size="sm", min_width=50)
                    upload = gr.UploadButton(
                        "Upload", elem_id="video-upload", size="sm", file_types=["video"], type="filepath", min_width=50
                    )
            with gr.Row(elem_id="live"):
                with gr.Column(elem_id="left", min_width=0):
                    player = Panel("player", "vid", value={"key": f"sample:{first.name}"} if first else None)
                    timeline = Panel("timeline", "timeline", ("by_hand",))
                    answer = Panel("answer", "answer")
                with gr.Column(elem_id="right", min_width=0):
                    with gr.Group(elem_id="ask"):
                        presets = Panel("presets", "presets", ("pasted",), value=_presets(first))
                        with gr.Row(elem_id="fields"):
                            question = gr.Textbox(
                                elem_id="question", label="Question", lines=4, max_lines=4,
                                value=preset["question"] if preset else "", show_label=False, container=False,
                                placeholder="Ask about the video, or paste a whole multiple-choice question", min_width=80,
                            )  # fmt: skip
                            choices = gr.Textbox(
                                elem_id="choices", label="Choices, one per line", lines=4, max_lines=4,
                                value="\n".join(preset["choices"]) if preset else "", show_label=False, container=False,
                                placeholder="Choices, one per line (none: an open question)", min_width=80,
                            )  # fmt: skip
                        with gr.Row(elem_id="controls"):
                            agent = gr.Dropdown(
                                list(agents.AGENTS), value=settings.agent, elem_id="agent", label="Agent",
                                show_label=False, container=False, min_width=90,
                            )  # fmt: skip
                            run = gr.Button("Run", elem_id="run", variant="primary", size="sm", min_width=70)
                            pause = gr.Button("Pause", elem_id="pause", size="sm", min_width=60)
                            step = gr.Button("Step", elem_id="step", size="sm", min_width=50)
                            stop = gr.Button("Stop", elem_id="stop", size="sm", min_width=50)
                    route = Panel("route", "route")
                    steps = Panel("steps", "steps", ("by_hand",))
                    ledger = Panel("ledger", "ledger")
        settings_panel = Panel("settings", "settings", value={})
        bridge = Panel("bridge", "bridge", ("open_run",), visible="hidden")

        panels: dict[str, Any] = {
            "status": status, "route": route, "steps": steps, "timeline": timeline, "ledger": ledger, "answer": answer,
        }  # fmt: skip
        outputs = [panels[name] for name in PANELS]
        asked = [question, choices, agent, path, player, settings_panel]

        opened.click(handlers.open_path, path, [player, status], **QUIET)
        path.submit(handlers.open_path, path, [player, status], **QUIET)
        upload.upload(handlers.upload, upload, [player, status], **QUIET)
        run.click(handlers.start, asked, [run_id, status, player], **QUIET).then(
            handlers.attach, run_id, outputs, **STREAM
        )
        bridge.open_run(_run_of, None, run_id, **QUIET).then(handlers.attach, run_id, outputs, **STREAM)
        page.load(_query_run, None, run_id, **QUIET).then(handlers.attach, run_id, outputs, **STREAM)
        presets.pasted(handlers.pasted, None, [question, choices], **QUIET)
        pause.click(handlers.pause, run_id, None, **QUIET)
        step.click(handlers.step, run_id, None, trigger_mode="multiple", **QUIET)
        stop.click(handlers.stop, run_id, None, **QUIET)
        timeline.by_hand(handlers.by_hand, run_id, status, **QUIET)
        steps.by_hand(handlers.by_hand, run_id, status, **QUIET)
        del head, picker
    return page


def _head(settings: Settings) -> dict[str, Any]:
    return {"roles": settings.roles(), "version": __version__, "max_steps": settings.max_steps}


def _sample(sample: samples.Sample) -> dict[str, Any]:
    kept = ("question", "choices", "policy", "preset")
    return {
        "key": f"sample:{sample.name}",
        "title": sample.title,
        "topic": sample.topic,
        "questions": [{name: q.get(name) for name in kept} for q in sample.questions],
    }


def _presets(first: samples.Sample | None) -> dict[str, Any]:
    return {"sample": _sample(first)} if first else {}


def _run_of(event: gr.EventData) -> str:
    return str((event._data or {}).get("id", ""))


def _query_run(request: gr.Request) -> str:
    return str(request.query_params.get("run", ""))


