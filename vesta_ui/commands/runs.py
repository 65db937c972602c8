"""`runs list | show | tree | verify | schema | export | import | prune | fork | continue | rerun`."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from vesta_ui.commands import Shell, exit_code, folder_of, json_argument, own_run, run_of, subcommands, table
from vesta_ui.commands.showing import retrieval_text, run_text, state_text, summary_rows, tree_lines
from vesta_ui.domain import Action, Policy
from vesta_ui.errors import BadInput
from vesta_ui.runs.catalog import Query


def arguments(parser: argparse.ArgumentParser) -> None:
    add = subcommands(parser, "run", "id, end of an id, “last”, or a run folder")
    one = add("list", list_runs, "find runs by what they say, their video, agent, outcome, cost or label", named=False)
    one.add_argument("--words", default="", help="all of these occur in question, thoughts, observations or answer")
    for name in ("video", "agent", "outcome", "failure", "label"):
        one.add_argument(f"--{name}", default="")
    one.add_argument("--least-usd", type=float)
    one.add_argument("--most-usd", type=float)
    one.add_argument("--limit", type=int, default=50, help="newest so many (default 50; 0: all)")

    one = add("show", show, "a run, or its state at a step and what would have been under another μ, budget or query")
    one.add_argument("--step", type=int, metavar="K", help="M_t, E_t and L_t as they were when step K was decided")
    one.add_argument("--view", metavar="EMPHASIS", help="L_t under another μ: local, coverage, hypotheses or none")
    one.add_argument("--flags", default="", help="single views of μ, separated by commas")
    one.add_argument("--chars", type=int, help="L_t within another size budget, characters")
    one.add_argument("--retrieval", action="store_true", help="what each policy would return (needs the scene index)")
    one.add_argument("--query", default="", help="with --retrieval: for this query instead of the question")

    one = add("tree", tree, "runs and their forks", named=False)
    one.add_argument("run", nargs="?", help="only the tree this run belongs to")

    one = add("verify", verify, "whether run folders are whole and unchanged", named=False)
    one.add_argument("run", nargs="*", help="none: every run of the data folder")

    one = add("schema", schema, "the JSON Schema of a line of events.jsonl", named=False)

    one = add("export", export, "a run as a file that others can open")
    one.add_argument("--format", default="html", choices=("html", "markdown", "json", "otlp", "zip"))
    one.add_argument("--redacted", action="store_true", help="zip: without paths and keys, as in every other format")
    one.add_argument("--out", type=Path, metavar="PATH", help="default: run id and ending, in this folder")
    one.add_argument("--with-video", action="store_true", help="html: a small copy of the video goes in too")
    one.add_argument("--video", type=Path, metavar="PATH", help="the video, if it is not where it was")

    one = add("import", import_run, "bring in a zipped run or a run folder", named=False)
    one.add_argument("path", type=Path)

    one = add("prune", prune, "delete old runs (shows which; --yes deletes); runs kept in cases stay", named=False)
    one.add_argument("--keep", type=int, metavar="N", help="all but the newest N")
    one.add_argument("--older-than", type=float, metavar="DAYS")
    one.add_argument("--outcome", default="", help="only runs that ended so, e.g. interrupted")
    one.add_argument("--yes", action="store_true")

    one = add("fork", fork, "go on from step K of a run with one thing changed; the parent stays as it is")
    one.add_argument("--step", type=int, required=True, metavar="K", help="the first step that is decided anew")
    one.add_argument("--action", metavar="JSON", help='carry this out at step K: {"operation": …, "arguments": {…}}')
    one.add_argument("--observation", metavar="TEXT", help="what the step before returned, as tool memory holds it")
    one.add_argument("--policy", choices=[policy.value for policy in Policy], help="π")
    one.add_argument("--view", metavar="EMPHASIS", help="μ: local, coverage or hypotheses")
    one.add_argument("--flags", default="", help="single views of μ, separated by commas")
    one.add_argument("--question", metavar="TEXT", help="another question, with its own --choice TEXT …")
    one.add_argument("--choice", action="append", default=[], metavar="TEXT", help="an answer option; repeat it")
    _going_on(one)

    _going_on(add("continue", go_on, "go on with an interrupted run after its last whole step"))

    one = add("rerun", rerun, "carry out the operation of one step again, alone")
    one.add_argument("--step", type=int, required=True, metavar="K", help="the step")
    one.add_argument("--action", metavar="JSON", help="another operation, in the same state")
    one.add_argument("--video", type=Path, metavar="PATH")


def _going_on(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--video", type=Path, metavar="PATH", help="the video, if it is not where it was")
    for name in ("reasoner", "observer"):
        parser.add_argument(f"--{name}", dest=f"new_{name}", metavar="SPEC", help="another model")
    parser.add_argument("--max-steps", dest="new_max_steps", type=int, metavar="N", help="another budget of decisions")


def run(chosen: argparse.Namespace, shell: Shell) -> int:
    code: int = chosen.act(chosen, shell)
    return code


# ------------------------------------------------------------------------------------------------ finding and showing
def list_runs(chosen: argparse.Namespace, shell: Shell) -> int:
    from vesta_ui.runs.cases import Cases

    ids = Cases(shell.settings.data_dir).labelled(chosen.label) if chosen.label else None
    query = Query(
        chosen.words, chosen.video, chosen.agent, chosen.outcome, chosen.failure, chosen.least_usd, chosen.most_usd, ids
    )
    rows = shell.runs.list(None if query == Query() else query, chosen.limit or None)
    shell.give([row.shown() for row in rows], lambda: table(*summary_rows(rows)) if rows else "no runs")
    return 0


def _flags(chosen: argparse.Namespace) -> list[str]:
    return chosen.flags.split(",") if chosen.flags else []


def show(chosen: argparse.Namespace, shell: Shell) -> int:
    from vesta_ui.runs import debug, report

    one = run_of(chosen.run, shell)
    if chosen.retrieval:
        session = one.session() if chosen.step is None else debug.deciding(one.events, chosen.step)
        found = debug.retrievals(session, debug.index_of(session, shell.settings), chosen.query)
        shell.give({policy.value: asdict(one) for policy, one in found.items()}, lambda: retrieval_text(found))
        return 0
    if chosen.step is None:
        data = report.as_json(one.session(), one.folder) | {"unknown": [asdict(u) for u in one.unknown]}
        shell.give(data, lambda: run_text(one))
        return 0
    state = debug.state_at(one.events, chosen.step)
    shown = debug.recorded_view(one.events, chosen.step)
    if chosen.flags and not chosen.view:
        raise BadInput("--flags belong to an emphasis: give --view too")
    after = debug.otherwise(one.events, chosen.step, chosen.view or "", _flags(chosen), chosen.chars or 0)
    changed = debug.difference(shown, after) if after else None
    data = {
        "step": chosen.step,
        "memory": [asdict(item) for item in state.memory],
        "entries": [asdict(entry) for entry in state.ledger.entries],
        "view": asdict(after or shown),
        "difference": asdict(changed) if changed else None,
    }
    shell.give(data, lambda: state_text(state, after or shown, changed))
    return 0


def tree(chosen: argparse.Namespace, shell: Shell) -> int:
    rows = shell.runs.list()
    only = own_run(chosen.run, shell) if chosen.run else ""
    lines, order = tree_lines(rows, only)
    shell.give([row.shown() | {"depth": depth} for row, depth in order], lambda: "\n".join(lines) or "no runs")
    return 0


def verify(chosen: argparse.Namespace, shell: Shell) -> int:
    from vesta_ui.runs import recorder
    from vesta_ui.runs.verify import problems

    folders = [folder_of(name, shell) for name in chosen.run] or list(recorder.folders(shell.runs.root))
    found = {folder.name: problems(folder) for folder in folders}
    shell.give(
        found, lambda: "\n".join(f"{name}: {'; '.join(wrong) or 'whole'}" for name, wrong in found.items()) or "no runs"
    )
    return 2 if any(found.values()) else 0


def schema(chosen: argparse.Namespace, shell: Shell) -> int:
    from vesta_ui.runs.schema import line_schema

    shell.tell(json.dumps(line_schema(), indent=1))
    return 0


# ------------------------------------------------------------------------------------------------ moving
def export(chosen: argparse.Namespace, shell: Shell) -> int:
    from vesta_ui.runs import book, bundle
    from vesta_ui.runs import export as exports

    one = run_of(chosen.run, shell)
    ending = {"markdown": ".md.zip", "otlp": ".otlp.json"}.get(chosen.format, f".{chosen.format}")
    target = chosen.out or Path(f"{one.id}{ending}")
    if chosen.redacted and chosen.format != "zip":
        raise BadInput("--redacted belongs to --format zip: every other format is redacted anyway")
    if chosen.format == "zip" and not chosen.redacted:
        bundle.pack(one.folder, target)
        shell.say("a zipped run is the run itself: nothing in it was redacted (--redacted takes paths and keys out)")
        redacted: list[dict[str, Any]] = []
    else:
        video = None
        if chosen.with_video:
            started = one.session().started
            video = book.need(shell.settings.data_dir, started.video.sha256 if started else "", chosen.video)
        made = exports.export_run(one, chosen.format, shell.settings.data_dir, video)
        exports.write(made, target, one.id)
        redacted = [asdict(found) for found in made.redacted]
        for found in made.redacted:
            shell.say(f"redacted {found.count} × {found.what} in {', '.join(found.places[:4])}")
    size = target.stat().st_size
    shell.give({"path": str(target), "bytes": size, "redacted": redacted}, lambda: f"{target}  {size / 1e6:.2f} MB")
    return 0


def import_run(chosen: argparse.Namespace, shell: Shell) -> int:
    from vesta_ui.runs import bundle

    runs = shell.runs
    runs.root.mkdir(parents=True, exist_ok=True)
    run_id = bundle.unpack(chosen.path, runs.root)
    shell.give({"run_id": run_id}, lambda: run_id)
    return 0


def prune(chosen: argparse.Namespace, shell: Shell) -> int:
    from vesta_ui.runs.cases import Cases

    if chosen.keep is None and chosen.older_than is None and not chosen.outcome:
        raise BadInput("say which runs: --keep N, --older-than DAYS or --outcome OUTCOME")
    runs = shell.runs
    kept = {run_id for case in Cases(shell.settings.data_dir).all() for run_id in case.runs}
    rows = list(runs.list())[chosen.keep or 0 :]
    if chosen.older_than is not None:
        before = f"{datetime.now(UTC) - timedelta(days=chosen.older_than):%Y%m%d-%H%M%S}"
        rows = [row for row in rows if row.id < before]
    rows = [row for row in rows if row.id not in kept and (not chosen.outcome or row.outcome == chosen.outcome)]
    if chosen.yes:
        for row in rows:
            runs.delete(row.id)
    verb = "deleted" if chosen.yes else "would be deleted (--yes deletes)"
    listed = "\n".join(f"{row.id}  {row.outcome}  {row.question[:70]}" for row in rows)
    shell.give(
        {"deleted" if chosen.yes else "would_delete": [row.id for row in rows]},
        lambda: f"{listed}\n{len(rows)} runs {verb}".strip(),
    )
    return 0


# ------------------------------------------------------------------------------------------------ going on
def fork(chosen: argparse.Namespace, shell: Shell) -> int:
    from vesta_ui.question import parse_question
    from vesta_ui.runs import debug
    from vesta_ui.runs.fork import Edit

    edit = Edit(
        chosen.step,
        action=_action(chosen.action),
        observation=chosen.observation,
        policy=Policy(chosen.policy) if chosen.policy else None,
        view=debug.view_of(chosen.view, _flags(chosen)) if chosen.view else None,
        question=parse_question(chosen.question, chosen.choice) if chosen.question else None,
    )
    return _going(chosen, shell, edit)


def go_on(chosen: argparse.Namespace, shell: Shell) -> int:
    from vesta_ui.runs.fork import Edit, first_open_step

    one = run_of(chosen.run, shell)
    if one.session().finished is not None:
        raise BadInput("this run has ended: fork it from a step to go on differently")
    return _going(chosen, shell, Edit(first_open_step(one.events)))


def _going(chosen: argparse.Namespace, shell: Shell, edit: Any) -> int:
    """Start the child and follow it to its end."""
    from vesta_ui.runs import book, debug, report

    parent = own_run(chosen.run, shell)
    runs = shell.runs
    started = runs.get(parent).session().started
    if started is None:
        raise BadInput("this run was interrupted before it began: ask again")
    changes = {name: getattr(chosen, f"new_{name}") for name in ("reasoner", "observer", "max_steps")}
    settings = replace(debug.settings_of(started, shell.settings), **{k: v for k, v in changes.items() if v})
    path = book.need(shell.settings.data_dir, started.video.sha256, chosen.video)
    child = runs.fork(parent, edit, path, settings)
    shell.follow(child)
    data = report.as_json(child.session(), child.folder)
    shell.give(data | {"parent": parent, "fork_step": edit.step}, lambda: run_text(child))
    return exit_code(child)


def rerun(chosen: argparse.Namespace, shell: Shell) -> int:
    import tempfile

    from vesta_ui.runs import book, debug

    one = run_of(chosen.run, shell)
    started = one.session().started
    path = book.need(shell.settings.data_dir, started.video.sha256 if started else "", chosen.video)
    with tempfile.TemporaryDirectory() as frames:
        done = debug.rerun(one.events, chosen.step, _action(chosen.action), path, shell.settings, Path(frames))
    before = done.recorded.output if done.recorded else ""
    data = {"action": asdict(done.action), "result": asdict(done.result), "recorded": before}
    same = "\n\nas recorded" if done.result.output == before else f"\n\nrecorded was:\n{before}"
    shell.give(data, lambda: f"{done.action.operation} {done.action.arguments}\n\n{done.result.output}{same}")
    return 0


def _action(text: str | None) -> Action | None:
    if not text:
        return None
    data = json_argument(text, "--action")
    if (
        not isinstance(data, dict)
        or not isinstance(data.get("operation"), str)
        or not isinstance(data.get("arguments"), dict)
    ):
        raise BadInput('--action needs an operation and its arguments: {"operation": "inspect", "arguments": {…}}')
    return Action(data["operation"], data["arguments"], str(data.get("thought") or "chosen by hand"))
