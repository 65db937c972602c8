"""The page put together: header, the Live tab, and the tabs of the registry. No decision about a run is made here."""

from __future__ import annotations

import gradio as gr

from vesta_ui import __version__, samples
from vesta_ui.ui import api, live, tabs
from vesta_ui.ui.handlers import Handlers
from vesta_ui.ui.panels import panel


def build(handlers: Handlers) -> gr.Blocks:
    """The whole page over the runs and videos of one data folder."""
    settings = handlers.settings
    with gr.Blocks(title="VESTA UI", analytics_enabled=False, fill_width=True, delete_cache=(3600, 86400)) as page:
        head = {"roles": settings.roles(), "version": __version__, "recorded": samples.recorded() is not None}
        panel("head", "head", value=head)
        with gr.Column(elem_id="tab-live", elem_classes="tab"):
            live.build(page, handlers)
        for name in tabs.TABS:
            with gr.Column(elem_id=f"tab-{name}", elem_classes="tab"):
                tabs.build(name, handlers)
        api.offer(handlers)
    return page
