"""One index as one file: a zip of its description, scenes, speech, vectors and frames, with versions and hashes.

What is read is checked before anything is put in place; whatever does not fit is refused with the reason.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import zipfile
import zlib
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import vesta_ui
from vesta_ui import files, scene_index
from vesta_ui.control import Control
from vesta_ui.errors import BadInput
from vesta_ui.events import IndexProgress
from vesta_ui.scene_index import SceneIndex, library
from vesta_ui.scene_index import keys as index_keys
from vesta_ui.scene_index.background import watched
from vesta_ui.scene_index.library import IndexEntry
from vesta_ui.scene_index.phases import read_vectors
from vesta_ui.scene_index.store import locked
from vesta_ui.settings import Settings

FORMAT = 1
MOST_BYTES = 8 << 30
"""Largest content that is unpacked."""
_NAME = re.compile(r"(?:index|body)-[0-9a-f]{24}\.json|vectors-[0-9a-f]{24}\.f32|frames/[0-9a-f]{16}-\d{5,}-\d+\.jpg")

_DAMAGED = (zipfile.BadZipFile, zlib.error, EOFError, LookupError, TypeError, ValueError, AttributeError, RuntimeError)
"""What reading a bundle that is none, or was tampered with, may raise."""


def export(entry: IndexEntry, target: Path) -> Path:
    """Write the bundle of an index to `target` (whole or not at all). Raises `StorageFailed`, `BadInput`."""
    body = files.read_json(index_keys.body_path(entry.folder, entry.id))
    if body is None:
        raise BadInput(f"the index {entry.id} of {entry.video.name} is not whole: index the video again")
    names = [path(entry.folder, entry.id).name for path in _PARTS]
    names += [f"frames/{name}" for scene in body["scenes"] for name in scene["frames"]]
    partial = target.with_name(f".{target.name}.partial")
    hashes: dict[str, str] = {}
    try:
        with zipfile.ZipFile(partial, "w", zipfile.ZIP_STORED) as bundle:
            for name in names:
                path = entry.folder / name
                if path.is_file():  # a frame that is gone is one of the index's failed parts
                    data = path.read_bytes()
                    hashes[name] = hashlib.sha256(data).hexdigest()
                    bundle.writestr(name, data)
            manifest = {
                "format": FORMAT, "made_by": f"vesta-ui {vesta_ui.__version__}", "index": entry.id,
                "video_sha256": entry.video.sha256, "files": hashes,
            }  # fmt: skip
            bundle.writestr("manifest.json", json.dumps(manifest, indent=1))
        partial.replace(target)
    except OSError as error:
        files.discard(partial)
        raise files.storage_failed(target, error) from error
    return target


_PARTS = (index_keys.header_path, index_keys.body_path, index_keys.vectors_path)


def load(
    path: Path, settings: Settings, control: Control, video_sha256: str = ""
) -> Generator[IndexProgress, None, SceneIndex]:
    """Put the index of a bundle into the library and open it. Yields progress, returns the index; nothing stays of an
    import that was stopped.

    `video_sha256`: the video it must be of, if any. Raises `BadInput` for a file that is no bundle, is damaged, was made
    by another version, with another encoder, or of another video; `Busy`, `StorageFailed`, `Stopped`.
    """
    if not path.is_file():
        raise BadInput(f"{path.name} cannot be read: there is no such file")
    return (
        yield from watched(
            "import", lambda progress, inner: _load(path, settings, video_sha256, progress, inner), control, "files"
        )
    )


def _load(
    path: Path, settings: Settings, video_sha256: str, progress: Callable[[float, float], None], control: Control
) -> SceneIndex:
    with _readable(path) as zipped:
        manifest = _manifest(zipped)
        header = _header(zipped, manifest, path.name)
        if video_sha256 and header["video"]["sha256"] != video_sha256:
            raise BadInput(f"{path.name} is the index of another video ({header['video']['name']}), not of this one")
        encoder = library.encoder_of(header["encoder_spec"], header["parameters"]["encoder"])
        folder = index_keys.video_folder(settings.data_dir, header["video"]["sha256"])
        with locked(folder / ".lock", f"{header['video']['name']} is being indexed"):
            aside = folder / ".import"
            shutil.rmtree(aside, ignore_errors=True)
            try:
                for number, name in enumerate(manifest["files"]):
                    control.check()
                    progress(number, len(manifest["files"]))
                    files.write(aside / name, _content(zipped, name, manifest))
                body = files.read_json(index_keys.body_path(aside, header["id"]))
                scene_index.read_index(header, body, aside, encoder)
                if read_vectors(index_keys.vectors_path(aside, header["id"]), encoder.dimensions) is None:
                    raise BadInput(f"{path.name} holds vectors that are no numbers: export it again")
                control.check()
                _put(aside, folder, list(manifest["files"]), index_keys.header_path(folder, header["id"]).name)
            finally:
                shutil.rmtree(aside, ignore_errors=True)
    return library.open_entry(settings, library.find(settings, header["id"]))


def _put(aside: Path, folder: Path, names: list[str], header: str) -> None:
    """Move the files in place; the header goes first and comes last, so that a mixture never looks whole."""
    try:
        (folder / header).unlink(missing_ok=True)
        (folder / "frames").mkdir(exist_ok=True)
        for name in sorted(names, key=lambda name: name == header):
            (aside / name).replace(folder / name)
    except OSError as error:
        raise files.storage_failed(folder / header, error) from error


@contextmanager
def _readable(path: Path) -> Iterator[zipfile.ZipFile]:
    """The bundle, with whatever a damaged one may raise told as `BadInput`."""
    try:
        with zipfile.ZipFile(path) as zipped:
            yield zipped
    except _DAMAGED as error:
        raise BadInput(f"{path.name} is not an index bundle, or is damaged: export it again") from error
    except OSError as error:
        raise BadInput(f"{path.name} cannot be read: {error.strerror}") from error


def _manifest(zipped: zipfile.ZipFile) -> dict[str, Any]:
    manifest: dict[str, Any] = json.loads(zipped.read("manifest.json"))
    if manifest["format"] != FORMAT:
        raise BadInput(
            f"the bundle has format {manifest['format']}, this app reads {FORMAT}: export it again with this version"
        )
    if sum(info.file_size for info in zipped.infolist()) > MOST_BYTES:
        raise BadInput("the bundle is larger than an index can be")
    for name in manifest["files"]:
        if not _NAME.fullmatch(name):
            raise BadInput(f"the bundle holds a file that is no part of an index: {name[:80]!r}")
    return manifest


def _content(zipped: zipfile.ZipFile, name: str, manifest: dict[str, Any]) -> bytes:
    data = zipped.read(name)
    if hashlib.sha256(data).hexdigest() != manifest["files"][name]:
        raise BadInput(f"the bundle is damaged ({name} is not what was exported): export it again")
    return data


def _header(zipped: zipfile.ZipFile, manifest: dict[str, Any], name: str) -> dict[str, Any]:
    """The description, if it belongs to what is beside it and to this version."""
    header: dict[str, Any] = json.loads(_content(zipped, f"index-{manifest['index']}.json", manifest))
    made_of = header["parameters"]
    if made_of["version"] != index_keys.VERSION:
        raise BadInput(f"{name} was made by another version of the index: export it again with this version")
    body, vectors = f"body-{header['id']}.json", f"vectors-{header['id']}.f32"
    consistent = (
        header["id"] == manifest["index"] == files.digest(made_of)
        and made_of["video"] == header["video"]["sha256"] == manifest["video_sha256"]
        and re.fullmatch(r"[0-9a-f]{64}", made_of["video"]) is not None
        and zipped.getinfo(vectors).file_size == 4 * made_of["dimensions"] * header["scenes"]
        and len(json.loads(_content(zipped, body, manifest))["scenes"]) == header["scenes"]
    )
    if not consistent:
        raise BadInput(f"{name} does not fit together (settings, video and vectors disagree): export it again")
    return header
