"""Opening the page: the default browser, or a window of its own in a Chromium-family browser. Knows no gradio."""

from __future__ import annotations

import os
import shutil
import subprocess
import webbrowser
from pathlib import Path

BROWSERS = (
    "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "microsoft-edge", "brave-browser",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
    r"C:\Program Files\Google\Chrome\Application\chrome.exe",
    r"C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe",
)  # fmt: skip
"""Looked for in this order, after `VESTA_CHROMIUM`."""


SIZE = (1440, 900)
"""Of a new window: wide enough for both columns. The browser remembers what the user makes of it."""


def chromium() -> str | None:
    """A Chromium-family browser of this machine, or None."""
    for name in (os.environ.get("VESTA_CHROMIUM", ""), *BROWSERS):
        found = shutil.which(name) if name else None
        if found:
            return found
    return None


def show(url: str, *, app: bool, profile: Path) -> subprocess.Popen[bytes] | None:
    """Open the page. With `app` and a browser for it, returns the window's process: it ends when the window is closed."""
    browser = chromium() if app else None
    if browser is None:
        webbrowser.open(url)
        return None
    # a profile of its own: otherwise the call hands over to a running browser and returns at once
    flags = [
        f"--app={url}", f"--user-data-dir={profile}", f"--window-size={SIZE[0]},{SIZE[1]}", "--no-first-run",
        "--no-default-browser-check", "--disable-background-mode",
    ]  # fmt: skip
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        flags += ["--no-sandbox", "--test-type"]  # root has no sandbox; without the second a banner lies on the page
    return subprocess.Popen([browser, *flags], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
