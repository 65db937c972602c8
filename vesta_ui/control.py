"""How a run is steered from outside: stop, pause, single step, an action by hand. Shared by everything that may wait.

Knows no run and no page. Whoever waits (a model call, a retry, a pass over a video) waits through this, so that Stop is
heard within a second.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable
from typing import NoReturn

from vesta_ui.domain import Action
from vesta_ui.errors import Stopped


class Control:
    """Thread-safe. `check()` and `wait()` raise `Stopped` once `stop()` was called.

    `within`: the control of the run this one's work belongs to, which shows its waits.
    """

    def __init__(self, within: Control | None = None) -> None:
        self._shown_by = within or self
        self._condition = threading.Condition()
        self._stopped = False
        self._paused = False
        self._held = False
        self._steps = 0
        self._by_hand: Action | None = None
        self._waiting: tuple[str, float | None] | None = None
        self._on_stop: list[Callable[[], None]] = []

    @property
    def stopped(self) -> bool:
        return self._stopped

    @property
    def paused(self) -> bool:
        return self._paused

    @property
    def held(self) -> bool:
        """Whether somebody waits at the gate: paused for real, not only asked to pause."""
        return self._held

    def stop(self) -> None:
        """Ask for an end. Calls every hook registered with `on_stop` once (for example: close an HTTP client)."""
        with self._condition:
            self._stopped = True
            hooks, self._on_stop = self._on_stop, []
            self._condition.notify_all()
        for hook in hooks:
            hook()

    def on_stop(self, hook: Callable[[], None]) -> Callable[[], None]:
        """Register a hook; returns a function that takes it back."""
        with self._condition:
            if not self._stopped:
                self._on_stop.append(hook)
                return lambda: self._on_stop.remove(hook) if hook in self._on_stop else None
        hook()
        return lambda: None

    def pause(self) -> None:
        with self._condition:
            self._paused = True

    def resume(self) -> None:
        with self._condition:
            self._paused, self._steps = False, 0
            self._condition.notify_all()

    def step(self) -> None:
        """Let exactly one more decision through, and stay paused after it."""
        with self._condition:
            self._paused = True
            self._steps += 1
            self._condition.notify_all()

    def check(self) -> None:
        if self._stopped:
            raise Stopped("stopped by the user")

    def wait(self, seconds: float, reason: str = "") -> None:
        """Sleep, but wake and raise `Stopped` when asked to stop. `reason` is what `waiting` shows meanwhile."""
        deadline = time.monotonic() + seconds
        with self._condition:
            self._shown_by._waiting = (reason, deadline) if reason else None
            try:
                while not self._stopped and (left := deadline - time.monotonic()) > 0:
                    self._condition.wait(left)
            finally:
                self._shown_by._waiting = None
        self.check()

    def tell(self, reason: str) -> None:
        """What `waiting` shows of a wait of unknown length; empty: it is over."""
        self._shown_by._waiting = (reason, None) if reason else None

    @property
    def waiting(self) -> str:
        """What the run waits for at this moment and for how long still, in words; empty when it does not."""
        reason, deadline = self._waiting or ("", None)
        return reason if deadline is None else f"{reason}, {max(0.0, deadline - time.monotonic()):.0f} s left"

    def gate(self) -> None:
        """A decision boundary: blocks while paused, lets one through per `step()` or action by hand."""
        with self._condition:
            try:
                while self._paused and not self._steps and self._by_hand is None and not self._stopped:
                    self._held = True
                    self._condition.wait()
            finally:
                self._held = False
            if self._steps:
                self._steps -= 1
        self.check()

    def act_by_hand(self, action: Action) -> None:
        """Queue an action: it replaces the one proposed at the gate, or is the next decision (the user as Reasoner)."""
        with self._condition:
            self._by_hand = action
            self._condition.notify_all()

    def take_by_hand(self) -> Action | None:
        with self._condition:
            action, self._by_hand = self._by_hand, None
        return action


def leave(code: int) -> NoReturn:
    """End the process with `code`, also while stopped work still hangs deep in a library: letting the interpreter take
    such a thread down aborts the process with another code."""
    if any(thread.name.startswith("vesta-") for thread in threading.enumerate()):
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    sys.exit(code)
