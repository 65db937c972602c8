"""When does exploring pay? Compared runs on the paper's two axes, as plain JSON (SAVE §5)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from string import ascii_uppercase
from typing import Any

from vesta_ui.bench.pay import pay
from vesta_ui.domain import Interval
from vesta_ui.runs.run import Run


def paid(every: Sequence[Run], evidence: Sequence[Interval] = (), answer: str = "") -> dict[str, Any]:
    """What each run spent, and the picture, where the nth of all runs has the nth letter.

    Runs that still go on are left out; `evidence` and `answer` as in `pay`. Raises `BadInput` when the runs are not of one video and question.
    """
    lettered = [(run, letter) for run, letter in zip(every, ascii_uppercase, strict=False) if _ended(run)]
    finished = [run for run, _ in lettered]
    found = pay(finished, evidence, answer)
    return {
        "duration": found.duration_s,
        "evidence": [[one.start, one.end] for one in found.evidence],
        "evidence_s": found.evidence_s,
        "share": found.share,
        "length": found.length,
        "concentration": found.concentration,
        "agreed": found.agreed,
        "cheapest": found.cheapest,
        "times": found.times,
        "rows": [{**asdict(spent), "run": run.id} for run, spent in zip(finished, found.spent, strict=True)],
        "picture": found.picture("".join(letter for _, letter in lettered)),
    }


def _ended(run: Run) -> bool:
    return run.done and run.session().started is not None
