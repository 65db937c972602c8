"""A run on a provider, as the page shows it: the estimate, a wait, money, a repair and what was degraded."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
import ui_page
from playwright.sync_api import Page, expect
from provider_server import Answer, ProviderServer, Received, chat, provider, refusal
from test_provider_run import Brain

from vesta_ui import doctor
from vesta_ui.domain import Choice, Question
from vesta_ui.video import Video

pytestmark = pytest.mark.browser
QUESTION = Question("What is written on the blue sign?", (Choice("A", "Platform 9"), Choice("B", "Bakery")))
PRICE = {"input": 2.5, "output": 10, "source": "https://prices.example", "date": "2026-05"}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ui_page.Site]:
    with ui_page.site(tmp_path_factory.mktemp("site")) as made:
        (made.data_dir / "prices.json").write_text(json.dumps({"compatible:m": PRICE}))
        yield made


class Moody(Brain):
    """Limits the first decision, answers the second with a tool nobody has, and takes one picture at a time."""

    def __init__(self, wait_s: float) -> None:
        super().__init__()
        self.wait_s, self.met = wait_s, 0

    def __call__(self, received: Received) -> Answer:
        if len(received.images) > 1:
            return Answer({"object": "error", "message": "At most 1 image(s) may be provided in one request."}, 400)
        name = received.body.get("response_format", {}).get("json_schema", {}).get("name")
        if name == "Decision":
            self.met += 1
            if self.met == 1:
                limited = refusal(429, "Rate limit reached.", code="rate_limit_exceeded")
                limited.headers["retry-after"] = str(self.wait_s)
                return limited
            if self.met == 2:
                return chat('Let me see. {"operation": "watch_video", "arguments": {}}')
        return super().__call__(received)


def roles(server: ProviderServer) -> dict[str, str]:
    return dict.fromkeys(("router", "reasoner", "observer"), f"compatible:m@{server.url}")


def begin(site: ui_page.Site, server: ProviderServer, wait_s: float) -> Page:
    server.play(Moody(wait_s))
    chosen = replace(site.runs_settings, **roles(server))
    return site.open(f"?run={site.runs.start(site.video, QUESTION, chosen).id}")


def test_the_estimate_follows_the_roles_that_are_chosen(site: ui_page.Site) -> None:
    with provider() as server:
        page = site.open()
        page.evaluate("chosen => localStorage.setItem('vesta-settings', JSON.stringify(chosen))", roles(server))
        page.reload()
        expect(page.locator(".chips")).to_contain_text(re.compile(r"a run at most \$\d"))
        page.click("#v-settings")
        page.fill("input[list=hint-encoder]", f"remote:e@{server.url}")
        page.keyboard.press("Tab")
        expect(page.locator(".ready")).to_contain_text(re.compile(r"Indexing takes at most \d+ requests for an hour"))
        page.keyboard.press("Escape")
        before = page.locator(".chips").inner_text()
        page.click("#agent input")
        page.get_by_role("option", name="native").click()
        expect(page.locator(".chips")).not_to_have_text(before)


def test_a_wait_is_shown_and_can_be_stopped(site: ui_page.Site) -> None:
    with provider() as server:
        page = begin(site, server, 120)
        expect(page.locator("#status")).to_contain_text(re.compile(r"rate limited, trying again, 1[12]\d s left"))
        page.click("#stop button, button#stop")
        expect(page.locator("#status")).to_contain_text("Stopped")


def test_money_repair_and_degradations_are_on_the_page(site: ui_page.Site) -> None:
    with provider() as server:
        page = begin(site, server, 0.1)
        expect(page.locator("#answer .letter")).to_have_text("A")
        expect(page.locator(".chips")).to_contain_text(re.compile(r"spent \$0\.00\d+"))
        expect(page.locator("#answer .warnings")).to_contain_text("on 1 contact sheet")
        page.click('#steps [data-step="1"]')
        page.locator('#steps [data-step="1"] [role=tab]', has_text="Raw").click()
        raw = page.locator('#steps [data-step="1"] .tab-body')
        raw.locator("summary", has_text="(reasoner)").click()
        for said in (
            "first reply, which could not be used",
            "watch_video",
            "repaired reply",
            "asked to repair it",
            "rate_limited",
        ):
            expect(raw).to_contain_text(said)


def test_the_doctor_of_a_server_that_hangs_can_be_stopped(site: ui_page.Site) -> None:
    with provider() as server:
        server.play(replace(chat(), stall_s=120))
        page = site.open()
        page.click("#go-doctor")
        page.get_by_label("Model to examine").fill(f"compatible:m@{server.url}")
        page.get_by_role("button", name="Ask it", exact=True).click()
        expect(page.locator("#doctor")).to_contain_text("m is one of 2 models")
        stop = page.locator("#doctor").get_by_role("button", name="Stop")
        stop.click()
        expect(page.locator("#doctor")).to_contain_text("Stopped.")
        expect(stop).to_be_hidden()
        server.play(refusal(401, "Incorrect API key"))
        page.get_by_role("button", name="Ask it", exact=True).click()
        expect(page.locator("#doctor")).to_contain_text("this server wants a key")
        expect(stop).to_be_hidden()


def test_a_long_examination_tells_how_far_it_is_and_is_cancelled(
    site: ui_page.Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard: list[float] = []

    def slow(video: Video, reach: Callable[[float], None]) -> None:
        for n in range(600):
            time.sleep(0.1)
            heard.append(n / 600 * video.facts.duration_s)
            reach(heard[-1])

    page = site.open()
    page.click("#go-doctor")
    page.get_by_label("Path of the video to examine").fill(str(site.video))
    examine = page.get_by_role("button", name="Examine", exact=True)
    cancel = page.locator("#doctor").get_by_role("button", name="Cancel")
    expect(cancel).to_be_hidden()
    with monkeypatch.context() as patched:
        patched.setattr(doctor, "_sound_extent", slow)
        examine.click()
        expect(page.locator("#doctor")).to_contain_text(re.compile(r"Looking through it: \d+ %"))
        assert page.get_by_label("Progress of the examination").evaluate("bar => bar.value") >= 0.5
        cancel.click()
        expect(page.locator("#doctor")).to_contain_text("Cancelled.")
        expect(cancel).to_be_hidden()
        time.sleep(0.5)
        count = len(heard)
        time.sleep(0.5)
        assert len(heard) == count < 600, "the work itself has ended"
    examine.click()
    expect(page.locator("#doctor .facts")).to_contain_text("h264")
    expect(page.locator("#doctor .facts")).to_contain_text(re.compile(r"duration[\d.]+ s"))
    expect(page.locator("#doctor .facts dd[title]")).to_have_text(site.sha256[:16])
    expect(cancel).to_be_hidden()


def test_a_role_is_examined_from_the_settings(site: ui_page.Site) -> None:
    with provider() as server:
        server.play(refusal(401, "Incorrect API key"))
        page = site.open()
        page.evaluate("chosen => localStorage.setItem('vesta-settings', JSON.stringify(chosen))", roles(server))
        page.reload()
        page.click("#v-settings")
        page.locator(".ready .role", has_text="observer").get_by_role("button", name="ask it").click()
        expect(page.get_by_label("Model to examine")).to_have_value(f"compatible:m@{server.url}")
        expect(page.locator("#doctor")).to_contain_text("this server wants a key")
