"""The paper's encoder (VESTA §B.1): Qwen3-VL-Embedding, one 2,048-d vector from frames and speech together. Wants a GPU."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from vesta_ui.encoders import SceneContent, Vectors, local

DEFAULT = "Qwen/Qwen3-VL-Embedding-2B"
SCENE = "Represent this scene of a video by what is seen, said and written in it."
QUERY = "Find the scene of a video that helps to answer this."
TOKENS = 8192
"""Longest input; more transcript is cut off."""


class Qwen3VLEncoder:
    """`qwen3-vl` or `qwen3-vl:NAME_OR_FOLDER`. The vector is the last token's hidden state, at unit length."""

    uses_images = True

    def __init__(self, detail: str = "") -> None:
        self._model, self._processor = local.load("qwen3-vl", detail or DEFAULT, "Qwen3VLModel", dtype="auto")
        import torch

        self._model = self._model.to("cuda" if torch.cuda.is_available() else "cpu")
        self.dimensions = int(self._model.config.text_config.hidden_size)
        self.name = f"qwen3-vl/{local.weights_mark(self._model)}"

    def scenes(self, contents: Sequence[SceneContent]) -> Vectors:
        rows = [
            self._embed(SCENE, _text(one), [np.ascontiguousarray(image) for image in one.images]) for one in contents
        ]
        return np.stack(rows) if rows else np.zeros((0, self.dimensions), np.float32)

    def query(self, text: str) -> Vectors:
        return self._embed(QUERY, text, [])

    def _embed(self, task: str, text: str, images: list[Any]) -> Vectors:
        import torch

        content: list[dict[str, Any]] = [{"type": "image"} for _ in images]
        content.append({"type": "text", "text": text or " "})
        messages = [
            {"role": "system", "content": [{"type": "text", "text": task}]},
            {"role": "user", "content": content},
        ]
        prompt = self._processor.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
        inputs = self._processor(text=[prompt], images=images or None, return_tensors="pt").to(self._model.device)
        with torch.inference_mode():
            hidden = self._model(**inputs).last_hidden_state
        row = hidden[0, -1].float().cpu().numpy()
        return np.asarray(row / max(float(np.linalg.norm(row)), 1e-12), np.float32)


def _text(content: SceneContent) -> str:
    """Speech and lettering; markup in them is taken apart, so that it cannot pose as the template's."""
    parts = [("Said", content.transcript), ("Written", content.screen_text)]
    text = " ".join(f"{what}: {said}" for what, said in parts if said).replace("<|", "< |")
    return text[: TOKENS * 3]
