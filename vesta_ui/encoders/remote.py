"""Scene vectors from an embeddings endpoint over HTTP, in the form most servers speak: POST {base}/embeddings.

`remote:MODEL@URL` embeds a scene's text; `remote:MODEL+images@URL` also sends its frames, as `{"image": data URL}` items
beside plain text items, for servers that embed both into one space. The key is that of the compatible provider.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from vesta_ui.control import Control
from vesta_ui.domain import Usage
from vesta_ui.encoders import SceneContent, Vectors
from vesta_ui.errors import ModelFailed
from vesta_ui.frames import encode_jpeg
from vesta_ui.models import http, keys
from vesta_ui.models.failures import ProviderFailed, classify, sentence

TRIES = 3
WAIT_S = 60.0
"""Longest wait for one answer."""
MOST_WAIT_S = 300.0
"""Longest wait a rate limit may ask for."""
BACKOFF_S = 0.3
SIDE = 512
"""Longest side of a frame sent, pixels."""


class RemoteEncoder:
    """f_s: the mean of a scene's unit vectors; f_q: the query's. Asks the server once how long its vectors are.

    Every call raises `ModelFailed`, and `Stopped` within a second of Stop.
    """

    def __init__(self, detail: str, control: Control | None = None) -> None:
        model, self._url = http.addressed(detail, "remote:m@http://127.0.0.1:8080/v1")
        self.uses_images = model.endswith("+images")
        self._model = model.removesuffix("+images")
        self._line = http.Line(WAIT_S)
        self._control = control or Control()
        self.name = f"remote/{self._model}{'+images' if self.uses_images else ''}@{self._url}"
        self.price_name = f"remote:{self._model}"
        self.usage = Usage()

    @cached_property
    def dimensions(self) -> int:
        """Length of its vectors, which only the server knows."""
        return int(self._embed(["dimensions"]).shape[1])

    def scenes(self, contents: Sequence[SceneContent]) -> Vectors:
        items: list[Any] = []
        owners: list[int] = []
        for owner, content in enumerate(contents):
            texts = " ".join(part for part in (content.transcript, content.screen_text, content.facts) if part)
            parts: list[Any] = [{"image": _data_url(image)} for image in content.images] if self.uses_images else []
            parts += [texts] if texts or not parts else []
            items += parts
            owners += [owner] * len(parts)
        rows = np.zeros((len(contents), self.dimensions), np.float32)
        np.add.at(rows, owners, self._embed(items))
        return rows

    def query(self, text: str) -> Vectors:
        row: Vectors = self._embed([text])[0]
        return row

    def _embed(self, items: Sequence[Any]) -> Vectors:
        """Unit rows, one an item. Raises `ModelFailed`."""
        body = {
            "model": self._model,
            "input": [item if item != "" else " " for item in items],
            "encoding_format": "float",
        }
        answer = self._post(body)
        try:
            rows = sorted(answer["data"], key=lambda row: row["index"])
            vectors = np.asarray([row["embedding"] for row in rows], np.float32)
            if vectors.ndim != 2 or len(vectors) != len(items) or not np.isfinite(vectors).all():
                raise ValueError(f"{len(rows)} vectors for {len(items)} items")
        except (KeyError, TypeError, ValueError) as error:
            raise ModelFailed("malformed", f"{self._url} did not answer with embeddings ({error})") from error
        self._count(answer)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        return np.asarray(vectors / np.maximum(lengths, 1e-12), np.float32)

    def _count(self, answer: dict[str, Any]) -> None:
        """Tokens as reported; None where the server does not say."""
        said = answer.get("usage")
        tokens = said.get("prompt_tokens", said.get("total_tokens")) if isinstance(said, dict) else None
        tokens = tokens if isinstance(tokens, int) else None
        self.usage += Usage(remote_requests=1, input_tokens=tokens)

    def _post(self, body: dict[str, Any]) -> Any:
        """The answer as JSON. What may pass is tried again, after the wait the server asks for."""
        tried = 0
        while True:
            try:
                return self._once(body)
            except ModelFailed as failure:
                tried += 1
                asked = getattr(failure, "retry_after_s", None)
                wait = BACKOFF_S * 3**tried if asked is None else asked
                if not getattr(failure, "again", failure.kind == "timeout") or tried >= TRIES or wait > MOST_WAIT_S:
                    said = f"the embeddings server {self._url} failed: {failure}"
                    raise ModelFailed(failure.kind, said) from failure
                self._control.wait(wait, f"{self.price_name}: {failure.kind.replace('_', ' ')}, trying again")

    def _once(self, body: dict[str, Any]) -> Any:
        key = keys.get_key("compatible")
        headers = {"authorization": f"Bearer {keys.checked(key)}"} if key else {}
        try:
            reply = self._line.run(
                lambda: self._line.client.post(f"{self._url}/embeddings", json=body, headers=headers),
                self._control,
                WAIT_S,
            )
        except http.TimedOut as error:
            raise ProviderFailed("timeout", sentence("timeout", ""), again=True) from error
        except http.Broken as error:
            raise ProviderFailed("connection", sentence("connection", str(error)), again=True) from error
        if reply.status_code != 200:
            raise classify(reply.status_code, reply.text, reply.headers)
        try:
            return reply.json()
        except ValueError as error:
            said = "a web page" if reply.text.lstrip().startswith("<") else reply.text[:200]
            raise ProviderFailed("malformed", sentence("malformed", f"not JSON but {said}")) from error


def _data_url(image: Any) -> str:
    jpeg, _, _ = encode_jpeg(image, SIDE)
    return f"data:image/jpeg;base64,{base64.b64encode(jpeg).decode()}"
