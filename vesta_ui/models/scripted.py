"""A provider that plays written replies: for demos without a key, for tests, for replaying a conversation by hand.

It is an ordinary provider: retries, repair and receipts are the same as for any other. The file is JSON: a list of
replies in order, or an object with a list for each role (`router`, `reasoner`, `observer`). A reply is a text, an object
(sent as JSON), or `{"fail": KIND, "message": TEXT}`.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from vesta_ui.control import Control
from vesta_ui.domain import Usage
from vesta_ui.errors import BadSpec, ModelFailed
from vesta_ui.models import Known, Mode, Reply, Request, Spec
from vesta_ui.settings import Settings

Play = Callable[[Request], Any]


class ScriptedModel:
    """`play` may be a function from a request to a reply; otherwise the spec's file is read. Raises `BadSpec`."""

    def __init__(self, spec: Spec, settings: Settings, play: Play | None = None) -> None:
        self.spec = f"scripted:{spec.model}"
        self.name = f"scripted:{Path(spec.model).name}"
        self.settings = settings
        self.known = Known(mode=Mode.TEXT)
        self._play = play or _Script(Path(spec.model).expanduser())
        self._lock = threading.Lock()

    def complete(self, request: Request, control: Control) -> Reply:
        control.check()
        with self._lock:
            reply = self._play(request)
        if isinstance(reply, dict) and "fail" in reply:
            raise ModelFailed(str(reply["fail"]), str(reply.get("message", "the script says so")))
        text = reply if isinstance(reply, str) else json.dumps(reply)
        return Reply(text, Usage(frames=sum(len(turn.images) for turn in request.turns)), "stop")

    def names(self, control: Control) -> list[str]:
        return [self.name]

    def price(self, usage: Usage) -> float | None:
        return 0.0


class _Script:
    def __init__(self, path: Path) -> None:
        try:
            data = json.loads(path.read_text("utf-8"))
        except OSError as error:
            raise BadSpec(f"the script {path.name} cannot be read: {error.strerror}") from error
        except ValueError as error:
            raise BadSpec(f"the script {path.name} is not JSON: {error}") from error
        lists = {"": data} if isinstance(data, list) else data
        if not isinstance(lists, dict) or not all(isinstance(value, list) for value in lists.values()):
            raise BadSpec(f"the script {path.name} must be a list of replies, or an object with a list for each role")
        self._left: dict[str, list[Any]] = {role: list(replies) for role, replies in lists.items()}

    def __call__(self, request: Request) -> Any:
        replies = self._left.get(request.role) or self._left.get("")
        if not replies:
            raise ModelFailed("empty", f"the script has no reply left for the {request.role}: add one")
        return replies.pop(0)
