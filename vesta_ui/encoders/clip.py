"""CLIP: image vectors of a scene's frames fused with its text, text queries in the same space. CPU, weights from the hub."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from vesta_ui.encoders import SceneContent, Vectors, local

DEFAULT = "openai/clip-vit-base-patch32"
PICTURE = 0.7
"""Weight of the mean frame vector; the rest is the text's. A scene without text or without frames is the other alone."""


class ClipEncoder:
    """`clip` or `clip:NAME_OR_FOLDER`."""

    uses_images = True

    def __init__(self, detail: str = "") -> None:
        weights = detail or DEFAULT
        self._model, self._processor = local.load("clip", weights, "CLIPModel")
        self._length = int(self._model.config.text_config.max_position_embeddings)
        self.dimensions = int(self._model.config.projection_dim)
        self.name = f"clip/{local.weights_mark(self._model)}"

    def scenes(self, contents: Sequence[SceneContent]) -> Vectors:
        return (
            np.stack([self._scene(one) for one in contents]) if contents else np.zeros((0, self.dimensions), np.float32)
        )

    def query(self, text: str) -> Vectors:
        row: Vectors = self._texts([text])[0]
        return row

    def _scene(self, content: SceneContent) -> Vectors:
        text = ". ".join(part for part in (content.screen_text, content.transcript) if part)
        row = np.zeros(self.dimensions, np.float32)
        if content.images:
            row += (PICTURE if text else 1.0) * self._images(content.images).mean(axis=0)
        if text:
            row += (1 - PICTURE if content.images else 1.0) * self._texts(_windows(text)).mean(axis=0)
        length = float(np.linalg.norm(row))
        return (row / length).astype(np.float32) if length else row

    def _images(self, images: Sequence[Any]) -> Vectors:
        inputs = self._processor(images=list(images), return_tensors="pt")
        return self._unit(self._model.get_image_features, **inputs)

    def _texts(self, texts: Sequence[str]) -> Vectors:
        inputs = self._processor(
            text=list(texts), return_tensors="pt", padding=True, truncation=True, max_length=self._length
        )
        return self._unit(self._model.get_text_features, **inputs)

    def _unit(self, features: Any, **inputs: Any) -> Vectors:
        import torch

        with torch.inference_mode():
            found = features(**inputs)
        found = getattr(found, "pooler_output", found)
        rows = found.float().cpu().numpy()
        return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)


def _windows(text: str, words: int = 45) -> list[str]:
    """CLIP reads 77 tokens at most; longer texts go in windows of words."""
    parts = text.split()
    return [" ".join(parts[start : start + words]) for start in range(0, len(parts), words)]
