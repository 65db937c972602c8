"""Makes sure a Chromium-family browser is there for the browser tests: `python tests/browser.py`.

Found on PATH or in VESTA_CHROMIUM; else installed by apt-get (as root or with sudo); else by `playwright install chromium`.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "microsoft-edge")
FLAGS = [
    "--no-sandbox", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run",
    "--autoplay-policy=no-user-gesture-required", "--disable-dev-shm-usage",
]  # fmt: skip


def chromium_path() -> str | None:
    """Path of a browser, or None. One that Playwright keeps itself counts too."""
    for name in (os.environ.get("VESTA_CHROMIUM", ""), *NAMES):
        found = shutil.which(name) if name else None
        if found:
            return found
    try:
        from playwright.sync_api import sync_playwright

        with sync_playwright() as playwright:
            kept = Path(playwright.chromium.executable_path)
    except Exception:
        return None
    return str(kept) if kept.is_file() else None


def install() -> str | None:
    """Try each way in turn; what they print goes to standard error."""
    admin = [] if hasattr(os, "geteuid") and os.geteuid() == 0 else ["sudo", "-n"]
    ways = []
    if shutil.which("apt-get") and (not admin or shutil.which("sudo")):
        ways += [
            [[*admin, "apt-get", "update"], [*admin, "apt-get", "install", "-y", "--no-install-recommends", "chromium"]]
        ]
    ways += [[[sys.executable, "-m", "playwright", "install", "chromium"]]]
    for way in ways:
        if all(subprocess.run(step, stdout=sys.stderr, check=False).returncode == 0 for step in way):
            found = chromium_path()
            if found:
                return found
    return None


if __name__ == "__main__":
    path = chromium_path() or install()
    if path is None:
        sys.exit(
            "no browser could be installed: install Chromium and set VESTA_CHROMIUM to it, then run the tests again"
        )
    print(path)
