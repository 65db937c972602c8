"""The videos this server knows: by content hash, with the copy a browser plays. Remembered across restarts.

A key is a video's sha256 or "sample:NAME". Paths stay on this side: the page sees keys only.
"""

from __future__ import annotations

import logging
import re
import threading
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from vesta_ui import samples
from vesta_ui.control import Control
from vesta_ui.domain import VideoFacts
from vesta_ui.errors import BadInput, VestaError
from vesta_ui.playback import DECODED, playable
from vesta_ui.runs import book

log = logging.getLogger(__name__)
SHA = re.compile(r"[0-9a-f]{64}")
FILE = "file"
"""What is played, where it is the video itself; a copy has a name of its own."""
NOT_HERE = "This video cannot be played here; questions still work."


@dataclass(slots=True)
class Known:
    """A video, and how far its playable copy is. `share` in [0, 1]; `error` is one sentence. `played` names `playable`."""

    path: Path
    facts: VideoFacts | None = None
    playable: Path | None = None
    share: float = 0.0
    error: str = ""
    control: Control = field(default_factory=Control)
    working: bool = False
    refused: bool = False
    played: str = ""
    copies: dict[str, Path] = field(default_factory=dict)


class Shelf:
    """Thread-safe. Opens videos, prepares their playable copies in the background, and finds them again by key."""

    def __init__(self, data_dir: Path) -> None:
        self.folder = data_dir / "playback"
        self._data_dir = data_dir
        self._known: dict[str, Known] = {}
        self._samples: dict[str, str] = {}
        self._lock = threading.RLock()

    def open(self, path: Path) -> Known:
        """Probe a file and start on its playable copy. Raises `BadVideo`."""
        from vesta_ui.video import open_video

        with open_video(path) as video:
            facts = video.facts
        with self._lock:
            known = self._known.setdefault(facts.sha256, Known(path))
            known.path, known.facts = path, facts
            book.remember(self._data_dir, facts.sha256, path)
            if known.playable is None and not known.working:
                self._start(known)
        return known

    def refuse(self, key: str, played: str) -> None:
        """A browser could not play what is named: make what it can play from what our own decoder reads.

        Does nothing when that is no longer what is played, or came from our decoder. Raises `BadInput` as `find` does.
        """
        known = self.find(key)
        with self._lock:
            if played and played == known.played and not played.endswith(DECODED):
                known.refused, known.playable, known.played, known.share = True, None, "", 0.0
                self._start(known)

    def media(self, key: str, played: str) -> Path | None:
        """The file of a name in `state`; what is played now for any other. A page that plays the one before goes on."""
        known = self.find(key)
        return known.path if played == FILE else known.copies.get(played, known.playable)

    def _start(self, known: Known) -> None:
        known.working, known.error = True, ""
        threading.Thread(target=self._prepare, args=(known,), name="playback", daemon=True).start()

    def find(self, key: str) -> Known:
        """The video of a key. Raises `BadInput` when it is not known or no longer there."""
        if key.startswith("sample:"):
            name = key.removeprefix("sample:")
            sha = self._samples.get(name)
            if sha is None:
                known = self.open(samples.find(name).path)
                self._samples[name] = known.facts.sha256 if known.facts else ""
                return known
            key = sha
        if not SHA.fullmatch(key):
            raise BadInput("choose a video first: a sample, a path, or an upload")
        with self._lock:
            if key in self._known:
                return self._known[key]
            path = book.known(self._data_dir).get(key)
        if path is None or not Path(path).is_file():
            raise BadInput("the file of this video is not where it was: open it again by its path")
        known = self.open(Path(path))
        if known.facts and known.facts.sha256 != key:
            raise BadInput("the file of this video now holds another one: open the right file by its path")
        return known

    def state(self, key: str) -> dict[str, Any]:
        """What the player needs to know; never a path."""
        known = self.find(key)
        facts = asdict(known.facts) if known.facts else {}
        return facts | {
            "sample": known.path.stem if known.path.parent == samples.FOLDER else "",
            "key": known.facts.sha256 if known.facts else key,
            "ready": known.playable is not None,
            "played": known.played,
            "decoded": known.played.endswith(DECODED),
            "share": round(known.share, 3),
            "error": known.error,
        }

    def list(self) -> list[dict[str, str]]:
        """Key and name of every video remembered whose file is still there."""
        with self._lock:
            known = book.known(self._data_dir)
        return [{"key": sha, "name": Path(path).name} for sha, path in known.items() if Path(path).is_file()]

    def _prepare(self, known: Known) -> None:
        from vesta_ui.video import open_video

        def progress(share: float) -> None:
            known.share = share

        try:
            with open_video(known.path) as video:
                made = playable(video, self.folder, progress, known.control, refused=known.refused)
                known.played = FILE if made == video.path else made.stem.removeprefix(f"{video.facts.sha256}-")
                known.copies[known.played] = made
                known.playable = made
        except VestaError as error:
            known.error = f"{NOT_HERE} It was tried: {error}" if known.refused else str(error)
        except Exception:
            log.exception("the playable copy of %s could not be made", known.path.name)
            known.error = NOT_HERE
        finally:
            known.working = False
