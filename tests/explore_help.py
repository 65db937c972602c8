"""What the tests of the exploring agents share: a short video of coloured squares, runs of an agent, scripted replies."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from vesta_ui.bench import squares
from vesta_ui.bench.squares import Sample
from vesta_ui.domain import Question
from vesta_ui.events import Decided, Event, Observed, RunFinished
from vesta_ui.runs import run as runs
from vesta_ui.settings import Settings
from vesta_ui.video import open_video


def square(duration: int, cycle: int, nth: int = 0) -> Sample:
    return [s for s in squares.samples(0) if (s.duration_s, s.cycle_s) == (duration, cycle)][nth]


def play(agent: str, path: Path, question: Question, settings: Settings, folder: Path, **changes: Any) -> runs.Run:
    chosen = replace(settings, agent=agent, speech="off", **changes)
    one = runs.Run(runs.new_id(), folder / agent, path)
    for _ in runs.play(one, open_video(path), question, chosen):
        pass
    return one


def script(folder: Path, replies: list[Any]) -> str:
    """A reasoner that answers with these, in order."""
    path = folder / "script.json"
    path.write_text(json.dumps(replies))
    return f"scripted:{path}"


def look(first: float, last: float, thought: str = "closer", **seen: Any) -> dict[str, Any]:
    """A reply of the model: one observation, and the next range."""
    return {
        "observations": [sighting(**seen)] if seen else [],
        "thought": thought,
        "query": {"start_s": first, "end_s": last},
    }


def stop(**seen: Any) -> dict[str, Any]:
    return {"observations": [sighting(**seen)] if seen else [], "thought": "certain", "query": None}


def sighting(start: float, end: float, what: str = "a red square") -> dict[str, Any]:
    stance = {"label": "A", "supports": True, "weight": 0.8}
    return {"start_s": start, "end_s": end, "content": what, "stances": [stance]}


def answer(label: str = "A", evidence: list[str] | None = None) -> dict[str, Any]:
    return {"answer": label, "evidence": evidence or ["e1"], "confidence": 0.8, "why": "it was seen"}


def looked(events: list[Event]) -> list[Observed]:
    return [e for e in events if isinstance(e, Observed)]


def decided(events: list[Event]) -> list[Decided]:
    return [e for e in events if isinstance(e, Decided)]


def finished(one: runs.Run) -> RunFinished:
    end = one.events[-1]
    assert isinstance(end, RunFinished)
    return end
