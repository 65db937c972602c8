"""A run or case as Markdown with figures, for a paper or a report: `report.md`, `timeline.svg` a run, frames as JPEG.

Text from outside is escaped for Markdown and for the HTML that Markdown may hold.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence
from typing import Any

from vesta_ui.domain import clock
from vesta_ui.runs.export.document import Document, frames
from vesta_ui.runs.redact import Redacted

Json = dict[str, Any]
LANES = ("retrieved", "inspected", "speech", "clip", "answer", "coverage")
INK = {
    "retrieved": "#59636e",
    "inspected": "#4d5661",
    "speech": "#56b4e9",
    "clip": "#9ba6b2",
    "answer": "#009e73",
    "coverage": "#009e73",
}
FIGURES = 3
"""Frames of a step shown in the report."""


def folder(document: Document, redacted: Sequence[Redacted]) -> dict[str, bytes]:
    """File name → content."""
    data, pictures = document.data, frames(document)
    made: dict[str, bytes] = {}
    lines = [f"# {plain(data['question']['text'])}", ""]
    lines += [f"- {choice['label']}. {plain(choice['text'])}" for choice in data["question"]["choices"]]
    video = data["video"]
    lines += ["", f"Video: {plain(video['name'])}, {clock(video['duration_s'])} (sha256 `{video['sha256'][:16]}…`)", ""]
    if data["case"]:
        lines += _case(data["case"])
    for n, run in enumerate(data["runs"], 1):
        made[f"timeline-{n}.svg"] = timeline(run, video["duration_s"], data["case"]).encode()
        lines += _run(run, n, pictures)
    lines += _costs(data["runs"])
    lines += [f"Redacted: {one.count} × {one.what}." for one in redacted]
    lines += ["", f"{data['made_by']}, {data['made_at']}", ""]
    shown = set(re.findall(r"figures/([0-9a-f]{64})\.jpg", "\n".join(lines)))
    made |= {f"figures/{sha}.jpg": pictures[sha] for sha in sorted(shown)}
    return {"report.md": "\n".join(lines).encode()} | made


def plain(text: str) -> str:
    """Text that Markdown and HTML show as it stands, on one line."""
    one_line = " ".join(str(text).split())
    return re.sub(r"([\\`*_{}\[\]()#+\-.!|~$^=:@])", r"\\\1", html.escape(one_line, quote=False))


def _case(case: Json) -> list[str]:
    where = ", ".join(f"{clock(s)}–{clock(e)}" for s, e in case["gold_intervals"])
    lines = [f"Gold answer: **{plain(case['gold'] or 'unknown')}**{f' at {where}' if where else ''}", ""]
    for note in case["notes"]:
        about = f"run {note['run']}" if note["run"] else "the case"
        about += f", step {note['step']}" if note["step"] else ""
        about += f", {clock(note['at'][0])}–{clock(note['at'][1])}" if note["at"] else ""
        label = f"**{plain(note['label'])}** " if note["label"] else ""
        lines.append(f"- {plain(about)}: {label}{plain(note['text'])}")
    return [*lines, ""]


def _run(run: Json, n: int, pictures: dict[str, bytes]) -> list[str]:
    answer, route = run["answer"], run["route"]
    lines = [f"## Run {n}: {plain(run['agent'])}", "", f"![Timeline of run {n}](timeline-{n}.svg)", ""]
    if route:
        lines += [f"Route: **{plain(route['policy'])}**, {plain(route['emphasis'])}. {plain(route['why'])}", ""]
    lines += ["| step | operation | where | outcome | frames | seconds |", "| --- | --- | --- | --- | --- | --- |"]
    for step in run["steps"]:
        where = ", ".join(f"{clock(s)}–{clock(e)}" for s, e in step["places"][:4])
        outcome = step["error"] or next(iter(step["output"].strip().splitlines()), "") or step["thought"]
        lines.append(
            f"| {step['n']} | {plain(step['op'])} | {where} | {plain(outcome[:160])} | {len(step['frames'])} | {step['seconds']} |"
        )
    lines.append("")
    for step in run["steps"]:
        kept = [frame for frame in step["frames"] if frame["sha"] in pictures]
        some = (
            kept if len(kept) <= FIGURES else [kept[round(i * (len(kept) - 1) / (FIGURES - 1))] for i in range(FIGURES)]
        )
        lines += [f"Step {step['n']}. {plain(step['thought'])}", ""]
        if some:
            lines += [" ".join(f"![{clock(f['t'])}](figures/{f['sha']}.jpg)" for f in some), ""]
    if answer:
        label = f"{answer['label']}. " if answer["label"] else ""
        lines += [f"**Answer: {plain(label + answer['text'])}** (confidence {answer['confidence']:.2f})", ""]
        lines += [
            f"- {clock(e['start'])}–{clock(e['end'])} \\[{plain(e['entry_id'])}\\] {plain(e['why'])}"
            for e in answer["evidence"]
        ]
    else:
        lines += [f"No answer: {plain(run['outcome'])}. {plain(run['reason'])}"]
    if run["verdict"]:
        lines += ["", f"Judged {run['verdict']}{' by hand' if run['judged_by_hand'] else ''}."]
    if run["iou"] is not None:
        lines += ["", f"Evidence IoU with the gold interval: {run['iou']:.2f}"]
    return [*lines, *(f"- Note: {plain(text)}" for text in run["warnings"]), ""]


def _costs(runs: Sequence[Json]) -> list[str]:
    named = {
        "iterations": "iterations", "remote requests": "remote_requests", "failed requests": "failed_requests",
        "input tokens": "input_tokens", "output tokens": "output_tokens", "retrieve calls": "retrieve_calls",
        "inspect calls": "inspect_calls", "clip calls": "clip_calls", "speech calls": "speech_calls", "other queries": "other_calls", "frames": "frames",
        "cost in USD": "cost_usd", "seconds": "seconds",
    }  # fmt: skip
    lines = [
        "## Cost",
        "",
        f"| | {' | '.join(plain(run['agent']) for run in runs)} |",
        f"| --- |{' --- |' * len(runs)}",
    ]
    for title, name in named.items():
        cells = [run["cost"][name] for run in runs]
        lines.append(
            f"| {title} | {' | '.join('unknown' if c is None else f'{c:.4g}' if isinstance(c, float) else str(c) for c in cells)} |"
        )
    return [*lines, ""]


def timeline(run: Json, duration: float, case: Json | None) -> str:
    """The lanes of a run as an SVG of 900 pixels, on the video's axis."""
    left, wide, tall, gap = 84, 800, 16, 6
    lanes = [*LANES, "gold"] if case and case["gold_intervals"] else list(LANES)
    height = len(lanes) * (tall + gap) + 26
    parts = []
    for n, lane in enumerate(lanes):
        y = 4 + n * (tall + gap)
        parts.append(
            f'<text x="{left - 8}" y="{y + 12}" text-anchor="end">{lane}</text><rect x="{left}" y="{y}" width="{wide}" height="{tall}" fill="#eef1f4"/>'
        )
        for start, end in _spans(run, lane, case):
            x, w = left + wide * start / duration, max(2.0, wide * (end - start) / duration)
            parts.append(
                f'<rect x="{x:.1f}" y="{y}" width="{w:.1f}" height="{tall}" fill="{INK.get(lane, "#e69f00")}"/>'
            )
    for k in range(6):
        t = duration * k / 5
        parts.append(f'<text x="{left + wide * k / 5:.0f}" y="{height - 6}" text-anchor="middle">{clock(t)}</text>')
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 900 {height}" width="900" height="{height}" '
        f'font-family="sans-serif" font-size="11" fill="#14181c">{"".join(parts)}</svg>\n'
    )


def _spans(run: Json, lane: str, case: Json | None) -> Iterator[tuple[float, float]]:
    match lane:
        case "retrieved":
            yield from ((ref["s"], ref["e"]) for ref in run["references"])
        case "answer":
            yield from ((e["start"], e["end"]) for e in (run["answer"] or {}).get("evidence", ()))
        case "coverage":
            yield from ((s, e) for s, e in run["states"][-1].get("seen", ()))
        case "gold":
            yield from ((s, e) for s, e in (case or {}).get("gold_intervals", ()))
        case _:
            name = "inspect" if lane == "inspected" else lane
            yield from ((s, e) for step in run["steps"] if step["op"] == name for s, e in step["places"])
