"""Accuracy with confidence intervals, in bins, as a text table and as a small picture. Pure."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape

Z_95 = 1.959964


@dataclass(frozen=True, slots=True)
class Share:
    """`right` of `count`, with its Wilson interval at 95 %."""

    right: int
    count: int

    @property
    def value(self) -> float:
        return self.right / self.count if self.count else float("nan")

    @property
    def interval(self) -> tuple[float, float]:
        return wilson(self.right, self.count)

    def __str__(self) -> str:
        if not self.count:
            return "–"
        low, high = self.interval
        return f"{100 * self.value:.0f} % ({100 * low:.0f}–{100 * high:.0f})"


def wilson(right: int, count: int, z: float = Z_95) -> tuple[float, float]:
    """Wilson score interval of a share, in [0, 1]; (0, 1) when nothing was counted."""
    if not count:
        return 0.0, 1.0
    share = right / count
    middle = share + z * z / (2 * count)
    spread = z * math.sqrt(share * (1 - share) / count + z * z / (4 * count * count))
    scale = 1 + z * z / count
    return max(0.0, (middle - spread) / scale), min(1.0, (middle + spread) / scale)


@dataclass(frozen=True, slots=True)
class Outcome:
    """One answered sample. `tokens`: input tokens; `concentration` in (0, 1]; `duration_s` in seconds."""

    sample: int
    agent: str
    right: bool
    concentration: float
    duration_s: int
    tokens: int
    frames: int
    steps: int


@dataclass(frozen=True, slots=True)
class Bin:
    name: str
    holds: Callable[[Outcome], bool]


CONCENTRATION = (
    Bin("≤ 1 %", lambda o: o.concentration <= 0.01),
    Bin("1–5 %", lambda o: 0.01 < o.concentration <= 0.05),
    Bin("5–15 %", lambda o: 0.05 < o.concentration <= 0.15),
    Bin("> 15 %", lambda o: o.concentration > 0.15),
)
EVERY = Bin("all", lambda o: True)


def durations(outcomes: Sequence[Outcome]) -> tuple[Bin, ...]:
    return tuple(_duration(seconds) for seconds in sorted({o.duration_s for o in outcomes}))


def _duration(seconds: int) -> Bin:
    return Bin(f"{seconds} s", lambda o: o.duration_s == seconds)


def common(outcomes: Sequence[Outcome]) -> list[Outcome]:
    """Outcomes of the samples that every agent has answered, so that all are compared on the same ones."""
    agents = {o.agent for o in outcomes}
    answered: dict[int, set[str]] = {}
    for one in outcomes:
        answered.setdefault(one.sample, set()).add(one.agent)
    return [o for o in outcomes if answered[o.sample] == agents]


def share(outcomes: Sequence[Outcome], agent: str, where: Bin) -> Share:
    chosen = [o for o in outcomes if o.agent == agent and where.holds(o)]
    return Share(sum(o.right for o in chosen), len(chosen))


def table(outcomes: Sequence[Outcome], agents: Sequence[str], bins: Sequence[Bin], title: str) -> str:
    """A Markdown table: a row a bin, a column an agent, each cell accuracy with its interval; then what it cost."""
    lines = [f"| {title} | n | {' | '.join(agents)} |", f"| --- | ---: |{' ---: |' * len(agents)}"]
    for one in bins:
        count = max((share(outcomes, agent, one).count for agent in agents), default=0)
        lines.append(f"| {one.name} | {count} | {' | '.join(str(share(outcomes, agent, one)) for agent in agents)} |")
    return "\n".join(lines)


def costs(outcomes: Sequence[Outcome], agents: Sequence[str]) -> str:
    """Means a sample: input tokens, frames, steps; and what a right answer costs."""
    lines = ["| mean a question | input tokens | frames | steps | tokens / right answer |", "| --- |" + " ---: |" * 4]
    for agent in agents:
        mine = [o for o in outcomes if o.agent == agent]
        if mine:
            mean = [sum(getattr(o, name) for o in mine) / len(mine) for name in ("tokens", "frames", "steps")]
            right = sum(o.right for o in mine)
            each = f"{sum(o.tokens for o in mine) / right:,.0f}" if right else "–"
            lines.append(f"| {agent} | {mean[0]:,.0f} | {mean[1]:.1f} | {mean[2]:.1f} | {each} |")
    return "\n".join(lines)


PALETTE = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00")
"""Okabe–Ito."""


def bars(outcomes: Sequence[Outcome], agents: Sequence[str], bins: Sequence[Bin], title: str) -> str:
    """Grouped bars of accuracy with intervals as one SVG text, 720 × 320."""
    left, top, width, height = 46, 40, 660, 220
    group = width / max(1, len(bins))
    bar = group * 0.8 / max(1, len(agents))
    parts = [
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 720 320" font-family="sans-serif" font-size="12">',
        '<rect width="720" height="320" fill="white"/>',
        f'<text x="{left}" y="20" font-size="14">{escape(title)}</text>',
    ]
    for percent in range(0, 101, 25):
        y = top + height * (1 - percent / 100)
        parts.append(f'<line x1="{left}" x2="{left + width}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>')
        parts.append(f'<text x="{left - 6}" y="{y + 4:.1f}" text-anchor="end" fill="#555">{percent} %</text>')
    for i, one in enumerate(bins):
        count = max(share(outcomes, agent, one).count for agent in agents)
        for j, agent in enumerate(agents):
            got = share(outcomes, agent, one)
            if not got.count:
                continue
            x = left + group * (i + 0.1) + bar * j
            low, high = got.interval
            tall, middle = height * got.value, x + bar / 2
            y_low, y_high = (top + height * (1 - v) for v in (low, high))
            parts.append(
                f'<rect x="{x + 1:.1f}" y="{top + height - tall:.1f}" width="{bar - 2:.1f}" height="{tall:.1f}" '
                f'fill="{PALETTE[j % len(PALETTE)]}"><title>{escape(f"{agent}, {one.name}: {got}")}</title></rect>'
                f'<line x1="{middle:.1f}" x2="{middle:.1f}" y1="{y_low:.1f}" y2="{y_high:.1f}" stroke="#222"/>'
            )
        x = left + group * (i + 0.5)
        parts.append(f'<text x="{x:.1f}" y="{top + height + 18}" text-anchor="middle">{escape(one.name)}</text>')
        parts.append(f'<text x="{x:.1f}" y="{top + height + 33}" text-anchor="middle" fill="#555">n = {count}</text>')
    for j, agent in enumerate(agents):
        x = left + 120 * j
        parts.append(f'<rect x="{x}" y="302" width="11" height="11" fill="{PALETTE[j % len(PALETTE)]}"/>')
        parts.append(f'<text x="{x + 16}" y="312">{escape(agent)}</text>')
    return "\n".join((*parts, "</svg>"))
