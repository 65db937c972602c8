"""Replay, Compare and Cases in a real browser, and the exported page opened from a file."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import ui_page
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, Route, expect
from ui_run import EVIL

from vesta_ui.bench.pay import input_tokens
from vesta_ui.exploration.tokens import FRAME_TOKENS
from vesta_ui.runs import export
from vesta_ui.runs.cases import Cases

pytestmark = pytest.mark.browser


def row(page: Page, run_id: str) -> Any:
    return page.locator(f"#replay .run[data-run='{run_id}']")


def test_runs_are_found_and_a_step_is_looked_into(site: ui_page.Site) -> None:
    long, short = site.recorded(steps=7), site.recorded(steps=3)
    page = site.open("?tab=replay")
    page.fill("#replay input[name=words]", "TEA 4")
    expect(row(page, short)).to_have_count(0)
    row(page, long).get_by_role("button", name="step inside").click()
    inside = page.locator("#inside")
    expect(inside).to_contain_text("7 of 7: finalize")
    inside.get_by_role("tab", name="Entries").click()
    expect(inside.locator(".inside-body li")).to_have_count(4)
    inside.locator("input[type=range]").fill("2")
    expect(inside.locator(".inside-body li")).to_have_count(1)
    inside.get_by_role("tab", name="Memory").click()
    expect(inside.locator(".inside-body details")).to_have_count(1)
    inside.locator("input[type=range]").fill("7")
    inside.get_by_role("tab", name="What the Reasoner saw").click()
    expect(inside).to_contain_text("As it was shown")
    inside.get_by_label("Emphasis of μ").select_option("coverage")
    expect(inside.locator(".diff .plus").first).to_contain_text("temporal coverage")
    inside.get_by_label("Size budget").fill("400")
    inside.get_by_label("Size budget").press("Tab")
    expect(inside).to_contain_text("now left out")
    inside.get_by_role("button", name="as recorded").click()
    expect(inside.locator(".diff")).to_have_count(0)


def test_runs_are_found_by_cost_and_failure(site: ui_page.Site) -> None:
    run_id = site.recorded(steps=4)
    page = site.open("?tab=replay")
    for name, kept, gone in (("least_usd", "0.01", "5"), ("most_usd", "5", "0.001"), ("failure", "Refused", "timeout")):
        field = page.locator(f"#replay input[name={name}]")
        field.fill(gone)
        expect(row(page, run_id)).to_have_count(0)
        field.fill(kept)
        expect(row(page, run_id)).to_be_visible()


def test_a_view_chosen_before_its_data_came_waits_for_it(site: ui_page.Site) -> None:
    run_id = site.recorded(steps=7)
    page, held = site.open("?tab=replay"), list[Route]()
    page.route(re.compile("/inside/"), lambda route: held.append(route))
    row(page, run_id).get_by_role("button", name="step inside").click()
    inside = page.locator("#inside")
    for name in ("Memory", "Retrieval", "Run again", "Fork", "Entries"):
        inside.get_by_role("tab", name=name).click()
    inside.get_by_role("button", name="‹").click()
    for _ in range(100):
        if len(held) == 2:
            break
        page.wait_for_timeout(100)
    newer, older = held[1], held[0]
    newer.continue_()
    expect(inside).to_contain_text("6 of 7")
    expect(inside.get_by_role("tab", name="Entries")).to_have_attribute("aria-selected", "true")
    older.continue_()
    page.wait_for_timeout(300)
    expect(inside).to_contain_text("6 of 7")
    expect(inside.locator(".inside-body li")).to_have_count(3)


def test_a_list_read_for_the_first_time_fills_up_by_itself(site: ui_page.Site) -> None:
    run_id, page, answers = site.recorded(), site.open(), [{"rows": [], "more": False, "left": 4999}]
    page.route(re.compile("/vesta/find"), lambda r: r.fulfill(json=answers.pop()) if answers else r.fallback())
    page.get_by_role("tab", name="Replay").click()
    expect(row(page, run_id)).to_be_visible()
    assert not answers


def test_a_fork_made_here_is_drawn_under_its_parent(site: ui_page.Site) -> None:
    parent = site.recorded(steps=3)
    page = site.open("?tab=replay")
    row(page, parent).get_by_role("button", name="step inside").click()
    inside = page.locator("#inside")
    inside.locator("input[type=range]").fill("2")
    inside.get_by_role("tab", name="Fork").click()
    inside.locator("select").nth(1).select_option("coverage")
    inside.get_by_label("pause it: I decide").check()
    inside.locator("button.go").click()
    expect(page.locator("#tab-live")).to_be_visible()
    page.wait_for_function(f"VESTA.state.run && VESTA.state.run !== '{parent}'")
    child = page.evaluate("VESTA.state.run")
    expect(page.locator("#steps .proposed")).to_be_visible(timeout=60_000)
    page.locator("#steps .proposed select").select_option("finalize")
    page.locator("#steps .proposed input").nth(1).fill("A")
    page.get_by_role("button", name="Use this").click()
    expect(page.locator("#answer .ans-text")).to_be_visible(timeout=60_000)
    page.click("#go-replay")
    page.get_by_role("button", name="tree of forks").click()
    expect(row(page, child)).to_contain_text("coverage and event relations; decisions: by hand")
    page.wait_for_function(  # the list is drawn again while runs are still being read
        """([parent, child]) => { const ids = [...document.querySelectorAll('#replay .run')].map((one) => one.dataset.run);
            return ids.includes(parent) && ids.indexOf(child) === ids.indexOf(parent) + 1; }""",
        arg=[parent, child],
    )


def test_two_runs_stand_side_by_side_and_part_where_they_do(site: ui_page.Site) -> None:
    long, short = site.recorded(steps=6), site.recorded(steps=4)
    page = site.open("?tab=replay")
    for run_id in (long, short):
        row(page, run_id).get_by_role("checkbox").check()
    page.locator("#replay .chosen").get_by_role("button", name="compare").click()
    kinds = page.locator("#compare .aligned .kind")
    expect(kinds).to_have_text(["same", "same", "same", "only A", "only A", "same"])
    page.get_by_role("button", name=re.compile("first divergence")).click()
    expect(page.locator("#compare tr.sel .kind")).to_have_text("only A")
    bars = [
        page.locator(f"#compare .lane-run[data-run='{run}'] .bar.l-speech").first.bounding_box()
        for run in (long, short)
    ]
    assert bars[0] and bars[1] and bars[0]["x"] == bars[1]["x"]
    page.locator(f"#compare .lane-run[data-run='{short}'] .bar.l-speech").first.click()
    expect(page.locator("#compare tr.sel td[data-step='3']")).to_have_count(2)
    expect(page.locator("#compare .costs").first).to_contain_text("input tokens")
    expect(page.locator("#pay .plane .run")).to_have_text([re.compile("^A vesta, "), re.compile("^B vesta, ")])
    expect(page.locator("#pay .plane .dot")).to_have_count(2)
    expect(page.locator("#pay .costs")).to_contain_text("tokens / s of evidence")
    page.reload()
    expect(page.locator("#compare .lane-run")).to_have_count(2)
    page.locator("#compare td[data-step='3'] button.t").nth(1).click()
    page.wait_for_function(f"VESTA.state.run === '{short}'")
    expect(page.locator("#steps .step.sel")).to_have_attribute("data-step", "3")


def test_several_agents_answer_the_live_question_on_one_board(site: ui_page.Site) -> None:
    page = site.open()
    page.fill("#video-path textarea, #video-path input", str(site.video))
    page.click("#video-open")
    expect(page.locator("#status")).to_contain_text("Opened “walk.mp4”")
    page.fill("#question textarea", "Which colour is the picture at the end?")
    page.fill("#choices textarea", "red\nblue\npurple")
    page.click("#go-compare")
    for name in ("vesta", "save", "saos", "explore"):
        page.locator(f"#compare .board input[value={name}]").uncheck()
    page.get_by_label("Repeat each").select_option("2")
    page.get_by_role("button", name="Run them").click()
    expect(page.locator("#compare .lane-run")).to_have_count(2)
    expect(page.locator("#compare .lane-run .said b")).to_have_count(2, timeout=60_000)
    expect(page.locator("#compare .costs").first.locator("th")).to_have_text(["", "A native", "B native"])


def test_native_answers_with_the_input_tokens_of_a_run(site: ui_page.Site) -> None:
    run_id = site.recorded(steps=4)
    tokens = input_tokens(site.runs.get(run_id))
    page = site.open(f"?tab=compare&cmp={run_id}")
    page.get_by_role("button", name="match native").dblclick()
    heads = page.locator("#compare .costs").first.locator("th")
    expect(heads).to_have_text(["", "A vesta", "B matched native"], timeout=60_000)
    expect(page.locator("#compare .lane-run .said b")).to_have_count(2, timeout=60_000)
    frames = page.locator("#compare .costs").first.locator("tr", has_text=re.compile("^frames")).locator("td")
    expect(frames.nth(2)).to_have_text(str(tokens // FRAME_TOKENS))
    expect(page.locator("#pay")).to_contain_text("B matched native")
    expect(page.get_by_role("button", name="match native")).to_have_count(1)
    page.set_viewport_size({"width": 390, "height": 800})
    for part in (".said", "button[title='Take out']"):
        box = page.locator(f"#compare .lane-run[data-run='{run_id}'] {part}").bounding_box()
        assert box and box["width"] > 20 and box["x"] + box["width"] <= 390, f"{part} is cut off on a phone"


def test_a_case_is_kept_judged_noted_and_found_again(site: ui_page.Site) -> None:
    run_id = site.recorded()
    page = site.open("?tab=replay")
    row(page, run_id).get_by_role("checkbox").check()
    page.get_by_role("button", name="keep as a case").first.click()
    detail = page.locator("#cases .case-detail")
    expect(detail).to_contain_text("no gold answer")
    detail.get_by_label("Gold answer").select_option("A")
    detail.get_by_label("Gold intervals").fill("31-33")
    detail.get_by_role("button", name="save gold").click()
    expect(detail.locator("tbody tr")).to_contain_text("✓ right")
    expect(detail.locator("tbody tr")).to_contain_text("0.50")
    detail.get_by_label("Note").fill("never looked at the board")
    detail.get_by_label("Label").select_option("missed evidence")
    detail.get_by_label("Step", exact=True).fill("2")
    detail.get_by_role("button", name="add note").click()
    expect(detail.locator(".rel li")).to_contain_text("never looked at the board")
    detail.get_by_label("Gold intervals").fill("50-900")
    detail.get_by_role("button", name="save gold").click()
    expect(page.locator("#v-said")).to_contain_text("outside the video")
    (case,) = [one for one in Cases(site.data_dir).all() if run_id in one.runs]
    assert case.gold == "A" and case.notes[0].step == 2
    page.reload()
    page.fill("#cases input[type=search]", "board")
    expect(page.locator(f"#cases .case[data-case='{case.id}']")).to_contain_text("missed evidence")
    page.locator("#cases .case-detail .rel").get_by_role("button", name=re.compile("run 1")).click()
    page.wait_for_function(f"VESTA.state.run === '{run_id}'")
    expect(page.locator("#steps .step.sel")).to_have_attribute("data-step", "2")
    expect(page.locator("#steps [data-step='2'] [data-mark]")).to_contain_text("missed evidence")
    page.keyboard.press("m")
    expect(page.locator("#cases .case-detail").get_by_label("Step", exact=True)).to_have_value("2")


def test_an_open_answer_is_judged_by_hand_and_a_note_on_an_interval_lies_on_the_timeline(site: ui_page.Site) -> None:
    run_id = site.recorded()
    page = site.open(f"?run={run_id}")
    page.evaluate(f"VESTA.keepCase(['{run_id}'])")
    detail = page.locator("#cases .case-detail")
    detail.get_by_label("Gold answer").select_option("B")
    detail.get_by_role("button", name="save gold").click()
    expect(detail.locator("tbody tr")).to_contain_text("✕ wrong")
    detail.get_by_label("Your verdict").select_option("partly")
    expect(detail.locator("tbody tr")).to_contain_text("◐ partly, yours")
    detail.get_by_label("Your verdict").select_option("")
    expect(detail.locator("tbody tr")).to_contain_text("✕ wrong")
    detail.get_by_label("Note").fill("the sign is here")
    detail.get_by_label("Interval in seconds", exact=True).fill("12-18, 20-22")
    detail.get_by_role("button", name="add note").click()
    expect(page.locator("#v-said")).to_contain_text("one interval")
    detail.get_by_label("Interval in seconds", exact=True).fill("12-18")
    detail.get_by_role("button", name="add note").click()
    expect(detail.locator(".rel li")).to_contain_text("the sign is here")
    page.click("#go-live")
    spot = page.locator("#timeline .spot[data-lane=notes]")
    expect(spot).to_have_attribute("data-t", "12")
    expect(spot).to_have_attribute("aria-label", re.compile("the sign is here"))


def test_text_from_outside_is_never_markup_on_these_tabs(site: ui_page.Site) -> None:
    first, second = site.recorded(evil=EVIL), site.recorded(evil=EVIL, steps=6)
    page = site.open("?tab=replay")
    row(page, first).get_by_role("button", name="step inside").click()
    for tab in page.locator("#inside [role=tab]").all():
        tab.click()
        page.wait_for_timeout(100)
    for run_id in (first, second):
        row(page, run_id).get_by_role("checkbox").check()
    page.locator("#replay .chosen").get_by_role("button", name="compare").click()
    expect(page.locator("#compare .aligned")).to_contain_text("<img src=x")
    page.click("#go-replay")
    page.get_by_role("button", name="keep as a case").first.click()
    expect(page.locator("#cases .case-detail")).to_contain_text("<img src=x")
    assert page.evaluate("window.pwned") is None
    assert page.locator(".panel img[src='x']").count() == 0


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_these_tabs_and_the_exported_page_can_be_used_by_everyone(
    site: ui_page.Site, tmp_path: Path, theme: str
) -> None:
    first, second = site.recorded(steps=5), site.recorded()
    page = site.open(f"?tab=replay&__theme={theme}")
    row(page, first).get_by_role("checkbox").check()
    page.get_by_role("button", name="keep as a case").first.click()
    expect(page.locator("#cases .case-detail")).to_contain_text("Notes")
    page.evaluate(f"VESTA.compareRuns(['{first}', '{second}'])")
    expect(page.locator("#compare .aligned")).to_be_visible()
    page.evaluate(f"VESTA.stepInside('{first}', 5)")
    page.locator("#inside").get_by_label("Emphasis of μ").select_option("coverage")
    expect(page.locator("#inside .diff")).to_be_visible()
    page.evaluate(
        "for (const tab of ['replay', 'compare', 'cases']) document.querySelector(`#tab-${tab}`).classList.add('on')"
    )
    assert violations(page, ["#tab-replay"], ["#tab-compare"], ["#tab-cases"]) == []
    assert violations(exported(site, tmp_path, steps=5, theme=theme), ["body"]) == []


def violations(page: Page, *where: list[str]) -> list[str]:
    """What axe finds at serious or critical level inside these elements."""
    made = Axe().run(page, context={"include": list(where)}, options={"runOnly": ["wcag2a", "wcag2aa"]}).response
    return [
        f"{v['id']}: {node['html'][:110]}"
        for v in made["violations"]
        if v["impact"] in ("serious", "critical")
        for node in v["nodes"][:3]
    ]


# ------------------------------------------------------------------------------------------------ the exported page
def exported(site: ui_page.Site, folder: Path, theme: Any = "light", **changes: Any) -> Page:
    target = folder / "run.html"
    export.write(export.export_run(site.runs.get(site.recorded(**changes)), "html"), target)
    page = site.browser.new_context(viewport={"width": 1100, "height": 800}, color_scheme=theme).new_page()
    page.on("console", lambda m: site.noise.append(f"console: {m.text}") if m.type == "error" else None)
    page.on("pageerror", lambda e: site.noise.append(f"error: {e}"))
    page.on("request", lambda r: None if r.url.startswith(("file:", "data:")) else site.noise.append(f"left: {r.url}"))
    page.goto(target.as_uri())
    return page


def test_the_exported_page_is_read_and_clicked_from_a_file(site: ui_page.Site, tmp_path: Path) -> None:
    page = exported(site, tmp_path, steps=6)
    expect(page.locator(".step:visible")).to_have_count(6)
    page.locator(".evidence button.t").first.click()
    expect(page.locator(".caption")).to_contain_text("Frame at 00:32.0")
    page.locator(".scrub input").fill("2")
    expect(page.locator(".step:visible")).to_have_count(2)
    expect(page.locator("tbody tr", has_text="e1")).to_have_count(1)
    expect(page.locator("tbody tr", has_text="e3")).to_have_count(0)
    page.keyboard.press("Tab")
    page.locator("h1").click()
    page.keyboard.press("j")
    expect(page.locator(".scrub")).to_contain_text("step 3 of 6")
    page.locator("svg .hit").first.click()
    expect(page.locator("svg .sel").first).to_be_visible()
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    expect(page.locator(".step:visible")).to_have_count(6)
    assert page.locator("details:not([open])").count() == 0


def test_the_exported_page_is_printed_without_empty_pages(site: ui_page.Site, tmp_path: Path) -> None:
    page = exported(site, tmp_path, steps=12)
    expect(page.locator(".step:visible")).to_have_count(12)
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    high = page.evaluate("document.documentElement.scrollHeight")
    margin = dict.fromkeys(("top", "bottom", "left", "right"), "12mm")
    pages = page.pdf(format="A4", margin=margin).count(b"/Type /Page\n")  # type: ignore[arg-type]
    assert 2 <= pages <= -(-high // 900)
    assert page.evaluate("getComputedStyle(document.querySelector('.answer b')).color") == "rgb(0, 0, 0)"


def test_the_exported_page_runs_nothing_from_outside(site: ui_page.Site, tmp_path: Path) -> None:
    page = exported(site, tmp_path, evil=EVIL)
    expect(page.locator("h1")).to_contain_text("<img src=x onerror=")
    page.locator("summary").first.click()
    assert page.evaluate("window.pwned") is None
    assert page.locator("img[src='x']").count() == 0


def test_a_run_is_downloaded_in_every_format(site: ui_page.Site) -> None:
    run_id = site.recorded()
    page = site.open("?tab=replay")
    for name, ending in (
        ("One HTML page", ".html"),
        ("Markdown", ".md.zip"),
        ("JSON", ".json"),
        ("OpenTelemetry", ".otlp.json"),
        (r"Run folder.*\(unredacted\)", ".zip"),
    ):
        row(page, run_id).locator(".menu-of summary").click()
        with page.expect_download() as started:
            row(page, run_id).get_by_role("link", name=re.compile(f"^{name}")).click()
        assert started.value.suggested_filename == run_id + ending
        assert started.value.path().stat().st_size > 1000
