"""`inspect`: temporal visual inspection (VESTA §B.5). Samples frames of several intervals and describes what is seen."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from vesta_ui.domain import Question
from vesta_ui.errors import ModelFailed
from vesta_ui.operations import Result, Workspace, guard
from vesta_ui.operations.arguments import InspectArguments, checked
from vesta_ui.operations.sampling import density, examined, look
from vesta_ui.operations.speech import BLOCKED, heard_instead, spoken
from vesta_ui.operations.text import lines


class Inspect:
    name = "inspect"
    summary = "Look at frames sampled from one or more intervals; returns descriptions with times."
    arguments = InspectArguments

    def run(self, arguments: dict[str, Any], step: int, question: Question, workspace: Workspace) -> Result:
        asked = checked(InspectArguments, arguments)
        kept, notices = guard([(a, b) for a, b in asked.intervals], workspace.video.facts.duration_s)
        looks, frames, more = look(kept, workspace.settings.inspect_frames, workspace)
        try:
            seen = workspace.observer.inspect(looks, kept, asked.focus, question, workspace.control)
        except ModelFailed as failure:
            instead = heard_instead(failure, kept, frames, question, asked.focus, workspace)
            return replace(instead, notices=(*notices, *more, *instead.notices))
        found = examined(seen.observations, kept)
        blocked = {f"model-{kind}" for kind in BLOCKED} & {notice.code for notice in seen.notices}
        if blocked:  # of several stretches some were described, of the others there is only what is said
            dark = [span for span in kept if not any(one.examined == span or one.interval == span for one in found)]
            found = (*found, *spoken(dark, question, asked.focus, workspace))
        return Result(
            output=f"looked at {density(kept, len(frames))}\n{lines(found)}",
            observations=found,
            frames=frames,
            calls=seen.calls,
            notices=(*notices, *more, *seen.notices),
        )
