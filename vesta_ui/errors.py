"""The exception tree. Messages are one sentence: what is wrong and what to do. Constructors never log.

VestaError
├── BadInput               shown to the user; exit code 2
│   ├── BadVideo           not a video, cannot be decoded, damaged beyond use
│   ├── BadSpec            an unknown or malformed role, encoder, agent or setting
│   └── BadTrace           a run folder that cannot be read
├── Busy                   another process holds the data folder, or something is already running
├── StorageFailed          disk full, read-only folder, vanished file
├── OperationRefused       told to the Reasoner as a failed step; the run goes on
├── Stopped                the user asked to stop; ends the run as "stopped"
└── ModelFailed            a model call failed; carries its type. A failed observation is a failed step; a failed
                           Reasoner ends in a forced answer. Exit code 3 when nothing could be answered.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vesta_ui.domain import ModelCall


class VestaError(Exception):
    """Root of every error this package raises on purpose. `kind` is its name in a trace."""

    kind = "failed"


class BadInput(VestaError):
    """The user's input cannot be used."""

    kind = "bad_input"


class BadVideo(BadInput):
    """The file is not a video we can use."""


class BadSpec(BadInput):
    """An unknown or malformed name or setting."""


class BadTrace(BadInput):
    """A run folder that cannot be read."""


class Busy(VestaError):
    """Something else holds what is needed; try again when it is done."""

    kind = "busy"


class StorageFailed(VestaError):
    """The data folder cannot be written or read."""

    kind = "storage"


class OperationRefused(VestaError):
    """Told to the Reasoner: this operation cannot be done so, and why."""


class Stopped(VestaError):
    """The user asked to stop."""


class ModelFailed(VestaError):
    """A model call failed.

    `kind`: refused, blocked, empty, truncated, malformed, rate_limited, quota, auth, not_found, too_large,
    too_many_images, context_too_long, timeout, connection, server or not_configured.
    `call` is the receipt of the failed call (None when nothing was sent); `calls` are earlier receipts of the same step.
    """

    def __init__(self, kind: str, message: str, call: ModelCall | None = None) -> None:
        super().__init__(message)
        self.kind = kind
        self.call = call
        self.calls: tuple[ModelCall, ...] = ()

    @property
    def receipts(self) -> tuple[ModelCall, ...]:
        """Every receipt of the failed step, in order."""
        return (*self.calls, self.call) if self.call is not None else self.calls
