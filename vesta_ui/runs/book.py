"""Where the videos of a data folder were last seen: content hash → path. The only place that remembers a path.

It stays in the data folder and never enters a run, so that runs stay portable.
"""

from __future__ import annotations

import logging
from pathlib import Path

from vesta_ui import files
from vesta_ui.errors import BadInput, StorageFailed

log = logging.getLogger(__name__)


def remember(data_dir: Path, sha256: str, path: Path) -> None:
    """Never fails: a video that is not remembered is asked for again."""
    book = known(data_dir)
    where = str(path.resolve())
    if book.get(sha256) == where:
        return
    try:
        files.write_json(data_dir / "videos.json", book | {sha256: where})
    except StorageFailed as error:
        log.warning("the list of videos could not be written: %s", error)


def find(data_dir: Path, sha256: str) -> Path | None:
    """The file, if it is still there."""
    path = known(data_dir).get(sha256)
    return Path(path) if path and Path(path).is_file() else None


def need(data_dir: Path, sha256: str, given: Path | None) -> Path:
    """`given`, or the remembered file. Raises `BadInput` when there is neither."""
    path = given or find(data_dir, sha256)
    if path is None:
        raise BadInput("the video of that run is not where it was: name its file with --video PATH")
    return path


def known(data_dir: Path) -> dict[str, str]:
    """Every video remembered, also those whose file is gone."""
    read = files.read_json(data_dir / "videos.json")
    return read if isinstance(read, dict) else {}
