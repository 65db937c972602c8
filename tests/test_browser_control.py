"""Steering a run from the page, replaying one, and what survives: restarts, other tabs, other videos."""

from __future__ import annotations

import pytest
import ui_page
from playwright.sync_api import expect

from vesta_ui import domain as d
from vesta_ui.runs.registry import Runs

pytestmark = pytest.mark.browser


def test_pause_holds_step_lets_one_through_continue_goes_on(site: ui_page.Site) -> None:
    run, player = site.live(steps=6)
    page = site.open(f"?run={run.id}")
    player.until(0)
    run.control.pause()
    player.start(0.02)
    expect(page.locator("#status")).to_contain_text("Paused at step 1")
    expect(page.locator("#pause")).to_have_text("Continue")
    page.click("#step")
    expect(page.locator("#status")).to_contain_text("Paused at step 2")
    assert page.locator("#steps [data-step]").count() == 2
    page.click("#pause")
    expect(page.locator("#answer .letter")).to_have_text("A")
    expect(page.locator("#run")).to_be_enabled()


def test_the_proposed_action_can_be_replaced_while_paused(site: ui_page.Site) -> None:
    run, player = site.live(steps=3)
    page = site.open(f"?run={run.id}")
    player.until(0)
    run.control.pause()
    player.start(0.02)
    form = page.locator("#steps .proposed")
    expect(form).to_contain_text("inspect")
    form.locator("select").select_option("clip")
    form.get_by_label("Intervals").fill("nonsense")
    form.get_by_role("button", name="Use this").click()
    expect(form).to_contain_text("from-to in seconds")
    form.get_by_label("Intervals").fill("41.5-44")
    form.get_by_label("What to look for").fill("is there a boat?")
    form.get_by_role("button", name="Use this").click()
    expect(page.locator("#steps [data-step='1']")).to_contain_text("by hand")
    decided = run.session().step(1).decided
    assert decided and decided.source == "user"
    assert decided.action == d.Action(
        "clip", {"interval": [41.5, 44], "question": "is there a boat?"}, "chosen by hand"
    )
    run.control.stop()


def test_stop_ends_the_run_and_keeps_what_was_found(site: ui_page.Site) -> None:
    run, player = site.live(steps=20)
    page = site.open(f"?run={run.id}")
    player.until(2)
    player.start(0.3)
    expect(page.locator("#steps [data-step='2']")).to_be_attached()
    page.click("#stop")
    expect(page.locator("#status")).to_contain_text("Stopped after")
    expect(page.locator("#answer")).to_contain_text("Stopped")
    assert page.locator("#ledger [data-entry]").count() >= 3


def test_an_interval_dragged_on_the_timeline_becomes_the_next_step(site: ui_page.Site) -> None:
    run, player = site.live(steps=3)
    page = site.open(f"?run={run.id}")
    player.until(1)
    expect(page.locator("#steps [data-step='1']")).to_be_attached()
    expect(page.locator("#timeline .js-plotly-plot")).to_be_attached()
    box = page.locator("#timeline .tl-hot").bounding_box()
    assert box
    y = box["y"] + box["height"] - 30
    page.mouse.move(box["x"] + box["width"] * 0.5, y)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.6, y, steps=4)
    page.mouse.up()
    page.locator("#timeline .menu").get_by_role("button", name="Inspect").click()
    page.wait_for_timeout(50)
    for _ in range(100):
        action = run.control.take_by_hand()
        if action:
            break
        page.wait_for_timeout(50)
    assert action and action.operation == "inspect"
    ((start, end),) = action.arguments["intervals"]
    assert start == pytest.approx(30, abs=0.6) and end == pytest.approx(36, abs=0.6)
    player.finish()


def test_the_scrubber_shows_the_whole_page_as_at_a_step(site: ui_page.Site) -> None:
    page = site.open(f"?run={site.recorded(steps=5)}")
    expect(page.locator("#steps [data-step]")).to_have_count(5)
    page.keyboard.press(",")
    page.keyboard.press(",")
    page.keyboard.press(",")
    page.keyboard.press(",")
    expect(page.locator("#steps [data-step]")).to_have_count(1)
    expect(page.locator("#ledger [data-entry]")).to_have_count(3 + 1)
    expect(page.locator("#ledger .asof")).to_have_text("as of step 1")
    expect(page.locator("#answer .letter")).to_have_count(0)
    expect(page.locator("#timeline .spot[data-lane=clip]")).to_have_count(0)
    assert "step=1" in page.url and "at=1" in page.url
    page.reload()
    expect(page.locator("#steps [data-step]")).to_have_count(1)  # the link shows the same
    page.click("#v-newest")
    expect(page.locator("#steps [data-step]")).to_have_count(5)
    expect(page.locator("#answer .letter")).to_have_text("A")


