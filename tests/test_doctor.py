"""The doctor names what is odd about a file, what it means and what the app does; and nothing where nothing is odd."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import media
import numpy as np
import pytest

from vesta_ui.control import Control
from vesta_ui.doctor import examine
from vesta_ui.errors import BadVideo, Stopped
from vesta_ui.shots import scene_pass
from vesta_ui.video import open_video

IMAGES = media.scenes(60, [30])
SOUND = media.beeps(2.0, [(0.5, 1.0)])


def plain(folder: Path, name: str = "v.mp4", **more: object) -> Path:
    return media.write(folder / name, IMAGES, **({"sound": SOUND} | more))  # type: ignore[arg-type]


def glued(folder: Path) -> Path:
    (folder / "g.ts").write_bytes(plain(folder, "v.ts", start=10.0).read_bytes() * 2)
    return folder / "g.ts"


def two_tracks(folder: Path) -> Path:
    voice = media.sound_only(folder / "s.m4a", SOUND)
    return media.remux([plain(folder), voice], folder / "two.mkv", main=1)


def long(folder: Path) -> Path:
    return media.write(
        folder / "l.mp4", media.scenes(240, []), container={"movflags": "faststart"}, gop=15, sound=media.beeps(8, [])
    )


X265 = {"preset": "ultrafast", "x265-params": "log-level=none"}
ODD: dict[str, tuple[Callable[[Path], Path], set[str]]] = {
    "nothing": (plain, set()),
    "no sound": (lambda d: plain(d, sound=None), {"no-sound"}),
    "rotated": (lambda d: plain(d, rotation=90), {"rotated"}),
    "pixel shape": (lambda d: plain(d, pixel_shape=Fraction(4, 3)), {"pixel-shape"}),
    "hdr": (lambda d: plain(d, codec="libx265", pixels="yuv420p10le", transfer=16, options=X265), {"hdr", "player-copy"}),
    "hlg": (lambda d: plain(d, codec="libx265", pixels="yuv420p10le", transfer=18, options=X265), {"hdr", "player-copy"}),
    "ten bits": (lambda d: plain(d, pixels="yuv420p10le"), {"player-copy"}),
    "interlaced": (lambda d: media.write(d / "v.mp4", media.interlaced(IMAGES), fps=15, options={"x264-params": "tff=1"}, sound=SOUND), {"interlaced", "player-copy"}),
    "starts late": (lambda d: plain(d, "v.ts", start=3600.0), {"start", "player-copy"}),
    "starts late, says when it ends": (lambda d: plain(d, "v.mkv", start=30.0), {"start", "player-copy"}),
    "glued": (glued, {"joined", "start", "player-copy"}),
    "edit list": (lambda d: media.remux(plain(d, gop=300), d / "e.mp4", shift=-0.5), {"edit-list"}),
    "no stamps": (lambda d: media.write(d / "v.h264", IMAGES), {"no-stamps", "no-sound", "player-copy"}),
    "variable": (lambda d: plain(d, times=[n / 30 + 0.02 * (n % 5 == 1) for n in range(60)]), {"variable-rate"}),
    "paused": (lambda d: plain(d, times=[n / 30 + 1.5 * (n >= 40) for n in range(60)], sound=media.beeps(3.5, [])), {"hole"}),
    "lost clusters": (lambda d: media.spoil(media.write(d / "v.webm", media.scenes(240, [100]), codec="libvpx", gop=60), 0.3, 0.5), {"hole", "no-sound"}),
    "two tracks": (two_tracks, {"sound-tracks", "start", "player-copy"}),
    "sound longer": (lambda d: plain(d, sound=media.beeps(5, [])), {"sound-longer"}),
    "sound shorter": (lambda d: plain(d, sound=media.beeps(1, [])), {"sound-shorter"}),
    "sound late": (lambda d: plain(d, "v.mkv", sound_start=1.0), {"sound-late", "sound-longer", "player-copy"}),
    "few key pictures": (lambda d: media.write(d / "v.mp4", IMAGES, fps=2, gop=600, sound=media.beeps(30, [])), {"few-key-pictures"}),
    "cut short": (lambda d: media.cut_short(long(d), 0.5), {"incomplete"}),
    "damaged": (lambda d: media.spoil(plain(d, "v.ts"), 0.4, 0.5), {"damaged-span"}),
    "damaged sound": (lambda d: media.garble_sound(plain(d), d / "g.mp4", 0.7, 1.5), {"damaged-sound"}),
}  # fmt: skip
MAY_ALSO = {
    "cut short": {"damaged-span", "sound-shorter", "variable-rate"},
    "lost clusters": {"damaged-span", "player-copy", "start"},
    "damaged": {"hole", "player-copy", "start", "variable-rate", "sound-shorter", "no-stamps", "damaged-sound"},
}


@pytest.mark.parametrize("kind", ODD)
def test_each_oddity_is_named_and_nothing_else(kind: str, tmp_path: Path) -> None:
    make, codes = ODD[kind]
    report = examine(make(tmp_path))
    found = {odd.code for odd in report.oddities}
    assert codes <= found <= codes | MAY_ALSO.get(kind, set())
    assert len(found) == len(report.oddities)
    for odd in report.oddities:
        assert odd.what.endswith(".") and odd.meaning.endswith(".") and odd.action.endswith(".")


def test_facts_are_the_files(tmp_path: Path) -> None:
    facts = examine(plain(tmp_path, rotation=90, pixels="yuv420p")).facts
    assert (
        facts["stored_size"] == "320×180" and facts["displayed_size"] == "180×320" and facts["rotation_degrees"] == 90
    )
    assert (
        facts["pictures"] == 60
        and facts["duration_s"] == pytest.approx(2.0)
        and facts["rate_average"] == pytest.approx(30)
    )
    assert facts["sound_starts_s"] == pytest.approx(0, abs=0.05) and facts["sound_ends_s"] == pytest.approx(
        2.0, abs=0.1
    )
    assert facts["key_pictures"] == 2 and facts["picture_codec"].startswith("h264")
    assert facts["streams"] == ["0: video h264 (default)", "1: audio aac (default)"]


@pytest.mark.parametrize("gop", [15, 60])
def test_damage_lasts_to_the_next_key_picture(gop: int, tmp_path: Path) -> None:
    path = media.write(tmp_path / "v.ts", media.scenes(180, [90]), gop=gop, bframes=0)
    data = bytearray(path.read_bytes())
    with open_video(path) as whole:
        sizes = np.cumsum(whole.timeline.sizes) / whole.timeline.sizes.sum()
    packet = int(len(data) * float(sizes[69]) / 188) * 188  # about picture 70 of 180, inside a group
    data[packet : packet + 188 * 3] = np.random.default_rng(3).bytes(188 * 3)
    path.write_bytes(data)
    (odd,) = (odd for odd in examine(path).oddities if odd.code == "damaged-span")
    start, end = (float(one) for one in re.findall(r"\d\d:(\d\d\.\d)", odd.what))
    assert 1.8 < start < 2.8
    assert end == pytest.approx(math.ceil(start * 30 / gop) * gop / 30, abs=0.06)
    with open_video(path) as video:
        (notice,) = scene_pass(video).notices
    assert re.findall(r"\d\d:\d\d\.\d", notice.message) == re.findall(r"\d\d:\d\d\.\d", odd.what)


def test_what_follows_a_hole_inside_a_group_may_be_wrong(tmp_path: Path) -> None:
    def hole(start: int, end: int) -> str:
        times = [n / 30 + 2.0 * (n >= end) for n in range(60)]
        kept = [n for n in range(60) if not start <= n < end]
        path = media.write(tmp_path / f"{end}.mp4", [IMAGES[n] for n in kept], times=[times[n] for n in kept], gop=10)
        return next(odd.what for odd in examine(path).oddities if odd.code == "hole")

    assert hole(40, 40).endswith("the one before stays.")
    assert hole(35, 35).endswith("What follows may be wrong up to the next key picture.")


def test_it_tells_how_far_it_is_and_stops(tmp_path: Path) -> None:
    path, told = plain(tmp_path), list[tuple[float, float]]()
    report = examine(path, lambda done, total: told.append((done, total)))
    assert {total for _, total in told} == {2 * report.facts["duration_s"]}
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    assert told[0][0] == 0 and told[-1][0] == pytest.approx(told[-1][1], abs=0.1) and len(told) >= 60
    control = Control()
    with pytest.raises(Stopped):
        examine(path, lambda done, total: control.stop() if done > 1 else None, control)


def test_a_report_is_json_and_text(tmp_path: Path) -> None:
    report = examine(plain(tmp_path, "v.ts", start=10.0))
    data = json.loads(json.dumps(report.as_json()))
    assert data["name"] == "v.ts" and {o["code"] for o in data["oddities"]} == {"start", "player-copy"}
    text = report.as_text()
    assert "first time stamp is 10.000 s" in text and "means:" in text and "so:" in text
    assert (
        re.search(r"duration +2 s\n", text)
        and re.search(r"size +\d+ bytes\n", text)
        and re.search(r"rotation +0°", text)
    )
    assert "Nothing odd" in examine(plain(tmp_path)).as_text()


def test_what_is_no_video_is_refused(tmp_path: Path) -> None:
    (tmp_path / "v.mp4").write_text("<html>")
    with pytest.raises(BadVideo, match="web page"):
        examine(tmp_path / "v.mp4")
