"""The scene index (VESTA §3.3, §B.1): built once per video, searched by any question, never sees one while it is built.

Cuts and frames → speech → text and facts per scene → one vector a scene → store. Every phase leaves a checkpoint in the
video's folder, so that a build that was killed goes on where it was; `index-<key>.json` is written last and is the only
proof that an index is whole.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Generator, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from vesta_ui import encoders, files, transcript
from vesta_ui.control import Control
from vesta_ui.domain import Interval, Notice, Scene, VideoFacts, Word
from vesta_ui.encoders import Encoder, Vectors
from vesta_ui.errors import Busy, OperationRefused, StorageFailed
from vesta_ui.events import IndexProgress, IndexReady, drained
from vesta_ui.scene_index import phases
from vesta_ui.scene_index.background import watched
from vesta_ui.scene_index.bills import Bill, bills
from vesta_ui.scene_index.keys import (
    VERSION,
    body_path,
    header_path,
    index_key,
    parameters,
    scenes_key,
    vectors_path,
    video_folder,
)
from vesta_ui.scene_index.store import Row, Store, locked
from vesta_ui.settings import Settings, public_spec
from vesta_ui.transcript import Transcript
from vesta_ui.video import Video, open_video

PENDING = Transcript(
    (),
    "",
    "pending",
    (Notice("speech-pending", "speech is still being transcribed: what is said cannot be found yet"),),
)


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
    later: Later | None = None
    """The work on the transcript while it is pending."""
    bills: list[Bill] = field(default_factory=list, compare=False)
    """What remote models were paid for building it now; whoever reports a bill takes it out."""

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

    def hear(self, interval: Interval, control: Control) -> tuple[Word, ...]:
        """`words`, after waiting for that part of a pending transcript. Raises `Stopped`."""
        while self.later is not None and self.later.upto < interval.end and self.transcript.status == "pending":
            control.wait(0.1)
        return self.words(interval)

    def frame(self, name: str) -> Path:
        """The stored JPEG of a scene. Raises `StorageFailed` when it is gone."""
        path = self.folder / "frames" / Path(name).name
        if not path.is_file():
            raise StorageFailed(f"the stored frame {name} is gone: index the video again")
        return path


class Later:
    """Makes the transcript behind a pending index, then puts words and vectors into it. A thread of the process."""

    def __init__(self, index: SceneIndex, path: Path, settings: Settings) -> None:
        self.control = Control()
        self.progress: IndexProgress | None = None
        self.failure: Exception | None = None
        self.upto = 0.0
        """Seconds of sound heard so far."""
        self._thread = threading.Thread(
            target=self._work, args=(index, path, settings), name="vesta-speech", daemon=True
        )
        self._thread.start()

    def _work(self, index: SceneIndex, path: Path, settings: Settings) -> None:
        def heard(upto: float, words: tuple[Word, ...]) -> None:
            index.transcript = replace(PENDING, words=words)
            self.upto = upto

        def tell(progress: IndexProgress) -> None:
            self.progress = progress

        try:
            whole = drained(build(path, replace(settings, speech_later=False), self.control, heard), tell)
        except Exception as error:
            self.failure = error
            why = Notice("speech-failed", f"the transcript could not be made: {error}")
            index.transcript = replace(index.transcript, status="transcript failed", notices=(why,))
            index.notices = (*(notice for notice in index.notices if notice not in PENDING.notices), why)
            return
        index.scenes, index.vectors, index.seconds = whole.scenes, whole.vectors, whole.seconds
        index.notices, index.failed, index.transcript = whole.notices, whole.failed, whole.transcript
        index.bills += whole.bills

    def wait(self, control: Control) -> None:
        """Until the transcript is there or has failed. Raises `Stopped` when `control` is stopped; the work goes on."""
        while self._thread.is_alive():
            control.wait(0.1)


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


# ------------------------------------------------------------------------------------------------ build
def build(
    path: Path, settings: Settings, control: Control, heard: transcript.Heard | None = None
) -> Generator[IndexProgress, None, SceneIndex]:
    """Build the index of a video file, or open the one that is there. Yields progress, returns the index.

    With `settings.speech_later` the index comes before its transcript, which `SceneIndex.later` makes behind it.

    Raises `BadVideo`, `BadSpec`, `Busy`, `StorageFailed`, `Stopped`.
    """
    begun = time.monotonic()
    encoder = encoders.load(settings.encoder, control)
    transcript.identity(settings.speech, settings.whisper_dir, settings.language)
    video = yield from watched("probe", lambda progress, inner: open_video(path), control, "")
    with video:
        seconds = {"probe": time.monotonic() - begun}
        folder = video_folder(settings.data_dir, video.facts.sha256)
        key = index_key(video.facts.sha256, settings, encoder.name, encoder.dimensions)
        if (index := open_index(key, folder, settings, encoder)) is not None:
            return replace(
                index, video=video.facts, seconds={**seconds, "total": time.monotonic() - begun}, reused=True
            )
        lock = yield from _alone(folder, control)
        with lock:
            index = open_index(key, folder, settings, encoder)  # another run may have made it meanwhile
            if index is None:
                files.sweep(folder)
                index = yield from _build(key, folder, video, settings, encoder, seconds, control, heard)
        index.seconds["total"] = time.monotonic() - begun
    if index.transcript.status == "pending":
        index.later = Later(index, path, settings)
    return index


def _alone(folder: Path, control: Control) -> Generator[IndexProgress, None, ExitStack]:
    """The lock of a video's folder, waiting while another run or process works there."""
    begun = time.monotonic()
    lock = ExitStack()
    while True:
        try:
            lock.enter_context(locked(folder / ".lock", "this video is being indexed", wait_s=0.5))
            return lock
        except Busy:
            control.check()
            yield IndexProgress(phase="waiting", done=0, total=0, seconds=time.monotonic() - begun)


