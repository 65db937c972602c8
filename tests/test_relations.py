"""What entries say about each other: events and their counts, sequences of numbers and states, conflicts."""

from __future__ import annotations

import pytest

from tests.test_ledger import CHOICES, heard, ledger_of, reference, seen, statuses
from vesta_ui.domain import Interval, Observation, Stance, Status
from vesta_ui.ledger import Ledger, add_references, entries_from, reference_states, update
from vesta_ui.relations import alike, conflicts, counts, events, numbers, standings, states, verifications
from vesta_ui.roles.embedded import signs
from vesta_ui.roles.embedded.signs import Sign


# ---- events
def test_the_same_sign_read_twice_with_other_things_between_is_two_occurrences() -> None:
    ledger = ledger_of(
        seen(10, 15, event="golden sign"), seen(30, 40, "a street"), seen(60, 65, event="the golden sign")
    )
    assert statuses(events(ledger)) == ["independent", "independent"]
    assert [(c.least, c.most) for c in counts(ledger)] == [(2, 2)]


def test_far_apart_without_a_look_between_is_unresolved() -> None:
    ledger = ledger_of(seen(10, 15, event="golden sign"), seen(60, 65, event="golden sign"))
    assert statuses(events(ledger)) == ["independent", "unresolved"]
    assert [(c.least, c.most) for c in counts(ledger)] == [(1, 2)]


def test_what_was_heard_between_says_nothing_about_what_was_seen() -> None:
    ledger = ledger_of(seen(10, 15, event="sign"), heard(20, 50), seen(60, 65, event="sign"))
    assert statuses(events(ledger)) == ["independent", "unresolved"]
    spoken = ledger_of(heard(10, 15, event="a vow"), seen(20, 50), heard(60, 65, event="a vow"))
    assert statuses(events(spoken)) == ["independent", "unresolved"]
    listened = ledger_of(heard(10, 15, event="a vow"), heard(20, 50), heard(60, 65, event="a vow"))
    assert statuses(events(listened)) == ["independent", "independent"]


def test_two_descriptions_of_one_place_are_one_occurrence() -> None:
    ledger = ledger_of(
        seen(10, 20, event="bell rings"), seen(12, 18, event="the bell is ringing"), seen(19, 26, event="bell rings")
    )
    assert statuses(events(ledger)) == ["independent", "duplicate"]
    one, duplicate = events(ledger)
    assert (one.start, one.end, one.entry_ids) == (10, 26, ("e1", "e2", "e3"))
    assert duplicate.entry_ids == ("e1", "e2")
    assert [(c.least, c.most) for c in counts(ledger)] == [(1, 1)]


def test_a_short_gap_needs_half_of_it_examined() -> None:
    near = [seen(10, 12, event="push-up"), seen(16, 18, event="push-up")]
    assert [c.least for c in counts(ledger_of(*near))] == [1]
    assert [c.least for c in counts(ledger_of(*near, seen(12, 13)))] == [1]
    assert [c.least for c in counts(ledger_of(*near, seen(12, 14)))] == [2]


def test_one_look_over_a_stretch_tells_its_events_apart() -> None:
    look = Interval(0, 60)
    found = [seen(t, t + 1, event="bell rings", examined=look) for t in (5, 9, 30, 58)]
    assert [(c.least, c.most) for c in counts(ledger_of(("inspect", "q", found)))] == [(4, 4)]


def test_a_second_apart_is_still_one() -> None:
    assert [c.most for c in counts(ledger_of(seen(10, 12, event="rain"), seen(13, 15, event="rain")))] == [1]


def test_different_events_are_counted_apart() -> None:
    ledger = ledger_of(seen(10, 12, event="red car passes"), seen(10, 12, event="blue car passes"), seen(40, 41, event="goal 1"),
                       seen(40, 41, event="goal 2"))  # fmt: skip
    assert [c.most for c in counts(ledger)] == [1, 1, 1, 1]


def test_counts_do_not_depend_on_the_order_of_looking() -> None:
    found = [seen(t, t + 2, event="bell rings") for t in (10, 60, 200)] + [seen(30, 50), seen(100, 110)]
    assert [c.least for c in counts(ledger_of(*found))] == [c.least for c in counts(ledger_of(*reversed(found)))] == [3]


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        ("the bell rings", "a bell ringing", True),
        ("hosts", "host", True),
        ("man enters the room", "man leaves the room", False),
        ("goal 1", "goal 2", False),
        ("goal 1 of the red home team", "goal 2 of the red home team", False),
        ("red car crosses the bridge", "blue car crosses the bridge", False),
        ("门开", "门开", True),
        ("门开", "门关", False),
    ],
)
def test_names_of_one_thing(a: str, b: str, same: bool) -> None:
    assert alike(a, b) is alike(b, a) is same


