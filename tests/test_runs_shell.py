"""Recorded runs from a shell: find, look inside, verify, move, prune, fork, go on, run again, compare, keep."""

from __future__ import annotations

import json
import shutil
import threading
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import ui_run
from jsonschema import Draft202012Validator
from test_scene_index import film

from vesta_ui import commands
from vesta_ui import events as ev
from vesta_ui.__main__ import main
from vesta_ui.control import Control
from vesta_ui.frames import FrameStore
from vesta_ui.runs import book, recorder
from vesta_ui.runs.catalog import CACHE, Catalog, Query, RunSummary, family
from vesta_ui.runs.registry import Runs
from vesta_ui.runs.run import Run, load
from vesta_ui.runs.session import History, fold, until_step
from vesta_ui.settings import Settings

A, B, C = "20261130-101010-aaaaaa", "20261130-111111-bbbbbb", "20261130-121212-cccccc"


class Shell:
    """Calls the shell in this process; remembers what it printed."""

    def __init__(self, data: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.data, self.capsys, self.code, self.err = data, capsys, 0, ""

    def __call__(self, *arguments: object) -> str:
        words = [str(one) for one in arguments]
        self.code = main([*words, "--data-dir", str(self.data)])
        out, self.err = self.capsys.readouterr()
        return out

    def json(self, *arguments: object) -> Any:
        return json.loads(self(*arguments, "--json"))


def record(data: Path, run_id: str, **changes: Any) -> Path:
    folder = data / "runs" / run_id
    steps, cut = changes.pop("steps", 4), changes.pop("cut", 0)
    made = ui_run.run_events(FrameStore(folder / "frames"), run_id, ui_run.facts(), steps=steps)
    assert isinstance(made[0], ev.RunStarted)
    made[0] = replace(made[0], **changes)
    ui_run.record(folder, made[: len(made) - cut])
    return folder


@pytest.fixture
def shell(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Shell:
    """Three runs: a whole one, an interrupted one, and a fork of the first."""
    record(tmp_path, A)
    record(tmp_path, B, cut=1)
    record(tmp_path, C, agent="save", parent=A, fork_step=2, fork_edit="π: recall", steps=6)
    return Shell(tmp_path, capsys)


# ------------------------------------------------------------------------------------------------ finding
@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ([], [C, B, A]),
        (["--words", "tea reads"], [C, B, A]),
        (["--words", "TEA 4"], [C]),
        (["--words", "nowhere"], []),
        (["--outcome", "interrupted"], [B]),
        (["--agent", "save"], [C]),
        (["--failure", "refused", "--limit", "1"], [C]),
        (["--failure", "REFUS", "--limit", "1"], [C]),
        (["--failure", "timeout"], []),
        (["--video", "walk"], [C, B, A]),
        (["--video", "f" * 64], []),
        (["--least-usd", "0.02"], [C]),
        (["--most-usd", "0.013"], [B, A]),
    ],
)
def test_runs_are_found_by_what_they_say_and_did(shell: Shell, asked: list[str], found: list[str]) -> None:
    assert [row["id"] for row in shell.json("runs", "list", *asked)] == found


def test_the_catalogue_follows_the_folders_and_survives_damage(shell: Shell) -> None:
    root = shell.data / "runs"
    assert len(Catalog(root).rows()) == 3
    shutil.rmtree(root / C)
    record(shell.data, "20261130-131313-dddddd")
    assert [row.id[-6:] for row in Catalog(root).rows()] == ["dddddd", "bbbbbb", "aaaaaa"]
    (root / CACHE).write_bytes(b"no database" * 900)
    assert len(Catalog(root).find(Query(words="sign"))) == 3
    (root / A / "events.jsonl").write_text("rubbish\nmore\n")
    assert [row.id[-6:] for row in Catalog(root).rows()] == ["dddddd", "bbbbbb"]


