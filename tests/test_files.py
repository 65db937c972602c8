"""Files are written whole or not at all, and what went wrong is one sentence, also on a disk that cannot be written."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import pytest

from vesta_ui import files
from vesta_ui.errors import StorageFailed
from vesta_ui.runs import book


@pytest.fixture
def read_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder on a disk mounted read-only: there even removing what does not exist is refused."""
    real = Path.open

    def refuse(*_: Any, **__: Any) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    def opened(self: Path, mode: str = "r", *more: Any, **named: Any) -> Any:
        return real(self, mode, *more, **named) if mode in ("r", "rb") else refuse()

    monkeypatch.setattr(Path, "open", opened)
    monkeypatch.setattr(Path, "unlink", refuse)
    return tmp_path


def test_a_read_only_disk_is_one_sentence(read_only: Path) -> None:
    with pytest.raises(StorageFailed, match="cannot be written; choose another data folder"):
        files.write(read_only / "a.json", "{}")


def test_a_video_that_cannot_be_remembered_is_no_failure(read_only: Path) -> None:
    book.remember(read_only, "0" * 64, read_only / "film.mp4")
    assert book.known(read_only) == {}


def test_a_write_that_fails_leaves_the_old_content(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files.write(tmp_path / "a.json", "old")
    monkeypatch.setattr(os, "fsync", lambda _: (_ for _ in ()).throw(OSError(errno.ENOSPC, "full")))
    with pytest.raises(StorageFailed, match="disk is full"):
        files.write(tmp_path / "a.json", "new")
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("a.json", "old")]
