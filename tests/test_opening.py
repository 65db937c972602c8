"""Files that are no videos are refused in one sentence; names, identity, threads and the clock's arithmetic."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path

import media
import numpy as np
import pytest

from vesta_ui.errors import BadVideo
from vesta_ui.video import container, content_hash, open_video
from vesta_ui.video.timeline import PacketLog, build

COUNT = 90
IMAGES = media.scenes(COUNT, (30, 60))
SOUND = media.beeps(3.0, [(1.0, 1.5)])
Maker = Callable[[Path], Path]


def plain(folder: Path, name: str = "plain.mp4") -> Path:
    return media.write(folder / name, IMAGES, sound=SOUND)


# ------------------------------------------------------------------------------------------------ refusals
def _file(folder: Path, name: str, data: bytes) -> Path:
    (folder / name).write_bytes(data)
    return folder / name


REFUSED: dict[str, tuple[Maker, str]] = {
    "missing": (lambda d: d / "nowhere.mp4", "not found"),
    "folder": (lambda d: d, "folder"),
    "empty": (lambda d: _file(d, "e.mp4", b""), "empty"),
    "web page": (lambda d: _file(d, "p.mp4", b"\n<!DOCTYPE html><title>403</title>"), "web page"),
    "noise": (lambda d: _file(d, "n.mp4", np.random.default_rng(1).bytes(5000)), "not a video"),
    "text": (lambda d: _file(d, "t.mp4", b"hello " * 200), "not a video"),
    "subtitles": (lambda d: _file(d, "s.mp4", b"1\r\n00:00:01,000 --> 00:00:02,000\r\nHello\r\n"), "subtitle file"),
    "WebVTT": (lambda d: _file(d, "s.mp4", b"\xef\xbb\xbfWEBVTT\n\n00:01.000 --> 00:02.000\nHello\n"), "subtitle file"),
    "rich text": (lambda d: _file(d, "t.mp4", b"{\\rtf1 hello}"), "text document"),
    "JSON": (lambda d: _file(d, "t.mp4", b'{"error": 403}'), "JSON"),
    "not fetched": (lambda d: _file(d, "f.mp4", b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n"), "Git LFS"),
    "no index": (lambda d: media.cut_short(plain(d), 0.55), "moov atom not found"),
    "sound only": (lambda d: media.sound_only(d / "s.mp4", SOUND), "no moving picture"),
    "cover picture": (
        lambda d: media.remux([media.sound_only(d / "s.m4a", SOUND), media.still_picture(d / "c.png", IMAGES[0])], d / "c.mp4", covers=[1]),
        "no moving picture",
    ),
    "still picture": (lambda d: media.still_picture(d / "c.png", IMAGES[0]), "still picture"),
    "playlist": (lambda d: _file(d, "l.mp4", f"#EXTM3U\n#EXTINF:3,\n{plain(d, 'x.ts')}\n#EXT-X-ENDLIST\n".encode()), "playlist"),
    "list of files": (lambda d: _file(d, "c.mp4", f"ffconcat version 1.0\nfile {plain(d, 'x.ts')}\n".encode()), "list of other files"),
    "list without a title": (lambda d: _file(d, "c.mp4", f"file '{plain(d, 'x.ts')}'\n".encode()), "not a video"),
    "playlist in UTF-16": (lambda d: _file(d, "l.mp4", f"#EXTM3U\n{plain(d, 'x.ts')}\n".encode("utf-16")), "not a video"),
    "DASH": (lambda d: _file(d, "d.mp4", f'<!-- x --><MPD><Period><BaseURL>{plain(d, "x.mp4")}</BaseURL></Period></MPD>'.encode()), "not a video"),
    "stream description": (lambda d: _file(d, "s.mp4", b"v=0\nc=IN IP4 127.0.0.1\nm=video 5004 RTP/AVP 96\n"), "stream description"),
    "redirection": (lambda d: _file(d, "r.wmv", b"[Reference]\r\nRef1=http://127.0.0.1:9/x\r\n"), "not a video"),
    "reference movie": (lambda d: media.reference_movie(d / "r.mov", plain(d)), "no picture"),
    "no pictures": (lambda d: media.nothing_recorded(d / "v.mp4"), "no picture"),
    "undecodable": (lambda d: _undecodable(plain(d, "v.mkv")), "."),
}  # fmt: skip


def _undecodable(path: Path) -> Path:
    return media.spoil(path, 0.02, 1.0)


@pytest.mark.parametrize("kind", REFUSED)
def test_what_is_no_video_is_refused_in_one_sentence(
    kind: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    make, words = REFUSED[kind]
    path = make(tmp_path)
    with pytest.raises(BadVideo, match=words) as caught:
        open_video(path)
    sentence = str(caught.value)
    assert path.name in sentence and "\n" not in sentence and len(sentence) < 200
    assert capfd.readouterr() == ("", ""), "nothing of the file may reach the console"


def test_nothing_outside_the_file_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Even when its beginning looks harmless, a playlist is not followed: only media containers are opened."""
    inner = plain(tmp_path, "x.ts")
    disguised = _file(tmp_path, "l.m3u8", f"#EXTM3U\n#EXTINF:3,\n{inner}\n#EXT-X-ENDLIST\n".encode())
    monkeypatch.setattr(container, "TEXT_STARTS", ())
    with pytest.raises(BadVideo):
        open_video(disguised)


