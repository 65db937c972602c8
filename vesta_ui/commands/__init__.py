"""Shell commands over recorded runs and cases: `runs …`, `compare …`, `cases …`. Each is a module with `arguments(parser)`.

A command writes to standard output through `tell` and to standard error through `say`; the shell hands both in. With
`--json` it tells exactly one JSON value.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic_core import to_jsonable_python

from vesta_ui.control import Control
from vesta_ui.errors import BadInput, BadTrace
from vesta_ui.events import Event
from vesta_ui.runs import recorder
from vesta_ui.runs.registry import Runs
from vesta_ui.runs.run import RUN_ID, Run, load
from vesta_ui.settings import Settings

COMMANDS = {
    "runs": ("vesta_ui.commands.runs", "list, show, verify, fork, continue, export, import and prune recorded runs"),
    "compare": ("vesta_ui.commands.compare", "two to four runs side by side, or every agent on one question"),
    "cases": ("vesta_ui.commands.cases", "keep a question with its gold answer, runs, notes and labels"),
    "indexes": ("vesta_ui.commands.indexes", "list, show, search, redo, export, import and remove scene indexes"),
}
"""Name → (module, one line)."""
FAILURES = {"internal": 1, "bad_input": 2, "busy": 2, "storage": 2}
"""Exit codes of failed runs; every other failure is a provider's."""


@dataclass(frozen=True, slots=True)
class Shell:
    """Where a command's words go, and the settings it was called with."""

    tell: Callable[[str], None]
    say: Callable[[str], None]
    settings: Settings
    json: bool
    progress: Callable[[Event], None]
    """Says what an event of a run that goes on brings."""
    stoppable: Callable[[Control], Control]
    """Lets Ctrl-C stop a run."""

    @property
    def runs(self) -> Runs:
        return Runs(self.settings)

    def follow(self, run: Run) -> None:
        """Say how a run of this process goes on, until its end."""
        self.stoppable(run.control)
        told = 0
        while not run.done or told < len(run.events):
            for event in run.events_from(told, 0.2):
                self.progress(event)
                told += 1

    def give(self, value: Any, text: Callable[[], str]) -> None:
        """`value` as JSON, or the text for people."""
        self.tell(json.dumps(to_jsonable_python(value), ensure_ascii=False, indent=1) if self.json else text())


def exit_code(run: Run) -> int:
    """What a shell returns after a run: see `vesta_ui.__main__`."""
    finished = run.session().finished
    if finished is not None and finished.outcome == "failed":
        return FAILURES.get(finished.failure, 3)
    return 130 if finished is not None and finished.outcome == "stopped" else 0


Act = Callable[[argparse.Namespace, Shell], int]
"""What a subcommand does; returns the exit code."""


def subcommands(parser: argparse.ArgumentParser, name: str, about: str) -> Callable[..., argparse.ArgumentParser]:
    """`add(word, act, help)` makes a subcommand that takes the positional argument `name`, unless `named=False`."""
    commands = parser.add_subparsers(required=True, metavar="WHAT")

    def add(word: str, act: Act, help_text: str, *, named: bool = True) -> argparse.ArgumentParser:
        one: argparse.ArgumentParser = commands.add_parser(word, help=help_text, description=help_text)
        one.set_defaults(act=act)
        if named:
            one.add_argument(name, help=about)
        common(one)
        return one

    return add


def common(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print one JSON value")
    parser.add_argument("--data-dir", type=Path, help="where indexes and runs live (VESTA_DATA_DIR)")


def folder_of(name: str, shell: Shell) -> Path:
    """A run by id, by the end of its id, by "last", or by the path of its folder. Raises `BadTrace`."""
    root = shell.settings.data_dir / "runs"
    if RUN_ID.fullmatch(name) and (root / name).is_dir():
        return root / name
    if (Path(name) / recorder.EVENTS).is_file():
        return Path(name)
    names = [folder.name for folder in recorder.folders(root)]
    if name == "last" and names:
        return root / names[0]
    found = [one for one in names if len(name) >= 4 and (one.endswith(name) or one.startswith(name))]
    if len(found) > 1:
        raise BadTrace(f"“{name}” fits {len(found)} runs: write more of the id")
    if not found:
        raise BadTrace(f"there is no run “{name}”: `runs list` shows those there are")
    return root / found[0]


def run_of(name: str, shell: Shell) -> Run:
    return load(folder_of(name, shell))


def own_run(name: str, shell: Shell) -> str:
    """Id of a run of this data folder: a fork is written beside its parent. Raises `BadTrace`."""
    folder = folder_of(name, shell)
    if folder.parent.resolve() != shell.runs.root.resolve():
        raise BadTrace(f"{folder.name} is not in this data folder: `runs import` it first")
    return folder.name


def json_argument(text: str, what: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise BadInput(f"{what} is not JSON: {error}") from error


def table(rows: Sequence[Sequence[object]], head: Sequence[str] = ()) -> str:
    """Columns aligned by their widest cell; the last one runs free."""
    cells = [
        [("–" if cell is None else str(cell)).replace("\n", " ") for cell in row]
        for row in (*([head] if head else []), *rows)
    ]
    if not cells:
        return ""
    widths = [max(len(row[n]) for row in cells) for n in range(len(cells[0]) - 1)]
    return "\n".join(
        "  ".join([*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[-1]]).rstrip()
        for row in cells
    )
