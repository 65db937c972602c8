"""The browser's half of the page: `assets/page/` joined into one script and one style sheet. Knows no gradio."""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2] / "assets"
FOLDER = ROOT / "page"
FIRST = ("base", "store")
"""Scripts that others build on; the rest follow by name."""


@cache
def script() -> str:
    """Every script of the page, `FIRST` first, as one classic script."""
    files = sorted(FOLDER.glob("*.js"), key=lambda p: (FIRST.index(p.stem) if p.stem in FIRST else len(FIRST), p.stem))
    return "\n".join(path.read_text("utf-8") for path in files)


@cache
def plotly() -> str:
    """The plotly.js that plotly.py carries."""
    import plotly as package

    return (Path(package.__file__).parent / "package_data" / "plotly.min.js").read_text("utf-8")


@cache
def packed(text: Callable[[], str]) -> bytes:
    """What `text` returns, by gzip."""
    return gzip.compress(text().encode(), compresslevel=5)


@cache
def style() -> str:
    files = sorted(FOLDER.glob("*.css"), key=lambda p: (p.stem != "base", p.stem))
    return "\n".join(path.read_text("utf-8") for path in files)


def version() -> str:
    """Changes whenever the script does, so that a browser never runs a stale one."""
    return hashlib.sha256(script().encode()).hexdigest()[:12]
