"""What an index is called and where it lies: the key over everything that makes it another one, and its files.

Knows names only; reads and writes nothing but the subtitle file a key may stand for.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from vesta_ui import files, transcript
from vesta_ui.scene_index import text as scene_text
from vesta_ui.settings import Settings

VERSION = 1
"""Raised when the same video and settings would give another index."""


def parameters(sha256: str, settings: Settings, encoder: str, dimensions: int) -> dict[str, Any]:
    """Everything that makes an index another one (method.md §2). No path of the machine is in it."""
    made_of = {
        "version": VERSION,
        "video": sha256,
        "cut_threshold": float(settings.cut_threshold),
        "scene_min_s": float(settings.scene_min_s),
        "scene_max_s": float(settings.scene_max_s),
        "frames_per_scene": settings.frames_per_scene,
        "text": scene_text.VERSION,
        "speech": files.digest([transcript.VERSION, transcript.identity(settings.speech, settings.whisper_dir)], 16),
        "language": settings.language,
        "encoder": encoder,
        "dimensions": dimensions,
    }
    return made_of | ({"fast_scenes": True} if settings.fast_scenes else {})


def index_key(sha256: str, settings: Settings, encoder: str, dimensions: int) -> str:
    """Hash of the video's content, every parameter, and the encoder and speech names."""
    return files.digest(parameters(sha256, settings, encoder, dimensions))


def scenes_key(sha256: str, settings: Settings) -> str:
    """Names the cuts and frames of a video, which indexes of several encoders share."""
    cut = [settings.cut_threshold, settings.scene_min_s, settings.scene_max_s, settings.frames_per_scene]
    return files.digest([VERSION, sha256, *map(float, cut), *(["fast"] if settings.fast_scenes else [])], 16)


def video_folder(data_dir: Path, sha256: str) -> Path:
    """Everything indexed of one video."""
    return data_dir / "indexes" / sha256[:32]


def header_path(folder: Path, key: str) -> Path:
    """The small description of an index. It is written last: where it is, the index is whole."""
    return folder / f"index-{key}.json"


def body_path(folder: Path, key: str) -> Path:
    return folder / f"body-{key}.json"


def vectors_path(folder: Path, key: str) -> Path:
    return folder / f"vectors-{key}.f32"
