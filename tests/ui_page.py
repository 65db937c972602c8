"""A served page with its own data folder, and a browser on it that remembers what went wrong."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import browser
import ui_run
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from vesta_ui.frames import FrameStore
from vesta_ui.runs.registry import Runs
from vesta_ui.runs.run import Run, new_id
from vesta_ui.settings import Settings
from vesta_ui.ui.launch import free_port, served
from vesta_ui.ui.videos import Shelf
from vesta_ui.video import open_video

PATIENCE_MS = 20_000
"""A busy machine may take this long for what takes 0.1 s on an idle one."""
RAN = {"speech": "off", "max_steps": 6}


@dataclass
class Site:
    """The page at `url` over `runs`; `browser` drives it. `noise` gathers console errors and requests that left."""

    url: str
    runs: Runs
    data_dir: Path
    video: Path
    browser: Browser
    runs_settings: Settings
    shelf: Shelf
    sha256: str = ""
    noise: list[str] = field(default_factory=list)

    def open(
        self,
        query: str = "",
        width: int = 1366,
        height: int = 768,
        context: BrowserContext | None = None,
        **options: Any,
    ) -> Page:
        """A new tab, ready to use; in a window of its own unless a context is given."""
        context = context or self.browser.new_context(viewport={"width": width, "height": height}, **options)
        page = context.new_page()
        page.set_default_timeout(PATIENCE_MS)
        page.on("console", lambda m: self.noise.append(f"console: {m.text}") if m.type == "error" else None)
        page.on("pageerror", lambda e: self.noise.append(f"error: {e}"))
        page.on(
            "request",
            lambda r: None if r.url.startswith((self.url, "data:", "blob:")) else self.noise.append(f"left: {r.url}"),
        )
        page.goto(f"{self.url}/{query}")
        page.wait_for_selector("#steps .feed", state="attached")
        page.wait_for_function("window.VESTA && VESTA.live.bridge && VESTA.live.player")
        return page

    def live(self, *, evil: str = "", steps: int = 4) -> tuple[Run, ui_run.Player]:
        """A run that the test plays; not started yet."""
        run_id = new_id()
        run = Run(run_id, self.runs.root / run_id, self.video)
        store = FrameStore(run.folder / "frames")
        events = ui_run.run_events(store, run_id, ui_run.facts(self.sha256), steps=steps, evil=evil)
        self.runs.adopt(run)
        return run, ui_run.Player(run, events)

    def recorded(self, *, evil: str = "", steps: int = 4, cut: int = 0) -> str:
        """Id of a run on disk only; `cut` leaves out its last events, as a crash does."""
        run_id = new_id()
        store = FrameStore(self.runs.root / run_id / "frames")
        events = ui_run.run_events(store, run_id, ui_run.facts(self.sha256), steps=steps, evil=evil)
        ui_run.record(self.runs.root / run_id, events[: len(events) - cut])
        return run_id


@contextmanager
def site(folder: Path) -> Iterator[Site]:
    """Serve a page on a free port with a browser beside it."""
    expect.set_options(timeout=PATIENCE_MS)
    path = browser.chromium_path()
    assert path, f"no browser: run `{Path(sys.executable).name} tests/browser.py` first"
    settings = Settings(data_dir=folder / "data", port=0, **RAN)  # type: ignore[arg-type]
    settings.data_dir.mkdir(parents=True)
    video = ui_run.video(folder)
    with open_video(video) as opened:
        sha256 = opened.facts.sha256
    port = free_port("127.0.0.1", 0)
    page, closing = served(settings, port)
    closing.shelf.open(video)
    try:
        with sync_playwright() as playwright:
            driver = playwright.chromium.launch(executable_path=path, args=browser.FLAGS)
            yield Site(
                f"http://127.0.0.1:{port}",
                closing.runs,
                settings.data_dir,
                video,
                driver,
                settings,
                closing.shelf,
                sha256,
            )
            driver.close()
    finally:
        closing.close()
        page.close(verbose=False)
