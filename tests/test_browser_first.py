"""The first look and slow or late answers: what a stranger sees, what comes too late, what a page of the past may say."""

from __future__ import annotations

import time

import pytest
import ui_page
from playwright.sync_api import Page, Route, expect

from vesta_ui.runs.cases import Cases

pytestmark = pytest.mark.browser


def delayed(page: Page, pattern: str, seconds: float) -> None:
    """Let everything that matches come late."""

    def wait(route: Route) -> None:
        time.sleep(seconds)
        route.continue_()

    page.route(pattern, wait)


def test_a_stranger_sees_what_to_do_and_can_watch_a_run_at_once(site: ui_page.Site) -> None:
    page = site.open()
    expect(page.locator(".begin li")).to_have_count(3)
    expect(page.locator(".legend .pi")).to_have_text(["focused", "recall", "contrastive"])
    expect(page.locator("#timeline .tl-labels em").first).to_have_text("the film, cut into scenes")
    for name in ("pause", "step", "stop"):
        expect(page.locator(f"#{name}")).to_be_disabled()
    page.evaluate("""() => { window.spoiled = false; new MutationObserver(() => { window.spoiled ||= !!document.querySelector('#answer .letter') && !document.querySelector('#steps [data-step]'); })
        .observe(document.querySelector('#live'), { childList: true, subtree: true }); }""")
    page.get_by_role("button", name="Watch a recorded run at once").click()
    expect(page.locator("#answer .letter")).to_be_visible(timeout=60_000)
    assert page.locator("#steps [data-step]").count() >= 2
    assert not page.evaluate("window.spoiled")  # the end is not shown before the beginning


def test_a_stream_that_is_sooner_than_its_panel_is_not_lost(site: ui_page.Site) -> None:
    run_id = site.recorded()
    page = site.browser.new_context(viewport={"width": 1366, "height": 768}).new_page()

    def late(route: Route) -> None:
        script = route.fetch().text()
        wrapped = "VESTA.mount = ((mount) => (name, ...rest) => name === 'answer' ? setTimeout(() => mount(name, ...rest), 2500) : mount(name, ...rest))(VESTA.mount);"
        route.fulfill(body=f"{script}\n{wrapped}", content_type="text/javascript")

    page.route("**/vesta/page.js*", late)
    page.goto(f"{site.url}/?run={run_id}")
    expect(page.locator("#steps [data-step]")).to_have_count(4)
    expect(page.locator("#answer .letter")).to_have_text("A")


def test_nothing_breaks_or_mixes_when_answers_come_late(site: ui_page.Site) -> None:
    long, short = site.recorded(steps=6), site.recorded(steps=3)
    page = site.open(f"?run={long}")
    expect(page.locator("#answer .letter")).to_have_text("A")
    delayed(page, f"**/vesta/run/{long}?step=*", 0.5)
    delayed(page, f"**/vesta/run/{long}/*", 0.3)
    page.locator("#steps [data-step='1'] .fold").click()
    for tab in page.locator("#steps [data-step='1'] [role=tab]").all():
        tab.click()
    for tab in page.locator("#ledger [role=tab]").all():
        tab.click()
    page.keyboard.press(",")  # the page one step earlier is asked for …
    page.evaluate(f"VESTA.openRun('{short}')")  # … and another run is opened before it came
    expect(page.locator("#steps [data-step]")).to_have_count(3)
    page.wait_for_timeout(1500)
    assert page.evaluate("[VESTA.state.run, VESTA.state.pinned]") == [short, None]
    assert page.locator("#steps [data-step]").count() == 3


def test_step_inside_and_every_tab_wait_for_what_they_show(site: ui_page.Site) -> None:
    run_id = site.recorded(steps=5)
    page = site.open("?tab=replay")
    delayed(page, "**/vesta/run/**", 0.4)
    delayed(page, "**/vesta/library", 0.4)
    delayed(page, "**/vesta/cases*", 0.4)
    page.locator(f"#replay [data-run='{run_id}']").get_by_role("button", name="step inside").click()
    for tab in page.locator("#inside [role=tab]").all():
        tab.click()
    expect(page.locator("#inside")).to_contain_text("5 of 5: finalize")
    for tab in page.locator("#head [role=tab]").all():
        tab.click()
    page.wait_for_timeout(1200)  # what comes late must find its place, or find that it is not wanted any more


