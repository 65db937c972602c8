"""Algorithm 2 over indexes made by hand and at random: bounds, separation, every hypothesis served, order, totality."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vesta_ui.domain import Choice, Interval, Policy, Question, Scene
from vesta_ui.policies import HYPOTHESES, POLICIES, POOL, Retrieval, hypotheses, retrieve


@dataclass(frozen=True)
class Hit:
    scene: Scene
    score: float


@dataclass
class Index:
    """Scenes that tile a video, scored by a table of query → scores; records every search."""

    scenes: list[Scene]
    scores: dict[str, list[float]]
    asked: list[tuple[str, int]] = field(default_factory=list)

    def search(self, query: str, k: int, within: Interval | None = None) -> list[Hit]:
        self.asked.append((query, k))
        scored = zip(self.scenes, self.scores[query], strict=True)
        return sorted((Hit(s, score) for s, score in scored), key=lambda h: (-h.score, h.scene.start))[:k]


def scenes(*lengths: float) -> list[Scene]:
    tiled, at = [], 0.0
    for n, length in enumerate(lengths):
        tiled.append(Scene(f"s{n}", at, at + length, 0, 0, ()))
        at += length
    return tiled


def question(*choices: str) -> Question:
    return Question("Q?", tuple(Choice("ABCDEFGHIJ"[n], text) for n, text in enumerate(choices)))


def ids(found: Retrieval) -> list[str]:
    return [r.scene_id for r in found.references]


# ---- the three policies by hand
def test_focused_is_the_top_k_in_order() -> None:
    index = Index(scenes(*[10.0] * 8), {"Q?": [0.1, 0.8, 0.3, 0.9, 0.2, 0.7, 0.4, 0.6]})
    found = retrieve(Policy.FOCUSED, question("x", "y"), index, k=3)
    assert ids(found) == ["s3", "s1", "s5"]
    assert found.queries == ("Q?",) and index.asked == [("Q?", 3)]


def test_recall_disperses_then_backfills_by_score() -> None:
    index = Index(scenes(*[10.0] * 8), {"Q?": [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2]})
    found = retrieve(Policy.RECALL, question(), index, k=4)
    assert ids(found) == ["s0", "s3", "s6", "s1"]
    assert [r.note for r in found.references] == ["dispersed", "dispersed", "dispersed", "backfilled"]
    assert found.backfilled == ("s1",)
    assert found.pool == tuple(f"s{n}" for n in range(8))
    assert found.dropped == ("s2", "s4", "s5", "s7")


def test_recall_leaves_one_crowded_stretch_that_focused_stays_in() -> None:
    scores = [0.99, 0.98, 0.97, 0.96, 0.95, 0.94, *[0.1] * 6, 0.5, *[0.1] * 6, 0.4]
    index = Index(scenes(*[10.0] * 20), {"Q?": scores})
    assert ids(retrieve(Policy.FOCUSED, question(), index)) == ["s0", "s1", "s2", "s3", "s4", "s5"]
    assert {"s0", "s3", "s12", "s19"} <= set(ids(retrieve(Policy.RECALL, question(), index)))


@pytest.mark.parametrize(("k", "pool"), [(1, 4), (2, 8), (3, 12), (4, POOL), (6, POOL)])
def test_the_recall_pool_is_four_k_up_to_fifteen(k: int, pool: int) -> None:
    index = Index(scenes(*[30.0] * 40), {"Q?": [n / 40 for n in range(40)]})
    found = retrieve(Policy.RECALL, question(), index, k=k)
    assert index.asked == [("Q?", pool)] and len(found.pool) == pool


def test_contrastive_asks_once_a_hypothesis_and_names_who_asked() -> None:
    table = {"Q? cat": [0.9, 0.8, 0.1, 0.0], "Q? dog": [0.9, 0.1, 0.7, 0.0], "Q? cow": [0.0, 0.1, 0.2, 0.6]}
    found = retrieve(Policy.CONTRASTIVE, question("cat", "dog", "cow"), Index(scenes(*[30.0] * 4), table), k=6)
    assert found.queries == ("Q? cat", "Q? dog", "Q? cow")
    assert {r.scene_id: r.hypotheses for r in found.references} == {
        "s0": ("A", "B"), "s1": ("A",), "s2": ("B", "C"), "s3": ("C",)
    }  # fmt: skip


def test_one_loud_hypothesis_cannot_crowd_out_the_others() -> None:
    table = {
        f"Q? {word}": [(n + 1) / 10 + loud for n in range(8)]
        for word, loud in [("cat", 5.0), ("dog", 0.0), ("cow", 0.0)]
    }
    table["Q? dog"].reverse()
    table["Q? cow"] = [0.0, 0.0, 0.0, 0.3, 0.2, 0.0, 0.0, 0.0]
    found = retrieve(Policy.CONTRASTIVE, question("cat", "dog", "cow"), Index(scenes(*[30.0] * 8), table), k=3)
    assert {r.scene_id: r.hypotheses for r in found.references} == {"s7": ("A",), "s0": ("B",), "s3": ("C",)}


def test_spare_slots_go_to_the_best_next_candidate_whatever_the_order_of_choices() -> None:
    table = {
        "Q? cat": [0.5, 0.1, 0.0, 0.0, 0.0, 0.0],
        "Q? dog": [0.0, 0.0, 0.6, 0.4, 0.0, 0.0],
        "Q? cow": [0.0, 0.0, 0.0, 0.0, 0.7, 0.3],
    }
    one = retrieve(Policy.CONTRASTIVE, question("cat", "dog", "cow"), Index(scenes(*[30.0] * 6), table), k=4)
    other = retrieve(Policy.CONTRASTIVE, question("cow", "dog", "cat"), Index(scenes(*[30.0] * 6), table), k=4)
    assert set(ids(one)) == set(ids(other)) == {"s4", "s2", "s0", "s3"}


def test_more_hypotheses_than_slots_are_cut_to_k() -> None:
    table = {f"Q? {name}": [0.9 - 0.1 * ((n + m) % 8) for m in range(8)] for n, name in enumerate("abcde")}
    found = retrieve(Policy.CONTRASTIVE, question(*"abcde"), Index(scenes(*[10.0] * 8), table), k=3)
    assert len(found.references) == 3


@pytest.mark.parametrize(("start", "found"), [(4.0, 1), (6.0, 2)])
def test_scenes_that_share_more_than_half_are_one_reference(start: float, found: int) -> None:
    two = [Scene("s0", 0, 10, 0, 0, ()), Scene("s1", start, start + 10, 0, 0, ())]
    index = Index(two, {"Q? a": [0.9, 0.1], "Q? b": [0.1, 0.8]})
    assert len(retrieve(Policy.CONTRASTIVE, question("a", "b"), index, k=2).references) == found


def test_contrastive_without_choices_is_focused_and_says_so() -> None:
    index = Index(scenes(*[10.0] * 8), {"Q?": [n / 8 for n in range(8)]})
    found = retrieve(Policy.CONTRASTIVE, question(), index)
    assert found.references == retrieve(Policy.FOCUSED, question(), index).references
    assert "focused" in found.note


def test_at_most_six_choices_that_say_something_become_hypotheses() -> None:
    assert [c.label for c in hypotheses(question(*"pqrstuvw"))] == list("ABCDEF")
    told = question("a dog", "None of the above", "All of these", "Cannot be determined", "a nun", "any answer")
    assert [c.text for c in hypotheses(told)] == ["a dog", "a nun", "any answer"]


def test_every_reference_is_provisional_numbered_and_carries_its_scene() -> None:
    index = Index(scenes(7.0, 9.0), {"Q?": [0.25, 0.75]})
    first, second = retrieve(Policy.FOCUSED, question(), index).references
    assert (first.id, first.scene_id, first.start, first.end, first.score, first.step) == (
        "r1",
        "s1",
        7.0,
        16.0,
        0.75,
        0,
    )
    assert second.id == "r2"


def test_k_below_one_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        retrieve(Policy.FOCUSED, question(), Index([], {"Q?": []}), k=0)


# ---- properties over random indexes
WORDS = [f"thing {letter}" for letter in "abcdefgh"]


@st.composite
def cases(draw: st.DrawFn) -> tuple[Index, Question, int]:
    tiled = scenes(*draw(st.lists(st.floats(5, 60), max_size=40)))
    asked = question(*draw(st.lists(st.sampled_from(WORDS), max_size=8, unique=True)))
    queries = [asked.text, *(f"{asked.text} {c.text}" for c in asked.choices)]
    score = st.floats(-1, 1, width=16)
    table = {q: draw(st.lists(score, min_size=len(tiled), max_size=len(tiled))) for q in queries}
    return Index(tiled, table), asked, draw(st.integers(1, 8))


@given(cases(), st.sampled_from(Policy))
def test_every_policy_is_total_bounded_and_without_repeats(case: tuple[Index, Question, int], policy: Policy) -> None:
    index, asked, k = case
    found = retrieve(policy, asked, index, k)
    assert len(found.references) <= k
    assert bool(found.references) == bool(index.scenes)
    assert len(set(ids(found))) == len(found.references)
    assert [r.id for r in found.references] == [f"r{n}" for n in range(1, len(found.references) + 1)]
    assert set(ids(found)) <= set(found.pool)
    assert set(found.pool) == set(ids(found)) | set(found.dropped) and not set(ids(found)) & set(found.dropped)
    assert retrieve(policy, asked, Index(index.scenes, index.scores), k) == found


@given(cases())
def test_focused_keeps_the_best_in_order(case: tuple[Index, Question, int]) -> None:
    index, asked, k = case
    scores = [r.score for r in retrieve(Policy.FOCUSED, asked, index, k).references]
    assert scores == sorted(index.scores["Q?"], reverse=True)[:k]


@given(cases(), st.floats(0, 60))
def test_recall_is_apart_unless_backfilled_and_full_while_the_pool_lasts(
    case: tuple[Index, Question, int], separation: float
) -> None:
    index, asked, k = case
    found = retrieve(Policy.RECALL, asked, index, k, separation)
    kept = [r for r in found.references if r.scene_id not in found.backfilled]
    for n, one in enumerate(kept):
        assert all(one.interval.gap(other.interval) >= separation for other in kept[:n])
    assert len(found.references) == min(k, len(found.pool))
    assert [r.score for r in kept] == sorted((r.score for r in kept), reverse=True)
    by_id = {h.scene.id: h.score for h in index.search("Q?", POOL)}
    assert all(by_id[b] >= by_id[d] for b in found.backfilled for d in found.dropped)
    assert not found.backfilled or len(kept) < k
    assert not kept or kept[0].score == max(by_id.values())


@given(cases())
def test_contrastive_serves_every_hypothesis_and_spends_k(case: tuple[Index, Question, int]) -> None:
    index, asked, k = case
    competing = hypotheses(asked)
    if not competing:
        return
    found = retrieve(Policy.CONTRASTIVE, asked, index, k)
    assert len(found.queries) == len(competing) <= HYPOTHESES
    assert [q for q, _ in index.asked] == list(found.queries)
    served = {label for r in found.references for label in r.hypotheses}
    assert served <= {c.label for c in competing}
    if k >= len(competing) and index.scenes:
        assert served == {c.label for c in competing}
    assert sum(len(r.hypotheses) for r in found.references) <= max(k, len(competing))
    scores = [r.score for r in found.references]
    assert scores == sorted(scores, reverse=True)


@given(cases())
def test_all_policies_share_one_search(case: tuple[Index, Question, int]) -> None:
    index, asked, k = case
    for policy in POLICIES:
        for reference in retrieve(policy, asked, index, k).references:
            place = next(n for n, s in enumerate(index.scenes) if s.id == reference.scene_id)
            assert reference.score == index.scores[reference.query][place]
            assert (reference.start, reference.end) == (index.scenes[place].start, index.scenes[place].end)
