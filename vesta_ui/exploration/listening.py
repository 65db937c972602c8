"""The transcript without an index: for agents that do no video-wide preprocessing but are given the words around a frame."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from pathlib import Path

import numpy as np

from vesta_ui import encoders, scene_index, transcript
from vesta_ui.control import Control
from vesta_ui.errors import Busy
from vesta_ui.events import IndexProgress
from vesta_ui.scene_index import SceneIndex
from vesta_ui.scene_index.background import watched
from vesta_ui.scene_index.store import locked
from vesta_ui.settings import Settings, public_spec
from vesta_ui.transcript import Transcript
from vesta_ui.video import Video

Hear = Callable[[Callable[[float, float], None], Control], Transcript]


def listen(video: Video, settings: Settings, control: Control) -> Generator[IndexProgress, None, SceneIndex]:
    """An index that holds the words and no scene. Reuses the transcript that any index of this video has made.

    Waits while another run makes it. Raises `BadSpec`, `StorageFailed`, `Stopped`.
    """
    begun = time.monotonic()
    folder = scene_index.video_folder(settings.data_dir, video.facts.sha256)

    def hear(progress: Callable[[float, float], None] | None, inner: Control) -> Transcript:
        return transcript.transcribe(
            video, settings.speech, settings.data_dir, folder, settings.language, settings.whisper_dir, progress, inner
        )

    if settings.speech == "off" or not video.facts.has_audio:
        speech = hear(None, control)
    else:
        speech = yield from _waiting(hear, folder, control)
    model = encoders.load("embedded")
    return SceneIndex(
        id="", video=video.facts, encoder="", speech=public_spec(settings.speech), scenes=(), transcript=speech,
        notices=(*video.notices, *speech.notices), seconds={"speech": time.monotonic() - begun}, reused=False,
        folder=folder, vectors=np.zeros((0, model.dimensions), np.float32), model=model,
        bills=scene_index.bills(settings, speech, model),
    )  # fmt: skip


def _waiting(hear: Hear, folder: Path, control: Control) -> Generator[IndexProgress, None, Transcript]:
    while True:
        try:
            with locked(folder / ".lock", "this video is being transcribed", wait_s=1.0):
                return (yield from watched("speech", hear, control))
        except Busy:
            control.check()
            yield IndexProgress(phase="speech", done=0, total=0)
