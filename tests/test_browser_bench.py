"""The Bench tab in a real browser: a set is run, kept over a reload, seen in a second tab, told in tables, and opened."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from typing import Any

import pytest
import ui_page
from case_film import Scene, film, finalize, give_roles, sighting
from playwright.sync_api import BrowserContext, Page, expect
from test_browser_runs import violations
from ui_run import EVIL

from vesta_ui import samples

pytestmark = pytest.mark.browser

ROLES = {"router": "embedded", "reasoner": "scripted:reasoner", "observer": "scripted:observer"}
ASKED = {"choices": ["once", f"twice {EVIL}"], "gold_intervals": [[6, 12]]}
QUESTIONS = [
    {**ASKED, "id": "q1", "question": "How many times is the BAKERY sign shown?", "gold": "A"},
    {**ASKED, "id": "q2", "question": f"And the TEA sign? {EVIL}", "gold": "B"},
]


@pytest.fixture
def gate() -> threading.Event:
    """The Reasoner decides once freely, then waits for this."""
    return threading.Event()


@pytest.fixture
def site(
    tmp_path_factory: pytest.TempPathFactory, gate: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> Iterator[ui_page.Site]:
    folder = tmp_path_factory.mktemp("tiny")
    film(folder / "tiny.mp4", [Scene(6, (150, 40, 40)), Scene(6, (40, 60, 160), "BAKERY")])
    (folder / "tiny.json").write_text(json.dumps({"title": "Tiny", "video": "tiny.mp4", "questions": QUESTIONS}))
    monkeypatch.setattr(samples, "FOLDER", folder)
    decided = [0]

    def decide(request: Any) -> Any:
        decided[0] += 1
        if decided[0] > 1:
            gate.wait(60)
        return finalize("A", [])

    seen = {"observations": [sighting(6, 12, "a sign reads BAKERY", "yes")]}
    give_roles(monkeypatch, reasoner=decide, observer=lambda request: seen)
    with ui_page.site(tmp_path_factory.mktemp("site")) as made:
        yield made
        gate.set()


def tab(site: ui_page.Site, context: BrowserContext, query: str = "") -> Page:
    page = site.open(f"?tab=bench{query}", context=context)
    expect(page.locator("#bench .bench-checks input").first).to_be_visible()
    return page


def test_a_set_is_run_kept_told_and_opened(site: ui_page.Site, gate: threading.Event) -> None:
    context = site.browser.new_context(viewport={"width": 900, "height": 768})
    context.add_init_script(f"localStorage.setItem('vesta-settings', {json.dumps(json.dumps(ROLES))})")
    page = tab(site, context)
    bench = page.locator("#bench")
    for name in ("save", "native", "plain"):
        bench.get_by_role("checkbox", name=name).click()
    expect(bench.locator(".bench-go")).to_contain_text("2 questions × 2 configurations = 4 runs. No remote model")
    bench.get_by_role("button", name="Run", exact=True).click()
    first, second = bench.locator("[data-cell='0-0']"), bench.locator("[data-cell='0-1']")
    expect(first).to_have_attribute("aria-label", "full: A, right, 1 step: open this run")
    expect(second).to_have_attribute("aria-label", re.compile("plain runs, step"))

    page.reload()
    other = tab(site, context).locator("#bench")
    for seen in (bench, other):
        expect(seen.locator("[data-cell='0-0']")).to_contain_text("✓ A")
        expect(seen.locator(".bench-head [role=status]")).to_have_text("Run 2 of 4")
        expect(seen.get_by_role("button", name="Stop")).to_be_visible()
        expect(seen.get_by_role("button", name="Run", exact=True)).to_be_disabled()
    bench.locator("[data-cell='0-0']").focus()
    gate.set()
    for seen in (bench, other):
        expect(seen.locator(".bench-head [role=status]")).to_have_text("4 of 4 runs, done")
        expect(seen.locator("tbody tr").nth(1).locator(".cell")).to_contain_text(["✗ A", "✗ A"])
    assert page.evaluate("document.activeElement.dataset.cell") == "0-0", "a grid that fills keeps the focus"

    expect(bench).to_contain_text("2 questions are few: read differences as hints")
    expect(bench.locator("tr", has_text="plain").filter(has_text="1/2").first).to_contain_text("50 (9–91)")
    pay = bench.locator("#bench-pay")
    expect(pay.locator(".plane .run")).to_have_count(2)
    expect(pay).to_contain_text("The evidence takes 6.0 s, 50.0 % of it")
    expect(pay.locator(".dot.ring")).to_have_count(0)
    bench.get_by_label("One question on the paper’s axes").select_option("1")
    expect(pay.locator(".dot.ring")).to_have_count(2)
    expect(bench).to_contain_text("python -m vesta_ui bench locality")
    bench.get_by_role("button", name="copy as Markdown").click()
    expect(page.locator("#v-said")).to_contain_text("Copied")
    assert page.evaluate("window.pwned") is None and page.locator("#bench img").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= 900
    assert violations(page, ["#tab-bench"]) == []
    dark = site.open("?tab=bench&__theme=dark", context=context)
    expect(dark.locator("#bench-pay .plane .run")).to_have_count(2)
    assert violations(dark, ["#tab-bench"]) == []

    run_id = bench.locator("[data-cell='1-1']").get_attribute("data-run")
    bench.locator("[data-cell='1-1']").press("Enter")
    expect(page.locator("#tab-live")).to_be_visible()
    page.wait_for_function(f"VESTA.state.run === '{run_id}'")
    page.click("#go-replay")
    expect(page.locator(f"#replay .run[data-run='{run_id}']")).to_contain_text("<img src=x")
