"""When does exploring pay? Compared runs on the paper's two axes, as plain JSON (SAVE §5)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from vesta_ui.bench.pay import lettered, pay
from vesta_ui.domain import Interval
from vesta_ui.runs.run import Run


def paid(every: Sequence[Run], evidence: Sequence[Interval] = (), answer: str = "") -> dict[str, Any]:
    """What each run spent, and the picture, where the nth of all runs has the nth letter.

    Runs that still go on are left out; `evidence` and `answer` as in `pay`. Raises `BadInput` when the runs are not of one
    video and question.
    """
    ended = [(run, letter) for run, letter in zip(every, lettered(len(every)), strict=True) if _ended(run)]
    finished = [run for run, _ in ended]
    found = pay(finished, evidence, answer)
    return {
        "duration": found.duration_s,
        "evidence": [[one.start, one.end] for one in found.evidence],
        "evidence_s": found.evidence_s,
        "share": found.share,
        "length": found.length,
        "concentration": found.concentration,
        "agreed": found.agreed,
        "known": found.known,
        "cited": found.cited,
        "cheapest": None if found.cheapest is None else finished[found.cheapest].id,
        "rows": [{**asdict(spent), "run": run.id} for run, spent in zip(finished, found.spent, strict=True)],
        "picture": found.picture([letter for _, letter in ended]),
    }


def _ended(run: Run) -> bool:
    return run.done and run.session().started is not None
