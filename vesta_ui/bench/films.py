"""Twelve short films for the speed table, made on the spot: they differ in size, rate, codec, key pictures, motion, noise
and how often they cut. Also longer ones, by repeating a short one without encoding it again. Knows no measurement.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

import av
import cv2
import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]

X264 = {"preset": "veryfast", "crf": "25"}
NO_CUTS = X264 | {"sc_threshold": "0"}  # an encoder that does not look for cuts
X265 = {"preset": "ultrafast", "crf": "30", "x265-params": "log-level=none"}
VP9 = {"deadline": "realtime", "cpu-used": "8", "b": "900k"}
MIXED = ("pan", "zoom", "slide", "shake", "pan")


@dataclass(frozen=True, slots=True)
class Film:
    """What a film is like. `shot_s`: its shots last between these seconds. `gop`: most pictures between key pictures."""

    name: str
    size: tuple[int, int]
    seconds: int = 40
    fps: int = 30
    gop: int = 250
    codec: str = "libx264"
    options: dict[str, str] = field(default_factory=lambda: X264)
    kinds: tuple[str, ...] = MIXED
    shot_s: tuple[float, float] = (3, 14)
    noise: int = 2


FILMS = (
    Film("mixed, 720p", (1280, 720), 30),
    Film("lecture, 720p", (1280, 720), 60, 25, kinds=("slide",), shot_s=(8, 20), noise=0),
    Film("screen recording, 1080p", (1920, 1080), 30, 15, kinds=("slide",), shot_s=(6, 20), noise=0),
    Film("interview, 540p", (960, 540), 40, 25, kinds=("talk",), shot_s=(4, 12)),
    Film("mixed, 360p", (640, 360), 60),
    Film("handheld, 480p, short groups", (854, 480), gop=30, kinds=("shake",)),
    Film("fixed groups, 360p", (640, 360), gop=60, options=NO_CUTS),
    Film("long groups without cuts in mind, 480p", (854, 480), gop=250, options=NO_CUTS, kinds=("talk", "slide")),
    Film("quick cuts, 360p", (640, 360), kinds=("talk", "pan"), shot_s=(1, 4)),
    Film("portrait phone, 406×720", (406, 720), kinds=("shake", "talk"), gop=60),
    Film("hevc, 540p", (960, 540), 20, 24, codec="libx265", options=X265, kinds=("talk", "pan"), shot_s=(2, 6)),
    Film("vp9, 480p", (854, 480), 25, gop=120, codec="libvpx-vp9", options=VP9, kinds=("talk", "slide")),
)


def make(film: Film, folder: Path, seed: int = 1) -> Path:
    """Encode a film; the same seed gives the same pictures."""
    ending = "webm" if film.codec == "libvpx-vp9" else "mp4"
    path = folder / f"{FILMS.index(film) if film in FILMS else seed:02d}-{film.size[1]}p.{ending}"
    with av.open(str(path), "w") as out:
        stream = out.add_stream(film.codec, rate=film.fps, options=dict(film.options))
        assert isinstance(stream, av.VideoStream)
        stream.width, stream.height, stream.pix_fmt = *film.size, "yuv420p"
        stream.gop_size = film.gop
        for number, image in enumerate(pictures(film, seed)):
            frame = av.VideoFrame.from_ndarray(image, "bgr24")
            frame.pts, frame.time_base = number, Fraction(1, film.fps)
            out.mux(stream.encode(frame))
        out.mux(stream.encode(None))
    return path


def pictures(film: Film, seed: int) -> Iterator[Image]:
    """(H, W, 3) BGR pictures, one shot after another."""
    rng = np.random.default_rng([seed, *film.size, film.gop])
    width, height = film.size
    grain = rng.integers(0, 2 * film.noise + 1, (height + 64, width + 64, 1), dtype=np.uint8).repeat(3, 2)
    left = film.seconds * film.fps
    while left > 0:
        length = min(left, round(rng.uniform(*film.shot_s) * film.fps))
        left -= length
        kind, seen = str(rng.choice(film.kinds)), _slide(rng, *film.size)
        if kind != "slide":
            seen = _scenery(rng, 2 * width, 2 * height)
        for number in range(length):
            image = _look(kind, seen, width, height, number / max(1, length), number)
            if film.noise and kind != "slide":
                y, x = rng.integers(0, 64, 2)
                image = np.asarray(cv2.add(image, grain[y : y + height, x : x + width]), np.uint8)
            yield np.ascontiguousarray(image)


def _look(kind: str, seen: Image, width: int, height: int, share: float, number: int) -> Image:
    if kind == "slide":  # a pointer moves over it
        image = seen.copy()
        x, y = int(width * (0.5 + 0.4 * np.sin(number / 40))), int(height * (0.5 + 0.3 * np.cos(number / 55)))
        cv2.circle(image, (x, y), max(3, height // 90), (40, 40, 220), -1)
        return image
    if kind == "zoom":
        wide, high = int(2 * width / (1 + 0.6 * share)), int(2 * height / (1 + 0.6 * share))
        return np.asarray(cv2.resize(seen[:high, :wide], (width, height)), np.uint8)
    if kind == "pan":
        x, y = int(share * width * 0.8), height // 3
    elif kind == "shake":
        x, y = int(60 + 40 * np.sin(number / 5)), int(60 + 30 * np.cos(number / 7))
    else:  # someone talks: all stands still but a head and a mouth
        x, y = width // 3, height // 3
    image = seen[y : y + height, x : x + width]
    if kind == "talk":
        image = image.copy()
        middle = (width // 2 + int(3 * np.sin(number / 12)), height // 2)
        cv2.ellipse(image, middle, (height // 6, height // 4), 0, 0, 360, (140, 170, 215), -1)
        mouth = (height // 20, max(1, int(height / 50 * (1 + np.sin(number / 2)))))
        cv2.ellipse(image, (middle[0], middle[1] + height // 8), mouth, 0, 0, 360, (60, 60, 130), -1)
    return image


def _scenery(rng: np.random.Generator, width: int, height: int) -> Image:
    """Soft shapes of six sizes in one tint."""
    total = np.zeros((height, width, 3), np.float32)
    for level in range(6):
        cells = 2 ** (level + 2)
        coarse = rng.random((max(2, cells * height // width), cells, 3), dtype=np.float32)
        total += cv2.resize(coarse, (width, height), interpolation=cv2.INTER_CUBIC) / (level + 1)
    total = (total - total.min()) / (total.max() - total.min())
    tint = rng.random(3, dtype=np.float32) * 0.8 + 0.2
    return np.asarray(np.clip(total * tint * 280, 0, 255), np.uint8)


def _slide(rng: np.random.Generator, width: int, height: int) -> Image:
    image = np.empty((height, width, 3), np.uint8)
    image[:] = rng.integers(60, 255, 3)
    for line in range(8):
        words = "".join(chr(c) for c in rng.integers(97, 123, 22))
        cv2.putText(image, words, (width // 20, height // 8 + line * height // 10), cv2.FONT_HERSHEY_SIMPLEX, height / 500, (20, 20, 20), 2)  # fmt: skip
    return image


def repeated(path: Path, times: int, to: Path) -> Path:
    """The film that many times in a row, copied without encoding: hours in seconds."""
    with av.open(str(path)) as source:
        stream = source.streams.video[0]
        found = [p for p in source.demux(stream) if p.pts is not None and p.dts is not None and p.size]
        shown = [p.pts or 0 for p in found]
        length = max(shown) - min(shown) + (found[-1].duration or 1)
        with av.open(str(to), "w") as out:
            copy = out.add_stream_from_template(stream)
            for turn in range(times):
                for one in found:
                    packet = av.Packet(bytes(one))
                    packet.pts, packet.dts = (one.pts or 0) + turn * length, (one.dts or 0) + turn * length
                    packet.duration, packet.is_keyframe, packet.stream = one.duration or 0, one.is_keyframe, copy
                    packet.time_base = stream.time_base or one.time_base
                    out.mux(packet)
    return to
