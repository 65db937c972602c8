"""`clip`: question-conditioned clip analysis (VESTA §B.5). One targeted question about one clip, with confidence."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from vesta_ui.domain import Question
from vesta_ui.errors import ModelFailed
from vesta_ui.operations import Result, Workspace, guard
from vesta_ui.operations.arguments import ClipArguments, checked
from vesta_ui.operations.sampling import density, examined, look
from vesta_ui.operations.speech import heard_instead
from vesta_ui.operations.text import lines


class Clip:
    name = "clip"
    summary = "Ask one targeted question about one clip; returns a judgment with confidence, or “cannot tell”."
    arguments = ClipArguments

    def run(self, arguments: dict[str, Any], step: int, question: Question, workspace: Workspace) -> Result:
        asked = checked(ClipArguments, arguments)
        kept, notices = guard([(asked.interval[0], asked.interval[1])], workspace.video.facts.duration_s)
        looks, frames, more = look(kept, workspace.settings.clip_frames, workspace, fewest_apart_s=0.04)
        try:
            seen = workspace.observer.judge(looks, kept[0], asked.question, question, workspace.control)
        except ModelFailed as failure:
            instead = heard_instead(failure, kept, frames, question, asked.question, workspace)
            return replace(instead, notices=(*notices, *more, *instead.notices))
        return Result(
            output=f"{density(kept, len(frames))}\n{lines(seen.observations)}",
            observations=examined(seen.observations, kept),
            frames=frames,
            calls=seen.calls,
            notices=(*notices, *more, *seen.notices),
        )
