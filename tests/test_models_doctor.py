"""The provider doctor against servers that are right and wrong in many ways."""

from __future__ import annotations

import base64
import contextlib
import json
import re
import socket
import socketserver
import ssl
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from models_help import stopped_within
from provider_server import Answer, ProviderServer, Received, chat, provider, refusal

from vesta_ui.__main__ import main
from vesta_ui.control import Control
from vesta_ui.errors import ModelFailed
from vesta_ui.models import asking
from vesta_ui.models.doctor import Check, examine
from vesta_ui.models.remedies import remedy
from vesta_ui.settings import Settings


def colours(received: Received) -> list[str]:
    """What a model with eyes would say."""
    found = []
    for image in received.images:
        blue, _, red = cv2.imdecode(np.frombuffer(base64.b64decode(image), np.uint8), 1).mean(axis=(0, 1))
        found.append("Red" if red > blue else "blue")
    return found


def good(received: Received) -> Answer:
    if received.images:
        return chat(json.dumps({"colours": colours(received)}))
    if received.body.get("response_format"):
        return chat('{"colours": ["red", "yellow", "green"]}')
    return chat("ready")


def checks(
    server: ProviderServer, settings: Settings, play: Callable[[Received], Answer] | Answer, name: str = "m"
) -> dict[str, Check]:
    server.play(play)
    return {check.name: check for check in examine(f"compatible:{name}@{server.url}", settings, Control())}


def test_a_good_server(server: ProviderServer, settings: Settings) -> None:
    found = checks(server, settings, good)
    assert {name: check.verdict for name, check in found.items()} == {
        "reachable": "good", "answers": "good", "structured output": "good", "pictures": "good", "price": "weak",
    }  # fmt: skip
    assert "compatible:m" in found["price"].fix


@pytest.mark.parametrize(("name", "says"), [("M", "write m"), ("othr", "other")])
def test_wrong_names_are_told_from_right_ones(server: ProviderServer, settings: Settings, name: str, says: str) -> None:
    found = checks(server, settings, refusal(404, "model not found"), name)
    assert found["model"].verdict == "weak"
    assert says in found["model"].fix
    assert found["answers"].verdict == "bad"


def test_a_server_that_answers_to_any_name_is_good_enough(server: ProviderServer, settings: Settings) -> None:
    found = checks(server, settings, good, "alias")
    assert (found["model"].verdict, found["answers"].verdict) == ("weak", "good")


def blind(received: Received) -> Answer:
    return chat(json.dumps({"colours": ["green"] * len(received.images)})) if received.images else good(received)


def no_vision(received: Received) -> Answer:
    return refusal(500, "image input is not supported by this server") if received.images else good(received)


def one_image(received: Received) -> Answer:
    if len(received.images) > 1:
        return Answer(
            {"object": "error", "message": "At most 1 image(s) may be provided in one request.", "code": 400}, 400
        )
    if received.images and "contact sheet" in json.dumps(received.body):
        return chat('{"colours": ["red", "blue"]}')
    return good(received)


def no_schema(received: Received) -> Answer:
    return (
        refusal(400, "response_format is not supported") if "response_format" in received.body else good_text(received)
    )


def good_text(received: Received) -> Answer:
    return chat(json.dumps({"colours": colours(received)})) if received.images else chat('{"colours": ["red"]}')


