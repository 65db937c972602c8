"""Rules of a whole run on the real pipeline: how often an unreadable answer is asked for, and what no gap suggests."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from case_film import Scene, do, film, finalize, give_roles, intervals_asked, played, sighting

from vesta_ui.domain import Choice, Outcome, Question
from vesta_ui.events import Routed, RunFinished, StepStarted
from vesta_ui.models import Request
from vesta_ui.runs.debug import recorded_view
from vesta_ui.runs.run import Run
from vesta_ui.settings import ABLATIONS, Settings
from vesta_ui.ui.ledger_view import snapshot

SAYS = Question("What does the man say?", (Choice("A", "Run"), Choice("B", "Wait")))


@pytest.fixture(scope="module")
def silent(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return film(tmp_path_factory.mktemp("silent") / "a.mp4", [Scene(8, (90, 90, 90)), Scene(8, (40, 120, 60)), Scene(8, (50, 80, 170))])  # fmt: skip


def sees(request: Request) -> dict[str, Any]:
    return {"observations": [sighting(one.start, one.end, "a street", "no") for one in intervals_asked(request)]}


def ask(silent: Path, folder: Path, question: Question = SAYS, **changes: Any) -> Run:
    settings = Settings(
        data_dir=silent.parent / "data", reasoner="scripted:reasoner", observer="scripted:observer",
        frames_per_scene=1, image_side=480, **changes,
    )  # fmt: skip
    return played(silent, question, settings, folder)


def end_of(run: Run) -> RunFinished:
    end = run.events[-1]
    assert isinstance(end, RunFinished)
    return end


# ---- an answer that names no choice
@pytest.mark.parametrize("said", ["either A or B", "", "He says that he will wait for the tram"])
def test_a_model_is_asked_once_more_for_an_unreadable_answer_and_no_third_time(
    silent: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str
) -> None:
    told = give_roles(monkeypatch, reasoner=lambda request: finalize(said, []), observer=sees)["reasoner"]
    end = end_of(ask(silent, tmp_path))
    assert len(told.requests) == 2
    assert end.answer is not None and (end.answer.label, end.answer.text) == (None, said)
    assert end.outcome is Outcome.ANSWERED
    assert "is none of the choices: answer with one of A, B" in told.text(1)


def test_who_looks_further_after_an_unreadable_answer_is_asked_once_more_again(
    silent: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plays = iter([finalize("hm", []), do("inspect", intervals=[[1, 3]], focus="x"), finalize("hm", []), finalize("B", [])])  # fmt: skip
    told = give_roles(monkeypatch, reasoner=lambda request: next(plays), observer=sees)["reasoner"]
    end = end_of(ask(silent, tmp_path))
    assert end.answer is not None and end.answer.label == "B" and len(told.requests) == 4


# ---- what a gap suggests
def test_where_nothing_can_be_heard_no_gap_says_to_listen(
    silent: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = ([1, 3], [9, 11], [17, 19], [2, 4], [10, 12])
    plays = iter([*(do("inspect", intervals=[one], focus="the man") for one in looks), finalize("B", [])])
    give_roles(monkeypatch, reasoner=lambda request: next(plays), observer=sees)
    run = ask(silent, tmp_path)
    shown = [e.snapshot for e in run.events if isinstance(e, StepStarted)]
    assert len(shown) == 6 and all(shown)
    suggested = {gap.operation for one in shown if one for gap in one.gaps}
    assert "inspect" in suggested and "speech" not in suggested
    assert not any("→ speech" in one.text for one in shown if one)
    assert shown[0] is not None and "nothing can be heard in this video" in shown[0].gaps[0].text
    session = run.session()
    assert session.missing == ("speech",)
    now = snapshot(session)
    assert now is not None and "speech" not in {gap.operation for gap in now.gaps}


def test_without_an_index_no_gap_says_to_search(silent: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plays: Iterator[dict[str, Any]] = iter(())
    give_roles(monkeypatch, reasoner=lambda request: next(plays), observer=sees)
    for ablation, offered in (("no-retrieval", False), ("full", True)):
        plays = iter(
            [*(do("inspect", intervals=[[at, at + 8]], focus="he leaves") for at in (0, 8, 16)), finalize("B", [])]
        )
        run = ask(silent, tmp_path / ablation, Question("Why does he leave?", SAYS.choices), ablation=ablation)
        shown = [e.snapshot for e in run.events if isinstance(e, StepStarted)]
        assert ("retrieve" in {gap.operation for one in shown if one for gap in one.gaps}) is offered
        assert ("retrieve" in run.session().missing) is not offered
        assert recorded_view(run.events, 2) == shown[1]


# ---- what each ablation hides from the Reasoner
@pytest.mark.parametrize("ablation", ABLATIONS)
def test_the_reasoner_is_shown_what_its_ablation_leaves(
    silent: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ablation: str
) -> None:
    def found(request: Request) -> dict[str, Any]:
        return {
            "observations": [sighting(one.start, one.end, "a man leaves", "yes") for one in intervals_asked(request)]
        }

    plays = iter([do("inspect", intervals=[[0, 8], [8, 16], [16, 24]], focus="the man"), finalize("B", [])])
    told = give_roles(monkeypatch, reasoner=lambda request: next(plays), observer=found)["reasoner"]
    run = ask(silent, tmp_path, Question("Why does he leave?", SAYS.choices), ablation=ablation)
    parts, text = ABLATIONS[ablation], told.text(1)
    assert ("Guidance (contrastive" in text) is parts.routing
    assert ("Evidence ledger" in text) is parts.ledger
    assert ("Provisional references" in text) is parts.retrieval
    listed = re.findall(r"^│ r\d+ .*: (\w+)$", text.partition("Evidence ledger")[0], re.MULTILINE)
    assert set(listed) == ({"verified" if parts.ledger else "unverified"} if parts.retrieval else set())
    assert any(isinstance(e, Routed) for e in run.events) is parts.routing
    system = told.requests[1].turns[0].text
    assert ("- retrieve:" in system) is parts.retrieval
