"""Policy-steered retrieval (VESTA §3.3, §B.6, Algorithm 2): three ways to consume one ranking.

Every policy asks the same `search` and differs only in its queries and in which of the ranked scenes it keeps. What
comes out are provisional references: a score and an interval, never evidence. This module knows no encoder and no store.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from vesta_ui.domain import Choice, Interval, Policy, Question, Reference, Scene

POOL = 15
"""Most candidates the recall policy ranks before dispersion (VESTA §B.1)."""
EXPANSION = 4
"""The recall pool is this many times K, up to `POOL`."""
HYPOTHESES = 6
"""Most choices that get a query of their own (VESTA §B.1)."""


class Scored(Protocol):
    """A scene with its similarity to a query."""

    @property
    def scene(self) -> Scene: ...
    @property
    def score(self) -> float: ...


class Searches(Protocol):
    """What a policy needs of a scene index: up to `k` scenes, best first."""

    def search(self, query: str, k: int, within: Interval | None = None) -> Sequence[Scored]: ...


@dataclass(frozen=True, slots=True)
class Retrieval:
    """What a policy found, with the sets it went through (scene ids): `pool` ranked, `dropped` ranked but not returned,
    `backfilled` taken although near another. `note` says when the policy fell back."""

    references: tuple[Reference, ...]
    queries: tuple[str, ...]
    pool: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    backfilled: tuple[str, ...] = ()
    note: str = ""


def focused(question: Question, index: Searches, k: int, separation_s: float, note: str = "") -> Retrieval:
    """The K scenes most like the question (eq. 4)."""
    query = question.text
    hits = list(index.search(query, k))[:k]
    references = tuple(_reference(n, hit, query) for n, hit in enumerate(hits, 1))
    return Retrieval(references, (query,), pool=tuple(hit.scene.id for hit in hits), note=note)


def recall(question: Question, index: Searches, k: int, separation_s: float) -> Retrieval:
    """The best of a pool of min(4K, 15) that lie `separation_s` apart, end to start; then the best of the rest (eq. 5)."""
    query = question.text
    size = min(EXPANSION * k, POOL)
    pool = list(index.search(query, size))[:size]
    kept: list[Scored] = []
    deferred: list[Scored] = []
    for hit in pool:
        apart = all(hit.scene.interval.gap(other.scene.interval) >= separation_s for other in kept)
        (kept if apart and len(kept) < k else deferred).append(hit)
    backfill = deferred[: k - len(kept)]
    chosen = [(hit, "dispersed") for hit in kept] + [(hit, "backfilled") for hit in backfill]
    return Retrieval(
        references=tuple(_reference(n, hit, query, note=note) for n, (hit, note) in enumerate(chosen, 1)),
        queries=(query,),
        pool=tuple(hit.scene.id for hit in pool),
        dropped=tuple(hit.scene.id for hit in deferred[len(backfill) :]),
        backfilled=tuple(hit.scene.id for hit in backfill),
    )


def contrastive(question: Question, index: Searches, k: int, separation_s: float) -> Retrieval:
    """A query for each hypothesis, K scenes shared out among them, merged in time (eq. 6).

    Every hypothesis gets K // J scenes and at least one; slots left over go where the next candidate scores best, so
    that the order of the choices favours none. A scene found for several hypotheses appears once and names them all.
    """
    competing = hypotheses(question)
    if not competing:
        return focused(
            question, index, k, separation_s, note="no choice names a thing to search for: focused retrieval"
        )
    each, spare = (k // len(competing), k % len(competing)) if k >= len(competing) else (1, 0)
    queries = tuple(f"{question.text} {choice.text}" for choice in competing)
    rankings = [list(index.search(query, each + 1))[: each + 1] for query in queries]
    extra = sorted(
        (j for j, ranking in enumerate(rankings) if len(ranking) > each), key=lambda j: (-rankings[j][each].score, j)
    )[:spare]
    found = [
        (hit, competing[j].label, queries[j])
        for j, ranking in enumerate(rankings)
        for hit in ranking[: each + (j in extra)]
    ]
    merged: list[tuple[Scored, list[str], str]] = []
    for hit, label, query in sorted(found, key=lambda one: (-one[0].score, one[0].scene.start, one[1])):
        known = next((labels for other, labels, _ in merged if _duplicate(other.scene, hit.scene)), None)
        if known is None:
            merged.append((hit, [label], query))
        elif label not in known:
            known.append(label)
    kept = merged[:k]
    return Retrieval(
        references=tuple(
            _reference(n, hit, query, hypotheses=tuple(sorted(labels)))
            for n, (hit, labels, query) in enumerate(kept, 1)
        ),
        queries=queries,
        pool=tuple(dict.fromkeys(hit.scene.id for ranking in rankings for hit in ranking)),
        dropped=_left(rankings, kept),
    )


POLICIES: dict[Policy, Callable[[Question, Searches, int, float], Retrieval]] = {
    Policy.FOCUSED: focused,
    Policy.RECALL: recall,
    Policy.CONTRASTIVE: contrastive,
}


def retrieve(policy: Policy, question: Question, index: Searches, k: int = 6, separation_s: float = 20.0) -> Retrieval:
    """R_π, at most `k` references `r1`, `r2` … in the policy's order (Algorithm 2). Raises `ValueError` if `k` < 1."""
    if k < 1:
        raise ValueError(f"k must be at least 1, got {k}")
    return POLICIES[policy](question, index, k, separation_s)


_NO_CONTENT = re.compile(
    r"(none|all|both|neither|any|some)\b.{0,12}\b(above|these|those|them|below|options|choices)"
    r"|(can ?not|can't|could not|unable to) (be )?(tell|told|determined?|say|said|known)|not (sure|enough|mentioned)\b",
    re.IGNORECASE,
)


def hypotheses(question: Question) -> tuple[Choice, ...]:
    """The choices that say something about the video, at most six: "none of the above" has nothing to search for."""
    return tuple(c for c in question.choices if c.text.strip() and not _NO_CONTENT.match(c.text.strip()))[:HYPOTHESES]


def _left(rankings: Sequence[Sequence[Scored]], kept: Sequence[tuple[Scored, list[str], str]]) -> tuple[str, ...]:
    returned = {hit.scene.id for hit, _, _ in kept}
    return tuple(dict.fromkeys(hit.scene.id for ranking in rankings for hit in ranking if hit.scene.id not in returned))


def _duplicate(a: Scene, b: Scene) -> bool:
    return a.id == b.id or a.interval.overlap(b.interval) > min(a.interval.length, b.interval.length) / 2


def _reference(number: int, hit: Scored, query: str, hypotheses: tuple[str, ...] = (), note: str = "") -> Reference:
    scene = hit.scene
    return Reference(
        id=f"r{number}",
        scene_id=scene.id,
        start=scene.start,
        end=scene.end,
        score=hit.score,
        query=query,
        hypotheses=hypotheses,
        note=note,
    )
