"""Words for agents without an index: reused, waited for, and heard around the frames."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import media
import numpy as np
import pytest
from explore_help import finished, looked, square

from vesta_ui import scene_index, transcript
from vesta_ui.bench import squares
from vesta_ui.control import Control
from vesta_ui.domain import Modality, Word
from vesta_ui.errors import Stopped
from vesta_ui.events import IndexProgress, drained
from vesta_ui.exploration.listening import listen
from vesta_ui.runs import run as runs
from vesta_ui.scene_index.store import locked
from vesta_ui.settings import Settings
from vesta_ui.transcript import Transcript
from vesta_ui.video import Video, open_video


@pytest.fixture
def sounding(tmp_path: Path) -> Iterator[Video]:
    path = media.write(tmp_path / "a.mp4", media.scenes(30, [15]), sound=np.zeros(16_000, np.float32))
    with open_video(path) as video:
        yield video


def heard(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Transcription that counts how often it is really done."""
    made: list[int] = []

    def recognise(*_: object) -> Transcript:
        made.append(1)
        return Transcript((Word(0.2, 0.4, "hello"),), "en", "ok")

    monkeypatch.setattr(transcript, "_recognise", recognise)
    return made


def done(video: Video, settings: Settings, control: Control | None = None) -> tuple[scene_index.SceneIndex, int]:
    told: list[IndexProgress] = []
    index = drained(listen(video, settings, control or Control()), told.append)
    return index, sum(one.total == 0 for one in told)


def test_a_transcript_is_made_once_and_no_scene(
    sounding: Video, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = heard(monkeypatch)
    index, _ = done(sounding, settings)
    again, _ = done(sounding, settings)
    assert made == [1] and index.transcript == again.transcript and not index.scenes
    assert [w.text for w in index.words(scene_index.Interval(0, 1))] == ["hello"] and index.search("hello") == []


def test_the_transcript_of_a_whole_index_is_taken(
    sounding: Video, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = heard(monkeypatch)
    list(scene_index.build(sounding.path, settings, Control()))
    done(sounding, settings)
    assert made == [1]


def test_it_waits_while_another_run_listens_and_hears_stop(
    sounding: Video, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard(monkeypatch)
    lock = scene_index.video_folder(settings.data_dir, sounding.facts.sha256) / ".lock"
    control = Control()
    with locked(lock, "busy"):
        threading.Timer(0.5, control.stop).start()
        with pytest.raises(Stopped):
            done(sounding, settings, control)
    index, _ = done(sounding, settings)
    assert index.transcript.status == "ok"


def test_words_around_the_frames_become_evidence(tmp_path: Path, settings: Settings) -> None:
    sample = square(30, 10)
    path = squares.render(sample, tmp_path / "a.mp4")
    titles = tmp_path / "a.srt"
    titles.write_text(
        "1\n00:00:01,000 --> 00:00:02,000\nNow it is green.\n\n2\n00:00:02,400 --> 00:00:02,440\nUnheard\n"
    )
    chosen = replace(settings, agent="save", speech=f"subtitles:{titles}")
    one = runs.Run(runs.new_id(), tmp_path / "run", path)
    for _ in runs.play(one, open_video(path), sample.question, chosen):
        pass
    first = looked(one.events)[0]
    spoken = [o for o in first.observations if o.modality is Modality.SPEECH]
    assert "Now it is green." in first.output and [o.content for o in spoken] == ["“Now it is green.”"]
    assert finished(one).answer is not None
