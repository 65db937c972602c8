"""`cases list | show | new | add | gold | judge | note | export`."""

from __future__ import annotations

import argparse
import re
from dataclasses import asdict
from pathlib import Path

from vesta_ui.commands import Shell, own_run, subcommands, table
from vesta_ui.domain import Interval
from vesta_ui.errors import BadInput
from vesta_ui.runs import cases as keeping
from vesta_ui.runs.compare import answer_of


def arguments(parser: argparse.ArgumentParser) -> None:
    add = subcommands(parser, "case", "id of the case")
    one = add("list", list_cases, "cases, by words, label or video", named=False)
    for name in ("words", "label", "video"):
        one.add_argument(f"--{name}", default="")
    add("show", show, "a case with how its runs did")
    add("new", new, "keep a run's question as a case", named=False).add_argument("run")
    add("add", add_run, "add a run to a case").add_argument("run")
    one = add("gold", gold, "set the gold answer and the intervals that hold the evidence")
    one.add_argument("answer", help="a choice label, or words for an open question")
    one.add_argument("--interval", action="append", default=[], metavar="FROM-TO", help="seconds; repeat it")
    one = add("judge", judge, "your own verdict on a run's answer, above any comparison")
    one.add_argument("run")
    one.add_argument("verdict", choices=(*keeping.VERDICTS, "none"), help="none: take it back")
    one = add("note", note, "add a note or a label to a run, a step or an interval")
    one.add_argument("text", nargs="?", default="")
    one.add_argument("--label", default="", help=", ".join(keeping.LABELS))
    one.add_argument("--run", default="")
    one.add_argument("--step", type=int)
    one.add_argument("--interval", metavar="FROM-TO")
    one = add("export", export, "a case with its runs as one file")
    one.add_argument("--format", default="html", choices=("html", "markdown", "json"))
    one.add_argument("--out", type=Path, metavar="PATH")


def run(chosen: argparse.Namespace, shell: Shell) -> int:
    code: int = chosen.act(chosen, shell)
    return code


def list_cases(chosen: argparse.Namespace, shell: Shell) -> int:
    found = _cases(shell).find(chosen.words, chosen.label, chosen.video)
    rows = [[c.id, c.gold or "–", len(c.runs), len(c.notes), c.video.name, c.question.text[:80]] for c in found]
    head = ["case", "gold", "runs", "notes", "video", "question"]
    shell.give([asdict(case) for case in found], lambda: table(rows, head) if rows else "no cases")
    return 0


def show(chosen: argparse.Namespace, shell: Shell) -> int:
    case = _cases(shell).get(chosen.case)
    judged = keeping.judged(case, shell.runs)
    rows = [[j.run_id, j.agent, j.answer, _verdict(case, j), f"{j.iou:.2f}"] for j in judged]
    places = ", ".join(map(str, case.gold_intervals))
    text = "\n".join(
        [
            case.question.text,
            *(f"{choice.label}. {choice.text}" for choice in case.question.choices),
            f"gold: {case.gold or 'unknown'}{f', at {places}' if places else ''}",
            table(rows, ["run", "agent", "answer", "", "IoU"]),
            *(_noted(note) for note in case.notes),
        ]
    )
    shell.give(asdict(case) | {"judged": [asdict(j) for j in judged]}, lambda: text)
    return 0


def new(chosen: argparse.Namespace, shell: Shell) -> int:
    run_id = own_run(chosen.run, shell)
    started = shell.runs.get(run_id).session().started
    if started is None:
        raise BadInput("this run was interrupted before it began: there is no question to keep")
    return _saved(keeping.new(started.question, started.video, [run_id]), shell)


def add_run(chosen: argparse.Namespace, shell: Shell) -> int:
    case, run_id = _cases(shell).get(chosen.case), own_run(chosen.run, shell)
    session = shell.runs.get(run_id).session()
    return _saved(keeping.with_run(case, run_id, session), shell, answer_of(session))


def gold(chosen: argparse.Namespace, shell: Shell) -> int:
    case = _cases(shell).get(chosen.case)
    return _saved(keeping.with_gold(case, chosen.answer, [_interval(text) for text in chosen.interval]), shell)


def judge(chosen: argparse.Namespace, shell: Shell) -> int:
    case, run_id = _cases(shell).get(chosen.case), own_run(chosen.run, shell)
    return _saved(keeping.with_verdict(case, run_id, "" if chosen.verdict == "none" else chosen.verdict), shell)


def note(chosen: argparse.Namespace, shell: Shell) -> int:
    case = _cases(shell).get(chosen.case)
    run_id = own_run(chosen.run, shell) if chosen.run else ""
    where = _interval(chosen.interval) if chosen.interval else None
    made = keeping.Note(chosen.text, chosen.label, run_id, chosen.step, where)
    steps = len(shell.runs.get(run_id).session().steps) if run_id else None
    return _saved(keeping.annotate(case, made, steps), shell)


def export(chosen: argparse.Namespace, shell: Shell) -> int:
    from vesta_ui.runs import export as exports

    case = _cases(shell).get(chosen.case)
    ending = ".md.zip" if chosen.format == "markdown" else f".{chosen.format}"
    target = chosen.out or Path(f"case-{case.id}{ending}")
    made = exports.export_case(case, shell.runs, chosen.format)
    exports.write(made, target)
    for found in made.redacted:
        shell.say(f"redacted {found.count} × {found.what} in {', '.join(found.places[:4])}")
    size = target.stat().st_size
    data = {"path": str(target), "bytes": size, "redacted": [asdict(found) for found in made.redacted]}
    shell.give(data, lambda: f"{target}  {size / 1e6:.2f} MB")
    return 0


def _verdict(case: keeping.Case, found: keeping.Judged) -> str:
    unclear = "judge it: `cases judge`" if case.gold and found.outcome != "gone" else "–"
    return (found.verdict or unclear) + (" (yours)" if found.by_hand else "")


def _noted(note: keeping.Note) -> str:
    about = [note.run_id or "case", f"step {note.step}" if note.step else "", str(note.interval or "")]
    return f"{note.label or 'note'}: {note.text} ({', '.join(filter(None, about))})"


def _cases(shell: Shell) -> keeping.Cases:
    return keeping.Cases(shell.settings.data_dir)


def _saved(case: keeping.Case, shell: Shell, said: str = "") -> int:
    _cases(shell).save(case)
    shell.give(asdict(case), lambda: f"{case.id}  {said}".strip())
    return 0


def _interval(text: str) -> Interval:
    found = re.fullmatch(r"\s*([\d.]+)\s*[-–]\s*([\d.]+)\s*", text)
    try:
        if found:
            return Interval(float(found[1]), float(found[2]))
    except ValueError as error:
        raise BadInput(f"the interval “{text}” cannot be: {error}") from error
    raise BadInput(f"“{text}” is no interval: write it as FROM-TO in seconds, for example 61.5-72")
