"""`compare RUN RUN …`: two to four runs aligned; `compare --video … --question …`: every agent, or one agent N times."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

from vesta_ui.commands import Shell, common, exit_code, run_of, table
from vesta_ui.commands.showing import money
from vesta_ui.control import Control
from vesta_ui.errors import BadInput
from vesta_ui.runs import compare as comparing
from vesta_ui.runs.run import Run
from vesta_ui.runs.session import Session

MOST = 4
"""Most runs whose steps are aligned."""
STOPPED = 130


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", nargs="*", help="two to four runs of one video: ids, ends of ids, or folders")
    parser.add_argument("--video", type=Path, metavar="PATH", help="ask about this video instead of comparing old runs")
    parser.add_argument("--question", metavar="TEXT")
    parser.add_argument("--choice", action="append", default=[], metavar="TEXT")
    parser.add_argument("--agents", default="", help="which, separated by commas (default: all)")
    parser.add_argument("--repeat", type=int, default=1, metavar="N", help="ask the first of them N times")
    common(parser)


def run(chosen: argparse.Namespace, shell: Shell) -> int:
    asked = _asked(chosen, shell) if chosen.video else None
    if asked and (code := max(map(_ended, asked))):
        kept = [one for one in asked if one.session().finished is not None]
        shell.say(f"{len(kept)} of {len(asked)} runs are kept: `runs list` shows them, `compare` takes any two to four")
        if code == STOPPED or len(kept) < 2:
            return code
    runs = asked or [run_of(name, shell) for name in chosen.run]
    sessions = [session for session in (one.session() for one in runs) if session.started is not None]
    if chosen.repeat > 1:
        spread = comparing.spread(sessions)
        shell.give(asdict(spread), lambda: spread_text(spread))
    elif len(sessions) > MOST:
        board = comparing.board(sessions)
        shell.say(f"{len(sessions)} runs: answers and costs only; name two to four of them to see their steps aligned")
        shell.give([asdict(row) for row in board], lambda: cost_text(board, [comparing.answer_of(s) for s in sessions]))
    else:
        found = comparing.compare(sessions)
        shell.give(asdict(found), lambda: compare_text(found, sessions))
    return max(map(exit_code, asked)) if asked else 0


def _ended(run: Run) -> int:
    """A run that was stopped before its turn has no end of its own."""
    return STOPPED if run.control.stopped else exit_code(run)


def _asked(chosen: argparse.Namespace, shell: Shell) -> list[Run]:
    """Ask, and follow until all have ended. Ctrl-C stops those that go on and those that wait; finished ones are kept."""
    from vesta_ui.agents import AGENTS
    from vesta_ui.question import parse_question

    names = [name.strip() for name in chosen.agents.split(",") if name.strip()] or list(AGENTS)
    if unknown := [name for name in names if name not in AGENTS]:
        raise BadInput(f"there is no agent “{unknown[0]}”: choose from {', '.join(AGENTS)}")
    if not chosen.question:
        raise BadInput("say what to ask: --question TEXT")
    if chosen.repeat > 1:
        names = names[:1] * chosen.repeat
    if len(names) < 2:
        raise BadInput("one run compares with nothing: name two agents, or --repeat 2")
    question = parse_question(chosen.question, chosen.choice)
    stop = shell.stoppable(Control())
    started = shell.runs.start_all(chosen.video, question, [replace(shell.settings, agent=name) for name in names])
    for one in started:
        stop.on_stop(one.control.stop)
    for one in started:
        one.join()
        session = one.session()
        if session.started is not None:
            shell.say(f"{one.id}  {session.started.agent}: {comparing.answer_of(session)}")
    return started


def compare_text(found: comparing.Comparison, sessions: list[Session]) -> str:
    rows = []
    for row in found.rows:
        cells = [_step(session, n) for session, n in zip(sessions, row.steps, strict=True)]
        rows.append([row.kind, *cells])
    head = ["", *(cost.agent for cost in found.costs)]
    first = found.first_divergence
    parts = [
        table(rows, head),
        "the trajectories agree" if first is None else f"first divergence: line {first + 1}",
        "answers: " + " | ".join(found.answers) + ("  (agree)" if found.agree else "  (differ)"),
        *(
            f"only {cost.agent} has entries on: {', '.join(ids)}"
            for cost, ids in zip(found.costs, found.only_in, strict=True)
            if ids
        ),
        "",
        cost_text(found.costs, found.answers),
    ]
    return "\n".join(parts)


def _step(session: Session, n: int | None) -> str:
    if n is None:
        return ""
    step = session.step(n)
    where = ", ".join(str(one) for one in comparing.places(step)[:2])
    return f"{n} {step.decided.action.operation if step.decided else '…'} {where}".strip()


def cost_text(costs: Sequence[comparing.Cost], answers: Sequence[str]) -> str:
    """The two cost tables of VESTA (Tables 6 and 7) in one, with money and seconds."""
    named = [
        ("iterations", "iterations"), ("remote requests", "remote_requests"), ("failed requests", "failed_requests"),
        ("input tokens", "input_tokens"), ("output tokens", "output_tokens"), ("retrieve calls (SSR)", "retrieve_calls"),
        ("inspect calls (TVI)", "inspect_calls"), ("clip calls (QCCA)", "clip_calls"), ("speech calls", "speech_calls"), ("other queries", "other_calls"),
        ("frames", "frames"),
    ]  # fmt: skip
    rows: list[list[object]] = [["answer", *(answer[:28] for answer in answers)]]
    rows += [[title, *(getattr(one, name) for one in costs)] for title, name in named]
    rows.append(["retrieval seconds", *(f"{one.retrieve_s:.2f}" for one in costs)])
    rows.append(["seconds", *(f"{one.seconds:.1f}" for one in costs)])
    rows.append(["money", *(money(one.cost_usd) for one in costs)])
    return table(rows, ["", *(one.agent for one in costs)])


def spread_text(spread: comparing.Spread) -> str:
    answers = ", ".join(f"{answer} ×{count}" for answer, count in spread.answers)
    return "\n".join(
        [
            f"{spread.runs} runs: {answers}",
            f"steps {spread.steps_mean:.1f} ± {spread.steps_sd:.1f}, seconds {spread.seconds_mean:.1f} ± {spread.seconds_sd:.1f}",
            f"money {money(spread.usd_mean)} a run",
            f"places looked at overlap by {spread.places_iou:.0%}, evidence by {spread.evidence_iou:.0%} (mean over pairs)",
        ]
    )
