"""The engines' score on the sample videos: every question asked afresh, answers and evidence against the gold.

`python -m vesta_ui bench samples [--sample NAME]` with the roles of the settings (embedded unless set otherwise). An
answer hits when one of its pieces of evidence overlaps a gold interval. The index is built before the clock starts.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from vesta_ui import samples, scene_index
from vesta_ui.bench import Tell
from vesta_ui.bench.outcomes import Row, row
from vesta_ui.control import Control
from vesta_ui.domain import Interval, Question
from vesta_ui.question import parse_question
from vesta_ui.runs import run as runs
from vesta_ui.runs.report import as_json
from vesta_ui.samples import Sample
from vesta_ui.settings import Settings, from_environment
from vesta_ui.video import open_video


@dataclass(frozen=True, slots=True)
class Line:
    """One question's outcome. `seconds` from asking to the answer; `hit`: the evidence touches a gold interval."""

    sample: str
    id: str
    policy: str
    needs: str
    routed: str
    gold: str
    answer: str
    right: bool
    confidence: float
    hit: bool
    steps: int
    seconds: float


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--sample", action="append", default=[], metavar="NAME", help="only this sample; repeat it")
    parser.add_argument("--question", metavar="ID", help="only this question, with every step told")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--data-dir", type=Path, help="where indexes live (VESTA_DATA_DIR)")


def run(chosen: argparse.Namespace, tell: Tell) -> int:
    settings = from_environment(data_dir=chosen.data_dir)
    wanted = [samples.find(name) for name in chosen.sample] or list(samples.load())
    lines: list[Line] = []
    with tempfile.TemporaryDirectory() as folder:
        for sample in wanted:
            index(sample, settings)
            for question in sample.questions:
                if chosen.question in (None, question["id"]):
                    line, data = ask(sample, question, settings, Path(folder))
                    lines.append(line)
                    if not chosen.json:
                        tell(_row(line))
                    if chosen.question:
                        _steps(data, tell)
    if chosen.json:
        tell(json.dumps({"lines": [asdict(line) for line in lines], "totals": _totals(lines)}, indent=1))
    else:
        for total in _totals(lines):
            tell(
                "{sample}: {right}/{asked} right, {hits}/{asked} with evidence at a gold time, {seconds:.1f} s a question".format(
                    **total
                )
            )
    return 0


def ask(sample: Sample, question: dict[str, Any], settings: Settings, folder: Path) -> tuple[Line, dict[str, Any]]:
    """Ask one question of a sample; the run's trace goes to `folder`. Returns its line and the whole report."""
    one = played(sample, question, settings, folder)
    found = scored("", sample, question, one)
    return Line(
        sample.name, question["id"], question["policy"], question.get("needs", ""), found.policy, question["gold"],
        found.answer, bool(found.right), found.confidence, bool(found.hit), found.steps, found.seconds,
    ), as_json(one.session(), one.folder)  # fmt: skip


def scored(configuration: str, sample: Sample, question: dict[str, Any], one: runs.Run) -> Row:
    """A run on a question of a sample against its gold answer and intervals."""
    spans = [Interval(*span) for span in question.get("gold_intervals", [])]
    return row(configuration, sample.name, question["id"], asked(question), question["gold"], spans, one)


def asked(question: dict[str, Any]) -> Question:
    return parse_question(question["question"], question.get("choices", []))


def played(sample: Sample, question: dict[str, Any], settings: Settings, folder: Path) -> runs.Run:
    """A finished run on one question of a sample, its trace under `folder`."""
    run_id = runs.new_id()
    one = runs.Run(run_id, folder / run_id, sample.path)
    for _ in runs.play(one, open_video(sample.path), asked(question), settings):
        pass
    return one


def index(sample: Sample, settings: Settings) -> None:
    for _ in scene_index.build(sample.path, settings, Control()):
        pass


def _row(line: Line) -> str:
    mark = "right" if line.right else f"WRONG (gold {line.gold})"
    hit = "hit" if line.hit else "no hit"
    return f"{line.id:14} {line.needs:8} {line.routed:12} {line.answer[:20]:3} {mark:16} {line.confidence:.2f} {hit:6} {line.steps:2} steps {line.seconds:5.1f} s"


def _steps(data: dict[str, Any], tell: Tell) -> None:
    for step in data["steps"]:
        tell(f"{step['n']}. {step['operation']} {json.dumps(step['arguments'], ensure_ascii=False)}")
        tell(f"   {step['thought']}" if step.get("thought") else "")
        tell(f"   {step['observation'] or step['error']}")


def _totals(lines: list[Line]) -> list[dict[str, Any]]:
    totals = []
    for name in dict.fromkeys(line.sample for line in lines):
        own = [line for line in lines if line.sample == name]
        totals.append(
            {
                "sample": name,
                "asked": len(own),
                "right": sum(line.right for line in own),
                "hits": sum(line.hit for line in own),
                "seconds": sum(line.seconds for line in own) / len(own),
            }
        )
    return totals