def test_a_run_opened_again_goes_to_the_asked_step_at_once(site: ui_page.Site) -> None:
    run_id, other = site.recorded(steps=5), site.recorded(steps=3)
    page = site.open(f"?run={run_id}")
    expect(page.locator("#answer .letter")).to_have_text("A")
    page.evaluate(f"VESTA.openRun('{run_id}', () => VESTA.pin(2))")
    expect(page.locator("#steps [data-step]")).to_have_count(2)
    page.evaluate(f"VESTA.openRun('{other}')")
    expect(page.locator("#answer .letter")).to_have_text("A")
    assert page.evaluate("VESTA.state.pinned") is None  # what was asked of the first run is not done to the second


def test_a_page_of_the_past_says_nothing_of_what_came_later(site: ui_page.Site) -> None:
    page = site.open(f"?run={site.recorded(steps=4)}")
    expect(page.locator("#answer .letter")).to_have_text("A")
    for _ in range(4):
        page.keyboard.press(",")
    expect(page.locator("#status")).to_contain_text("before the first step")
    expect(page.locator("#steps .feed")).to_contain_text("No step had been taken yet")
    page.evaluate("VESTA.tell('scenes')")  # pictures of the scenes may come at any time
    assert page.locator("#route .thumb:not(.st-unverified)").count() == 0
    expect(page.locator("#answer")).to_contain_text("No answer yet")
    expect(page.locator("#head .chips")).to_contain_text("step 0 /")
    expect(page.locator("#head .chips")).not_to_contain_text("spent")
    page.keyboard.press("Escape")
    expect(page.locator("#status")).to_contain_text("Answered in 4 steps")
    expect(page.locator("#head .chips")).to_contain_text("spent")


def test_lanes_are_chosen_by_menu_and_key_and_remembered(site: ui_page.Site) -> None:
    page = site.open(f"?run={site.recorded()}")
    expect(page.locator("#timeline .spot[data-lane=retrieved]")).to_have_count(3)
    page.locator(".lanes-menu summary").click()
    page.locator(".lanes-menu").get_by_label("retrieved").uncheck()
    expect(page.locator("#timeline .spot[data-lane=retrieved]")).to_have_count(0)
    page.keyboard.press("Escape")
    expect(page.locator(".lanes-menu .menu-list")).to_be_hidden()
    page.reload()
    expect(page.locator("#answer .letter")).to_be_visible()
    assert "retrieved" not in page.locator("#timeline .tl-labels span").all_inner_texts()
    page.locator("#steps .feed").focus()
    page.keyboard.press("3")
    expect(page.locator("#timeline .spot[data-lane=retrieved]")).to_have_count(3)
    for key in "123456789":
        page.keyboard.press(key)
    expect(page.locator("#timeline .tl-labels span")).to_have_text(["coverage"])  # the last one stays


def test_a_typed_time_is_gone_to(site: ui_page.Site) -> None:
    page = site.open(f"?run={site.recorded()}")
    page.wait_for_function("document.querySelector('#vid video').readyState > 0")
    for text, wanted in (("0:42.5", 42.5), ("7", 7.0), ("0m 31s", 31.0)):
        page.locator("#steps .feed").focus()
        page.keyboard.press("t")
        page.keyboard.type(text)
        page.keyboard.press("Enter")
        page.wait_for_function(f"Math.abs(document.querySelector('#vid video').currentTime - {wanted}) < 0.05")
    page.locator("#vid .clock").click()
    page.keyboard.type("9:00")
    page.keyboard.press("Enter")
    expect(page.locator("#v-said")).to_contain_text("at most 01:00.0")
    page.keyboard.press("Escape")
    expect(page.locator("#vid .goto")).to_be_hidden()


def test_steps_are_sifted_by_the_answer_they_bear_on(site: ui_page.Site) -> None:
    page = site.open(f"?run={site.recorded(steps=6)}")
    expect(page.locator("#steps [data-step]")).to_have_count(6)
    sift = page.get_by_label("Only steps that bear on this answer")
    sift.select_option("A")  # those that saw something for A: all but the two that failed and the answer itself
    expect(page.locator("#steps [data-step]:visible")).to_have_count(3)
    sift.select_option("B")
    expect(page.locator("#steps [data-step]:visible")).to_have_count(0)
    sift.select_option("")
    expect(page.locator("#steps [data-step]:visible")).to_have_count(6)


