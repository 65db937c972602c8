"""The Active Exploration Baseline: one frame a step, by its index, with the words said around it (SAVE §3.2, B.1)."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from vesta_ui.domain import Interval
from vesta_ui.errors import OperationRefused
from vesta_ui.exploration import Explorer, Query, Sight
from vesta_ui.exploration.showing import show
from vesta_ui.operations.arguments import Arguments


class QueryFrameArguments(Arguments):
    frame: int = Field(description="0-based number of the frame")


class Explore(Explorer):
    query = Query(
        "query_frame", QueryFrameArguments, "Look at one frame of the video, with the words said within a second of it."
    )

    def sight(self, arguments: dict[str, Any]) -> Sight:
        frame = arguments["frame"]
        timeline = self.workspace.video.timeline
        if not 0 <= frame < len(timeline.ticks):
            raise OperationRefused(f"there is no frame {frame}: the video has frames 0 to {len(timeline.ticks) - 1}")
        tick = int(timeline.ticks[frame])
        time = timeline.seconds(tick)
        shown = Interval(time, min(timeline.seconds(timeline.after(tick)), self.workspace.video.facts.duration_s))
        return show([time], shown, False, f"frame {frame}", self.workspace)
