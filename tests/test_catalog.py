"""The list of runs: quick while thousands of folders are read for the first time, right when the cache cannot be kept."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest
from test_runs_shell import A, B, C, record

from vesta_ui.runs import catalog
from vesta_ui.runs.cases import Cases
from vesta_ui.runs.catalog import Catalog, Query, RunSummary
from vesta_ui.runs.registry import Runs
from vesta_ui.settings import Settings
from vesta_ui.ui import study


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for run_id in (A, B, C):
        record(tmp_path, run_id)
    return tmp_path / "runs"


def test_a_look_with_no_time_shows_what_is_known_and_the_next_goes_on(root: Path) -> None:
    runs = Catalog(root)
    assert runs.look(None, within=0.0) == ([], 3)
    assert [row.id for row in runs.rows(1)] == [C]
    rows, left = runs.look(Query(words="sign"), within=0.0)
    assert ([row.id for row in rows], left) == ([C], 2)
    rows, left = runs.look(Query(words="sign"), within=60.0)
    assert ([row.id for row in rows], left) == ([C, B, A], 0)
    assert Catalog(root).look(None, within=0.0)[1] == 0


def test_a_run_that_grew_is_listed_as_it_was_until_it_is_read(root: Path) -> None:
    runs = Catalog(root)
    known = runs.rows()
    with (root / C / "events.jsonl").open("a") as trace:
        trace.write("\n")
    assert runs.look(None, within=0.0) == (known, 1)


def test_the_newest_are_listed_while_old_ones_are_read(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reached, go, read = threading.Event(), threading.Event(), catalog._read

    def slow(folder: Path) -> tuple[str, str]:
        if folder.name == A:
            reached.set()
            assert go.wait(30)
        return read(folder)

    monkeypatch.setattr(catalog, "_read", slow)
    monkeypatch.setattr(catalog, "TOGETHER", 1)
    runs, listed = Catalog(root), list[str]()
    search = threading.Thread(target=lambda: runs.find(Query(words="sign")))
    newest = threading.Thread(target=lambda: listed.extend(row.id for row in runs.rows(1)))
    search.start()
    assert reached.wait(30)
    newest.start()
    newest.join(10)
    go.set()
    search.join(30)
    assert listed == [C] and not newest.is_alive()


def test_the_page_asks_on_until_every_folder_is_read(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runs, cases = Runs(Settings(data_dir=root.parent)), Cases(root.parent)
    monkeypatch.setattr(study, "PATIENCE_S", 0.0)
    assert study.rows(runs, {"words": "sign"}, cases) == {"rows": [], "more": False, "left": 3}
    monkeypatch.setattr(study, "PATIENCE_S", 60.0)
    assert len(study.rows(runs, {"tree": "1"}, cases)["rows"]) == 3


def test_a_cache_that_cannot_be_written_loses_no_words(root: Path) -> None:
    runs = Catalog(root)
    runs.rows(2)
    runs._open().execute("PRAGMA query_only = ON")
    assert [row.id for row in runs.find(Query(words="sign"))] == [C, B, A]
    assert runs.look(None, within=0.0)[1] == 0


def test_a_folder_whose_name_is_no_text_is_passed_over(root: Path) -> None:
    try:
        (root / os.fsdecode(b"\xff\xfe")).mkdir()
    except OSError:
        pytest.skip("this disk has no such names")
    assert len(Catalog(root).rows()) == 3


def test_a_failure_is_found_as_the_page_writes_it() -> None:
    row = RunSummary(
        "20261130-101010-aaaaaa", Path(), "q", "v", "vesta", "failed", "", failures=("rate_limit", "no-sound")
    )
    for said in ("rate limit", "rate_limit", " Rate", "no sound", "no-sound"):
        assert Query(failure=said).fits(row), said
    assert not Query(failure="refused").fits(row)
