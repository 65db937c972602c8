"""Files that are there whole or not at all. Knows nothing of what is in them."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

from vesta_ui.errors import StorageFailed


def write(path: Path, data: bytes | str) -> None:
    """Replace a file in one step: after a crash the old or the new content is there. Raises `StorageFailed`."""
    partial = path.with_name(f".{path.name}.{os.getpid()}-{threading.get_ident()}.partial")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with partial.open("wb") as file:
            file.write(data.encode() if isinstance(data, str) else data)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    except OSError as error:
        discard(partial)
        raise storage_failed(path, error) from error


def discard(partial: Path) -> None:
    """Remove what was being written when something went wrong, where that can be done: a read-only disk refuses."""
    with suppress(OSError):
        partial.unlink()


def sweep(folder: Path) -> None:
    """Remove what killed writers left half done. Only for a folder in which nobody else writes now."""
    for partial in folder.rglob(".*.partial"):
        partial.unlink(missing_ok=True)


def write_json(path: Path, value: Any) -> None:
    write(path, json.dumps(value, ensure_ascii=False, allow_nan=False))


def read_json(path: Path) -> Any:
    """The value, or None when the file is missing or not whole JSON (then it is made again)."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return None
    except OSError as error:
        raise storage_failed(path, error) from error


def append(path: Path, data: bytes) -> None:
    """Raises `StorageFailed`. A crash can leave a part of `data`."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab") as file:
            file.write(data)
    except OSError as error:
        raise storage_failed(path, error) from error


def append_line(path: Path, value: Any) -> None:
    """Add one JSON value as a line. Raises `StorageFailed`."""
    append(path, json.dumps(value, ensure_ascii=False, allow_nan=False).encode() + b"\n")


def read_lines(path: Path) -> list[Any]:
    """The values of a file of lines; a last line torn by a crash is dropped, also from the file."""
    if not path.is_file():
        return []
    text = path.read_text(encoding="utf-8", errors="replace")
    values = []
    lines = text.split("\n")  # not splitlines: text from outside may hold other line separators
    for line in lines[:-1]:
        try:
            values.append(json.loads(line))
        except ValueError:
            break
    whole = "".join(f"{line}\n" for line in lines[: len(values)])
    if whole != text:
        write(path, whole)
    return values


def storage_failed(path: Path, error: OSError) -> StorageFailed:
    """One sentence on what went wrong and what to do."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return StorageFailed(f"the disk is full: {path.parent} has no room left; free some space and try again")
    if error.errno in (errno.ENOTDIR, errno.EEXIST):
        return StorageFailed(f"{path.parent} is not a folder; choose another data folder (VESTA_DATA_DIR)")
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return StorageFailed(f"{path.parent} cannot be written; choose another data folder (VESTA_DATA_DIR)")
    return StorageFailed(f"{path} cannot be written or read: {error.strerror or error}")


def digest(value: Any, length: int = 24) -> str:
    """A short stable name for a JSON value: hexadecimal, `length` characters."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()[:length]
