"""What finished runs on questions with a known answer did and spent, and the papers' tables of it. Pure.

The shell's benches and the Bench tab count with these same functions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from vesta_ui.bench.pay import input_tokens
from vesta_ui.bench.score import Outcome, Share
from vesta_ui.domain import Interval, Question, merge
from vesta_ui.domain import Outcome as Ended
from vesta_ui.events import Event, Observed
from vesta_ui.runs.cases import agrees, evidence_iou
from vesta_ui.runs.compare import answer_of, cost
from vesta_ui.runs.run import Run
from vesta_ui.settings import ABLATIONS

ANSWERED = (Ended.ANSWERED, Ended.BUDGET)


@dataclass(frozen=True, slots=True)
class Row:
    """One question under one configuration. `right` is None where there is no answer (`outcome` and `failure` say why), or
    an open one in other words than the gold one. `retrievals` with `retrieval_s` are Semantic Scene Retrieval,
    `inspections` Temporal Visual Inspection, `clips` Question-Conditioned Clip Analysis, `others` queries of exploring
    agents. Tokens are None where the model did not say, `seen_tokens` then the frames at a stated price; `cost_usd` None:
    a price is unknown. `iou` with the gold intervals, `hit` (a cited place touches one) and `share` (of the video that they
    take) are None where no gold interval is known.
    """

    configuration: str
    sample: str
    question: str
    right: bool | None
    outcome: str
    failure: str
    reason: str
    answer: str
    confidence: float
    policy: str
    steps: int
    requests: int
    failed: int
    input_tokens: int | None
    output_tokens: int | None
    seen_tokens: int
    cost_usd: float | None
    retrievals: int
    inspections: int
    clips: int
    speech: int
    others: int
    frames: int
    retrieval_s: float
    seconds: float
    duration_s: float
    iou: float | None
    hit: bool | None
    share: float | None

    @property
    def answered(self) -> bool:
        """A failed run may hold what it had found so far: that is no answer of this configuration."""
        return self.outcome in ANSWERED


def row(
    configuration: str, sample: str, name: str, question: Question, gold: str, spans: Sequence[Interval], one: Run
) -> Row:
    """`one` has started and ended; `spans` are the gold intervals in seconds."""
    session, gold_spans = one.session(), merge(spans)
    assert session.started is not None
    spent, finished = cost(session), session.finished
    answer = session.answer if finished and finished.outcome in ANSWERED else None
    duration = session.started.video.duration_s
    cited = [Interval(e.start, e.end) for e in answer.evidence] if answer else []
    return Row(
        configuration=configuration,
        sample=sample,
        question=name,
        right=agrees(question, gold, answer) if answer else None,
        outcome=finished.outcome.value if finished else "interrupted",
        failure=finished.failure if finished else "",
        reason=finished.reason if finished else "",
        answer=answer_of(session) if answer else "no answer",
        confidence=answer.confidence if answer else 0.0,
        policy=session.route.policy.value if session.route else "",
        steps=len(session.steps),
        requests=spent.remote_requests,
        failed=spent.failed_requests,
        input_tokens=spent.input_tokens,
        output_tokens=spent.output_tokens,
        seen_tokens=input_tokens(one),
        cost_usd=spent.cost_usd,
        retrievals=spent.retrieve_calls,
        inspections=_carried_out(one.events, "inspect"),
        clips=_carried_out(one.events, "clip"),
        speech=_carried_out(one.events, "speech"),
        others=spent.other_calls,
        frames=spent.frames,
        retrieval_s=spent.retrieve_s,
        seconds=spent.seconds,
        duration_s=duration,
        iou=evidence_iou(answer, gold_spans) if answer and gold_spans else None,
        hit=any(a.overlap(b) > 0 for a in cited for b in gold_spans) if answer and gold_spans else None,
        share=min(1.0, sum(span.length for span in gold_spans) / duration) if gold_spans and duration else None,
    )


def _carried_out(events: Sequence[Event], operation: str) -> int:
    """Calls that looked or listened; a refused one, or one answered from memory, did not."""
    return sum(isinstance(e, Observed) and e.operation == operation and bool(e.observations) for e in events)


def right(rows: Sequence[Row]) -> Share:
    """Of the answers that can be judged: a run without an answer counts as failed, not as wrong."""
    judged = [one.right for one in rows if one.right is not None]
    return Share(sum(judged), len(judged))


def tables(rows: Sequence[Row]) -> tuple[str, str, str, str]:
    """VESTA's Tables 5, 6 and 7, and the evidence against the gold intervals, in Markdown; counts are means a question."""
    of: dict[str, list[Row]] = {}
    for one in rows:
        of.setdefault(one.configuration, []).append(one)
    full = right(of.get("full", []))
    return (
        _table(
            "| Configuration | Routing | Retrieval | Ledger | Right | Accuracy, % (95 %) | vs. full | Failed runs |",
            [[name, *_mechanisms(name), f"{(got := right(own)).right}/{got.count}", str(got).replace(" %", ""),
              "" if name == "full" or not full.count or not got.count else f"{100 * (got.value - full.value):+.1f}",
              str(sum(not one.answered for one in own))] for name, own in of.items()],
        ),
        _table(
            "| Configuration | Reasoner iter. | Remote req. | Failed req. | Input tokens | Output tokens | Total tokens | Money ($) |",
            [[name, *(_mean(own, field) for field in ("steps", "requests", "failed", "input_tokens", "output_tokens")),
              _tokens(own), _money(own)] for name, own in of.items()],
        ),
        _table(
            "| Configuration | SSR calls | TVI calls | QCCA calls | Speech calls | Other calls | Frames | SSR time (s) | Run (s) |",
            [[name, *(_mean(own, field) for field in ("retrievals", "inspections", "clips", "speech", "others", "frames")),
              f"{_average(own, 'retrieval_s'):.3f}" if name in ABLATIONS and ABLATIONS[name].retrieval else "–",
              f"{_average(own, 'seconds'):.1f}"] for name, own in of.items()],
        ),
        _table(
            "| Configuration | Answers with gold times | Evidence IoU | Cites a gold interval |",
            [[name, str(len(known := [one for one in own if one.iou is not None])),
              f"{_average(known, 'iou'):.2f}" if known else "–", f"{sum(bool(one.hit) for one in known)}/{len(known)}"]
             for name, own in of.items()],
        ),
    )  # fmt: skip


