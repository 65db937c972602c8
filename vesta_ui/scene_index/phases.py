"""The phases of building a scene index, each with its checkpoint in the video's folder. Knows no store and no key rules.

A phase reads its checkpoint first and does only what is missing, so that a build killed anywhere goes on from there.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from vesta_ui import files, shots
from vesta_ui.control import Control
from vesta_ui.domain import Notice, Scene, listed
from vesta_ui.encoders import Encoder, SceneContent, Vectors
from vesta_ui.errors import StorageFailed
from vesta_ui.perception import Image
from vesta_ui.scene_index import text as scene_text
from vesta_ui.settings import Settings
from vesta_ui.transcript import Transcript
from vesta_ui.video import Video, sound

BATCH = 16
STILL_SIDE = 512
"""Longest side of a stored frame that is taken again, pixels."""
FAST = Notice(
    "fast-scenes",
    "scenes were found in fast mode: pictures between which nothing seemed to change were skipped, stills are fewer",
)
Progress = Callable[[float, float], None]


def scene_from(data: dict[str, Any]) -> Scene:
    names = tuple(Path(name).name for name in data["frames"])  # an imported file must not point out of its folder
    return Scene(**{**data, "frame_times_s": tuple(data["frame_times_s"]), "frames": names})


# ------------------------------------------------------------------------------------------------ cuts and frames
def cut(
    folder: Path, name: str, video: Video, settings: Settings, progress: Progress, control: Control
) -> tuple[tuple[Scene, ...], tuple[Notice, ...]]:
    """Scenes with stored frames, without text. The list of scenes is written last, after all frames."""
    kept = folder / f"scenes-{name}.json"
    if (data := files.read_json(kept)) is not None:
        return tuple(scene_from(one) for one in data["scenes"]), tuple(Notice(**one) for one in data["notices"])
    keep = folder / f"pass-{name}"
    found = shots.scene_pass(
        video,
        threshold=settings.cut_threshold,
        min_s=settings.scene_min_s,
        max_s=settings.scene_max_s,
        stills_per_scene=settings.frames_per_scene,
        fast=settings.fast_scenes,
        progress=lambda share: progress(share * video.facts.duration_s, video.facts.duration_s),
        control=control,
        keep=keep,
    )
    scenes = []
    for number, (shot, stills) in enumerate(zip(found.shots, found.stills, strict=True)):
        names = tuple(f"{name}-{number:05d}-{i}.jpg" for i in range(len(stills)))
        for file, still in zip(names, stills, strict=True):
            control.check()
            files.write(folder / "frames" / file, still.jpeg)
        times = tuple(still.time for still in stills)
        scenes.append(
            Scene(f"s{number:05d}", shot.start, shot.end, shot.start_frame, shot.end_frame, times, frames=names)
        )
    notices = (*found.notices, FAST) if settings.fast_scenes else found.notices
    files.write_json(
        kept, {"scenes": [asdict(scene) for scene in scenes], "notices": [asdict(notice) for notice in notices]}
    )
    shutil.rmtree(keep, ignore_errors=True)
    return tuple(scenes), tuple(notices)


# ------------------------------------------------------------------------------------------------ text
def damaged_sound(video: Video, speech: str, control: Control) -> tuple[Notice, ...]:
    """Where what a recogniser heard was damaged. Nothing where `speech` does not listen, or there is no sound."""
    if speech == "off" or speech.startswith("subtitles:") or not video.facts.has_audio:
        return ()
    spans = sound.damaged(video.source, lambda _: control.check())
    if not spans:
        return ()
    return (Notice("damaged-sound", f"the sound is damaged at {listed(spans)}: words there may be wrong or missing"),)


def with_speech(scenes: Sequence[Scene], speech: Transcript) -> tuple[Scene, ...]:
    """The words spoken inside each scene; what is said before the first or after the last scene goes to that one."""
    last = len(scenes) - 1
    return tuple(
        replace(
            scene,
            transcript=speech.text(float("-inf") if i == 0 else scene.start, float("inf") if i == last else scene.end),
        )
        for i, scene in enumerate(scenes)
    )


def read_scenes(
    folder: Path, name: str, scenes: Sequence[Scene], progress: Progress, control: Control
) -> tuple[tuple[Scene, ...], dict[str, str]]:
    """Screen text and facts of every scene, and what failed: scene id → reason."""
    kept = folder / f"text-{name}-{scene_text.VERSION}.jsonl"
    known = {line["id"]: line for line in files.read_lines(kept)}
    reader = scene_text.SceneReader()
    read, failed = [], {}
    for number, scene in enumerate(scenes):
        control.check()
        progress(number, len(scenes))
        line = known.get(scene.id)
        if line is None:
            one, wrong = read_scene(folder, scene, reader)
            line = {"id": scene.id, "screen_text": one.screen_text, "facts": one.facts, "failed": wrong}
            control.check()
            files.append_line(kept, line)
        if line["failed"]:
            failed[scene.id] = line["failed"]
        read.append(replace(scene, screen_text=line["screen_text"], facts=line["facts"]))
    return tuple(read), failed


def read_scene(folder: Path, scene: Scene, reader: scene_text.SceneReader) -> tuple[Scene, str]:
    """The scene with what its stored frames show, and what went wrong ("": nothing)."""
    frames, wrong = images(folder, scene)
    screen_text = facts = ""
    if frames:
        try:
            text = reader.read(frames)
            screen_text, facts = text.screen_text, text.facts
        except Exception as error:
            wrong = f"its frames could not be read: {type(error).__name__}"
    return replace(scene, screen_text=screen_text, facts=facts), wrong


def gone(folder: Path, scenes: Sequence[Scene]) -> dict[str, str]:
    """Scenes of which a stored frame is not there: scene id → reason."""
    there = {path.name for path in (folder / "frames").glob("*.jpg")}
    return {
        scene.id: f"the stored frame {name} is gone" for scene in scenes for name in scene.frames if name not in there
    }


def images(folder: Path, scene: Scene) -> tuple[tuple[Image, ...], str]:
    """The stored frames that can be read, and what is wrong with the others."""
    found, wrong = [], ""
    for name in scene.frames:
        path = folder / "frames" / name
        image = scene_text.decode(path.read_bytes()) if path.is_file() else None
        if image is None:
            wrong = f"the stored frame {name} is damaged or gone"
        else:
            found.append(image)
    return tuple(found), wrong


# ------------------------------------------------------------------------------------------------ vectors
def encode(
    folder: Path, key: str, scenes: Sequence[Scene], encoder: Encoder, progress: Progress, control: Control
) -> Vectors:
    """(scenes, dimensions) unit rows. Finished batches are kept under `key`: they may have been paid for. Empty: not kept."""
    kept = folder / f"vectors-{key}.part"
    done = read_vectors(kept, encoder.dimensions) if key else None
    rows = [] if done is None else [done[: len(scenes)]]
    for start in range(len(rows[0]) if rows else 0, len(scenes), BATCH):
        control.check()
        progress(start, len(scenes))
        rows.append(embedded(folder, scenes[start : start + BATCH], encoder))
        control.check()
        if key:
            files.append(kept, rows[-1].astype("<f4").tobytes())
    progress(len(scenes), len(scenes))
    return np.concatenate(rows) if rows else np.zeros((0, encoder.dimensions), np.float32)


def embedded(folder: Path, scenes: Sequence[Scene], encoder: Encoder) -> Vectors:
    """(scenes, dimensions) unit rows of a few scenes."""
    contents = [
        SceneContent(
            images(folder, scene)[0] if encoder.uses_images else (), scene.transcript, scene.screen_text, scene.facts
        )
        for scene in scenes
    ]
    return unit(encoder.scenes(contents), encoder.dimensions)


def read_vectors(path: Path, dimensions: int) -> Vectors | None:
    """Whole rows of a vector file; a torn last row is cut off, also in the file. None when there is no file, or one of
    something else than numbers."""
    if not path.is_file():
        return None
    data = path.read_bytes()
    whole = len(data) // (4 * dimensions) * 4 * dimensions
    if whole != len(data):
        files.write(path, data[:whole])
    rows = np.frombuffer(data[:whole], "<f4").reshape(-1, dimensions).astype(np.float32)
    return rows if np.isfinite(rows).all() else None


def unit(vectors: Vectors, dimensions: int) -> Vectors:
    """Unit rows; a scene with nothing in it gets the first axis, since a zero vector has no direction."""
    if vectors.ndim != 2 or vectors.shape[1] != dimensions or not np.isfinite(vectors).all():
        raise StorageFailed(
            f"the encoder gave vectors of shape {vectors.shape}, expected (n, {dimensions}) finite numbers"
        )
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    axis = np.eye(1, dimensions, dtype=np.float32)
    return np.where(lengths > 0, vectors / np.maximum(lengths, 1e-12), axis).astype(np.float32)
