"""Is a run folder whole and unchanged? Everything that is wrong with it, one sentence each. Writes nothing."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

from vesta_ui.errors import BadTrace
from vesta_ui.events import Decided, Event, Observed, Routed, RunStarted, StepStarted
from vesta_ui.runs import recorder
from vesta_ui.state import advance, digest, initial


def problems(folder: Path) -> list[str]:
    """Empty when the trace reads, is numbered without a gap, every recorded state is the fold of the events before it,
    and every frame is there with the content its name says. Raises nothing: an unreadable trace is a problem too."""
    try:
        trace = recorder.read(folder)
        if not trace.events:
            return ["the trace is empty"]
        facts = recorder.facts(folder)
    except BadTrace as error:
        return [str(error)]
    started = trace.events[0]
    assert isinstance(started, RunStarted)  # recorder.read has checked it
    found = []
    if trace.torn:
        found.append("the last line is torn: the run was killed while writing it")
    if facts.get("run_id") != started.run_id or facts.get("question", {}).get("text") != started.question.text:
        found.append(f"{recorder.FACTS} is not of this trace")
    if not trace.unknown:
        found += _numbering(trace.events)
        found += _states(started, trace.events)
    return [*found, *_frames(trace)]


def _numbering(events: tuple[Event, ...]) -> Iterator[str]:
    gap = next((n for n, event in enumerate(events) if event.seq not in (n, -1)), None)
    if gap is not None:
        yield f"event {gap} is numbered {events[gap].seq}: lines were removed, added or moved"


def _states(started: RunStarted, events: tuple[Event, ...]) -> Iterator[str]:
    state = initial(started)
    for event in events[1:]:
        if isinstance(event, StepStarted) and event.state_hash and digest(state) != event.state_hash:
            yield f"the state before step {event.step} is not the one recorded: an event before it was changed"
            return
        state = advance(state, event)


def _frames(trace: recorder.Trace) -> Iterator[str]:
    for sha256 in sorted(frames_of(trace.events)):
        path = trace.frame(sha256)
        if not path.is_file():
            yield f"the frame {sha256[:12]}… is missing"
        elif hashlib.sha256(path.read_bytes()).hexdigest() != sha256:
            yield f"the frame {sha256[:12]}… is not the picture it was"


def frames_of(events: tuple[Event, ...]) -> set[str]:
    """Content hashes of every frame that a trace names."""
    found: set[str] = set()
    for event in events:
        calls = event.calls if isinstance(event, Decided | Observed) else ()
        if isinstance(event, Routed) and event.call:
            calls = (event.call,)
        if isinstance(event, Observed):
            found |= {frame.sha256 for frame in event.frames}
            found |= {frame.sha256 for seen in event.observations for frame in seen.frames}
        found |= {frame.sha256 for call in calls for message in call.messages for frame in message.frames}
    return found
