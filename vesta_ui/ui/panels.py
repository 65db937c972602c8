"""One `gr.HTML` per panel: a constant empty template, JSON in, named events out.

Gradio executes what reaches an HTML template, so values never do: the template stays empty and `assets/page/` builds
the DOM from the value with `textContent`. A function, not a subclass: gradio writes a stub file beside every subclass.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gradio as gr

from vesta_ui.errors import VestaError
from vesta_ui.ui import assets


def panel(name: str, elem_id: str, events: tuple[str, ...] = (), value: Any = None, **kwargs: Any) -> gr.HTML:
    """`name` is the panel's key in the page's script; `events` are what its `trigger` may send to Python."""
    names = ", ".join(f"'{event}'" for event in events)  # gradio looks for quoted names to allow a listener
    return gr.HTML(
        value=value,
        html_template=f'<div class="panel" data-panel="{name}"></div>',
        js_on_load=f"VESTA.mount('{name}', element, {{props, trigger, watch, events: [{names}]}});",
        head=f'<script src="vesta/page.js?v={assets.version()}"></script>',
        elem_id=elem_id,
        apply_default_css=False,
        padding=False,
        **kwargs,
    )


def answering(work: Callable[[dict[str, Any]], dict[str, Any]]) -> Callable[[gr.EventData], dict[str, Any]]:
    """A handler of an event that the page's `asker` sent: what `work` makes of its data, or one sentence of trouble.

    The event's `nonce` goes back with it: it says whose answer this is, and tells equal ones apart.
    """

    def handler(event: gr.EventData) -> dict[str, Any]:
        data: dict[str, Any] = event._data or {}
        try:
            made = work(data)
        except (VestaError, TypeError, ValueError, LookupError) as error:
            made = {"error": str(error)}
        return made | {"nonce": data.get("nonce")}

    return handler


QUIET: dict[str, Any] = {"queue": False, "show_progress": "hidden", "api_visibility": "private"}
"""For commands that answer at once: never behind a stream in the queue."""
STREAM: dict[str, Any] = {
    "show_progress": "hidden",
    "api_visibility": "private",
    "concurrency_limit": None,
    "trigger_mode": "multiple",
}
"""For attaching: as many tabs as there are, and a new run may be attached while an older one still streams."""
