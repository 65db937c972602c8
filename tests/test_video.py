"""Exact pictures and sound on one clock, on every awkward kind of file."""

from __future__ import annotations

import random
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import media
import numpy as np
import pytest

from vesta_ui.errors import BadInput
from vesta_ui.video import Video, decode, open_video
from vesta_ui.video.decode import Reader

COUNT = 90
CUTS = (30, 60)
IMAGES = media.scenes(COUNT, CUTS)
SOUND = media.beeps(3.0, [(1.0, 1.5)])
NTSC = Fraction(30_000, 1001)
UNEVEN = [n / 30 + (0.7 if n >= 45 else 0.0) + (0.011 if n % 3 == 1 else 0.0) for n in range(COUNT)]
DRIFTING = [n / 30 if n < 40 else 40 / 30 + (n - 40) / 12 for n in range(COUNT)]


def plain(folder: Path, name: str = "plain.mp4", **more: object) -> Path:
    return media.write(folder / name, IMAGES, sound=SOUND, **more)  # type: ignore[arg-type]


def joined(folder: Path, *starts: float) -> Path:
    """Recordings one behind the other, as `cat` joins them; `starts`: what their clocks tell at first, seconds."""
    parts = [plain(folder, f"{start:.0f}.ts", start=start) for start in starts]
    both = folder / "both.ts"
    both.write_bytes(b"".join(part.read_bytes() for part in parts))
    return both


def preview_first(folder: Path) -> Path:
    small = media.write(folder / "small.mkv", media.scenes(15, [], (64, 36)), fps=5, codec="mjpeg", pixels="yuvj420p")
    return media.remux([small, plain(folder)], folder / "two.mkv", main=1)


