"""`python app.py --desktop`: a window without browser chrome, and what closing it does. A stand-in plays the browser."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

APP = Path(__file__).parents[1] / "app.py"


@pytest.fixture
def window(tmp_path: Path) -> Path:
    """A browser that notes how it was called and is closed at once; returns where it notes it."""
    noted, browser = tmp_path / "called", tmp_path / "browser"
    browser.write_text(f"#!{sys.executable}\nimport sys\nopen({str(noted)!r}, 'w').write('\\n'.join(sys.argv[1:]))\n")
    browser.chmod(0o755)
    return noted


def started(window: Path, *flags: str) -> subprocess.Popen[str]:
    surroundings = os.environ | {
        "VESTA_CHROMIUM": str(window.with_name("browser")),
        "VESTA_DATA_DIR": str(window.parent),
    }
    call = [sys.executable, str(APP), "--desktop", "--port", "0", *flags]
    return subprocess.Popen(call, env=surroundings, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)


@pytest.fixture
def stopping() -> Iterator[list[subprocess.Popen[str]]]:
    servers: list[subprocess.Popen[str]] = []
    yield servers
    for server in servers:
        server.kill()
        server.wait()


@pytest.mark.skipif(os.name == "nt", reason="the stand-in is a script with a #! line")
def test_closing_the_window_ends_the_server(window: Path, stopping: list[subprocess.Popen[str]]) -> None:
    server = started(window)
    stopping.append(server)
    said, _ = server.communicate(timeout=120)
    assert server.returncode == 0
    url = re.search(r"http://\S+", said)
    assert url and f"--app={url[0]}" in window.read_text().splitlines()


@pytest.mark.skipif(os.name == "nt", reason="the stand-in is a script with a #! line")
def test_the_server_can_outlive_its_window(window: Path, stopping: list[subprocess.Popen[str]]) -> None:
    server = started(window, "--stay")
    stopping.append(server)
    assert server.stdout
    for line in server.stdout:
        if "still serving" in line:
            break
    url = re.search(r"http://\S+", line)
    assert url and urllib.request.urlopen(url[0], timeout=20).status == 200
