"""A bench of the page: questions × configurations as recorded runs, kept, stopped, gone on with, and counted as the shell does."""

from __future__ import annotations

import json
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from case_film import Scene, do, film, finalize, give_roles, sighting

from vesta_ui import bench, samples
from vesta_ui.bench import suite
from vesta_ui.bench.suite import Bench, Benches
from vesta_ui.domain import Interval, Question
from vesta_ui.errors import BadInput, BadSpec, Busy
from vesta_ui.runs import cases as keeping
from vesta_ui.runs.cases import Cases
from vesta_ui.runs.registry import Runs
from vesta_ui.settings import ABLATIONS, Settings
from vesta_ui.ui.bench_routes import shown
from vesta_ui.video import open_video

ASKED = {
    "question": "How many times is the BAKERY | sign shown?",
    "choices": ["once", "twice"],
    "gold_intervals": [[6, 12]],
}
QUESTIONS = [{**ASKED, "id": "q1", "gold": "A"}, {**ASKED, "id": "q2", "question": "And the TEA sign?", "gold": "B"}]
LOOK, ANSWER = do("inspect", intervals=[[6, 12]], focus="sign"), finalize("A", ["e1"])
SEEN = {"observations": [sighting(6, 12, "a sign reads BAKERY", "yes", text="BAKERY")]}
REFUSED = {"fail": "auth", "message": "the key is not accepted"}


@pytest.fixture(scope="module")
def set_up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Settings]:
    """A sample of two questions, the second of which is answered wrongly, with its index made."""
    folder = tmp_path_factory.mktemp("bench")
    film(folder / "tiny.mp4", [Scene(6, (150, 40, 40)), Scene(6, (40, 60, 160), "BAKERY")])
    (folder / "tiny.json").write_text(json.dumps({"title": "Tiny", "video": "tiny.mp4", "questions": QUESTIONS}))
    (folder / "eye.script").write_text(json.dumps([SEEN]))
    (folder / "mind.script").write_text(json.dumps([LOOK, ANSWER]))
    roles = {"reasoner": f"scripted:{folder}/mind.script", "observer": f"scripted:{folder}/eye.script"}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(samples, "FOLDER", folder)
        yield Settings(data_dir=folder / "data", speech="off", **roles)


@pytest.fixture
def benches(set_up: Settings, tmp_path: Path) -> Iterator[Benches]:
    """Over a data folder of its own; the index comes along."""
    if set_up.data_dir.is_dir():
        shutil.copytree(set_up.data_dir, tmp_path, dirs_exist_ok=True)
    made = over(tmp_path, set_up)
    yield made
    made.stop()
    wait(lambda: not made.live)


def over(folder: Path, settings: Settings) -> Benches:
    return Benches(folder, Runs(replace(settings, data_dir=folder)), lambda key: samples.FOLDER / "tiny.mp4")


def wait(done: Callable[[], Any], seconds: float = 60.0) -> None:
    deadline = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < deadline, "it never came"
        time.sleep(0.02)


def ran(benches: Benches, settings: Settings, names: tuple[str, ...], key: str = "sample:tiny") -> Bench:
    """A bench from plan to end."""
    settings = replace(settings, data_dir=benches.runs.root.parent)
    made = suite.plan(key, names, settings, benches.cases)
    benches.start(made, settings)
    wait(lambda: not benches.live)
    return benches.get(made.id)


def cells(benches: Benches, made: Bench) -> list[list[Any]]:
    """Per question the mark or the state of every cell."""
    rows = shown(benches, benches.get(made.id))["rows"]
    return [[c and (c["mark"] if c["state"] == "ended" else c["state"]) for c in row["cells"]] for row in rows]


