"""The scene index (VESTA §3.3, §B.1): built once per video, searched by any question, never sees one while it is built.

Cuts and frames → speech → text and facts per scene → one vector a scene → store. Every phase leaves a checkpoint in the
video's folder, so that a build that was killed goes on where it was; `index-<key>.json` is written last and is the only
proof that an index is whole.
"""

from __future__ import annotations

import time
from collections.abc import Generator
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

import numpy as np

from vesta_ui import encoders, files, transcript
from vesta_ui import index_phases as phases
from vesta_ui.background import watched
from vesta_ui.control import Control
from vesta_ui.domain import Interval, Notice, Scene, VideoFacts, Word
from vesta_ui.encoders import Encoder, Vectors
from vesta_ui.errors import OperationRefused, StorageFailed
from vesta_ui.events import IndexProgress, IndexReady
from vesta_ui.settings import Settings
from vesta_ui.store import Row, Store, locked
from vesta_ui.transcript import Transcript
from vesta_ui.video import Video, open_video

VERSION = 1
"""Raised when the same video and settings would give another index."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A scene found; `score` is the cosine in [-1, 1]."""

    scene: Scene
    score: float


@dataclass(slots=True)
class SceneIndex:
    """An index ready to be searched. `vectors`: (scenes, dimensions) unit rows in scene order."""

    id: str
    video: VideoFacts
    encoder: str
    speech: str
    scenes: tuple[Scene, ...]
    transcript: Transcript
    notices: tuple[Notice, ...]
    seconds: dict[str, float]
    reused: bool
    folder: Path
    vectors: Vectors
    model: Encoder
    failed: dict[str, str] = field(default_factory=dict)

    def search(self, query: str, k: int = 6, within: Interval | None = None) -> list[Hit]:
        """The k best scenes by cosine, best first; exact. `within` keeps scenes that overlap it.

        Raises `OperationRefused` for k < 1 or an empty query.
        """
        if k < 1:
            raise OperationRefused(f"asked for {k} scenes: ask for at least 1")
        scores = self._scores(query)
        if within is not None:
            outside = [one.interval.overlap(within) <= 0 for one in self.scenes]
            scores = np.where(outside, -np.inf, scores)
        best = np.argsort(-scores, kind="stable")[:k]
        return [Hit(self.scenes[i], float(scores[i])) for i in best if np.isfinite(scores[i])]

    def scores(self, query: str) -> tuple[float, ...]:
        """The cosine of every scene with the query, in scene order."""
        return tuple(self._scores(query).tolist())

    def _scores(self, query: str) -> Vectors:
        if not query.strip():
            raise OperationRefused("the query is empty: say what to look for")
        return np.asarray(self.vectors @ self.model.query(query), np.float32)

    def words(self, interval: Interval) -> tuple[Word, ...]:
        """Words spoken in an interval (by the middle of the word)."""
        return tuple(
            word for word in self.transcript.words if interval.start <= (word.start + word.end) / 2 < interval.end
        )

    def frame(self, name: str) -> Path:
        """The stored JPEG of a scene. Raises `StorageFailed` when it is gone."""
        path = self.folder / "frames" / Path(name).name
        if not path.is_file():
            raise StorageFailed(f"the stored frame {name} is gone: index the video again")
        return path


def ready_event(index: SceneIndex) -> IndexReady:
    return IndexReady(
        index_id=index.id,
        encoder=index.encoder,
        speech=index.speech,
        scenes=index.scenes,
        seconds=index.seconds,
        reused=index.reused,
        speech_pending=index.transcript.status == "pending",
        notices=index.notices,
    )


# ------------------------------------------------------------------------------------------------ keys
def scenes_key(sha256: str, settings: Settings) -> str:
    """Names the cuts and frames of a video."""
    cut = [settings.cut_threshold, settings.scene_min_s, settings.scene_max_s, settings.frames_per_scene]
    return files.digest([VERSION, sha256, *map(float, cut)], 16)


def index_key(sha256: str, settings: Settings, encoder: str, dimensions: int) -> str:
    """Hash of the video's content, every parameter, and the encoder and speech names (method.md §2)."""
    speech = transcript.identity(settings.speech, settings.whisper_dir)
    return files.digest([scenes_key(sha256, settings), encoder, dimensions, speech, settings.language])


def video_folder(data_dir: Path, sha256: str) -> Path:
    """Everything indexed of one video."""
    return data_dir / "indexes" / sha256[:32]


def store_of(settings: Settings) -> Store:
    return Store(settings.data_dir / "chroma", settings.chroma_url)


# ------------------------------------------------------------------------------------------------ build
def build(path: Path, settings: Settings, control: Control) -> Generator[IndexProgress, None, SceneIndex]:
    """Build the index of a video file, or open the one that is there. Yields progress, returns the index.

    Raises `BadVideo`, `BadSpec`, `Busy`, `StorageFailed`, `Stopped`.
    """
    begun = time.monotonic()
    encoder = encoders.load(settings.encoder)
    transcript.identity(settings.speech, settings.whisper_dir)
    video = yield from watched("probe", lambda progress, inner: open_video(path), control, "")
    with video:
        seconds = {"probe": time.monotonic() - begun}
        folder = video_folder(settings.data_dir, video.facts.sha256)
        key = index_key(video.facts.sha256, settings, encoder.name, encoder.dimensions)
        if (index := _open(key, folder, video.facts, settings, encoder)) is not None:
            return replace(index, seconds={**seconds, "total": time.monotonic() - begun}, reused=True)
        with locked(folder / ".lock", f"{video.facts.name} is being indexed already"):
            index = yield from _build(key, folder, video, settings, encoder, seconds, control)
        index.seconds["total"] = time.monotonic() - begun
        return index


