"""Run folders: what is written is what is read, and a crash leaves a readable trace."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies
from test_driver import ANSWER, FACTS, LOOK, QUESTION, Player, driver

from vesta_ui import files
from vesta_ui.domain import Action
from vesta_ui.errors import BadTrace, StorageFailed
from vesta_ui.events import Event, RunFinished, RunStarted
from vesta_ui.runs import recorder, report
from vesta_ui.runs.registry import Runs
from vesta_ui.runs.run import load
from vesta_ui.runs.session import fold, reduce, until_step
from vesta_ui.settings import Settings

STARTED = RunStarted(
    run_id="20261130-101010-abcdef", agent="vesta", question=QUESTION, video=FACTS, roles={}, settings={}
)

actions = strategies.sampled_from(
    [LOOK, ANSWER, Action("clip", {"interval": [3, 4], "question": "which “colour”? \u2028 <b>"}), Action("dance", {})]
)


def played(script: list[Action], folder: Path) -> list[Event]:
    return [STARTED, *driver(Player([*script]), folder).loop()]


def write(events: list[Event], folder: Path) -> Path:
    book = recorder.Recorder(folder)
    for event in events:
        book.record(event)
    book.close()
    return folder


@given(strategies.lists(actions, max_size=7))
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_replayed_run_folds_to_the_live_session(
    tmp_path_factory: pytest.TempPathFactory, script: list[Action]
) -> None:
    folder = tmp_path_factory.mktemp("run")
    events = played(script, folder)
    trace = recorder.read(write(events, folder / STARTED.run_id))
    assert list(trace.events) == events
    assert fold(trace.events) == fold(events)
    for k in range(len(events)):
        assert fold(events[:k]) == fold(trace.events[:k])


def test_folding_on_is_the_same_as_folding_at_once(tmp_path: Path) -> None:
    events = played([LOOK, LOOK], tmp_path)
    session = fold(events[:4])
    for event in events[4:]:
        session = reduce(session, event)
    assert session == fold(events)


def test_until_step_is_everything_before_the_next_decision(tmp_path: Path) -> None:
    events = played([LOOK, LOOK], tmp_path)
    assert [step.n for step in fold(until_step(events, 1)).steps] == [1]
    assert fold(until_step(events, 0)).steps == ()
    assert until_step(events, 99) == events


def test_a_torn_last_line_is_left_out(tmp_path: Path) -> None:
    events = played([LOOK], tmp_path)
    folder = write(events, tmp_path / "run")
    path = folder / recorder.EVENTS
    whole = path.read_bytes()
    for cut in (2, 7, len(whole.splitlines()[-1])):
        path.write_bytes(whole[:-cut])
        trace = recorder.read(folder)
        assert list(trace.events) == events[: len(trace.events)]
        assert len(trace.events) == len(events) - 1


def test_a_run_killed_after_any_event_opens_as_interrupted(tmp_path: Path) -> None:
    events = played([LOOK, LOOK], tmp_path)
    for count in range(1, len(events)):
        folder = write(events[:count], tmp_path / "runs" / f"20261130-101010-{count:06x}")
        trace = recorder.read(folder)
        assert list(trace.events) == events[:count]
        assert load(folder).session() == fold(events[:count])
    rows = Runs(Settings(data_dir=tmp_path)).list()
    assert len(rows) == len(events) - 1 and {row.outcome for row in rows} == {"interrupted"}


def test_the_facts_of_a_run_say_what_and_where_and_no_path(tmp_path: Path) -> None:
    facts = recorder.facts(write(played([LOOK], tmp_path), tmp_path / "run"))
    assert facts["question"]["text"] == QUESTION.text and facts["video"]["sha256"] == FACTS.sha256
    assert {"version", "python", "system", "machine", "cpus", "packages", "started_at"} <= set(facts)
    assert facts["packages"]["av"]
    assert "/" not in json.dumps(facts | {"settings": {}}).replace("\\/", "")


def test_a_broken_middle_is_refused_not_skipped(tmp_path: Path) -> None:
    folder = write(played([LOOK], tmp_path), tmp_path / "run")
    path = folder / recorder.EVENTS
    lines = path.read_text().splitlines()
    lines[2] = lines[2][:40]
    path.write_text("\n".join(lines))
    with pytest.raises(BadTrace, match="not JSON"):
        recorder.read(folder)


def rewritten(folder: Path, change: Any) -> Path:
    """Every line of a trace passed through `change(data, number)`."""
    path = folder / recorder.EVENTS
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    path.write_text("".join(json.dumps(change(data, n)) + "\n" for n, data in enumerate(lines)))
    return folder


def test_what_a_newer_version_added_is_kept_raw_and_the_rest_is_read(tmp_path: Path) -> None:
    events = played([LOOK], tmp_path)
    folder = write(events, tmp_path / "run")

    def newer(data: dict[str, Any], n: int) -> dict[str, Any]:
        return data | {"schema": 2, "mood": "calm"} | ({"kind": "dreamt", "of": "<b>sheep"} if n == 2 else {})

    trace = recorder.read(rewritten(folder, newer))
    assert list(trace.events) == events[:2] + events[3:]
    (unknown,) = trace.unknown
    assert (unknown.line, unknown.schema, unknown.kind) == (2, 2, "dreamt")
    assert unknown.raw["of"] == "<b>sheep"
    assert load(folder).unknown == trace.unknown


def test_a_known_event_of_a_newer_version_that_no_longer_fits_is_kept_raw(tmp_path: Path) -> None:
    folder = write(played([LOOK], tmp_path), tmp_path / "run")
    path = rewritten(folder, lambda data, n: data | ({"schema": 2, "action": "inspect 1-2"} if n == 2 else {}))
    assert [one.kind for one in recorder.read(path).unknown] == ["decided"]
    with pytest.raises(BadTrace, match="cannot be read"):
        recorder.read(rewritten(folder, lambda data, n: data | {"schema": 1}))


def test_an_older_schema_is_lifted_when_there_is_a_way_and_named_when_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    events = played([LOOK], tmp_path)
    folder = write(events, tmp_path / "run")

    def older(data: dict[str, Any], n: int) -> dict[str, Any]:
        return {"schema": 0, "type": data.pop("kind"), **{k: v for k, v in data.items() if k != "schema"}}

    rewritten(folder, older)
    with pytest.raises(BadTrace, match="schema 0"):
        recorder.read(folder)
    monkeypatch.setitem(recorder.MIGRATIONS, 0, lambda data: {"kind": data.pop("type"), **data})
    assert list(recorder.read(folder).events) == events


def test_a_folder_that_is_no_run_is_said(tmp_path: Path) -> None:
    with pytest.raises(BadTrace, match="no run folder"):
        recorder.read(tmp_path)


def test_an_unwritable_folder_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageFailed, match="is not a folder; choose another data folder"):
        recorder.Recorder(tmp_path / "file" / "run").record(STARTED)


def test_every_line_says_its_schema_and_stands_alone(tmp_path: Path) -> None:
    folder = write(played([LOOK], tmp_path), tmp_path / "run")
    for line in (folder / recorder.EVENTS).read_text().splitlines():
        data = json.loads(line)
        assert data["schema"] == 1 and data["kind"]


def test_runs_are_listed_newest_first_with_their_outcome(tmp_path: Path) -> None:
    events = played([LOOK], tmp_path)
    root = tmp_path / "runs"
    write(events, root / "20261130-101010-aaaaaa")
    write(events[:-1], root / "20261130-111111-bbbbbb")
    (root / "rubbish").mkdir()
    runs = Runs(Settings(data_dir=tmp_path))
    rows = [(row.id[-6:], row.outcome, row.answer) for row in runs.list()]
    assert rows == [("bbbbbb", "interrupted", ""), ("aaaaaa", "answered", "B. blue")]
    assert runs.get("20261130-101010-aaaaaa").session() == fold(events)


@pytest.mark.parametrize("bad", ["../../etc", "20261130-101010-zzzzzz", "", "20261130-101010-aaaaaa/.."])
def test_only_run_ids_open_runs(tmp_path: Path, bad: str) -> None:
    with pytest.raises(BadTrace):
        Runs(Settings(data_dir=tmp_path)).get(bad)


def test_the_report_of_a_replay_equals_the_live_one(tmp_path: Path) -> None:
    events = played([LOOK], tmp_path)
    folder = write(events, tmp_path / "run")
    live: dict[str, Any] = report.as_json(fold(events))
    assert report.as_json(load(folder).session()) == live
    assert json.loads(json.dumps(live)) == live
    assert live["outcome"] == "answered" and live["answer"]["evidence"][0]["entry_id"] == "e1"
    assert isinstance(events[-1], RunFinished)


def test_what_a_killed_writer_left_is_swept_away(tmp_path: Path) -> None:
    (tmp_path / "frames").mkdir()
    (tmp_path / "frames" / ".a.jpg.1-2.partial").write_bytes(b"ha")
    files.write(tmp_path / "frames" / "b.jpg", b"whole")
    files.sweep(tmp_path)
    assert [p.name for p in (tmp_path / "frames").iterdir()] == ["b.jpg"]
