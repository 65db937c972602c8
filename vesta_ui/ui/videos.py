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
from vesta_ui.runs import book

log = logging.getLogger(__name__)
SHA = re.compile(r"[0-9a-f]{64}")


@dataclass(slots=True)
class Known:
    """A video, and how far its playable copy is. `share` in [0, 1]; `error` is one sentence."""

    path: Path
    facts: VideoFacts | None = None
    playable: Path | None = None
    share: float = 0.0
    error: str = ""
    control: Control = field(default_factory=Control)
    working: bool = False


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
                known.working, known.error = True, ""
                threading.Thread(target=self._prepare, args=(known,), name="playback", daemon=True).start()
        return known

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
            "share": round(known.share, 3),
            "error": known.error,
        }

    def list(self) -> list[dict[str, str]]:
        """Key and name of every video remembered whose file is still there."""
        with self._lock:
            known = book.known(self._data_dir)
        return [{"key": sha, "name": Path(path).name} for sha, path in known.items() if Path(path).is_file()]

    def _prepare(self, known: Known) -> None:
        from vesta_ui.playback import playable
        from vesta_ui.video import open_video

        def progress(share: float) -> None:
            known.share = share

        try:
            with open_video(known.path) as video:
                known.playable = playable(video, self.folder, progress, known.control)
        except VestaError as error:
            known.error = str(error)
        except Exception:
            log.exception("the playable copy of %s could not be made", known.path.name)
            known.error = "no copy of this video that a browser plays could be made; asking still works"
        finally:
            known.working = False
