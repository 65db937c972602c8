"""The synthetic evidence-locality set (SAVE §5, appendix G): a square that changes colour in a fixed, repeating order.

256×256 pixels, 30 frames a second: a square that stays where it is on white, cycling red, green, blue and yellow. One full
cycle is enough to know the order, so cycle / duration (the temporal concentration) is the share of the video one needs to
see, and finding it is trivial. A sample is made from its number and the set's seed alone; nothing here knows an agent.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations
from pathlib import Path

import av
import numpy as np
from numpy.typing import NDArray

from vesta_ui.domain import Choice, Question

SIZE, FPS = 256, 30
DURATIONS_S = (30, 60, 120, 600)
CYCLES_S = (2, 5, 10, 15)
EACH_ORDER = 4
"""Videos of each order for every pair of duration and cycle."""
COLOURS = {"red": (255, 0, 0), "green": (0, 255, 0), "blue": (0, 0, 255), "yellow": (255, 255, 0)}
ORDERS = tuple(("red", *rest) for rest in permutations(("green", "blue", "yellow")))
SIDE = 72
"""The square is small enough that no colour change is a cut at any threshold of SAVE (the paper reports the same)."""
ASKED = (
    "The square changes its colour again and again. In which order do the colours follow each other, starting with red?"
)


@dataclass(frozen=True, slots=True)
class Sample:
    """One video with its question. Seconds; `phase_s`: where in the cycle the video starts; `left`, `top` in pixels."""

    number: int
    duration_s: int
    cycle_s: int
    order: tuple[str, ...]
    phase_s: float
    left: int
    top: int
    choices: tuple[str, ...]

    @property
    def concentration(self) -> float:
        """Share of the video that one sufficient event takes, in (0, 1]."""
        return self.cycle_s / self.duration_s

    @property
    def question(self) -> Question:
        return Question(ASKED, tuple(Choice("ABCDE"[n], text) for n, text in enumerate(self.choices)))

    @property
    def answer(self) -> str:
        """The label of the right choice."""
        return "ABCDE"[self.choices.index(", ".join(self.order))]

    def colour_at(self, seconds: float) -> str:
        """The colour shown at a time: each for a quarter of the cycle."""
        return self.order[int((seconds + self.phase_s) % self.cycle_s / self.cycle_s * 4) % 4]


def samples(seed: int = 0) -> list[Sample]:
    """All 384 in a fixed order: by duration, cycle, order, instance."""
    made: list[Sample] = []
    for duration in DURATIONS_S:
        for cycle in CYCLES_S:
            for order in ORDERS:
                for _ in range(EACH_ORDER):
                    made.append(_sample(len(made), seed, duration, cycle, order))
    return made


def subset(every: list[Sample], count: int, seed: int = 0) -> list[Sample]:
    """About `count` samples, the same number for every pair of duration and cycle (at least one), drawn by the seed."""
    each = max(1, round(count / (len(DURATIONS_S) * len(CYCLES_S))))
    chosen: list[Sample] = []
    for duration in DURATIONS_S:
        for cycle in CYCLES_S:
            pair = [one for one in every if (one.duration_s, one.cycle_s) == (duration, cycle)]
            chosen += random.Random(f"{seed}/{duration}/{cycle}").sample(pair, min(each, len(pair)))
    return sorted(chosen, key=lambda one: one.number)


def _sample(number: int, seed: int, duration: int, cycle: int, order: tuple[str, ...]) -> Sample:
    draw = random.Random(f"{seed}/{number}")
    wrong = draw.sample([one for one in ORDERS if one != order], 4)
    choices = [", ".join(one) for one in (order, *wrong)]
    draw.shuffle(choices)
    room = SIZE - SIDE
    return Sample(
        number,
        duration,
        cycle,
        order,
        draw.uniform(0, cycle),
        draw.randint(0, room),
        draw.randint(0, room),
        tuple(choices),
    )


def render(sample: Sample, path: Path) -> Path:
    """Write the video (H.264, a key picture a second) and return its path. A 10-minute one takes about 1 MB."""
    pictures = {name: _picture(sample, rgb) for name, rgb in COLOURS.items()}
    partial = path.with_name(f".{path.name}.partial")
    with av.open(str(partial), "w", format="mp4") as container:
        stream = container.add_stream("libx264", rate=FPS, options={"preset": "ultrafast", "crf": "20", "g": str(FPS)})
        stream.width = stream.height = SIZE
        stream.pix_fmt = "yuv420p"
        for n, colour in enumerate(_colours(sample)):
            frame = av.VideoFrame.from_ndarray(pictures[colour], format="yuv420p")
            frame.pts, frame.time_base = n, Fraction(1, FPS)
            container.mux(stream.encode(frame))
        container.mux(stream.encode())
    return partial.replace(path)


def _colours(sample: Sample) -> Iterator[str]:
    for n in range(sample.duration_s * FPS):
        yield sample.colour_at(n / FPS)


def _picture(sample: Sample, rgb: tuple[int, int, int]) -> NDArray[np.uint8]:
    """One picture as yuv420p planes, converted once."""
    image = np.full((SIZE, SIZE, 3), 255, np.uint8)
    image[sample.top : sample.top + SIDE, sample.left : sample.left + SIDE] = rgb
    return np.asarray(
        av.VideoFrame.from_ndarray(image, format="rgb24").reformat(format="yuv420p").to_ndarray(), np.uint8
    )
