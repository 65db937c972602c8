"""What is still missing and whether coverage suffices, as μ sees it (VESTA §3.5 eq. 11, §B.7).

Pure functions for `compact`. A gap carries a suggestion, never an order: the Reasoner may do anything else.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import pairwise

from vesta_ui.domain import (
    Coverage,
    Emphasis,
    Flag,
    Gap,
    HypothesisSupport,
    Interval,
    ReferenceState,
    Relation,
    Status,
    View,
    clock,
)
from vesta_ui.ledger import Ledger, coverage

UNSEEN_S = 60.0
"""A stretch never examined that is longer than this, and than `UNSEEN_SHARE` of the video, is a hole in coverage."""
UNSEEN_SHARE = 0.25
MARGIN = 0.3
"""The leading choice is ahead if its net support exceeds the next one's by this much."""


def sufficiency(
    ledger: Ledger,
    view: View | None,
    referenced: Sequence[ReferenceState],
    matrix: Sequence[HypothesisSupport],
    disputes: Sequence[Relation],
    happenings: Sequence[Relation],
) -> tuple[bool, str]:
    """Whether what was examined suffices under μ, and why (one phrase).

    - compact local evidence: something was verified and no conflict is open;
    - temporal coverage: every reference has an outcome, no occurrence is unresolved, no hole in coverage;
    - hypothesis support: every choice has evidence, one leads by `MARGIN`, no conflict is open.
    """
    if not ledger.entries:
        return False, "nothing was examined yet"
    open_conflicts = sum(r.status == "open" for r in disputes)
    if open_conflicts:
        return False, f"{open_conflicts} conflict{'s are' if open_conflicts > 1 else ' is'} open"
    emphasis = Emphasis.LOCAL if view is None else view.emphasis
    if emphasis is Emphasis.COVERAGE:
        return _covers(ledger, referenced, happenings)
    if emphasis is Emphasis.HYPOTHESES and matrix:
        return _separates(matrix)
    verified = [e.id for e in ledger.entries if e.observation.verdict is True]
    return bool(verified), f"verified by {', '.join(verified[:6])}" if verified else "nothing is verified yet"


def _covers(ledger: Ledger, referenced: Sequence[ReferenceState], happenings: Sequence[Relation]) -> tuple[bool, str]:
    unlooked = [s.reference.id for s in referenced if s.status is Status.UNVERIFIED]
    if unlooked:
        return False, f"{', '.join(unlooked[:8])} not looked at"
    unclear = [s.reference.id for s in referenced if s.status is Status.INCONCLUSIVE]
    if unclear:
        return False, f"{', '.join(unclear[:8])} looked at without a clear outcome"
    unresolved = sum(r.status == "unresolved" for r in happenings)
    if unresolved:
        return False, f"{unresolved} occurrence{'s are' if unresolved > 1 else ' is'} unresolved"
    hole = _hole(coverage(ledger), ledger.duration_s)
    if hole is not None:
        return False, f"{hole} was never examined"
    return True, "every reference has an outcome and no long stretch is unexamined"


def _separates(matrix: Sequence[HypothesisSupport]) -> tuple[bool, str]:
    silent = [row.label for row in matrix if not row.entry_ids]
    ahead, behind = _leaders(matrix)
    margin = _net(ahead) - (_net(behind) if behind else 0.0)
    if silent:
        return False, f"no evidence for or against {', '.join(silent)}"
    if margin < MARGIN or ahead.support == 0:
        return False, f"{ahead.label} and {behind.label} are not told apart" if behind else "no choice is supported"
    return True, f"{ahead.label} leads by {margin:.2f} and every choice has evidence"


def find_gaps(
    ledger: Ledger,
    view: View | None,
    covered: Coverage,
    referenced: Sequence[ReferenceState],
    matrix: Sequence[HypothesisSupport],
    disputes: Sequence[Relation],
    happenings: Sequence[Relation],
    missing: Collection[str] = (),
) -> tuple[Gap, ...]:
    """What is missing, most pressing first: conflicts, unresolved occurrences, open references, silent or tied choices,
    speech, holes in coverage. What μ does not emphasise is not missed, nor are open references once `covered` suffices.

    `missing`: operations this run does not have (`speech` where nothing can be heard, `retrieve` without an index). None
    is suggested; a look that may tell the same is.
    """
    emphasis = Emphasis.LOCAL if view is None else view.emphasis
    flags = () if view is None else view.flags
    gaps = [Gap(f"open conflict: {r.text}", "clip", r.start, r.end) for r in disputes if r.status == "open"]
    if emphasis is Emphasis.COVERAGE or Flag.COUNTING in flags or Flag.ORDERING in flags:
        gaps += _unresolved(ledger, happenings)
    for r in (s.reference for s in referenced if s.status is Status.INCONCLUSIVE and not covered.sufficient):
        gaps.append(Gap(f"{r.id} was looked at without a clear outcome", "clip", r.start, r.end))
    speech = Flag.SPEECH in flags or Flag.CROSS_MODAL in flags
    if speech:
        gaps += _unseen(covered, referenced) if "speech" in missing else _unheard(covered, referenced)
    if emphasis is Emphasis.HYPOTHESES:
        gaps += _undecided(matrix, referenced)
    local = emphasis is Emphasis.LOCAL and any(s.status is Status.VERIFIED for s in referenced)
    told = {(g.start, g.end) for g in gaps if g.operation == "inspect"}
    if not (local or covered.sufficient):
        gaps += [
            Gap(
                f"{s.reference.id} was not looked at",
                "inspect",
                s.reference.start,
                s.reference.end,
            )
            for s in referenced
            if s.status is Status.UNVERIFIED and (s.reference.start, s.reference.end) not in told
        ]
    hole = _hole(covered, ledger.duration_s)
    if hole is not None and (emphasis is Emphasis.COVERAGE or not (ledger.entries or referenced)):
        gaps.append(Gap(f"{hole} was never examined", "inspect", hole.start, hole.end))
    verdicts = {e.observation.verdict for e in ledger.entries}
    settled = covered.sufficient and not (emphasis is Emphasis.COVERAGE and False in verdicts)
    if ledger.entries and not (gaps or settled or True in verdicts):
        gaps.append(Gap("nothing examined so far met its query: search with other words", "retrieve"))
    return tuple(_by_looking(g, covered) if g.operation == "retrieve" and "retrieve" in missing else g for g in gaps)