@pytest.mark.parametrize(
    ("play", "name", "verdict", "says"),
    [
        (blind, "pictures", "bad", "do not reach it"),
        (Answer({"error": {"code": 503, "message": "Loading model"}}, 503), "answers", "bad", "Loading"),
        (no_vision, "pictures", "bad", "takes no images"),
        (one_image, "pictures", "weak", "contact sheet"),
        (no_schema, "structured output", "weak", "text"),
        (refusal(401, "Incorrect API key"), "answers", "bad", "auth"),
        (Answer("<html><title>It works!</title></html>"), "answers", "bad", "It works!"),
        (refusal(429, "insufficient quota", code="insufficient_quota"), "answers", "bad", "quota"),
        (chat(""), "answers", "bad", "empty"),
    ],
)
def test_what_is_wrong_is_named(
    server: ProviderServer, settings: Settings, play: Any, name: str, verdict: str, says: str
) -> None:
    check = checks(server, settings, play)[name]
    assert check.verdict == verdict, check
    assert says in check.text
    assert len(check.fix) > 20 and "reason" not in check.fix


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (refusal(401, "Incorrect API key"), "VESTA_COMPATIBLE_API_KEY"),
        (refusal(403, "Country, region, or territory not supported"), "does not serve this country"),
        (refusal(404, "The model `m` does not exist", code="model_not_found"), "model's name"),
        (Answer("<html><title>It works!</title></html>"), "address of a web page"),
        (refusal(402, "Payment required"), "billing page"),
        (replace(refusal(429, "slow down"), headers={"retry-after": "900"}), "wait a minute"),
        (
            Answer("", 307, {"location": "https://elsewhere.example/API/v1/chat/completions"}),
            "compatible:m@https://elsewhere.example/API/v1",
        ),
        (Answer("", 302, {"location": "/login?next=%2Fv1"}), "no endpoint of an API"),
        (refusal(500, "CUDA out of memory"), "smaller model"),
        (refusal(500, "upstream is overloaded"), "ask again later"),
        (refusal(400, "maximum context length is 512 tokens"), "OLLAMA_CONTEXT_LENGTH"),
        (refusal(400, "The response was filtered", code="content_filter"), "content filter"),
        (chat(None, refusal="no"), "refuses even a harmless question"),
        (chat(""), "chat model"),
        (chat("", "length"), "thinks less"),
        (replace(chat(), stall_s=60), "--model-timeout"),
    ],
)
def test_each_failure_has_its_own_remedy(server: ProviderServer, settings: Settings, answer: Answer, says: str) -> None:
    assert says in checks(server, replace(settings, model_timeout_s=0.5), answer)["answers"].fix


@pytest.mark.parametrize(("spec", "name", "says"), [("openai:o3", "key", "OPENAI_API_KEY"), ("gemini:g", "key", "GEMINI_API_KEY"),
                                                    ("what", "spec", "compatible:MODEL@URL"), ("compatible:m@http://127.0.0.1:99999/v1", "spec", "MODEL@URL")])  # fmt: skip
def test_what_is_not_configured_is_said_before_anything_is_asked(
    settings: Settings, spec: str, name: str, says: str
) -> None:
    (only,) = examine(spec, settings, Control())
    assert (only.name, only.verdict) == (name, "bad")
    assert says in only.fix


