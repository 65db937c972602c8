"""One self-contained page that a stranger can read and click, offline, from a file: `assets/export/` around JSON.

The document goes in as data that no browser runs; the script puts it on the page as text only, and a content policy
allows this one script and nothing from outside.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from vesta_ui.errors import BadInput
from vesta_ui.runs.export.document import Document, frames
from vesta_ui.runs.redact import Redacted

FOLDER = Path(__file__).resolve().parents[3] / "assets" / "export"
LARGEST_VIDEO = 60_000_000
"""Most bytes of a player copy inside a page."""


def page(
    document: Document, redacted: Sequence[Redacted], video: Path | None = None, copies: Path | None = None
) -> bytes:
    """`video`: a copy of it goes in, taken from the folder `copies` when it is there already. Raises `BadInput` when the video is too large to go in, `BadVideo` when it cannot be read."""
    data = document.data | {
        "redacted": [asdict(one) for one in redacted],
        "pictures": {sha: _uri("image/jpeg", jpeg) for sha, jpeg in frames(document).items()},
        "film": _uri("video/mp4", _copy(video, copies)) if video else "",
    }
    script, style = (FOLDER / "view.js").read_text("utf-8"), (FOLDER / "view.css").read_text("utf-8")
    allowed = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    title = html.escape(document.data["question"]["text"][:120])
    policy = (
        f"default-src 'none'; img-src data:; media-src data:; style-src 'unsafe-inline'; script-src 'sha256-{allowed}'"
    )
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>{style}</style>\n</head>\n<body>\n"
        "<noscript>This page needs JavaScript to show the run; nothing leaves your computer.</noscript>\n"
        f'<main id="page"></main>\n<script type="application/json" id="data">{embedded(data)}</script>\n'
        f"<script>{script}</script>\n</body>\n</html>\n"
    ).encode()


def embedded(data: object) -> str:
    """JSON that cannot end its script element, whatever it says."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def _uri(media_type: str, content: bytes) -> str:
    return f"data:{media_type};base64,{base64.b64encode(content).decode()}"


def _copy(path: Path, copies: Path | None) -> bytes:
    """The copy that browsers play."""
    from vesta_ui.control import Control
    from vesta_ui.playback import playable
    from vesta_ui.video import open_video

    with tempfile.TemporaryDirectory() as folder, open_video(path) as video:
        made = playable(video, copies or Path(folder), lambda share: None, Control())
        size = made.stat().st_size
        if size > LARGEST_VIDEO:
            raise BadInput(f"the video is {size / 1e6:.0f} MB, too large for one page: export without it")
        return made.read_bytes()
