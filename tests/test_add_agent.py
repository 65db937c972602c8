"""An agent is one small file and one registry line: README's example, written out as a module and run."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from explore_help import answer, decided, finished, looked, play, script, sighting, square

from vesta_ui.agents import AGENTS, check
from vesta_ui.bench import squares
from vesta_ui.domain import Action, Outcome
from vesta_ui.errors import BadSpec
from vesta_ui.events import IndexReady, Observed
from vesta_ui.runs.fork import Edit, prefix
from vesta_ui.runs.run import Run, new_id
from vesta_ui.runs.run import play as play_run
from vesta_ui.settings import Settings
from vesta_ui.video import open_video

README = Path(__file__).parent.parent / "README.md"

EXAMPLE = '''"""Skims: is shown the middle of every scene, at most forty, and answers; the rest of the video stays unseen."""

from typing import Any

from vesta_ui.domain import Interval
from vesta_ui.exploration import Explorer, Query, Sight
from vesta_ui.exploration.ranges import thinned
from vesta_ui.exploration.showing import show
from vesta_ui.operations.arguments import Arguments


class NoArguments(Arguments):
    """What the model may choose, as fields; none, so there is nothing to choose."""


class Skim(Explorer):
    needs_index = True
    queries = 1
    query = Query("skim", NoArguments, "Look at the middle of every scene.")

    def sight(self, arguments: dict[str, Any]) -> Sight:
        scenes = thinned([scene.interval for scene in self.workspace.index.scenes], 40)
        whole = Interval(0.0, self.workspace.video.facts.duration_s)
        return show([scene.middle for scene in scenes], whole, False, "the middle of each scene", self.workspace)
'''

WHOLE = '''"""The same without a base class: every method that the driver asks for."""

from vesta_ui import operations
from vesta_ui.domain import Action
from vesta_ui.exploration import Past
from vesta_ui.exploration.predict import predict
from vesta_ui.roles import Decision


class Skim:
    needs_index = True

    def begin(self, workspace):
        self.workspace = workspace

    def prepare(self, state):
        yield from ()

    def budget(self):
        return 2

    def snapshot(self, state):
        return None, None

    def act(self, state, snapshot, step, final):
        if state.memory or final:
            return self.fallback(state, step)
        middles = [scene.interval.middle for scene in self.workspace.index.scenes[:12]]
        looks = {"intervals": [[t - 0.1, t + 0.1] for t in middles], "focus": state.question.text}
        return Decision(Action("inspect", looks, "One look into every scene."))

    def observe(self, action, state, step):
        return operations.load(action.operation).run(action.arguments, step, state.question, self.workspace)

    def fallback(self, state, step):
        return predict(Past(state.question, self.workspace.video.facts, state.ledger, state.memory, step, 0))
'''


SAMPLE = square(30, 15)


@pytest.fixture
def added(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], Path]]:
    """Registers an agent from its source; returns the video to ask."""

    def register(source: str) -> Path:
        (tmp_path / "skim.py").write_text(source)
        monkeypatch.syspath_prepend(str(tmp_path))
        importlib.invalidate_caches()
        monkeypatch.setitem(AGENTS, "skim", "skim:Skim")
        return squares.render(SAMPLE, tmp_path / "a.mp4")

    yield register
    sys.modules.pop("skim", None)


def test_the_example_runs_with_the_embedded_engine(
    tmp_path: Path, settings: Settings, added: Callable[[str], Path]
) -> None:
    assert len(EXAMPLE.splitlines()) <= 40
    one = play("skim", added(EXAMPLE), SAMPLE.question, settings, tmp_path)
    assert [e.action.operation for e in decided(one.events)] == ["skim", "finalize"]
    end = finished(one)
    assert end.outcome == Outcome.ANSWERED and end.answer is not None and end.answer.label in set("ABCDE")
    (seen,) = looked(one.events)
    scenes = next(e.scenes for e in one.events if isinstance(e, IndexReady))
    assert [round(f.time, 1) for f in seen.frames] == [round((s.start + s.end) / 2, 1) for s in scenes]


def test_the_example_runs_with_a_model_and_can_be_forked(
    tmp_path: Path, settings: Settings, added: Callable[[str], Path]
) -> None:
    reply = {**answer("C", ["e1"]), "observations": [sighting(2, 4, "red, then blue")]}
    one = play("skim", added(EXAMPLE), SAMPLE.question, settings, tmp_path, reasoner=script(tmp_path, [reply]))
    end = finished(one)
    assert end.outcome == Outcome.ANSWERED and end.answer is not None and end.answer.label == "C"
    (seen,) = looked(one.events)
    assert seen.calls[0].messages[-1].frames == seen.frames
    child = prefix(one.events, Edit(2, question=SAMPLE.question))
    assert [e.kind for e in child if isinstance(e, Observed)] == ["observed"]


def test_a_query_the_embedded_engine_has_no_rules_for_is_refused_before_anything_runs(
    tmp_path: Path, settings: Settings, added: Callable[[str], Path]
) -> None:
    added(EXAMPLE.replace("class NoArguments(Arguments):", "class NoArguments(Arguments):\n    scene: int\n"))
    with pytest.raises(BadSpec, match="no rules for skim: choose a model"):
        check(replace(settings, agent="skim"))
    check(replace(settings, agent="skim", reasoner=script(tmp_path, [])))


def test_arguments_are_checked_before_the_agent_gets_them(
    tmp_path: Path, settings: Settings, added: Callable[[str], Path]
) -> None:
    odd = Action("skim", {"scene": 3})
    one = Run(new_id(), tmp_path / "run", added(EXAMPLE))
    one.control.act_by_hand(odd)
    for _ in play_run(
        one, open_video(tmp_path / "a.mp4"), SAMPLE.question, replace(settings, agent="skim", speech="off")
    ):
        pass
    first, second = looked(one.events)
    assert first.error_kind == "refused" and "scene" in first.error and not second.error


def test_an_agent_without_a_base_class_runs_too(
    tmp_path: Path, settings: Settings, added: Callable[[str], Path]
) -> None:
    one = play("skim", added(WHOLE), SAMPLE.question, settings, tmp_path)
    assert [e.action.operation for e in decided(one.events)] == ["inspect", "finalize"]
    end = finished(one)
    assert end.outcome == Outcome.ANSWERED and end.answer is not None and end.answer.label in set("ABCDE")
    assert one.session().usage.frames >= 1


def test_the_readme_shows_this_very_example() -> None:
    assert EXAMPLE.strip() in README.read_text(encoding="utf-8")
