"""When does exploring pay? Compared runs on the paper's two axes, as plain JSON (SAVE §5). Draws nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from vesta_ui.bench.pay import LENGTHS, SHARES, pay
from vesta_ui.domain import Interval, merge
from vesta_ui.runs.run import Run


def paid(every: Sequence[Run]) -> dict[str, Any]:
    """Per run what it spent, and the share of the video that its own evidence takes (None: it cites nothing).

    Runs that still go on are left out. Raises `BadInput` when the runs are not of one video and question.
    """
    finished = [run for run in every if run.done and run.session().started is not None]
    found = pay(finished)
    rows = [
        {**asdict(spent), "run": run.id, "share": _share(run, found.duration_s)}
        for run, spent in zip(finished, found.spent, strict=True)
    ]
    return {
        "duration": found.duration_s,
        "evidence": [[one.start, one.end] for one in found.evidence],
        "evidence_s": found.evidence_s,
        "share": found.share,
        "length": found.length,
        "concentration": found.concentration,
        "lengths": [name for _, name in LENGTHS],
        "shares": [name for _, name in SHARES],
        "agreed": found.agreed,
        "cheapest": found.cheapest,
        "times": found.times,
        "rows": rows,
    }


def _share(run: Run, duration_s: float) -> float | None:
    answer = run.session().answer
    spans = merge([Interval(one.start, one.end) for one in answer.evidence]) if answer else ()
    return sum(span.length for span in spans) / duration_s if spans else None
