"""Data lost in the middle of a file: what comes after it is at its own time, however it is reached, and so is the sound."""

from __future__ import annotations

from pathlib import Path

import media
import numpy as np
import pytest

from vesta_ui.doctor import examine
from vesta_ui.domain import Scene, Word
from vesta_ui.scene_index import phases
from vesta_ui.transcript import Transcript
from vesta_ui.video import Video, open_video
from vesta_ui.video.decode import Reader

COUNT = 240
IMAGES = media.scenes(COUNT, [60, 150])
SOUND = media.beeps(8.0, [(0.5, 1.0), (7.0, 7.5)])
AVI = {
    "sound in packets": {"sound_codec": "libmp3lame"},
    "sound in samples": {"sound_codec": "pcm_s16le"},
    "wide samples": {"sound_codec": "pcm_s24le", "sound_layout": "stereo"},
}


def in_order(video: Video) -> list[tuple[float, int]]:
    """(seconds, number in the picture) of all that is decoded from the first picture to the last."""
    with Reader(video.source) as reader:
        return [
            (video.timeline.seconds(tick), media.number_in(video.picture(tick, one).image))
            for tick, one in reader.frames()
        ]


def beep_starts(video: Video) -> list[float]:
    found, quiet = [], 1.0
    for begin, samples in video.audio(16_000, 10.0):
        for at in range(0, len(samples), 160):
            loud = np.abs(samples[at : at + 160]).max() > 0.1
            if loud and quiet > 0.3:
                found.append(begin + at / 16_000)
            quiet = 0.0 if loud else quiet + 0.01
    return found


@pytest.mark.parametrize("kind", AVI)
def test_behind_lost_packets_an_avi_is_on_its_own_clock(kind: str, tmp_path: Path) -> None:
    path = media.write(tmp_path / "v.avi", IMAGES, codec="mpeg4", gop=30, sound=SOUND, **AVI[kind])  # type: ignore[arg-type]
    with open_video(path) as whole:
        truth, beeps, duration = dict(in_order(whole)), beep_starts(whole), whole.facts.duration_s
        assert list(truth.values()) == list(range(COUNT)) and len(beeps) == 2
    with open_video(media.spoil(path, 0.3, 0.4)) as video:
        assert len(video.timeline.ticks) < COUNT - 10, "packets are lost"
        assert video.facts.duration_s == pytest.approx(duration, abs=0.01)
        later = {time: number for time, number in in_order(video) if time > 5}
        assert len(later) > 80 and COUNT - 1 in later.values()
        assert later == {time: truth[time] for time in later}
        asked = sorted(later)[::9][::-1]
        assert [media.number_in(p.image) for p in video.frames_at(asked)] == [truth[time] for time in asked]
        assert beep_starts(video)[-1] == pytest.approx(beeps[-1], abs=0.06)


def test_an_avi_that_lost_data_and_its_index_says_that_times_may_be_early(tmp_path: Path) -> None:
    path = media.write(tmp_path / "v.avi", IMAGES, codec="mpeg4", gop=30, sound=SOUND, sound_codec="pcm_s16le")
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * 0.3)] + data[int(len(data) * 0.5) :])
    (odd,) = (odd for odd in examine(path).oddities if odd.code == "incomplete")
    assert odd.what.startswith("The file promises 00:08.0 but holds 00:06.") and "too early" in odd.what
    media.write(tmp_path / "w.avi", IMAGES, codec="mpeg4", sound=SOUND, sound_codec="pcm_s16le")
    assert "incomplete" not in {odd.code for odd in examine(tmp_path / "w.avi").oddities}


@pytest.mark.parametrize("start", [0.3, 0.41, 0.55])
def test_pictures_that_come_when_their_time_has_passed_shift_no_other(start: float, tmp_path: Path) -> None:
    path = media.write(
        tmp_path / "v.ts", IMAGES, gop=40, bframes=3, options={"preset": "veryfast", "crf": "30"}, sound=SOUND
    )
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * start)] + data[int(len(data) * (start + 0.1)) :])
    with open_video(path) as video:
        ticks = video.timeline.ticks
        hole = int(np.argmax(np.diff(ticks)))
        sound_again = video.timeline.keys[video.timeline.keys > ticks[hole + 1]][0]
        later = [one for one in in_order(video) if one[0] >= video.timeline.seconds(int(sound_again))]
        assert len(later) > 60
        assert [number for _, number in later] == [round(time * 30) for time, _ in later]


@pytest.mark.parametrize("starts", [(50.0, 20.0), (20.0, 4000.0)])
def test_joined_recordings_promise_nothing(starts: tuple[float, float], tmp_path: Path) -> None:
    parts = [media.write(tmp_path / f"{s}.ts", IMAGES[:60], sound=SOUND[:32_000], start=s) for s in starts]
    (tmp_path / "both.ts").write_bytes(b"".join(part.read_bytes() for part in parts))
    report = examine(tmp_path / "both.ts")
    assert {odd.code for odd in report.oddities} == {"joined", "start", "player-copy"}
    assert report.facts["duration_s"] == pytest.approx(4)


def test_what_is_said_outside_the_picture_stays_with_its_nearest_scene() -> None:
    scenes = [Scene("a", 0.0, 4.0, 0, 119, ()), Scene("b", 4.0, 8.0, 120, 239, ())]
    said = [(-1.0, "early"), (0.5, "first"), (3.9, "still"), (4.0, "then"), (7.5, "last"), (9.0, "after")]
    words = tuple(Word(middle - 0.1, middle + 0.1, text) for middle, text in said)
    told = phases.with_speech(scenes, Transcript(words, "en", "ok"))
    assert [scene.transcript for scene in told] == ["early first still", "then last after"]
