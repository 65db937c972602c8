"""The media doctor: what a video file is, what is odd about it, what each oddity means and what the app does about it.

Reads the file alone; changes nothing. Knows no page.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from vesta_ui.control import Control
from vesta_ui.domain import Interval, clock, listed
from vesta_ui.playback import copy_reason
from vesta_ui.video import Video, open_video
from vesta_ui.video.container import StreamFacts, streams
from vesta_ui.video.decode import Reader
from vesta_ui.video.picture import HLG, PQ
from vesta_ui.video.sound import blocks, told

Progress = Callable[[float, float], None]
EVERY_PICTURE_S = 600.0  # up to this length every picture is decoded, beyond it key pictures only


@dataclass(frozen=True, slots=True)
class Oddity:
    """Something unusual: a stable `code`, what it is, what it means, and what the app does."""

    code: str
    what: str
    meaning: str
    action: str


@dataclass(frozen=True, slots=True)
class Report:
    """What `examine` found. `facts` maps a name to a plain value; times in seconds."""

    name: str
    facts: dict[str, Any]
    oddities: tuple[Oddity, ...]

    def as_json(self) -> dict[str, Any]:
        return asdict(self) | {"oddities": [asdict(o) for o in self.oddities]}

    def as_text(self) -> str:
        named = [(*_label(name), _plain(value)) for name, value in self.facts.items()]
        width = max(len(label) for label, *_ in named)
        lines = [self.name, *(f"  {label:{width}}  {value}{unit}" for label, unit, value in named)]
        if not self.oddities:
            return "\n".join([*lines, "", "Nothing odd was found."])
        for odd in self.oddities:
            lines += ["", f"{odd.what} [{odd.code}]", f"  means: {odd.meaning}", f"  so:    {odd.action}"]
        return "\n".join(lines)


def _label(name: str) -> tuple[str, str]:
    """A fact's name for people, and the unit behind its value."""
    for ending, unit in (("_s", " s"), ("_degrees", "°"), ("_bytes", " bytes")):
        if name.endswith(ending):
            return name.removesuffix(ending).replace("_", " "), unit
    return name.replace("_", " "), ""


def _plain(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.3f}".rstrip("0").rstrip(".")
    return "; ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def examine(path: Path, progress: Progress | None = None, control: Control | None = None) -> Report:
    """Open and examine a file. `progress` is told (done, total): seconds of picture and sound looked through.

    Raises `BadVideo` when it cannot be used at all, `Stopped`.
    """
    control = control or Control()
    with open_video(Path(path)) as video:
        duration = video.facts.duration_s
        total = duration * (2 if video.facts.has_audio else 1)

        def reach(done: float) -> None:
            control.check()
            if progress:
                progress(min(done, total), total)

        listed = streams(video.path)
        damage, how = _damage(video, reach)
        sound, harm = _sound_extent(video, lambda heard: reach(duration + heard))
        facts = _facts(video, listed, how, sound)
        found = [odd for check in CHECKS if (odd := check(video, listed)) is not None]
        found += _sound_oddities(video, sound) + _damage_oddities(damage) + _harm_oddities(harm)
    return Report(video.facts.name, facts, tuple(found))


def _facts(video: Video, listed: list[StreamFacts], how: str, sound: tuple[float, float] | None) -> dict[str, Any]:
    timeline, picture = video.timeline, listed[video.source.picture]
    steps = np.diff(timeline.ticks) * float(timeline.time_base)
    groups = np.diff(timeline.keys) * float(timeline.time_base)
    facts: dict[str, Any] = {
        "container": picture.container,
        "size_bytes": video.path.stat().st_size,
        "sha256": video.facts.sha256,
        "picture_codec": f"{picture.codec} {picture.profile}".strip(),
        "pixel_format": picture.layout,
        "stored_size": f"{video.source.size[0]}×{video.source.size[1]}",
        "displayed_size": f"{video.facts.width}×{video.facts.height}",
        "interlaced": video.interlaced,
        "rotation_degrees": video.turn.degrees,
        "pixel_shape": str(video.pixel),
        "duration_s": video.facts.duration_s,
        "pictures": len(timeline.ticks),
        "rate_average": video.facts.fps,
        "longest_picture_s": float(steps.max()) if len(steps) else video.facts.duration_s,
        "picture_starts_at_s": float(timeline.origin * timeline.time_base),
        "key_pictures": len(timeline.keys),
        "longest_group_s": float(groups.max()) if len(groups) else video.facts.duration_s,
        "sound": "none" if sound is None else f"{listed[video.source.sound or 0].codec} {listed[video.source.sound or 0].layout}",
    }  # fmt: skip
    if sound is not None:
        facts |= {"sound_starts_s": sound[0], "sound_ends_s": sound[1]}
    facts["streams"] = [f"{s.index}: {s.kind} {s.codec}{' (default)' if s.default else ''}" for s in listed]
    facts["decoded_for_this_report"] = how
    return facts


