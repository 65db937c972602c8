"""A small film maker: photographs, slow camera moves, signs in the scene, one spoken voice.

A film is a list of `Shot`. A shot has one photograph, a camera path over it, signs that are part of the photograph
(`Placed`), things that move in front of it (`Mover`) and sentences to be spoken. Lengths follow from the speech, so the
schedule is computed, never typed in; the gold times of the questions are read from that same schedule.

Positions on a photograph are fractions of its width and height. A view is (centre x, centre y, width).
"""

from __future__ import annotations

import math
import subprocess
import wave
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np
from PIL import Image, ImageFilter
from sound import RATE, Voice, beds, cue

WIDTH, HEIGHT, FPS = 1280, 720, 24
View = tuple[float, float, float]
Light = tuple[float, float, float]
DAYLIGHT: Light = (1.0, 1.0, 1.0)


@dataclass(frozen=True)
class Placed:
    """A sign standing in the photograph: the middle of its top edge, and its width as a fraction of the first view's width."""

    picture: Callable[[], Image.Image]
    x: float
    y: float
    width: float
    light: Light = DAYLIGHT


@dataclass(frozen=True)
class Mover:
    """Something that crosses the screen: two positions and two widths, in fractions of the screen."""

    picture: Callable[[], Image.Image]
    start: tuple[float, float]
    end: tuple[float, float]
    widths: tuple[float, float]
    sway: float = 0.0
    light: Light = DAYLIGHT


def fixed(picture: Callable[[], Image.Image], y: float, width: float) -> Mover:
    """A title in the middle of the screen, which does not follow the camera."""
    return Mover(picture, (0.5, y), (0.5, y), (width, width))


@dataclass(frozen=True)
class Shot:
    name: str
    photo: str
    start: View
    end: View
    say: tuple[str, ...] = ()
    signs: tuple[Placed, ...] = ()
    movers: tuple[Mover, ...] = ()
    lead: float = 0.7
    tail: float = 0.9
    pause: float = 0.45
    at_least: float = 5.2
    fade: float = 0.0
    bed: str = ""
    cue: tuple[str, int] | None = None
    blur: float = 0.0
    shade: float = 0.0
    scene: Callable[[Image.Image], Image.Image] | None = None
    crop: tuple[float, float, float, float] = (0.0, 0.0, 1.0, 1.0)
    grade: Light = DAYLIGHT


@dataclass
class Timed:
    """A shot with its place on the clock, in frames, and the times of its sentences, in seconds."""

    shot: Shot
    first: int
    frames: int
    sentences: list[tuple[float, float]] = field(default_factory=list)

    @property
    def interval(self) -> tuple[float, float]:
        return self.first / FPS, (self.first + self.frames) / FPS


def schedule(shots: list[Shot], voice: Voice) -> tuple[list[Timed], np.ndarray]:
    """Lays the shots on the clock, and under them the sentences, the single sounds and the sound of each place."""
    film, at, heard = [], 0, []
    for shot in shots:
        clock = at / FPS + shot.lead + shot.fade
        sentences = []
        for n, text in enumerate(shot.say or ("",)):
            if shot.cue and shot.cue[1] == n:
                heard.append((clock, cue(shot.cue[0])))
                clock += 1.3 if text else 0.0
            if text:
                samples = voice.say(text)
                sentences.append((clock, clock + len(samples) / RATE))
                heard.append((clock, samples))
                clock = sentences[-1][1] + shot.pause
        end = (sentences[-1][1] if sentences else clock) + shot.tail
        frames = max(math.ceil((end - at / FPS) * FPS), math.ceil(shot.at_least * FPS))
        film.append(Timed(shot, at, frames, sentences))
        at += frames
    sound = beds([(t.shot.bed, *t.interval) for t in film], at / FPS)
    for clock, samples in heard:
        first = int(clock * RATE)
        sound[first : first + len(samples)] += samples[: len(sound) - first]
    return film, np.clip(sound, -0.98, 0.98)


def lit(picture: Image.Image, light: Light) -> Image.Image:
    """The picture under the light of its scene: a factor for red, green and blue."""
    if light == DAYLIGHT:
        return picture
    bands = list(picture.split())
    for i, factor in enumerate(light):
        bands[i] = bands[i].point(lambda v, f=factor: min(255, int(v * f)))
    return Image.merge(picture.mode, bands)


def scaled(picture: Image.Image, width: float) -> Image.Image:
    size = max(1, round(width)), max(1, round(picture.height * width / picture.width))
    return picture.resize(size, Image.Resampling.LANCZOS, reducing_gap=3.0)


