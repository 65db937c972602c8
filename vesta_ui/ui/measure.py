"""The page in a real browser: event → screen, page ready, smoothness, memory; and pictures of every tab.

`python -m vesta_ui bench ui` serves a page with a data folder of its own, plays the recorded sample run into it as if it
were live, and reads the clock on both sides (one machine, one clock). Needs Playwright and a Chromium-family browser.
It is here, not beside the other benches, because it starts the page: `bench` lies below `ui` and imports nothing of it.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from vesta_ui import samples
from vesta_ui.bench import Tell
from vesta_ui.errors import BadInput
from vesta_ui.events import Event, LedgerUpdated, Observed, RunFinished, StepStarted, Warned
from vesta_ui.runs import recorder
from vesta_ui.runs.registry import Runs
from vesta_ui.runs.run import Run, new_id
from vesta_ui.settings import Settings
from vesta_ui.ui import desktop
from vesta_ui.ui.launch import free_port, served

MEDIAN_S, P95_S, READY_S, BLOCK_S = 0.150, 0.400, 3.0, 0.200
"""What is asked of the page: seconds."""
SIZES = {"laptop": (1366, 768), "projector": (1920, 1080), "narrow": (900, 800)}
WATCH = """() => { window.seen = {}; window.blocks = []; window.gaps = 0; let last = performance.now();
  new PerformanceObserver((list) => list.getEntries().forEach((e) => window.blocks.push(e.duration))).observe({ type: 'longtask' });
  new MutationObserver(() => document.querySelectorAll('#steps [data-step]').forEach((card) => {
    window.seen[card.dataset.step] ||= performance.timeOrigin + performance.now(); })).observe(document.querySelector('#steps'), { childList: true, subtree: true });
  const frame = (now) => { if (now - last > 50) window.gaps += Math.round((now - last) / 16.7) - 1; last = now; requestAnimationFrame(frame); };
  requestAnimationFrame(frame); }"""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--runs", type=int, default=20, help="runs played for the memory figure (default 20)")
    parser.add_argument("--pace", type=float, default=0.15, help="seconds between events (default 0.15)")
    parser.add_argument("--shots", type=Path, metavar="DIR", help="only take pictures of every tab, light and dark")


def run(chosen: argparse.Namespace, tell: Tell) -> int:
    """Exit code 1 when a target is missed. Raises `BadInput` without a browser, Playwright or recorded run."""
    source = samples.recorded()
    if source is None:
        raise BadInput("there is no recorded sample run to play: record one into assets/samples/recorded first")
    with tempfile.TemporaryDirectory(prefix="vesta-page-") as folder:
        settings = Settings(data_dir=Path(folder))
        with _served(settings) as (url, runs), _browser() as browser:
            if chosen.shots:
                return _shots(browser, url, samples.keep_recorded(runs.root), chosen.shots, tell)
            return _measure(browser, url, runs, recorder.read(source), chosen, tell)


def _measure(browser: Any, url: str, runs: Runs, trace: recorder.Trace, chosen: argparse.Namespace, tell: Tell) -> int:
    script = twenty_steps(trace.events)
    warm = browser.new_page(viewport={"width": 1366, "height": 768})
    warm.goto(url)
    warm.wait_for_function("window.VESTA && VESTA.live.bridge")
    warm.close()
    page = browser.new_page(viewport={"width": 1366, "height": 768})
    began = time.monotonic()
    page.goto(url)
    page.wait_for_function("window.VESTA && VESTA.live.bridge")
    ready = time.monotonic() - began
    page.evaluate(WATCH)
    page.evaluate("VESTA.timeline.warm()")
    page.wait_for_timeout(1500)
    page.evaluate("window.blocks = []; window.gaps = 0")
    delays: list[float] = []
    memory: list[float] = []
    for _ in range(chosen.runs):
        delays += _play(page, runs, trace.folder, script, chosen.pace)
        memory.append(_heap_mb(page))
    blocks = page.evaluate("window.blocks")
    p95 = statistics.quantiles(delays, n=20)[-1]
    figures = [
        ("event → screen, median", statistics.median(delays), MEDIAN_S),
        ("event → screen, p95", p95, P95_S),
        ("page ready", ready, READY_S),
        ("longest block of the main thread", max(blocks, default=0.0) / 1000, BLOCK_S),
    ]
    for name, seconds, target in figures:
        tell(f"{name:<36} {1000 * seconds:8.0f} ms   target {1000 * target:.0f} ms")
    tell(f"{'steps timed':<36} {len(delays):8d}")
    tell(f"{'frames not drawn in time':<36} {page.evaluate('window.gaps'):8d}")
    tell(f"{'JavaScript heap, first → last run':<36} {memory[0]:8.1f} → {memory[-1]:.1f} MB")
    missed = [name for name, seconds, target in figures if seconds > target]
    tell("every target met" if not missed else f"missed: {', '.join(missed)}")
    return 1 if missed else 0


def _play(page: Any, runs: Runs, folder: Path, script: Sequence[Event], pace_s: float) -> list[float]:
    """Seconds from each step's event to its card on the page."""
    run_id = new_id()
    live = Run(run_id, runs.root / run_id)
    (live.folder / recorder.FRAMES).parent.mkdir(parents=True)
    (live.folder / recorder.FRAMES).symlink_to(folder / recorder.FRAMES)
    runs.adopt(live)
    page.evaluate(f"window.seen = {{}}; VESTA.openRun('{run_id}')")
    page.wait_for_function(f"VESTA.values.status && VESTA.values.status.run === '{run_id}'")
    sent: dict[int, float] = {}
    for event in script:
        page.wait_for_timeout(1000 * pace_s)
        if isinstance(event, StepStarted):
            sent[event.step] = time.time()
        live.add(event)
    live.finish()
    page.wait_for_function(f"VESTA.values.answer && VESTA.values.answer.run === '{run_id}'")
    seen = page.evaluate("window.seen")
    return [seen[str(n)] / 1000 - at for n, at in sent.items() if str(n) in seen]


