"""Which video a page shows, asks about and keeps: after a reload, and when another one is chosen."""

from __future__ import annotations

import time

import pytest
import ui_page
import ui_run
from playwright.sync_api import Page, Route, expect

from vesta_ui.frames import FrameStore
from vesta_ui.runs.run import Run, new_id

pytestmark = pytest.mark.browser
EMPTY = "Pick a question above"


def opened(site: ui_page.Site, page: Page) -> None:
    """walk.mp4, opened by its path."""
    page.fill("#video-path textarea, #video-path input", str(site.video))
    page.click("#video-open")
    page.wait_for_function(f"VESTA.videoKey() === '{site.sha256}'")


def asked(site: ui_page.Site, page: Page) -> Run:
    """The run that pressing Run begins, stopped again."""
    shown = "new URL(location.href).searchParams.get('run')"
    before = page.evaluate(shown)
    page.click("#run")
    page.wait_for_function(f"before => {shown} && {shown} !== before", arg=before)
    run = site.runs.get(page.evaluate(shown))
    until = time.monotonic() + 20
    while not run.session().started and time.monotonic() < until:
        time.sleep(0.05)
    run.control.stop()
    run.join(20)
    return run


def sha_of(run: Run) -> str:
    started = run.session().started
    assert started
    return started.video.sha256


def test_after_a_reload_a_second_question_is_about_the_same_video(site: ui_page.Site) -> None:
    page = site.open(f"?run={site.recorded()}")
    page.wait_for_function(f"VESTA.videoKey() === '{site.sha256}'")
    page.reload()
    page.wait_for_function(f"window.VESTA?.videoKey?.() === '{site.sha256}'")
    expect(page.locator("#answer .letter")).to_have_text("A")
    first = page.url
    page.fill("#question textarea", "Which colour comes last?")
    page.evaluate("history.replaceState(null, '', location.pathname)")
    run = asked(site, page)
    assert run.id not in first and sha_of(run) == site.sha256


def test_a_video_opened_by_path_is_still_there_after_a_reload(site: ui_page.Site) -> None:
    page = site.open()
    opened(site, page)
    page.wait_for_url(f"**video={site.sha256}*")
    page.reload()
    page.wait_for_function(f"window.VESTA?.videoKey?.() === '{site.sha256}'")
    expect(page.locator("#question textarea")).to_have_value("")
    page.locator("#samples button").first.click()
    page.wait_for_function("!location.search.includes('video=')")


def test_a_question_filled_in_goes_with_its_video_and_one_written_stays(site: ui_page.Site) -> None:
    page = site.open()
    expect(page.locator("#question textarea")).not_to_have_value("")
    opened(site, page)
    expect(page.locator("#question textarea")).to_have_value("")
    expect(page.locator("#choices textarea")).to_have_value("")
    page.fill("#question textarea", "Is there a dog?")
    page.locator("#samples button").nth(1).click()
    page.wait_for_function(f"VESTA.state.video !== '{site.sha256}'")
    expect(page.locator("#question textarea")).to_have_value("Is there a dog?")


def test_another_video_takes_nothing_over_from_the_run_before(site: ui_page.Site) -> None:
    page = site.open(f"?run={site.recorded()}")
    expect(page.locator("#status")).to_contain_text("Answered in 4 steps")
    expect(page.locator("#vid track")).to_have_count(1)
    expect(page.locator("#status .replay")).to_be_visible()
    page.locator("#samples button").nth(1).click()
    expect(page.locator("#steps").get_by_text(EMPTY)).to_be_visible()
    expect(page.locator("#status")).not_to_contain_text("Answered")
    expect(page.locator("#status .replay")).to_be_hidden()
    expect(page.locator("#head .chips")).not_to_contain_text("step")
    expect(page.locator("#vid track")).to_have_count(0)
    expect(page.locator("#question textarea")).not_to_contain_text("sign")
    assert "run=" not in page.url


def test_every_phase_says_what_it_is(site: ui_page.Site) -> None:
    run, player = site.live(steps=3)
    page = site.open(f"?run={run.id}")
    expect(page.locator("#run")).to_have_text("Running")
    expect(page.locator("#steps")).to_contain_text("The first step appears here")
    expect(page.locator("#steps").get_by_text(EMPTY)).to_be_hidden()
    player.until(0)
    run.control.pause()
    player.start(0.02)
    expect(page.locator("#run")).to_have_text("Paused")
    run.control.stop()
    expect(page.locator("#run")).to_have_text("Run")


def test_a_link_to_no_run_says_so(site: ui_page.Site) -> None:
    page = site.open("?run=20260101-000000-abcdef")
    expect(page.locator("#status .text")).to_contain_text("20260101-000000-abcdef")
    expect(page.locator("#run")).to_be_enabled()


def test_a_question_once_asked_can_be_asked_of_another_video(site: ui_page.Site) -> None:
    page = site.open()
    opened(site, page)
    page.fill("#question textarea", "Is there a dog?")
    page.fill("#choices textarea", "")
    asked(site, page)
    page.wait_for_function("VESTA.values.status?.run && !VESTA.values.status.fresh && !VESTA.values.status.live")
    page.locator("#samples button").nth(0).click()
    page.wait_for_function(f"VESTA.state.video !== '{site.sha256}'")
    expect(page.locator("#question textarea")).to_have_value("Is there a dog?")


def test_a_press_over_a_slow_network_is_seen_at_once_and_starts_one_run(site: ui_page.Site) -> None:
    page = site.open()
    opened(site, page)
    page.fill("#question textarea", "Which colour comes last?")
    before = len(site.runs.list())

    def wait(route: Route) -> None:
        time.sleep(1)
        route.continue_()

    page.route("**/gradio_api/**", wait)
    said = page.evaluate(
        """async () => { const b = document.querySelector('button#run'); b.click(); await new Promise((ok) => setTimeout(ok, 300));
            const said = b.textContent.trim(); b.click(); return said; }"""
    )
    assert said == "Starting"
    page.wait_for_function("VESTA.values.status?.run && !VESTA.values.status.live")
    expect(page.locator("#run")).to_have_text("Run")
    assert len(site.runs.list()) == before + 1


def test_a_run_whose_video_is_gone_does_not_pass_for_a_sample(site: ui_page.Site) -> None:
    run_id = new_id()
    store = FrameStore(site.runs.root / run_id / "frames")
    ui_run.record(site.runs.root / run_id, ui_run.run_events(store, run_id, ui_run.facts("e" * 64)))
    page = site.open(f"?run={run_id}")
    expect(page.locator("#vid .cover")).to_contain_text("is not where it was")
    expect(page.locator("#samples [aria-pressed=true]")).to_have_count(0)
    expect(page.locator(".preset")).to_have_count(0)
    site.noise.clear()  # the browser itself tells of every refused request