def placed(rows: Sequence[Row]) -> list[Outcome]:
    """Judged answers by the share of the video that the gold intervals take, as the evidence-locality set counts (SAVE §5)."""
    names = list(dict.fromkeys((one.sample, one.question) for one in rows))
    return [
        Outcome(names.index((one.sample, one.question)), one.configuration, one.right, one.share, round(one.duration_s),
                one.seen_tokens, one.frames, one.steps)
        for one in rows
        if one.right is not None and one.share is not None
    ]  # fmt: skip


def _table(head: str, lines: Sequence[Sequence[str]]) -> str:
    columns = head.count("|") - 1
    return "\n".join((head, "| --- |" + " ---: |" * (columns - 1), *(f"| {' | '.join(line)} |" for line in lines)))


def _mechanisms(name: str) -> tuple[str, ...]:
    """Blank for an agent of another kind, which has none of them."""
    if name not in ABLATIONS:
        return ("", "", "")
    parts = ABLATIONS[name]
    return tuple("✓" if on else "–" for on in (parts.routing, parts.retrieval, parts.ledger))


def _average(rows: Sequence[Row], field: str) -> float:
    return sum(float(getattr(one, field)) for one in rows) / len(rows)


def _known(values: Sequence[float | None], written: Callable[[float], str], unknown: str) -> str:
    known = [value for value in values if value is not None]
    return written(sum(known) / len(known)) if len(known) == len(values) else unknown


def _mean(rows: Sequence[Row], field: str) -> str:
    return _known([getattr(one, field) for one in rows], lambda mean: f"{mean:,.1f}".removesuffix(".0"), "not told")


def _tokens(rows: Sequence[Row]) -> str:
    totals = [
        None if one.input_tokens is None or one.output_tokens is None else one.input_tokens + one.output_tokens
        for one in rows
    ]
    return _known(totals, lambda mean: f"{mean:,.1f}".removesuffix(".0"), "not told")


def _money(rows: Sequence[Row]) -> str:
    return _known([one.cost_usd for one in rows], lambda mean: f"{mean:.4f}" if mean else "0", "unknown")
