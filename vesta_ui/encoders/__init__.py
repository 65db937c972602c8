"""Scene encoders f_s and query encoders f_q behind one interface (VESTA §3.3).

An encoder turns what a scene shows and says into one unit vector, and a text query into the same space. It knows no
store and no question. Changing the encoder is another index: its `name` and `dimensions` are part of the index key.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from vesta_ui import registry
from vesta_ui.control import Control
from vesta_ui.domain import Usage

Vectors = NDArray[np.float32]  # (N, dimensions) unit length

ENCODERS = {
    "embedded": "vesta_ui.encoders.embedded:EmbeddedEncoder",
    "clip": "vesta_ui.encoders.clip:ClipEncoder",
    "qwen3-vl": "vesta_ui.encoders.qwen3_vl:Qwen3VLEncoder",
    "remote": "vesta_ui.encoders.remote:RemoteEncoder",
}


@dataclass(frozen=True, slots=True)
class SceneContent:
    """What f_s sees of one scene: representative frames as RGB images (H, W, 3) uint8, and text."""

    images: tuple[NDArray[np.uint8], ...]
    transcript: str
    screen_text: str
    facts: str


class Encoder(Protocol):
    name: str
    dimensions: int
    uses_images: bool
    """Whether f_s looks at the images; otherwise none are decoded for it."""

    def scenes(self, contents: Sequence[SceneContent]) -> Vectors: ...

    def query(self, text: str) -> Vectors: ...  # (dimensions,)


@runtime_checkable
class Paid(Protocol):
    """An encoder that is asked over a network."""

    usage: Usage
    """What was asked so far; `cost_usd` is left to those who know the price table."""
    price_name: str
    """`remote:MODEL`, its row in the price table."""


def load(spec: str, control: Control | None = None) -> Encoder:
    """`spec` is a registered name, with `:detail` after it where the encoder takes one. Raises `BadSpec`.

    `control`: whose Stop a remote encoder hears, and who shows its waits.
    """
    name, _, detail = spec.partition(":")
    make = registry.load(ENCODERS, name, "encoder")
    encoder: Encoder = make(detail, control) if name == "remote" else make(detail)
    return encoder
