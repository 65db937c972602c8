"""Speech models that are named, not given as a folder: fetched once from a hub on this machine, told, and stopped."""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from models_help import stopped_within

from vesta_ui import transcript
from vesta_ui.control import Control
from vesta_ui.errors import BadSpec

REPOSITORY, REVISION = "someone/whisper-odd", "0" * 40
FILES = {"config.json": b"{}", "tokenizer.json": b"{}", "model.bin": bytes(6_000_000), "README.md": b"not wanted"}


class Hub:
    """The few addresses of a hub that a download asks for. `pause_s`: between two pieces of a file."""

    def __init__(self) -> None:
        self.pause_s = 0.0
        self.asked: list[str] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *args: Any) -> None:
                pass

            def do_HEAD(self) -> None:
                self.do_GET()

            def do_GET(self) -> None:
                name = self.path.rpartition("/")[2]
                if "/resolve/" in self.path:
                    body, kind = FILES[name], "application/octet-stream"
                elif "/tree/" in self.path:
                    rows = [{"type": "file", "path": n, "size": len(d), "oid": digest(d)} for n, d in FILES.items()]
                    body, kind = json.dumps(rows).encode(), "application/json"
                else:
                    rows = [{"rfilename": n} for n in FILES]
                    body, kind = (
                        json.dumps({"id": REPOSITORY, "sha": REVISION, "siblings": rows}).encode(),
                        "application/json",
                    )
                self.send_response(200)
                self.send_header("content-type", kind)
                self.send_header("content-length", str(len(body)))
                self.send_header("etag", f'"{digest(body)}"')
                self.send_header("x-repo-commit", REVISION)
                self.end_headers()
                if self.command == "HEAD":
                    return
                outer.asked.append(name)
                try:
                    for at in range(0, len(body), 500_000):
                        self.wfile.write(body[at : at + 500_000])
                        time.sleep(outer.pause_s)
                except OSError:
                    pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()


def digest(data: bytes) -> str:
    return hashlib.sha1(data, usedforsecurity=False).hexdigest()


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    made = Hub()
    address = f"http://127.0.0.1:{made.server.server_port}"
    monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", address)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setattr(
        "huggingface_hub.constants.HUGGINGFACE_CO_URL_TEMPLATE", address + "/{repo_id}/resolve/{revision}/{filename}"
    )
    yield made
    made.server.shutdown()
    made.server.server_close()


def test_a_named_model_is_fetched_once_and_how_far_is_told(
    hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    control, told = Control(), list[str]()
    within = Control(within=control)
    monkeypatch.setattr(within, "tell", lambda text: (told.append(text), Control.tell(within, text)))
    folder = transcript._weights(f"faster-whisper:{REPOSITORY}", tmp_path, "", within)
    assert (folder / "model.bin").read_bytes() == FILES["model.bin"]
    assert "README.md" not in hub.asked
    assert any("fetching the speech model" in text and "% of 6 MB" in text for text in told)
    assert told[-1] == control.waiting == ""
    hub.asked.clear()
    assert transcript._weights(f"faster-whisper:{REPOSITORY}", tmp_path, "", Control()) == folder
    assert not hub.asked, "found in the cache, without asking the hub"


def test_fetching_ends_on_stop_and_shows_its_wait_meanwhile(
    hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub.pause_s = 0.5
    monkeypatch.setattr("huggingface_hub.constants.DOWNLOAD_CHUNK_SIZE", 500_000)
    control, shown = Control(), list[str]()

    def under_way() -> bool:
        shown.append(control.waiting)
        return "MB" in control.waiting

    took = stopped_within(
        control, lambda: transcript._weights(f"faster-whisper:{REPOSITORY}", tmp_path, "", control), under_way
    )
    assert took < 4 and "fetching the speech model" in shown[-1]
    assert control.waiting == ""


def test_a_size_nobody_has_is_named(hub: Hub, tmp_path: Path) -> None:
    with pytest.raises(BadSpec, match="no such speech model “enormous”"):
        transcript._weights("faster-whisper:enormous", tmp_path, "", Control())
    hub.server.shutdown()
    hub.server.server_close()
    with pytest.raises(BadSpec, match="the hub cannot be reached"):
        transcript._weights(f"faster-whisper:{REPOSITORY}", tmp_path, "", Control())
