"""Finding runs: a summary and the text of every run folder, kept in one SQLite file beside them so that thousands are quick.

The file is a cache: it is brought up to date from the folders at every look and can be deleted at any time. Reads traces
as plain JSON, because a list needs no events. Knows no screen and no live run.
"""

from __future__ import annotations

import json
import logging
import math
import os
import sqlite3
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from vesta_ui.errors import BadTrace
from vesta_ui.runs import recorder

log = logging.getLogger(__name__)

CACHE = ".catalog-1.sqlite"
"""Its number is raised when a summary holds something new."""
INTERRUPTED = "interrupted"
TOGETHER = 100
"""Folders read before they are kept. Nobody else waits meanwhile, so the newest are listed while old ones are read."""


@dataclass(frozen=True, slots=True)
class RunSummary:
    """One row of a list of runs. `outcome` is "interrupted" when the trace has no end, "running" while it is live.

    `failures`: kinds of failed steps, calls and of the run itself. `cost_usd` is None when a price is unknown.
    """

    id: str
    folder: Path
    question: str
    video: str
    agent: str
    outcome: str
    answer: str
    sha256: str = ""
    steps: int = 0
    seconds: float = 0.0
    tokens: int | None = 0
    cost_usd: float | None = 0.0
    failures: tuple[str, ...] = ()
    parent: str = ""
    fork_step: int | None = None
    fork_edit: str = ""
    reasoner: str = ""

    def shown(self) -> dict[str, Any]:
        """Everything but where it lies, for a page or a shell."""
        return {name: value for name, value in asdict(self).items() if name != "folder"}


@dataclass(frozen=True, slots=True)
class Query:
    """What runs are looked for; an empty field asks for nothing. `words` must all occur in question, thoughts,
    observations or answer; `video` is a sha256 or part of a name, `failure` a kind or part of one, in any writing; `ids` restricts to runs named elsewhere (a label)."""

    words: str = ""
    video: str = ""
    agent: str = ""
    outcome: str = ""
    failure: str = ""
    least_usd: float | None = None
    most_usd: float | None = None
    ids: frozenset[str] | None = None

    def fits(self, row: RunSummary) -> bool:
        """Everything but the words."""
        return (
            (not self.video or self.video == row.sha256 or self.video.casefold() in row.video.casefold())
            and (not self.agent or self.agent == row.agent)
            and (not self.outcome or self.outcome == row.outcome)
            and (not self.failure or any(_plain(self.failure) in _plain(kind) for kind in row.failures))
            and (self.least_usd is None or (row.cost_usd is not None and row.cost_usd >= self.least_usd))
            and (self.most_usd is None or (row.cost_usd is not None and row.cost_usd <= self.most_usd))
            and (self.ids is None or row.id in self.ids)
        )


def _plain(kind: str) -> str:
    """A kind of failure as it is compared: the page writes `rate_limit` as “rate limit”."""
    return kind.strip().casefold().replace("_", " ").replace("-", " ")


def family(rows: Sequence[RunSummary], only: str = "") -> list[tuple[RunSummary, int]]:
    """(run, depth) in tree order, newest tree first; `only`: the tree that run belongs to.

    A run whose parent is gone is a root, and so is one that claims a parent younger than itself.
    """
    known = {row.id: row for row in rows}
    parents = {row.id: row.parent if row.parent in known and row.parent < row.id else "" for row in rows}
    children: dict[str, list[RunSummary]] = {}
    for row in reversed(rows):
        children.setdefault(parents[row.id], []).append(row)

    def below(row: RunSummary, depth: int) -> list[tuple[RunSummary, int]]:
        return [(row, depth), *(found for child in children.get(row.id, []) for found in below(child, depth + 1))]

    root = only
    while parents.get(root):
        root = parents[root]
    roots = [known[root]] if root in known else list(reversed(children.get("", [])))
    return [found for one in roots for found in below(one, 0)]