# ---- numbers, states, conflicts
def test_two_equal_readings_of_a_clip_are_one_cluster_without_conflict() -> None:
    """The paper's UID 1964 (VESTA §A.6)."""
    ledger = add_references(Ledger(30_000.0, CHOICES), [reference(21_980, 22_160), reference(9_000, 9_060, id="r2")])
    steps = [
        ("inspect", "hosts without badges", [seen(21_996, 22_150, "front-row hosts at a ceremony", verdict=True)]),
        ("clip", "how many hosts?", [seen(21_996, 22_150, "four hosts", number=4, number_of="hosts without badges")]),
        ("clip", "how many hosts?", [seen(21_996, 22_150, "4 hosts", number=4, number_of="hosts without a badge")]),
    ]
    for step, (operation, query, observations) in enumerate(steps, 1):
        ledger = update(ledger, entries_from(ledger, operation, step, query, observations))
    (cluster,) = numbers(ledger)
    assert (cluster.status, cluster.entry_ids) == ("repeated", ("e2", "e3"))
    assert "= 4 " in cluster.text and "8" not in cluster.text
    assert conflicts(ledger) == () and events(ledger) == ()
    assert [s.status for s in reference_states(ledger)] == [Status.VERIFIED, Status.UNVERIFIED]


def test_readings_at_different_times_are_a_sequence_not_a_conflict() -> None:
    ledger = ledger_of(seen(300, 310, number=2, number_of="score"), seen(100, 110, number=1, number_of="score"))
    assert [r.entry_ids for r in numbers(ledger)] == [("e2",), ("e1",)]
    assert conflicts(ledger) == ()


def test_states_in_time_order_with_their_transitions() -> None:
    ledger = ledger_of(seen(50, 55, state="door: open"), seen(10, 15, state="door: closed"), seen(20, 25, state="Door: Closed"),
                       seen(10, 15, state="lamp: lit"))  # fmt: skip
    transition, constant = states(ledger)
    assert (transition.status, transition.entry_ids) == ("transition", ("e2", "e3", "e1"))
    assert "closed → open" in transition.text
    assert (constant.status, constant.entry_ids) == ("constant", ("e4",))


def test_two_states_of_one_place_are_a_conflict_and_no_transition() -> None:
    ledger = ledger_of(
        seen(10, 20, state="door: open"), seen(12, 18, state="door: closed"), seen(40, 50, state="door: open")
    )
    assert [(r.status, r.entry_ids) for r in states(ledger)] == [("transition", ("e2", "e3"))]
    assert statuses(conflicts(ledger)) == ["open"]


def test_different_readings_of_one_place_are_two_clusters() -> None:
    assert [(r.status, r.entry_ids) for r in numbers(ledger_of(reading(3), reading(4), reading(4)))] == [
        ("single", ("e1",)),
        ("repeated", ("e2", "e3")),
    ]


def reading(number: float, start: float = 10, end: float = 20) -> Observation:
    return seen(start, end, f"{number} people", number=number, number_of="people")


@pytest.mark.parametrize(
    ("readings", "found"),
    [
        ([reading(3), reading(3)], []),
        ([reading(3), reading(4, 40, 50)], []),
        ([reading(3), reading(4)], ["open"]),
        ([reading(3), reading(4), reading(4)], ["resolved"]),
        ([reading(3), reading(4), reading(3)], ["resolved"]),
        ([reading(3), reading(4), reading(5)], ["open"]),
        ([reading(3), reading(4), reading(4), reading(3)], ["open"]),
        ([reading(3), reading(4), reading(4, 40, 50)], ["open"]),
        ([reading(1, 0, 60), reading(2, 5, 10), reading(3, 50, 55)], ["open", "open"]),
    ],
)
def test_numeric_conflicts_and_how_they_are_resolved(readings: list[Observation], found: list[str]) -> None:
    assert statuses(conflicts(ledger_of(*readings))) == found


def signs_in(*looks: list[Sign]) -> Ledger:
    """Looks at one clip, with the readings that the embedded engine takes from the signs."""
    return ledger_of(*[
        ("clip", "what does it say?", [seen(10, 20, text, number=v, number_of=of) for v, of, text in signs.numbers(look)])
        for look in looks
    ])  # fmt: skip


