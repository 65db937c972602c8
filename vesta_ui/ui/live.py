"""The Live tab: player, answer, timeline and ledger on the left; question, route and steps on the right."""

from __future__ import annotations

from typing import Any

import gradio as gr

from vesta_ui import agents, samples
from vesta_ui.ui.handlers import Handlers
from vesta_ui.ui.panels import QUIET, panel

ON_THE_VIDEO_SHOWN = (
    "(text, choices, agent, path, key, chosen) => [text, choices, agent, path, VESTA.videoKey(), chosen]"
)
"""A reload or a link may show another video than gradio's own state knows of."""


def build(page: gr.Blocks, handlers: Handlers) -> None:
    """Place the parts and wire them. `#run-id` holds the id of the run that the buttons steer.

    What a run does reaches the page through the stream of `attach`, not through gradio.
    """
    shown = samples.load()
    first = shown[0] if shown else None
    preset = first.presets[0] if first and first.presets else None
    run_id, key = (
        gr.Textbox(visible="hidden", elem_id=name, label=name, container=False) for name in ("run-id", "video-key")
    )
    with gr.Row(elem_id="top"):
        status = panel("status", "status", value={"phase": "idle", "text": ""})
        path, opened, upload = _source(shown)
    with gr.Row(elem_id="live"):
        with gr.Column(elem_id="left", min_width=0):
            player = panel("player", "vid", value={"key": f"sample:{first.name}"} if first else None)
            timeline = panel("timeline", "timeline", ("by_hand",))
            panel("answer", "answer")
            panel("ledger", "ledger")
        with gr.Column(elem_id="right", min_width=0):
            with gr.Column(elem_id="ask", min_width=0), gr.Group():  # a group gives its own id to two elements
                presets = panel("presets", "presets", ("pasted",), value={"sample": _sample(first)} if first else None)
                with gr.Row(elem_id="fields"):
                    question = _field("question", "Question", preset["question"] if preset else "",
                                      "Ask about the video, or paste a whole multiple-choice question")  # fmt: skip
                    choices = _field("choices", "Choices, one per line", "\n".join(preset["choices"]) if preset else "",
                                     "Choices, one per line (none: an open question)")  # fmt: skip
                with gr.Row(elem_id="controls"):
                    agent = gr.Dropdown(
                        list(agents.AGENTS), value=handlers.settings.agent, elem_id="agent", label="Agent",
                        show_label=False, container=False, min_width=90,
                    )  # fmt: skip
                    run = gr.Button("Run", elem_id="run", variant="primary", size="sm", min_width=70)
                    pause, step, stop = (
                        gr.Button(name, elem_id=name.lower(), size="sm", min_width=50)
                        for name in ("Pause", "Step", "Stop")
                    )
            panel("route", "route")
            steps = panel("steps", "steps", ("by_hand", "fork"))
    chosen = panel("settings", "settings", ("save_key",), value={})
    bridge = panel("bridge", "bridge", ("open_run", "resume", "recorded"), visible="hidden")

    begun = [run_id, status, player]
    opened.click(handlers.open_path, path, [player, status], **QUIET)
    path.submit(handlers.open_path, path, [player, status], **QUIET)
    upload.upload(handlers.upload, upload, [player, status], **QUIET)
    presets.pasted(handlers.pasted, None, [question, choices], **QUIET)
    chosen.save_key(handlers.key, None, status, **QUIET)
    agent.change(None, agent, None, js="(agent) => VESTA.agentChosen(agent)", **QUIET)
    run.click(handlers.start, [question, choices, agent, path, key, chosen], begun, js=ON_THE_VIDEO_SHOWN, **QUIET)
    steps.fork(handlers.fork, [run_id, chosen], begun, **QUIET)
    bridge.resume(handlers.resume, None, begun, **QUIET)
    bridge.recorded(handlers.recorded, None, [run_id, status], **QUIET)
    bridge.open_run(_run_of, None, run_id, **QUIET)
    page.load(_query_run, None, run_id, **QUIET)
    pause.click(handlers.pause, run_id, None, **QUIET)
    step.click(handlers.step, run_id, None, trigger_mode="multiple", **QUIET)
    stop.click(handlers.stop, run_id, None, **QUIET)
    timeline.by_hand(handlers.by_hand, run_id, status, **QUIET)
    steps.by_hand(handlers.by_hand, run_id, status, **QUIET)


def _source(shown: tuple[samples.Sample, ...]) -> tuple[gr.Textbox, gr.Button, gr.UploadButton]:
    with gr.Row(elem_id="source"):
        panel("samples", "samples", value=[_sample(s) for s in shown])
        path = gr.Textbox(
            elem_id="video-path", placeholder="path of a video", label="Video path",
            show_label=False, container=False, lines=1, max_lines=1, min_width=60,
        )  # fmt: skip
        opened = gr.Button("Open", elem_id="video-open", size="sm", min_width=50)
        upload = gr.UploadButton(
            "Upload", elem_id="video-upload", size="sm", file_types=["video"], type="filepath", min_width=50
        )
    return path, opened, upload


def _field(elem_id: str, label: str, value: str, placeholder: str) -> gr.Textbox:
    return gr.Textbox(
        elem_id=elem_id, label=label, value=value, placeholder=placeholder, lines=4, max_lines=4, show_label=False,
        container=False, min_width=80,
    )  # fmt: skip


def _sample(sample: samples.Sample) -> dict[str, Any]:
    kept = ("question", "choices", "policy", "preset")
    return {
        "key": f"sample:{sample.name}",
        "title": sample.title,
        "topic": sample.topic,
        "questions": [{name: q.get(name) for name in kept} for q in sample.questions],
    }


def _run_of(event: gr.EventData) -> str:
    return str((event._data or {}).get("id", ""))


def _query_run(request: gr.Request) -> str:
    return str(request.query_params.get("run", ""))
