"""What a browser tab holds on a run: a stream of panel values, at most ten updates a second, only of what changed.

A tab shows one run at a time; attaching to another ends the older stream of the same tab. The run itself never notices.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import gradio as gr

from vesta_ui.runs.run import Run
from vesta_ui.ui import view

PANELS = ("status", "route", "steps", "timeline", "ledger", "answer")
"""Panels of the stream, in output order."""
PACE_S = 0.1
WAIT_S = 2.0

_waiting = ThreadPoolExecutor(max_workers=64, thread_name_prefix="attach")
_newest: dict[str, object] = {}


def shown(run: Run) -> dict[str, str]:
    """Every panel of a run as it is now, as JSON text ("" for nothing).

    Text, because gradio's page wraps every part of an object value in a proxy, which costs more than drawing it. `<` is
    escaped: gradio warns about anything that looks like a script.
    """
    done = run.done
    session = run.session()
    values = view.views(
        session,
        run.id,
        paused=run.control.paused and not done,
        held=run.control.held,
        waiting=run.control.waiting,
        done=done,
        lost=done and session.finished is None,
    )
    return {name: json.dumps(value).replace("<", "\\u003c") if value else "" for name, value in values.items()}


async def stream(run: Run, tab: str) -> AsyncIterator[tuple[Any, ...]]:
    """Panel values in `PANELS` order; `gr.skip()` for those that did not change. Ends with the run."""
    mine = object()
    _newest[tab] = mine
    sent: dict[str, str] = {}
    loop = asyncio.get_running_loop()
    try:
        while _newest.get(tab) is mine:
            began = time.monotonic()
            seq, last, steering = len(run.events), run.done, _steering(run)
            values = await loop.run_in_executor(_waiting, shown, run)
            changed = [name for name in PANELS if sent.get(name) != values[name]]
            sent = values
            if changed and _newest.get(tab) is mine:
                yield tuple(values[name] if name in changed else gr.skip() for name in PANELS)
            if last:
                return
            await asyncio.sleep(max(0.0, PACE_S - (time.monotonic() - began)))
            await loop.run_in_executor(_waiting, _wait, run, seq, steering)
    finally:
        if _newest.get(tab) is mine:
            del _newest[tab]


def _steering(run: Run) -> tuple[bool, bool, str]:
    return run.control.paused, run.control.held, run.control.waiting


def _wait(run: Run, seq: int, steering: tuple[bool, bool, str]) -> None:
    """Until there is a new event, the run is steered or waits for something, or it ended."""
    deadline = time.monotonic() + WAIT_S
    while time.monotonic() < deadline and _steering(run) == steering and not run.done:
        if run.events_from(seq, 0.1):
            return
