"""The intent router: question and choices → (π, μ), once, before any video content is seen (VESTA §3.2, §B.3).

`prior` reads words, a model may estimate the same demands, `merge` joins the two, `project` turns demands into policies.
It never answers, never judges difficulty, and knows no video, index or ledger.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from vesta_ui.cues import CUES, is_english
from vesta_ui.domain import Cue, Demand, Emphasis, Estimate, Flag, Policy, Prior, Question, Route, View

_EXPLICIT = (Demand.REPEATED, Demand.ORDERING, Demand.COMPARISON, Demand.CROSS_MODAL)

_ASKS = {
    Demand.REPEATED: "It asks about something that may happen several times",
    Demand.ORDERING: "It asks what comes before or after what",
    Demand.COMPARISON: "It compares amounts or readings",
    Demand.CROSS_MODAL: "It asks what is said together with what is seen",
    Demand.HYPOTHESES: "Its answers compete, and only evidence for and against them can tell them apart",
    Demand.LOCALIZED: "It asks about one thing that should be found in one place",
}
_NAMES = {
    Demand.REPEATED: "repeated events",
    Demand.ORDERING: "order",
    Demand.COMPARISON: "comparison",
    Demand.CROSS_MODAL: "speech with picture",
    Demand.HYPOTHESES: "competing answers",
    Demand.LOCALIZED: "one place",
}
_SEEKS = {
    Policy.FOCUSED: "so it needs the scenes that match it best (focused)",
    Policy.RECALL: "so it needs matching scenes from all over the video (recall)",
    Policy.CONTRASTIVE: "so it needs scenes for every answer (contrastive)",
}

_ALONE = "Only the {} of the question decided this"

READ_CHARS = 1_500
"""How much of a question is searched for cues, from its end, where what is asked usually stands."""

RANK: tuple[tuple[Demand, Policy, Emphasis], ...] = (
    (Demand.REPEATED, Policy.RECALL, Emphasis.COVERAGE),
    (Demand.ORDERING, Policy.RECALL, Emphasis.COVERAGE),
    (Demand.HYPOTHESES, Policy.CONTRASTIVE, Emphasis.HYPOTHESES),
    (Demand.COMPARISON, Policy.RECALL, Emphasis.COVERAGE),
    (Demand.CROSS_MODAL, Policy.FOCUSED, Emphasis.LOCAL),
    (Demand.LOCALIZED, Policy.FOCUSED, Emphasis.LOCAL),
)
"""Projection (VESTA Table 9): the first demand present decides. Explicit counting and ordering come before
interpretation, because no interpretation can make up for an occurrence that was never looked at."""


def prior(question: Question) -> Prior:
    """b: the demands and views that words in the question call for. Without any cue, or not in English: localized."""
    cues: list[Cue] = []
    flags: list[Flag] = []
    asked = question.text[-READ_CHARS:]
    if is_english(asked):
        for row in CUES:
            words = row.find(asked)
            if words and row.demand is not None:
                cues.append(Cue(row.demand, words))
            if words and row.flag is not None:
                flags.append(row.flag)
    if _permuted([c.text for c in question.choices]):
        cues.append(Cue(Demand.ORDERING, "the choices are one list in different orders"))
        flags.append(Flag.ORDERING)
    if question.choices and all(re.fullmatch(r"\W*\d[\d.,:]*\W*\w{0,8}", c.text) for c in question.choices):
        flags.append(Flag.NUMERIC)
    demands = _unique(cue.demand for cue in cues) or (Demand.LOCALIZED,)
    return Prior(demands, _in_order(flags), tuple(cues))


def merge(
    b: Prior, rho: Estimate | None, threshold: float = 0.6, read: str = "words"
) -> tuple[tuple[Demand, ...], tuple[Flag, ...], str]:
    """Demands, flags and one sentence why (eq. 13).

    What the words ask for outright (counting, ordering, comparison, speech with picture) always stays; whether the rest
    is a local question or a contest of interpretations is the model's to say, if it is at least `threshold` sure.
    `read` names what of the question the prior could read: its words, its choices, or ("") nothing.
    """
    if rho is None or not usable(rho):
        return b.demands, b.flags, _ALONE.format(read) if read else ""
    if rho.confidence < threshold:
        sure = f"the model was {rho.confidence:.2f} sure of its reading, below {threshold:.2f}"
        return b.demands, b.flags, f"{_ALONE.format(read)}: {sure}" if read else sure.capitalize()
    explicit = tuple(d for d in b.demands if d in _EXPLICIT)
    demands = _unique((*explicit, *rho.demands))
    flags = _in_order((*b.flags, *rho.flags))
    kept = _listed(d for d in explicit if d not in rho.demands)
    why = f"The model reads it as {_listed(rho.demands)} ({rho.confidence:.2f} sure)"
    if kept:
        why += f", but the {read} ask outright for {kept}, and that stays"
    return demands, flags, why


def usable(rho: Estimate) -> bool:
    """Whether an estimate says anything: at least one demand and a confidence in [0, 1]."""
    return bool(rho.demands) and math.isfinite(rho.confidence) and 0 <= rho.confidence <= 1


def project(demands: Iterable[Demand], flags: Iterable[Flag] = ()) -> tuple[Policy, View]:
    """(π, μ) for a set of demands (VESTA Table 9, `RANK`)."""
    present = set(demands)
    _, policy, emphasis = next((row for row in RANK if row[0] in present), RANK[-1])
    return policy, View(emphasis, _in_order(flags))


def route(
    question: Question,
    estimate: Estimate | None,
    note: str = "",
    threshold: float = 0.6,
    policy: Policy | None = None,
    emphasis: Emphasis | None = None,
) -> Route:
    """The whole decision. `note` says why there is no estimate; `policy` and `emphasis` are set by hand and win; the single views of μ stay."""
    if estimate is not None and not usable(estimate):
        estimate, note = None, note or "the model's estimate names no demand or no valid confidence"
    b = prior(question)
    english = is_english(question.text[-READ_CHARS:])
    read = "words" if english else "choices" if b.cues else ""
    demands, flags, why = merge(b, estimate, threshold, read)
    routed, accounting = project(demands, flags)
    decisive = next(demand for demand, _, _ in RANK if demand in demands)
    asks = f"{_ASKS[decisive]}, {_SEEKS[routed]}"
    foreign = "It does not read as English, so its words could not be used"
    known = estimate is not None and estimate.confidence >= threshold
    if not read and not known:
        asks = f"{foreign}; without a reading, the scenes that match it best are looked for (focused)"
    reasons = [asks, why] if why else [asks]
    if not english and (read or known):
        reasons.append(foreign)
    elif english and not b.cues:
        reasons.append("No word in it calls for more than one close look")
    if policy is not None and policy is not routed:
        reasons.append(f"By hand, {policy.value} retrieval is used instead of {routed.value}")
    if emphasis is not None and emphasis is not accounting.emphasis:
        reasons.append(f"By hand, the ledger view stresses {emphasis.value} instead of {accounting.emphasis.value}")
    used = policy or routed
    if used is Policy.CONTRASTIVE and not question.choices:
        reasons.append("No answers are given to search for, so contrastive retrieval falls back to focused")
    by_hand = {"policy": policy, "view": emphasis}
    return Route(
        policy=used,
        view=replace(accounting, emphasis=emphasis or accounting.emphasis),
        prior=b,
        model=estimate,
        demands=demands,
        why=" ".join(f"{reason}." for reason in reasons),
        model_note=note,
        overridden=tuple(name for name, value in by_hand.items() if value is not None),
    )


def _permuted(texts: list[str]) -> bool:
    """Whether the choices are orders of the same three or more items."""
    if len(texts) < 2:
        return False
    split = [[p.strip().casefold() for p in re.split(r"\s*(?:→|->|=>|>|;|,|–|-)\s*", t) if p.strip()] for t in texts]
    first = Counter(split[0])
    return (
        len(split[0]) >= 3
        and all(Counter(parts) == first for parts in split)
        and len({tuple(parts) for parts in split}) > 1
    )


def _unique(demands: Iterable[Demand]) -> tuple[Demand, ...]:
    return tuple(dict.fromkeys(demands))


def _in_order(flags: Iterable[Flag]) -> tuple[Flag, ...]:
    held = set(flags)
    return tuple(flag for flag in Flag if flag in held)


def _listed(demands: Iterable[Demand]) -> str:
    return ", ".join(_NAMES[d] for d in demands)