def test_a_run_is_named_by_its_end_or_as_the_last_one(shell: Shell) -> None:
    assert shell("runs", "show", "aaaaaa").startswith(A)
    assert shell("runs", "show", "last").startswith(C)
    assert shell("runs", "show", shell.data / "runs" / B).startswith(B)
    shell("runs", "show", "20261130")
    assert shell.code == 2 and "3 runs" in shell.err
    shell("runs", "show", "zzzzzz")
    assert shell.code == 2 and "runs list" in shell.err


def test_forks_stand_under_their_parents(shell: Shell) -> None:
    assert [(row["id"], row["depth"]) for row in shell.json("runs", "tree")] == [(B, 0), (A, 0), (C, 1)]
    assert [row["id"] for row in shell.json("runs", "tree", "cccccc")] == [A, C]
    assert "└─" in shell("runs", "tree")


def test_a_run_that_claims_itself_as_parent_is_a_root() -> None:
    own = RunSummary(A, Path(), "q", "v", "vesta", "answered", "", parent=A)
    younger = RunSummary(B, Path(), "q", "v", "vesta", "answered", "", parent=C)
    other = RunSummary(C, Path(), "q", "v", "vesta", "answered", "", parent=B)
    assert [(row.id, depth) for row, depth in family([other, younger, own])] == [(B, 0), (C, 1), (A, 0)]


# ------------------------------------------------------------------------------------------------ looking inside
def test_the_state_at_a_step_is_what_the_reasoner_had(shell: Shell) -> None:
    data = shell.json("runs", "show", A, "--step", 3)
    assert [item["step"] for item in data["memory"]] == [1, 2]
    assert [entry["id"] for entry in data["entries"]] == ["e1"]
    assert data["difference"] is None
    shell("runs", "show", A, "--step", 9)
    assert shell.code == 2 and "steps 1 to 4" in shell.err


def test_another_view_or_budget_shows_the_difference_and_loses_nothing(shell: Shell) -> None:
    other = shell.json("runs", "show", C, "--step", 6, "--view", "coverage", "--flags", "counting")
    assert "temporal coverage" in other["view"]["text"] and other["difference"]["lines"]
    tight = shell.json("runs", "show", C, "--step", 6, "--chars", 400)
    assert len(tight["view"]["text"]) <= 400 and tight["difference"]["hidden"]
    assert [e["id"] for e in tight["entries"]] == [e["id"] for e in other["entries"]]
    for wrong, says in (
        (["--view", "upside"], "choose one of"),
        (["--flags", "speech"], "give --view"),
        (["--chars", "10"], "at least 200"),
    ):
        shell("runs", "show", C, "--step", 6, *wrong)
        assert shell.code == 2 and says in shell.err


def test_history_is_the_fold_up_to_every_step(shell: Shell) -> None:
    events = load(shell.data / "runs" / C).events
    history = History(events)
    assert history.last == 6
    for step in range(8):
        assert history.at(step) == fold(until_step(events, step))


def test_every_line_of_a_trace_fits_the_schema(shell: Shell) -> None:
    validator = Draft202012Validator(json.loads(shell("runs", "schema")))
    lines = (shell.data / "runs" / A / recorder.EVENTS).read_text().splitlines()
    for line in lines:
        validator.validate(json.loads(line))
    bad = json.loads(lines[-1])
    assert not validator.is_valid({**bad, "outcome": "lucky"})
    assert not validator.is_valid({name: value for name, value in bad.items() if name != "schema"})


# ------------------------------------------------------------------------------------------------ verifying and moving
def test_a_whole_run_verifies_and_every_damage_is_named(shell: Shell) -> None:
    folder = shell.data / "runs" / A
    assert shell.json("runs", "verify", A) == {A: []} and shell.code == 0
    seen = next(e for e in recorder.read(folder).events if isinstance(e, ev.Observed))
    frame = folder / "frames" / f"{seen.frames[0].sha256}.jpg"
    kept = frame.read_bytes()
    frame.write_bytes(kept + b"x")
    assert "not the picture it was" in shell("runs", "verify", A) and shell.code == 2
    frame.unlink()
    assert "is missing" in shell("runs", "verify", A)
    frame.write_bytes(kept)
    path = folder / recorder.EVENTS
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(lines[:4] + lines[5:]))
    assert "lines were removed" in shell("runs", "verify", A)
    path.write_text("".join(lines)[:-20])
    assert "torn" in shell("runs", "verify", A)