def twenty_steps(events: Sequence[Event], steps: int = 20) -> list[Event]:
    """The recorded run with its steps repeated until there are `steps`, renumbered; the answer stays last."""
    first = next(n for n, event in enumerate(events) if isinstance(event, StepStarted))
    kinds = (StepStarted, Observed, LedgerUpdated, Warned)
    by_step: dict[int, list[Event]] = {}
    for event in events[first:]:
        if not isinstance(event, RunFinished):
            by_step.setdefault(getattr(event, "step", 0), []).append(event)
    *looked, (_, last) = sorted(by_step.items())
    if not looked or not any(isinstance(e, kinds) for e in last):
        raise BadInput("the recorded run has no step before its answer")
    made: list[Event] = list(events[:first])
    for n in range(1, steps):
        for event in looked[(n - 1) % len(looked)][1]:
            changed = replace(event, step=n)  # type: ignore[arg-type]
            if isinstance(changed, LedgerUpdated):
                changed = replace(changed, entries=tuple(replace(e, id=f"{e.id}.{n}", step=n) for e in changed.entries))
            made.append(changed)
    made += [replace(event, step=steps) for event in last]  # type: ignore[arg-type]
    return [*made, events[-1]]


def _shots(browser: Any, url: str, run_id: str, folder: Path, tell: Tell) -> int:
    folder.mkdir(parents=True, exist_ok=True)
    for theme in ("light", "dark"):
        for size, (width, height) in SIZES.items():
            page = browser.new_page(viewport={"width": width, "height": height})
            page.goto(f"{url}/?__theme={theme}")
            page.wait_for_function("window.VESTA && VESTA.live.bridge")
            _player_shows(page)
            page.screenshot(path=folder / f"empty-{size}-{theme}.png")
            page.goto(f"{url}/?__theme={theme}&run={run_id}&step=1")
            page.wait_for_selector("#answer .letter")
            page.wait_for_selector("#timeline [data-drawn]")
            _player_shows(page)
            page.wait_for_timeout(1500)
            page.screenshot(path=folder / f"live-{size}-{theme}.png", full_page=size == "narrow")
            if size == "laptop":
                for tab in page.locator("#head [role=tab]").all()[1:]:
                    tab.click()
                    page.wait_for_timeout(700)
                    page.screenshot(path=folder / f"{tab.inner_text().lower()}-{theme}.png")
            page.close()
    tell(f"{len(list(folder.glob('*.png')))} pictures in {folder}")
    return 0


def _player_shows(page: Any) -> None:
    """Wait until the player's picture is on the screen: a video that is ready may not be painted yet."""
    page.wait_for_function("document.querySelector('#vid video')?.readyState > 1")
    page.evaluate("""() => new Promise((shown) => {
      const video = document.querySelector('#vid video');
      video.requestVideoFrameCallback(shown);
      setTimeout(shown, 3000);
      video.currentTime = video.currentTime;
    })""")


def _heap_mb(page: Any) -> float:
    session = page.context.new_cdp_session(page)
    session.send("HeapProfiler.collectGarbage")
    used = float(session.send("Runtime.getHeapUsage")["usedSize"]) / 1e6
    session.detach()
    return used


@contextmanager
def _served(settings: Settings) -> Iterator[tuple[str, Runs]]:
    port = free_port("127.0.0.1", 0)
    page, closing = served(settings, port)
    try:
        yield f"http://127.0.0.1:{port}", closing.runs
    finally:
        closing.close()
        page.close(verbose=False)


@contextmanager
def _browser() -> Iterator[Any]:
    path = desktop.chromium()
    if path is None:
        raise BadInput("no Chromium-family browser was found: install one or set VESTA_CHROMIUM to it")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError as error:
        raise BadInput("Playwright is missing: pip install -r tests/requirements.txt") from error
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=path, args=["--no-sandbox", "--disable-background-networking"]
        )
        try:
            yield browser
        finally:
            browser.close()
