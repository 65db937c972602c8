"""Scene vectors from an embeddings endpoint over HTTP, in the form most servers speak: POST {base}/embeddings.

`remote:MODEL@URL` embeds a scene's text; `remote:MODEL+images@URL` also sends its frames, as `{"image": data URL}` items
beside plain text items, for servers that embed both into one space. The key is that of the compatible provider.
"""

from __future__ import annotations

import base64
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from vesta_ui.domain import Usage
from vesta_ui.encoders import SceneContent, Vectors
from vesta_ui.errors import BadSpec, ModelFailed
from vesta_ui.frames import encode_jpeg
from vesta_ui.models import http, keys

TRIES = 3
WAIT_S = 60.0
SIDE = 512
"""Longest side of a frame sent, pixels."""
_AGAIN = {408, 429, 500, 502, 503, 504}
_KINDS = {401: "auth", 403: "auth", 404: "not_found", 413: "too_large", 429: "rate_limited"}


class RemoteEncoder:
    """f_s: the mean of a scene's unit vectors; f_q: the query's. Asks the server once how long its vectors are."""

    def __init__(self, detail: str) -> None:
        model, _, url = detail.rpartition("@")
        if not model or not url:
            raise BadSpec(
                "the remote encoder is written remote:MODEL@URL, for example remote:m@http://127.0.0.1:8080/v1"
            )
        self.uses_images = model.endswith("+images")
        self._model = model.removesuffix("+images")
        self._url = http.tidy(url)
        self._line = http.Line(WAIT_S)
        self.name = f"remote/{self._model}{'+images' if self.uses_images else ''}@{self._url}"
        self.price_name = f"remote:{self._model}"
        self.usage = Usage()
        self.dimensions = int(self._embed(["dimensions"]).shape[1])

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
        key = keys.get_key("compatible")
        headers = {"authorization": f"Bearer {key}"} if key else {}
        for attempt in range(1, TRIES + 1):
            try:
                reply = self._line.client.post(f"{self._url}/embeddings", json=body, headers=headers)
            except http.TimedOut as error:
                failure = ModelFailed("timeout", f"the embeddings server {self._url} did not answer in {WAIT_S:.0f} s")
                failure.__cause__ = error
            except http.Broken as error:
                failure = ModelFailed(
                    "connection", f"the embeddings server {self._url} cannot be reached: is it running?"
                )
                failure.__cause__ = error
            else:
                if reply.status_code == 200:
                    try:
                        return reply.json()
                    except ValueError as error:
                        raise ModelFailed(
                            "malformed", f"{self._url} answered with something other than JSON"
                        ) from error
                kind = _KINDS.get(reply.status_code, "server" if reply.status_code >= 500 else "refused")
                said = keys.scrub(" ".join(reply.text.split()))[:200]
                failure = ModelFailed(kind, f"the embeddings server {self._url} answered {reply.status_code}: {said}")
                if reply.status_code not in _AGAIN:
                    raise failure
            if attempt < TRIES:
                time.sleep(0.3 * 3**attempt)
        raise failure


def _data_url(image: Any) -> str:
    jpeg, _, _ = encode_jpeg(image, SIDE)
    return f"data:image/jpeg;base64,{base64.b64encode(jpeg).decode()}"
