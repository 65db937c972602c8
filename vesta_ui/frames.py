"""Stored frames: JPEGs by content hash, written once. Knows no video and no run."""

from __future__ import annotations

import hashlib
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from vesta_ui import files
from vesta_ui.domain import Frame
from vesta_ui.errors import StorageFailed

QUALITY = 82


def encode_jpeg(image: NDArray[np.uint8], max_side: int | None = None) -> tuple[bytes, int, int]:
    """JPEG bytes, width and height of an RGB image (H, W, 3), shrunk so that no side exceeds `max_side`."""
    height, width = image.shape[:2]
    if max_side and max(height, width) > max_side:
        scale = max_side / max(height, width)
        width, height = max(1, round(width * scale)), max(1, round(height * scale))
        image = np.asarray(cv2.resize(image, (width, height), interpolation=cv2.INTER_AREA), np.uint8)
    done, data = cv2.imencode(".jpg", cv2.cvtColor(image, cv2.COLOR_RGB2BGR), [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
    if not done:
        raise StorageFailed(f"a frame of {width}×{height} could not be encoded as JPEG")
    return data.tobytes(), width, height


class FrameStore:
    """A folder of `<sha256>.jpg`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def add(self, image: NDArray[np.uint8], time: float, max_side: int | None = 1280) -> Frame:
        """Keep an RGB image; returns its receipt. Raises `StorageFailed`."""
        data, width, height = encode_jpeg(image, max_side)
        return Frame(time, width, height, self.put(data))

    def put(self, data: bytes) -> str:
        digest = hashlib.sha256(data).hexdigest()
        path = self.path(digest)
        if not path.exists():
            files.write(path, data)
        return digest

    def path(self, digest: str) -> Path:
        return self.folder / f"{digest}.jpg"

    def get(self, digest: str) -> bytes:
        return self.path(digest).read_bytes()


def smaller(jpeg: bytes, max_side: int, quality: int = 60) -> bytes:
    """A stored frame for a document: at most `max_side` pixels a side. The same bytes when they are no picture."""
    image = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR)
    if image is None:
        return jpeg
    height, width = image.shape[:2]
    scale = min(1.0, max_side / max(height, width))
    size = (max(1, round(width * scale)), max(1, round(height * scale)))
    done, data = cv2.imencode(
        ".jpg", cv2.resize(image, size, interpolation=cv2.INTER_AREA), [cv2.IMWRITE_JPEG_QUALITY, quality]
    )
    return data.tobytes() if done else jpeg
