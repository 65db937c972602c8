"""Fast mode gives the cuts of the whole pass and decodes no more than may hold one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import media
import numpy as np
import pytest
from test_shots import SLOWER, nature, of

from vesta_ui.shots import parts


@pytest.mark.parametrize("name", ["v.ts", "v.mkv", "v.mpg", "v.webm", "v.avi", "v.flv"])
def test_fast_cuts_are_those_of_the_whole_pass_in_every_container(name: str, tmp_path: Path) -> None:
    codec = {"v.mpg": "mpeg2video", "v.webm": "libvpx-vp9"}.get(name, "libx264")
    options = {"deadline": "realtime", "cpu-used": "8"} if name == "v.webm" else SLOWER
    images = media.scenes(240, [50, 131, 200])
    path = media.write(tmp_path / name, images, fps=25, gop=40, codec=codec, options={} if name == "v.mpg" else options)
    whole, fast = of(path), of(path, fast=True)
    assert whole.cuts == fast.cuts and len(whole.cuts) == 3
    for stills in fast.stills:
        for still in stills:
            image = cv2.imdecode(np.frombuffer(still.jpeg, np.uint8), cv2.IMREAD_COLOR)
            assert media.number_in(image) == still.frame


def noisy(count: int, cut: int) -> list[media.Image]:
    """Strong noise over two colours: every picture is nearly as large as a key picture."""
    rng = np.random.default_rng(3)
    plain = [np.full((360, 640, 3), (200, 60, 40) if n < cut else (40, 60, 200), np.int16) for n in range(count)]
    return [np.clip(p + rng.integers(-25, 26, p.shape), 0, 255).astype(np.uint8) for p in plain]


def still_shots(*counts: int) -> list[media.Image]:
    """Two pictures in turn, each as long as told."""
    two = nature(1, [])[0], nature(1, [], seed=3)[0]
    return [two[i % 2] for i, count in enumerate(counts) for _ in range(count)]


@pytest.mark.parametrize(
    ("make", "gop", "cuts", "most"),
    [
        pytest.param(lambda: still_shots(100, 100), 40, 1, 0.6, id="only the group of the cut"),
        pytest.param(lambda: noisy(120, 70), 40, 1, 1.3, id="no group again and again"),
        pytest.param(lambda: still_shots(30, 20, 550), 200, 2, 0.5, id="no group after its last large picture"),
        pytest.param(lambda: still_shots(30, 20, 150, 100), 200, 3, 1.3, id="all of a group that ends in a cut"),
    ],
)
def test_fast_mode_decodes_no_more_than_may_hold_a_cut(
    make: Callable[[], list[media.Image]], gop: int, cuts: int, most: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    images = make()
    path = media.write(tmp_path / "v.mp4", images, fps=10, gop=gop, options=SLOWER)
    whole, decoded, decode = of(path), [0], parts.Reader._decode

    def counting(reader: parts.Reader, *packet: Any) -> Any:
        found = decode(reader, *packet)
        decoded[0] += len(found)
        return found

    monkeypatch.setattr(parts.Reader, "_decode", counting)
    assert of(path, fast=True).cuts == whole.cuts and len(whole.cuts) == cuts
    assert decoded[0] <= most * len(images)
