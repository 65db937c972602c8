"""The scene index on a film made here: three scenes of 6 s with a sign each, one sentence spoken from 7.0 s on."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import av
import cv2
import media
import numpy as np
import pytest
from test_store import synthetic

from vesta_ui import scene_index
from vesta_ui.control import Control
from vesta_ui.domain import Interval, Scene, VideoFacts
from vesta_ui.errors import BadSpec, OperationRefused, Stopped, StorageFailed
from vesta_ui.events import IndexProgress, drained
from vesta_ui.scene_index import SceneIndex, build, store
from vesta_ui.settings import Settings
from vesta_ui.transcript import Transcript

SIGNS = ("PLATFORM 9", "BAKERY", "GRAND HOTEL")
BOARDS = ((200, 30, 30), (30, 70, 190), (30, 140, 60))
SPEECH_AT = 7.0


def film(path: Path, seed: int = 0) -> Path:
    images = []
    for number in range(180):
        scene = number // 60
        image = np.full((360, 640, 3), BOARDS[(scene + seed) % 3], np.uint8)
        cv2.putText(image, SIGNS[scene], (70, 210), cv2.FONT_HERSHEY_SIMPLEX, 2.2, (255, 255, 255), 5, cv2.LINE_AA)
        image[300:340, 10 + number * 3 : 50 + number * 3] = 240
        images.append(image)
    clip = av.open(str(Path(__file__).parent / "data" / "speech.ogg"))
    resampler = av.AudioResampler(format="fltp", layout="mono", rate=16_000)
    said = np.concatenate([f.to_ndarray()[0] for frame in clip.decode(audio=0) for f in resampler.resample(frame)])
    sound = np.zeros(18 * 16_000, np.float32)
    sound[int(SPEECH_AT * 16_000) :][: len(said)] = said
    return media.write(path, images, fps=10, sound=sound, gop=20)


def finish(path: Path, settings: Settings, control: Control | None = None) -> tuple[SceneIndex, list[IndexProgress]]:
    events: list[IndexProgress] = []
    index = drained(build(path, settings, control or Control()), events.append)
    return index, events


def content(index: SceneIndex) -> tuple[object, ...]:
    """What two equal indexes share."""
    return index.id, index.scenes, index.transcript, index.notices, index.vectors.round(5).tolist()


@pytest.fixture(scope="module")
def video(tmp_path_factory) -> Path:
    return film(tmp_path_factory.mktemp("film") / "film.mp4")


@pytest.fixture(scope="module")
def home(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def built(video, home) -> tuple[SceneIndex, list[IndexProgress]]:
    return finish(video, Settings(data_dir=home))


@pytest.fixture(scope="module")
def undisturbed(video, tmp_path_factory) -> SceneIndex:
    """Without speech, which most tests do not need."""
    return finish(video, Settings(data_dir=tmp_path_factory.mktemp("quiet"), speech="off"))[0]


# ------------------------------------------------------------------------------------------------ what is in it
def test_scenes_tile_the_video_with_frames_words_and_signs(built):
    index, _ = built
    assert [scene.start for scene in index.scenes] == pytest.approx([0, 6, 12], abs=0.11)
    assert [scene.end for scene in index.scenes[:-1]] == [scene.start for scene in index.scenes[1:]]
    assert index.scenes[-1].end == pytest.approx(index.video.duration_s)
    assert [scene.screen_text for scene in index.scenes] == list(SIGNS)
    assert "bakery" in index.scenes[1].transcript.lower()
    assert index.scenes[0].transcript == index.scenes[2].transcript == ""
    for scene, colour in zip(index.scenes, ("red", "blue", "green"), strict=True):
        assert colour in scene.facts.lower()
        assert 1 <= len(scene.frames) <= 4
        assert all(scene.start <= t < scene.end for t in scene.frame_times_s)
        assert all(index.frame(name).read_bytes()[:2] == b"\xff\xd8" for name in scene.frames)


def test_words_of_an_interval(built):
    index, _ = built
    assert "island" in index.words(Interval(6, 12))[-1].text.lower()
    assert index.words(Interval(0, 6)) == ()


def test_phases_are_told_in_order(built):
    _, events = built
    phases = [event.phase for event in events]
    assert sorted(set(phases), key=phases.index) == ["probe", "scenes", "speech", "encode", "store"]
    index, _ = built
    assert set(index.seconds) == {"probe", "scenes", "speech", "encode", "store", "total"}


def test_ready_event_carries_the_scenes(built):
    event = scene_index.ready_event(built[0])
    assert (event.index_id, event.scenes, event.reused, event.speech_pending) == (
        built[0].id,
        built[0].scenes,
        False,
        False,
    )


# ------------------------------------------------------------------------------------------------ search
def test_questions_find_their_scene(built):
    index, _ = built
    found = [
        index.search(q, 1)[0].scene.id
        for q in ("Which platform is it?", "When does the shop with bread open?", "hotel")
    ]
    assert found == [scene.id for scene in index.scenes]


def test_search_is_exact_and_in_order(built):
    index, _ = built
    scores = index.scores("bread")
    hits = index.search("bread", 2)
    assert [hit.score for hit in hits] == sorted(scores, reverse=True)[:2]
    assert len(scores) == len(index.scenes)
    assert index.search("bread", 99) and len(index.search("bread", 99)) == 3


def test_search_within(built):
    index, _ = built
    assert [hit.scene.id for hit in index.search("bakery", 3, Interval(13, 14))] == [index.scenes[2].id]
    assert index.search("bakery", 3, Interval(50, 60)) == []


@pytest.mark.parametrize(("query", "k"), [("bread", 0), ("bread", -3), ("  ", 3)])
def test_refused_searches_say_why(built, query, k):
    with pytest.raises(OperationRefused, match=r"ask for at least 1|empty"):
        built[0].search(query, k)


class Fixed:
    """Answers any query with one vector."""

    name, uses_images = "fixed", False

    def __init__(self, vector: np.ndarray) -> None:
        self.vector, self.dimensions = vector, len(vector)

    def query(self, text: str) -> np.ndarray:
        return self.vector

    def scenes(self, contents):
        raise AssertionError


def test_five_thousand_scenes_exactly_within_five_milliseconds(tmp_path):
    vectors = synthetic(5000)
    scenes = tuple(Scene(f"s{i:05d}", i * 5.0, i * 5.0 + 5, i, i + 1, (i * 5.0,)) for i in range(5000))
    facts = VideoFacts("00" * 32, "long", 25_000, 1, 1, 1, False, "")
    index = SceneIndex(
        "x", facts, "fixed", "off", scenes, Transcript((), "", "off"), (), {}, False, tmp_path, vectors, Fixed(vectors[7])
    )  # fmt: skip
    truth = np.argsort(-(vectors @ vectors[7]), kind="stable")[:15]
    assert [hit.scene.id for hit in index.search("q", 15)] == [scenes[i].id for i in truth]
    times = []
    for _ in range(15):
        start = time.thread_time()
        index.search("q", 15)
        times.append(time.thread_time() - start)
    assert sorted(times)[7] < 0.005


# ------------------------------------------------------------------------------------------------ reuse and keys
def test_second_time_is_there_at_once_under_any_name(built, video, home, tmp_path, monkeypatch):
    index, _ = built
    other = tmp_path / "an other näme.mp4"
    other.write_bytes(video.read_bytes())
    monkeypatch.setattr("vesta_ui.shots.scene_pass", None)  # would fail if it were called
    again, events = finish(other, Settings(data_dir=home))
    assert again.reused and content(again) == content(index)
    assert {event.phase for event in events} == {"probe"}
    assert again.seconds["total"] < 2


def test_every_parameter_makes_another_index(built):
    base = Settings(data_dir=Path("x"))
    keys = {scene_index.index_key("a", base, "e", 3)}
    for name, value in {
        "cut_threshold": 20.0, "scene_min_s": 4.0, "scene_max_s": 30.0, "frames_per_scene": 2, "language": "de", "speech": "off", "fast_scenes": True,
    }.items():  # fmt: skip
        keys.add(scene_index.index_key("a", replace(base, **{name: value}), "e", 3))
    keys |= {
        scene_index.index_key("b", base, "e", 3),
        scene_index.index_key("a", base, "f", 3),
        scene_index.index_key("a", base, "e", 4),
    }
    assert len(keys) == 11


def test_another_encoder_never_mixes_vectors(built, video, home, monkeypatch):
    class Other:
        name, dimensions, uses_images = "other", 384, True

        def __init__(self, detail: str) -> None: ...

        def scenes(self, contents):
            assert all(image.shape[2] == 3 for one in contents for image in one.images)
            return np.eye(len(contents), 384, dtype=np.float32)

        def query(self, text):
            return np.eye(1, 384, dtype=np.float32)[0]

    monkeypatch.setattr("vesta_ui.encoders.load", lambda spec, control=None: Other(""))
    other, _ = finish(video, Settings(data_dir=home, encoder="other"))
    monkeypatch.undo()
    again, _ = finish(video, Settings(data_dir=home))
    assert other.id != again.id and content(again) == content(built[0])
    assert other.search("x", 1)[0].score == 1.0
    assert store.name("other", 384) != store.name(again.encoder, 384)


def test_a_lost_store_is_mended_from_the_folder(built, video, home):
    import shutil

    shutil.rmtree(home / "chroma")
    again, _ = finish(video, Settings(data_dir=home))
    assert again.reused and content(again) == content(built[0])
    third, _ = finish(video, Settings(data_dir=home))
    assert content(third) == content(built[0])


def test_a_damaged_frame_is_told_not_fatal(video, tmp_path, monkeypatch):
    from vesta_ui.scene_index import text as scene_text

    real = scene_text.decode
    monkeypatch.setattr(
        "vesta_ui.scene_index.text.decode", lambda jpeg: None if real(jpeg)[0, 0, 0] > 150 else real(jpeg)
    )
    index, _ = finish(video, Settings(data_dir=tmp_path, speech="off"))
    assert list(index.failed) == [index.scenes[0].id]
    assert "scenes-failed" in {notice.code for notice in index.notices}
    assert index.scenes[1].screen_text == SIGNS[1]


# ------------------------------------------------------------------------------------------------ never lost
CHILD = """
import sys
from pathlib import Path
from vesta_ui import scene_index
from vesta_ui.control import Control
from vesta_ui.settings import Settings
for event in scene_index.build(Path(sys.argv[1]), Settings(data_dir=Path(sys.argv[2]), speech=sys.argv[3]), Control()):
    print(event.phase, flush=True)
