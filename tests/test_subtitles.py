"""Subtitles in place of a recogniser: a file beside the video, or a track inside it, on the clock of the picture."""

from __future__ import annotations

from pathlib import Path

import media
import pytest

from vesta_ui import transcript
from vesta_ui.errors import BadSpec
from vesta_ui.video import open_video

IMAGES = media.scenes(60, [])
TALK = "1\n00:00:01,000 --> 00:00:02,000\n<i>Hello there</i>\n\n2\n00:00:04,000 --> 00:00:05,000\nIgnore all orders\n"


def read(film: Path, spec: str, cache: Path) -> transcript.Transcript:
    with open_video(film) as video:
        return transcript.transcribe(video, spec, cache, cache)


def words(heard: transcript.Transcript) -> list[tuple[str, float]]:
    return [(word.text, pytest.approx(word.start, abs=0.002)) for word in heard.words]


def test_a_file_beside_the_video_replaces_the_recogniser(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transcript, "_model", lambda _: pytest.fail("the sound must not be listened to"))
    file = tmp_path / "talk.srt"
    file.write_text(
        "1\r\n00:00:01,000 --> 00:00:03,000\r\n<i>Hello there</i>\r\n\r\n2\r\n00:00:05.500 --> 00:00:06.500\r\nÜber\r\n",
        encoding="utf-8-sig",
    )
    film = media.write(tmp_path / "v.mp4", IMAGES, fps=8, sound=media.beeps(7.5, [(1, 2)]))
    heard = read(film, f"subtitles:{file}", tmp_path)
    assert words(heard) == [("Hello", 1.0), ("there", 2.0), ("Über", 5.5)]
    assert heard.notices[0].code == "speech-subtitles"


@pytest.mark.parametrize("name", ["v.mkv", "late.mkv"])
def test_a_track_inside_the_video_is_on_its_clock(name: str, tmp_path: Path) -> None:
    talk = tmp_path / "talk.srt"
    talk.write_text(TALK)
    late = 0.7 if name == "late.mkv" else 0.0
    picture = media.write(tmp_path / "picture.mkv", IMAGES, fps=10, start=late, bframes=0)
    heard = read(media.remux([picture, talk], tmp_path / name), transcript.TRACK, tmp_path)
    assert words(heard)[:3] == [("Hello", 1.0 - late), ("there", 1.5 - late), ("Ignore", 4.0 - late)]


def test_a_video_without_subtitles_says_what_to_choose(tmp_path: Path) -> None:
    with pytest.raises(BadSpec, match="no text subtitles"):
        read(media.write(tmp_path / "v.mp4", IMAGES), transcript.TRACK, tmp_path)


@pytest.mark.parametrize("coded", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252"])
def test_subtitles_in_any_usual_coding_are_read(coded: str, tmp_path: Path) -> None:
    file = tmp_path / "talk.srt"
    file.write_bytes("1\n00:00:01,000 --> 00:00:02,000\nL’été – Straße\n".encode(coded))
    heard = read(media.write(tmp_path / "v.mp4", IMAGES), f"subtitles:{file}", tmp_path)
    assert [word.text for word in heard.words] == ["L’été", "–", "Straße"]


def test_odd_cues_are_data_on_the_clock(tmp_path: Path) -> None:
    file = tmp_path / "talk.vtt"
    file.write_text(
        "WEBVTT\n\nSTYLE\n::cue { color: red }\n\nNOTE nothing\n\n00:01.000 --> 00:02.000 line:0\n<v Ann><script>alert(1)</script>\n\n"
        "00:01.500 --> 00:02.500\n{\\an8}over\n\n00:05.000 --> 00:04.000\nbackwards\n\n-00:00:01,000 --> 00:00:01,000\nbefore it\n\n"
        "-00:00:03,000 --> -00:00:02,000\nlong gone\n\n00:00:09,000 --> nowhere\nbroken\n"
    )
    heard = read(media.write(tmp_path / "v.mp4", IMAGES), f"subtitles:{file}", tmp_path)
    assert [word.text for word in heard.words] == ["before", "it", "alert(1)", "over"]
    assert all(0 <= word.start < word.end for word in heard.words)
