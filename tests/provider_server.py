"""A model provider on this machine: real HTTP, the wire formats of OpenAI chat completions and of Gemini, well and badly.

A test says what is answered, in order (the last answer is repeated), and reads what was sent from `requests`.
"""

from __future__ import annotations

import contextlib
import gzip
import json
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

KEY = "sk-test-0123456789abcdef"
KNOWN = ("/v1/chat/completions", "/v1/audio/transcriptions", "/v1/embeddings", ":generateContent")


@dataclass
class Received:
    method: str
    path: str
    headers: dict[str, str]
    raw: bytes
    body: Any = None
    hung_up_after_s: float | None = None

    @property
    def images(self) -> list[str]:
        """base64 of every picture sent, in order."""
        found: list[str] = []

        def walk(node: Any) -> None:
            if isinstance(node, dict):
                if isinstance(node.get("image_url"), dict):
                    found.append(node["image_url"]["url"].partition("base64,")[2])
                elif isinstance(node.get("inlineData"), dict):
                    found.append(node["inlineData"]["data"])
                else:
                    for value in node.values():
                        walk(value)
            elif isinstance(node, list):
                for value in node:
                    walk(value)

        walk(self.body)
        return found


@dataclass
class Answer:
    """`body` is JSON unless it is text or bytes. `stall_s`: silence first; `drip_s`: a pause after every byte;
    `cut_at`: the connection ends after so many bytes of the body, though more were announced."""

    body: Any = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    stall_s: float = 0.0
    drip_s: float = 0.0
    cut_at: int | None = None
    zipped: bool = False


Script = Answer | Callable[[Received], Answer]


def chat(text: str | None = "ok", finish: str | None = "stop", usage: Any = "some", **message: Any) -> Answer:
    body: dict[str, Any] = {
        "id": "c1", "object": "chat.completion", "created": 1, "model": "m",
        "choices": [{"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": text, **message}}],
    }  # fmt: skip
    if usage == "some":
        usage = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
    if usage is not None:
        body["usage"] = usage
    return Answer(body)


def gemini(text: str | None = "ok", finish: str | None = "STOP", **more: Any) -> Answer:
    candidate: dict[str, Any] = {"index": 0, "content": {"role": "model", "parts": [{"text": text}] if text else []}}
    if finish:
        candidate["finishReason"] = finish
    usage = {"promptTokenCount": 50, "candidatesTokenCount": 7, "thoughtsTokenCount": 3, "totalTokenCount": 60}
    return Answer({"candidates": [candidate], "usageMetadata": usage, "responseId": "r1", **more})


def refusal(status: int, message: str, **more: Any) -> Answer:
    return Answer({"error": {"message": message, "type": "invalid_request_error", "code": None, **more}}, status)