def _build(
    key: str,
    folder: Path,
    video: Video,
    settings: Settings,
    encoder: Encoder,
    seconds: dict[str, float],
    control: Control,
    heard: transcript.Heard | None,
) -> Generator[IndexProgress, None, SceneIndex]:
    later = settings.speech_later and settings.speech != "off" and video.facts.has_audio
    start = time.monotonic()
    cuts_key = scenes_key(video.facts.sha256, settings)
    plain, notices = yield from watched(
        "scenes", lambda p, c: phases.cut(folder, cuts_key, video, settings, p, c), control
    )
    seconds["scenes"] = time.monotonic() - start

    start = time.monotonic()
    harm: tuple[Notice, ...] = ()
    if later:
        speech = PENDING
    else:
        speech = yield from watched(
            "speech",
            lambda p, c: transcript.transcribe(
                video, settings.speech, settings.data_dir, folder, settings.language, settings.whisper_dir, p, c, heard
            ),
            control,
        )
        harm = yield from watched("speech", lambda p, c: phases.damaged_sound(video, settings.speech, c), control)
    seconds["speech"] = time.monotonic() - start

    start = time.monotonic()
    scenes, failed = yield from watched(
        "encode", lambda p, c: phases.read_scenes(folder, cuts_key, plain, p, c), control, "scenes"
    )
    scenes = phases.with_speech(scenes, speech)
    vectors = yield from watched(
        "encode", lambda p, c: phases.encode(folder, "" if later else key, scenes, encoder, p, c), control, "scenes"
    )
    seconds["encode"] = time.monotonic() - start

    start = time.monotonic()
    said = () if speech.status == "no sound track" else speech.notices  # the video has said so already
    notices = (*video.notices, *notices, *harm, *said)
    if failed:
        notices = (*notices, failed_notice(len(failed)))
    if not later:
        yield IndexProgress(phase="store", done=0, total=len(scenes), unit="scenes")
    index = SceneIndex(
        key, video.facts, encoder.name, public_spec(settings.speech), scenes, speech, notices, seconds, False, folder, vectors,
        encoder, failed, bills=[] if later else bills(settings, speech, encoder),
    )  # fmt: skip
    if later:
        return index
    save(index, settings, parameters(video.facts.sha256, settings, encoder.name, encoder.dimensions))
    seconds["store"] = time.monotonic() - start
    return index


def failed_notice(count: int) -> Notice:
    return Notice("scenes-failed", f"{count} scenes could not be read: redo them in the inspector")