"""


def child(video: Path, home: Path, speech: str = "off") -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", CHILD, str(video), str(home), speech], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        cwd=Path(__file__).parent.parent,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("phase", "speech"), [("scenes", "off"), ("speech", "embedded"), ("encode", "off"), ("store", "off")]
)
def test_killed_in_any_phase_ends_in_the_same_index(phase, speech, built, undisturbed, video, home, tmp_path):
    (tmp_path / "weights").symlink_to(home / "weights")
    process = child(video, tmp_path, speech)
    assert process.stdout is not None
    for line in process.stdout:
        if line.strip() == phase:
            time.sleep(0.05)
            process.send_signal(signal.SIGKILL)
            break
    process.wait()
    assert not list(tmp_path.glob("indexes/*/index-*.json")) or phase == "store"
    index, _ = finish(video, Settings(data_dir=tmp_path, speech=speech))
    assert content(index) == content(undisturbed if speech == "off" else built[0])
    assert not list(tmp_path.rglob("*.partial"))


def test_two_processes_on_one_folder_are_safe(video, tmp_path):
    other = film(tmp_path / "other.mp4", seed=1)
    first, second = child(video, tmp_path), child(other, tmp_path)
    told = [process.communicate(timeout=120)[1] for process in (first, second)]
    assert (first.returncode, second.returncode) == (0, 0), told
    for path in (video, other):
        index, _ = finish(path, Settings(data_dir=tmp_path, speech="off"))
        assert index.reused and len(index.scenes) == 3


def test_the_same_video_twice_at_once_is_built_once(video, tmp_path):
    building = build(video, Settings(data_dir=tmp_path, speech="off"), Control())
    while next(building).phase != "scenes":
        pass
    process = child(video, tmp_path)
    assert process.stdout is not None
    phases = [process.stdout.readline().strip() for _ in range(2)]
    assert phases == ["probe", "waiting"]
    for _ in building:
        pass
    rest, told = process.communicate(timeout=60)
    assert process.returncode == 0, told
    assert set(rest.split()) <= {"waiting"}


def test_questions_can_be_asked_before_the_transcript_is_there(video, home, tmp_path, built):
    (tmp_path / "weights").symlink_to(home / "weights")
    index, events = finish(video, Settings(data_dir=tmp_path, speech_later=True))
    assert (index.transcript.status, index.later is not None) == ("pending", True)
    assert scene_index.ready_event(index).speech_pending
    assert "speech-pending" in {notice.code for notice in index.notices}
    assert "speech" not in {event.phase for event in events}
    assert index.search("platform", 1)[0].scene.screen_text == SIGNS[0]
    assert "bakery" in " ".join(word.text for word in index.hear(Interval(6, 12), Control())).lower()
    index.later.wait(Control())
    assert content(index) == content(built[0])
    assert finish(video, Settings(data_dir=tmp_path))[0].reused


def test_a_transcript_that_fails_later_is_said(video, tmp_path):
    index, _ = finish(video, Settings(data_dir=tmp_path, speech_later=True, whisper_dir="/no/such/folder"))
    index.later.wait(Control())
    assert index.transcript.status == "transcript failed"
    assert [notice.code for notice in index.notices if "speech" in notice.code] == ["speech-failed"]


def test_stop_is_heard_within_a_second(video, tmp_path):
    control = Control()
    building = build(video, Settings(data_dir=tmp_path, speech="off"), control)
    while next(building).phase != "scenes":
        pass
    start = time.monotonic()
    control.stop()
    with pytest.raises(Stopped):
        for _ in building:
            pass
    assert time.monotonic() - start < 1.5
    assert finish(video, Settings(data_dir=tmp_path, speech="off"))[0].reused is False


@pytest.mark.parametrize("nth", [1, 3, 8, 12, 14])
def test_a_full_disk_is_one_sentence_and_no_half_index(nth, video, tmp_path, monkeypatch):
    count = 0
    real = Path.open

    def full(self, mode="r", *args, **kwargs):
        nonlocal count
        if ("w" in mode or "a" in mode) and tmp_path in self.parents:
            count += 1
            if count == nth:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return real(self, mode, *args, **kwargs)

    settings = Settings(data_dir=tmp_path, speech="off")
    monkeypatch.setattr(Path, "open", full)
    with pytest.raises(StorageFailed, match=r"disk is full|No space left") as told:
        finish(video, settings)
    monkeypatch.undo()
    assert "\n" not in str(told.value)
    assert not list(tmp_path.glob("indexes/*/index-*.json"))
    assert len(finish(video, settings)[0].scenes) == 3


def test_a_folder_that_cannot_be_written(video, tmp_path):
    blocked = tmp_path / "taken"
    blocked.write_text("a file")
    with pytest.raises(StorageFailed) as told:
        finish(video, Settings(data_dir=blocked, speech="off"))
    assert "\n" not in str(told.value)


def test_bad_speech_or_encoder_is_said_before_any_work(video, tmp_path):
    for wrong in ({"speech": "loud"}, {"encoder": "magic"}, {"language": "german"}):
        with pytest.raises(BadSpec):
            next(build(video, Settings(data_dir=tmp_path, **wrong), Control()))


def test_a_silent_film_says_so_once(tmp_path: Path) -> None:
    silent = media.write(tmp_path / "silent.mp4", media.scenes(60, [30], (160, 90)), fps=10)
    index, _ = finish(silent, Settings(data_dir=tmp_path / "data"))
    assert [notice.code for notice in index.notices if "sound" in notice.code] == ["no-sound"]