class ProviderServer:
    def __init__(self) -> None:
        self.requests: list[Received] = []
        self.script: list[Script] = [chat()]
        self.models: list[str] = ["m", "other"]
        self.file_states: list[dict[str, Any]] = [{"state": "ACTIVE"}]
        self.file_log: list[str] = []
        self.file_name = "files/abc"
        self._lock = threading.Lock()
        self._closing = threading.Event()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *args: Any) -> None:
                pass

            def do_POST(self) -> None:
                outer._post(self)

            def do_GET(self) -> None:
                outer._get(self)

            def do_DELETE(self) -> None:
                outer.file_log.append(f"delete {self.path.split('/')[-1]}")
                outer._send(self, Answer({}), None)

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.root = f"http://127.0.0.1:{self._server.server_port}"
        self.url = f"{self.root}/v1"
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def play(self, *script: Script) -> None:
        self.script = list(script)

    def close(self) -> None:
        self._closing.set()
        self._server.shutdown()
        self._server.server_close()

    # ---------------------------------------------------------------------------------------- answering
    def _post(self, http: BaseHTTPRequestHandler) -> None:
        raw = http.rfile.read(int(http.headers.get("content-length") or 0))
        if "/upload/" in http.path:
            self._upload(http, raw)
            return
        received = Received("POST", http.path, {k.lower(): v for k, v in http.headers.items()}, raw)
        with contextlib.suppress(ValueError):
            received.body = json.loads(raw)
        with self._lock:
            self.requests.append(received)
            step = self.script.pop(0) if len(self.script) > 1 else self.script[0]
        if not http.path.endswith(KNOWN) or "/v1/v1/" in http.path:
            self._send(http, Answer({"message": f"Cannot POST {http.path}"}, 404), received)
            return
        self._send(http, step(received) if callable(step) else step, received)

    def _get(self, http: BaseHTTPRequestHandler) -> None:
        if "/files/" in http.path:
            state = self.file_states.pop(0) if len(self.file_states) > 1 else self.file_states[0]
            self.file_log.append(f"get {state['state']}")
            self._send(http, Answer({**self._file(), **state}), None)
        elif "/v1beta/models" in http.path:
            rows = [
                {"name": f"models/{name}", "supportedGenerationMethods": ["generateContent"]} for name in self.models
            ]
            self._send(http, Answer({"models": rows}), None)
        elif http.path == "/v1/models":
            self._send(http, Answer({"object": "list", "data": [{"id": name} for name in self.models]}), None)
        else:
            self._send(http, Answer({"message": f"Cannot GET {http.path}"}, 404), None)

    def _file(self) -> dict[str, Any]:
        return {"name": self.file_name, "uri": f"{self.root}/v1beta/{self.file_name}", "mimeType": "video/mp4"}

    def _upload(self, http: BaseHTTPRequestHandler, raw: bytes) -> None:
        if http.headers.get("x-goog-upload-command") == "start":
            self.file_name = json.loads(raw)["file"].get("name") or self.file_name
            self._send(http, Answer({}, headers={"x-goog-upload-url": f"{self.root}/upload/v1beta/session"}), None)
            return
        self.file_log.append(f"upload {len(raw)}")
        answer = Answer({"file": {**self._file(), **self.file_states[0]}}, headers={"x-goog-upload-status": "final"})
        self._send(http, answer, None)

    def _send(self, http: BaseHTTPRequestHandler, answer: Answer, received: Received | None) -> None:
        body = answer.body if isinstance(answer.body, str | bytes) else json.dumps(answer.body)
        data = body.encode() if isinstance(body, str) else body
        if answer.zipped:
            data = gzip.compress(data)
        started = time.monotonic()
        try:
            self._silence(http, answer.stall_s)
            http.send_response(answer.status)
            headers = {"content-type": "application/json", **answer.headers}
            if answer.zipped:
                headers["content-encoding"] = "gzip"
            for name, value in headers.items():
                http.send_header(name, value)
            http.send_header("content-length", str(len(data)))
            http.end_headers()
            shown = data if answer.cut_at is None else data[: answer.cut_at]
            if answer.drip_s:
                for byte in shown:
                    http.wfile.write(bytes([byte]))
                    http.wfile.flush()
                    self._silence(http, answer.drip_s)
            else:
                http.wfile.write(shown)
            if answer.cut_at is not None:
                http.close_connection = True
        except OSError:
            http.close_connection = True
            if received:
                received.hung_up_after_s = time.monotonic() - started

    def _silence(self, http: BaseHTTPRequestHandler, seconds: float) -> None:
        """Wait, noticing when the client hangs up."""
        deadline = time.monotonic() + seconds
        http.connection.settimeout(0.02)
        try:
            while time.monotonic() < deadline and not self._closing.is_set():
                try:
                    if http.connection.recv(1) == b"":
                        raise ConnectionError("the client hung up")
                except TimeoutError:
                    continue
        finally:
            http.connection.settimeout(None)


@contextlib.contextmanager
def provider() -> Iterator[ProviderServer]:
    server = ProviderServer()
    try:
        yield server
    finally:
        server.close()
