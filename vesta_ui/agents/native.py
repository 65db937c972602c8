"""No agent at all: the model looks once at frames spread evenly over the whole video, and answers (SAVE §4.1, A.1).

With frames it is given the words around each, as the other agents are: a model that takes no file would hear nothing.
Token-matched (SAVE §5): with the setting `match_tokens`, as many frames as that many input tokens hold.
"""

from __future__ import annotations

from typing import Any

from vesta_ui.domain import Interval, Notice
from vesta_ui.exploration import Explorer, Query, Sight
from vesta_ui.exploration.ranges import uniform
from vesta_ui.exploration.showing import show
from vesta_ui.exploration.tokens import frames_for
from vesta_ui.operations.arguments import Arguments


class WatchArguments(Arguments):
    """None: the whole video, as often as settings say."""


class Native(Explorer):
    query = Query("watch", WatchArguments, "Look at frames spread evenly over the whole video.")
    queries = 1

    def sight(self, arguments: dict[str, Any]) -> Sight:
        video, settings = self.workspace.video, self.workspace.settings
        whole = Interval(0.0, video.facts.duration_s)
        notices = []
        if settings.native_file:
            if self.mind.takes_file:
                return show([], whole, False, "the file itself", self.workspace)
            notices.append(Notice("native-frames", "this model takes no video file: it is shown frames instead"))
        count = settings.native_frames
        how = "evenly spread"
        if settings.match_tokens is not None:
            scale = min(1.0, settings.image_side / max(video.facts.width, video.facts.height))
            size = round(video.facts.width * scale), round(video.facts.height * scale)
            count = frames_for(settings.match_tokens, self.mind.frame_tokens(*size))
            how = f"as many as {settings.match_tokens} tokens hold"
        count = max(1, min(count, len(video.timeline.ticks)))
        return show(uniform(whole, count), whole, False, how, self.workspace, notices)