def sign(text: str) -> Sign:
    return Sign(text, "white", "in the centre", (0, 0, 10, 10))


@pytest.mark.parametrize("looks", [1, 2])
@pytest.mark.parametrize("text", ["TICKETS / ADULT 9.00 CHILD 5.00", "OPEN 9 TO 5", "OPEN 9 TO 0 / OPEN 9 TO 5", "SOUP 4 EURO / BREAD 2 EURO"])  # fmt: skip
def test_numbers_of_one_sign_are_not_rivals(text: str, looks: int) -> None:
    ledger = signs_in(*[[sign(text)]] * looks)
    assert len({e.observation.number for e in ledger.entries}) >= 2
    assert conflicts(ledger) == ()


def test_a_unit_does_not_say_what_was_counted() -> None:
    assert conflicts(signs_in([sign("SOUP 4 EURO")], [sign("BREAD 2 EURO")])) == ()
    assert conflicts(ledger_of(seen(10, 20, number=4), seen(10, 20, number=5))) == ()
    assert statuses(conflicts(signs_in([sign("4 soups")], [sign("2 soups")]))) == ["open"]


def test_two_looks_at_one_clip_that_count_differently_conflict() -> None:
    four, five = (seen(10, 20, f"{n} hosts", number=n, number_of="hosts") for n in (4, 5))
    (conflict,) = conflicts(ledger_of(("clip", "how many hosts?", [four]), ("clip", "how many hosts?", [five])))
    assert (conflict.status, conflict.text) == ("open", "hosts at 00:10.0–00:20.0: 4 (e1) against 5 (e2)")
    assert conflicts(ledger_of(("clip", "how many hosts?", [four, five]))) == ()


def test_a_conflict_says_what_disagrees_where_and_how_it_ended() -> None:
    (conflict,) = conflicts(ledger_of(reading(3), reading(4), reading(4)))
    assert conflict.text == "people at 00:10.0–00:20.0: 3 (e1) against 4 (e2, e3); resolved at step 3 as 4"
    assert (conflict.start, conflict.end, conflict.entry_ids) == (10, 20, ("e1", "e2", "e3"))


def test_states_verdicts_and_stances_can_conflict() -> None:
    states_differ = ledger_of(seen(10, 20, state="door: open"), seen(12, 18, state="door: closed"))
    verdicts_differ = ledger_of(seen(10, 20, verdict=True), seen(12, 18, verdict=False))
    sides_differ = ledger_of(
        seen(10, 20, stances=(Stance("A", True, 0.8),)), seen(10, 20, stances=(Stance("A", False, 0.6),))
    )
    assert [statuses(conflicts(one)) for one in (states_differ, verdicts_differ, sides_differ)] == [["open"]] * 3
    assert "choice A at 00:10.0–00:20.0: supported (e1) against refuted (e2)" in conflicts(sides_differ)[0].text
    assert "yes (e1) against no (e2)" in conflicts(verdicts_differ)[0].text


def test_every_choice_with_evidence_has_a_standing() -> None:
    ledger = ledger_of(
        seen(10, 20, stances=(Stance("A", True, 0.8), Stance("B", False, 0.5))),
        seen(30, 40, stances=(Stance("A", False, 0.6),)),
    )
    assert [(r.text[0], r.status, r.entry_ids) for r in standings(ledger)] == [
        ("A", "contested", ("e1", "e2")),
        ("B", "refuted", ("e1",)),
    ]


def test_only_references_that_were_looked_at_have_an_outcome_to_tell() -> None:
    ledger = add_references(ledger_of(seen(10, 20, verdict=True)), [reference(10, 20), reference(300, 340, id="r2")])
    assert [(r.text, r.status) for r in verifications(ledger)] == [("r1 verified (step 1)", "verified")]


def test_what_is_no_conflict() -> None:
    other_queries = ledger_of(
        ("clip", "a dog?", [seen(10, 20, verdict=True)]), ("clip", "a cat?", [seen(10, 20, verdict=False)])
    )
    one_look = ledger_of(("inspect", "a dog?", [seen(10, 20, verdict=True), seen(10, 20, verdict=False)]))
    faint = ledger_of(seen(10, 20, stances=(Stance("A", True, 0.8),)), seen(10, 20, stances=(Stance("A", False, 0.1),)))
    elsewhere = ledger_of(
        seen(10, 20, stances=(Stance("A", True, 0.8),)), seen(90, 99, stances=(Stance("A", False, 0.8),))
    )
    assert [conflicts(one) for one in (other_queries, one_look, faint, elsewhere)] == [()] * 4