def test_the_page_counts_what_the_shell_counts(benches: Benches, set_up: Settings, tmp_path: Path) -> None:
    made = ran(benches, set_up, tuple(reversed(ABLATIONS)))
    data = shown(benches, made)
    told: list[str] = []
    flags = [
        "--reasoner",
        set_up.reasoner,
        "--observer",
        set_up.observer,
        "--speech",
        "off",
        "--data-dir",
        str(tmp_path),
    ]
    assert bench.main("ablation", flags, told.append) == 0
    _roles, five, six, _operations, evidence = told[0].split("\n\n")
    assert [data["tables"][n] for n in (0, 1, 3)] == [five, six, evidence]
    assert cells(benches, made) == [["✓"] * 5, ["✗"] * 5]
    assert "| full | ✓ | ✓ | ✓ | 1/2 | 50 (9–91) |" in five
    assert [one["name"] for one in data["configurations"]] == list(ABLATIONS), "in the paper's order"
    assert "2 questions are few" in data["notes"][0]
    assert (
        data["paying"][0].splitlines()[0].endswith("| n | full | no-retrieval | retrieval-only | no-ledger | plain |")
    )
    assert "| > 15 % | 2 |" in data["paying"][0], "6 of 12 seconds"
    assert data["markdown"].count("\n| How many times is the BAKERY \\| sign shown? | A | ✓ A (2)") == 1


def test_runs_are_ordinary_ones_one_after_the_other_and_a_restart_shows_the_same(
    benches: Benches, set_up: Settings, tmp_path: Path
) -> None:
    made = ran(benches, set_up, ("full", "plain"))
    listed = benches.runs.list()
    assert {run_id for row in made.runs for run_id in row.values()} == {one.id for one in listed} and len(listed) == 4
    assert all(one.outcome == "answered" for one in listed)
    before = shown(benches, made)
    assert (before["done"], before["total"], before["open"], before["trouble"]) == (4, 4, 0, "")
    again = over(tmp_path, set_up)
    assert [one.id for one in again.newest(5)] == [made.id]
    assert shown(again, again.get(made.id)) == before
    again.runs.delete(made.runs[0]["plain"])
    assert cells(again, made) == [["✓", None], ["✗", "✗"]] and shown(again, made)["open"] == 1


