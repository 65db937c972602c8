"""The sample videos that come with the app, with their questions and gold answers."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vesta_ui.errors import BadInput

FOLDER = Path(__file__).resolve().parents[1] / "assets" / "samples"


@dataclass(frozen=True, slots=True)
class Sample:
    """`questions` as in the file: question, choices, policy, gold (a label), gold_intervals in seconds, preset."""

    name: str
    title: str
    topic: str
    path: Path
    questions: tuple[dict[str, Any], ...]

    @property
    def presets(self) -> tuple[dict[str, Any], ...]:
        """The questions offered as buttons, one a policy."""
        return tuple(q for q in self.questions if q.get("preset"))


def load() -> tuple[Sample, ...]:
    """Every sample whose video is there; the ones with presets first, then by title."""
    found = []
    for file in sorted(FOLDER.glob("*.json")):
        data = json.loads(file.read_text("utf-8"))
        if not isinstance(data, dict) or not (FOLDER / str(data.get("video", ""))).is_file():
            continue
        found.append(
            Sample(file.stem, data["title"], data.get("topic", ""), FOLDER / data["video"], tuple(data["questions"]))
        )
    return tuple(sorted(found, key=lambda s: (not s.presets, s.name != "pier_to_peak", s.title)))


def find(name: str) -> Sample:
    """Raises `BadInput` when there is no such sample."""
    for sample in load():
        if sample.name == name:
            return sample
    raise BadInput("this sample is not there: choose another one or open a video by its path")


def recorded() -> Path | None:
    """The folder of the recorded run that comes with the samples, or None."""
    return next((p for p in sorted((FOLDER / "recorded").glob("*")) if (p / "events.jsonl").is_file()), None)


def keep_recorded(runs: Path) -> str:
    """Copy the recorded run into a folder of runs, once; returns its id, or "" when there is none."""
    source = recorded()
    if source is None:
        return ""
    target = runs / source.name
    if not target.is_dir():
        partial = runs / f".{source.name}.partial"
        shutil.copytree(source, partial, dirs_exist_ok=True)
        partial.replace(target)
    return source.name
