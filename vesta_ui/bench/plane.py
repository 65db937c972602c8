"""The second paper's two axes as one picture: share of the video that the evidence takes × its length (SAVE §5, Figure 2).

Runs are points on it; beside each band stands what the paper measured there. Pure: SVG text, its colours those of paper.
A page that shows it sets colours of its own by class.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

SHARES = (
    (0.01, "≤ 1 %", "paper: +35 points"),
    (0.05, "1–5 %", ""),
    (0.15, "5–15 %", "about even above 1 %"),
    (1.0, "> 15 %", ""),
)
LENGTHS = (
    (300.0, "under 5 min", "−1 point"),
    (900.0, "5 to 15 min", "+6 points"),
    (math.inf, "15 min and more", "paper: +9 points"),
)
"""The paper's bands: upper edge, name, and SAVE's accuracy less token-matched native's (Gemini 3 Flash): by share on the
synthetic set, where its totals leave −1 point for all bands above 1 % together; by length on Minerva."""

WIDTH, HEIGHT = 760, 330
X0, X1, Y0, Y1 = 66, 628, 42, 282
"""The plane inside the picture, pixels."""
LEAST_SHARE, SHORTEST_S, LONGEST_S = 0.001, 30.0, 7_200.0
LETTER_PX, ROW_PX = 6.6, 17
_HALO = 'stroke="#eef1f4" stroke-width="3" paint-order="stroke"'


@dataclass(frozen=True, slots=True)
class Point:
    """One run. `share` in [0, 1]; None: it cites nothing, and stands where the question does. `agrees`: whether it gave
    the agreed answer."""

    label: str
    share: float | None
    agrees: bool


def picture(points: Sequence[Point], share: float, duration_s: float) -> str:
    """`share` and `duration_s` are the question's own: every point lies at the length of its video."""
    plane = _Plane(min(SHORTEST_S, duration_s / 1.5), max(LONGEST_S, duration_s * 1.5))
    x, y = plane.across(share), plane.down(duration_s)
    told = f"The evidence takes {100 * share:.1f} % of a video of {_length(duration_s)}. {'; '.join(p.label for p in points)}"
    parts = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12" '
        f'role="img" aria-label="{escape(told)}">',
        f'<rect class="ground" x="{X0}" y="{Y0}" width="{X1 - X0}" height="{Y1 - Y0}" fill="#eef1f4"/>',
        *plane.columns(),
        *plane.rows(),
        _line("here", f"M{X0} {y:.1f}H{X1}M{x:.1f} {Y0}V{Y1}", "#0072b2", 'stroke-dasharray="4 3"'),
        *_runs([(x if one.share is None else plane.across(one.share), one) for one in points], y),
        "</svg>",
    )
    return "\n".join(parts)


@dataclass(frozen=True, slots=True)
class _Plane:
    """Two logarithmic axes; lengths from `low` to `high` seconds."""

    low: float
    high: float

    def across(self, share: float) -> float:
        return X0 + (X1 - X0) * (1 - math.log(min(1.0, max(LEAST_SHARE, share))) / math.log(LEAST_SHARE))

    def down(self, seconds: float) -> float:
        return Y1 - (Y1 - Y0) * math.log(seconds / self.low) / math.log(self.high / self.low)

    def columns(self) -> Iterator[str]:
        left = LEAST_SHARE
        yield _text(self.across(left), Y1 + 16, f"{100 * left:g} %")
        for edge, name, gain in SHARES:
            middle = (self.across(left) + self.across(edge)) / 2
            yield _text(middle, Y0 - 22, name, "ink")
            yield _text(middle, Y0 - 7, gain)
            yield _text(self.across(edge), Y1 + 16, f"{100 * edge:g} %")
            yield _line("edge", f"M{self.across(edge):.1f} {Y0}V{Y1}", "#ffffff", 'stroke-width="2"')
            left = edge
        yield _text((X0 + X1) / 2, HEIGHT - 8, "share of the video that the evidence takes (temporal concentration)")

    def rows(self) -> Iterator[str]:
        floor = self.low
        for edge, name, gain in LENGTHS:
            top = min(edge, self.high)
            middle = (self.down(floor) + self.down(top)) / 2
            yield _text(X1 + 8, middle - 3, name, "ink", "start")
            yield _text(X1 + 8, middle + 12, gain, anchor="start")
            yield _line("edge", f"M{X0} {self.down(top):.1f}H{X1}", "#ffffff", 'stroke-width="2"')
            floor = top
        for seconds in (30, 120, 300, 900, 3_600):
            yield _text(X0 - 6, self.down(seconds) + 4, _length(seconds), anchor="end")
        yield _text(0, 0, "length of the video", more=f'transform="translate(13 {(Y0 + Y1) / 2:g}) rotate(-90)"')


def _runs(places: Sequence[tuple[float, Point]], y: float) -> Iterator[str]:
    """A dot at each place; its label in a row above or below, where it runs over no other."""
    taken: dict[int, list[tuple[float, float]]] = {}
    for x, one in sorted(places, key=lambda place: place[0]):
        wide = LETTER_PX * len(one.label) + 12
        left, right, anchor = (x, x + wide, "start") if x + wide < X1 else (x - wide, x, "end")
        row = next(r for r in _levels(y) if all(right < a or left > b for a, b in taken.get(r, [])))
        taken.setdefault(row, []).append((left - 6, right + 6))
        level, end = y + row * ROW_PX, x + (8 if anchor == "start" else -8)
        yield _line("lead", f"M{x:.1f} {y:.1f}V{level:.1f}H{end:.1f}", "#59636e")
        look = 'class="dot" r="5" fill="#14181c"' if one.agrees else 'class="dot ring" r="8" fill="none"'
        yield f'<circle {look} cx="{x:.1f}" cy="{y:.1f}" stroke="#14181c" stroke-width="1.6"/>'
        yield _text(end + (3 if anchor == "start" else -3), level + 4, one.label, "ink run", anchor, _HALO)


def _levels(y: float) -> Iterator[int]:
    """Rows beside a height, the nearest first; inside the plane as long as there is room."""
    near = [sign * n for n in range(1, 40) for sign in (-1, 1)]
    inside = [row for row in near if Y0 + 8 <= y + row * ROW_PX <= Y1 - 8]
    yield from (*inside, *(row for row in near if row not in inside))


def _line(name: str, path: str, colour: str, more: str = "") -> str:
    return f'<path class="{name}" d="{path}" fill="none" stroke="{colour}" {more}/>'


def _text(x: float, y: float, text: str, name: str = "tick", anchor: str = "middle", more: str = "") -> str:
    colour = "#59636e" if name == "tick" else "#14181c"
    return f'<text class="{name}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}" {more}>{escape(text)}</text>'


def _length(seconds: float) -> str:
    """For example "30 s", "5 min", "1 h"."""
    for unit, name in ((3_600, "h"), (60, "min")):
        if seconds >= 2 * unit or seconds == unit:
            return f"{seconds / unit:.3g} {name}"
    return f"{seconds:.0f} s"