def test_failed_runs_are_told_not_counted_and_three_in_a_row_end_it(
    benches: Benches, set_up: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = [True]
    give_roles(monkeypatch, reasoner=lambda request: REFUSED if broken[0] else ANSWER, observer=lambda request: SEEN)
    settings = replace(set_up, reasoner="scripted:reasoner", observer="scripted:observer")
    made = ran(benches, settings, ("full", "no-ledger", "plain"))
    data = shown(benches, made)
    assert cells(benches, made) == [["failed"] * 3, [None] * 3]
    assert data["rows"][0]["cells"][0]["why"] == "auth" and "the key is not accepted" in data["trouble"]
    assert data["trouble"].startswith("3 runs in a row failed") and data["open"] == 6
    assert "| full | ✓ | ✓ | ✓ | 0/0 | – |  | 1 |" in data["tables"][0]
    assert (
        any("3 runs ended without an answer" in note for note in data["notes"]) and "failed: auth" in data["markdown"]
    )
    broken[0] = False
    benches.start(made, replace(settings, data_dir=benches.runs.root.parent))
    wait(lambda: not benches.live)
    assert cells(benches, made) == [["✓"] * 3, ["✗"] * 3] and shown(benches, benches.get(made.id))["trouble"] == ""


def test_a_stopped_bench_keeps_its_answers_and_runs_only_the_rest_later(
    benches: Benches, set_up: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, go_on = [0], threading.Event()

    def decide(request: Any) -> Any:
        asked[0] += 1
        if asked[0] > 1:
            go_on.wait(20)
        return ANSWER

    give_roles(monkeypatch, reasoner=decide, observer=lambda request: SEEN)
    settings = replace(
        set_up, reasoner="scripted:reasoner", observer="scripted:observer", data_dir=benches.runs.root.parent
    )
    made = suite.plan("sample:tiny", ("full", "plain"), settings, benches.cases)
    benches.start(made, settings)
    wait(lambda: asked[0] == 2)
    assert cells(benches, made) == [["✓", "running"], [None, None]] and shown(benches, benches.get(made.id))["live"]
    with pytest.raises(Busy, match="a bench goes on"):
        benches.start(made, settings)
    benches.stop()
    go_on.set()
    wait(lambda: not benches.live)
    assert shown(benches, benches.get(made.id))["trouble"] == "stopped"
    assert cells(benches, made)[0] == ["✓", "failed"] and cells(benches, made)[1] == [None, None]
    first = benches.get(made.id).runs[0]["full"]
    with pytest.raises(BadInput, match="the settings are not those of this bench"):
        benches.start(benches.get(made.id), replace(settings, max_steps=3))
    benches.start(benches.get(made.id), settings)
    wait(lambda: not benches.live)
    assert cells(benches, made) == [["✓", "✓"], ["✗", "✗"]] and benches.get(made.id).runs[0]["full"] == first


def test_own_cases_are_a_set_and_the_users_verdict_counts(benches: Benches, set_up: Settings) -> None:
    with open_video(samples.FOLDER / "tiny.mp4") as video:
        facts = video.facts
    with pytest.raises(BadInput, match="no case has a gold answer"):
        suite.items(suite.OWN, benches.cases)
    benches.cases.save(keeping.new(Question("Not judged?"), facts))
    case = keeping.with_gold(keeping.new(Question("What does the sign read?"), facts), "bread", [Interval(6, 12)])
    benches.cases.save(case)
    assert suite.sets(benches.cases)[suite.OWN] == ("My cases with a gold answer", 1)
    made = ran(benches, set_up, ("full",), suite.OWN)
    assert cells(benches, made) == [["?"]], "an open answer in other words"
    assert any("1 open answer in other words" in note for note in shown(benches, made)["notes"])
    kept = benches.cases.get(case.id)
    assert kept.runs == (made.runs[0]["full"],)
    benches.cases.save(keeping.with_verdict(kept, kept.runs[0], "right"))
    assert cells(benches, made) == [["✓"]] and "| 1/1 |" in shown(benches, made)["tables"][0]


def test_what_cannot_be_run_is_refused_in_one_sentence(benches: Benches, set_up: Settings, tmp_path: Path) -> None:
    cases = Cases(tmp_path)
    for key, names, settings, sentence in (
        ("sample:tiny", (), set_up, "at least one configuration"),
        ("sample:tiny", ("fuller",), set_up, "unknown configuration"),
        ("sample:none", ("full",), set_up, "this sample is not there"),
        ("sample:tiny", ("full",), replace(set_up, reasoner="nobody:x"), "nobody"),
    ):
        with pytest.raises((BadInput, BadSpec), match=sentence):
            suite.plan(key, names, settings, cases)
    for bad in ("../../etc", "20260101-000000-abcdef"):
        with pytest.raises(BadInput, match="there is no such bench"):
            benches.get(bad)


def test_the_estimate_is_the_most_all_runs_may_cost(settings: Settings) -> None:
    assert suite.estimate(12, ("full", "native"), settings) == (
        "12 questions × 2 configurations = 24 runs. No remote model is used: they cost nothing."
    )
    paid = replace(settings, router="openai:o3", reasoner="openai:o3", observer="openai:gpt-4o")
    one = suite.most(suite.configured(paid, "full"))
    assert one.usd is not None and f"= 12 runs, at most {12 * one.requests:,} requests and ${12 * one.usd:,.2f}." in (
        suite.estimate(12, ("full",), paid)
    )
    assert "and $1.20." in suite.estimate(12, ("full",), replace(paid, max_usd=0.1)), "a cap holds for every run"
    save, native = (suite.most(suite.configured(paid, name)) for name in ("save", "native"))
    assert save.requests >= 2 * paid.max_queries and native.requests <= 6, "as many queries as they may make"
    unpriced = replace(settings, reasoner="compatible:llava@http://127.0.0.1:1/v1")
    assert "the price of compatible:llava is unknown" in suite.estimate(1, ("full",), unpriced)
    heard = suite.estimate(1, ("full",), replace(settings, speech="openai:whisper-1"))
    assert "Indexing takes at most" in heard
