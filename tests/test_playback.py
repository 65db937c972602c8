"""What the page plays: the original where a browser can, else a copy on the same clock; posters and subtitles."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import media
import numpy as np
import pytest

from vesta_ui.control import Control
from vesta_ui.domain import Word
from vesta_ui.errors import Stopped, StorageFailed
from vesta_ui.playback import copy_reason, needs_copy, playable, webvtt
from vesta_ui.video import Video, open_video
from vesta_ui.video.container import streams
from vesta_ui.video.decode import Reader

IMAGES = media.scenes(75, [30])
SOUND = media.beeps(2.5, [(1.0, 1.3)])
X265 = {"preset": "ultrafast", "x265-params": "log-level=none"}


def plain(folder: Path, name: str = "v.mp4", **more: object) -> Path:
    return media.write(folder / name, IMAGES, sound=SOUND, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["v.mp4", "v.mov", "v.m4v"])
def test_a_common_file_is_played_as_it_is(name: str, tmp_path: Path) -> None:
    with open_video(plain(tmp_path, name)) as video:
        assert not needs_copy(video) and playable(video, tmp_path / "copies") == video.path
        assert not (tmp_path / "copies").exists()


@pytest.mark.parametrize("name", ["v.mp4", "v.mkv"])
def test_what_a_browser_refused_is_decoded_anew_and_kept(name: str, tmp_path: Path) -> None:
    with open_video(media.garble_sound(plain(tmp_path, f"w{name}"), tmp_path / name, 1.0, 1.5)) as video:
        before = playable(video, tmp_path / "copies")
        after = playable(video, tmp_path / "copies", refused=True)
        assert after != before and playable(video, tmp_path / "copies") == after
        with open_video(after) as copy, Reader(copy.source) as reader:
            assert len(list(reader.frames())) == len(IMAGES) and not reader.damage.ticks
            heard = np.concatenate([samples for _, samples in copy.audio(16_000, 1.0)])
            assert len(heard) / 16_000 == pytest.approx(2.5, abs=0.1)


def test_rotation_and_an_edit_list_need_no_copy(tmp_path: Path) -> None:
    for path in (
        plain(tmp_path, "r.mp4", rotation=90),
        media.remux(plain(tmp_path, gop=300), tmp_path / "e.mp4", shift=-0.5),
    ):
        with open_video(path) as video:
            assert copy_reason(video) == ""


def glued(folder: Path) -> Path:
    (folder / "g.ts").write_bytes(plain(folder, "v.ts", start=10.0).read_bytes() * 2)
    return folder / "g.ts"


def interlaced(folder: Path, name: str = "v.mp4") -> Path:
    """A square crosses a plain wall quickly: each picture holds two moments, line by line."""
    moments = []
    for number in range(60):
        image = np.full((180, 320, 3), 60, np.uint8)
        image[60:140, 4 * number : 4 * number + 60] = 220
        moments.append(image)
    return media.write(folder / name, media.interlaced(moments), fps=25, options={"x264-params": "tff=1", "crf": "10"})


COPIED: dict[str, Callable[[Path], Path]] = {
    "transport stream": lambda d: plain(d, "v.ts", start=3600.0),
    "glued": glued,
    "matroska": lambda d: plain(d, "v.mkv"),
    "no edit list": lambda d: media.remux(plain(d), d / "n.mp4", container={"use_editlist": "0"} | media.NEGATIVE),
    "hevc": lambda d: plain(d, codec="libx265", options=X265),
    "ten bits": lambda d: plain(d, pixels="yuv420p10le"),
    "hdr": lambda d: plain(d, codec="libx265", pixels="yuv420p10le", transfer=16, options=X265),
    "mpeg-2": lambda d: plain(d, "v.mpg", codec="mpeg2video", sound_codec="mp2"),
    "odd size": lambda d: media.write(d / "v.mkv", media.scenes(75, [30], (321, 181)), pixels="yuv444p", sound=SOUND),
    "variable rate": lambda d: plain(d, "v.mkv", times=[n / 30 + (0.5 if n > 40 else 0) for n in range(75)]),
    "pixel shape": lambda d: plain(d, "v.mkv", pixel_shape=Fraction(4, 3)),
    "turned": lambda d: plain(d, "v.mp4", rotation=270, pixels="yuv444p"),
    "very large": lambda d: media.write(d / "v.mp4", [np.full((2304, 5120, 3), 90, np.uint8)] * 2, fps=1),
}  # fmt: skip


@pytest.mark.parametrize("kind", COPIED)
def test_a_copy_plays_anywhere_on_the_same_clock(kind: str, tmp_path: Path) -> None:
    with open_video(COPIED[kind](tmp_path)) as video:
        assert needs_copy(video)
        shares: list[float] = []
        path = playable(video, tmp_path / "copies", shares.append)
        assert shares == sorted(shares) and shares[-1] == 1.0
        assert path.parent == tmp_path / "copies" and video.facts.sha256 in path.name
        with open_video(path) as copy:
            assert_plays(copy)
            assert_same(video, copy, numbered=kind != "very large")
        made = path.stat().st_mtime_ns
        assert playable(video, tmp_path / "copies") == path and path.stat().st_mtime_ns == made
        assert [p.name for p in path.parent.iterdir()] == [path.name]


def assert_plays(copy: Video) -> None:
    picture = streams(copy.path)[0]
    assert (picture.codec, picture.layout) == ("h264", "yuv420p") and not needs_copy(copy)
    assert [s.codec for s in streams(copy.path)[1:]] == (["aac"] if copy.facts.has_audio else [])
    assert copy.facts.width % 2 == 0 and copy.facts.height % 2 == 0 and max(copy.facts.width, copy.facts.height) <= 1280
    assert copy.turn.degrees == 0 and copy.pixel == 1 and copy.timeline.origin == 0
    gaps = np.diff([*copy.timeline.keys, copy.timeline.ticks[-1]]) * float(copy.timeline.time_base)
    assert gaps.max() <= 2.6
    data = copy.path.read_bytes()
    assert data.index(b"moov") < data.index(b"mdat"), "the index must stand first"


def assert_same(video: Video, copy: Video, numbered: bool) -> None:
    ticks, others = video.timeline, copy.timeline
    assert len(ticks.ticks) == len(others.ticks)
    times = [ticks.seconds(int(t)) for t in ticks.ticks]
    assert [others.seconds(int(t)) for t in others.ticks] == pytest.approx(times, abs=0.001)
    assert abs(copy.facts.width - video.facts.width * min(1, 1280 / max(video.facts.width, video.facts.height))) <= 1
    if not numbered:
        return
    asked = [t + 0.004 for t in times[::7]]
    upright = {0: 0, 90: 3, 180: 2, 270: 1}[video.turn.degrees]
    for one, other in zip(video.frames_at(asked), copy.frames_at(asked), strict=True):
        assert media.number_in(np.rot90(one.image, upright)) == media.number_in(np.rot90(other.image, upright))
    loud = [s + np.argmax(np.abs(b) > 0.1) / 16_000 for s, b in copy.audio() if (np.abs(b) > 0.1).any()]
    assert loud[0] == pytest.approx(1.0, abs=0.04)


def test_colours_survive_the_copy(tmp_path: Path) -> None:
    flat = [np.full((180, 320, 3), (200, 60, 40), np.uint8)] * 10
    with open_video(media.write(tmp_path / "v.mkv", flat)) as video, open_video(playable(video, tmp_path)) as copy:
        shown = copy.frames_at([0.1])[0].image[90, 160].astype(int)
    assert np.abs(shown - (200, 60, 40)).max() <= 6


def combs(image: media.Image) -> float:
    """How much lines differ from the mean of their neighbours above and below."""
    grey = image.astype(float).mean(2)
    return float(np.abs(grey[1:-1] - (grey[:-2] + grey[2:]) / 2).mean())


def test_interlaced_pictures_have_no_combs(tmp_path: Path) -> None:
    with open_video(interlaced(tmp_path)) as video:
        with Reader(video.source) as reader:
            stored = [frame.to_ndarray(format="rgb24") for _, frame in reader.frames()]
        assert video.interlaced and copy_reason(video) == "the picture is interlaced"
        still = video.frames_at([0.6])[0]
        assert combs(stored[still.frame]) > 5 * combs(still.image)
        assert still.image[100, 4 * 30 + 30].mean() > 200, "the square is where it was"
        with open_video(playable(video, tmp_path)) as copy:
            assert not copy.interlaced and len(copy.timeline.ticks) == len(stored)
            assert combs(stored[still.frame]) > 5 * combs(copy.frames_at([0.6])[0].image)


PACKED = ["transport stream", "matroska", "no edit list", "fragmented", "late sound"]
MORE: dict[str, Callable[[Path], Path]] = {
    "fragmented": lambda d: media.remux(plain(d), d / "f.mp4", container={"movflags": "frag_keyframe+empty_moov", "use_editlist": "0"} | media.NEGATIVE),
    "late sound": lambda d: plain(d, "v.mkv", sound_start=0.5),
}  # fmt: skip


@pytest.mark.parametrize("kind", PACKED)
def test_what_browsers_decode_is_repacked_not_encoded_again(kind: str, tmp_path: Path) -> None:
    with open_video((COPIED | MORE)[kind](tmp_path)) as video, open_video(playable(video, tmp_path)) as copy:
        stored = [[frame.to_ndarray() for _, frame in Reader(v.source).frames()] for v in (video, copy)]
        assert len(stored[0]) == len(stored[1]) and all(np.array_equal(a, b) for a, b in zip(*stored, strict=True))
        loud = [next(s + np.argmax(np.abs(b) > 0.1) / 16_000 for s, b in v.audio() if (np.abs(b) > 0.1).any()) for v in (video, copy)]  # fmt: skip
        assert loud[1] == pytest.approx(loud[0], abs=0.03)


@pytest.mark.parametrize("case", [{"gop": 75, "fps": 5}, {"sound_codec": "mp2"}, {"pixels": "yuv444p"}])
def test_what_would_not_play_well_is_encoded_again(case: dict[str, object], tmp_path: Path) -> None:
    with open_video(plain(tmp_path, "v.mkv", **case)) as video, open_video(playable(video, tmp_path)) as copy:
        assert_plays(copy)


@pytest.mark.parametrize("pixels", ["yuv420p", "yuv444p"])
def test_late_sound_and_holes_keep_their_place(pixels: str, tmp_path: Path) -> None:
    """Both where packets are copied and where the sound is encoded again."""
    path = plain(tmp_path, "v.mkv", sound_start=0.7, pixels=pixels)
    with open_video(path) as video, open_video(playable(video, tmp_path)) as copy:
        start, block = next(iter(copy.audio()))
        assert start + np.argmax(np.abs(block) > 0.1) / 16_000 == pytest.approx(1.7, abs=0.04)


def test_stopping_leaves_nothing_half_made(tmp_path: Path) -> None:
    control = Control()
    with open_video(plain(tmp_path, "v.mkv")) as video:
        with pytest.raises(Stopped):
            playable(video, tmp_path / "copies", lambda share: control.stop(), control)
        assert list((tmp_path / "copies").iterdir()) == []
        assert playable(video, tmp_path / "copies").is_file()


def test_a_folder_that_cannot_be_written_is_one_clear_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with open_video(plain(tmp_path, "v.mkv")) as video, pytest.raises(StorageFailed, match="could not be written"):
        playable(video, tmp_path / "file" / "copies")


def test_subtitles_are_escaped_and_timed() -> None:
    track = webvtt([(0.5, 1.25, "a <b>bold</b> & --> claim"), (3600.0, 3601.5, "two\nlines"), (5.0, 5.0, "never")])
    assert track.startswith("WEBVTT\n\n00:00:00.500 --> 00:00:01.250\na &lt;b&gt;bold&lt;/b&gt; &amp; --&gt; claim\n")
    assert "01:00:00.000 --> 01:00:01.500\ntwo lines\n" in track and "never" not in track
    assert "00:00:01.000 --> 00:00:01.400\nred" in webvtt([Word(1.0, 1.4, "red")])
