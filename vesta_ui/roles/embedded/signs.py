"""Signs: lines of text that stand together in a picture, what ground they are on, the numbers and states they give."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from vesta_ui import perception
from vesta_ui.perception import Box, Image, TextBox
from vesta_ui.roles.embedded.similarity import squeezed
from vesta_ui.roles.embedded.words import Reading, content, readings, stem

SURE = 0.6
_LEADERS = re.compile(r"\s*[.·…_+*=~-]{3,}\s*")
"""Dots that lead from a thing to its price."""
_STATES = re.compile(
    r"(?:^|(?<=\s))(open|closed|shut|sold out|sold|full|empty|on|off|cancelled|delayed|on time|departed|boarding|live|paused|free|reserved)"
    r"(?=\W*(?:$|\s/\s|now\b|today\b))",
    re.IGNORECASE,
)
"""A state stands at the end of its row: "KIOSK OPEN", not "A DAY ON FOOT"."""
_PRICE = re.compile(
    r"[€$£¥]\s?\d|\b\d+(?:[.,]\d\d)?\s?(?:€|euros?|eur|dollars?|usd|pounds?|gbp|pence|cents?|yen|francs?)(?!\w)|\b\d+[.,]\d\d(?![\d:])",
    re.IGNORECASE,
)
_MEASURES = frozenset(map(stem, "hour day week month year minute person adult child kilo litre night".split()))
"""What a price is per; such words alone do not say for what it is."""


@dataclass(frozen=True, slots=True)
class Sign:
    """`text`: its lines joined by " / "; `ground`: the colour behind; `region`: "at the top left" or "in the centre"."""

    text: str
    ground: str
    region: str
    box: Box


def signs(image: Image) -> list[Sign]:
    """Read a picture (H, W, 3): blocks of lines that stand together, the largest lettering first."""
    lines = [
        b
        for b in perception.read_text(image)
        if b.score >= SURE and (len(b.text) > 1 or (b.text.isdigit() and b.score > 0.8))
    ]
    found = []
    for block in _blocks(lines):
        box = _hull([line.box for line in block])
        region = perception.region_name((box[0] + box[2]) / 2, (box[1] + box[3]) / 2)
        where = "in the centre" if region == "centre" else f"at the {region}"
        found.append(
            (
                max(line.box[3] - line.box[1] for line in block),
                Sign(_joined(block), perception.colour_of(image, box), where, box),
            )
        )
    return [sign for _, sign in sorted(found, key=lambda f: -f[0])][:6]


def _blocks(lines: Sequence[TextBox]) -> list[list[TextBox]]:
    """Lines close above each other, or side by side on one row, belong together."""
    blocks: list[list[TextBox]] = []
    for line in lines:
        home = [b for b in blocks if any(_together(line.box, other.box) for other in b)]
        joined = [one for b in home for one in b] + [line]
        blocks = [b for b in blocks if b not in home] + [joined]
    order = {id(line): n for n, line in enumerate(lines)}
    return [sorted(b, key=lambda one: order[id(one)]) for b in blocks]


def _together(a: Box, b: Box) -> bool:
    height = min(a[3] - a[1], b[3] - b[1])
    across = min(a[2], b[2]) - max(a[0], b[0])
    apart = max(a[1], b[1]) - min(a[3], b[3])
    row = -apart > 0.5 * height
    return (across > 0 and apart < 1.3 * height) or (row and -across < 6 * height)


def _joined(block: Sequence[TextBox]) -> str:
    """Words on one row joined by a space, rows by " / "."""
    rows: list[list[TextBox]] = []
    for line in block:
        if rows and min(rows[-1][-1].box[3], line.box[3]) - max(rows[-1][-1].box[1], line.box[1]) > 0.5 * (
            line.box[3] - line.box[1]
        ):
            rows[-1].append(line)
        else:
            rows.append([line])
    joined = " / ".join(" ".join(one.text for one in sorted(row, key=lambda o: o.box[0])) for row in rows)
    return " ".join(_LEADERS.sub(" ", joined).split())


def same(a: str, b: str) -> bool:
    """Two readings of one text: nearly equal, or one a cut-off part of the other."""
    one, other = sorted((squeezed(a), squeezed(b)), key=len)
    if not one or not other:
        return one == other
    return (len(one) >= 4 and one in other) or SequenceMatcher(None, one, other).ratio() >= 0.8


def numbers(found: Sequence[Sign]) -> list[tuple[float, str, str]]:
    """Numbers on signs with what stands beside them, or else above them, and as they are written.

    A price belongs to what stands before it, not to its currency: "SOUP 4 EURO" is about soup, and "ONE HOUR 15.00" under
    "BOAT HIRE" about one hour of that. A time of day is told in hours: 7:45 is 7.75.
    """
    out: list[tuple[float, str, str]] = []
    for sign in found:
        above = ""
        for row in sign.text.split(" / "):
            said = readings(row)
            if len(_PRICE.findall(row)) == 1 and said:
                said = said[-1:]
                out.append((said[0].value, (_priced(row, above) or said[0].of).lower(), said[0].text))
            else:
                out += [_reading(r, above) for r in said]
            if not said and content(row):
                above = row
    return list(dict.fromkeys(out))


def _priced(row: str, above: str) -> str:
    """What a row with one price is about."""
    price = _PRICE.search(row)
    before = content(row[: price.start()]) if price else []
    vague = all(t.number is not None or t.stem in _MEASURES for t in before)
    return " ".join(filter(None, (above if vague else "", *(t.text for t in before))))


def _reading(reading: Reading, above: str) -> tuple[float, str, str]:
    of = (reading.of or above).lower()
    if ":" in reading.text:
        return round(reading.value, 2), f"{of}, hour of the day" if of else "hour of the day", reading.text
    return reading.value, of, reading.text


def state(found: Sequence[Sign]) -> str:
    """ "thing: value" when a sign says that something is open, closed, cancelled …; else empty."""
    for sign in found:
        match = _STATES.search(sign.text)
        rest = _STATES.sub("", sign.text).replace("/", " ").strip(" -–:.,") if match else ""
        if match and 0 < len(content(rest)) <= 5 and not readings(rest):
            return f"{' '.join(rest.split()).lower()}: {match[1].lower()}"
    return ""


def _hull(boxes: Sequence[Box]) -> Box:
    return min(b[0] for b in boxes), min(b[1] for b in boxes), max(b[2] for b in boxes), max(b[3] for b in boxes)
