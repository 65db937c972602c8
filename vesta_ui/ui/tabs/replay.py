"""Replay: every recorded run, to be opened and played on the Live tab. The list is fetched when the tab is shown."""

from __future__ import annotations

from vesta_ui.ui.handlers import Handlers
from vesta_ui.ui.panels import panel


def build(handlers: Handlers) -> None:
    panel("replay", "replay")
