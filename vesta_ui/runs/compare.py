"""Two to four runs on one question, side by side: aligned steps, first divergence, answers, the papers' cost tables.

Steps are aligned by operation and interval overlap, so a step that only moved is told from one that only one run took.
Works on folded sessions alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean, stdev

from vesta_ui.domain import Interval, Usage, merge
from vesta_ui.errors import BadInput
from vesta_ui.runs.session import Session, Step

SAME_IOU = 0.5
"""Two steps of one operation looked at the same place when their intervals overlap at least so much."""


@dataclass(frozen=True, slots=True)
class Row:
    """One aligned row: the step number in each run (None where the run has none) and how they relate.

    `kind`: same (operation and place), moved (same operation and place, another position), differs (some runs took it,
    others did not), only (one run).
    """

    steps: tuple[int | None, ...]
    kind: str


@dataclass(frozen=True, slots=True)
class Cost:
    """One run's row of VESTA Tables 6 and 7, plus money and seconds. Times in seconds."""

    run_id: str
    agent: str
    iterations: int
    remote_requests: int
    failed_requests: int
    input_tokens: int | None
    output_tokens: int | None
    retrieve_calls: int
    inspect_calls: int
    clip_calls: int
    speech_calls: int
    other_calls: int
    """Operations of other agents: queries of ranges and frames, the whole video watched (SAVE §A)."""
    frames: int
    retrieve_s: float
    cost_usd: float | None
    seconds: float


@dataclass(frozen=True, slots=True)
class Comparison:
    rows: tuple[Row, ...]
    first_divergence: int | None
    """Index of the first row that is not "same"; None when the trajectories agree."""
    answers: tuple[str, ...]
    agree: bool
    costs: tuple[Cost, ...]
    only_in: tuple[tuple[str, ...], ...]
    """Per run: what its ledger holds over places no other run's ledger covers, as entry ids."""


def compare(sessions: Sequence[Session]) -> Comparison:
    """Raises `BadInput` unless there are 2 to 4 started runs of the same video."""
    if not 2 <= len(sessions) <= 4:
        raise BadInput(f"compare two to four runs, not {len(sessions)}")
    if any(s.started is None for s in sessions) or len({s.started.video.sha256 for s in sessions if s.started}) > 1:
        raise BadInput("the runs are of different videos: choose runs of one video")
    rows = align([session.steps for session in sessions])
    answers = tuple(answer_of(session) for session in sessions)
    divergence = next((n for n, row in enumerate(rows) if row.kind != "same"), None)
    return Comparison(
        rows=rows,
        first_divergence=divergence,
        answers=answers,
        agree=len(set(answers)) == 1,
        costs=tuple(cost(session) for session in sessions),
        only_in=tuple(_only(one, [*sessions[:n], *sessions[n + 1 :]]) for n, one in enumerate(sessions)),
    )


def align(runs: Sequence[Sequence[Step]]) -> tuple[Row, ...]:
    """Every run against the first, by longest common subsequence of matching steps; leftovers matched are "moved"."""
    base = runs[0]
    columns = [_match(base, other) for other in runs[1:]]
    rows: list[Row] = []
    for n, step in enumerate(base):
        partners = [column.get(n) for column in columns]
        numbers = (step.n, *(p.n if p else None for p in partners))
        if all(p is not None for p in partners):
            kind = "same" if all(_in_order(columns, n)) else "moved"
        else:
            kind = "only" if all(p is None for p in partners) else "differs"
        rows.append(Row(numbers, kind))
    alone = [
        [step for step in other if step.n not in {found.n for found in column.values()}]
        for other, column in zip(runs[1:], columns, strict=True)
    ]
    for i, steps in enumerate(alone, 1):
        for step in steps:
            cells: list[int | None] = [None] * len(runs)
            cells[i] = step.n
            for j in range(i + 1, len(runs)):  # the same step of a later run shares the row
                partner = next((other for other in alone[j - 1] if _alike(step, other)), None)
                if partner is not None:
                    alone[j - 1].remove(partner)
                    cells[j] = partner.n
            kind = "only" if sum(n is not None for n in cells) == 1 else "differs"
            rows.insert(_place(rows, i, step.n), Row(tuple(cells), kind))
    return tuple(rows)


def _place(rows: Sequence[Row], run: int, step: int) -> int:
    """Where a row that the first run lacks belongs: right after what its own run did just before, or else right before
    what it did next; a run that shares nothing comes last."""
    own = [(n, other) for n, row in enumerate(rows) if (other := row.steps[run]) is not None]
    before = [n for n, other in own if other < step]
    return before[-1] + 1 if before else min((n for n, _ in own), default=len(rows))


@dataclass(frozen=True, slots=True)
class Spread:
    """How much repeats of one question vary: answers with their counts, means with standard deviations (0 for one run),
    and the mean overlap over all pairs of what was looked at and of what the answers cite, in [0, 1]."""

    runs: int
    answers: tuple[tuple[str, int], ...]
    steps_mean: float
    steps_sd: float
    seconds_mean: float
    seconds_sd: float
    usd_mean: float | None
    places_iou: float
    evidence_iou: float


