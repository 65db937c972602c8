"""Long work in a thread, told as progress events. A stop is heard within a second even if the work is deep in a library."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Generator
from typing import Any, TypeVar

from vesta_ui.control import Control
from vesta_ui.events import IndexProgress

T = TypeVar("T")
TICK_S = 0.1
PATIENCE_S = 0.6
"""How long a stopped piece of work may take to end by itself before it is left behind; it writes nothing whole then."""


def watched(
    phase: str, work: Callable[[Callable[[float, float], None], Control], T], control: Control, unit: str = "s"
) -> Generator[IndexProgress, None, T]:
    """Run `work(progress, control)` in a thread; yields what it reports, returns what it returns, raises what it raises.

    `progress(done, total)` may be called from the thread at any rate. Dropping the generator stops the work.
    """
    reports: queue.SimpleQueue[tuple[float, float]] = queue.SimpleQueue()
    inner = Control(within=control)
    unhook = control.on_stop(inner.stop)
    result: dict[str, Any] = {}

    def run() -> None:
        try:
            result["value"] = work(lambda done, total: reports.put((done, total)), inner)
        except BaseException as error:
            result["error"] = error

    begun = time.monotonic()
    thread = threading.Thread(target=run, name=f"vesta-{phase}", daemon=True)
    thread.start()
    yield IndexProgress(phase=phase, done=0, total=0, unit=unit)
    try:
        while thread.is_alive():
            thread.join(TICK_S)
            if control.stopped:
                thread.join(PATIENCE_S)
                break
            if latest := _latest(reports):
                yield _event(phase, *latest, unit, time.monotonic() - begun)
    finally:
        inner.stop()
        unhook()
    control.check()
    if "error" in result:
        raise result["error"]
    if latest := _latest(reports):
        yield _event(phase, *latest, unit, time.monotonic() - begun)
    value: T = result["value"]
    return value


def _latest(reports: queue.SimpleQueue[tuple[float, float]]) -> tuple[float, float] | None:
    latest = None
    while not reports.empty():
        latest = reports.get()
    return latest


def _event(phase: str, done: float, total: float, unit: str, seconds: float) -> IndexProgress:
    eta = seconds / done * (total - done) if done > 0 and seconds > 1 else None
    return IndexProgress(phase=phase, done=done, total=total, unit=unit, seconds=seconds, eta_s=eta)