def test_an_exported_run_comes_back_as_it_was(shell: Shell, tmp_path: Path) -> None:
    target = tmp_path / "one.zip"
    shell("runs", "export", A, "--format", "zip", "--out", target)
    shell("runs", "import", target)
    assert shell.code == 2 and "here already" in shell.err
    other = Shell(tmp_path / "elsewhere", shell.capsys)
    assert other.json("runs", "import", target) == {"run_id": A}
    assert other.json("runs", "verify") == {A: []}
    assert load(other.data / "runs" / A).events == load(shell.data / "runs" / A).events


@pytest.mark.parametrize("name", ["../../evil.sh", f"{A}/../x", f"{A}/notes.txt", f"{A}/frames/a.jpg", "/etc/passwd"])
def test_an_archive_with_anything_else_is_refused_whole(shell: Shell, tmp_path: Path, name: str) -> None:
    source = tmp_path / "bad.zip"
    with zipfile.ZipFile(source, "w") as archive:
        archive.writestr(f"{A}/events.jsonl", "{}")
        archive.writestr(name, "x")
    other = Shell(tmp_path / "elsewhere", shell.capsys)
    other("runs", "import", source)
    assert other.code == 2 and "no part of a run" in other.err
    assert list((tmp_path / "elsewhere" / "runs").iterdir()) == []
    assert not (tmp_path / "evil.sh").exists()


def test_every_format_is_written_with_its_size(shell: Shell, tmp_path: Path) -> None:
    for kind, name in (("html", "a.html"), ("markdown", "a.md.zip"), ("json", "a.json"), ("otlp", "a.otlp.json")):
        told = shell.json("runs", "export", A, "--format", kind, "--out", tmp_path / name)
        assert told["bytes"] == (tmp_path / name).stat().st_size > 1000


def test_pruning_shows_first_and_leaves_what_cases_keep(shell: Shell) -> None:
    case = shell.json("cases", "new", A)
    assert case["runs"] == [A]
    assert shell.json("runs", "prune", "--keep", 0) == {"would_delete": [C, B]}
    assert len(list(recorder.folders(shell.data / "runs"))) == 3
    assert shell.json("runs", "prune", "--outcome", "interrupted", "--yes") == {"deleted": [B]}
    assert shell.json("runs", "prune", "--older-than", 36500) == {"would_delete": []}
    shell("runs", "prune")
    assert shell.code == 2 and "--keep" in shell.err
    assert [row["id"] for row in shell.json("runs", "list")] == [C, A]


# ------------------------------------------------------------------------------------------------ comparing and keeping
def test_compare_tells_divergence_answers_and_costs(shell: Shell) -> None:
    data = shell.json("compare", A, C)
    assert data["first_divergence"] == 3 and data["agree"] is True
    assert [row["kind"] for row in data["rows"]] == ["same", "same", "same", "only", "only", "same"]
    assert data["costs"][1]["remote_requests"] == 5
    text = shell("compare", A, C)
    assert "first divergence: line 4" in text and "remote requests" in text
    spread = shell.json("compare", A, B, C, "--repeat", 3)
    assert spread["runs"] == 3 and spread["answers"] == [["A", 2], ["no answer", 1]]
    assert len(shell.json("compare", A, C, A, C, B)) == 5 and "5 runs: answers and costs only" in shell.err
    shell("compare", A)
    assert shell.code == 2 and "two to four" in shell.err


