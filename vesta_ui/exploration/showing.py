"""The observation operator: frames at given times with the words said around them, as one `Sight` (SAVE §3.3, A.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from vesta_ui.domain import Frame, Interval, Notice, Observation, Question, clock, merge
from vesta_ui.exploration import Sight
from vesta_ui.operations import Workspace
from vesta_ui.operations.speech import observe, utterances
from vesta_ui.roles import Look

AROUND_S = 1.0
"""Transcript before and after a frame."""
HIGH_SIDE, HIGH_TIMES = 1536, 2
"""High resolution: this side in pixels at most, and this many times the side of an ordinary frame (`image_side`)."""
REACH_S = 5.0
"""A single frame speaks for so much time on either side at most."""


def show(
    times: Sequence[float], span: Interval, high: bool, how: str, workspace: Workspace, notices: Sequence[Notice] = ()
) -> Sight:
    """Frames at `times` (seconds, any order), stored at the resolution they are shown in. A picture comes once."""
    ordinary = workspace.settings.image_side
    side = min(HIGH_SIDE, HIGH_TIMES * ordinary) if high else ordinary
    looks: list[Look] = []
    frames: list[Frame] = []
    for picture in workspace.video.frames_at(sorted(times), max_side=side):
        workspace.control.check()
        if looks and picture.time <= looks[-1].time:
            continue
        frame = workspace.frames.add(picture.image, picture.time, max_side=side)
        looks.append(Look(picture.time, picture.image, frame.sha256))
        frames.append(frame)
    heard = tuple(" ".join(word.text for word in workspace.index.words(around(look.time))) for look in looks)
    return Sight(span, tuple(looks), tuple(frames), heard, high, how, tuple(notices))


def around(time: float) -> Interval:
    return Interval(max(0.0, time - AROUND_S), time + AROUND_S)


def cells(sight: Sight) -> list[Interval]:
    """For every frame the stretch it speaks for: to the middle of its neighbours, `REACH_S` at most."""
    times = [look.time for look in sight.looks]
    found = []
    for n, time in enumerate(times):
        start = (times[n - 1] + time) / 2 if n else min(sight.span.start, time)
        end = (time + times[n + 1]) / 2 if n + 1 < len(times) else max(sight.span.end, time)
        found.append(Interval(max(start, time - REACH_S), min(end, time + REACH_S)))
    return found


def heard(sight: Sight, question: Question, workspace: Workspace) -> tuple[Observation, ...]:
    """The words around the frames as observations of speech, sentence by sentence."""
    spans = merge(around(look.time) for look in sight.looks)
    return tuple(observe(words, question, "") for span in spans for words in utterances(workspace.index.words(span)))


def header(sight: Sight) -> str:
    """What was looked at, in one line; for example "2 frames of 00:10.0–00:40.0 (2 scenes) at 14.00, 31.50 s"."""
    times = ", ".join(f"{look.time:.2f}" for look in sight.looks)
    high = ", high resolution" if sight.high else ""
    return f"{len(sight.looks)} frame{'s' * (len(sight.looks) != 1)} of {sight.span}{high} ({sight.how}) at {times} s"


def with_frames(observations: Sequence[Observation], sight: Sight) -> tuple[Observation, ...]:
    """The observations with the receipts of the frames inside their intervals; the nearest frame when none is inside."""
    done = []
    for one in observations:
        inside = tuple(f for f in sight.frames if one.interval.start <= f.time <= one.interval.end)
        nearest = min(sight.frames, key=lambda f: abs(f.time - one.interval.middle), default=None)
        done.append(replace(one, frames=one.frames or inside or ((nearest,) if nearest else ())))
    return tuple(done)


def said(sight: Sight) -> str:
    """The transcript snippets as lines, frame by frame; an unchanged snippet is not repeated."""
    lines: list[str] = []
    last = ""
    for look, words in zip(sight.looks, sight.heard, strict=True):
        if words and words != last:
            lines.append(f"{clock(look.time)} said: “{words}”")
        last = words
    return "\n".join(lines)