Maker = Callable[[Path], Path]
EVEN = [n / 30 for n in range(COUNT)]
FEW_STAMPS = {"preset": "veryfast"}  # small pictures share a packet of the container, which carries one stamp
X265 = {"preset": "ultrafast", "x265-params": "log-level=none"}
# name: maker, true seconds of each shown picture, number of the first picture shown, tolerance of the container's stamps
KINDS: dict[str, tuple[Maker, list[float], int]] = {
    "constant": (lambda d: plain(d), EVEN, 0),
    "variable": (lambda d: plain(d, times=UNEVEN), [t - UNEVEN[0] for t in UNEVEN], 0),
    "rate-changes.mkv": (lambda d: plain(d, "v.mkv", times=DRIFTING), DRIFTING, 0),
    "ntsc": (lambda d: plain(d, fps=NTSC), [float(n / NTSC) for n in range(COUNT)], 0),
    "slow-motion-240": (lambda d: media.write(d / "v.mp4", IMAGES, fps=240), [n / 240 for n in range(COUNT)], 0),
    "one-per-second": (lambda d: media.write(d / "v.mp4", IMAGES, fps=1), [float(n) for n in range(COUNT)], 0),
    "starts-at-3600.ts": (lambda d: plain(d, "v.ts", start=3600.0), EVEN, 0),
    "wraps-33-bits.ts": (lambda d: plain(d, "v.ts", start=2**33 / 90_000 - 1.5, bframes=0), EVEN, 0),
    "joined.ts": (lambda d: joined(d, 10.0, 10.0), [n / 30 for n in range(2 * COUNT)], 0),
    "leaps-an-hour.ts": (lambda d: joined(d, 10.0, 4000.0), [n / 30 for n in range(2 * COUNT)], 0),
    "wraps-behind-a-seam.ts": (lambda d: joined(d, 33.0, 2**33 / 90_000 - 1.5), [n / 30 for n in range(2 * COUNT)], 0),
    "late.mkv": (lambda d: plain(d, "v.mkv", start=1.5), EVEN, 0),
    "negative.mkv": (lambda d: plain(d, "v.mkv", start=-0.5, container=media.NEGATIVE), EVEN, 0),
    "edit-list": (lambda d: media.remux(plain(d, gop=300), d / "e.mp4", shift=-0.5), EVEN[: COUNT - 15], 15),
    "no-edit-list": (
        lambda d: media.remux(plain(d), d / "n.mp4", container={"use_editlist": "0"} | media.NEGATIVE), EVEN, 0,
    ),
    "one-key-picture": (lambda d: plain(d, gop=600, bframes=8, options={"preset": "veryfast", "b_strategy": "0"}), EVEN, 0),
    "b-pyramid-open": (
        lambda d: plain(d, gop=30, bframes=4, options={"preset": "veryfast", "x264-params": "open-gop=1:b-pyramid=normal"}),
        EVEN, 0,
    ),
    "fragmented": (
        lambda d: media.remux(plain(d), d / "f.mp4", container={"movflags": "frag_keyframe+empty_moov+default_base_moof"}),
        EVEN, 0,
    ),
    "raw.h264": (lambda d: media.write(d / "v.h264", IMAGES), [n / 25 for n in range(COUNT)], 0),
    "raw-50.h264": (
        lambda d: media.write(d / "v.h264", IMAGES, options={"x264-params": "fps=50/1:force-cfr=1:timebase=1/50"}),
        [n / 50 for n in range(COUNT)], 0,
    ),
    "raw.hevc": (lambda d: media.write(d / "v.hevc", IMAGES, codec="libx265", options=X265), EVEN, 0),
    "raw.mjpeg": (
        lambda d: media.write(d / "v.mjpeg", IMAGES, codec="mjpeg", pixels="yuvj420p"), [n / 25 for n in range(COUNT)], 0,
    ),
    "b-pictures.avi": (lambda d: media.write(d / "v.avi", IMAGES), EVEN, 0),
    "mpeg2.mpg": (lambda d: plain(d, "v.mpg", codec="mpeg2video", sound_codec="mp2", sound_rate=16_000), EVEN, 0),
    "few-stamps.mpg": (lambda d: plain(d, "v.mpg", bframes=3, options=FEW_STAMPS, sound_codec="mp2"), EVEN, 0),
    "few-stamps-hevc.mpg": (lambda d: plain(d, "v.mpg", codec="libx265", options=X265, sound_codec="mp2"), EVEN, 0),
    "few-stamps-wrap.mpg": (
        lambda d: plain(d, "v.mpg", start=2**33 / 90_000 - 1.5, bframes=3, options=FEW_STAMPS, sound_codec="mp2"), EVEN, 0,
    ),
    "wraps-33-bits.mpg": (
        lambda d: plain(d, "v.mpg", start=2**33 / 90_000 - 1.5, codec="mpeg2video", sound_codec="mp2"), EVEN, 0,
    ),
    "begins-inside-a-group.ts": (
        lambda d: media.behead(plain(d, "v.ts", gop=30), 0.2), EVEN[: COUNT - 30], 30,
    ),
    "slides.mkv": (lambda d: media.write(d / "v.mkv", IMAGES[:5], fps=Fraction(1, 100)), [100.0 * n for n in range(5)], 0),
    "hevc-10-bits": (
        lambda d: plain(d, codec="libx265", pixels="yuv420p10le", options=X265),
        EVEN, 0,
    ),
    "vp9-odd.webm": (
        lambda d: media.write(d / "v.webm", media.scenes(COUNT, CUTS, (321, 181)), codec="libvpx-vp9", options={"deadline": "realtime", "cpu-used": "8"}),
        EVEN, 0,
    ),
    "preview-first.mkv": (preview_first, EVEN, 0),
    "animation.gif": (
        lambda d: media.write(d / "v.gif", IMAGES[:20], fps=10, codec="gif", pixels="rgb8"), [n / 10 for n in range(20)], 0,
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_pictures_asked_are_those_shown(kind: str, tmp_path: Path) -> None:
    make, truth, first = KINDS[kind]
    with open_video(make(tmp_path)) as video:
        assert len(video.timeline.ticks) == len(truth)
        order = [*range(len(truth)), *random.Random(7).choices(range(len(truth)), k=12), 0, len(truth) - 1, 0]
        ends = [*truth[1:], video.facts.duration_s]
        asked = [(truth[n] + ends[n]) / 2 for n in order]
        pictures = video.frames_at(asked)
        wrap = COUNT if len(truth) == 2 * COUNT else 10**9
        assert [media.number_in(p.image) for p in pictures] == [(n + first) % wrap for n in order]
        assert [p.frame for p in pictures] == order
        assert [p.time for p in pictures] == pytest.approx([truth[n] for n in order], abs=0.0021)
        assert video.facts.duration_s == pytest.approx(truth[-1] + np.median(np.diff(truth)), abs=0.09)


def test_a_single_picture_far_in_and_one_by_one_are_exact(tmp_path: Path) -> None:
    with open_video(plain(tmp_path, gop=30, bframes=3, options={"preset": "veryfast"})) as video:
        for number in (88, 3, 61, 60, 59, 0, 89, 31):
            (shown,) = video.frames_at([number / 30 + 0.001])
            assert media.number_in(shown.image) == shown.frame == number


def test_a_time_equal_to_a_stamp_or_rounded_to_milliseconds_finds_its_own_picture(tmp_path: Path) -> None:
    with open_video(plain(tmp_path, fps=NTSC)) as video:
        times = [video.timeline.seconds(int(t)) for t in video.timeline.ticks]
        assert [p.frame for p in video.frames_at(times)] == list(range(COUNT))
        assert [p.frame for p in video.frames_at([round(t, 3) for t in times])] == list(range(COUNT))


def test_unneeded_pictures_are_not_decoded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = media.write(
        tmp_path / "v.mp4", IMAGES, gop=90, bframes=3, options={"preset": "veryfast", "x264-params": "b-pyramid=none"}
    )
    seen: list[int] = []
    original = decode.Reader._decode

    def counting(self: decode.Reader, packet: object, segment: int) -> object:
        frames = original(self, packet, segment)  # type: ignore[arg-type]
        seen.extend(f.pts for f in frames)
        return frames

    with open_video(path) as video:
        monkeypatch.setattr(decode.Reader, "_decode", counting)
        (shown,) = video.frames_at([80 / 30 + 0.01])
    assert media.number_in(shown.image) == 80
    assert len(seen) < 60


# ------------------------------------------------------------------------------------------------ times outside
@pytest.mark.parametrize("time", [-0.5, 100.0, float("nan"), float("inf")])
def test_a_time_outside_the_video_is_refused_with_its_length(time: float, tmp_path: Path) -> None:
    with open_video(plain(tmp_path)) as video, pytest.raises(BadInput, match=r"from 0 to 3\.0 s"):
        video.frames_at([time])


def test_the_very_end_means_the_last_picture(tmp_path: Path) -> None:
    with open_video(plain(tmp_path)) as video:
        assert [p.frame for p in video.frames_at([video.facts.duration_s])] == [COUNT - 1]
        assert video.frames_at([]) == []


# ------------------------------------------------------------------------------------------------ the picture
@pytest.mark.parametrize(("rotation", "turns"), [(90, 1), (180, 2), (270, 3)])
def test_a_rotated_picture_is_turned_once(rotation: int, turns: int, tmp_path: Path) -> None:
    upright, path = plain(tmp_path, "u.mp4"), plain(tmp_path, "r.mp4", rotation=rotation)
    with open_video(upright) as stored, open_video(path) as video:
        (raw,), (shown,) = stored.frames_at([0.5]), video.frames_at([0.5])
        assert (video.facts.width, video.facts.height) == ((180, 320) if turns % 2 else (320, 180))
        assert np.array_equal(shown.image, np.rot90(raw.image, turns))
        (small,) = video.frames_at([0.5], max_side=160)
        assert small.image.shape == ((160, 90, 3) if turns % 2 else (90, 160, 3))


@pytest.mark.parametrize(
    ("shape", "size"), [(Fraction(4, 3), (427, 180)), (Fraction(1, 2), (320, 360)), (None, (320, 180))]
)
def test_pixels_become_square(shape: Fraction | None, size: tuple[int, int], tmp_path: Path) -> None:
    with open_video(plain(tmp_path, pixel_shape=shape)) as video:
        (shown,) = video.frames_at([1.0])
        assert (video.facts.width, video.facts.height) == size == (shown.image.shape[1], shown.image.shape[0])
        assert media.number_in(shown.image) == 30


def test_colours_come_out_as_they_went_in(tmp_path: Path) -> None:
    flat = [
        np.full((180, 320, 3), c, np.uint8)
        for c in ((200, 40, 40), (30, 160, 70), (50, 60, 210), (0, 0, 0), (255, 255, 255))
    ]
    path = media.write(tmp_path / "c.mp4", flat, fps=1, options={"preset": "ultrafast", "crf": "1"})
    with open_video(path) as video:
        for shown, made in zip(video.frames_at([0, 1, 2, 3, 4]), flat, strict=True):
            assert np.abs(shown.image[90, 160].astype(int) - made[90, 160]).max() <= 4


def test_hdr_is_mapped_to_a_screen_and_said_so(tmp_path: Path) -> None:
    grey = [
        np.full((180, 320, 3), level, np.uint8) for level in (0, 80, 148, 190, 255)
    ]  # 148/255: near reference white in PQ
    options = {"preset": "ultrafast", "x265-params": "log-level=none"}
    made = {
        name: media.write(tmp_path / f"{name}.mp4", grey, fps=1, codec="libx265", pixels="yuv420p10le", options=options, transfer=transfer)
        for name, transfer in (("pq", 16), ("sdr", 1))
    }  # fmt: skip
    levels = {}
    for name, path in made.items():
        with open_video(path) as video:
            levels[name] = [int(p.image[90, 160].mean()) for p in video.frames_at([0, 1, 2, 3, 4])]
            assert ("hdr" in [n.code for n in video.notices]) == (name == "pq")
    assert levels["pq"] == sorted(levels["pq"]) and levels["pq"][0] < 10
    assert levels["pq"][2] > levels["sdr"][2] + 40, "reference white must look bright, not grey"
    assert levels["pq"][4] <= 255


def test_a_huge_picture_is_shrunk_while_it_is_converted(tmp_path: Path) -> None:
    huge = [np.full((4320, 8192, 3), 90, np.uint8)]
    with open_video(media.write(tmp_path / "huge.mp4", huge, fps=1)) as video:
        (shown,) = video.frames_at([0.0], max_side=512)
        assert shown.image.shape == (270, 512, 3)
        assert (video.facts.width, video.facts.height) == (8192, 4320)


def test_an_extreme_shape_keeps_at_least_a_pixel(tmp_path: Path) -> None:
    with open_video(media.write(tmp_path / "strip.mp4", [np.zeros((16, 1920, 3), np.uint8)] * 3)) as video:
        assert video.frames_at([0.0], max_side=60)[0].image.shape == (1, 60, 3)


def test_a_palette_picture_is_not_black_after_a_seek(tmp_path: Path) -> None:
    with open_video(media.palette_video(tmp_path / "p.avi", IMAGES[:40])) as video:
        for number in (30, 5, 39):
            (shown,) = video.frames_at([number / 30 + 0.01])
            assert media.number_in(shown.image) == number and shown.image.mean() > 30


# ------------------------------------------------------------------------------------------------ the sound
def onset(video: Video) -> float:
    blocks = list(video.audio())
    starts = [start + float(np.argmax(np.abs(b) > 0.1)) / 16_000 for start, b in blocks if (np.abs(b) > 0.1).any()]
    return starts[0]


@pytest.mark.parametrize(
    "kind",
    [
        "constant",
        "starts-at-3600.ts",
        "wraps-33-bits.ts",
        "late.mkv",
        "no-edit-list",
        "fragmented",
        "mpeg2.mpg",
        "preview-first.mkv",
    ],
)
def test_sound_is_on_the_clock_of_the_picture(kind: str, tmp_path: Path) -> None:
    with open_video(KINDS[kind][0](tmp_path)) as video:
        assert onset(video) == pytest.approx(1.0, abs=0.03)


def test_sound_before_an_edit_list_and_after_a_seam_is_on_the_clock(tmp_path: Path) -> None:
    with open_video(KINDS["edit-list"][0](tmp_path)) as video:
        assert onset(video) == pytest.approx(0.5, abs=0.03)
    for starts in ((10.0, 10.0), (33.0, 2**33 / 90_000 - 1.2)):
        with open_video(joined(tmp_path, *starts)) as video:
            blocks = list(video.audio(block_s=0.5))
            loud = [start for start, block in blocks if np.abs(block).max() > 0.3]
            assert loud[0] == pytest.approx(1.0, abs=0.51) and loud[-1] == pytest.approx(4.0, abs=0.51)
            assert len(loud) <= 4


def test_sound_that_starts_late_or_early_keeps_its_offset(tmp_path: Path) -> None:
    with open_video(plain(tmp_path, "late.mkv", sound_start=0.8)) as video:
        assert onset(video) == pytest.approx(1.8, abs=0.03)
    with open_video(plain(tmp_path, "early.mkv", sound_start=-0.4, start=0.5)) as video:
        assert onset(video) == pytest.approx(0.6, abs=0.03)
        assert min(start for start, _ in video.audio()) >= 0.0


def test_blocks_are_bounded_and_follow_each_other(tmp_path: Path) -> None:
    with open_video(plain(tmp_path)) as video:
        blocks = list(video.audio(block_s=0.25))
        assert all(len(block) <= 4000 and block.dtype == np.float32 for _, block in blocks)
        ends = [start + len(block) / 16_000 for start, block in blocks]
        assert [s for s, _ in blocks[1:]] == pytest.approx(ends[:-1], abs=1e-6)
        assert ends[-1] == pytest.approx(3.0, abs=0.1)


def test_the_default_sound_track_is_heard(tmp_path: Path) -> None:
    silent = media.sound_only(tmp_path / "s.m4a", media.beeps(3.0, []))
    voice = media.sound_only(tmp_path / "v.m4a", SOUND)
    picture = media.write(tmp_path / "p.mp4", IMAGES)
    with open_video(media.remux([picture, silent, voice], tmp_path / "two.mkv", main=2)) as video:
        assert onset(video) == pytest.approx(1.0, abs=0.1)
        assert "sound-tracks" in [n.code for n in video.notices]


def test_a_commentary_is_not_heard_even_where_it_is_the_default(tmp_path: Path) -> None:
    commentary = media.sound_only(tmp_path / "c.m4a", media.beeps(3.0, [(2.0, 2.5)]))
    voice = media.sound_only(tmp_path / "v.m4a", SOUND)
    picture = media.write(tmp_path / "p.mp4", IMAGES)
    path = media.remux([picture, commentary, voice], tmp_path / "two.mkv", main=0, comments=[1])
    with open_video(path) as video:
        assert onset(video) == pytest.approx(1.0, abs=0.1)


def test_a_preview_that_is_marked_default_is_not_the_picture(tmp_path: Path) -> None:
    small = media.write(tmp_path / "small.mkv", media.scenes(15, [], (64, 36)), fps=5, codec="mjpeg", pixels="yuvj420p")
    with open_video(media.remux([small, plain(tmp_path)], tmp_path / "two.mkv", main=0)) as video:
        assert (video.facts.width, video.facts.height) == (320, 180)


def test_a_voice_in_the_centre_of_six_channels_is_heard(tmp_path: Path) -> None:
    path = media.write(
        tmp_path / "v.mkv", IMAGES, sound=SOUND, sound_rate=48_000, sound_layout="5.1", sound_codec="flac"
    )
    with open_video(path) as video:
        assert onset(video) == pytest.approx(1.0 / 3, abs=0.03)  # 16,000 samples a second, played at 48,000
        assert max(float(np.abs(block).max()) for _, block in video.audio()) > 0.1


@pytest.mark.parametrize("codec", ["aac", "mp2", "ac3"])
def test_sound_after_a_broken_stretch_is_on_the_clock(codec: str, tmp_path: Path) -> None:
    sound = media.beeps(3.0, [(0.4, 0.6), (2.5, 2.7)], rate=48_000)
    whole = media.write(tmp_path / "w.mkv", IMAGES, sound=sound, sound_rate=48_000, sound_codec=codec)
    with open_video(media.garble_sound(whole, tmp_path / "v.mkv", 1.0, 2.0)) as video:
        heard = np.zeros(16_000 * 4, np.float32)
        for start, block in video.audio():
            heard[round(start * 16_000) :][: len(block)] = block
    assert np.abs(heard[: int(0.95 * 16_000)]).argmax() / 16_000 == pytest.approx(0.5, abs=0.15)
    late = heard[int(2.1 * 16_000) :]
    assert float(np.argmax(np.abs(late) > 0.2)) / 16_000 + 2.1 == pytest.approx(2.5, abs=0.04)


def test_without_sound_there_is_nothing_and_it_is_said(tmp_path: Path) -> None:
    with open_video(media.write(tmp_path / "v.mp4", IMAGES)) as video:
        assert list(video.audio()) == []
        assert not video.facts.has_audio and "no-sound" in [n.code for n in video.notices]


@pytest.mark.parametrize(("seconds", "beep"), [(8.0, 6.0), (1.0, 0.5)])
def test_sound_longer_or_shorter_than_the_picture_is_kept_as_it_is(seconds: float, beep: float, tmp_path: Path) -> None:
    path = media.write(tmp_path / "v.mp4", IMAGES, sound=media.beeps(seconds, [(beep, beep + 0.3)]))
    with open_video(path) as video:
        assert video.facts.duration_s == pytest.approx(3.0, abs=0.01)
        assert onset(video) == pytest.approx(beep, abs=0.03)
        start, block = list(video.audio())[-1]
        assert start + len(block) / 16_000 == pytest.approx(seconds, abs=0.1)


# ------------------------------------------------------------------------------------------------ damage
def test_pictures_after_a_damaged_span_are_exact(tmp_path: Path) -> None:
    path = media.spoil(plain(tmp_path, "v.ts", gop=15), 0.4, 0.5)
    with open_video(path) as video:
        for number in (0, 10, 80, 89):
            (shown,) = video.frames_at([number / 30 + 0.01])
            assert media.number_in(shown.image) == number
        (lost,) = video.frames_at([1.3])
        assert 0 <= lost.time <= 1.7


def test_a_file_cut_short_is_used_as_far_as_it_goes_and_said_so(tmp_path: Path) -> None:
    long = media.write(tmp_path / "v.mp4", media.scenes(240, [100]), container={"movflags": "faststart"}, gop=15)
    with open_video(media.cut_short(long, 0.5)) as video:
        assert 1.5 < video.facts.duration_s < 7.0
        assert "incomplete" in [n.code for n in video.notices]
        assert media.number_in(video.frames_at([1.0])[0].image) == 30


@pytest.mark.parametrize(("name", "codec"), [("v.webm", "libvpx-vp9"), ("v.mp4", "libx264"), ("h.mp4", "libx265")])
def test_key_pictures_alone_cost_only_themselves(name: str, codec: str, tmp_path: Path) -> None:
    options = {"v.webm": {"deadline": "realtime", "cpu-used": "8"}, "h.mp4": {"x265-params": "log-level=none"}}
    path = media.write(tmp_path / name, media.scenes(90, []), codec=codec, gop=30, options=options.get(name, {}))
    with open_video(path) as video, Reader(video.source) as reader:
        found = [
            (tick, media.number_in(video.picture(tick, frame).image)) for tick, frame in reader.frames(keys_only=True)
        ]
        assert [tick for tick, _ in found] == video.timeline.keys.tolist() and len(found) < 9
        assert all(number == video.timeline.ordinal(tick) for tick, number in found)