class Stage:
    """One shot made ready: the photograph with its signs at the size the camera needs."""

    def __init__(self, timed: Timed, photo: Path) -> None:
        shot = timed.shot
        self.shot, self.frames = shot, timed.frames
        image = Image.open(photo).convert("RGB")
        left, top, right, bottom = shot.crop
        w, h = image.size
        image = image.crop((round(left * w), round(top * h), round(right * w), round(bottom * h)))
        if shot.scene:
            image = shot.scene(image)
        plane = scaled(image, WIDTH / min(shot.start[2], shot.end[2]))
        if shot.blur:
            plane = plane.filter(ImageFilter.GaussianBlur(shot.blur))
        if shot.shade:
            plane = Image.blend(plane, Image.new("RGB", plane.size), shot.shade)
        plane = lit(plane, shot.grade)
        for sign in shot.signs:
            picture = lit(scaled(sign.picture(), sign.width * shot.start[2] * plane.width), sign.light)
            corner = round(sign.x * plane.width - picture.width / 2), round(sign.y * plane.height)
            plane.paste(picture, corner, picture)
        self.plane = np.asarray(plane)[:, :, ::-1].copy()
        self.movers = [
            (m, premultiplied(lit(scaled(m.picture(), max(m.widths) * WIDTH), m.light))) for m in shot.movers
        ]

    def frame(self, i: int) -> np.ndarray:
        t = i / max(self.frames - 1, 1)
        p = t - 0.6 * math.sin(2 * math.pi * t) / (2 * math.pi)
        x, y, w = (a + (b - a) * p for a, b in zip(self.shot.start, self.shot.end, strict=True))
        height, width = self.plane.shape[:2]
        scale = w * width / WIDTH
        x = min(max(x * width, WIDTH * scale / 2), width - WIDTH * scale / 2)
        y = min(max(y * height, HEIGHT * scale / 2), height - HEIGHT * scale / 2)
        matrix = np.array([[scale, 0, x - scale * WIDTH / 2], [0, scale, y - scale * HEIGHT / 2]])
        out = cv2.warpAffine(
            self.plane,
            matrix,
            (WIDTH, HEIGHT),
            flags=cv2.INTER_CUBIC | cv2.WARP_INVERSE_MAP,
            borderMode=cv2.BORDER_REFLECT,
        )
        for mover, picture in self.movers:
            out = self._move(out, mover, picture, t)
        return out

    @staticmethod
    def _move(out: np.ndarray, mover: Mover, picture: np.ndarray, t: float) -> np.ndarray:
        x, y = (a + (b - a) * t for a, b in zip(mover.start, mover.end, strict=True))
        y += mover.sway * math.sin(2 * math.pi * 1.2 * t)
        wide = (mover.widths[0] + (mover.widths[1] - mover.widths[0]) * t) * WIDTH
        factor = wide / picture.shape[1]
        matrix = np.array([[factor, 0, x * WIDTH - wide / 2], [0, factor, y * HEIGHT - factor * picture.shape[0] / 2]])
        layer = cv2.warpAffine(picture, matrix, (WIDTH, HEIGHT), flags=cv2.INTER_LINEAR)
        mixed: np.ndarray = np.clip(out * (1 - layer[:, :, 3:]) + layer[:, :, :3] * 255, 0, 255).astype(np.uint8)
        return mixed


def premultiplied(picture: Image.Image) -> np.ndarray:
    array = np.asarray(picture.convert("RGBA")).astype(np.float32) / 255
    return np.ascontiguousarray(np.dstack([array[:, :, 2::-1] * array[:, :, 3:], array[:, :, 3:]]))


def frames(film: list[Timed], photos: Callable[[str], Path]) -> Iterator[np.ndarray]:
    before: Stage | None = None
    for timed in film:
        stage = Stage(timed, photos(timed.shot.photo))
        mixed = round(timed.shot.fade * FPS)
        for i in range(timed.frames):
            picture = stage.frame(i)
            if i < mixed and before is not None:
                share = (i + 1) / (mixed + 1)
                picture = cv2.addWeighted(picture, share, before.frame(before.frames - 1), 1 - share, 0)
            yield picture
        before = stage


def encode(
    film: list[Timed], sound: np.ndarray, photos: Callable[[str], Path], out: Path, work: Path, crf: float
) -> None:
    """H.264 and AAC that every browser plays: 8 bit 4:2:0, a key frame every two seconds, index at the front."""
    speech = work / f"{out.stem}.wav"
    with wave.open(str(speech), "wb") as file:
        file.setparams((1, 2, RATE, 0, "NONE", ""))
        file.writeframes((sound * 32767).astype("<i2").tobytes())
    command = ["ffmpeg", "-v", "error", "-y", "-f", "rawvideo", "-pix_fmt", "bgr24", "-s", f"{WIDTH}x{HEIGHT}"]
    command += ["-r", str(FPS), "-i", "-", "-i", str(speech)]
    command += [
        "-vf",
        "scale=out_color_matrix=bt709:out_range=tv",
        "-c:v",
        "libx264",
        "-preset",
        "slow",
        "-crf",
        str(crf),
    ]
    command += ["-g", str(2 * FPS), "-pix_fmt", "yuv420p", "-profile:v", "high", "-x264-params", "aq-mode=3"]
    command += ["-color_primaries", "bt709", "-color_trc", "bt709", "-colorspace", "bt709"]
    command += ["-c:a", "aac", "-b:a", "64k", "-ar", "44100", "-ac", "1", "-map_metadata", "-1", "-fflags", "+bitexact"]
    command += ["-flags:a", "+bitexact", "-movflags", "+faststart", str(out)]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as ffmpeg:
        assert ffmpeg.stdin is not None
        for picture in frames(film, photos):
            ffmpeg.stdin.write(picture.tobytes())
        ffmpeg.stdin.close()
    if ffmpeg.returncode:
        raise SystemExit(f"ffmpeg could not write {out.name}")


def stills(film: list[Timed], photos: Callable[[str], Path], folder: Path) -> None:
    """The first, middle and last picture of every shot, to look at before a film is rendered."""
    folder.mkdir(parents=True, exist_ok=True)
    for n, timed in enumerate(film):
        stage = Stage(timed, photos(timed.shot.photo))
        for part, i in (("a", 0), ("b", timed.frames // 2), ("c", timed.frames - 1)):
            cv2.imwrite(str(folder / f"{n:02d}{part}-{timed.shot.name}.png"), stage.frame(i))
