"""Text, colours and motion in pictures drawn by the test, so that the truth is known."""

from __future__ import annotations

import subprocess
import sys
import time

import cv2
import numpy as np
import pytest

from vesta_ui import perception

RGB = {
    "red": (210, 25, 30), "orange": (245, 140, 20), "yellow": (245, 220, 30), "green": (30, 140, 60),
    "blue": (30, 70, 190), "purple": (120, 40, 160), "pink": (245, 150, 190), "brown": (110, 70, 35),
    "black": (10, 10, 12), "white": (245, 245, 245), "grey": (128, 130, 127),
}  # fmt: skip


def plain(name: str, size: tuple[int, int] = (360, 640)) -> np.ndarray:
    return np.full((*size, 3), RGB[name], np.uint8)


def sign(text: str, at: tuple[int, int] = (60, 200), scale: float = 2.0, board: str = "blue") -> np.ndarray:
    image = plain("grey")
    cv2.rectangle(image, (20, 120), (620, 240), RGB[board], -1)
    cv2.putText(image, text, at, cv2.FONT_HERSHEY_SIMPLEX, scale, (255, 255, 255), 4, cv2.LINE_AA)
    return image


def texture(seed: int = 1) -> np.ndarray:
    """A soft picture with structure but no lettering."""
    noise = np.random.default_rng(seed).integers(0, 255, (9, 16, 3), np.uint8)
    return np.asarray(cv2.resize(noise, (640, 360), interpolation=cv2.INTER_CUBIC), np.uint8)


def test_reads_a_sign_and_says_where():
    (line,) = perception.read_text(sign("HARBOUR 42"))
    assert line.text.replace(" ", "") == "HARBOUR42"
    assert line.score > 0.7
    x0, y0, x1, y1 = line.box
    assert 0.05 < x0 < 0.15 and 0.4 < y0 < 0.5 and 0.55 < y1 < 0.65 and x1 > 0.5


def test_lines_come_in_reading_order():
    image = plain("white")
    for text, at in (("third", (40, 330)), ("first", (40, 80)), ("second", (360, 84))):
        cv2.putText(image, text, at, cv2.FONT_HERSHEY_SIMPLEX, 1.5, (0, 0, 0), 3, cv2.LINE_AA)
    assert [line.text for line in perception.read_text(image)] == ["first", "second", "third"]


def test_no_text_is_no_text():
    assert perception.read_text(texture()) == []
    assert perception.read_text(np.zeros((1, 1920, 3), np.uint8)) == []


@pytest.mark.parametrize("scale", [0.6, 1.0, 2.0, 4.0])
def test_cheap_test_finds_lettering_of_many_sizes(scale):
    assert perception.likely_text(sign("HARBOUR"[: max(3, int(8 - scale))], scale=scale))


def test_cheap_test_passes_over_soft_and_plain_pictures():
    assert not perception.likely_text(plain("green"))
    assert not perception.likely_text(texture())
    assert not perception.likely_text(np.zeros((4, 4, 3), np.uint8))


def test_cheap_test_is_cheap():
    image = cv2.resize(sign("HARBOUR"), (1280, 720))
    perception.likely_text(image)
    start = time.process_time()
    for _ in range(10):
        perception.likely_text(image)
    cheap = (time.process_time() - start) / 10
    start = time.process_time()
    perception.read_text(image)
    assert cheap * 10 < time.process_time() - start


@pytest.mark.parametrize("name", RGB)
def test_names_a_plain_colour(name):
    (one,) = perception.colours(plain(name))
    assert (one.name, round(one.share, 2), one.region) == (name, 1.0, "everywhere")


def test_colour_regions():
    image = plain("green")
    image[20:100, 480:620] = RGB["red"]
    found = {one.name: one for one in perception.colours(image)}
    assert found["red"].region == "top right"
    assert found["red"].share == pytest.approx(80 * 140 / (360 * 640), abs=0.01)
    assert found["red"].box == pytest.approx((0.75, 0.055, 0.97, 0.28), abs=0.02)
    assert perception.colours(image)[0].name == "green"


def test_what_lettering_stands_on():
    image = sign("HARBOUR", board="blue")
    (line,) = perception.read_text(image)
    assert perception.colour_of(image, line.box) == "blue"
    assert perception.colour_of(sign("HARBOUR", board="red"), line.box) == "red"


def test_motion_kinds():
    base = texture(3)
    assert perception.motion(base, base).kind == "still"
    pan = perception.motion(base[:, :560], base[:, 40:600])
    assert (pan.kind, pan.direction) == ("pan", "left")
    assert perception.motion(base[:300], base[40:340]).direction == "up"
    moved = base.copy()
    moved[250:340, 480:620] = 255
    part = perception.motion(base, moved)
    assert (part.kind, part.region) == ("moving", "bottom right")
    assert perception.motion(plain("black"), plain("white")).kind == "changed"


def test_brightness():
    assert [perception.brightness(plain(name)) for name in ("black", "grey", "white")] == ["dark", "medium", "bright"]


def test_reading_is_quiet_offline_and_importing_is_light():
    code = (
        "import socket, sys\n"
        "def no(*a, **k): raise OSError('network')\n"
        "socket.socket.connect = no; socket.getaddrinfo = no\n"
        "from vesta_ui import perception\n"
        "assert 'rapidocr' not in sys.modules and 'onnxruntime' not in sys.modules\n"
        "import numpy as np; perception.read_text(np.zeros((64, 64, 3), np.uint8))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
