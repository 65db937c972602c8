"""Hours of sound: what hearing them takes of memory, with the model, and how fast speech is heard.

The sound is that of the first sample film at the beginning of every hour, and a faint hiss for the rest of it.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from fractions import Fraction
from pathlib import Path

import av
import numpy as np

from vesta_ui import samples, transcript
from vesta_ui.bench import Tell
from vesta_ui.bench.speed import measured, peak_mb
from vesta_ui.transcript import weights
from vesta_ui.transcript.sifting import RATE, Samples
from vesta_ui.video import open_video

MEMORY_MB, TIMES_REAL = 700.0, 8.0
"""What is asked of it: peak of the process with the model, and seconds of speech heard in a second on two idle cores."""
HOUR_S = 3600
WORKER = "import sys; from vesta_ui.bench.sound import worker; worker(*sys.argv[1:])"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--hours", type=float, default=4.0, help="length of the long sound (default 4)")


def run(chosen: argparse.Namespace, tell: Tell) -> int:
    """Exit code 1 when a target is missed."""
    said = speech_of(samples.load()[0].path)
    tell(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} at the start")
    with tempfile.TemporaryDirectory(prefix="vesta-bench-") as name:
        folder = Path(name)
        weights.embedded(folder)  # joined once in the life of a data folder, not a cost of hearing
        alone = heard(write(folder / "speech.mkv", said, len(said) / RATE), folder)
        long = heard(write(folder / "hours.mkv", said, chosen.hours * HOUR_S), folder)
    rate = len(said) / RATE / alone["seconds"]
    tell(
        f"speech: {len(said) / RATE:.0f} s heard in {alone['seconds']:.0f} s: {rate:.1f} × real time "
        f"(goal {TIMES_REAL:g}); {60 * alone['cpu'] / (len(said) / RATE):.1f} s of processor a minute"
    )
    tell(
        f"sound: {chosen.hours:g} h, {long['words']} words, heard in {long['seconds']:.0f} s; "
        f"peak {long['peak_mb']:.0f} MB with the model (goal {MEMORY_MB:.0f})"
    )
    tell(f"load {os.getloadavg()[0]:.1f} at the end")
    return 0 if long["peak_mb"] <= MEMORY_MB and rate >= TIMES_REAL else 1


def speech_of(path: Path) -> Samples:
    """The whole sound of a short film, mono at `RATE`."""
    with open_video(path) as video:
        return np.concatenate([block for _, block in video.audio(RATE, 60)])


def write(path: Path, said: Samples, seconds: float) -> Path:
    """A film of one dark picture a minute with that sound, not compressed: 115 MB an hour, made in little memory and time."""
    hiss = (0.002 * np.random.default_rng(1).standard_normal(RATE)).astype(np.float32)
    hour = round(HOUR_S * RATE)
    with av.open(str(path), "w") as out:
        picture = out.add_stream("libx264", rate=1)
        voice = out.add_stream("pcm_s16le", rate=RATE, layout="mono")
        assert isinstance(picture, av.VideoStream) and isinstance(voice, av.AudioStream)
        picture.width, picture.height, picture.pix_fmt, picture.time_base = 64, 36, "yuv420p", Fraction(1, 1)
        for second in range(max(1, round(seconds))):
            if second % 60 == 0:
                frame = av.VideoFrame.from_ndarray(np.full((36, 64, 3), 40, np.uint8), "rgb24")
                frame.pts, frame.time_base = second, Fraction(1, 1)
                out.mux(picture.encode(frame))
            at = second * RATE
            block = said[at % hour : at % hour + RATE]
            block = np.concatenate([block, hiss[len(block) :]])
            sound = av.AudioFrame.from_ndarray((32_767 * block.clip(-1, 1)).astype(np.int16)[None], "s16", "mono")
            sound.sample_rate, sound.pts, sound.time_base = RATE, at, Fraction(1, RATE)
            out.mux(voice.encode(sound))
        out.mux(picture.encode(None))
        out.mux(voice.encode(None))
    return path


def heard(path: Path, folder: Path) -> dict[str, float]:
    """Hear a file in a process of its own: `seconds` and `cpu` of hearing, `words`, `peak_mb` of the process."""
    _, output = measured([sys.executable, "-c", WORKER, str(path), str(folder)])
    found: dict[str, float] = json.loads(output)
    return found


def worker(path: str, folder: str) -> None:
    """The measured process: one transcript, with loading the model; prints what it took as JSON."""
    with open_video(Path(path)) as video:
        start, cpu = time.monotonic(), time.process_time()
        found = transcript.transcribe(video, "embedded", Path(folder), Path(folder) / "speech")
        seconds, cpu = time.monotonic() - start, time.process_time() - cpu
    told = {"seconds": seconds, "cpu": cpu, "words": len(found.words), "peak_mb": peak_mb()}
    sys.stdout.write(json.dumps(told))
    sys.stdout.flush()
    os._exit(0)
