"""Runs, states and comparisons as plain text for a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from vesta_ui.commands import table
from vesta_ui.domain import Interval, Policy, Snapshot
from vesta_ui.policies import Retrieval
from vesta_ui.runs.catalog import RunSummary, family
from vesta_ui.runs.debug import Difference
from vesta_ui.runs.run import Run
from vesta_ui.state import State


def money(usd: float | None) -> str:
    return "price unknown" if usd is None else f"${usd:.4f}" if usd else "free"


def summary_rows(rows: Sequence[RunSummary]) -> tuple[list[list[object]], list[str]]:
    head = ["run", "agent", "outcome", "steps", "seconds", "cost", "answer", "question"]
    body: list[list[object]] = [
        [r.id, r.agent, r.outcome, r.steps, f"{r.seconds:.1f}", money(r.cost_usd), r.answer[:32], r.question[:70]]
        for r in rows
    ]
    return body, head


def run_text(run: Run) -> str:
    """Header, route, a line a step, answer, usage."""
    session = run.session()
    started, finished, route = session.started, session.finished, session.route
    if started is None:
        return f"{run.id}: nothing was recorded"
    lines = [f"{run.id}  {started.agent}  “{started.question.text}”"]
    lines += [f"   {choice.label}. {choice.text}" for choice in started.question.choices]
    if started.parent:
        lines.append(f"forked from {started.parent} at step {started.fork_step}: {started.fork_edit}")
    if route:
        lines.append(f"route: {route.policy.value}, {route.view.emphasis.value}: {route.why}")
    for step in session.steps:
        action = step.decided.action if step.decided else None
        lines.append(f"{step.n:>3}  {action.operation if action else 'deciding'}: {action.thought if action else ''}")
        if step.observed:
            first, *_ = (step.observed.error or step.observed.output).strip().split("\n")
            lines.append(f"     {first}")
    if finished is None:
        lines.append("interrupted: `runs continue` goes on with it")
    elif finished.answer:
        said = finished.answer
        label = f"{said.label}. " if said.label else ""
        lines.append(f"{finished.outcome.value}: {label}{said.text}  (confidence {said.confidence:.2f})")
        lines += [f"     {Interval(one.start, one.end)}  [{one.entry_id}] {one.why}" for one in said.evidence]
    if finished and finished.reason:
        lines.append(finished.reason)
    lines += [f"! {notice.message}" for notice in dict.fromkeys(session.warnings)]
    if run.unknown:
        kinds = ", ".join(sorted({one.kind for one in run.unknown}))
        lines.append(f"made by a newer version: {len(run.unknown)} events are not known here and left out ({kinds})")
    usage = session.usage
    lines.append(
        f"{usage.frames} frames, {usage.remote_requests} requests, {money(usage.cost_usd)}, {session.at:.1f} s"
    )
    return "\n".join(lines)


def state_text(state: State, shown: Snapshot, changed: Difference | None) -> str:
    lines = ["M_t — tool memory"]
    lines += [
        f"{item.step:>3}  {item.operation} {item.arguments}\n     {item.error or item.output}" for item in state.memory
    ]
    lines += ["", "E_t — ledger entries"]
    lines += [
        f"{entry.id:>4}  {entry.interval}  {entry.operation}, step {entry.step}: {entry.observation.content}"
        for entry in state.ledger.entries
    ]
    lines += ["", "L_t — what the Reasoner is shown", shown.text]
    if changed is not None:
        lines += ["", "against what was shown", *(changed.lines or ["the text is the same"])]
        for name, ids in (("now shown", changed.shown), ("now hidden", changed.hidden)):
            if ids:
                lines.append(f"{name}: {', '.join(ids)}")
        if changed.sufficient[0] != changed.sufficient[1]:
            lines.append("the evidence " + ("is now sufficient" if changed.sufficient[1] else "no longer suffices"))
    return "\n".join(lines)


def retrieval_text(found: Mapping[Policy, Retrieval]) -> str:
    """The policies side by side: a line a rank."""
    ranks = max((len(one.references) for one in found.values()), default=0)
    rows: list[list[object]] = []
    for n in range(ranks):
        row: list[object] = [n + 1]
        for one in found.values():
            reference = one.references[n] if n < len(one.references) else None
            asked = f" {'/'.join(reference.hypotheses)}" if reference and reference.hypotheses else ""
            row.append(f"{reference.interval} {reference.score:.2f}{asked}" if reference else "")
        rows.append(row)
    notes = [f"{policy.value}: {one.note}" for policy, one in found.items() if one.note]
    return "\n".join([table(rows, ["", *(policy.value for policy in found)]), *notes])


def tree_lines(rows: Sequence[RunSummary], only: str = "") -> tuple[list[str], list[tuple[RunSummary, int]]]:
    """Parents before their forks, indented; `only`: the tree that run belongs to."""
    order = family(rows, only)
    lines = []
    for row, depth in order:
        how = f"step {row.fork_step}: {row.fork_edit}" if row.parent else row.question[:60]
        lines.append(
            f"{'   ' * depth}{'└─ ' if depth else ''}{row.id}  {row.agent}  {row.outcome}  {row.answer[:30]}  {how}"
        )
    return lines, order