def test_a_case_is_judged_noted_found_and_exported(shell: Shell, tmp_path: Path) -> None:
    case = shell.json("cases", "new", A)["id"]
    shell("cases", "add", case, C)
    shell("cases", "gold", case, "b", "--interval", "31-33")
    shell("cases", "note", case, "misread the board", "--label", "misread evidence", "--run", A, "--step", 2)
    data = shell.json("cases", "show", case)
    assert [(j["verdict"], round(j["iou"], 2)) for j in data["judged"]] == [("wrong", 0.5), ("wrong", 0.5)]
    shell("cases", "judge", case, A, "partly")
    shell("cases", "note", case, "here", "--interval", "12-18")
    told = shell("cases", "show", case)
    assert all(
        part in told for part in ("partly (yours)", "A. TEA", "gold: B, at 00:31.0–00:33.0", "(case, 00:12.0–00:18.0)")
    )
    assert [row["id"] for row in shell.json("runs", "list", "--label", "misread evidence")] == [A]
    assert [one["id"] for one in shell.json("cases", "list", "--words", "board")] == [case]
    assert shell.json("cases", "export", case, "--out", tmp_path / "case.html")["bytes"] > 1000
    for wrong, says in (
        (["gold", case, "Z"], "no choice"),
        (["gold", case, "A", "--interval", "50-90"], "outside the video"),
        (["gold", case, "A", "--interval", "soon"], "FROM-TO"),
        (["note", case, "x", "--label", "odd"], "unknown label"),
    ):
        shell("cases", *wrong)
        assert shell.code == 2 and says in shell.err


# ------------------------------------------------------------------------------------------------ going on, with a real video
@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, str]:
    """A data folder, its video, and the id of a run that was asked there through the shell's own parts."""
    data, video = tmp_path_factory.mktemp("data"), film(tmp_path_factory.mktemp("film") / "signs.mp4")
    settings = Settings(data_dir=data, speech="off", max_steps=5)
    from vesta_ui.question import parse_question
    from vesta_ui.video import open_video

    with open_video(video) as opened:
        book.remember(data, opened.facts.sha256, video)
    question = parse_question("What is written on the blue sign?", ["Platform 9", "Bakery", "Grand Hotel"])
    run = Runs(settings).start(video, question, settings)
    assert run.join(120) and run.session().answer is not None
    return data, video, run.id


def test_a_fork_takes_over_with_another_view_and_is_drawn_under_its_parent(
    asked: tuple[Path, Path, str], capsys: pytest.CaptureFixture[str]
) -> None:
    data, _, run_id = asked
    shell = Shell(data, capsys)
    action = json.dumps({"operation": "clip", "arguments": {"interval": [6, 12], "question": "What is written?"}})
    child = shell.json("runs", "fork", run_id, "--step", 1, "--action", action, "--view", "coverage", "--max-steps", 3)
    assert child["parent"] == run_id and child["steps"][0]["operation"] == "clip"
    assert child["route"]["view"]["emphasis"] == "temporal coverage and event relations"
    assert "step 1: clip: chosen by hand" in shell.err and "step 2: " in shell.err
    assert [row["depth"] for row in shell.json("runs", "tree", run_id)][:2] == [0, 1]
    assert shell.json("runs", "verify", child["run_id"]) == {child["run_id"]: []}
    shell("runs", "fork", run_id, "--step", 1, "--action", "{not json")
    assert shell.code == 2 and "not JSON" in shell.err


def test_a_run_is_told_of_while_it_goes_on(tmp_path: Path) -> None:
    """Each event comes only once the one before was told, as from a run that is slower than its reader."""
    one, told, stoppable = Run(A, tmp_path / A), list[ev.Event](), list[Control]()
    left = ui_run.run_events(FrameStore(tmp_path / "frames"), A, ui_run.facts(), steps=2)
    count = len(left)

    def progress(event: ev.Event) -> None:
        told.append(event)
        one.add(left.pop(0)) if left else one.finish()

    def stop(control: Control) -> Control:
        stoppable.append(control)
        return control

    one.add(left.pop(0))
    late = threading.Timer(10, one.finish)
    late.start()
    shell = commands.Shell(print, print, Settings(data_dir=tmp_path), False, progress, stop)
    shell.follow(one)
    late.cancel()
    assert len(told) == count and told == one.events
    assert stoppable == [one.control]


