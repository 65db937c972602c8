"""`speech`: temporally grounded transcription (VESTA §B.5). Reuses the words the index already has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from vesta_ui.domain import Frame, Interval, Modality, Notice, Observation, Question, Word
from vesta_ui.errors import ModelFailed, OperationRefused
from vesta_ui.operations import Result, Workspace, guard
from vesta_ui.operations.arguments import SpeechArguments, checked
from vesta_ui.operations.text import lines
from vesta_ui.roles.embedded.reading import read

BLOCKED = ("blocked", "refused")
"""Failures after which the same pictures would not be described in other words either."""
SILENT = ("off", "no sound track", "no speech found", "transcript failed")
"""States of a transcript in which `speech` has nothing to give and is not offered."""
NOTHING_SAID = "nothing is said here"
PAUSE_S = 1.0
"""A silence this long ends an utterance that has no full stop."""
LONG_S, BREATH_S = 12.0, 0.25
"""An utterance longer than this, for a speech model may leave out full stops, is parted at its longest breath."""


class Speech:
    name = "speech"
    summary = "Read what is said in one or more intervals, aligned to the video clock."
    arguments = SpeechArguments

    def run(self, arguments: dict[str, Any], step: int, question: Question, workspace: Workspace) -> Result:
        asked = checked(SpeechArguments, arguments)
        kept, notices = guard([(a, b) for a, b in asked.intervals], workspace.video.facts.duration_s)
        observations: list[Observation] = []
        for interval in kept:
            workspace.index.hear(interval, workspace.control)  # it may still be on its way
            if (status := workspace.index.transcript.status) in SILENT:
                raise OperationRefused(f"there is nothing to listen to: {status}")
            said = spoken([interval], question, asked.focus, workspace)
            observations += said or [Observation(interval, Modality.SPEECH, NOTHING_SAID)]
        return Result(output=lines(observations), observations=tuple(observations), notices=tuple(notices))


def utterances(words: Sequence[Word]) -> list[list[Word]]:
    """Words grouped into sentences: cut after . ! ? and at silences of `PAUSE_S`; what is still long, by `LONG_S`."""
    groups: list[list[Word]] = []
    for word in words:
        last = groups[-1][-1] if groups else None
        if last is None or last.text.rstrip().endswith((".", "!", "?")) or word.start - last.end >= PAUSE_S:
            groups.append([])
        groups[-1].append(word)
    return [part for group in groups for part in _parted(group)]


def _parted(group: list[Word]) -> list[list[Word]]:
    if group[-1].end - group[0].start <= LONG_S:
        return [group]
    breath, at = max((after.start - before.end, n) for n, (before, after) in enumerate(pairwise(group), 1))
    return [group] if breath < BREATH_S else [*_parted(group[:at]), *_parted(group[at:])]


def heard_instead(
    failure: ModelFailed,
    intervals: Sequence[Interval],
    frames: tuple[Frame, ...],
    question: Question,
    focus: str,
    workspace: Workspace,
) -> Result:
    """What is said where a provider would not describe the pictures (a song or a known speech counts as recitation).

    Raises the failure when it is another one, or when nothing is said there.
    """  # fmt: skip
    if failure.kind not in BLOCKED:
        raise failure
    said = spoken(intervals, question, focus, workspace)
    if not said:
        raise failure
    told = f"the pictures were not described, what is said there was used instead: {failure}"
    return Result(
        output=f"{told}\n{lines(said)}",
        observations=said,
        frames=frames,
        calls=failure.receipts,
        notices=(Notice("heard-instead", told),),
    )


def spoken(
    intervals: Sequence[Interval], question: Question, focus: str, workspace: Workspace
) -> tuple[Observation, ...]:
    """One observation an utterance, from the words the index has by now."""
    return tuple(
        replace(observe(words, question, focus), examined=interval)
        for interval in intervals
        for words in utterances(workspace.index.words(interval))
    )


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
