"""An agent is one small file and one registry line: README's example, written out as a module and run."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest
from explore_help import decided, finished, play, square

from vesta_ui.agents import AGENTS
from vesta_ui.bench import squares
from vesta_ui.domain import Outcome
from vesta_ui.settings import Settings

README = Path(__file__).parent.parent / "README.md"

EXAMPLE = '''"""Skims: looks at the middle of every scene, once, and answers from what it saw."""

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


def test_the_example_runs_records_and_answers(
    tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert len(EXAMPLE.splitlines()) <= 40
    (tmp_path / "skim.py").write_text(EXAMPLE)
    monkeypatch.syspath_prepend(str(tmp_path))
    importlib.invalidate_caches()
    monkeypatch.setitem(AGENTS, "skim", "skim:Skim")
    sample = square(30, 15)
    one = play("skim", squares.render(sample, tmp_path / "a.mp4"), sample.question, settings, tmp_path)
    sys.modules.pop("skim", None)
    assert [e.action.operation for e in decided(one.events)] == ["inspect", "finalize"]
    end = finished(one)
    assert end.outcome == Outcome.ANSWERED and end.answer is not None and end.answer.label in set("ABCDE")
    assert one.session().usage.frames >= 1


def test_the_readme_shows_this_very_example() -> None:
    assert EXAMPLE.strip() in README.read_text(encoding="utf-8")
