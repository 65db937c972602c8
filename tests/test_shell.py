"""The whole main job from a shell, on a film made here: index, ask, replay, fork, continue; and what it says when it can't."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from test_scene_index import film

from vesta_ui.domain import Action, Policy
from vesta_ui.errors import BadInput, BadTrace
from vesta_ui.events import Decided, Retrieved
from vesta_ui.question import parse_question
from vesta_ui.runs import recorder
from vesta_ui.runs.fork import Edit, prefix
from vesta_ui.runs.registry import Runs
from vesta_ui.scene_index import video_folder
from vesta_ui.scene_index.store import locked
from vesta_ui.settings import Settings
from vesta_ui.video import open_video

ROOT = Path(__file__).parent.parent
CHOICES = ["Platform 9", "Bakery", "Grand Hotel"]
SLOW_DOCTOR = (
    "import sys, time; from vesta_ui import __main__, doctor\n"
    "def sound(video, reach):\n"
    "    for n in range(600): time.sleep(0.1); reach(n / 100)\n"
    "doctor._sound_extent = sound\n"
    "__main__.leave(__main__.main(['doctor', sys.argv[1], '--json']))"
)
ASKED = "What is written on the blue sign?"


@pytest.fixture(scope="module")
def video(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return film(tmp_path_factory.mktemp("film") / "<b>film $HOME;.mp4")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("data")


def shell(*arguments: object, data: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "vesta_ui", *map(str, arguments)],
        capture_output=True, text=True, cwd=ROOT, timeout=180, env={**os.environ, "VESTA_DATA_DIR": str(data)},
    )  # fmt: skip


@pytest.fixture(scope="module")
def asked(video: Path, data: Path) -> dict[str, Any]:
    choices = [word for choice in CHOICES for word in ("--choice", choice)]
    done = shell("ask", video, ASKED, *choices, "--json", data=data)
    assert done.returncode == 0, done.stderr
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def test_an_index_is_built_once_and_its_scenes_tile_the_video(asked: dict[str, Any], video: Path, data: Path) -> None:
    done = shell("index", video, "--json", data=data)
    assert done.returncode == 0, done.stderr
    index = json.loads(done.stdout)
    assert index["reused"] is True
    assert [(s["start_s"], s["end_s"]) for s in index["scenes"]] == [(0, 6), (6, 12), (12, 18)]
    assert all(1 <= len(s["frame_times_s"]) <= 4 for s in index["scenes"])
    assert index["video"]["has_audio"] is True and index["video"]["codec"] == "h264"
    assert set(index["video"]) == {"sha256", "duration_s", "width", "height", "fps", "has_audio", "codec"}
    assert {"probe", "scenes", "speech", "encode", "store", "total"} <= set(index["seconds"])


def test_asking_gives_the_whole_contract(asked: dict[str, Any]) -> None:
    assert set(asked) >= {
        "run_id", "run_dir", "outcome", "answer", "route", "references", "steps", "ledger", "usage", "warnings",
    }  # fmt: skip
    assert asked["outcome"] == "answered"
    assert asked["answer"]["label"] == "B"
    seen = asked["answer"]["evidence"][0]
    assert 6 <= seen["start_s"] < seen["end_s"] <= 12 and seen["entry_id"] in {
        e["id"] for e in asked["ledger"]["entries"]
    }
    assert asked["route"]["policy"] == "focused" and asked["route"]["model"] is None
    assert {r["status"] for r in asked["references"]} <= {"unverified", "verified", "rejected", "inconclusive"}
    assert asked["steps"][-1]["operation"] == "finalize"
    assert set(asked["ledger"]) == {"entries", "coverage", "relations", "gaps"}
    assert asked["usage"]["remote_requests"] == 0 and asked["usage"]["frames"] > 0


def test_a_replay_prints_what_the_run_printed(asked: dict[str, Any], data: Path) -> None:
    done = shell("replay", asked["run_dir"], "--json", data=data)
    assert json.loads(done.stdout) == asked
    early = json.loads(shell("replay", asked["run_dir"], "--step", 1, "--json", data=data).stdout)
    assert early["outcome"] is None and early["answer"] is None and [s["n"] for s in early["steps"]] == [1]


def test_a_run_folder_holds_its_frames_and_no_path_of_the_machine(asked: dict[str, Any], video: Path) -> None:
    folder = Path(asked["run_dir"])
    trace = recorder.read(folder)
    shas = {f.sha256 for e in trace.events if e.kind == "observed" for f in e.frames}
    assert shas and all(trace.frame(sha).is_file() for sha in shas)
    text = (folder / recorder.EVENTS).read_text() + (folder / recorder.FACTS).read_text()
    assert str(video.parent) not in text and str(folder.parent) not in text


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["ask", "nowhere.mp4", "what?"], "nowhere.mp4"),
        (["ask", "{video}", "  "], "question"),
        (["ask", "{video}", "which?", "--choice", "only one"], "choice"),
        (["ask", "{video}", "what?", "--agent", "oracle"], "vesta"),
        (["ask", "{video}", "what?", "--encoder", "magic"], "embedded"),
        (["ask", "{video}", "what?", "--max-steps", "0"], "at least 1"),
        (["ask", "{video}", "what?", "--max-steps", "many"], "max-steps"),
        (["ask", "{video}", "what?", "--route-confidence", "1.5"], "must be from 0 to 1, got 1.5"),
        (["ask", "{video}", "what?", "--data-dir", "{page}"], "not a folder"),
        (["replay", "{data}"], "run folder"),
        (["index", "{page}"], "not a video"),
    ],
)
def test_bad_input_is_one_sentence_and_code_2(
    arguments: list[str], says: str, video: Path, data: Path, tmp_path: Path
) -> None:
    page = tmp_path / "page.mp4"
    page.write_text("<!doctype html><title>403 Forbidden</title>")
    filled = [a.format(video=video, data=data, page=page) for a in arguments]
    done = shell(*filled, data=data)
    last = done.stderr.strip().splitlines()[-1]
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    assert says in last and "Traceback" not in done.stderr


def test_a_provider_without_a_key_is_code_3_with_the_variable_to_set(video: Path, data: Path) -> None:
    done = shell("ask", video, ASKED, "--reasoner", "openai:o3", "--json", data=data)
    assert done.returncode == 3 and "OPENAI_API_KEY" in done.stderr and "Traceback" not in done.stderr


@pytest.mark.parametrize("both", [False, True])
@pytest.mark.parametrize("words", [("indexes", "list"), ("replay", "{run}", "--json"), ("doctor", "{video}")])
def test_a_reader_that_goes_away_ends_a_command_quietly(
    words: tuple[str, ...], both: bool, asked: dict[str, Any], video: Path, data: Path
) -> None:
    """`both`: what is said goes the same way as what is printed, as with `2>&1 | head`."""
    filled = [word.format(run=data / "runs" / asked["run_id"], video=video) for word in words]
    reads, writes = os.pipe()
    os.close(reads)
    done = subprocess.run(
        [sys.executable, "-m", "vesta_ui", *filled], stdout=writes, stderr=writes if both else subprocess.PIPE,
        text=True, cwd=ROOT, timeout=60, env={**os.environ, "VESTA_DATA_DIR": str(data)},
    )  # fmt: skip
    os.close(writes)
    assert done.returncode == 141
    assert both or all(line.startswith("examine") for line in done.stderr.splitlines()), done.stderr


def test_waiting_for_another_process_is_said_once_with_the_name(video: Path, tmp_path: Path) -> None:
    with open_video(video) as opened:
        folder = video_folder(tmp_path, opened.facts.sha256)
    with locked(folder / ".lock", "held by this test"):
        process = subprocess.Popen(
            [sys.executable, "-m", "vesta_ui", "index", video, "--speech", "off", "--data-dir", tmp_path],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT,
        )  # fmt: skip
        assert process.stderr is not None
        while "waiting" not in (line := process.stderr.readline()):
            assert process.poll() is None
        time.sleep(1.8)  # several looks at the lock
    _, said = process.communicate(timeout=120)
    assert line == f"waiting for another process that indexes {video.name}\n"
    assert process.returncode == 0 and "waiting" not in said and "scenes" in said


def test_ctrl_c_stops_with_130_and_keeps_the_run(video: Path, data: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "vesta_ui", "ask", video, "How many signs are there?", "--observer", "embedded", "--json"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT, env={**os.environ, "VESTA_DATA_DIR": str(data)},
    )  # fmt: skip
    assert process.stderr is not None
    while "step 1" not in process.stderr.readline():
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=30)
    assert process.returncode == 130
    assert json.loads(out)["outcome"] == "stopped"


@pytest.mark.parametrize(("work", "code"), [("vesta-speech", 130), ("other", -signal.SIGABRT)])
def test_stopped_work_that_hangs_in_a_library_does_not_change_the_code(work: str, code: int) -> None:
    """What a library does to its threads on the way out is played by an abort."""
    told = (
        "import atexit, os, threading, time; from vesta_ui.control import leave\n"
        "atexit.register(os.abort)\n"
        f"threading.Thread(target=time.sleep, args=(60,), name={work!r}, daemon=True).start()\n"
        "print('stopped'); leave(130)"
    )
    done = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, cwd=ROOT, timeout=60)
    assert done.returncode == code
    assert work == "other" or done.stdout == "stopped\n", "what was printed arrives all the same"


def test_the_doctor_tells_how_far_it_is_and_stops(video: Path, data: Path) -> None:
    done = shell("doctor", video, "--json", data=data)
    assert done.returncode == 0 and json.loads(done.stdout)["facts"]["picture_codec"].startswith("h264")
    assert "examine: " in done.stderr and " s\n" in done.stderr
    process = subprocess.Popen(
        [sys.executable, "-c", SLOW_DOCTOR, str(video)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
    assert process.stderr is not None
    while "examine: " not in process.stderr.readline():
        assert process.poll() is None
    begun = time.monotonic()
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=30)
    assert (process.returncode, out) == (130, "") and time.monotonic() - begun < 5


# ------------------------------------------------------------------------------------------------ forks
@pytest.fixture
def runs(asked: dict[str, Any], data: Path) -> Runs:
    return Runs(Settings(data_dir=data))


def test_a_fork_with_another_action_keeps_its_parent_untouched(asked: dict[str, Any], runs: Runs, video: Path) -> None:
    parent = Path(asked["run_dir"])
    before = (parent / recorder.EVENTS).read_bytes()
    mine = Action("clip", {"interval": [12, 18], "question": "What is written on the sign?"})
    child = runs.fork(asked["run_id"], Edit(1, action=mine), video, Settings(data_dir=runs.root.parent))
    assert child.join(60)
    session = child.session()
    assert session.started is not None and session.finished is not None
    assert (session.started.parent, session.started.fork_step) == (asked["run_id"], 1)
    first = next(e for e in child.events if isinstance(e, Decided))
    assert (first.action, first.source) == (mine, "user")
    assert session.retrieved[0] == replace(
        _retrieved(runs.get(asked["run_id"]).events)[0], **_stamp(session.retrieved[0])
    )
    assert (parent / recorder.EVENTS).read_bytes() == before
    assert recorder.read(child.folder).events == tuple(child.events)


def test_a_fork_under_another_policy_retrieves_afresh(asked: dict[str, Any], runs: Runs, video: Path) -> None:
    child = runs.fork(asked["run_id"], Edit(1, policy=Policy.RECALL), video, Settings(data_dir=runs.root.parent))
    assert child.join(60)
    route = child.session().route
    assert route is not None and route.policy is Policy.RECALL and "policy" in route.overridden
    assert _retrieved(child.events)[0].policy == "recall"


def test_a_fork_of_a_changed_trace_is_refused(asked: dict[str, Any], runs: Runs) -> None:
    events = list(runs.get(asked["run_id"]).events)
    n = next(i for i, e in enumerate(events) if isinstance(e, Retrieved))
    found = events[n]
    assert isinstance(found, Retrieved)
    events[n] = replace(found, references=(replace(found.references[0], score=0.123), *found.references[1:]))
    with pytest.raises(BadTrace, match="trace was changed"):
        prefix(events, Edit(2))


def test_a_fork_from_no_step_or_another_video_is_refused(asked: dict[str, Any], runs: Runs, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="can be forked from steps 1 to"):
        prefix(runs.get(asked["run_id"]).events, Edit(99))
    other = film(tmp_path / "other.mp4", seed=1)
    with pytest.raises(BadInput, match="not the video"):
        runs.fork(asked["run_id"], Edit(1), other, Settings(data_dir=runs.root.parent))


def test_an_interrupted_run_goes_on_where_it_was(asked: dict[str, Any], runs: Runs, video: Path) -> None:
    whole = recorder.read(Path(asked["run_dir"])).events
    cut = next(i for i, e in enumerate(whole) if e.kind == "observed")
    torn = runs.root / "20200101-000000-aaaaaa"
    book = recorder.Recorder(torn)
    for event in whole[: cut + 1]:
        book.record(event)
    book.close()
    assert {row.id: row.outcome for row in runs.list()}[torn.name] == "interrupted"
    child = runs.resume(torn.name, video, Settings(data_dir=runs.root.parent))
    assert child.join(60)
    finished = child.session().finished
    assert finished is not None and finished.answer is not None and finished.answer.label == "B"


def test_pause_step_stop_of_a_live_run(runs: Runs, video: Path) -> None:
    run = runs.start(video, parse_question("How many signs are shown?"), Settings(data_dir=runs.root.parent))
    run.control.pause()
    assert _eventually(lambda: any(isinstance(e, Decided) for e in run.events) or run.done)
    time.sleep(0.2)
    held = len(run.events)
    assert len(run.events) == held and not run.done
    run.control.step()
    assert _eventually(lambda: sum(isinstance(e, Decided) for e in run.events) >= 2 or run.done)
    run.control.stop()
    assert run.join(10)
    assert run.session().finished is not None


def _retrieved(events: list[Any]) -> list[Retrieved]:
    return [e for e in events if isinstance(e, Retrieved)]


def _stamp(event: Any) -> dict[str, Any]:
    return {"seq": event.seq, "at": event.at}


def _eventually(true: Any, within: float = 60.0) -> bool:
    end = time.monotonic() + within
    while time.monotonic() < end:
        if true():
            return True
        time.sleep(0.02)
    return False
