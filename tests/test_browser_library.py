"""The Library looks into an index: frames, text, scores of a query; mends failed scenes; takes an index along and back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import ui_page
from playwright.sync_api import Locator, Page, expect

from vesta_ui import files, scene_index
from vesta_ui.control import Control
from vesta_ui.scene_index import keys, library

pytestmark = pytest.mark.browser
WRONG = "its frames could not be read"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ui_page.Site]:
    with ui_page.site(tmp_path_factory.mktemp("site")) as made:
        for _ in scene_index.build(made.video, made.runs_settings, Control()):
            pass
        yield made


@pytest.fixture(autouse=True)
def quiet(site: ui_page.Site) -> Iterator[None]:
    yield from ui_page.quiet(site)


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
