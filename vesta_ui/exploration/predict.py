"""The prediction head g of the embedded engine: an answer from the ledger's entries alone, with the entries behind it."""

from __future__ import annotations

from vesta_ui.domain import Action, Entry
from vesta_ui.exploration import Past
from vesta_ui.exploration.order import Change, compatible, confirmed, met, readings, refuted, scores, tracks
from vesta_ui.roles import Decision
from vesta_ui.roles.embedded.asked import Kind, understand
from vesta_ui.roles.embedded.facts import Fact
from vesta_ui.roles.embedded.weigh import Verdict, weigh

MOST_CITED = 6


def predict(past: Past) -> Decision:
    """The best answer so far, sure or not; a guess says so and has little confidence."""
    ordered = _by_order(past) if understand(past.question).kind is Kind.ORDER and past.question.choices else None
    return Decision(ordered or _by_evidence(past))


def verdict(past: Past) -> Verdict:
    """What the entries say, weighed as the embedded Reasoner weighs them."""
    return weigh(past.question, [_fact(entry) for entry in past.ledger.entries])


def _fact(entry: Entry) -> Fact:
    seen = entry.observation
    return Fact(entry.id, seen.interval, seen.modality, seen.content, seen.text, seen.verdict)


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
        return _finalize(
            found.label or found.text, cited, found.confidence, found.why or "it fits best what was observed"
        )
    if past.question.choices:
        return _finalize(past.question.choices[0].label, [], 0.05, f"not found: {found.why}; this is a guess")
    return _finalize(found.text, [], 0.05, found.why)


def _finalize(answer: str, evidence: list[str], confidence: float, why: str) -> Action:
    arguments = {"answer": answer, "evidence": evidence, "confidence": confidence, "why": why}
    return Action("finalize", arguments, f"I answer: {why}.")