def _build(
    key: str,
    folder: Path,
    video: Video,
    settings: Settings,
    encoder: Encoder,
    seconds: dict[str, float],
    control: Control,
) -> Generator[IndexProgress, None, SceneIndex]:
    start = time.monotonic()
    cuts_key = scenes_key(video.facts.sha256, settings)
    plain, notices = yield from watched(
        "scenes", lambda p, c: phases.cut(folder, cuts_key, video, settings, p, c), control
    )
    seconds["scenes"] = time.monotonic() - start

    start = time.monotonic()
    speech = yield from watched(
        "speech",
        lambda p, c: transcript.transcribe(
            video, settings.speech, settings.data_dir, folder, settings.language, settings.whisper_dir, p, c
        ),
        control,
    )
    seconds["speech"] = time.monotonic() - start

    start = time.monotonic()
    scenes, failed = yield from watched(
        "encode", lambda p, c: phases.read_scenes(folder, cuts_key, plain, p, c), control, "scenes"
    )
    scenes = phases.with_speech(scenes, speech)
    vectors = yield from watched(
        "encode", lambda p, c: phases.encode(folder, key, scenes, encoder, p, c), control, "scenes"
    )
    seconds["encode"] = time.monotonic() - start

    start = time.monotonic()
    notices = (*video.notices, *notices, *speech.notices)
    if failed:
        notices = (*notices, Notice("scenes-failed", f"{len(failed)} scenes could not be read: redo them in the inspector"))
    yield IndexProgress(phase="store", done=0, total=len(scenes), unit="scenes")
    index = SceneIndex(
        key, video.facts, encoder.name, settings.speech, scenes, speech, notices, seconds, False, folder, vectors,
        encoder, failed,
    )  # fmt: skip
    _save(index, settings)
    seconds["store"] = time.monotonic() - start
    return index


# ------------------------------------------------------------------------------------------------ on disk
def _save(index: SceneIndex, settings: Settings) -> None:
    """Vectors first, then the store, then the description that makes the index whole."""
    files.write(index.folder / f"vectors-{index.id}.f32", index.vectors.astype("<f4").tobytes())
    store_of(settings).put(index.encoder, index.model.dimensions, _rows(index))
    files.write_json(
        index.folder / f"index-{index.id}.json",
        {
            "version": VERSION,
            "id": index.id,
            "video": asdict(index.video),
            "encoder": index.encoder,
            "dimensions": index.model.dimensions,
            "speech": index.speech,
            "scenes": [asdict(scene) for scene in index.scenes],
            "transcript": asdict(index.transcript),
            "notices": [asdict(notice) for notice in index.notices],
            "seconds": index.seconds,
            "failed": index.failed,
        },
    )


def _rows(index: SceneIndex) -> list[Row]:
    return [
        Row(
            row_id(index.id, scene),
            vector,
            {
                "index": index.id,
                "video": index.video.sha256,
                "scene": scene.id,
                "start": float(scene.start),
                "end": float(scene.end),
                "start_frame": scene.start_frame,
                "end_frame": scene.end_frame,
                "transcript": scene.transcript,
                "screen_text": scene.screen_text,
            },
        )
        for scene, vector in zip(index.scenes, index.vectors, strict=True)
    ]


def row_id(index_id: str, scene: Scene) -> str:
    return f"{index_id}:{scene.id}"


def _open(key: str, folder: Path, video: VideoFacts, settings: Settings, encoder: Encoder) -> SceneIndex | None:
    """The whole index with this key, or None. Vectors come from the store, which is mended from the folder if need be."""
    data = files.read_json(folder / f"index-{key}.json")
    if data is None or data.get("version") != VERSION:
        return None
    scenes = tuple(phases.scene_from(one) for one in data["scenes"])
    index = SceneIndex(
        id=key,
        video=video,
        encoder=encoder.name,
        speech=data["speech"],
        scenes=scenes,
        transcript=transcript.from_json(data["transcript"]),
        notices=tuple(Notice(**one) for one in data["notices"]),
        seconds=data["seconds"],
        reused=True,
        folder=folder,
        vectors=np.zeros((0, encoder.dimensions), np.float32),
        model=encoder,
        failed=data["failed"],
    )
    store = store_of(settings)
    vectors = store.vectors(encoder.name, encoder.dimensions, [row_id(key, scene) for scene in scenes])
    if vectors is None:
        vectors = phases.read_vectors(folder / f"vectors-{key}.f32", encoder.dimensions)
        if vectors is None or len(vectors) != len(scenes):
            return None
        store.put(encoder.name, encoder.dimensions, _rows(replace(index, vectors=vectors)))
    return replace(index, vectors=vectors)
