"""A run folder as one zip file, and back. Portable: it opens on another machine without the video, a key or a network."""

from __future__ import annotations

import re
import shutil
import zipfile
from pathlib import Path, PurePosixPath

from vesta_ui.errors import BadTrace
from vesta_ui.files import storage_failed
from vesta_ui.runs import recorder
from vesta_ui.runs.run import RUN_ID

LARGEST = 4 * 2**30
"""Most bytes a bundle may unpack to."""
_MEMBER = re.compile(r"(run\.json|events\.jsonl|frames/[0-9a-f]{64}\.jpg)")


def pack(folder: Path, target: Path) -> Path:
    """Write the run folder as a zip. Raises `StorageFailed`."""
    files = [folder / recorder.FACTS, folder / recorder.EVENTS, *sorted((folder / recorder.FRAMES).glob("*.jpg"))]
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
            for path in files:
                archive.write(path, f"{folder.name}/{path.relative_to(folder).as_posix()}")
    except OSError as error:
        raise storage_failed(target, error) from error
    return target


def unpack(source: Path, root: Path) -> str:
    """Bring a zipped run, or a run folder from elsewhere, under `root`; returns its id.

    Raises `BadTrace` when it is no run, holds anything but a run's files, or a run of that id is there already.
    """
    run_id, partial = "", root / f".import-{source.stem}"
    shutil.rmtree(partial, ignore_errors=True)
    try:
        if source.is_dir():
            run_id = source.name
            _copy(source, partial)
        elif zipfile.is_zipfile(source):
            run_id = _extract(source, partial)
        else:
            raise BadTrace(f"“{source.name}” is neither a run folder nor a zipped one")
        if not RUN_ID.fullmatch(run_id):
            raise BadTrace(f"“{run_id}” is no run id: the folder of a run keeps its name, like 20260131-120000-0a1b2c")
        recorder.read(partial)
        recorder.facts(partial)
        if (root / run_id).exists():
            raise BadTrace(f"the run {run_id} is here already")
        partial.replace(root / run_id)
    except OSError as error:
        raise storage_failed(root, error) from error
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return run_id


def _copy(source: Path, target: Path) -> None:
    for path in sorted(source.rglob("*")):
        name = path.relative_to(source).as_posix()
        if path.is_file() and not path.is_symlink() and _MEMBER.fullmatch(name):
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target / name)


def _extract(source: Path, target: Path) -> str:
    """Only a run's own files, whatever the archive says their place is; the id is the folder they are in."""
    with zipfile.ZipFile(source) as archive:
        if sum(info.file_size for info in archive.infolist()) > LARGEST:
            raise BadTrace(f"“{source.name}” would unpack to more than {LARGEST // 2**30} GB: it is not opened")
        folders = set()
        for info in archive.infolist():
            if info.is_dir():
                continue
            folder, _, name = info.filename.partition("/")
            if not _MEMBER.fullmatch(name) or PurePosixPath(folder).name != folder:
                raise BadTrace(f"“{source.name}” holds something that is no part of a run: {info.filename[:80]}")
            folders.add(folder)
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            with archive.open(info) as packed, (target / name).open("wb") as file:
                shutil.copyfileobj(packed, file)
    if len(folders) != 1:
        raise BadTrace(f"“{source.name}” holds {len(folders)} runs: import them one by one")
    return folders.pop()