def test_replay_plays_the_steps_one_by_one_without_any_model(site: ui_page.Site) -> None:
    run_id = site.recorded(steps=4)
    page = site.open("?tab=replay")
    page.evaluate("""() => { window.counts = []; new MutationObserver(() => window.counts.push(document.querySelectorAll('#steps [data-step]').length))
        .observe(document.querySelector('#steps'), { childList: true, subtree: true }); }""")
    page.locator(f"#replay [data-run='{run_id}']").get_by_role("button", name="▶ replay").click()
    page.wait_for_function("VESTA.state.pinned !== null")
    expect(page.locator("#answer .letter")).to_have_text("A")
    counts = page.evaluate("window.counts")
    assert [n for n in (1, 2, 3, 4) if n in counts[counts.index(1) :]] == [1, 2, 3, 4]


def test_keys_watch_a_run_again_hold_it_and_hurry_it(site: ui_page.Site) -> None:
    page = site.open(f"?run={site.recorded(steps=12)}")
    expect(page.locator("#answer .letter")).to_have_text("A")
    page.keyboard.press("w")
    page.wait_for_function("VESTA.state.pinned >= 1")
    page.keyboard.press("w")
    page.wait_for_timeout(400)  # a step may be on its way
    held = page.evaluate("VESTA.state.pinned")
    page.wait_for_timeout(1_200)
    assert page.evaluate("VESTA.state.pinned") == held < 12
    page.keyboard.press("s")
    expect(page.get_by_title("Speed of the replay")).to_have_text("2×")
    page.keyboard.press("w")
    page.wait_for_function("VESTA.state.pinned === null")
    expect(page.locator("#answer .letter")).to_have_text("A")


def test_after_a_restart_runs_are_there_and_an_interrupted_one_goes_on(site: ui_page.Site) -> None:
    whole, cut = site.recorded(), site.recorded(cut=4)
    outcomes = {one.id: one.outcome for one in Runs(site.runs_settings).list()}  # a registry that has just started
    assert (outcomes[whole], outcomes[cut]) == ("answered", "interrupted")
    page = site.open(f"?run={cut}")
    expect(page.locator("#status")).to_contain_text("interrupted")
    page.click("#go-replay")
    page.locator(f"#replay [data-run='{cut}']").get_by_role("button", name="continue").click()
    page.wait_for_function(f"VESTA.state.run && VESTA.state.run !== '{cut}'")
    expect(page.locator("#answer .ans-text")).to_be_visible(timeout=60_000)
    child = site.runs.get(page.evaluate("VESTA.state.run")).session()
    assert child.started and child.started.parent == cut
    assert len(site.runs.get(cut).events) == len(site.runs.get(whole).events) - 4  # the parent stays as it was


def test_a_fork_takes_over_the_past_and_leaves_the_parent(site: ui_page.Site) -> None:
    parent = site.recorded(steps=4)
    before = (site.runs.root / parent / "events.jsonl").read_bytes()
    page = site.open(f"?run={parent}")
    page.locator("#steps [data-step='2'] .fold").click()
    page.locator("#steps [data-step='2']").get_by_role("button", name="fork here").click()
    form = page.locator("#steps .proposed")
    form.locator("select").select_option("inspect")
    form.get_by_label("Intervals").fill("12-15")
    form.get_by_role("button", name="Fork").click()
    page.wait_for_function(f"VESTA.state.run && VESTA.state.run !== '{parent}'")
    expect(page.locator("#answer .ans-text")).to_be_visible(timeout=60_000)
    child = site.runs.get(page.evaluate("VESTA.state.run")).session()
    assert child.started and (child.started.parent, child.started.fork_step) == (parent, 2)
    decided = child.step(2).decided
    assert decided and decided.action.arguments["intervals"] == [[12, 15]]
    assert (site.runs.root / parent / "events.jsonl").read_bytes() == before


def test_two_viewers_of_one_run_see_the_same(site: ui_page.Site) -> None:
    run, player = site.live(steps=5)
    pages = [site.open(f"?run={run.id}") for _ in range(2)]
    player.until(2)
    for page in pages:
        expect(page.locator("#steps [data-step]")).to_have_count(2)
    run.control.pause()
    player.start(0.02)
    for page in pages:
        expect(page.locator("#status")).to_contain_text("Paused at step 3")
    pages[0].click("#pause")
    expect(pages[1].locator("#answer .letter")).to_have_text("A")


def test_six_tabs_all_stay_alive(site: ui_page.Site) -> None:
    run, player = site.live(steps=4)
    context = site.browser.new_context()
    pages = [site.open(f"?run={run.id}", context=context) for _ in range(6)]
    player.until(1)
    for page in pages:
        expect(page.locator("#steps [data-step]")).to_have_count(1)
    player.finish()
    for page in pages:
        expect(page.locator("#answer .letter")).to_have_text("A")


def test_another_video_clears_the_run_and_its_late_updates(site: ui_page.Site) -> None:
    run, player = site.live(steps=4)
    page = site.open(f"?run={run.id}")
    player.until(1)
    expect(page.locator("#steps [data-step]")).to_have_count(1)
    page.locator("#samples .sample").first.click()
    expect(page.locator("#steps [data-step]")).to_have_count(0)
    player.finish()
    page.wait_for_timeout(800)
    assert page.locator("#steps [data-step]").count() == 0
    assert "run=" not in page.url
