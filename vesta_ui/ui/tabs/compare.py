"""Compare: two to four runs on one axis, every agent on the question of the Live tab, or `native` matched to a run.

Drawn from `vesta/compare`.
"""

from __future__ import annotations

from dataclasses import replace

from vesta_ui import agents
from vesta_ui.bench.pay import to_match
from vesta_ui.errors import BadInput
from vesta_ui.question import parse_question
from vesta_ui.runs import debug
from vesta_ui.runs.run import Run
from vesta_ui.ui.handlers import Handlers, Json
from vesta_ui.ui.panels import QUIET, answering, panel

MOST = 12
"""Most runs that are started at once."""


def build(handlers: Handlers) -> None:
    shown = panel("compare", "compare", ("board", "match", "stop"), value={"agents": list(agents.AGENTS)})

    def board(data: Json) -> Json:
        """Start a run per agent, or the same one N times; the page follows them by their ids."""
        return {"started": [run.id for run in _start(handlers, data)]}

    def match(data: Json) -> Json:
        """Let `native` answer the question of a run with that run's input tokens."""
        return {"started": [_match(handlers, str(data.get("run", ""))).id]}

    def stop(data: Json) -> Json:
        """End one run of the board; one that waits for its turn ends as soon as it comes."""
        handlers.stop(str(data.get("run", "")))
        return {"stopped": data.get("run")}

    shown.stop(answering(stop), None, shown, **QUIET)
    shown.board(answering(board), None, shown, **QUIET)
    shown.match(answering(match), None, shown, **QUIET)


def _match(handlers: Handlers, run_id: str) -> Run:
    """`native` on the video, question and models of a run, with as many frames as its input tokens hold (SAVE §5)."""
    run = handlers.runs.get(run_id)
    tokens, started = to_match(run), run.session().started
    assert started is not None
    own = debug.settings_of(started, handlers.settings)
    settings = replace(own, agent="native", match_tokens=tokens, native_file=False)
    path = handlers.shelf.find(started.video.sha256).path
    return handlers.runs.start_all(path, started.question, [settings])[0]


def _start(handlers: Handlers, data: Json) -> list[Run]:
    names = [str(name) for name in data.get("agents") or [] if str(name) in agents.AGENTS]
    repeat = int(data.get("repeat") or 1)
    if not names or not 1 <= repeat * len(names) <= MOST:
        raise BadInput(f"choose agents and repeats so that there are 1 to {MOST} runs")
    question = parse_question(str(data.get("question") or ""), [str(line) for line in data.get("choices") or []])
    known = handlers.shelf.find(str(data.get("key") or ""))
    chosen = data.get("settings") if isinstance(data.get("settings"), dict) else {}
    each = [handlers.choose(name, chosen or {}) for name in names for _ in range(repeat)]
    return handlers.runs.start_all(known.path, question, each)