def _by_looking(gap: Gap, covered: Coverage) -> Gap:
    """The gap without a search: the widest stretch that was never examined, or a closer look where all was."""
    widest = max(covered.never, key=lambda i: i.length, default=None)
    text = gap.text.removesuffix(": search with other words")
    return Gap(text, "inspect", widest.start, widest.end) if widest else Gap(text, "clip")


def _unresolved(ledger: Ledger, happenings: Sequence[Relation]) -> list[Gap]:
    """The unexamined stretch before each occurrence that may be the one before it going on."""
    by_id = {e.id: e for e in ledger.entries}
    gaps = []
    shown = [r for r in happenings if r.status != "duplicate"]
    for before, after in pairwise(shown):
        if after.status == "unresolved":
            name = by_id[after.entry_ids[0]].observation.event
            text = f"{name} at {clock(before.start)} and {clock(after.start)}: one occurrence or two?"
            gaps.append(Gap(text, "inspect", before.end, after.start))
    return gaps


def _unheard(covered: Coverage, referenced: Sequence[ReferenceState]) -> list[Gap]:
    """The best reference that is not rejected and whose speech nobody listened to."""
    for state in sorted(referenced, key=lambda s: s.status is not Status.VERIFIED):
        r = state.reference
        heard = sum(i.overlap(r.interval) for i in covered.heard)
        if state.status is not Status.REJECTED and heard < r.interval.length / 2:
            return [Gap(f"what is said in {r.id} was not listened to", "speech", r.start, r.end)]
    return [] if covered.heard or referenced else [Gap("nothing was listened to yet", "speech")]


def _unseen(covered: Coverage, referenced: Sequence[ReferenceState]) -> list[Gap]:
    """What `_unheard` would miss, where nothing can be heard: a place to look at while none is verified."""
    if any(s.status is Status.VERIFIED for s in referenced):
        return []
    said = "nothing can be heard in this video"
    for r in (s.reference for s in referenced if s.status is Status.UNVERIFIED):
        return [Gap(f"{said}: {r.id} can only be looked at", "inspect", r.start, r.end)]
    return [] if covered.seen or referenced else [Gap(f"{said}, and nothing was looked at yet", "inspect")]


def _undecided(matrix: Sequence[HypothesisSupport], referenced: Sequence[ReferenceState]) -> list[Gap]:
    gaps = []
    for row in matrix:
        if not row.entry_ids:
            asked = next(
                (
                    s.reference
                    for s in referenced
                    if row.label in s.reference.hypotheses and s.status is Status.UNVERIFIED
                ),
                None,
            )
            text = f"no evidence for or against {row.label}"
            if asked is not None:
                gaps.append(Gap(f"{text}; {asked.id} was retrieved for it", "inspect", asked.start, asked.end))
            else:
                gaps.append(Gap(text, "retrieve"))
    if len(matrix) > 1 and not gaps:
        ahead, behind = _leaders(matrix)
        if behind is not None and _net(ahead) - _net(behind) < MARGIN:
            gaps.append(Gap(f"{ahead.label} and {behind.label} are not told apart", "clip"))
    return gaps


def _leaders(matrix: Sequence[HypothesisSupport]) -> tuple[HypothesisSupport, HypothesisSupport | None]:
    ordered = sorted(matrix, key=lambda row: -_net(row))
    return ordered[0], ordered[1] if len(ordered) > 1 else None


def _net(row: HypothesisSupport) -> float:
    return row.support - row.refutation


def _hole(covered: Coverage, duration_s: float) -> Interval | None:
    """The longest stretch that was never examined, if it is long enough to matter."""
    longest = max(covered.never, key=lambda i: i.length, default=None)
    if longest is None or longest.length <= max(UNSEEN_S, UNSEEN_SHARE * duration_s):
        return None
    return longest
