"""All indexes of a data folder: list, open without the video, search across, redo failed parts, remove."""

from __future__ import annotations

import heapq
import time
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from vesta_ui import encoders, files, scene_index
from vesta_ui.control import Control
from vesta_ui.domain import Scene, VideoFacts
from vesta_ui.encoders import Encoder
from vesta_ui.errors import BadInput, BadSpec
from vesta_ui.events import IndexProgress
from vesta_ui.frames import encode_jpeg
from vesta_ui.scene_index import SceneIndex, phases
from vesta_ui.scene_index import keys as index_keys
from vesta_ui.scene_index import text as scene_text
from vesta_ui.scene_index.background import watched
from vesta_ui.scene_index.store import Found, locked
from vesta_ui.settings import Settings
from vesta_ui.video import open_video


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """One index on disk. `failed`: scene id → what went wrong. `still`: name of a frame to know the video by."""

    id: str
    video: VideoFacts
    encoder: str
    dimensions: int
    encoder_spec: str
    speech: str
    scenes: int
    failed: dict[str, str]
    still: str
    folder: Path


@dataclass(frozen=True, slots=True)
class LibraryHit:
    """A scene found in some video; `start`, `end` in seconds, `score` the cosine.

    `here`: whether its index is in this data folder; in a store that is shared it may be on another machine alone.
    `video_name`: "" where an older version stored the scene.
    """

    index_id: str
    video_sha256: str
    video_name: str
    here: bool
    scene_id: str
    start: float
    end: float
    transcript: str
    screen_text: str
    score: float


def entries(settings: Settings) -> tuple[IndexEntry, ...]:
    """Every whole index, by name of its video. Reads only the small headers."""
    found = []
    for path in (settings.data_dir / "indexes").glob("*/index-*.json"):
        header = files.read_json(path)
        if header and header["parameters"]["version"] == index_keys.VERSION:
            found.append(
                IndexEntry(
                    header["id"], VideoFacts(**header["video"]), header["parameters"]["encoder"],
                    header["parameters"]["dimensions"], header["encoder_spec"], header["speech"], header["scenes"],
                    header["failed"], Path(header.get("still", "")).name, path.parent,
                )
            )  # fmt: skip
    return tuple(sorted(found, key=lambda one: (one.video.name, one.id)))


def find(settings: Settings, index_id: str) -> IndexEntry:
    """Raises `BadInput` when there is no such index."""
    for entry in entries(settings):
        if entry.id == index_id:
            return entry
    raise BadInput(f"there is no index {index_id} in the library")


def open_entry(settings: Settings, entry: IndexEntry) -> SceneIndex:
    """The index, without its video. Raises `BadInput` when its encoder is not the one here."""
    encoder = encoder_of(entry.encoder_spec, entry.encoder)
    index = scene_index.open_index(entry.id, entry.folder, settings, encoder)
    if index is None:
        raise BadInput(f"the index {entry.id} of {entry.video.name} is not whole: index the video again")
    return index


def encoder_of(spec: str, name: str) -> Encoder:
    """The encoder of a spec, if it is the very one called `name`. Raises `BadInput`: vectors of two never mix."""
    encoder = encoders.load(spec)
    if encoder.name != name:
        raise BadInput(f"the index was made with the encoder {name}, here it is {encoder.name}: index the video again")
    return encoder


def search(settings: Settings, query: str, k: int = 15) -> list[LibraryHit]:
    """The k best scenes of all videos indexed with the encoder of the settings, best first (recall ≥ 0.99; exact where the
    store cannot be written). Raises `BadInput`, `BadSpec`, `StorageFailed`."""
    if not query.strip():
        raise BadInput("the query is empty: say what to look for")
    encoder = encoders.load(settings.encoder)
    store, here = scene_index.store_of(settings), {one.id: one for one in entries(settings)}
    if store.writable:
        found = store.search(encoder.name, encoder.dimensions, encoder.query(query), k)
    else:
        found = _exactly([one for one in here.values() if one.encoder == encoder.name], encoder, query, k)
    return [
        LibraryHit(
            one.metadata["index"], one.metadata["video"], one.metadata.get("name", ""), one.metadata["index"] in here,
            one.metadata["scene"], one.metadata["start"], one.metadata["end"], one.metadata["transcript"],
            one.metadata["screen_text"], one.score,
        )
        for one in found
    ]  # fmt: skip


