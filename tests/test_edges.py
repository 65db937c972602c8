"""The numbers the method states, each on both sides of its edge, and what outlives a tight size budget."""

from __future__ import annotations

import pytest

from tests.test_ledger import CHOICES, ledger_of, reference, seen, statuses
from tests.test_policies import Index, ids, question, scenes
from tests.test_relations import reading
from vesta_ui.compact import compact
from vesta_ui.domain import Demand, Emphasis, Estimate, Policy, Question, Stance, View, Word
from vesta_ui.ledger import Ledger, add_references, entries_from, update
from vesta_ui.operations.speech import utterances
from vesta_ui.policies import retrieve
from vesta_ui.relations import conflicts, counts, events, numbers
from vesta_ui.router import project, route
from vesta_ui.settings import Settings

COVERAGE, HYPOTHESES = View(Emphasis.COVERAGE), View(Emphasis.HYPOTHESES)


# ---- retrieval
def test_the_recall_pool_holds_fifteen_scenes() -> None:
    index = Index(scenes(*[30.0] * 40), {"Q?": [n / 40 for n in range(40)]})
    assert len(retrieve(Policy.RECALL, question(), index).pool) == 15


def test_every_hypothesis_is_served_although_there_are_more_than_slots() -> None:
    near, far = [0.9, 0.1], [0.1, 0.8]
    index = Index(scenes(30, 30), {"Q? a": near, "Q? b": near, "Q? c": far, "Q? d": far})
    found = retrieve(Policy.CONTRASTIVE, question("a", "b", "c", "d"), index, k=2)
    assert ids(found) == ["s0", "s1"]
    assert [r.hypotheses for r in found.references] == [("A", "B"), ("C", "D")]


def test_competing_answers_outrank_a_comparison_and_not_a_count() -> None:
    assert project([Demand.COMPARISON, Demand.HYPOTHESES])[0] is Policy.CONTRASTIVE
    assert project([Demand.HYPOTHESES, Demand.REPEATED])[0] is Policy.RECALL


@pytest.mark.parametrize(("sure", "policy"), [(0.6, Policy.CONTRASTIVE), (0.59, Policy.FOCUSED)])
def test_the_settings_hold_the_papers_threshold_of_the_router(settings: Settings, sure: float, policy: Policy) -> None:
    estimate = Estimate((Demand.HYPOTHESES,), (), sure, "read so")
    ship = Question("What is the name of the ship?")
    assert route(ship, estimate, threshold=settings.route_confidence).policy is policy


def test_the_ledger_view_is_eight_thousand_characters_unless_said_otherwise(settings: Settings) -> None:
    assert settings.snapshot_chars == 8_000
    long = ledger_of(*(seen(n, n + 1, f"a street with many people, number {n}") for n in range(200)))
    assert 7_500 < len(compact(long, None).text) <= 8_000


# ---- the ledger
@pytest.mark.parametrize(("gap", "found"), [(1.0, 1), (1.2, 2)])
def test_descriptions_a_second_apart_are_one(gap: float, found: int) -> None:
    rung = ledger_of(seen(10, 12, event="bell rings"), seen(12 + gap, 14 + gap, event="bell rings"))
    assert [c.most for c in counts(rung)] == [found]
    assert len(numbers(ledger_of(reading(4, 10, 12), reading(4, 12 + gap, 14 + gap)))) == found


@pytest.mark.parametrize(("gap", "second"), [(20.0, "unresolved"), (20.5, "independent")])
def test_beyond_twenty_seconds_one_look_between_tells_occurrences_apart(gap: float, second: str) -> None:
    rung = [seen(0, 10, event="bell rings"), seen(10 + gap, 20 + gap, event="bell rings")]
    assert statuses(events(ledger_of(*rung, seen(13, 16)))) == ["independent", second]


@pytest.mark.parametrize(("weight", "found"), [(0.25, ["open"]), (0.24, [])])
def test_a_quarter_of_weight_takes_a_side(weight: float, found: list[str]) -> None:
    sides = [seen(0, 5, stances=(Stance("A", True, weight),)), seen(0, 5, "else", stances=(Stance("A", False, 0.9),))]
    assert statuses(conflicts(ledger_of(*sides))) == found


# ---- what suffices
@pytest.mark.parametrize(("end", "sufficient"), [(40.0, True), (39.0, False)])
def test_a_hole_is_longer_than_sixty_seconds(end: float, sufficient: bool) -> None:
    assert compact(ledger_of(seen(0, end), duration=100.0), COVERAGE).coverage.sufficient is sufficient


@pytest.mark.parametrize(("ahead", "sufficient"), [(0.81, True), (0.79, False)])
def test_a_choice_leads_by_three_tenths(ahead: float, sufficient: bool) -> None:
    for_a, for_b, against_c = Stance("A", True, ahead), Stance("B", True, 0.5), Stance("C", False, 0.5)
    told = ledger_of(seen(0, 5, stances=(for_a, for_b, against_c)))
    assert compact(told, HYPOTHESES).coverage.sufficient is sufficient


# ---- what outlives a tight budget
def crowded(*first: object) -> Ledger:
    """A ledger in which sixty observations that decide want more room than there is."""
    ledger = ledger_of(*first)  # type: ignore[arg-type]
    told = [seen(200 + 10 * n, 205 + 10 * n, f"case {n} " + "word " * 30, stances=(Stance(CHOICES[n % 3], True, 0.3),)) for n in range(60)]  # fmt: skip
    return update(ledger, entries_from(ledger, "inspect", 9, "which?", told))


@pytest.mark.parametrize("view", [None, COVERAGE, HYPOTHESES])
def test_an_open_conflict_outlives_what_decides(view: View | None) -> None:
    text = compact(crowded(reading(3), reading(4)), view, 1_500).text
    assert "conflict [open]" in text and "Left out" in text


def test_a_verified_reference_outlives_and_a_rejected_one_goes_first() -> None:
    ledger = crowded(seen(0, 40, verdict=True), seen(100, 140, "nothing", verdict=False))
    held = add_references(ledger, [reference(0, 40), reference(100, 140, id="r2")])
    text = compact(held, COVERAGE, 1_500).text
    assert "score 0.50: verified" in text and ": rejected" not in text


def test_the_sums_for_every_choice_outlive_what_decides_where_choices_are_stressed() -> None:
    text = compact(crowded(), HYPOTHESES, 1_200).text
    assert all(f"{label}: for 6.00, against 0.00" in text for label in CHOICES)


# ---- speech
@pytest.mark.parametrize(("pause", "parts"), [(0.9, 1), (1.0, 2), (1.2, 2)])
def test_a_silence_of_a_second_parts_utterances(pause: float, parts: int) -> None:
    said = [Word(0, 1, "the boat"), Word(1 + pause, 2 + pause, "is late")]
    assert len(utterances(said)) == parts


@pytest.mark.parametrize(("end", "parts"), [(12.0, 1), (13.0, 2)])
def test_an_utterance_longer_than_twelve_seconds_is_parted_at_its_breath(end: float, parts: int) -> None:
    said = [Word(0, 5, "the boat"), Word(5.5, 8, "is late because"), Word(8, end, "there is fog")]
    assert [len(one) for one in utterances(said)] == ([3] if parts == 1 else [1, 2])
