"""HTTP as the provider SDKs use it here: one client whose sockets can be cut, so that Stop and the time limit are heard.

Knows no provider. The SDKs' own time-outs count silence between bytes; a server that drips one byte a second would never
end, so the limit here is on the whole answer.
"""

from __future__ import annotations

import contextlib
import ipaddress
import re
import socket
import threading
import time
import weakref
from collections.abc import Callable
from typing import Any, TypeVar
from urllib.parse import urlsplit, urlunsplit

import httpx2

from vesta_ui import models
from vesta_ui.control import Control
from vesta_ui.domain import Usage
from vesta_ui.errors import BadSpec, ModelFailed
from vesta_ui.models import Known, Spec, known, prices
from vesta_ui.settings import Settings

T = TypeVar("T")
TimedOut = httpx2.TimeoutException
Broken = httpx2.HTTPError
CONNECT_S = 10.0
LAST_WORDS_S = 0.3


class Line:
    """An HTTP client that can be cut off while it waits."""

    def __init__(self, silence_s: float) -> None:
        self._sockets: weakref.WeakSet[socket.socket] = weakref.WeakSet()
        self._abandoned: weakref.WeakSet[threading.Thread] = weakref.WeakSet()
        self.client = httpx2.Client(
            timeout=httpx2.Timeout(silence_s, connect=min(CONNECT_S, silence_s)),
            event_hooks={"request": [self._watch]},
            # A proxy of the environment is for the world, not for a server on this machine.
            mounts={"all://127.0.0.1": None, "all://localhost": None, "all://[::1]": None},
        )

    def _watch(self, request: httpx2.Request) -> None:
        allow(str(request.url))
        if threading.current_thread() in self._abandoned:
            raise Broken("nobody waits for this request any more")
        request.extensions["trace"] = self._trace

    def _trace(self, event: str, info: dict[str, Any]) -> None:
        if event in (
            "connection.connect_tcp.complete",
            "connection.start_tls.complete",
            "proxy_stream.start_tls.complete",
        ):
            link = info["return_value"].get_extra_info("socket")
            if link is not None:
                self._sockets.add(link)

    def cut(self) -> None:
        """End every waiting read now."""
        for link in list(self._sockets):
            with contextlib.suppress(OSError):
                link.shutdown(socket.SHUT_RDWR)

    def run(self, call: Callable[[], T], control: Control, limit_s: float) -> T:
        """`call()` on its own thread. Raises what it raises, `Stopped` on Stop, `ModelFailed("timeout")` after `limit_s`."""
        control.check()
        woken = threading.Event()
        box: dict[str, Any] = {}

        def work() -> None:
            try:
                box["value"] = call()
            except BaseException as error:  # handed over to the waiting thread, whatever it is
                box["error"] = error
            woken.set()

        started = time.monotonic()
        undo = control.on_stop(woken.set)
        worker = threading.Thread(target=work, daemon=True, name="model-request")
        worker.start()
        woken.wait(limit_s)
        undo()
        if not box:
            # A call of several requests (an upload) must not go on with the next one.
            self._abandoned.add(worker)
            self.cut()
            worker.join(LAST_WORDS_S)
            control.check()
            raise ModelFailed("timeout", f"no complete answer after {time.monotonic() - started:.0f} s")
        control.check()
        if "error" in box:
            raise box["error"]
        value: T = box["value"]
        return value


class Remote:
    """What every model behind HTTP has: its names, its line, its prices, and what its server turned out to accept."""

    url: str
    known: Known

    def __init__(self, spec: Spec, settings: Settings) -> None:
        self.name = f"{spec.provider}:{spec.model}"
        self.spec = f"{self.name}@{spec.url}" if spec.url else self.name
        self.model = spec.model
        self.settings = settings
        self._line = Line(settings.model_timeout_s)
        self._prices = prices.load(settings.data_dir)

    def _at(self, url: str, default: Known) -> None:
        """The server's address, once it is settled, and what is remembered of it."""
        self.url, self.known = url, known(f"{url} {self.model}", default)

    def price(self, usage: Usage) -> float | None:
        return self._prices.cost(self.name, usage)


def allow(url: str) -> None:
    """Raises `RuntimeError` when requests are switched off and `url` leaves this machine."""
    if not models.ALLOW_REQUESTS and not local(url):
        raise RuntimeError(f"a model request to {urlsplit(url).hostname} while requests are switched off")


def local(url: str) -> bool:
    """Whether the address is this machine."""
    host = urlsplit(url).hostname or ""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def addressed(text: str, example: str) -> tuple[str, str]:
    """Model and tidy address of `MODEL@URL`; http:// may be left out. Raises `BadSpec`, which repeats no secret."""
    if written := re.search(r"(?i)@\s*(?=[a-z][a-z0-9+.-]*://)", text):
        model, url = text[: written.start()].strip(), text[written.end() :].strip()
    else:
        model, url = (part.strip() for part in text.rpartition("@")[::2])
        if ":" in model.partition("@")[2]:
            raise BadSpec(f"an address without http:// must hold no second “@”: write for example {example}")
        url = url if re.match(r"(?i)https?[:/]", url) or not url else f"http://{url}"
    if not model or not url:
        raise BadSpec(f"a model and an address are needed: write for example {example}")
    return model, tidy(url)


def without_secret(url: str) -> str:
    """The address itself. Raises `BadSpec`, which does not repeat it, when it may hold a secret."""
    if re.search(r"[@?#]", url):
        raise BadSpec("an address must hold no password and no query: type the key in Settings instead")
    return url


_ENDPOINT = re.compile(r"/+(?:(?:chat/+)?completions|models|responses|embeddings|audio/+transcriptions)/*$")


def tidy(url: str) -> str:
    """A base URL as the SDK wants it: `/v1` once at the end, no endpoint. Raises `BadSpec` for one that holds a secret."""
    try:
        parts = urlsplit(without_secret(url))
        _ = parts.port
    except ValueError as error:
        raise BadSpec(f"“{url}” is not an address: write http://HOST:PORT/v1") from error
    bad = parts.scheme not in ("http", "https") or not parts.hostname or parts.netloc.endswith(":")
    if bad or re.search(r"[\s\\]", url):
        raise BadSpec(f"“{url}” is not an address: write http://HOST:PORT/v1")
    path = parts.path
    while (shorter := _ENDPOINT.sub("", path)) != path:
        path = shorter
    steps = [step for step in path.split("/") if step]
    while len(steps) > 1 and steps[-1] == steps[-2] == "v1":
        steps.pop()
    return urlunsplit((parts.scheme, parts.netloc, "/" + "/".join(steps or ["v1"]), "", ""))
