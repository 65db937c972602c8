"""One `gr.HTML` per panel: a constant empty template, JSON in, named events out.

Gradio executes what reaches an HTML template, so values never do: the template stays empty and `assets/page/` builds
the DOM from `props.value` with `textContent`.
"""

from __future__ import annotations

from typing import Any

import gradio as gr

from vesta_ui.ui import assets

EVENTS = {
    "bridge": ("start", "pause", "step", "stop", "open_run", "open_video", "by_hand", "sample", "command"),
}


class Panel(gr.HTML):  # type: ignore[misc]
    """`name` is its key in the page's script; `events` are what `trigger` may send to Python."""

    def __init__(self, name: str, elem_id: str, events: tuple[str, ...] = (), **kwargs: Any) -> None:
        names = ", ".join(f"'{event}'" for event in events)
        super().__init__(
            value=kwargs.pop("value", None),
            html_template=f'<div class="panel" data-panel="{name}"></div>',
            js_on_load=f"VESTA.mount('{name}', element, {{props, trigger, watch, events: [{names}]}});",
            head=f'<script src="vesta/page.js?v={assets.version()}"></script>',
            elem_id=elem_id,
            apply_default_css=False,
            padding=False,
            **kwargs,
        )

    def api_info(self) -> dict[str, Any]:
        return {"type": "object"}

    def get_block_name(self) -> str:
        return "html"
