"""SAVE, the simple agentic video explorer, and SAOS, which may look once (SAVE §3.3, Algorithm 1, A.2).

Its one operation asks for a range; scene detection inside the range chooses the frames, the shorter the range the
denser. No index, no video-wide preprocessing. A range is in seconds, the one clock of this project, not in frame numbers.
"""

from __future__ import annotations

from typing import Any

from vesta_ui.exploration import Explorer, Sight
from vesta_ui.exploration.ranges import HIGH_UP_TO_S, QUERY_RANGE, times
from vesta_ui.exploration.showing import show
from vesta_ui.operations import guard


class Save(Explorer):
    query = QUERY_RANGE

    def sight(self, arguments: dict[str, Any]) -> Sight:
        asked = arguments["start_s"], arguments["end_s"]
        (span,), notices = guard([asked], self.workspace.video.facts.duration_s)
        chosen, how = times(span, self.workspace)
        return show(chosen, span, span.length <= HIGH_UP_TO_S, how, self.workspace, notices)


class Saos(Save):
    """Scene-aware one-shot: SAVE restricted to a single query (SAVE §4.1)."""

    queries = 1