# ------------------------------------------------------------------------------------------------ on disk
def store_of(settings: Settings) -> Store:
    return Store(settings.data_dir / "chroma", settings.chroma_url)


def save(index: SceneIndex, settings: Settings, made_of: dict[str, Any]) -> None:
    """Vectors and scenes, then the store, then the header. Raises `StorageFailed`, `Busy`."""
    files.write(vectors_path(index.folder, index.id), index.vectors.astype("<f4").tobytes())
    body = {"scenes": [asdict(scene) for scene in index.scenes], "transcript": asdict(index.transcript)}
    files.write_json(body_path(index.folder, index.id), body)
    store_of(settings).put(index.encoder, index.model.dimensions, rows_of(index))
    header = {
        "id": index.id,
        "parameters": made_of,
        "encoder_spec": settings.encoder,
        "speech": index.speech,
        "video": asdict(index.video),
        "scenes": len(index.scenes),
        "still": still_of(index.scenes),
        "notices": [asdict(notice) for notice in index.notices],
        "seconds": index.seconds,
        "failed": index.failed,
    }
    files.write_json(header_path(index.folder, index.id), header)
    (index.folder / f"vectors-{index.id}.part").unlink(missing_ok=True)


def still_of(scenes: Sequence[Scene]) -> str:
    """The name of a stored frame to know a video by: from its middle, where titles are over. "": there is none."""
    names = [scene.frames[0] for scene in scenes if scene.frames]
    return names[len(names) // 2] if names else ""


def open_index(key: str, folder: Path, settings: Settings, encoder: Encoder) -> SceneIndex | None:
    """The whole index with this key, or None. Vectors come from the store, which is mended from the folder if need be;
    from the folder alone where the store cannot be written."""
    header = files.read_json(header_path(folder, key))
    body = files.read_json(body_path(folder, key)) if header else None
    if body is None or header["parameters"]["version"] != VERSION:
        return None
    index = read_index(header, body, folder, encoder)
    store = store_of(settings)
    ids = [row_id(key, scene) for scene in index.scenes]
    vectors = store.vectors(encoder.name, encoder.dimensions, ids) if store.writable else None
    if vectors is None:
        vectors = phases.read_vectors(vectors_path(folder, key), encoder.dimensions)
        if vectors is None or len(vectors) != len(index.scenes):
            return None
        if store.writable:
            store.put(encoder.name, encoder.dimensions, rows_of(replace(index, vectors=vectors)))
    return replace(index, vectors=vectors)


def read_index(header: dict[str, Any], body: dict[str, Any], folder: Path, encoder: Encoder) -> SceneIndex:
    """An index from its two descriptions, still without vectors. Raises what Python does where one is not as `save` wrote it."""
    scenes = tuple(phases.scene_from(one) for one in body["scenes"])
    return SceneIndex(
        id=header["id"],
        video=VideoFacts(**header["video"]),
        encoder=encoder.name,
        speech=header["speech"],
        scenes=scenes,
        transcript=transcript.from_json(body["transcript"]),
        notices=tuple(Notice(**one) for one in header["notices"]),
        seconds=header["seconds"],
        reused=True,
        folder=folder,
        vectors=np.zeros((0, encoder.dimensions), np.float32),
        model=encoder,
        failed=header["failed"] | phases.gone(folder, scenes),
    )


def rows_of(index: SceneIndex) -> list[Row]:
    return [
        Row(
            row_id(index.id, scene),
            vector,
            {
                "index": index.id, "video": index.video.sha256, "name": index.video.name, "scene": scene.id,
                "start": float(scene.start), "end": float(scene.end), "start_frame": scene.start_frame,
                "end_frame": scene.end_frame, "transcript": scene.transcript, "screen_text": scene.screen_text,
            },
        )
        for scene, vector in zip(index.scenes, index.vectors, strict=True)
    ]  # fmt: skip


def row_id(index_id: str, scene: Scene) -> str:
    return f"{index_id}:{scene.id}"


__all__ = [
    "Bill",
    "Hit",
    "Later",
    "SceneIndex",
    "bills",
    "build",
    "failed_notice",
    "index_key",
    "open_index",
    "ready_event",
    "save",
    "store_of",
    "video_folder",
]
