"""What each mechanism is worth here: the five configurations over the questions of a sample (VESTA §4.4, §A.5).

Prints the forms of the paper's Table 5 (which mechanisms, accuracy), Table 6 (what the models were asked) and Table 7
(evidence operations). Every configuration has the same roles, questions and budget; the index is built beforehand.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from contextlib import ExitStack
from dataclasses import asdict, replace
from pathlib import Path

from vesta_ui import agents, samples
from vesta_ui.bench import Tell
from vesta_ui.bench.outcomes import Row, tables
from vesta_ui.bench.samples import index, played, scored
from vesta_ui.settings import ABLATIONS, ROLES, from_environment, role_flags


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--sample", action="append", default=[], metavar="NAME", help="a sample video; repeat it (default: the first)")  # fmt: skip
    parser.add_argument("--question", action="append", default=[], metavar="ID", help="only this question; repeat it")
    role_flags(parser)
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
                    rows.append(scored(name, sample, question, one))
    if chosen.json:
        tell(json.dumps([asdict(one) for one in rows], indent=1))
    else:
        tell("\n\n".join((f"Roles: {', '.join(f'{k} {v}' for k, v in settings.roles().items())}.", *tables(rows))))
    return 0
