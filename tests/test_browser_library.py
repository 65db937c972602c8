"""The Library looks into an index: frames, text, scores of a query; mends failed scenes; takes an index along and back."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import ui_page
from playwright.sync_api import Locator, Page, Route, expect

from vesta_ui import files, scene_index
from vesta_ui.control import Control
from vesta_ui.scene_index import keys, library, phases

pytestmark = pytest.mark.browser
WRONG = "its frames could not be read"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ui_page.Site]:
    with ui_page.site(tmp_path_factory.mktemp("site")) as made:
        for _ in scene_index.build(made.video, made.runs_settings, Control()):
            pass
        yield made


def inspected(page: Page) -> Locator:
    page.locator("#library .index-row button", has_text="scenes").click()
    return page.locator("#library figure.scene")


def test_every_scene_is_shown_and_scored(site: ui_page.Site) -> None:
    (entry,) = library.entries(site.runs_settings)
    page = site.open("?tab=library")
    card = page.locator(f"#library .video[data-video='{entry.video.sha256}']")  # the sample may be on the shelf too
    expect(card).to_contain_text("01:00")
    expect(card).to_contain_text(f"{entry.video.width} × {entry.video.height}")
    still = card.locator(".still img").element_handle()
    page.wait_for_function("image => image.naturalWidth > 0", arg=still)
    scenes = inspected(page)
    expect(scenes).to_have_count(entry.scenes)
    expect(page.locator("#library .score")).to_have_count(0)
    page.get_by_label("Query for the scenes").fill("purple")
    page.get_by_label("Query for the scenes").press("Enter")
    expect(page.locator("#library .score")).to_have_count(entry.scenes)
    scores = [float(text) for text in page.locator("#library .score").all_inner_texts()]
    assert scores == sorted(scores, reverse=True)
    best = library.open_entry(site.runs_settings, entry).search("purple", 1)[0]
    assert scenes.first.get_attribute("data-scene") == best.scene.id
    assert scores[0] == pytest.approx(best.score, abs=0.001)


def test_every_scene_of_a_long_video_can_be_reached(site: ui_page.Site) -> None:
    page = site.open("?tab=library")

    def longer(route: Route) -> None:
        index = route.fetch().json()
        rows = [index["rows"][0] | {"id": f"s{n:05d}", "s": n, "e": n + 1} for n in range(1000)]
        route.fulfill(json=index | {"rows": rows})

    page.route("**/scenes?query=*", longer)
    scenes, strip = inspected(page), page.locator("#library .strip")
    expect(scenes).to_have_count(400)
    strip.get_by_role("button", name="scenes 401–800 of 1000").click()
    expect(scenes).to_have_count(800)
    strip.get_by_role("button", name="scenes 801–1000 of 1000").click()
    expect(scenes).to_have_count(1000)
    expect(strip.get_by_role("button", name="of 1000")).to_have_count(0)
    assert [one.get_attribute("data-scene") for one in scenes.all()[::333]] == ["s00000", "s00333", "s00666", "s00999"]


def test_a_failed_scene_is_red_and_redone(site: ui_page.Site) -> None:
    (entry,) = library.entries(site.runs_settings)
    path = keys.header_path(entry.folder, entry.id)
    scene = library.open_entry(site.runs_settings, entry).scenes[1].id
    files.write_json(path, (files.read_json(path) or {}) | {"failed": {scene: WRONG}})
    page = site.open("?tab=library")
    expect(page.locator("#library .index-row")).to_contain_text("1 failed")
    inspected(page)
    failed = page.locator("#library figure.failed")
    expect(failed).to_have_attribute("data-scene", scene)
    expect(failed).to_contain_text(WRONG)
    failed.get_by_role("button", name="redo").click()
    expect(page.locator("#v-said")).to_contain_text("every scene is whole")
    expect(failed).to_have_count(0)
    assert library.find(site.runs_settings, entry.id).failed == {}


def test_an_index_is_taken_along_and_brought_back(site: ui_page.Site, tmp_path: Path) -> None:
    (entry,) = library.entries(site.runs_settings)
    page = site.open("?tab=library")
    with page.expect_download() as got:
        page.locator("#library .index-row a", has_text="export").click()
    got.value.save_as(tmp_path / "walk.vesta-index")
    library.remove(site.runs_settings, entry)
    (tmp_path / "other.vesta-index").write_bytes(b"no bundle at all")
    field = page.locator("#tab-library input[type=file]")
    field.set_input_files(tmp_path / "other.vesta-index")
    expect(page.locator("#library [role=alert]")).to_contain_text("is not an index bundle")
    field.set_input_files(tmp_path / "walk.vesta-index")
    expect(page.locator("#v-said")).to_contain_text(f"{entry.scenes} scenes")
    expect(page.locator("#library [role=alert]")).to_be_hidden()
    assert [one.id for one in library.entries(site.runs_settings)] == [entry.id]


def test_work_on_an_index_shows_how_far_it_is_and_can_be_cancelled(
    site: ui_page.Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    (entry,) = library.entries(site.runs_settings)
    index, path = library.open_entry(site.runs_settings, entry), keys.header_path(entry.folder, entry.id)
    broken = (files.read_json(path) or {}) | {"failed": {scene.id: WRONG for scene in index.scenes}}
    files.write_json(path, broken)
    reading, go_on = threading.Event(), threading.Event()
    original = phases.read_scene

    def slow(*arguments: Any) -> Any:
        reading.set()
        go_on.wait(20)
        return original(*arguments)

    monkeypatch.setattr(phases, "read_scene", slow)
    page = site.open("?tab=library")
    inspected(page)
    page.get_by_role("button", name=f"redo {len(index.scenes)} failed scenes").click()
    job = page.locator("#library .job")
    expect(job).to_contain_text(f"0 of {len(index.scenes)} scenes")
    assert reading.wait(20)
    job.get_by_role("button", name="cancel").click()
    expect(page.locator("#v-said")).to_contain_text("Cancelled", timeout=5_000)
    go_on.set()
    expect(page.locator("#library figure.failed")).to_have_count(len(index.scenes))
    assert len(library.find(site.runs_settings, entry.id).failed) == len(index.scenes)
    monkeypatch.undo()
    page.get_by_role("button", name=f"redo {len(index.scenes)} failed scenes").click()
    expect(page.locator("#v-said")).to_contain_text("every scene is whole", timeout=60_000)
