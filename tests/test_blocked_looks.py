"""Pictures a provider will not describe (recitation, safety): what is said there is used instead, and that is told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from case_film import Scene, do, film, finalize, give_roles, intervals_asked, played, sighting

from vesta_ui.domain import Choice, Modality, Outcome, Question
from vesta_ui.events import LedgerUpdated, Observed, RunFinished, Warned
from vesta_ui.models import Request
from vesta_ui.runs.run import Run
from vesta_ui.settings import Settings

QUESTION = Question("What does the singer hope for?", (Choice("A", "a letter"), Choice("B", "rain")))
REASON = "the provider blocked the answer (RECITATION)"
LOOK = do("inspect", intervals=[[6, 12]], focus="singer")
CLIP = do("clip", interval=[6, 12], question="what is sung?")


def run(folder: Path, monkeypatch: pytest.MonkeyPatch, first: dict[str, Any], eye: Any, speech: bool = True) -> Run:
    film(folder / "film.mp4", [Scene(6, (150, 40, 40)), Scene(6, (40, 60, 160))])
    (folder / "film.srt").write_text("1\n00:00:07,000 --> 00:00:09,000\nI am waiting for a letter from you.\n")

    def mind(request: Request) -> dict[str, Any]:
        return finalize("A", ["e1"]) if "Step 1:" in request.turns[-1].text else first

    give_roles(monkeypatch, reasoner=mind, observer=eye)
    settings = Settings(
        data_dir=folder / "data", reasoner="scripted:reasoner", observer="scripted:observer", frames_per_scene=1,
        speech=f"subtitles:{folder}/film.srt" if speech else "off",
    )  # fmt: skip
    return played(folder / "film.mp4", QUESTION, settings, folder)


def blocked(request: Request) -> dict[str, Any]:
    return {"fail": "blocked", "message": REASON}


@pytest.mark.parametrize("first", [LOOK, CLIP])
def test_what_is_said_is_used_instead(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, first: dict[str, Any]) -> None:
    one = run(tmp_path, monkeypatch, first, blocked)
    observed = next(e for e in one.events if isinstance(e, Observed))
    assert not observed.error and "waiting for a letter" in observed.output and "RECITATION" in observed.output
    assert observed.calls[0].failure == "blocked", "the receipt of the blocked call is kept"
    (entry,) = next(e for e in one.events if isinstance(e, LedgerUpdated)).entries
    assert entry.observation.modality is Modality.SPEECH and (entry.interval.start, entry.interval.end) == (7.0, 9.0)
    (notice,) = [e.notice for e in one.events if isinstance(e, Warned) and e.notice.code == "heard-instead"]
    assert "RECITATION" in notice.message
    end = one.events[-1]
    assert isinstance(end, RunFinished) and end.outcome is Outcome.ANSWERED


def test_without_speech_there_the_failure_stays_a_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = run(tmp_path, monkeypatch, LOOK, blocked, speech=False)
    observed = next(e for e in one.events if isinstance(e, Observed))
    assert observed.error_kind == "blocked" and "RECITATION" in observed.error


def test_another_failure_is_not_covered_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = run(tmp_path, monkeypatch, LOOK, lambda request: {"fail": "auth", "message": "the key was not accepted"})
    assert next(e for e in one.events if isinstance(e, Observed)).error_kind == "auth"


def test_of_several_stretches_only_the_blocked_one_is_heard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def eye(request: Request) -> dict[str, Any]:
        spans = intervals_asked(request)
        if any(span.end > 6 for span in spans):
            return blocked(request)
        return {"observations": [sighting(0, 6, "an empty red stage")]}

    one = run(tmp_path, monkeypatch, do("inspect", intervals=[[0, 6], [6, 12]], focus=""), eye)
    observed = next(e for e in one.events if isinstance(e, Observed))
    assert [(o.modality, "letter" in o.content) for o in observed.observations] == [
        (Modality.PICTURE, False),
        (Modality.SPEECH, True),
    ]
