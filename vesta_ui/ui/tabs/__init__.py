"""The tabs beside Live, one file each: `build(handlers)` places panels; their script is `assets/page/tab-<name>.js`."""

from __future__ import annotations

from vesta_ui import registry
from vesta_ui.ui.handlers import Handlers

TABS = {
    "library": "vesta_ui.ui.tabs.library:build",
    "replay": "vesta_ui.ui.tabs.replay:build",
    "compare": "vesta_ui.ui.tabs.compare:build",
    "cases": "vesta_ui.ui.tabs.cases:build",
    "bench": "vesta_ui.ui.tabs.bench:build",
    "doctor": "vesta_ui.ui.tabs.doctor:build",
}
"""In display order. A tab is listed when it works."""


def build(name: str, handlers: Handlers) -> None:
    registry.load(TABS, name, "tab")(handlers)
