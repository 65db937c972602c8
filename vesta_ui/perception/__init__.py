"""Local perception of single pictures: text (OCR), named colours by region, motion between two frames.

Pictures are RGB arrays (H, W, 3) uint8. Knows no video, no question and no model of language; nothing is fetched.
The only importer of rapidocr, whose models come inside its package.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vesta_ui.perception.spacing import spaced

Image = NDArray[np.uint8]
Box = tuple[float, float, float, float]
"""x0, y0, x1, y1 in shares of the picture, each in [0, 1], y downwards."""

_engine_lock = threading.Lock()


# ------------------------------------------------------------------------------------------------ text
@dataclass(frozen=True, slots=True)
class TextBox:
    """One line of text read in a picture; `score` in [0, 1]."""

    text: str
    score: float
    box: Box


@lru_cache(maxsize=1)
def _engine() -> Any:
    import rapidocr

    # Named outright: the package's own table names other files than those in its wheel, and would fetch them.
    models = Path(rapidocr.__file__).parent / "models"
    engine = rapidocr.RapidOCR(
        params={
            "Global.log_level": "critical",
            "Global.use_cls": False,
            "Det.model_path": str(models / "ch_PP-OCRv4_det_infer.onnx"),
            "Rec.model_path": str(models / "ch_PP-OCRv4_rec_infer.onnx"),
            "Cls.model_path": str(models / "ch_ppocr_mobile_v2.0_cls_infer.onnx"),
            "Det.limit_type": "max",
            "Det.limit_side_len": 640,
            "EngineConfig.onnxruntime.intra_op_num_threads": 1,
            "EngineConfig.onnxruntime.inter_op_num_threads": 1,
        }
    )
    logging.getLogger("RapidOCR").disabled = True
    return engine


def read_text(image: Image, max_side: int = 640) -> list[TextBox]:
    """Lines of text in reading order (top to bottom, then left to right).

    The picture is shrunk so that no side exceeds `max_side` pixels: about half a CPU second at 640. One call at a time;
    further threads wait. A picture under 8 pixels high or wide has no text.
    """
    if min(image.shape[:2]) < 8:
        return []
    small = np.ascontiguousarray(_shrink(image, max_side)[:, :, ::-1])
    height, width = small.shape[:2]
    with _engine_lock:
        found = _engine()(small)
    if found.txts is None:
        return []
    lines = []
    for text, score, corners in zip(found.txts, found.scores, found.boxes, strict=True):
        (x0, y0), (x1, y1) = corners.min(axis=0), corners.max(axis=0)
        box = tuple(float(np.clip(v, 0, 1)) for v in (x0 / width, y0 / height, x1 / width, y1 / height))
        if text.strip():
            lines.append(TextBox(spaced(text), float(score), (box[0], box[1], box[2], box[3])))
    return _reading_order(lines)


def pictures_read() -> int:
    """How many pictures OCR has been run on in this process: each run asks for the engine once."""
    asked = _engine.cache_info()
    return asked.hits + asked.misses


def _reading_order(lines: Sequence[TextBox]) -> list[TextBox]:
    """Rows by overlap in height, left to right inside a row."""
    rows: list[list[TextBox]] = []
    for line in sorted(lines, key=lambda one: (one.box[1] + one.box[3]) / 2):
        last = rows[-1][0].box if rows else None
        if (
            last is not None
            and (line.box[1] + line.box[3]) / 2 < last[3]
            and line.box[1] > last[1] - (last[3] - last[1]) / 2
        ):
            rows[-1].append(line)
        else:
            rows.append([line])
    return [line for row in rows for line in sorted(row, key=lambda one: one.box[0])]


def likely_text(image: Image) -> bool:
    """Whether OCR is worth its time: runs of strokes, wider than high, at two sizes. Costs about 1 ms.

    Errs on the side of True: busy pictures pass too.
    """
    if min(image.shape[:2]) < 8:
        return False
    grey = cv2.cvtColor(np.ascontiguousarray(_shrink(image, 480)), cv2.COLOR_RGB2GRAY)
    half = cv2.resize(grey, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    return _has_text_run(grey) or _has_text_run(half)


def _has_text_run(grey: NDArray[Any]) -> bool:
    """A stroke is a rising and a falling edge close together; lettering is a row of strokes."""
    height, width = grey.shape
    if height < 8 or width < 8:
        return False
    slope = cv2.Sobel(grey, cv2.CV_16S, 1, 0, ksize=3)
    reach = np.ones((1, 7), np.uint8)
    rising, falling = (cv2.dilate(edge.astype(np.uint8), reach) for edge in (slope > 90, slope < -90))
    strokes = cv2.morphologyEx(rising & falling, cv2.MORPH_CLOSE, np.ones((1, 9), np.uint8))
    _, _, stats, _ = cv2.connectedComponentsWithStats(strokes, connectivity=4)
    w, h, area = stats[1:, cv2.CC_STAT_WIDTH], stats[1:, cv2.CC_STAT_HEIGHT], stats[1:, cv2.CC_STAT_AREA]
    run = (h >= 4) & (h <= 0.5 * height) & (w >= 1.5 * h) & (w >= 12) & (area >= 0.4 * w * h)
    return bool(run.any())


# ------------------------------------------------------------------------------------------------ colour
COLOURS = ("red", "orange", "yellow", "green", "blue", "purple", "pink", "brown", "black", "white", "grey")


@dataclass(frozen=True, slots=True)
class ColourRegion:
    """A named colour: its `share` of the whole picture in [0, 1], the third of the picture its centre lies in
    ("top left", "centre", …, "everywhere" when spread out), and the box of its largest connected patch.
    """

    name: str
    share: float
    region: str
    box: Box


def colours(image: Image, least: float = 0.01) -> list[ColourRegion]:
    """Named colours that take at least `least` of the picture, most first."""
    names = _named(image)
    height, width = names.shape
    found = []
    for index, name in enumerate(COLOURS):
        mask = (names == index).astype(np.uint8)
        share = float(mask.mean())
        if share < least:
            continue
        _, _, stats, centres = cv2.connectedComponentsWithStats(mask, connectivity=4)
        largest = 1 + int(np.argmax(stats[1:, cv2.CC_STAT_AREA]))
        x, y, w, h, area = (int(v) for v in stats[largest])
        spread = area < 0.4 * mask.sum() or (w > 0.8 * width and h > 0.8 * height)
        region = "everywhere" if spread else region_name(centres[largest][0] / width, centres[largest][1] / height)
        found.append(ColourRegion(name, share, region, (x / width, y / height, (x + w) / width, (y + h) / height)))
    return sorted(found, key=lambda one: -one.share)


def colour_of(image: Image, box: Box = (0.0, 0.0, 1.0, 1.0)) -> str:
    """The most frequent named colour inside a box: for a line of text, what it stands on."""
    height, width = image.shape[:2]
    x0, y0 = int(box[0] * width), int(box[1] * height)
    x1, y1 = max(x0 + 1, round(box[2] * width)), max(y0 + 1, round(box[3] * height))
    names = _named(image[y0:y1, x0:x1])
    return COLOURS[int(np.bincount(names.ravel(), minlength=len(COLOURS)).argmax())]


def region_name(x: float, y: float) -> str:
    """The third of the picture a point lies in; x, y in [0, 1]."""
    column = ("left", "", "right")[min(2, int(x * 3))]
    row = ("top", "", "bottom")[min(2, int(y * 3))]
    return f"{row} {column}".strip() or "centre"


def _named(image: Image) -> NDArray[np.int8]:
    """Index into `COLOURS` for each pixel of the picture at 96 pixels."""
    hsv = cv2.cvtColor(np.ascontiguousarray(_shrink(image, 96)), cv2.COLOR_RGB2HSV)
    hue, saturation, value = (hsv[:, :, channel].astype(np.int32) for channel in range(3))
    names = np.full(hue.shape, COLOURS.index("red"), np.int8)
    for upto, name in ((180, "red"), (174, "pink"), (145, "purple"), (128, "blue"), (86, "green"), (36, "yellow"),
                       (22, "orange"), (8, "red")):  # fmt: skip
        names[hue < upto] = COLOURS.index(name)
    names[(names == COLOURS.index("red")) & (saturation < 130) & (value > 150)] = COLOURS.index("pink")
    warm = (names == COLOURS.index("orange")) | ((names == COLOURS.index("red")) & (hue >= 4) & (hue < 170))
    names[warm & (value < 170)] = COLOURS.index("brown")
    names[warm & (value >= 170) & (saturation < 90)] = COLOURS.index("brown")
    chroma = saturation * value // 255
    names[(chroma < 28) | (saturation < 40)] = COLOURS.index("grey")
    names[((chroma < 40) & (value > 200)) | ((saturation < 24) & (value > 190))] = COLOURS.index("white")
    names[value < 45] = COLOURS.index("black")
    return names


# ------------------------------------------------------------------------------------------------ light and motion
def brightness(image: Image) -> str:
    """ "dark", "bright" or "medium" by mean luma."""
    mean = float(cv2.cvtColor(np.ascontiguousarray(_shrink(image, 64)), cv2.COLOR_RGB2GRAY).mean())
    return "dark" if mean < 60 else "bright" if mean > 170 else "medium"


@dataclass(frozen=True, slots=True)
class Motion:
    """`kind`: "still", "pan" (the whole picture shifts), "moving" (parts change) or "changed" (another picture).

    `changed`: share of pixels that differ clearly, in [0, 1]. `direction`: where the picture content went for a pan
    ("left", "right", "up", "down"), else empty. `region`: the third where most change is, for "moving".
    """

    kind: str
    changed: float
    direction: str = ""
    region: str = ""


def motion(before: Image, after: Image) -> Motion:
    """What changed between two frames of one shot, of any sizes."""
    a, b = (
        cv2.resize(cv2.cvtColor(np.ascontiguousarray(one), cv2.COLOR_RGB2GRAY), (96, 64), interpolation=cv2.INTER_AREA)
        for one in (before, after)
    )
    difference = cv2.absdiff(a, b) > 18
    changed = float(difference.mean())
    if changed < 0.004:
        return Motion("still", changed)
    (dx, dy), response = cv2.phaseCorrelate(
        a.astype(np.float32), b.astype(np.float32), cv2.createHanningWindow((96, 64), cv2.CV_32F)
    )
    if response > 0.25 and max(abs(dx), abs(dy)) >= 0.8 and changed > 0.05:
        horizontal = abs(dx) >= abs(dy)
        return Motion("pan", changed, ("right" if dx > 0 else "left") if horizontal else ("down" if dy > 0 else "up"))
    if changed > 0.6:
        return Motion("changed", changed)
    rows, columns = np.nonzero(difference)
    return Motion("moving", changed, region=region_name(float(columns.mean()) / 96, float(rows.mean()) / 64))


# ------------------------------------------------------------------------------------------------ shared
def _shrink(image: Image, max_side: int) -> Image:
    height, width = image.shape[:2]
    longest = max(height, width)
    if longest <= max_side:
        return image
    size = (max(1, round(width * max_side / longest)), max(1, round(height * max_side / longest)))
    return np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)
