"""The ledger: monotone and policy-free; coverage and outcomes by their stated rules."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vesta_ui.domain import Entry, Interval, Modality, Observation, Reference, Relation, Stance, Status
from vesta_ui.ledger import (
    Ledger,
    add_references,
    coverage,
    entries_from,
    hypotheses,
    reference_states,
    same_place,
    update,
)
from vesta_ui.relations import conflicts, counts, events, numbers, standings, states

CHOICES = ("A", "B", "C")


def seen(start: float, end: float, content: str = "something", **facts: Any) -> Observation:
    return Observation(Interval(start, end), Modality.PICTURE, content, **facts)


def heard(start: float, end: float, content: str = "words", **facts: Any) -> Observation:
    return Observation(Interval(start, end), Modality.SPEECH, content, **facts)


def ledger_of(*steps: Observation | tuple[str, str, list[Observation]], duration: float = 1000.0) -> Ledger:
    """A ledger with one step for each item: an observation, or (operation, query, observations)."""
    ledger = Ledger(duration, CHOICES)
    for step, item in enumerate(steps, 1):
        operation, query, observations = ("inspect", "q", [item]) if isinstance(item, Observation) else item
        ledger = update(ledger, entries_from(ledger, operation, step, query, observations))
    return ledger


def reference(start: float, end: float, step: int = 0, id: str = "r1") -> Reference:
    return Reference(id, f"scene at {start}", start, end, 0.5, "q", step)


def statuses(relations: tuple[Relation, ...]) -> list[str]:
    return [r.status for r in relations]


def test_one_shared_second_settles_a_reference_and_less_does_not() -> None:
    for end, status in ((21.0, Status.VERIFIED), (20.5, Status.UNVERIFIED)):
        ledger = add_references(ledger_of(seen(0, end, verdict=True)), [reference(20, 60)])
        assert reference_states(ledger)[0].status is status


def test_half_of_the_shorter_stretch_is_the_same_place_and_less_is_not() -> None:
    one = Interval(0, 4)
    for start, same in ((2.0, True), (2.25, False)):
        assert same_place(one, Interval(start, 12)) is same_place(Interval(start, 12), one) is same


# ---- entries
def test_entries_are_numbered_on_and_carry_their_provenance() -> None:
    ledger = ledger_of(seen(0, 5), seen(5, 10))
    made = entries_from(ledger, "clip", 3, " how\nmany? ", [seen(1, 2), seen(2, 3)])
    assert [(e.id, e.operation, e.step, e.query) for e in made] == [
        ("e3", "clip", 3, "how many?"),
        ("e4", "clip", 3, "how many?"),
    ]


def test_what_comes_from_outside_is_made_valid() -> None:
    stances = (Stance("A", True, 7.0), Stance("Z", True, 1.0), Stance("B", False, math.nan))
    raw = seen(
        -5, 2000, " two\n\n## lines\x00 ", confidence=1.5, number=math.inf, stances=stances, examined=Interval(-1, 9)
    )
    (entry,) = entries_from(Ledger(100.0, CHOICES), "inspect", 1, "q", [raw])
    o = entry.observation
    assert (o.interval, o.content, o.confidence, o.number) == (Interval(0, 100), "two ## lines", 1.0, None)
    assert o.stances == (Stance("A", True, 1.0),)
    assert o.examined == Interval(0, 9)


@pytest.mark.parametrize("raw", [seen(0, 5, " \n"), seen(101, 105), heard(-9, -1)])
def test_an_observation_that_says_nothing_or_lies_outside_is_no_entry(raw: Observation) -> None:
    assert entries_from(Ledger(100.0), "inspect", 1, "q", [raw]) == ()


def test_a_bare_reading_gets_its_content_from_its_facts() -> None:
    (entry,) = entries_from(Ledger(100.0), "clip", 1, "q", [seen(0, 5, "", number=4, number_of="hosts")])
    assert entry.observation.content == "hosts: 4"


def test_an_entry_can_be_added_twice_but_never_changed() -> None:
    ledger = ledger_of(seen(0, 5))
    assert update(ledger, ledger.entries) == ledger
    with pytest.raises(ValueError, match="e1 exists and cannot be changed"):
        update(ledger, [Entry("e1", "clip", 9, "q", seen(1, 2))])


def test_references_keep_free_ids_and_get_new_ones_when_taken() -> None:
    ledger = add_references(Ledger(100.0), [reference(0, 5), reference(5, 9, id="")])
    ledger = add_references(ledger, [reference(10, 20, step=2), reference(20, 30, step=2, id="r9")])
    assert [r.id for r in ledger.references] == ["r1", "r2", "r3", "r9"]


# ---- coverage
def test_coverage_is_the_union_per_modality_and_its_complement() -> None:
    covered = coverage(ledger_of(seen(0, 10), seen(5, 20), heard(30, 40), seen(90, 100), duration=100.0))
    assert covered.seen == (Interval(0, 20), Interval(90, 100))
    assert covered.heard == (Interval(30, 40),)
    assert covered.never == (Interval(20, 30), Interval(40, 90))
    assert (covered.seen_share, covered.heard_share) == (pytest.approx(0.3), pytest.approx(0.1))


def test_coverage_counts_all_that_was_examined() -> None:
    assert coverage(ledger_of(seen(40, 42, examined=Interval(0, 60)))).seen == (Interval(0, 60),)


def test_nothing_examined_is_one_gap() -> None:
    covered = coverage(Ledger(50.0))
    assert (covered.seen, covered.heard, covered.never) == ((), (), (Interval(0, 50),))
    assert coverage(Ledger(0.0)).seen_share == 0.0


# ---- outcomes of references
@pytest.mark.parametrize(
    ("steps", "status", "history"),
    [
        ([], Status.UNVERIFIED, []),
        ([seen(500, 600, verdict=True)], Status.UNVERIFIED, []),
        ([seen(140, 150, verdict=True)], Status.UNVERIFIED, []),
        ([seen(110, 115, verdict=True)], Status.VERIFIED, [(1, Status.VERIFIED)]),
        ([seen(100, 140, verdict=None)], Status.INCONCLUSIVE, [(1, Status.INCONCLUSIVE)]),
        ([seen(100, 140, verdict=False)], Status.REJECTED, [(1, Status.REJECTED)]),
        ([seen(100, 110, verdict=False)], Status.INCONCLUSIVE, [(1, Status.INCONCLUSIVE)]),
        ([seen(100, 110, verdict=False), seen(125, 140, verdict=False)], Status.REJECTED,
         [(1, Status.INCONCLUSIVE), (2, Status.REJECTED)]),
        ([seen(100, 140, verdict=False), seen(120, 125, verdict=True)], Status.VERIFIED,
         [(1, Status.REJECTED), (2, Status.VERIFIED)]),
        ([seen(100, 140, verdict=True), seen(100, 140, verdict=None)], Status.VERIFIED, [(1, Status.VERIFIED)]),
        ([seen(100, 140, verdict=True), seen(100, 140, verdict=False)], Status.INCONCLUSIVE,
         [(1, Status.VERIFIED), (2, Status.INCONCLUSIVE)]),
        ([seen(100, 110, verdict=True), seen(125, 140, verdict=False)], Status.VERIFIED, [(1, Status.VERIFIED)]),
        ([seen(100, 140, verdict=True), ("clip", "another question", [seen(100, 140, verdict=False)])], Status.VERIFIED,
         [(1, Status.VERIFIED)]),
        ([("inspect", "q", [seen(100, 140, verdict=False), seen(100, 140, verdict=True)])], Status.VERIFIED,
         [(1, Status.VERIFIED)]),
        ([("retrieve", "q", [seen(100, 140, verdict=True)])], Status.UNVERIFIED, []),
    ],
)  # fmt: skip
def test_outcome_of_a_reference(steps: list[Any], status: Status, history: list[tuple[int, Status]]) -> None:
    (state,) = reference_states(add_references(ledger_of(*steps), [reference(100, 140)]))
    assert (state.status, list(state.history)) == (status, history)


@pytest.mark.parametrize(
    "looks",
    [
        [seen(100, 140, verdict=True)],
        [seen(100, 140, verdict=False)],
        [seen(100, 110, verdict=None)],
        [seen(100, 140, verdict=False), seen(120, 125, verdict=True), seen(120, 125, verdict=None)],
        [seen(139, 150, verdict=True)],
        [("retrieve", "q", [seen(100, 140, verdict=True)])],
        [seen(300, 340, verdict=True)],
    ],
)
def test_a_scene_retrieved_again_inherits_what_is_known_of_it(looks: list[Any]) -> None:
    """An observation made before the reference is an observation of its place all the same."""
    ledger = add_references(ledger_of(*looks), [reference(100, 140), reference(100, 140, step=7, id="s7r1")])
    first, again = reference_states(ledger)
    assert again.status is first.status
    assert again.history == (((7, first.status),) if first.history else ())


def test_an_inherited_outcome_goes_on_from_the_step_of_the_reference() -> None:
    ledger = add_references(ledger_of(seen(100, 110, verdict=None), seen(100, 140, verdict=False),
                                      seen(120, 125, verdict=True)), [reference(100, 140, step=2)])  # fmt: skip
    assert reference_states(ledger)[0].history == (
        (2, Status.INCONCLUSIVE),
        (2, Status.REJECTED),
        (3, Status.VERIFIED),
    )


# ---- hypotheses
def test_the_hypothesis_matrix_has_every_choice_and_sums_weights() -> None:
    ledger = ledger_of(
        seen(0, 5, stances=(Stance("A", True, 0.5), Stance("B", False, 0.25))),
        seen(9, 12, stances=(Stance("A", True, 0.25),)),
    )
    a, b, c = hypotheses(ledger)
    assert (a.label, a.support, a.refutation, a.entry_ids) == ("A", 0.75, 0, ("e1", "e2"))
    assert (b.support, b.refutation, b.entry_ids) == (0, 0.25, ("e1",))
    assert (c.support, c.refutation, c.entry_ids) == (0, 0, ())
    assert statuses(standings(ledger)) == ["supported", "refuted"]


# ---- properties
NAMES = st.sampled_from(["", "bell rings", "dog barks", "golden sign"])
STANCES = st.lists(st.builds(Stance, st.sampled_from("ABC"), st.booleans(), st.floats(0, 1)), max_size=3).map(tuple)


@st.composite
def observations(draw: st.DrawFn) -> Observation:
    start = draw(st.floats(-20, 320))
    return Observation(
        Interval(start, start + draw(st.floats(0, 90))), draw(st.sampled_from(Modality)), draw(st.text(max_size=20)),
        verdict=draw(st.sampled_from([True, False, None])), confidence=draw(st.none() | st.floats()),
        event=draw(NAMES), state=draw(st.sampled_from(["", "door: open", "door: closed", "broken"])),
        number=draw(st.none() | st.integers(0, 5)), number_of=draw(st.sampled_from(["", "people"])), stances=draw(STANCES),
    )  # fmt: skip


@st.composite
def ledgers(draw: st.DrawFn) -> Ledger:
    ledger = add_references(
        Ledger(300.0, CHOICES), [reference(20.0 * n, 20.0 * n + 20, id=f"r{n}") for n in range(1, 5)]
    )
    for step in range(1, draw(st.integers(1, 6))):
        made = entries_from(ledger, draw(st.sampled_from(["inspect", "speech", "clip"])), step, draw(NAMES),
                            draw(st.lists(observations(), max_size=4)))  # fmt: skip
        ledger = update(ledger, made)
    return ledger


@given(ledgers(), st.lists(observations(), max_size=4))
def test_an_update_only_appends(before: Ledger, more: list[Observation]) -> None:
    made = entries_from(before, "clip", 9, "q", more)
    after = update(before, made)
    assert len(after.entries) == len(before.entries) + len(made)
    assert after.entries[: len(before.entries)] == before.entries
    assert (after.references, after.duration_s, after.choices) == (before.references, before.duration_s, before.choices)
    assert [e.id for e in after.entries] == [f"e{n}" for n in range(1, len(after.entries) + 1)]
    assert coverage(after).seen_share >= coverage(before).seen_share - 1e-9
    for old, new in zip(reference_states(before), reference_states(after), strict=True):
        assert new.history[: len(old.history)] == old.history
    for old_row, new_row in zip(hypotheses(before), hypotheses(after), strict=True):
        assert new_row.support >= old_row.support and new_row.refutation >= old_row.refutation


@given(ledgers())
def test_relations_name_only_entries_that_exist_and_hold_together(ledger: Ledger) -> None:
    ids = {e.id for e in ledger.entries}
    for relation in (*events(ledger), *numbers(ledger), *states(ledger), *conflicts(ledger), *standings(ledger)):
        assert relation.entry_ids and set(relation.entry_ids) <= ids
        assert 0 <= relation.start <= relation.end <= ledger.duration_s
    covered = coverage(ledger)
    never = sum(i.length for i in covered.never)
    assert never + max(covered.seen_share, covered.heard_share) * 300 <= 300 + 1e-6
    for count in counts(ledger):
        assert 1 <= count.least <= count.most <= len(count.entry_ids)
    told = [id for c in counts(ledger) for id in c.entry_ids]
    assert sorted(told) == sorted(e.id for e in ledger.entries if e.observation.event)