def test_notes_lie_on_the_timeline(site: ui_page.Site) -> None:
    run_id = site.recorded()
    page = site.open(f"?run={run_id}")
    expect(page.locator("#answer .letter")).to_be_visible()
    assert page.locator("#timeline .spot[data-lane=notes]").count() == 0
    page.locator("#answer").get_by_role("button", name="keep as a case").click()
    form = page.locator("#cases .case-detail")
    form.get_by_label("Interval in seconds").fill("20-25")
    form.get_by_label("Note", exact=True).fill("look here")
    form.get_by_role("button", name="add note").click()
    expect(form).to_contain_text("look here")
    page.click("#go-live")
    note = page.locator("#timeline .spot[data-lane=notes]")
    expect(note).to_have_attribute("aria-label", "note: look here, 00:20.0–00:25.0")
    note.click()
    page.wait_for_function("Math.abs(document.querySelector('#vid video').currentTime - 20) < 0.05")
    assert len(Cases(site.data_dir).find()) >= 1


def test_a_link_to_a_run_that_is_gone_says_so_and_leaves_a_page_to_use(site: ui_page.Site) -> None:
    page = site.open("?run=20260101-000000-abcdef")
    expect(page.locator("#status")).to_contain_text("there is no run 20260101-000000-abcdef here")
    page.wait_for_function("document.querySelector('#vid video').readyState > 0")
    expect(page.locator(".begin li").first).to_be_visible()


def test_the_timeline_is_one_stop_of_the_keyboard(site: ui_page.Site) -> None:
    page = site.open(f"?run={site.recorded()}")
    expect(page.locator("#timeline .spot[data-lane=retrieved]")).to_have_count(3)
    assert page.locator("#timeline .spot[tabindex='0']").count() == 1
    page.locator("#timeline .spot[tabindex='0']").focus()
    lane = "document.activeElement.dataset.lane"
    times = [page.evaluate("+document.activeElement.dataset.t")]
    for key in ("ArrowLeft", "ArrowLeft", "ArrowRight", "ArrowRight"):
        page.keyboard.press(key)
        times.append(page.evaluate("+document.activeElement.dataset.t"))
    assert page.evaluate(lane) == "retrieved" and times[-3:] == [10, 30, 50]
    page.keyboard.press("ArrowDown")
    assert page.evaluate(lane) == "inspected"
    page.keyboard.press("Enter")
    page.wait_for_function("VESTA.state.selection && VESTA.state.selection.s === 30")
    page.locator("#steps .feed").focus()
    page.keyboard.press("i")  # what dragging offers, without dragging
    expect(page.locator("#timeline .menu")).to_contain_text("00:30.0–00:34.0")
    page.keyboard.press("Escape")
    expect(page.locator("#timeline .menu")).to_have_count(0)


def test_scripts_travel_packed(site: ui_page.Site) -> None:
    page = site.open()
    plain = page.request.get(f"{site.url}/vesta/plotly.js", headers={"Accept-Encoding": "identity"})
    packed = page.request.get(f"{site.url}/vesta/plotly.js", headers={"Accept-Encoding": "gzip"})
    assert packed.headers["content-encoding"] == "gzip" and packed.body() == plain.body()


def test_a_server_that_is_gone_is_not_shown_as_working(site: ui_page.Site) -> None:
    run, player = site.live()
    context = site.browser.new_context(viewport={"width": 1366, "height": 768})
    context.route("**/vesta/run/*/stream", lambda route: route.abort("connectionrefused"))
    page = site.open(f"?run={run.id}", context=context)
    expect(page.locator("#status .text")).to_contain_text("cannot be reached")
    context.unroute("**/vesta/run/*/stream")
    player.start(0.02)
    expect(page.locator("#status .text")).to_contain_text("Answered")
    expect(page.locator("#steps [data-step]")).to_have_count(4)
    site.noise.clear()  # the browser itself tells of every refused connection


def test_the_earlier_steps_of_a_long_run_come_when_asked_for(site: ui_page.Site) -> None:
    page = site.open(f"?run={site.recorded(steps=65)}")
    cards = page.locator("#steps [data-step]")
    expect(cards).to_have_count(60)
    page.get_by_role("button", name="show 5 earlier steps").click()
    expect(cards).to_have_count(65)
    expect(page.get_by_role("button", name="earlier step")).to_be_hidden()
    assert [card.get_attribute("data-step") for card in cards.all()] == [str(n) for n in range(1, 66)]
    cards.first.locator(".fold").click()
    expect(cards.first).to_contain_text("because 1")


def test_a_link_to_an_early_step_of_a_long_run_opens_it(site: ui_page.Site) -> None:
    page = site.open(f"?run={site.recorded(steps=65)}&step=2")
    expect(page.locator("#steps [data-step='2']")).to_contain_text("because 2")
    expect(page.locator("#steps [data-step='2']")).to_be_in_viewport()