class Catalog:
    """The runs under one folder. Thread-safe."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._lock = threading.Lock()
        self._base: sqlite3.Connection | None = None

    def rows(self, limit: int | None = None) -> list[RunSummary]:
        """Newest first; folders that cannot be read are left out. With `limit` only the newest are looked at."""
        return self.look(None, limit)[0]

    def find(self, query: Query, limit: int | None = None) -> list[RunSummary]:
        """Newest first."""
        return self.look(query, limit)[0]

    def look(
        self, query: Query | None, limit: int | None = None, within: float | None = None
    ) -> tuple[list[RunSummary], int]:
        """The runs that fit, newest first, and how many folders were not read yet.

        `within`: seconds after which no further new folder is read; the next look goes on from there.
        """
        names = self._names() if query else self._names()[:limit]
        known, left = self._update(names, within)
        words = query.words.casefold().split() if query else []
        hits = self._with_words(words) if words else None
        rows = (self._summary(name, known[name]) for name in names if name in known and (hits is None or name in hits))
        return [row for row in rows if row is not None and (query is None or query.fits(row))][:limit], left

    # -------------------------------------------------------------------------------------------- the cache
    def _names(self) -> list[str]:
        if not self.root.is_dir():
            return []
        with os.scandir(self.root) as found:
            names = (one.name for one in found if one.is_dir())
            return sorted((name for name in names if name.isascii() and not name.startswith(".")), reverse=True)

    def _update(self, names: Sequence[str], within: float | None) -> tuple[dict[str, str], int]:
        """Bring the cache up to date for these folders; their summaries as JSON ("" for what is no run), and how many
        were not read in time."""
        until = math.inf if within is None else time.monotonic() + within
        found: dict[str, str] = {}
        left = 0
        for first in range(0, len(names), TOGETHER):
            some = names[first : first + TOGETHER]
            known = self._kept(some[-1], some[0])
            changed = []
            for name in some:
                stamp = _stamp(self.root / name)
                had, summary = known.get(name, (None, ""))
                if had != stamp and time.monotonic() < until:
                    summary, text = _read(self.root / name) if stamp else ("", "")
                    changed.append((name, stamp, summary, text))
                elif had != stamp:
                    left += 1
                    if had is None:
                        continue
                found[name] = summary
            if changed:
                self._keep(changed)
        return found, left

    def _kept(self, oldest: str, newest: str) -> dict[str, tuple[str, str]]:
        """Name → (stamp, summary) of what is in the cache."""
        between = "SELECT id, stamp, summary FROM runs WHERE id BETWEEN ? AND ?"
        with self._lock:
            return {name: (stamp, summary) for name, stamp, summary in self._open().execute(between, (oldest, newest))}

    def _keep(self, changed: Sequence[tuple[str, str, str, str]]) -> None:
        with self._lock:
            try:
                _insert(self._open(), changed)
            except sqlite3.OperationalError as error:  # a read-only folder or another process writing
                log.info("the catalogue of runs is not saved from now on: %s", error)
                memory = sqlite3.connect(":memory:", check_same_thread=False)
                self._open().backup(memory)
                self._base = memory
                _insert(memory, changed)

    def _with_words(self, words: Sequence[str]) -> set[str]:
        where = " AND ".join("instr(text, ?) > 0" for _ in words)
        with self._lock:
            return {str(name) for (name,) in self._open().execute(f"SELECT id FROM runs WHERE {where}", list(words))}

    def _open(self) -> sqlite3.Connection:
        if self._base is None:
            self._base = _opened(self.root / CACHE) or _made(":memory:")
        return self._base

    def _summary(self, name: str, summary: str) -> RunSummary | None:
        if not summary:
            return None
        data = json.loads(summary)
        return RunSummary(folder=self.root / name, **(data | {"failures": tuple(data["failures"])}))


def _insert(base: sqlite3.Connection, changed: Sequence[tuple[str, str, str, str]]) -> None:
    with base:
        base.executemany("INSERT OR REPLACE INTO runs VALUES (?, ?, ?, ?)", changed)


def _opened(path: Path) -> sqlite3.Connection | None:
    """The cache file, made anew when it is damaged; None when there can be none."""
    for _ in range(2):
        try:
            return _made(path)
        except sqlite3.OperationalError:
            return None
        except sqlite3.DatabaseError:
            path.unlink(missing_ok=True)
    return None


def _made(path: Path | str) -> sqlite3.Connection:
    base = sqlite3.connect(path, timeout=5.0, check_same_thread=False)
    base.execute("PRAGMA synchronous = OFF")
    base.execute("CREATE TABLE IF NOT EXISTS runs (id TEXT PRIMARY KEY, stamp TEXT, summary TEXT, text TEXT)")
    return base


def _stamp(folder: Path) -> str:
    try:
        found = (folder / recorder.EVENTS).stat()
    except OSError:
        return ""
    return f"{found.st_size}:{found.st_mtime_ns}"


def _read(folder: Path) -> tuple[str, str]:
    """Summary as JSON and the text to search, from the trace alone; ("", "") for what cannot be read."""
    try:
        events = list(_lines(folder))
        return _summarised(folder.name, events)
    except (BadTrace, OSError, LookupError, TypeError, ValueError, AttributeError) as error:
        log.warning("the run folder %s cannot be read: %s", folder.name, error)
        return "", ""


def _lines(folder: Path) -> Iterator[dict[str, Any]]:
    lines = (folder / recorder.EVENTS).read_text(encoding="utf-8", errors="replace").removesuffix("\n").split("\n")
    for number, line in enumerate(lines):
        try:
            yield recorder.lifted(line, number)[1]
        except BadTrace:
            if number < len(lines) - 1:
                raise


def _summarised(run_id: str, events: Sequence[dict[str, Any]]) -> tuple[str, str]:
    started, last = events[0], events[-1]
    finished = last if last.get("kind") == "run_finished" else None
    calls = [call for event in events for call in [*(event.get("calls") or ()), event.get("call")] if call]
    failures = [call["failure"] for call in calls] + [
        event.get("error_kind") or event.get("failure") for event in events
    ]
    answer = (finished or {}).get("answer")
    usage = [call["usage"] for call in calls]
    row = RunSummary(
        id=run_id,
        folder=Path(),
        question=started["question"]["text"],
        video=started["video"]["name"],
        agent=started["agent"],
        outcome=finished["outcome"] if finished else INTERRUPTED,
        answer=(answer and (f"{answer['label']}. {answer['text']}" if answer["label"] else answer["text"])) or "",
        sha256=started["video"]["sha256"],
        steps=sum(event.get("kind") == "step_started" for event in events),
        seconds=last.get("at", 0.0),
        tokens=_sum(one[name] for one in usage for name in ("input_tokens", "output_tokens")),
        cost_usd=_sum(one["cost_usd"] for one in usage),
        failures=tuple(dict.fromkeys(str(kind) for kind in failures if kind)),
        parent=started.get("parent", ""),
        fork_step=started.get("fork_step"),
        fork_edit=started.get("fork_edit", ""),
        reasoner=started.get("roles", {}).get("reasoner", ""),
    )
    kept = {name: value for name, value in asdict(row).items() if name != "folder"}
    return json.dumps(kept, ensure_ascii=False), "\n".join(dict.fromkeys(_said(events))).casefold()


def _said(events: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Question, choices, thoughts, what was asked, observations and answer."""
    for event in events:
        match event.get("kind"):
            case "run_started":
                yield event["question"]["text"]
                yield from (choice["text"] for choice in event["question"]["choices"])
            case "decided":
                yield event["action"].get("thought", "")
                yield from (value for value in event["action"]["arguments"].values() if isinstance(value, str))
            case "observed":
                yield event.get("error") or ""
                if not event["observations"]:
                    yield event.get("output") or ""
                for seen in event["observations"]:
                    yield seen["content"]
                    yield seen.get("text") or ""
            case "run_finished":
                yield event.get("reason") or ""
                yield (event.get("answer") or {}).get("text", "")


def _sum(values: Iterator[Any]) -> Any:
    """None as soon as one value is not known."""
    found = list(values)
    return None if any(value is None for value in found) else sum(found)
