"""The page itself: layout at three sizes, both themes, keyboard, accessibility, errors, questions, settings, tabs."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
import ui_page
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser
SIZES = [(1366, 768), (1920, 1080), (900, 800)]


@pytest.fixture(scope="module")
def run_id(site: ui_page.Site) -> str:
    return site.recorded(steps=6)


OVERLAPS = """() => {
  const ids = ['#status', '#source', '#vid', '#timeline', '#answer', '#ask', '#route', '#steps', '#ledger'], found = [];
  const boxes = ids.map((id) => [id, document.querySelector(id).getBoundingClientRect()]);
  for (const [a, p] of boxes) for (const [b, q] of boxes)
    if (a < b && Math.min(p.right, q.right) - Math.max(p.left, q.left) > 1 && Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top) > 1) found.push(a + ' on ' + b);
  if (document.documentElement.scrollWidth > innerWidth + 1) found.push('wider than the window');
  return found;
}"""


def settled(page: Page) -> None:
    expect(page.locator("#answer .letter")).to_be_visible()
    expect(page.locator("#timeline .js-plotly-plot")).to_be_attached()


@pytest.mark.parametrize("started", [False, True], ids=["empty", "answered"])
def test_nothing_overlaps_at_any_size(site: ui_page.Site, run_id: str, started: bool) -> None:
    page = site.open(f"?run={run_id}" if started else "")
    if started:
        settled(page)
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        page.wait_for_timeout(250)
        assert page.evaluate(OVERLAPS) == [], f"{width}×{height}"


def test_no_two_elements_share_an_id(site: ui_page.Site, run_id: str) -> None:
    page = site.open(f"?run={run_id}")
    settled(page)
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map((element) => element.id)")
    assert "ask" in ids and not [id for id, times in Counter(ids).items() if times > 1]


def test_panels_stay_where_they_are_while_a_run_goes_on(site: ui_page.Site) -> None:
    run, player = site.live(steps=5)
    page = site.open(f"?run={run.id}")
    player.until(0)
    expect(page.locator("#timeline .js-plotly-plot")).to_be_attached()
    where = "['#vid', '#timeline', '#answer', '#ask', '#route'].map((id) => Math.round(document.querySelector(id).getBoundingClientRect().top))"
    before = page.evaluate(where)
    for n in (1, 2, 3):
        player.until(n)
        expect(page.locator("#steps [data-step]")).to_have_count(n)
        assert page.evaluate(where) == before
    player.finish()
    settled(page)
    assert page.evaluate(where) == before


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_no_serious_accessibility_finding(site: ui_page.Site, run_id: str, theme: str) -> None:
    found: dict[str, list[str]] = {}

    def look(page: Page, place: str) -> None:
        page.wait_for_timeout(250)
        for one in Axe().run(page).response["violations"]:
            if one["impact"] in ("serious", "critical"):
                found[f"{place}: {one['id']}"] = [n["html"][:160] for n in one["nodes"][:4]]

    look(site.open(f"?__theme={theme}"), "empty")
    page = site.open(f"?__theme={theme}&run={run_id}")
    settled(page)
    page.locator("#steps [data-step='1'] .fold").click()
    page.get_by_role("button", name="list", exact=True).click()
    look(page, "live")
    page.keyboard.press("?")
    look(page, "help")
    page.keyboard.press("Escape")
    page.click("#v-settings")
    expect(page.locator("#v-drawer")).to_be_visible()
    look(page, "settings")
    page.keyboard.press("Escape")
    for tab in page.locator("#head [role=tab]").all()[1:]:
        tab.click()
        look(page, tab.inner_text())
    assert not found


def test_the_theme_follows_the_system(site: ui_page.Site) -> None:
    colour = "getComputedStyle(document.body).backgroundColor"
    dark = site.open(color_scheme="dark").evaluate(colour)
    light = site.open(color_scheme="light").evaluate(colour)
    assert (dark, light) == ("rgb(14, 17, 20)", "rgb(243, 245, 247)")


def test_keys_walk_the_steps_the_evidence_and_the_video(site: ui_page.Site, run_id: str) -> None:
    page = site.open(f"?run={run_id}")
    settled(page)
    page.wait_for_function("document.querySelector('#vid video').readyState > 0")
    page.keyboard.press("j")
    expect(page.locator("#steps .step.sel")).to_have_attribute("data-step", "1")
    page.keyboard.press("j")
    expect(page.locator("#steps .step.sel")).to_have_attribute("data-step", "2")
    page.keyboard.press("k")
    expect(page.locator("#steps .step.sel")).to_have_attribute("data-step", "1")
    page.keyboard.press("e")
    expect(page.locator("#steps [data-step='1'] .step-body")).to_be_visible()
    page.keyboard.press("]")
    page.wait_for_function("Math.abs(document.querySelector('#vid video').currentTime - 31) < 0.05")
    page.keyboard.press("ArrowRight")
    page.wait_for_function("Math.abs(document.querySelector('#vid video').currentTime - 36) < 0.05")
    page.keyboard.press("Space")
    page.wait_for_function("!document.querySelector('#vid video').paused")
    page.keyboard.press("Space")
    page.keyboard.press("/")
    page.keyboard.type("tea 3")
    expect(page.locator("#steps [data-step]:visible")).to_have_count(1)
    page.keyboard.press("Escape")
    expect(page.locator("#steps [data-step]:visible")).to_have_count(6)


def test_single_keys_are_off_while_typing_and_when_turned_off(site: ui_page.Site, run_id: str) -> None:
    page = site.open(f"?run={run_id}")
    settled(page)
    page.locator("#question textarea").fill("")
    page.locator("#question textarea").press_sequentially("jkn?")
    assert page.locator("#question textarea").input_value() == "jkn?"
    assert page.locator("#steps .step.sel").count() == 0
    page.locator("#steps .feed").focus()
    page.keyboard.press("?")
    page.get_by_label("single keys are on").uncheck()
    page.keyboard.press("Escape")
    page.keyboard.press("j")
    page.wait_for_timeout(100)
    assert page.locator("#steps .step.sel").count() == 0


def test_filters_and_failures(site: ui_page.Site, run_id: str) -> None:
    page = site.open(f"?run={run_id}")
    settled(page)
    page.locator("#steps .filters").get_by_text("failures").click()
    expect(page.locator("#steps [data-step]:visible")).to_have_count(2)
    page.locator("#steps .filters").get_by_text("all").click()
    page.locator("#steps [data-step='2'] .fold").click()
    page.locator("#steps [data-step='2']").get_by_role("tab", name="Failure").click()
    expect(page.locator("#steps [data-step='2']")).to_contain_text("The Reasoner was told and went on")


def test_a_link_opens_the_step_it_names(site: ui_page.Site, run_id: str) -> None:
    page = site.open(f"?run={run_id}&step=3")
    expect(page.locator("#steps [data-step='3'] .step-body")).to_be_visible()
    expect(page.locator("#steps .step.sel")).to_have_attribute("data-step", "3")


def test_a_pasted_multiple_choice_question_is_split(site: ui_page.Site) -> None:
    page = site.open()
    page.locator("#question textarea").fill("")
    page.evaluate("""() => { const field = document.querySelector('#question textarea'), data = new DataTransfer();
        data.setData('text', 'Which animal comes first?\\nA. a cat\\nB. a dog\\nC. a hen');
        field.dispatchEvent(new ClipboardEvent('paste', {clipboardData: data, bubbles: true, cancelable: true})); }""")
    expect(page.locator("#choices textarea")).to_have_value("a cat\na dog\na hen")
    expect(page.locator("#question textarea")).to_have_value("Which animal comes first?")


def test_mistakes_get_one_sentence(site: ui_page.Site, tmp_path: Path) -> None:
    page = site.open()
    status = page.locator("#status")
    page.click("#video-open")
    expect(status).to_contain_text("type the path of a video file")
    page.fill("#video-path textarea, #video-path input", "/nowhere/at all.mp4")
    page.click("#video-open")
    expect(status).to_contain_text("at all.mp4")
    text = tmp_path / "${window.pwned=1}<b>.mp4"
    text.write_text("not a video")
    page.fill("#video-path textarea, #video-path input", str(text))
    page.click("#video-open")
    expect(status).to_contain_text("<b>.mp4")
    page.fill("#question textarea", " ")
    page.fill("#choices textarea", "")
    page.fill("#video-path textarea, #video-path input", "")
    page.click("#run")
    expect(status).to_contain_text("question")
    expect(page.locator("#run")).to_be_enabled()
    gone = site.open("?run=20260101-000000-abcdef")
    expect(gone.locator("#status")).to_contain_text("20260101-000000-abcdef")
    assert page.evaluate("window.pwned") is None


def test_samples_and_presets_fill_the_question(site: ui_page.Site) -> None:
    page = site.open()
    expect(page.locator("#presets .preset")).to_have_count(3)
    assert page.locator("#presets .pi").all_inner_texts() == ["focused", "recall", "contrastive"]
    wanted = page.locator("#presets .q").nth(1).inner_text()
    page.locator("#presets .preset").nth(1).click()
    expect(page.locator("#question textarea")).to_have_value(wanted)
    assert len(page.locator("#choices textarea").input_value().splitlines()) >= 2
    page.wait_for_function("document.querySelector('#vid video').readyState > 0")


def test_settings_go_into_the_next_run_and_keys_nowhere(site: ui_page.Site) -> None:
    page = site.open()
    page.fill("#video-path textarea, #video-path input", str(site.video))
    page.click("#video-open")
    expect(page.locator("#status")).to_contain_text("Opened")
    page.click("#v-settings")
    drawer = page.locator("#v-drawer")
    drawer.get_by_label("reasoner").fill("openai:gpt-x")
    drawer.get_by_label("reasoner").blur()
    expect(drawer.locator(".ready")).to_contain_text("no key for openai")
    drawer.get_by_label("reasoner").fill("")
    drawer.get_by_label("reasoner").blur()
    drawer.get_by_label("openai", exact=True).fill("sk-secret-of-mine-123456")
    drawer.get_by_label("openai", exact=True).blur()
    drawer.get_by_label("Policy").select_option("recall")
    drawer.get_by_label("Steps at most").fill("2")
    drawer.get_by_label("Steps at most").blur()
    drawer.get_by_label("Router's confidence at least").fill("0.85")
    drawer.get_by_label("Router's confidence at least").blur()
    page.wait_for_timeout(600)
    page.keyboard.press("Escape")
    page.fill("#question textarea", "Which colour is shown last?")
    page.fill("#choices textarea", "red\nblue")
    page.click("#run")
    expect(page.locator("#answer .ans-text")).to_be_visible(timeout=60_000)
    expect(page.locator("#route .pi")).to_have_text("recall")
    run = site.runs.get(page.evaluate("VESTA.state.run"))
    ran = run.session().started.settings  # type: ignore[union-attr]
    assert (ran["max_steps"], ran["route_confidence"]) == (2, 0.85)
    assert not [f for f in site.data_dir.rglob("*") if f.is_file() and b"secret-of-mine" in f.read_bytes()]
    assert "secret-of-mine" not in page.content() + page.evaluate("JSON.stringify({...localStorage})")


def test_library_and_doctor_know_the_video(site: ui_page.Site) -> None:
    page = site.open()
    page.click("#go-library")
    expect(page.locator("#library .video").first).to_contain_text("mp4")
    page.click("#go-doctor")
    page.get_by_label("Path of the video to examine").fill(str(site.video))
    page.get_by_role("button", name="Examine").click()
    expect(page.locator("#doctor .facts")).to_contain_text("h264")
    page.get_by_label("Path of the video to examine").fill("/nowhere.mp4")
    page.get_by_role("button", name="Examine").click()
    expect(page.locator("#doctor .report .bad")).to_contain_text("nowhere.mp4")


def test_stage_mode_is_bigger_and_still_fits(site: ui_page.Site, run_id: str) -> None:
    page = site.open(f"?run={run_id}", 1920, 1080)
    settled(page)
    size = "parseFloat(getComputedStyle(document.querySelector('#steps .panel')).fontSize)"
    before = page.evaluate(size)
    page.get_by_role("button", name="Stage mode").click()
    assert page.evaluate(size) >= before * 1.2
    assert [o for o in page.evaluate(OVERLAPS) if "#source" not in o] == []


def test_on_a_low_stage_the_ledger_shows_more_than_its_newest_entry(site: ui_page.Site) -> None:
    page = site.open(f"?run={site.recorded(steps=9)}")
    page.get_by_role("button", name="Stage mode").click()
    expect(page.locator(".ledger-body tbody tr")).not_to_have_count(0)
    whole = """() => { const low = document.querySelector('.ledger-body').getBoundingClientRect().bottom;
        return [...document.querySelectorAll('.ledger-body tbody tr')].filter((row) => row.getBoundingClientRect().bottom <= low + 1).length; }"""
    page.wait_for_function(f"() => ({whole})() >= 5")


def test_a_word_without_end_stays_in_the_answer(site: ui_page.Site, run_id: str) -> None:
    page = site.open(f"?run={run_id}")
    expect(page.locator("#answer .conf")).to_be_visible()
    page.locator("#answer .ans-text b").evaluate("(node) => { node.textContent = 'X'.repeat(500); }")
    inside = "() => document.querySelector('#answer .conf').getBoundingClientRect().right <= document.querySelector('#answer .panel').getBoundingClientRect().right"
    assert page.evaluate(inside)
    assert page.locator("#answer .claim").is_visible()


def test_the_list_of_agents_is_closed_when_the_keyboard_leaves_it(site: ui_page.Site) -> None:
    page = site.open()
    page.locator("#choices textarea").focus()
    page.keyboard.press("Tab")
    expect(page.locator("[role=option]")).not_to_have_count(0)
    page.keyboard.press("Tab")
    expect(page.locator("#run")).to_be_focused()
    expect(page.locator("[role=option]")).to_have_count(0)