def test_a_key_that_cannot_be_one_and_a_broken_price_table(
    server: ProviderServer, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VESTA_COMPATIBLE_API_KEY", "“sk-copied”")
    (only,) = examine(f"compatible:m@{server.url}", settings, Control())
    assert only.name == "key" and "copy it again" in only.text
    monkeypatch.delenv("VESTA_COMPATIBLE_API_KEY")
    settings.data_dir.mkdir(parents=True, exist_ok=True)
    (settings.data_dir / "prices.json").write_text("{")
    (only,) = examine(f"compatible:m@{server.url}", settings, Control())
    assert only.name == "price table" and "prices.json" in only.fix
    assert [c.verdict for c in examine("embedded", settings, Control())] == ["good"]


def test_a_move_inside_the_server_is_told_as_a_whole_spec(server: ProviderServer, settings: Settings) -> None:
    found = checks(server, settings, Answer("", 308, {"location": "/moved/v1/chat/completions"}))
    assert found["answers"].fix.endswith(f"compatible:m@{server.root}/moved/v1")


def test_the_right_path_is_found_when_the_wrong_one_was_written(server: ProviderServer, settings: Settings) -> None:
    (only,) = examine(f"compatible:m@{server.root}/wrong", settings, Control())
    assert only.verdict == "bad"
    assert f"write compatible:m@{server.root}/v1" in only.fix


def test_stop_is_heard_while_the_list_is_awaited(settings: Settings) -> None:
    asked: list[bytes] = []
    with listening(b"", asked, hangs=True) as port:
        control = Control()
        look = examine(f"compatible:m@http://127.0.0.1:{port}/v1", settings, control)
        assert stopped_within(control, lambda: next(look), lambda: asked) < 5


# ------------------------------------------------------------------------------------- no model server at all
@contextlib.contextmanager
def listening(
    reply: bytes, asked: list[bytes] | None = None, hangs: bool = False, tls: ssl.SSLContext | None = None
) -> Iterator[int]:
    """A port on which every connection gets these bytes, whatever it says, and is closed."""

    class Handler(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            with contextlib.suppress(OSError):
                link = tls.wrap_socket(self.request, server_side=True) if tls else self.request
                if asked is not None:
                    asked.append(link.recv(65_536))
                if hangs:
                    over.wait(60)
                link.sendall(reply)
                link.shutdown(socket.SHUT_WR)
                link.settimeout(5)
                while link.recv(65_536):  # a connection closed with bytes unread is reset, and the reply may be lost
                    pass

    over = threading.Event()
    server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    try:
        yield server.server_address[1]
    finally:
        over.set()
        server.shutdown()
        server.server_close()


def own_certificate(folder: Path) -> Path:
    """A key and a certificate that nobody has signed but itself, in one PEM file."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(UTC)
    made = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number(), now, now + timedelta(1))
    form = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    path = folder / "own.pem"
    pem = serialization.Encoding.PEM
    path.write_bytes(key.private_bytes(pem, *form) + made.sign(key, hashes.SHA256()).public_bytes(pem))
    return path


def http(body: Any, status: str = "200 OK", extra: str = "") -> bytes:
    data = body if isinstance(body, bytes) else body.encode() if isinstance(body, str) else json.dumps(body).encode()
    return f"HTTP/1.1 {status}\r\ncontent-length: {len(data)}\r\n{extra}connection: close\r\n\r\n".encode() + data


PAGE = "<!doctype html><title>Welcome to nginx!</title>"
STRANGE: list[tuple[str, bytes, str]] = [
    ("ssh", b"SSH-2.0-OpenSSH_9.2\r\n", "does not speak HTTP"),
    ("noise", bytes(range(256)), "does not speak HTTP"),
    ("closes", b"", "does not speak HTTP"),
    ("endless header", b"HTTP/1.1 200 OK\r\nx: " + b"a" * 200_000 + b"\r\n\r\n", "does not speak HTTP"),
    ("broken chunks", b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\nhello", "does not speak HTTP"),
    ("not gzip", http("plain", extra="content-encoding: gzip\r\n"), "proxy"),
    ("page", http(PAGE), "address of a web page"),
    ("page not found", http(PAGE, "404 Not Found"), "address of a web page"),
    ("not found everywhere", http({"detail": "Not Found"}, "404 Not Found"), "path of the address"),
    ("forbidden page", http(PAGE, "403 Forbidden"), "key"),
    ("no models", http({"object": "list", "data": []}), "chat model"),
    ("null", http("null"), "not a model server"),
    ("a number", http("5"), "not a model server"),
    ("a list", http("[1, 2]"), "not a model server"),
    ("list is text", http({"data": "abc"}), "chat model"),
    ("list is a number", http({"data": 5, "models": 7}), "chat model"),
    ("list is an object", http({"data": {"a": 1}, "choices": "x", "usage": [1]}), "chat model"),
    ("choices are numbers", http({"choices": [1, 2]}), "chat model"),
    ("message is a number", http({"choices": [{"message": 5, "finish_reason": 7}], "usage": {"prompt_tokens": "many"}}), "chat model"),
    ("a megabyte", http("x y " * 250_000), "not a model server"),
    ("a megabyte of failure", http("x y " * 250_000, "500 Oops"), "server's log"),
    ("a model's name of a megabyte", http({"data": [{"id": "a b" * 300_000}]}), "chat model"),
    ("20,000 models", http({"data": [{"id": f"model-{n}"} for n in range(20_000)]}), "chat model"),
]  # fmt: skip


@pytest.mark.parametrize(("reply", "says"), [s[1:] for s in STRANGE], ids=[s[0] for s in STRANGE])
def test_whatever_listens_there_the_doctor_ends_with_a_remedy(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, reply: bytes, says: str
) -> None:
    monkeypatch.setattr(asking, "BACKOFF_S", 0.01)
    with listening(reply) as port:
        found = list(examine(f"compatible:m@http://127.0.0.1:{port}/v1", settings, Control()))
    assert found[-1].verdict == "bad"
    assert says in found[-1].fix
    for check in found:
        assert len(check.text) < 600 and len(check.fix) < 1_300 and "\n" not in check.text + check.fix
        assert "<title" not in check.text


def test_tls_and_plain_text_are_told_apart(settings: Settings, tmp_path: Path) -> None:
    with listening(http({"data": []})) as port:
        (only,) = examine(f"compatible:m@https://127.0.0.1:{port}/v1", settings, Control())
        assert "http:// in place of https://" in only.fix
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(own_certificate(tmp_path))
    with listening(http({"data": []}), tls=tls) as port:
        (only,) = examine(f"compatible:m@https://127.0.0.1:{port}/v1", settings, Control())
        assert "SSL_CERT_FILE" in only.fix
        (only,) = examine(f"compatible:m@http://127.0.0.1:{port}/v1", settings, Control())
        assert f"write compatible:m@https://127.0.0.1:{port}/v1" in only.fix


def test_names_and_addresses_that_lead_nowhere(settings: Settings) -> None:
    with listening(b"") as port:
        pass
    assert "nothing listens there" in next(examine(f"compatible:m@http://127.0.0.1:{port}/v1", settings, Control())).fix


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("ConnectError: [Errno -2] Name or service not known", "no machine has this name"),
        ("ConnectError: [Errno 101] Network is unreachable", "VPN"),
        ("ConnectTimeout: timed out", "does not answer at all"),
        ("UnsupportedProtocol: Request URL is missing an 'http://' or 'https://' protocol.", "OPENAI_BASE_URL"),
        ("something new", "host, port and path"),
    ],
)
def test_connections_that_cannot_be_made_here(words: str, says: str) -> None:
    assert says in remedy(ModelFailed("connection", f"the connection failed ({words})"), "compatible")


def test_every_kind_has_a_remedy() -> None:
    general = remedy(ModelFailed("no such kind", ""), "openai")
    kinds = re.search(r"`kind`: (.*?)\.\n", ModelFailed.__doc__ or "", re.S)
    assert kinds
    for kind in re.findall(r"[a-z_]+", kinds[1].replace(" or ", " ")):
        assert remedy(ModelFailed(kind, ""), "openai") != general, kind


def test_nobody_there_and_nothing_configured(settings: Settings) -> None:
    with provider() as gone:
        url = gone.url
    first = next(examine(f"compatible:m@{url}", settings, Control()))
    assert (first.name, first.verdict) == ("reachable", "bad")
    assert [c.name for c in examine("openai:o3", settings, Control())] == ["key"]
    assert [c.name for c in examine("what", settings, Control())] == ["spec"]


def test_from_a_shell(server: ProviderServer, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    server.play(good)
    data = ["--data-dir", str(tmp_path)]
    assert main(["doctor", "--provider", f"compatible:m@{server.url}", "--json", *data]) == 0
    assert json.loads(capsys.readouterr().out)["checks"][0]["name"] == "reachable"
    server.play(refusal(404, "model not found"))
    assert main(["doctor", "--provider", f"compatible:nope@{server.url}", *data]) == 3
    assert "nearest" in capsys.readouterr().out
    assert main(["doctor", *data]) == 2
