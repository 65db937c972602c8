"""One run: its events, live or recorded, and how an agent's events are recorded as they come.

A finished run that is read back from disk looks the same. Knows no other run.
"""

from __future__ import annotations

import logging
import re
import secrets
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from vesta_ui import agents
from vesta_ui.control import Control
from vesta_ui.domain import Outcome, Question
from vesta_ui.errors import VestaError
from vesta_ui.events import Event, RunFinished, RunStarted
from vesta_ui.frames import FrameStore
from vesta_ui.runs import recorder
from vesta_ui.runs.session import History, Session, fold, reduce, until_step
from vesta_ui.settings import Settings
from vesta_ui.video import Video

log = logging.getLogger(__name__)

RUN_ID = re.compile(r"[0-9]{8}-[0-9]{6}-[0-9a-f]{6}")


class Run:
    """The events of one run, live or recorded. Thread-safe."""

    def __init__(self, run_id: str, folder: Path, video_path: Path | None = None, agent: str = "") -> None:
        self.id = run_id
        self.folder = folder
        self.video_path = video_path
        self.agent = agent
        self.control = Control()
        self.done = False
        self.events: list[Event] = []
        self.unknown: tuple[recorder.Unknown, ...] = ()
        self._session = Session()
        self._history: History | None = None
        self._changed = threading.Condition()

    def add(self, event: Event) -> None:
        with self._changed:
            self.events.append(event)
            self._session = reduce(self._session, event)
            self._changed.notify_all()

    def finish(self) -> None:
        with self._changed:
            self.done = True
            self._changed.notify_all()

    def session(self) -> Session:
        with self._changed:
            return self._session

    def at_step(self, step: int) -> Session:
        """The session as after step `step` (0: before the first decision). A run that has ended is folded once for all."""
        if not self.done:
            return fold(until_step(self.events, step))
        if self._history is None:
            self._history = History(self.events)
        return self._history.at(step)

    def events_from(self, seq: int, timeout: float) -> list[Event]:
        """Events from `seq` on, waiting up to `timeout` seconds for the first; [] when none came."""
        with self._changed:
            if len(self.events) <= seq and not self.done:
                self._changed.wait(timeout)
            return self.events[seq:]

    def join(self, timeout: float | None = None) -> bool:
        """Wait for the end; False on time-out."""
        with self._changed:
            return self._changed.wait_for(lambda: self.done, timeout)


def new_id() -> str:
    """Sorts by time; unguessable enough to serve as a link."""
    return f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(3)}"


def play(
    run: Run,
    video: Video,
    question: Question,
    settings: Settings,
    started: RunStarted | None = None,
    prefix: Sequence[Event] = (),
) -> Iterator[Event]:
    """Run the agent, record and keep every event, and pass it on. Ends the run also when the agent breaks.

    `started` and `prefix` are given for a forked or continued run (runs/fork.py).
    """
    started = started or RunStarted(
        run_id=run.id,
        agent=settings.agent,
        question=question,
        video=video.facts,
        roles=settings.public_roles(),
        settings=settings.public(),
    )
    book = recorder.Recorder(run.folder)
    frames = FrameStore(run.folder / recorder.FRAMES)
    began = time.monotonic()

    def keep(event: Event) -> Event:
        stamped = replace(event, seq=len(run.events), at=round(time.monotonic() - began, 3))
        book.record(stamped)
        run.add(stamped)
        return stamped

    try:
        for event in agents.run(started, video, settings, frames, run.control, prefix):
            yield keep(event)
    except VestaError as error:
        yield keep(RunFinished(outcome=Outcome.FAILED, answer=None, reason=str(error), failure=error.kind))
    except Exception as error:
        log.exception("run %s broke", run.id)
        reason = f"an internal error ended the run ({type(error).__name__}); the log has the details"
        yield keep(RunFinished(outcome=Outcome.FAILED, answer=None, reason=reason, failure="internal"))
    finally:
        book.close()
        video.close()
        run.finish()


def load(folder: Path) -> Run:
    """A recorded run, finished as far as its trace goes. Raises `BadTrace`."""
    trace = recorder.read(folder)
    run = Run(folder.name, folder)
    run.unknown = trace.unknown
    for event in trace.events:
        run.add(event)
    run.finish()
    return run