def _damage(video: Video, reach: Callable[[float], None]) -> tuple[tuple[Interval, ...], str]:
    """Spans from what arrived damaged to the next key picture, and how closely it was looked for."""
    whole, timeline = video.facts.duration_s <= EVERY_PICTURE_S, video.timeline
    with Reader(video.source) as reader:
        for tick, _ in reader.frames(keys_only=not whole):
            reach(timeline.seconds(tick))
        ticks = reader.damage.ticks
    return video.damaged(ticks), "every picture" if whole else "key pictures"


def _sound_extent(
    video: Video, reach: Callable[[float], None]
) -> tuple[tuple[float, float] | None, tuple[Interval, ...]]:
    """Start and end of the sound on the clock, and where it is damaged; None without sound, (0, 0) when nothing of it
    decodes."""
    if not video.facts.has_audio:
        return None, ()
    start, end, harm = None, 0.0, list[Interval]()
    for time, samples in blocks(video.source, 8_000, 60.0, harm):
        start = time if start is None else start
        end = time + len(samples) / 8_000
        reach(end)
    return (start or 0.0, end), told(harm)


# ------------------------------------------------------------------------------------------------ oddities
Check = Callable[[Video, list[StreamFacts]], Oddity | None]


def _rotated(video: Video, _: list[StreamFacts]) -> Oddity | None:
    if not (video.turn.degrees or video.turn.mirror or video.turn.flip):
        return None
    return Oddity(
        "rotated", f"The picture is stored turned by {video.turn.degrees}°.", "Phones store the picture as the sensor saw it.",
        "It is turned once, for models, thumbnails and the player alike.",
    )  # fmt: skip


def _pixels(video: Video, _: list[StreamFacts]) -> Oddity | None:
    if video.pixel == 1:
        return None
    return Oddity(
        "pixel-shape", f"Pixels are not square ({video.pixel}).", "Shown as stored, things would look too narrow or too wide.",
        f"Pictures are stretched to {video.facts.width}×{video.facts.height}.",
    )  # fmt: skip


def _interlaced(video: Video, _: list[StreamFacts]) -> Oddity | None:
    if not video.interlaced:
        return None
    return Oddity(
        "interlaced", "The picture is interlaced.", "Odd and even lines show two moments; things that move have combs.",
        "Pictures are made of one moment each, for models, thumbnails and the player alike.",
    )  # fmt: skip


def _hdr(video: Video, _: list[StreamFacts]) -> Oddity | None:
    if video.transfer not in (PQ, HLG):
        return None
    return Oddity(
        "hdr", f"HDR light ({'PQ' if video.transfer == PQ else 'HLG'}).", "Shown as it is, it would look grey or dark.",
        "Brightness and colours are mapped to an ordinary screen; they are approximate.",
    )  # fmt: skip


def _late(video: Video, _: list[StreamFacts]) -> Oddity | None:
    start = float(video.timeline.origin * video.timeline.time_base)
    if abs(start) < 0.002:
        return None
    return Oddity(
        "start", f"The picture's first time stamp is {start:.3f} s, not 0.", "Recorders count from their own zero.",
        "All times count from the first picture shown.",
    )  # fmt: skip


def _edited(video: Video, _: list[StreamFacts]) -> Oddity | None:
    if not video.timeline.hidden:
        return None
    return Oddity(
        "edit-list", f"{video.timeline.hidden} pictures before the start are stored but not shown.",
        "The file was cut without encoding it again.", "The video begins where the player begins.",
    )  # fmt: skip


