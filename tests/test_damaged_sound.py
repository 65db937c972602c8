"""Sound whose data was overwritten is told with its time, by the doctor and as a notice of the index; whole sound is not."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import media
import pytest

from vesta_ui import scene_index, transcript
from vesta_ui.control import Control
from vesta_ui.doctor import examine
from vesta_ui.domain import Interval
from vesta_ui.events import drained
from vesta_ui.settings import Settings
from vesta_ui.transcript import Transcript
from vesta_ui.video import open_video, sound

FROM, TO = 2.0, 3.0
CODECS = {"aac": "mp4", "libmp3lame": "mp4", "ac3": "mkv", "flac": "mkv"}


def film(folder: Path, codec: str = "aac", ending: str = "mp4", name: str = "whole") -> Path:
    rate = 48_000
    return media.write(
        folder / f"{name}.{ending}", media.scenes(50, [25]), fps=10, sound=media.beeps(5.0, [(0.2, 4.8)], rate),
        sound_rate=rate, sound_codec=codec,
    )  # fmt: skip


def spans(path: Path) -> tuple[Interval, ...]:
    with open_video(path) as video:
        return sound.damaged(video.source, lambda _: None)


@pytest.mark.parametrize("codec", CODECS)
def test_overwritten_sound_is_found_at_its_time(codec: str, tmp_path: Path) -> None:
    whole = film(tmp_path, codec, CODECS[codec])
    assert spans(whole) == ()
    (span,) = spans(media.garble_sound(whole, tmp_path / f"bad.{CODECS[codec]}", FROM, TO))
    assert span.start == pytest.approx(FROM, abs=0.1) and span.end == pytest.approx(TO, abs=0.1)


def test_damage_up_to_the_end_and_several_spans(tmp_path: Path) -> None:
    first = media.garble_sound(film(tmp_path), tmp_path / "one.mp4", 1.0, 1.5)
    near, last = spans(media.garble_sound(first, tmp_path / "two.mp4", 4.0, 9.0))
    assert near.start == pytest.approx(1.0, abs=0.1) and near.end == pytest.approx(1.5, abs=0.1)
    assert last.start == pytest.approx(4.0, abs=0.1) and last.end == pytest.approx(5.0, abs=0.15)


def test_one_lost_packet_is_too_short_to_tell(tmp_path: Path) -> None:
    assert spans(media.garble_sound(film(tmp_path), tmp_path / "bad.mp4", 2.0, 2.02)) == ()


def test_a_recording_that_begins_inside_a_packet_is_not_damaged(tmp_path: Path) -> None:
    assert spans(media.behead(film(tmp_path, "mp2", "ts"), 0.3)) == ()


def test_joined_recordings_are_not_damaged_at_their_seam(tmp_path: Path) -> None:
    parts = [film(tmp_path, "aac", "ts", name) for name in ("one", "two")]
    (tmp_path / "both.ts").write_bytes(b"".join(part.read_bytes() for part in parts))
    assert spans(tmp_path / "both.ts") == ()


def test_doctor_and_index_say_where(tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transcript, "_recognise", lambda *_: Transcript((), "", "no speech found"))
    path = media.garble_sound(film(tmp_path), tmp_path / "bad.mp4", FROM, TO)
    (odd,) = (odd for odd in examine(path).oddities if odd.code == "damaged-sound")
    listening = replace(settings, speech="embedded", speech_later=False)
    index = drained(scene_index.build(path, listening, Control()), lambda _: None)
    (notice,) = (notice for notice in index.notices if notice.code == "damaged-sound")
    assert re.findall(r"\d\d:\d\d\.\d", odd.what) == re.findall(r"\d\d:\d\d\.\d", notice.message)
    assert "words there may be wrong or missing" in notice.message
    again = drained(scene_index.build(path, listening, Control()), lambda _: None)
    assert again.reused and notice in again.notices
    silent = drained(scene_index.build(path, replace(listening, speech="off"), Control()), lambda _: None)
    assert "damaged-sound" not in {one.code for one in silent.notices}


def test_an_index_whose_speech_comes_later_says_it_with_the_speech(
    tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transcript, "_recognise", lambda *_: Transcript((), "", "no speech found"))
    path = media.garble_sound(film(tmp_path), tmp_path / "bad.mp4", FROM, TO)
    later = replace(settings, speech="embedded", speech_later=True)
    index = drained(scene_index.build(path, later, Control()), lambda _: None)
    assert index.later is not None
    index.later.wait(Control())
    assert "damaged-sound" in {one.code for one in index.notices}
