"""The Live tab in a real browser: a run arrives, times seek, nothing is lost on reload, text is never markup."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
import ui_page
from playwright.sync_api import Page, expect
from ui_run import EVIL

from vesta_ui.events import RunFinished

pytestmark = pytest.mark.browser


def player_ready(page: Page) -> None:
    page.wait_for_function("document.querySelector('#vid video').readyState > 0")


def test_a_question_about_a_video_opened_by_path_is_answered_step_by_step(site: ui_page.Site) -> None:
    page = site.open()
    page.fill("#video-path textarea, #video-path input", str(site.video))
    page.click("#video-open")
    expect(page.locator("#status")).to_contain_text("Opened “walk.mp4”")
    player_ready(page)
    page.fill("#question textarea", "Which colour is the picture at the end?")
    page.fill("#choices textarea", "red\nblue\npurple")
    page.click("#run")
    expect(page.locator("#route .pi")).to_be_visible(timeout=60_000)
    expect(page.locator("#timeline .spot").first).to_be_attached()
    expect(page.locator("#steps [data-step]").first).to_be_visible()
    expect(page.locator("#ledger [data-entry]").first).to_be_visible()
    expect(page.locator("#answer .ans-text")).to_be_visible(timeout=60_000)
    assert re.search(r"\?.*run=\d{8}-\d{6}-[0-9a-f]{6}", page.url)


def test_what_happens_is_on_the_page_one_by_one(site: ui_page.Site) -> None:
    run, player = site.live()
    page = site.open(f"?run={run.id}")
    player.until(0)
    expect(page.locator("#route .pi")).to_have_text("focused")
    expect(page.locator("#timeline .spot[data-lane=retrieved]")).to_have_count(3)
    for n, entries in ((1, 1), (2, 1), (3, 2)):  # step 2 fails: it leaves no entry
        player.until(n)
        expect(page.locator("#steps [data-step]")).to_have_count(n)
        expect(page.locator("#ledger [data-entry]")).to_have_count(3 + entries)
        assert page.locator("#answer .letter").count() == 0
    player.finish()
    expect(page.locator("#steps [data-step]")).to_have_count(4)
    expect(page.locator("#answer .letter")).to_have_text("A")
    expect(page.locator("#answer .claim")).to_have_text("1 claim without verified evidence.")
    expect(page.locator("#answer .warnings")).to_contain_text("no sound track")


def test_an_answer_whose_evidence_is_verified_says_that_and_no_more(site: ui_page.Site) -> None:
    run, player = site.live()
    ended = player.events[-1]
    assert isinstance(ended, RunFinished) and ended.answer
    player.events[-1] = replace(ended, answer=replace(ended.answer, evidence=ended.answer.evidence[:1]))
    page = site.open(f"?run={run.id}")
    player.finish()
    expect(page.locator("#answer .claim")).to_have_text("The cited evidence is verified.")


def test_every_time_and_every_bar_moves_the_player(site: ui_page.Site) -> None:
    page = site.open(f"?run={site.recorded()}")
    player_ready(page)
    for place in (
        "#answer .evidence [data-t]",
        "#ledger [data-entry] [data-t]",
        "#steps [data-step] [data-t]",
        "#timeline .spot",
    ):
        stamp = page.locator(place).first
        wanted = float(stamp.get_attribute("data-t") or -1)
        page.evaluate("document.querySelector('#vid video').currentTime = 0")
        stamp.click()
        page.wait_for_function(f"Math.abs(document.querySelector('#vid video').currentTime - {wanted}) < 0.05")
    box = page.locator("#timeline .tl-hot").bounding_box()
    assert box
    page.mouse.click(box["x"] + box["width"] * 0.25, box["y"] + 12)  # an empty place of the scenes lane
    page.wait_for_function("Math.abs(document.querySelector('#vid video').currentTime - 15) < 0.3")


def test_shift_click_loops_the_interval(site: ui_page.Site) -> None:
    page = site.open(f"?run={site.recorded()}")
    player_ready(page)
    page.evaluate("""() => { const video = document.querySelector('#vid video'); window.jumps = [];
        let last = 0; video.addEventListener('timeupdate', () => { const now = video.currentTime; if (now < last - 1) window.jumps.push(now); last = now; }); }""")
    page.locator("#answer .evidence [data-t]").first.click(modifiers=["Shift"])  # 31–33 s
    page.evaluate("document.querySelector('#vid video').playbackRate = 4")
    page.wait_for_function("window.jumps.length >= 2")
    assert all(31 <= at < 33 for at in page.evaluate("window.jumps"))
    page.keyboard.press("l")
    expect(page.locator("#vid .bar")).not_to_contain_text("⟲")


def test_one_selection_lights_up_in_every_view(site: ui_page.Site) -> None:
    page = site.open(f"?run={site.recorded()}")
    page.locator("#steps [data-step='3']").click()
    expect(page.locator("#steps .step.sel")).to_have_attribute("data-step", "3")
    expect(page.locator("#timeline .spot.sel[data-lane=speech]")).to_have_count(1)
    expect(page.locator("#ledger tr.sel[data-entry=e3]")).to_have_count(1)
    page.locator("#timeline .spot[data-lane=inspected]").click()
    expect(page.locator("#steps .step.sel")).to_have_attribute("data-step", "1")


def test_the_coverage_tab_tells_what_share_of_the_video_was_seen_and_heard(site: ui_page.Site) -> None:
    page = site.open(f"?run={site.recorded()}")
    page.locator("#ledger").get_by_role("tab", name="Coverage").click()
    expect(page.locator("#ledger")).to_contain_text("Seen 7 %, heard 7 % of the video.")  # 4 s each of 60 s


def test_reload_and_a_second_tab_show_the_same_run_going_on(site: ui_page.Site) -> None:
    run, player = site.live(steps=6)
    page = site.open(f"?run={run.id}")
    player.until(2)
    expect(page.locator("#steps [data-step='2']")).to_be_attached()
    page.reload()
    expect(page.locator("#steps [data-step]")).to_have_count(2)
    player.until(3)
    expect(page.locator("#steps [data-step]")).to_have_count(3)
    second = site.open(f"?run={run.id}")
    page.close()
    player.finish()
    expect(second.locator("#answer .letter")).to_have_text("A")
    expect(second.locator("#steps [data-step]")).to_have_count(6)


def test_text_from_outside_is_never_markup(site: ui_page.Site) -> None:
    page = site.open(f"?run={site.recorded(evil=EVIL)}")
    for n in (1, 2, 3):
        page.locator(f"#steps [data-step='{n}'] .fold").click()
        for tab in page.locator(f"#steps [data-step='{n}'] [role=tab]").all():
            tab.click()
            page.wait_for_timeout(120)
    for tab in page.locator("#ledger [role=tab]").all():
        tab.click()
    page.locator("#timeline").get_by_text("list", exact=True).click()
    expect(page.locator("#answer")).to_contain_text("<img src=x onerror=")
    expect(page.locator("#route")).to_contain_text("${window.pwned=1}")
    assert page.evaluate("window.pwned") is None
    assert page.locator(".panel img[src='x']").count() == 0


def test_zoom_and_scroll_survive_live_updates(site: ui_page.Site) -> None:
    run, player = site.live(steps=24)
    page = site.open(f"?run={run.id}")
    player.until(12)
    expect(page.locator("#steps [data-step='12']")).to_be_attached()
    box = page.locator("#timeline .tl-hot").bounding_box()
    assert box
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 20)
    page.mouse.wheel(0, -600)
    page.wait_for_function("VESTA.timeline.to - VESTA.timeline.from < 40")
    zoomed = page.evaluate("[VESTA.timeline.from, VESTA.timeline.to]")
    page.locator("#steps .feed").hover()
    page.mouse.wheel(0, -6000)
    page.wait_for_function("document.querySelector('#steps .feed').scrollTop === 0")
    player.until(15)
    expect(page.locator("#steps .pill")).to_contain_text("3 new steps")
    assert page.evaluate("document.querySelector('#steps .feed').scrollTop") == 0
    assert page.evaluate("[VESTA.timeline.from, VESTA.timeline.to]") == zoomed
    page.locator("#steps .pill").click()
    expect(page.locator("#steps .pill")).to_be_hidden()
    expect(page.locator("#steps [data-step='15']")).to_be_in_viewport()
    player.finish()


def test_the_route_card_shows_words_model_merge_and_what_is_off(site: ui_page.Site) -> None:
    page = site.open(f"?run={site.recorded()}")
    card = page.locator("#route")
    for part in (
        "→ one place; views: speech.",
        "Model: one place, confidence 0.91.",
        "Merged: one place.",
    ):
        expect(card).to_contain_text(part)
    page.fill("#video-path textarea, #video-path input", str(site.video))
    page.click("#video-open")
    page.fill("#question textarea", "Which colour is the picture at the end?")
    page.fill("#choices textarea", "red\nblue\npurple")
    for choice, name, routed, fetched in (
        ("retrieval-only", "retrieval only", 0, True),
        ("plain", "plain agent", 0, False),
        ("no-ledger", "no ledger", 1, True),
        ("no-retrieval", "no retrieval", 1, False),
    ):
        page.click("#v-settings")
        page.locator("#v-drawer").get_by_label("Mechanisms").select_option(choice)
        page.wait_for_timeout(300)
        page.keyboard.press("Escape")
        page.click("#run")
        expect(card.locator(".chip.warn")).to_have_text(name, timeout=60_000)
        expect(page.locator("#answer .ans-text")).to_be_visible(timeout=60_000)
        expect(card.locator(".pi")).to_have_count(routed)
        assert (card.locator(".thumb").count() > 0) is fetched
