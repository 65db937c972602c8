"""The default scene encoder: one text vector from transcript, on-screen text and plain visual facts. CPU, offline."""

from __future__ import annotations

from collections.abc import Sequence

from vesta_ui.encoders import SceneContent, Vectors, text
from vesta_ui.errors import BadSpec


class EmbeddedEncoder:
    """f_s and f_q are the same sentence encoder (VESTA §3.3 asks for one shared space)."""

    uses_images = False

    def __init__(self, detail: str = "") -> None:
        if detail:
            raise BadSpec(f"the embedded encoder takes no detail, got “{detail}”")
        self.name = f"embedded/{text.NAME}"
        self.dimensions = text.DIMENSIONS

    def scenes(self, contents: Sequence[SceneContent]) -> Vectors:
        return text.embed([scene_text(one) for one in contents])

    def query(self, text_: str) -> Vectors:
        row: Vectors = text.embed([text_])[0]
        return row


def scene_text(content: SceneContent) -> str:
    """What a scene says and shows, as one text."""
    written = f"Written: {content.screen_text}." if content.screen_text else ""
    return " ".join(part for part in (content.transcript, written, content.facts) if part)