def _exactly(indexes: Sequence[IndexEntry], encoder: Encoder, query: str, k: int) -> list[Found]:
    """The k best scenes from the folders themselves, which a shared read-only library has; one index in memory at a time."""
    if k <= 0:
        raise BadSpec(f"asked for {k} results: ask for at least 1")
    asked, best = encoder.query(query), list[Found]()
    for entry in indexes:
        header, body = (
            files.read_json(path(entry.folder, entry.id)) for path in (index_keys.header_path, index_keys.body_path)
        )
        vectors = phases.read_vectors(index_keys.vectors_path(entry.folder, entry.id), encoder.dimensions)
        if body is None or vectors is None or len(vectors) != entry.scenes:
            continue  # not whole: opening it says so
        index = replace(scene_index.read_index(header, body, entry.folder, encoder), vectors=vectors)
        best += [Found(row.id, float(row.vector @ asked), row.metadata) for row in scene_index.rows_of(index)]
        best = heapq.nlargest(k, best, key=lambda one: one.score)
    return best


def remove(settings: Settings, entry: IndexEntry) -> None:
    """Take an index out of the library. Frames and speech go with the last index of their video."""
    with locked(entry.folder / ".lock", f"{entry.video.name} is being indexed"):
        body = files.read_json(index_keys.body_path(entry.folder, entry.id)) or {"scenes": []}
        index_keys.header_path(entry.folder, entry.id).unlink(missing_ok=True)
        ids = [f"{entry.id}:{scene['id']}" for scene in body["scenes"]]
        scene_index.store_of(settings).delete(entry.encoder, entry.dimensions, ids)
        index_keys.body_path(entry.folder, entry.id).unlink(missing_ok=True)
        index_keys.vectors_path(entry.folder, entry.id).unlink(missing_ok=True)
        if not list(entry.folder.glob("index-*.json")):
            for path in sorted(entry.folder.rglob("*"), reverse=True):
                if path.name != ".lock":
                    path.rmdir() if path.is_dir() else path.unlink(missing_ok=True)


def redo(
    settings: Settings, entry: IndexEntry, scene_ids: Sequence[str], control: Control, video: Path | None = None
) -> Generator[IndexProgress, None, SceneIndex]:
    """Read and embed some scenes again; with the video file, their frames are taken again too. Returns the mended index.

    Raises `BadInput` for unknown scenes or another video, `BadVideo`, `StorageFailed`, `Stopped`.
    """
    with locked(entry.folder / ".lock", f"{entry.video.name} is being indexed"):
        index = open_entry(settings, entry)  # not before: another redo may be writing it
        unknown = set(scene_ids) - {scene.id for scene in index.scenes}
        if unknown:
            raise BadInput(f"no such scene: {', '.join(sorted(unknown))}")
        wanted = [i for i, scene in enumerate(index.scenes) if scene.id in set(scene_ids)]
        return (
            yield from watched(
                "encode",
                lambda progress, inner: _again(settings, index, wanted, video, progress, inner),
                control,
                "scenes",
            )
        )


def _again(
    settings: Settings,
    index: SceneIndex,
    wanted: Sequence[int],
    video: Path | None,
    progress: Callable[[float, float], None],
    control: Control,
) -> SceneIndex:
    begun = time.monotonic()
    header = files.read_json(index_keys.header_path(index.folder, index.id))
    if video is not None:
        _retake(index, [index.scenes[i] for i in wanted], video, control)
    scenes, vectors, failed = list(index.scenes), index.vectors.copy(), dict(index.failed)
    reader = scene_text.SceneReader()
    for number, i in enumerate(wanted):
        control.check()
        progress(number, len(wanted))
        scenes[i], wrong = phases.read_scene(index.folder, scenes[i], reader)
        vectors[i] = phases.embedded(index.folder, [scenes[i]], index.model)[0]
        failed.pop(scenes[i].id, None)
        if wrong:
            failed[scenes[i].id] = wrong
    control.check()
    notices = tuple(notice for notice in index.notices if notice.code != "scenes-failed")
    if failed:
        notices = (*notices, scene_index.failed_notice(len(failed)))
    mended = replace(
        index, scenes=tuple(scenes), vectors=vectors, failed=failed, notices=notices,
        seconds={**index.seconds, "redo": time.monotonic() - begun},
    )  # fmt: skip
    scene_index.save(mended, replace(settings, encoder=header["encoder_spec"]), header["parameters"])
    return mended


def _retake(index: SceneIndex, scenes: Sequence[Scene], path: Path, control: Control) -> None:
    """Take the stored frames of some scenes from the video again."""
    with open_video(path) as video:
        if video.facts.sha256 != index.video.sha256:
            raise BadInput(f"{path.name} is another video than the one indexed as {index.video.name}")
        for scene in scenes:
            control.check()
            for name, picture in zip(scene.frames, video.frames_at(scene.frame_times_s), strict=True):
                files.write(index.folder / "frames" / name, encode_jpeg(picture.image, phases.STILL_SIDE)[0])