def test_an_interrupted_run_continues_and_a_finished_one_does_not(
    asked: tuple[Path, Path, str], capsys: pytest.CaptureFixture[str]
) -> None:
    data, _, run_id = asked
    shell = Shell(data, capsys)
    torn = data / "runs" / "20200101-000000-abcdef"
    whole = recorder.read(data / "runs" / run_id).events
    ui_run.record(torn, whole[: next(i for i, e in enumerate(whole) if e.kind == "observed") + 1])
    shutil.copytree(data / "runs" / run_id / "frames", torn / "frames")
    child = shell.json("runs", "continue", torn.name)
    assert shell.code == 0 and child["answer"]["label"] == "B" and child["parent"] == torn.name
    shell("runs", "continue", run_id)
    assert shell.code == 2 and "fork it" in shell.err


def test_a_changed_observation_is_noticed_by_the_state_that_follows(
    asked: tuple[Path, Path, str], capsys: pytest.CaptureFixture[str]
) -> None:
    data, _, run_id = asked
    changed = data / "elsewhere" / run_id
    shutil.copytree(data / "runs" / run_id, changed)
    path = changed / recorder.EVENTS
    path.write_text(path.read_text().replace('"output": "', '"output": "as if ', 1))
    assert "an event before it was changed" in Shell(data, capsys)("runs", "verify", changed)


def test_one_operation_alone_gives_what_was_recorded(
    asked: tuple[Path, Path, str], capsys: pytest.CaptureFixture[str]
) -> None:
    data, _, run_id = asked
    shell = Shell(data, capsys)
    before = (data / "runs" / run_id / recorder.EVENTS).read_bytes()
    again = shell.json("runs", "rerun", run_id, "--step", 1)
    assert again["result"]["output"] == again["recorded"] != ""
    other = json.dumps({"operation": "retrieve", "arguments": {"query": "hotel", "k": 1}})
    assert len(shell.json("runs", "rerun", run_id, "--step", 1, "--action", other)["result"]["references"]) == 1
    assert (data / "runs" / run_id / recorder.EVENTS).read_bytes() == before


def test_every_policy_is_asked_what_it_would_have_found(
    asked: tuple[Path, Path, str], capsys: pytest.CaptureFixture[str]
) -> None:
    data, _, run_id = asked
    shell = Shell(data, capsys)
    found = shell.json("runs", "show", run_id, "--retrieval")
    recorded = next(e for e in recorder.read(data / "runs" / run_id).events if isinstance(e, ev.Retrieved))
    had = [(r.scene_id, pytest.approx(r.score)) for r in recorded.references]
    assert [(r["scene_id"], r["score"]) for r in found[recorded.policy]["references"]] == had
    assert set(found) == {"focused", "recall", "contrastive"}
    other = shell.json("runs", "show", run_id, "--retrieval", "--query", "a grand hotel")
    assert other["focused"]["references"][0]["start"] == 12
    shutil.move(data / "indexes", data / "gone")
    shell("runs", "show", run_id, "--retrieval")
    shutil.move(data / "gone", data / "indexes")
    assert shell.code == 2 and "index its video again" in shell.err


def test_a_moved_video_is_asked_for(asked: tuple[Path, Path, str], capsys: pytest.CaptureFixture[str]) -> None:
    data, video, run_id = asked
    shell = Shell(data, capsys)
    hidden = video.rename(video.with_suffix(".away"))
    try:
        shell("runs", "fork", run_id, "--step", 1, "--policy", "recall")
        assert shell.code == 2 and "--video PATH" in shell.err
    finally:
        hidden.rename(video)
