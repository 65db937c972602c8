"""The prediction head g of the embedded engine: an answer from the ledger's entries alone, with the entries behind it."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from vesta_ui.domain import Action, Entry, Modality
from vesta_ui.exploration import Past
from vesta_ui.exploration.order import Change, compatible, confirmed, met, readings, refuted, scores, tracks
from vesta_ui.roles import Decision
from vesta_ui.roles.embedded.asked import Kind, understand
from vesta_ui.roles.embedded.facts import Fact
from vesta_ui.roles.embedded.weigh import Verdict, weigh

MOST_CITED = 6
SPARSE_S, MOST_SPARSE = 6.0, 0.5
"""Frames farther apart than this may have missed what is counted; the most confidence there is then."""


def predict(past: Past) -> Decision:
    """The best answer so far, sure or not; a guess says so and has little confidence."""
    ordered = _by_order(past) if understand(past.question).kind is Kind.ORDER and past.question.choices else None
    return Decision(ordered or _by_evidence(past))


def verdict(past: Past) -> Verdict:
    """What the entries say, weighed as the embedded Reasoner weighs them."""
    return weigh(past.question, facts(past.ledger.entries))


def facts(entries: Iterable[Entry]) -> list[Fact]:
    """The entries in time order, whichever look made them; what two looks met at the same moment comes once."""
    found: dict[tuple[Modality, str, int], Fact] = {}
    for entry in entries:
        seen = entry.observation
        key = seen.modality, seen.content, round(seen.interval.start)
        found.setdefault(key, Fact(entry.id, seen.interval, seen.modality, seen.content, seen.text, seen.verdict))
    return sorted(found.values(), key=lambda fact: (fact.interval.start, fact.interval.end))


def _by_order(past: Past) -> Action | None:
    """By which thing follows which; None when no change between the asked items was seen."""
    every = tracks(readings(past.ledger.entries, past.question))
    if not any(track.changes for track in every):
        return None
    found = scores(every, past.question)
    ranked = sorted(found, key=lambda label: -found[label])
    best, ties = ranked[0], sum(value == found[ranked[0]] for value in found.values())
    trusted = [t for t in every if not refuted(t, every)]
    sure = [change for t in trusted for change in t.changes if change.sure]
    certain = sure and compatible(sure, past.question, met(trusted)[0]) == [best]
    checked = any(confirmed(c, t, every) for t in trusted for c in t.changes if c.sure)
    confidence = (0.9 if checked else 0.7) if certain else round(0.6 / ties, 2)
    closest: dict[tuple[str, str], Change] = {}
    for change in sure or [c for t in every for c in t.changes]:
        held = closest.get((change.before, change.after))
        if held is None or change.span.length < held.span.length:
            closest[(change.before, change.after)] = change
    told = ", ".join(f"{before} → {after}" for before, after in closest)
    ends = {time for change in closest.values() for time in (change.span.start, change.span.end)}
    cited = [e.id for e in past.ledger.entries if any(f.time in ends for f in e.observation.frames)]
    why = f"what followed what: {told[:160]}" + (
        "" if ties == 1 else f"; {ties} choices fit this equally, so it is a guess"
    )
    return _finalize(best, cited[: 2 * MOST_CITED], confidence, why)


def _by_evidence(past: Past) -> Action:
    found = verdict(past)
    cited = [fact.id for fact in found.facts][:MOST_CITED]
    if found.found:
        confidence, why = found.confidence, found.why or "it fits best what was observed"
        apart = max(b - a for a, b in pairwise([0.0, *past.frame_times, past.video.duration_s]))
        asked = understand(past.question)
        if asked.kind is Kind.COUNT and asked.modality is not Modality.SPEECH and apart > SPARSE_S:
            confidence, why = (
                min(confidence, MOST_SPARSE),
                f"{why}; frames lie up to {apart:.0f} s apart, so some may be missed",
            )
        return _finalize(found.label or found.text, cited, confidence, why)
    if past.question.choices:
        return _finalize(past.question.choices[0].label, [], 0.05, f"not found: {found.why}; this is a guess")
    return _finalize(found.text, [], 0.05, found.why)


def _finalize(answer: str, evidence: list[str], confidence: float, why: str) -> Action:
    arguments = {"answer": answer, "evidence": evidence, "confidence": confidence, "why": why}
    return Action("finalize", arguments, f"I answer: {why}.")
