"""`inspect`: temporal visual inspection (VESTA §B.5). Samples frames of several intervals and describes what is seen."""

from __future__ import annotations

from typing import Any

from vesta_ui.domain import Question
from vesta_ui.operations import Result, Workspace, guard
from vesta_ui.operations.arguments import InspectArguments, checked
from vesta_ui.operations.sampling import density, examined, look
from vesta_ui.operations.text import lines


class Inspect:
    name = "inspect"
    summary = "Look at frames sampled from one or more intervals; returns descriptions with times."
    arguments = InspectArguments

    def run(self, arguments: dict[str, Any], step: int, question: Question, workspace: Workspace) -> Result:
        asked = checked(InspectArguments, arguments)
        kept, notices = guard([(a, b) for a, b in asked.intervals], workspace.video.facts.duration_s)
        looks, frames, more = look(kept, workspace.settings.inspect_frames, workspace)
        seen = workspace.observer.inspect(looks, kept, asked.focus, question, workspace.control)
        return Result(
            output=f"looked at {density(kept, len(frames))}\n{lines(seen.observations)}",
            observations=examined(seen.observations, kept),
            frames=frames,
            calls=seen.calls,
            notices=(*notices, *more, *seen.notices),
        )