def spread(sessions: Sequence[Session]) -> Spread:
    """Raises `BadInput` unless there are at least two started runs of one video."""
    started = [session for session in sessions if session.started is not None]
    if len(started) < 2 or len({s.started.video.sha256 for s in started if s.started}) > 1:
        raise BadInput("variance needs at least two runs of one video")
    steps = [float(len(session.steps)) for session in started]
    seconds = [session.at for session in started]
    usd = [session.usage.cost_usd for session in started]
    return Spread(
        runs=len(started),
        answers=tuple(Counter(answer_of(session) for session in started).most_common()),
        steps_mean=fmean(steps),
        steps_sd=stdev(steps),
        seconds_mean=fmean(seconds),
        seconds_sd=stdev(seconds),
        usd_mean=None if None in usd else fmean(one for one in usd if one is not None),
        places_iou=_mean_iou([merge(place for step in s.steps for place in places(step)) for s in started]),
        evidence_iou=_mean_iou(
            [merge(Interval(e.start, e.end) for e in (s.answer.evidence if s.answer else ())) for s in started]
        ),
    )


def _mean_iou(covers: Sequence[tuple[Interval, ...]]) -> float:
    return fmean(union_iou(a, b) for a, b in combinations(covers, 2))


def union_iou(mine: Sequence[Interval], yours: Sequence[Interval]) -> float:
    """Intersection over union of two sets of merged intervals, in [0, 1]; 0 when both are empty."""
    shared = sum(a.overlap(b) for a in mine for b in yours)
    union = sum(one.length for one in (*mine, *yours)) - shared
    return shared / union if union > 0 else 0.0


def board(sessions: Sequence[Session]) -> tuple[Cost, ...]:
    """The cost row of every run that has started, however many."""
    return tuple(cost(session) for session in sessions if session.started is not None)


def cost(session: Session) -> Cost:
    assert session.started is not None
    usage: Usage = session.usage
    calls = [step.decided.action.operation for step in session.steps if step.decided]
    return Cost(
        run_id=session.started.run_id,
        agent=agent_of(session),
        iterations=len(calls),
        remote_requests=usage.remote_requests,
        failed_requests=usage.failed_requests,
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        retrieve_calls=len(session.retrieved),
        inspect_calls=calls.count("inspect"),
        clip_calls=calls.count("clip"),
        speech_calls=calls.count("speech"),
        other_calls=sum(call not in ("retrieve", "inspect", "clip", "speech", "finalize") for call in calls),
        frames=usage.frames,
        retrieve_s=sum(one.seconds for one in session.retrieved),
        cost_usd=usage.cost_usd,
        seconds=session.at,
    )


def places(step: Step) -> tuple[Interval, ...]:
    """Where a step looked or listened, every place once."""
    if step.observed is None:
        return ()
    return tuple(dict.fromkeys(one.examined or one.interval for one in step.observed.observations))


def _match(base: Sequence[Step], other: Sequence[Step]) -> dict[int, Step]:
    """Position in `base` → its partner: in order first (longest common subsequence), then out of order."""
    alike = [[_alike(a, b) for b in other] for a in base]
    length = [[0] * (len(other) + 1) for _ in range(len(base) + 1)]
    for i in reversed(range(len(base))):
        for j in reversed(range(len(other))):
            keep = length[i + 1][j + 1] + 1 if alike[i][j] else 0
            length[i][j] = max(keep, length[i + 1][j], length[i][j + 1])
    found: dict[int, Step] = {}
    i = j = 0
    while i < len(base) and j < len(other):
        if alike[i][j] and length[i][j] == length[i + 1][j + 1] + 1:
            found[i] = other[j]
            i, j = i + 1, j + 1
        elif length[i + 1][j] >= length[i][j + 1]:
            i += 1
        else:
            j += 1
    for n in range(len(base)):
        if n not in found:
            taken = {step.n for step in found.values()}
            partner = next((b for m, b in enumerate(other) if alike[n][m] and b.n not in taken), None)
            if partner is not None:
                found[n] = partner
    return found


def _in_order(columns: Sequence[dict[int, Step]], n: int) -> list[bool]:
    return [all((m < n) == (column[m].n < column[n].n) for m in column if m != n) for column in columns]


def _alike(a: Step, b: Step) -> bool:
    if a.decided is None or b.decided is None or a.decided.action.operation != b.decided.action.operation:
        return False
    if a.decided.action.arguments == b.decided.action.arguments:
        return True
    mine, yours = places(a), places(b)
    if not mine or not yours:
        return a.decided.action.operation == "finalize"
    best = [max(one.iou(two) for two in yours) for one in mine]
    return sum(best) / len(best) >= SAME_IOU


def agent_of(session: Session) -> str:
    """The agent's name; `native` with another run's input tokens says so."""
    if session.started is None:
        return ""
    matched = session.started.agent == "native" and session.started.settings.get("match_tokens")
    return f"matched {session.started.agent}" if matched else session.started.agent


def answer_of(session: Session) -> str:
    """The label where there is one, else the words."""
    if session.answer is None:
        return "no answer"
    return session.answer.label or session.answer.text


def _only(session: Session, others: Sequence[Session]) -> tuple[str, ...]:
    covered = [e.interval for other in others if other.state for e in other.state.ledger.entries]
    entries = session.state.ledger.entries if session.state else ()
    return tuple(e.id for e in entries if not any(e.interval.overlap(one) > 0 for one in covered))
