"""The runs of one data folder. A run owns a thread; a page only attaches to it by id.

Closing a tab or reloading neither stops nor doubles a run.
"""

from __future__ import annotations

import logging
import shutil
import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from vesta_ui import agents
from vesta_ui.domain import Question
from vesta_ui.errors import BadInput, BadTrace, Busy, VestaError
from vesta_ui.events import Event, RunStarted
from vesta_ui.runs import fork as forks
from vesta_ui.runs.catalog import Catalog, Query, RunSummary
from vesta_ui.runs.run import RUN_ID, Run, load, new_id, play
from vesta_ui.settings import Settings
from vesta_ui.video import Video, open_video

log = logging.getLogger(__name__)

KEPT = 16
"""Recorded runs held in memory after they were read."""
AT_ONCE = 2
"""Runs of comparisons that go on at the same time, however many comparisons were asked for."""


class Runs:
    """The runs of one data folder: live ones in threads, recorded ones read when asked for."""

    def __init__(self, settings: Settings) -> None:
        self.root = settings.data_dir / "runs"
        self.catalog = Catalog(self.root)
        self._live: dict[str, Run] = {}
        self._read: dict[str, Run] = {}
        self._lock = threading.Lock()
        self._places = threading.Semaphore(AT_ONCE)

    def start(self, path: Path, question: Question, settings: Settings) -> Run:
        """Open the video and start a run in its own thread. Raises `BadVideo`, `BadSpec` or `ModelFailed`."""
        agents.check(settings)
        return self._launch(self._new(path), open_video(path), question, settings)

    def start_all(self, path: Path, question: Question, each: Sequence[Settings], at_once: int = AT_ONCE) -> list[Run]:
        """One run per settings on the same question; at most `at_once` of them and `AT_ONCE` of all comparisons go on at a
        time, all can be attached to at once.

        Raises `BadVideo` or `BadSpec`.
        """
        open_video(path).close()
        for settings in each:
            agents.check(settings)
        waiting = []
        for settings in each:
            run = self._new(path, settings.agent)
            waiting.append((run, settings))
            with self._lock:
                self._live[run.id] = run

        def turn() -> bool:
            with self._lock:
                if not left:
                    return False
                run, settings = left.pop(0)
            if run.control.stopped:  # before its turn: there is nothing to record
                run.finish()
                return True
            try:
                for _ in play(run, open_video(path), question, settings):
                    pass
            except VestaError as error:  # the file vanished while the run waited
                log.warning("run %s could not start: %s", run.id, error)
                run.finish()
            return True

        def work() -> None:
            more = True
            while more:
                with self._places:
                    more = turn()

        left = list(waiting)
        for n in range(min(at_once, len(waiting))):
            threading.Thread(target=work, name=f"board {n}", daemon=True).start()
        return [run for run, _ in waiting]

    def fork(self, parent_id: str, edit: forks.Edit, path: Path, settings: Settings) -> Run:
        """A child of a run with one thing changed; the parent stays untouched.

        `path` must be the parent's video. Raises `BadInput`, `BadTrace` or `BadVideo`.
        """
        agents.check(settings)
        events = list(self.get(parent_id).events)
        taken_over = forks.prefix(events, edit)
        parent = events[0]
        assert isinstance(parent, RunStarted)  # forks.prefix has checked it
        if edit.policy is not None:
            settings = replace(settings, policy=edit.policy.value)
        run = self._new(path)
        started = forks.started(parent, run.id, edit, settings)
        if edit.action is not None:
            forks.check_action(edit.action, started, settings)
        video = open_video(path)
        if video.facts.sha256 != parent.video.sha256:
            video.close()
            raise BadInput(f"{path.name} is not the video of that run: choose the file it was asked about")
        forks.copy_frames(self.root / parent_id, run.folder)
        if edit.action is not None:
            run.control.act_by_hand(edit.action)
        if edit.by_hand:
            run.control.pause()
        return self._launch(run, video, started.question, settings, started, taken_over)

    def resume(self, run_id: str, path: Path, settings: Settings) -> Run:
        """Go on with an interrupted run after its last whole step, as its child."""
        return self.fork(run_id, forks.Edit(forks.first_open_step(self.get(run_id).events)), path, settings)

    def _new(self, path: Path, agent: str = "") -> Run:
        run_id = new_id()
        return Run(run_id, self.root / run_id, path, agent)

    def _launch(
        self,
        run: Run,
        video: Video,
        question: Question,
        settings: Settings,
        started: RunStarted | None = None,
        taken_over: Sequence[Event] = (),
    ) -> Run:
        with self._lock:
            self._live[run.id] = run

        def work() -> None:
            for _ in play(run, video, question, settings, started, taken_over):
                pass

        threading.Thread(target=work, name=f"run {run.id}", daemon=True).start()
        return run

    def get(self, run_id: str) -> Run:
        """A live or recorded run. Raises `BadTrace` when there is none of that id."""
        if not RUN_ID.fullmatch(run_id):
            raise BadTrace("that is not a run id: open a run from the list of runs")
        with self._lock:
            if run_id in self._live:
                return self._live[run_id]
            if (kept := self._read.get(run_id)) is not None and kept.folder.is_dir():
                return kept
        run = load(self.root / run_id)
        if run.session().finished is not None:  # an interrupted one may be going on in another process
            with self._lock:
                self._read[run_id] = run
                while len(self._read) > KEPT:
                    del self._read[next(iter(self._read))]
        return run

    def adopt(self, run: Run) -> None:
        """Show a run that somebody else feeds with events, as if it had been started here."""
        with self._lock:
            self._live[run.id] = run

    def live(self) -> tuple[Run, ...]:
        """Runs of this process that have not ended."""
        with self._lock:
            return tuple(run for run in self._live.values() if not run.done)

    def list(self, query: Query | None = None, limit: int | None = None) -> tuple[RunSummary, ...]:
        """Newest first; folders that cannot be read are left out. Without a query and with a limit it is always quick."""
        return self.look(query, limit)[0]

    def look(
        self, query: Query | None, limit: int | None, within: float | None = None
    ) -> tuple[tuple[RunSummary, ...], int]:
        """`list` that spends about `within` seconds on folders never read before, and how many of them are left."""
        rows, left = self.catalog.look(query, limit, within)
        live = {run.id for run in self.live()}
        return tuple(replace(row, outcome="running") if row.id in live else row for row in rows), left

    def delete(self, run_id: str) -> None:
        """Remove a recorded run with everything in its folder. Raises `BadTrace` for an unknown one, `Busy` for a live one."""
        run = self.get(run_id)
        if not run.done:
            raise Busy("this run goes on: stop it before deleting it")
        with self._lock:
            self._live.pop(run_id, None)
            self._read.pop(run_id, None)
        shutil.rmtree(run.folder)
