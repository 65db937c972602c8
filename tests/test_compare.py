"""Aligning runs: same, moved, only here, and where they part."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from test_driver import ANSWER, LOOK
from test_recorder import STARTED, played

from vesta_ui.domain import Action
from vesta_ui.errors import BadInput
from vesta_ui.runs.compare import align, compare
from vesta_ui.runs.session import Session, fold

HEAR = Action("speech", {"intervals": [[1, 2]]})
CLIP = Action("clip", {"interval": [1, 2], "question": "which colour?"})


def session(folder: Path, *actions: Action) -> Session:
    return fold(played(list(actions), folder))


def shape(*runs: Session) -> list[tuple[tuple[int | None, ...], str]]:
    return [(row.steps, row.kind) for row in align([run.steps for run in runs])]


def test_equal_runs_are_the_same_throughout(tmp_path: Path) -> None:
    one = session(tmp_path, LOOK, HEAR, ANSWER)
    found = compare([one, one])
    assert [row.kind for row in found.rows] == ["same"] * 3
    assert found.first_divergence is None and found.agree
    assert found.only_in == ((), ())


def test_an_extra_step_is_only_in_one_run_and_the_rest_stays_aligned(tmp_path: Path) -> None:
    longer, shorter = session(tmp_path, LOOK, HEAR, CLIP, ANSWER), session(tmp_path, LOOK, CLIP, ANSWER)
    assert shape(longer, shorter) == [((1, 1), "same"), ((2, None), "only"), ((3, 2), "same"), ((4, 3), "same")]
    assert compare([longer, shorter]).first_divergence == 1


def test_swapped_steps_are_moved_not_different(tmp_path: Path) -> None:
    kinds = [kind for _, kind in shape(session(tmp_path, LOOK, HEAR, ANSWER), session(tmp_path, HEAR, LOOK, ANSWER))]
    assert kinds == ["moved", "moved", "same"]


def test_three_runs_where_one_lacks_a_step_differ(tmp_path: Path) -> None:
    full, less = session(tmp_path, LOOK, HEAR, ANSWER), session(tmp_path, LOOK, ANSWER)
    assert ((2, 2, None), "differs") in shape(full, full, less)


def test_costs_count_calls_by_operation(tmp_path: Path) -> None:
    row = compare([session(tmp_path, LOOK, HEAR, CLIP, ANSWER)] * 2).costs[0]
    assert (row.iterations, row.inspect_calls, row.clip_calls, row.speech_calls) == (4, 1, 1, 1)


def test_other_videos_and_other_numbers_of_runs_are_refused(tmp_path: Path) -> None:
    one = session(tmp_path, LOOK)
    other = fold([replace(STARTED, video=replace(STARTED.video, sha256="1" * 64))])
    with pytest.raises(BadInput, match="different videos"):
        compare([one, other])
    for count in (1, 5):
        with pytest.raises(BadInput, match="two to four"):
            compare([one] * count)
