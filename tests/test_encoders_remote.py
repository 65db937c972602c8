"""The remote encoder over real HTTP to a server of this machine, well and badly behaved."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
import pytest
from models_help import stopped_within

from vesta_ui import encoders
from vesta_ui.control import Control
from vesta_ui.encoders import SceneContent, remote
from vesta_ui.errors import BadSpec, ModelFailed


class Server:
    """Answers `POST /v1/embeddings` with letter counts; `script` holds (status, body) answers that go first."""

    def __init__(self) -> None:
        self.bodies: list[Any] = []
        self.keys: list[str | None] = []
        self.script: list[tuple[int, bytes]] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *args: Any) -> None: ...

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                outer.bodies.append((self.path, body))
                outer.keys.append(self.headers.get("authorization"))
                status, data = outer.script.pop(0) if outer.script else (200, outer.embed(body))
                self.send_response(status)
                self.end_headers()
                self.wfile.write(data)

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.http.serve_forever, args=(0.02,), daemon=True).start()
        self.url = f"http://127.0.0.1:{self.http.server_port}/v1"

    @staticmethod
    def embed(body: Any) -> bytes:
        rows = []
        for index, item in enumerate(body["input"]):
            text = item if isinstance(item, str) else "zz"
            row = [float(text.lower().count(letter)) for letter in "abcdefghijklmnopqrstuvwxyz"]
            rows.append({"index": index, "embedding": row})
        return json.dumps({"data": rows[::-1]}).encode()  # order is by index, not by place


@pytest.fixture
def server(monkeypatch) -> Iterator[Server]:
    monkeypatch.setattr(remote, "BACKOFF_S", 0.001)
    one = Server()
    yield one
    one.http.shutdown()
    one.http.server_close()


def said(text: str, images: int = 0) -> SceneContent:
    return SceneContent(tuple(np.zeros((30, 40, 3), np.uint8) for _ in range(images)), text, "", "")


def test_scenes_and_queries_share_a_space(server):
    encoder = encoders.load(f"remote:m@{server.url}")
    assert encoder.dimensions == 26 and not encoder.uses_images
    rows = encoder.scenes([said("aaa b"), said("zzz"), said("")])
    assert int(np.argmax(rows @ encoder.query("z"))) == 1
    assert server.bodies[-1] == ("/v1/embeddings", {"model": "m", "input": ["z"], "encoding_format": "float"})
    assert server.keys[-1] is None


def test_frames_are_sent_where_the_server_takes_them(server):
    encoder = encoders.load(f"remote:m+images@{server.url}")
    rows = encoder.scenes([said("aaa", images=2), said("", images=1)])
    items = server.bodies[-1][1]["input"]
    assert [isinstance(item, dict) for item in items] == [True, True, False, True]
    assert items[0]["image"].startswith("data:image/jpeg;base64,")
    assert rows[0][0] > 0 and rows[0][25] > rows[1][0] == 0


def test_the_key_is_sent_and_never_told(server, monkeypatch):
    monkeypatch.setenv("VESTA_COMPATIBLE_API_KEY", "secret-key-of-mine")
    encoder = encoders.load(f"remote:m@{server.url}")
    assert server.keys == [] and encoder.dimensions == 26, "nobody is asked before it is needed"
    assert server.keys == ["Bearer secret-key-of-mine"]
    assert "secret" not in encoder.name
    server.script = [(401, b"bad key secret-key-of-mine")]
    with pytest.raises(ModelFailed) as told:
        encoder.query("x")
    assert told.value.kind == "auth" and "secret-key" not in str(told.value)


def test_a_busy_server_is_asked_again_and_a_dead_one_named(server):
    encoder = encoders.load(f"remote:m@{server.url}")
    server.script = [(503, b"later"), (429, b"slow down")]
    assert encoder.query("a")[0] == 1
    server.script = [(503, b"later")] * remote.TRIES
    with pytest.raises(ModelFailed, match="later") as told:
        encoder.query("a")
    assert told.value.kind == "server"
    server.http.shutdown()
    server.http.server_close()
    with pytest.raises(ModelFailed, match="connection failed") as told:
        encoder.query("a")
    assert told.value.kind == "connection"


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (401, b"no", "auth"),
        (402, b"pay", "quota"),
        (404, b'{"error": "model not found"}', "not_found"),
        (404, b"<html><title>404 Not Found</title></html>", "not_found"),
        (413, b"<html>", "too_large"),
        (400, b'{"error": {"message": "maximum context length is 512 tokens"}}', "context_too_long"),
        (429, b'{"error": {"code": "insufficient_quota", "message": "quota"}}', "quota"),
        (429, b"Please try again in 20m", "rate_limited"),
    ],
)
def test_failures_have_their_kind_and_are_not_repeated(server, status, body, kind):
    encoder = encoders.load(f"remote:m@{server.url}")
    server.script = [(status, body)]
    with pytest.raises(ModelFailed) as told:
        encoder.query("a")
    assert (told.value.kind, len(server.bodies)) == (kind, 1)
    assert "<html" not in str(told.value)


def test_a_rate_limits_wait_is_shown_and_stoppable(server):
    control = Control()
    encoder = encoders.load(f"remote:m@{server.url}", control)
    server.script = [(429, b"Please try again in 100s")] * 9
    shown: list[str] = []

    def waits() -> bool:
        shown.append(control.waiting)
        return bool(shown[-1])

    assert stopped_within(control, lambda: encoder.query("a"), waits) < 5
    assert "remote:m: rate limited" in shown[-1]


@pytest.mark.parametrize(
    "body",
    [
        b"<html>",
        b"{}",
        b'{"data": []}',
        b'{"data": [{"index": 0, "embedding": [NaN]}]}',
        b'{"data": [{"index": 0}]}',
        b"[]",
    ],
)
def test_an_answer_that_is_no_embedding_is_refused(server, body):
    encoder = encoders.load(f"remote:m@{server.url}")
    server.script = [(200, body)]
    with pytest.raises(ModelFailed) as told:
        encoder.query("a")
    assert told.value.kind == "malformed"


@pytest.mark.parametrize(
    "spec",
    ["remote", "remote:m", "remote:@http://x", "remote:m@no where", "remote:m@http://u:p@h/v1", "remote:m@u:p@h/v1"],
)
def test_bad_specs(spec):
    with pytest.raises(BadSpec):
        encoders.load(spec)