def test_pictures_said_to_lie_in_another_file_are_not_fetched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The trap is real: where such references are followed, the pictures of the other file are shown."""
    own = plain(tmp_path)
    other = _file(tmp_path, "other.mp4", own.read_bytes())
    trap = media.data_elsewhere(own, tmp_path / "trap.mov", other)
    with pytest.raises(BadVideo, match="without a single picture"):
        open_video(trap)
    monkeypatch.setattr(container, "OPTIONS", container.OPTIONS | {"enable_drefs": "1", "use_absolute_path": "1"})
    with open_video(trap.rename(tmp_path / "followed.mov")) as video:
        assert media.number_in(video.frames_at([1.0])[0].image) == 30


@pytest.mark.parametrize(
    "name",
    [
        "with space.mp4",
        "-dash.mp4",
        "quote'and\"double.mp4",
        "<img src=x>.mp4",
        "ünï 视频 🎬.mp4",
        "50%d#?.mp4",
        "noending",
        "a:b.mp4",
        "n" * 240 + ".mp4",
    ],
)
def test_any_file_name_opens(name: str, tmp_path: Path) -> None:
    made = media.write(tmp_path / "v.mp4", IMAGES[:5])
    with open_video(made.rename(tmp_path / name)) as video:
        assert video.facts.name == name and len(video.frames_at([0.0])) == 1


# ------------------------------------------------------------------------------------------------ identity and life
def test_identity_is_the_content(tmp_path: Path) -> None:
    path = plain(tmp_path)
    assert content_hash(path) == hashlib.sha256(path.read_bytes()).hexdigest()
    with open_video(path) as video:
        assert video.facts.sha256 == content_hash(path)
    media.write(path, IMAGES[:40])
    with open_video(path) as video:
        assert video.facts.sha256 == content_hash(path) and len(video.timeline.ticks) == 40


def test_many_threads_may_ask_at_once(tmp_path: Path) -> None:
    with open_video(plain(tmp_path)) as video, ThreadPoolExecutor(4) as pool:
        numbers = [random.Random(3).randrange(COUNT) for _ in range(40)]
        shown = pool.map(lambda n: media.number_in(video.frames_at([n / 30 + 0.01])[0].image), numbers)
        assert list(shown) == numbers


def test_a_closed_video_says_so(tmp_path: Path) -> None:
    video = open_video(plain(tmp_path))
    video.close()
    with pytest.raises(BadVideo, match="open it again"):
        video.frames_at([0.0])


def test_a_single_picture_is_a_video(tmp_path: Path) -> None:
    with open_video(media.write(tmp_path / "v.mp4", IMAGES[:1])) as video:
        assert video.facts.duration_s == pytest.approx(1 / 30, abs=0.001)
        assert [p.frame for p in video.frames_at([0.0, video.facts.duration_s])] == [0, 0]


# ------------------------------------------------------------------------------------------------ the clock alone
def log_of(*packets: tuple[int | None, int | None, bool]) -> PacketLog:
    log = PacketLog()
    for pts, dts, key in packets:
        log.add(pts, dts, 1, 100, key, False, False)
    return log


def test_leading_pictures_without_stamps_come_before_the_first_stamp() -> None:
    log = log_of((None, None, True), (None, None, False), (0, None, False), (1, 0, False), (2, 1, False))
    line = build(log, Fraction(1, 30), Fraction(30), False)
    assert line is not None and line.ticks.tolist() == [-2, -1, 0, 1, 2] and not line.seekable


def test_a_small_step_back_is_no_seam_but_a_large_one_is() -> None:
    steady = [(n, n, n % 10 == 0) for n in range(30)]
    small = build(log_of(*steady, (35, 20, False), (36, 36, False)), Fraction(1, 30), None, False)
    large = build(log_of(*((n + 300, n + 300, k) for n, _, k in steady), *steady), Fraction(1, 30), None, False)
    assert small is not None and len(small.segments) == 1
    assert large is not None and len(large.segments) == 2
    assert np.diff(large.ticks).tolist() == [1] * 59


def test_a_long_still_in_a_recording_of_a_screen_is_no_seam() -> None:
    line = build(log_of((0, 0, True), (1, 1, False), (3000, 3000, False)), Fraction(1, 30), None, False)
    assert line is not None and len(line.segments) == 1 and line.duration_s > 100


def test_an_empty_log_has_no_timeline() -> None:
    assert build(PacketLog(), Fraction(1, 30), None, False) is None
