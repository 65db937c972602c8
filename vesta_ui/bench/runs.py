"""Many runs and long ones: how fast a folder of thousands lists and is searched, and a run of thousands of events opens.

Makes its own runs in a folder that is removed afterwards; what is listed is real trace files, each of `--steps` steps.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from vesta_ui.bench import Tell
from vesta_ui.domain import (
    Action,
    Answer,
    Choice,
    Entry,
    Interval,
    Modality,
    Observation,
    Outcome,
    Question,
    Reference,
    VideoFacts,
)
from vesta_ui.events import Decided, Event, LedgerUpdated, Observed, Retrieved, RunFinished, RunStarted, StepStarted
from vesta_ui.runs import recorder
from vesta_ui.runs.catalog import Catalog, Query
from vesta_ui.runs.run import load
from vesta_ui.runs.session import History

PLACES = ["harbour", "bridge", "market", "tower", "forest", "station", "museum", "garden"]
LIST_S, SEARCH_S, OPEN_S = 1.0, 2.0, 1.0
"""What is asked of it: seconds."""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--runs", type=int, default=5_000)
    parser.add_argument("--steps", type=int, default=12, help="steps of each listed run (default 12)")
    parser.add_argument("--events", type=int, default=2_000, help="events of the long run (default 2,000)")


def run(chosen: argparse.Namespace, tell: Tell) -> int:
    """Exit code 1 when a target is missed."""
    with tempfile.TemporaryDirectory(prefix="vesta-bench-") as folder:
        root = Path(folder)
        found = {**_many(root / "runs", chosen.runs, chosen.steps, tell), **_long(root / "long", chosen.events)}
    missed = []
    for name, (seconds, target) in found.items():
        tell(f"{name:<44} {seconds:8.3f} s" + (f"   target {target:g} s" if target else ""))
        if target and seconds > target:
            missed.append(name)
    tell("every target met" if not missed else f"missed: {', '.join(missed)}")
    return 1 if missed else 0


def _many(root: Path, count: int, steps: int, tell: Tell) -> dict[str, tuple[float, float]]:
    for n in range(count):
        _record(root / f"20260101-{n // 3600:02d}{n // 60 % 60:02d}{n % 60:02d}-{n:06x}", made(f"run {n}", steps, n))
    size = sum(path.stat().st_size for path in root.glob("*/events.jsonl"))
    tell(f"{count} runs of {steps} steps, {size / 1e6:.0f} MB of traces")
    found = {
        "newest 100 of a folder never seen before": (_timed(lambda: Catalog(root).rows(100)), LIST_S),
        "first look at every run (once)": (_timed(lambda: Catalog(root).rows()), 0.0),
        "list every run": (_timed(lambda: Catalog(root).rows()), LIST_S),
    }
    catalog = Catalog(root)
    for words in ("harbour", "nothing like it", "sign seven harbour"):
        found[f"search “{words}”"] = (_timed(lambda words=words: catalog.find(Query(words=words))), SEARCH_S)  # type: ignore[misc]
    found["search by outcome and agent"] = (
        _timed(lambda: catalog.find(Query(outcome="answered", agent="vesta"))),
        SEARCH_S,
    )
    return found


def _long(folder: Path, events: int) -> dict[str, tuple[float, float]]:
    _record(folder, made("long", events // 4, 1))
    opened = _timed(lambda: load(folder).session())
    history = History(load(folder).events)
    last = history.last
    jumps = [_timed(lambda k=k: history.at(k)) for k in (last // 2, 1, last, last // 3, last - 1, 0)]  # type: ignore[misc]
    strides = [_timed(lambda k=k: history.at(k)) for k in range(last // 2, min(last, last // 2 + 100))]  # type: ignore[misc]
    return {
        f"open a run of {events} events": (opened, OPEN_S),
        "jump to any step (worst)": (max(jumps), 0.1),
        "one step on (median)": (statistics.median(strides), 0.02),
    }


def _timed(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def _record(folder: Path, events: list[Event]) -> None:
    book = recorder.Recorder(folder)
    for event in events:
        book.record(event)
    book.close()


def made(run_id: str, steps: int, seed: int) -> list[Event]:
    """A run of so many steps with an observation each, about 4 events a step."""
    place = PLACES[seed % len(PLACES)]
    question = Question(f"What is written on the sign at the {place}?", (Choice("A", "seven"), Choice("B", "nine")))
    video = VideoFacts(f"{seed % 40:064x}", f"walk {seed % 40}.mp4", 3600.0, 1280, 720, 25.0, True, "h264")
    events: list[Event] = [
        RunStarted(run_id=run_id, agent="vesta", question=question, video=video, roles={}, settings={}),
        Retrieved(step=0, policy="focused", queries=(question.text,), relevance=(0.5,) * 60,
                  references=tuple(Reference(f"r{k}", f"s{k}", 60.0 * k, 60.0 * k + 20, 0.5, place) for k in range(6))),
    ]  # fmt: skip
    for n in range(1, steps + 1):
        start = (37.0 * n + seed) % 3500
        arguments = {"intervals": [[start, start + 8]], "focus": place}
        text = (
            f"step {n}: a {place} with a sign that reads {'seven' if n % 3 else 'nine'}, people walking and a red boat"
        )
        seen = Observation(Interval(start, start + 8), Modality.PICTURE, text, n % 5 == 0, 0.7)
        events += [
            StepStarted(step=n, budget=steps, snapshot=None),
            Decided(
                step=n, action=Action("inspect", arguments, f"the {place} was not looked at yet"), source="embedded"
            ),
            Observed(step=n, operation="inspect", arguments=arguments, observations=(seen,), output=text * 3),
            LedgerUpdated(step=n, entries=(Entry(f"e{n}", "inspect", n, place, seen),)),
        ]
    return [*events, RunFinished(outcome=Outcome.ANSWERED, answer=Answer("A", "seven", 0.8))]
