"""What each mechanism is worth here: the five configurations over the questions of a sample (VESTA §4.4, §A.5).

Prints the forms of the paper's Table 5 (which mechanisms, accuracy), Table 6 (what the models were asked) and Table 7
(evidence operations). Every configuration has the same roles, questions and budget; the index is built beforehand.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from vesta_ui import agents, samples
from vesta_ui.bench import Tell
from vesta_ui.bench.samples import index, played
from vesta_ui.bench.score import Share
from vesta_ui.events import Event, Observed, Retrieved, StepStarted
from vesta_ui.runs.run import Run
from vesta_ui.settings import ABLATIONS, from_environment

ROLES = ("router", "reasoner", "observer", "speech", "encoder")


@dataclass(frozen=True, slots=True)
class Row:
    """One question under one configuration. `retrievals` with `retrieval_s` are Semantic Scene Retrieval, `inspections`
    Temporal Visual Inspection, `clips` Question-Conditioned Clip Analysis. Tokens are None where the model did not say.
    """

    ablation: str
    sample: str
    question: str
    right: bool
    outcome: str
    steps: int
    requests: int
    failed: int
    input_tokens: int | None
    output_tokens: int | None
    retrievals: int
    inspections: int
    clips: int
    speech: int
    frames: int
    retrieval_s: float
    seconds: float


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--sample", action="append", default=[], metavar="NAME", help="a sample video; repeat it (default: the first)")  # fmt: skip
    parser.add_argument("--question", action="append", default=[], metavar="ID", help="only this question; repeat it")
    for name in ROLES:
        parser.add_argument(f"--{name}", metavar="SPEC", help=f"who plays the {name} (VESTA_{name.upper()})")
    parser.add_argument(
        "--max-steps", type=int, metavar="N", help="most decisions before the forced answer (default 15)"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--out", type=Path, metavar="DIR", help="keep the runs there, a folder a configuration")
    parser.add_argument("--data-dir", type=Path, help="where indexes live (VESTA_DATA_DIR)")


def run(chosen: argparse.Namespace, tell: Tell) -> int:
    """Raises `BadInput`, `BadSpec` or `ModelFailed` before anything runs."""
    roles = {name: getattr(chosen, name) for name in ROLES}
    settings = from_environment(data_dir=chosen.data_dir, max_steps=chosen.max_steps, **roles)
    agents.check(settings)
    wanted = [samples.find(name) for name in chosen.sample] or list(samples.load()[:1])
    rows: list[Row] = []
    with ExitStack() as stack:
        root = chosen.out or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        for sample in wanted:
            index(sample, settings)
            for question in sample.questions:
                if chosen.question and question["id"] not in chosen.question:
                    continue
                for name in ABLATIONS:
                    one = played(sample, question, replace(settings, ablation=name), root / name)
                    rows.append(row(name, sample.name, question["id"], question["gold"], one))
    if chosen.json:
        tell(json.dumps([asdict(one) for one in rows], indent=1))
    else:
        tell("\n\n".join((f"Roles: {', '.join(f'{k} {v}' for k, v in settings.roles().items())}.", *tables(rows))))
    return 0


def row(ablation: str, sample: str, question: str, gold: str, one: Run) -> Row:
    """What a finished run did and spent."""
    session = one.session()
    answer, usage = session.answer, session.usage
    found = [e for e in one.events if isinstance(e, Retrieved)]
    return Row(
        ablation=ablation,
        sample=sample,
        question=question,
        right=answer is not None and (answer.label or answer.text) == gold,
        outcome=str(session.finished.outcome) if session.finished else "",
        steps=sum(isinstance(e, StepStarted) for e in one.events),
        requests=usage.remote_requests,
        failed=usage.failed_requests,
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        retrievals=len(found),
        inspections=_carried_out(one.events, "inspect"),
        clips=_carried_out(one.events, "clip"),
        speech=_carried_out(one.events, "speech"),
        frames=usage.frames,
        retrieval_s=sum(e.seconds for e in found),
        seconds=session.at,
    )


def _carried_out(events: Sequence[Event], operation: str) -> int:
    """Calls that looked or listened; a refused one, or one answered from memory, did not."""
    return sum(isinstance(e, Observed) and e.operation == operation and bool(e.observations) for e in events)


def tables(rows: Sequence[Row]) -> tuple[str, str, str]:
    """Tables 5, 6 and 7 in Markdown; counts are means a question."""
    names = [name for name in ABLATIONS if any(one.ablation == name for one in rows)]
    of = {name: [one for one in rows if one.ablation == name] for name in names}
    full = _right(of["full"]).value if "full" in of else float("nan")
    return (
        _table(
            "| Configuration | Routing | Retrieval | Ledger | Right | Accuracy, % (95 %) | vs. full |",
            [[name, *_mechanisms(name), f"{_right(of[name]).right}/{len(of[name])}", str(_right(of[name])).replace(" %", ""),
              "" if name == "full" else f"{100 * (_right(of[name]).value - full):+.1f}"] for name in names],
        ),
        _table(
            "| Configuration | Reasoner iter. | Remote req. | Failed req. | Input tokens | Output tokens | Total tokens |",
            [[name, *(_mean(of[name], field) for field in ("steps", "requests", "failed", "input_tokens", "output_tokens")),
              _tokens(of[name])] for name in names],
        ),
        _table(
            "| Configuration | SSR calls | TVI calls | QCCA calls | Speech calls | Frames | SSR time (s) | Run (s) |",
            [[name, *(_mean(of[name], field) for field in ("retrievals", "inspections", "clips", "speech", "frames")),
              _seconds(of[name], "retrieval_s", 3) if ABLATIONS[name].retrieval else "–", _seconds(of[name], "seconds", 1)] for name in names],
        ),
    )  # fmt: skip


def _table(head: str, lines: Sequence[Sequence[str]]) -> str:
    columns = head.count("|") - 1
    return "\n".join((head, "| --- |" + " ---: |" * (columns - 1), *(f"| {' | '.join(line)} |" for line in lines)))


def _mechanisms(name: str) -> tuple[str, ...]:
    parts = ABLATIONS[name]
    return tuple("✓" if on else "–" for on in (parts.routing, parts.retrieval, parts.ledger))


def _right(rows: Sequence[Row]) -> Share:
    return Share(sum(one.right for one in rows), len(rows))


def _mean(rows: Sequence[Row], field: str) -> str:
    values = [getattr(one, field) for one in rows]
    return "not told" if None in values else f"{sum(values) / len(values):,.1f}".removesuffix(".0")


def _tokens(rows: Sequence[Row]) -> str:
    totals = [
        None if one.input_tokens is None or one.output_tokens is None else one.input_tokens + one.output_tokens
        for one in rows
    ]
    known = [total for total in totals if total is not None]
    return f"{sum(known) / len(known):,.1f}".removesuffix(".0") if len(known) == len(totals) else "not told"


def _seconds(rows: Sequence[Row], field: str, digits: int) -> str:
    return f"{sum(getattr(one, field) for one in rows) / len(rows):.{digits}f}"
