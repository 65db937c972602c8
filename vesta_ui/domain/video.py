"""What is known of a video: its facts, words, scenes and frame receipts."""

from __future__ import annotations

from dataclasses import dataclass

from vesta_ui.domain.time import Interval


@dataclass(frozen=True, slots=True)
class VideoFacts:
    """What a video is. `sha256` is its identity; the name is for people only. `fps` is the average rate, for show."""

    sha256: str
    name: str
    duration_s: float
    width: int
    height: int
    fps: float
    has_audio: bool
    codec: str


@dataclass(frozen=True, slots=True)
class Notice:
    """Something the user should know: a stable `code` (kebab-case) and one sentence on what it means and what is done."""

    code: str
    message: str


@dataclass(frozen=True, slots=True)
class Word:
    """A spoken word; `probability` in [0, 1]."""

    start: float
    end: float
    text: str
    probability: float = 1.0


@dataclass(frozen=True, slots=True)
class Scene:
    """A span of the scene index (VESTA §3.3). The scenes of a video tile it without gap or overlap.

    `frame_times_s`: at most 4 representative frames. `transcript`: the words spoken inside. `screen_text`: text read in
    the picture. `facts`: plain visual facts in words. `frames`: file names of the stored JPEGs, one per time.
    """

    id: str
    start: float
    end: float
    start_frame: int
    end_frame: int
    frame_times_s: tuple[float, ...]
    transcript: str = ""
    screen_text: str = ""
    facts: str = ""
    frames: tuple[str, ...] = ()

    @property
    def interval(self) -> Interval:
        return Interval(self.start, self.end)


@dataclass(frozen=True, slots=True)
class Frame:
    """A receipt for one frame a model or observer was given: when, how large, and its stored JPEG (content hash)."""

    time: float
    width: int
    height: int
    sha256: str
