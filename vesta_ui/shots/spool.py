"""What a pass over a picture leaves on disk: stills in one growing file, and finished parts. Knows no decoder."""

from __future__ import annotations

import os
import tempfile
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray

from vesta_ui.errors import StorageFailed

Place = tuple[int, int, int, int]  # offset and length in the spool, width, height


class Spool:
    """JPEGs in one growing file, so that hours of stills cost no memory. Thread-safe."""

    def __init__(self, path: Path | None = None) -> None:
        try:
            self._file: IO[bytes] = path.open("a+b") if path else tempfile.TemporaryFile()  # noqa: SIM115
        except OSError as error:
            raise StorageFailed(
                f"stills cannot be kept in {path or tempfile.gettempdir()}: {error.strerror}"
            ) from error
        self._lock = threading.Lock()

    def add(self, data: bytes) -> tuple[int, int]:
        """Append; returns (offset, length). Raises `StorageFailed`."""
        try:
            with self._lock:
                offset = self._file.seek(0, os.SEEK_END)
                self._file.write(data)
                self._file.flush()
        except OSError as error:
            raise StorageFailed(f"a still could not be kept: {error.strerror}; free some disk space") from error
        return offset, len(data)

    def read(self, offset: int, length: int) -> bytes:
        with self._lock:
            self._file.seek(offset)
            return self._file.read(length)


@dataclass(frozen=True)
class Part:
    """Pictures of one part: `ticks` and `scores` aligned; `stills`: (tick, place); `damage`: ticks."""

    ticks: NDArray[np.int64]
    scores: NDArray[np.float32]
    stills: tuple[tuple[int, Place], ...]
    damage: tuple[int, ...]

    def save(self, path: Path) -> None:
        stills = np.array([(tick, *place) for tick, place in self.stills], np.int64).reshape(-1, 5)
        partial = path.with_suffix(".partial")
        try:
            with partial.open("wb") as file:
                np.savez(
                    file, ticks=self.ticks, scores=self.scores, stills=stills, damage=np.array(self.damage, np.int64)
                )
            partial.replace(path)
        except OSError as error:
            raise StorageFailed(f"{path.parent} cannot be written: {error.strerror}") from error

    @staticmethod
    def load(path: Path) -> Part | None:
        """A kept part, or None when there is none or it cannot be read."""
        try:
            with np.load(path) as kept:
                stills = tuple((int(s[0]), (int(s[1]), int(s[2]), int(s[3]), int(s[4]))) for s in kept["stills"])
                return Part(kept["ticks"], kept["scores"], stills, tuple(int(t) for t in kept["damage"]))
        except (OSError, ValueError, KeyError, EOFError):
            return None