def _unstamped(video: Video, _: list[StreamFacts]) -> Oddity | None:
    if not video.timeline.missing:
        return None
    return Oddity(
        "no-stamps", f"{video.timeline.missing} pictures have no time stamp.", "When they are shown is not written in the file.",
        "They are spaced evenly, in the order in which they are shown; looking up single pictures is slower.",
    )  # fmt: skip


def _unplayable(video: Video, _: list[StreamFacts]) -> Oddity | None:
    reason = copy_reason(video)
    if not reason:
        return None
    return Oddity(
        "player-copy", f"A browser would not play it as it is: {reason}.", "The player on the page could stay black or run on another clock.",
        "A copy for the player (H.264, AAC, same clock) is made when it is first needed; the original is what is analysed.",
    )  # fmt: skip


def _long_groups(video: Video, _: list[StreamFacts]) -> Oddity | None:
    timeline = video.timeline
    edges = np.append(timeline.keys, timeline.ticks[-1])
    longest = float(np.diff(edges).max() * float(timeline.time_base)) if len(edges) > 1 else 0.0
    if longest < 20:
        return None
    return Oddity(
        "few-key-pictures", f"Up to {longest:.0f} s pass between key pictures.", "A single picture can only be reached by decoding from the key picture before it.",
        "Pictures of scenes are taken in one pass; looking up others takes longer.",
    )  # fmt: skip


CHECKS: tuple[Check, ...] = (
    _rotated,
    _pixels,
    _interlaced,
    _hdr,
    _late,
    _edited,
    _unstamped,
    _long_groups,
    _unplayable,
)

NOTICES = {
    "no-sound": ("Nothing can be heard or transcribed.", "Scenes are found by their pictures alone."),
    "sound-tracks": ("Only one can be transcribed.", "The default track that is no commentary is used."),
    "joined": ("Clocks that jump would make times ambiguous.", "The recordings are laid end to end."),
    "incomplete": ("The file was cut off while being copied or recorded.", "What is there is used."),
    "hole": ("What happened there cannot be seen.", "The picture before it is taken to stay on screen."),
    "variable-rate": (
        "A picture's number does not tell its time.",
        "Every time comes from the file's own time stamps.",
    ),
}


def _sound_oddities(video: Video, sound: tuple[float, float] | None) -> list[Oddity]:
    found = [Oddity(n.code, n.message, *NOTICES[n.code]) for n in video.notices if n.code in NOTICES]
    if sound is None:
        return found
    duration = video.facts.duration_s
    if sound[1] == 0:
        found.append(
            Oddity(
                "sound-broken",
                "The sound track cannot be decoded.",
                "Nothing can be transcribed.",
                "The video is used without sound.",
            )
        )
    elif sound[1] > duration + 0.5:
        found.append(Oddity("sound-longer", f"The sound runs to {clock(sound[1])}, past the picture's end.", "Speech there has no picture.",
                            "The video lasts as long as its picture; later speech is kept with the last scene."))  # fmt: skip
    elif sound[1] < duration - 0.5:
        found.append(
            Oddity(
                "sound-shorter",
                f"The sound ends at {clock(sound[1])}.",
                "Later scenes are silent.",
                "They are searched by their pictures.",
            )
        )
    if sound[0] > 0.5:
        found.append(
            Oddity(
                "sound-late",
                f"The sound begins at {sound[0]:.2f} s.",
                "It starts after the picture.",
                "It is heard at its own time on the same clock.",
            )
        )
    return found


def _damage_oddities(damage: tuple[Interval, ...]) -> list[Oddity]:
    if not damage:
        return []
    return [
        Oddity(
            "damaged-span",
            f"The picture is damaged at {listed(damage)}.",
            "Up to the next key picture, pictures are missing or may be partly wrong.",
            "What decodes is used; the rest is skipped.",
        )
    ]


def _harm_oddities(harm: tuple[Interval, ...]) -> list[Oddity]:
    if not harm:
        return []
    return [
        Oddity(
            "damaged-sound",
            f"The sound is damaged at {listed(harm)}.",
            "Words there may be wrong or missing in the transcript.",
            "What decodes is heard; the rest is taken for silence.",
        )
    ]
