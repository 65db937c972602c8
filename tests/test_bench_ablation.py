"""The ablation bench: five configurations that really differ in what runs, counted from their traces."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from case_film import Scene, do, film, finalize, sighting

from vesta_ui import bench, samples
from vesta_ui.domain import Policy
from vesta_ui.events import Decided, Event, Retrieved, Routed, StepStarted
from vesta_ui.runs import recorder
from vesta_ui.settings import ABLATIONS

QUESTION = {
    "id": "q1",
    "question": "How many times is the BAKERY sign shown?",
    "choices": ["once", "twice"],
    "gold": "A",
    "gold_intervals": [[6, 12]],
}


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[str], Path]:
    """What the bench printed, and the folder with its runs."""
    folder = tmp_path_factory.mktemp("ablation")
    film(folder / "tiny.mp4", [Scene(6, (150, 40, 40)), Scene(6, (40, 60, 160), "BAKERY")])
    about = {"title": "Tiny", "video": "tiny.mp4", "questions": [QUESTION, {**QUESTION, "id": "q2"}]}
    (folder / "tiny.json").write_text(json.dumps(about))
    (folder / "mind.script").write_text(
        json.dumps([do("inspect", intervals=[[6, 12]], focus="sign"), finalize("A", ["e1"])])
    )
    seen = {"observations": [sighting(6, 12, "a sign reads BAKERY", "yes", text="BAKERY")]}
    (folder / "eye.script").write_text(json.dumps([seen]))
    flags = [
        "--reasoner", f"scripted:{folder}/mind.script", "--observer", f"scripted:{folder}/eye.script", "--speech", "off",
        "--question", "q1", "--out", str(folder / "out"), "--data-dir", str(folder / "data"),
    ]  # fmt: skip
    told: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(samples, "FOLDER", folder)
        assert bench.main("ablation", flags, told.append) == 0
    return told, folder / "out"


@pytest.fixture(params=ABLATIONS)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def events_of(ran: tuple[list[str], Path], name: str) -> Sequence[Event]:
    (folder,) = (ran[1] / name).iterdir()
    return recorder.read(folder).events


def test_each_configuration_changes_what_runs(ran: tuple[list[str], Path], name: str) -> None:
    events = events_of(ran, name)
    parts = ABLATIONS[name]
    routed = [e for e in events if isinstance(e, Routed)]
    retrieved = [e for e in events if isinstance(e, Retrieved)]
    assert bool(routed) == parts.routing
    assert [e.policy for e in retrieved] == (
        [] if not parts.retrieval else [Policy.RECALL if parts.routing else Policy.FOCUSED]
    ), "without a route: one query with the question itself, top K"
    assert all((e.snapshot is not None) == parts.ledger for e in events if isinstance(e, StepStarted))


def test_each_configuration_changes_what_the_reasoner_is_told(ran: tuple[list[str], Path], name: str) -> None:
    parts = ABLATIONS[name]
    system, last = next(
        e.calls[0].messages for e in events_of(ran, name) if isinstance(e, Decided) and e.action.operation == "finalize"
    )
    assert ("- retrieve:" in system.text) == parts.retrieval
    assert ("Provisional references" in last.text) == parts.retrieval
    assert ("Guidance" in last.text) == parts.routing
    assert ("Evidence ledger" in last.text) == parts.ledger
    assert (": verified" in last.text) == (parts.ledger and parts.retrieval), "outcomes are the ledger's knowledge"
    assert "a sign reads BAKERY" in last.text, "tool memory is always there"


def test_the_tables_count_what_happened(ran: tuple[list[str], Path]) -> None:
    _, *tables = ran[0][0].split("\n\n")
    five, six, seven, eight = ({(row := [c.strip() for c in line.split("|")[1:-1]])[0]: row[1:] for line in table.splitlines()[2:]}
                        for table in tables)  # fmt: skip
    assert list(five) == list(six) == list(seven) == list(eight) == list(ABLATIONS)
    assert five["full"][:4] == ["✓", "✓", "✓", "1/1"] and five["plain"][:4] == ["–", "–", "–", "1/1"]
    assert all(row[-1] == "0" for row in five.values()), "no run failed"
    assert all(row[0] == "2" and row[-1] == "0" for row in six.values()), "two decisions each, for no money"
    assert all(row == ["1", "1.00", "1/1"] for row in eight.values()), "the gold interval itself is cited"
    for name, (retrievals, inspections, clips, speech, others, frames, retrieval_s, _) in seven.items():
        assert retrievals == ("1" if ABLATIONS[name].retrieval else "0")
        assert (inspections, clips, speech, others) == ("1", "0", "0", "0") and float(frames) > 1
        assert (retrieval_s != "–") == ABLATIONS[name].retrieval


def test_no_path_of_this_machine_is_in_the_traces(ran: tuple[list[str], Path]) -> None:
    here = str(ran[1].parent)
    written = [p for p in ran[1].rglob("*") if p.is_file() and p.suffix != ".jpg"]
    assert len(written) >= 5
    assert not [p.name for p in written if here in p.read_text("utf-8")]
    assert "scripted:mind.script" in (next((ran[1] / "full").iterdir()) / "events.jsonl").read_text("utf-8")
