"""Run folders: written a line an event, readable after any crash, portable without key, model or video.

runs/<run id>/
    run.json         what was asked of what and where: question, video facts, roles, settings, versions, machine
    events.jsonl     one event a line, {"schema": 1, "kind": …}; complete up to the last flushed line
    frames/<sha256>.jpg

Older schemas are lifted line by line when read; what a newer version wrote and this one does not know is kept raw.
"""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as metadata_version
from io import TextIOWrapper
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from vesta_ui import __version__, files
from vesta_ui.errors import BadTrace
from vesta_ui.events import EVENT, SCHEMA, Event, RunStarted

EVENTS = "events.jsonl"
FACTS = "run.json"
FRAMES = "frames"
PACKAGES = (
    "av",
    "chromadb",
    "faster-whisper",
    "google-genai",
    "onnxruntime",
    "openai",
    "opencv-python",
    "rapidocr",
    "scenedetect",
)

Migration = Callable[[dict[str, Any]], dict[str, Any]]
MIGRATIONS: dict[int, Migration] = {}
"""Schema n → what turns one event of it (without its "schema") into one of schema n + 1. Empty: 1 is the first."""
_KINDS = frozenset(
    variant["properties"]["kind"]["const"]
    for variant in EVENT.json_schema()["$defs"].values()
    if "const" in variant.get("properties", {}).get("kind", {})
)


class Recorder:
    """Appends events to a new run folder. Raises `StorageFailed` when it cannot be written."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._lines: TextIOWrapper | None = None

    def record(self, event: Event) -> None:
        """Write and flush one line; the first event also writes run.json."""
        try:
            if self._lines is None:
                self.folder.mkdir(parents=True, exist_ok=True)
                self._lines = (self.folder / EVENTS).open("a", encoding="utf-8")
            if isinstance(event, RunStarted):
                _write_facts(self.folder, event)
            self._lines.write(line_of(event) + "\n")
            self._lines.flush()
        except OSError as error:
            raise files.storage_failed(self.folder, error) from error

    def close(self) -> None:
        if self._lines is not None:
            self._lines.close()
            self._lines = None


def line_of(event: Event) -> str:
    return json.dumps({"schema": SCHEMA, **EVENT.dump_python(event, mode="json")}, ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class Unknown:
    """A line that a newer version wrote and this one cannot read: shown as it stands, never folded."""

    line: int
    """0-based position in the trace."""
    schema: int
    kind: str
    raw: dict[str, Any]


def lifted(line: str, number: int = 0) -> tuple[int, dict[str, Any]]:
    """The schema a line was written in, and its event as plain JSON in this version's terms. Raises `BadTrace`."""
    try:
        data = json.loads(line)
    except json.JSONDecodeError as error:
        raise BadTrace(f"a line of the trace is not JSON: {error}") from error
    schema = data.pop("schema", None) if isinstance(data, dict) else None
    if not isinstance(schema, int):
        raise BadTrace(f"line {number + 1} of the trace does not say its schema: it is no event of a run")
    for older in range(schema, SCHEMA):
        if older not in MIGRATIONS:
            raise BadTrace(
                f"this trace has schema {schema}, which this version cannot read: use the release it is from"
            )
        data = MIGRATIONS[older](data)
    return schema, data


def event_of(line: str, number: int = 0) -> Event | Unknown:
    """One event from its line. Raises `BadTrace` naming what is wrong."""
    schema, data = lifted(line, number)
    kind = str(data.get("kind"))
    if kind not in _KINDS:
        return Unknown(number, schema, kind, data)
    try:
        return EVENT.validate_python(data)
    except ValidationError as error:
        if schema > SCHEMA:
            return Unknown(number, schema, kind, data)
        first = error.errors()[0]
        raise BadTrace(
            f"an event of the trace cannot be read: {first['msg']} at {'.'.join(map(str, first['loc']))}"
        ) from error


@dataclass(frozen=True, slots=True)
class Trace:
    """A recorded run. `torn`: the last line was cut by a crash and is left out. `unknown`: what a newer version wrote."""

    folder: Path
    events: tuple[Event, ...]
    torn: bool = False
    unknown: tuple[Unknown, ...] = ()

    def frame(self, sha256: str) -> Path:
        return self.folder / FRAMES / f"{sha256}.jpg"


def read(folder: Path) -> Trace:
    """The trace in a run folder. A torn last line is left out. Raises `BadTrace`."""
    path = folder / EVENTS
    if not path.is_file():
        raise BadTrace(f"“{folder.name}” is no run folder: it has no {EVENTS}")
    text = path.read_text(encoding="utf-8", errors="replace")
    lines = text.removesuffix("\n").split("\n")  # not splitlines: text from outside may hold other line separators
    events: list[Event] = []
    unknown: list[Unknown] = []
    torn = False
    for number, line in enumerate(lines):
        try:
            one = event_of(line, number)
        except BadTrace:
            torn = number == len(lines) - 1
            if not torn:
                raise
        else:
            unknown.append(one) if isinstance(one, Unknown) else events.append(one)
    if not torn and (not events or not isinstance(events[0], RunStarted)):
        raise BadTrace(f"“{folder.name}” does not start with a run_started event")
    return Trace(folder, tuple(events), torn, tuple(unknown))


def facts(folder: Path) -> dict[str, Any]:
    """run.json of a run folder. Raises `BadTrace`."""
    try:
        read: dict[str, Any] = json.loads((folder / FACTS).read_text(encoding="utf-8"))
    except (OSError, json.JSONDecodeError) as error:
        raise BadTrace(f"“{folder.name}” has no readable {FACTS}") from error
    return read


def folders(root: Path) -> Iterator[Path]:
    """Run folders under `root`, newest first (their names sort by time)."""
    if root.is_dir():
        yield from (p for p in sorted(root.iterdir(), reverse=True) if (p / EVENTS).is_file())


def _write_facts(folder: Path, started: RunStarted) -> None:
    data = EVENT.dump_python(started, mode="json") | {
        "schema": SCHEMA,
        "version": __version__,
        "python": platform.python_version(),
        "system": platform.system(),
        "machine": platform.machine(),
        "cpus": os.cpu_count(),
        "packages": _packages(),
        "started_at": datetime.now(UTC).isoformat(timespec="seconds"),
    }
    files.write(folder / FACTS, json.dumps(data, ensure_ascii=False, indent=1))


@cache
def _packages() -> dict[str, str]:
    """Versions of what decides a result; packages that are not installed are left out."""
    found = {}
    for name in PACKAGES:
        with suppress(PackageNotFoundError):
            found[name] = metadata_version(name)
    return found
