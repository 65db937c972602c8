"""What a browser tab holds on a run: a stream of panel values, at most ten updates a second, only of what changed.

Server-sent events, which a browser ends in silence when its page is left and takes up again after a broken line. The run
itself never notices. Knows no gradio and no request.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor

from vesta_ui.runs.run import Run
from vesta_ui.ui import view

PACE_S = 0.1
WAIT_S = 2.0
QUIET_S = 15.0
"""After so long without news a comment is sent, so that a line that was cut is noticed."""
END = "event: end\ndata:\n\n"
"""The last message: nothing more will come, do not connect again."""

_waiting = ThreadPoolExecutor(max_workers=64, thread_name_prefix="attach")


def being(run: Run) -> view.Being:
    """What the run is about now, as its control and its thread tell."""
    if run.done:
        return view.Being.OVER
    if run.control.stopped:
        return view.Being.STOPPING
    if run.control.held:
        return view.Being.HELD
    return view.Being.PAUSING if run.control.paused else view.Being.GOING


def shown(run: Run) -> dict[str, str]:
    """Every panel of a run as it is now, as JSON text."""
    now = being(run)  # before the session: a run that ends in between is told once more, not called interrupted
    values = view.views(run.session(), run.id, now, run.control.waiting)
    return {name: json.dumps(value) for name, value in values.items()}


def message(panels: dict[str, str]) -> str:
    """One message of the stream: panel name → value, the values given as JSON text."""
    return "data: {" + ",".join(f'"{name}":{value}' for name, value in panels.items()) + "}\n\n"


async def stream(run: Run) -> AsyncIterator[str]:
    """Messages: first every panel of the run, then those that changed. Ends with the run."""
    sent: dict[str, str] = {}
    spoke = time.monotonic()
    loop = asyncio.get_running_loop()
    while True:
        began = time.monotonic()
        seq, last, steering = len(run.events), run.done, _steering(run)
        values = await loop.run_in_executor(_waiting, shown, run)
        changed = {name: value for name, value in values.items() if sent.get(name) != value}
        sent = values
        if changed or began - spoke > QUIET_S:
            spoke = began
            yield message(changed) if changed else ":\n\n"
        if last:
            yield END
            return
        await asyncio.sleep(max(0.0, PACE_S - (time.monotonic() - began)))
        await loop.run_in_executor(_waiting, _wait, run, seq, steering)


def _steering(run: Run) -> tuple[bool, bool, bool, str]:
    return run.control.stopped, run.control.paused, run.control.held, run.control.waiting


def _wait(run: Run, seq: int, steering: tuple[bool, bool, bool, str]) -> None:
    """Until there is a new event, the run is steered or waits for something, or it ended."""
    deadline = time.monotonic() + WAIT_S
    while time.monotonic() < deadline and _steering(run) == steering and not run.done:
        if run.events_from(seq, 0.1):
            return
