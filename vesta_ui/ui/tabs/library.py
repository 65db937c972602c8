"""Library: the videos this data folder knows, their scenes, and the runs on them. Fetched when the tab is shown."""

from __future__ import annotations

from vesta_ui.ui.handlers import Handlers
from vesta_ui.ui.panels import panel


def build(handlers: Handlers) -> None:
    panel("library", "library")
