"""`speech`: temporally grounded transcription (VESTA §B.5). Reuses the words the index already has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from vesta_ui.domain import Interval, Modality, Observation, Question, Word
from vesta_ui.operations import Result, Workspace, guard
from vesta_ui.operations.arguments import SpeechArguments, checked
from vesta_ui.operations.text import lines
from vesta_ui.roles.embedded.reading import read

PAUSE_S = 1.0
"""A silence this long ends an utterance that has no full stop."""


class Speech:
    name = "speech"
    summary = "Read what is said in one or more intervals, aligned to the video clock."
    arguments = SpeechArguments

    def run(self, arguments: dict[str, Any], step: int, question: Question, workspace: Workspace) -> Result:
        asked = checked(SpeechArguments, arguments)
        kept, notices = guard([(a, b) for a, b in asked.intervals], workspace.video.facts.duration_s)
        observations: list[Observation] = []
        for interval in kept:
            said = utterances(workspace.index.hear(interval, workspace.control))
            observations += [replace(observe(words, question, asked.focus), examined=interval) for words in said]
            if not said:
                status = workspace.index.transcript.status
                reason = "no speech here" if status in ("ok", "pending") else status
                observations.append(Observation(interval, Modality.SPEECH, reason))
        return Result(output=lines(observations), observations=tuple(observations), notices=tuple(notices))


def utterances(words: Sequence[Word]) -> list[list[Word]]:
    """Words grouped into sentences: cut after . ! ? and at silences of `PAUSE_S`."""
    groups: list[list[Word]] = []
    for word in words:
        last = groups[-1][-1] if groups else None
        if last is None or last.text.rstrip().endswith((".", "!", "?")) or word.start - last.end >= PAUSE_S:
            groups.append([])
        groups[-1].append(word)
    return groups


def observe(words: Sequence[Word], question: Question, focus: str) -> Observation:
    content = " ".join(word.text.strip() for word in words)
    reading = read(content, question, focus)
    return Observation(
        Interval(words[0].start, max(words[0].start, words[-1].end)),
        Modality.SPEECH,
        f"“{content}”",
        verdict=reading.verdict,
        confidence=reading.confidence,
        number=reading.number,
        number_of=reading.number_of,
        event=reading.event,
        stances=reading.stances,
    )
