"""The speed table: what the scene pass and exact frames cost, beside a plain decode and the peer, on the same file.

Ratios of processor seconds of whole processes, measured in one run. Peers run as processes of their own when present.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from vesta_ui.bench.films import FILMS, Film, make, repeated
from vesta_ui.domain import clock
from vesta_ui.video import Video, open_video
from vesta_ui.video.decode import Reader

FRAMES = 50
TOLERANCE_S = 0.05
REPEATS = 8
KINDS = ("plain decode (ffmpeg)", "scenedetect command", "scene pass", "scene pass, fast")
SMALL = Film("small", (160, 90), 120, 12, kinds=("talk", "pan", "slide"))
TEXT_WORKER = "import sys; from vesta_ui.bench.speed import text_worker; text_worker(*sys.argv[1:])"
WORKER = "import sys; from vesta_ui.bench.speed import worker; worker(*sys.argv[1:])"


@dataclass(frozen=True, slots=True)
class Cost:
    """Processor seconds and elapsed seconds; `cuts` in seconds where the process finds them."""

    cpu: float
    wall: float
    cuts: tuple[float, ...] | None = None


def arguments(parser: argparse.ArgumentParser) -> None:
    """The flags of `bench speed`."""
    parser.add_argument(
        "videos", nargs="*", type=Path, metavar="VIDEO", help="files to measure; none: twelve made here"
    )
    parser.add_argument("--rounds", type=int, default=1, help="repeat each measurement, keep the cheapest (default 1)")
    parser.add_argument("--long", action="store_true", help="cost per minute and memory from 10 minutes to 6 hours")


def run(chosen: argparse.Namespace, tell: Callable[[str], None]) -> int:
    """Measure and print the tables; returns the exit code."""
    rounds = max(1, chosen.rounds)
    tell(f"{_limit()}; {_peer()}; {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} at the start\n")
    with tempfile.TemporaryDirectory() as folder:
        if chosen.long:
            tell("\n".join(long_rows(Path(folder))))
        elif chosen.videos:
            tell(table(chosen.videos, rounds))
        else:
            tell(films_table(Path(folder), rounds, tell))
    tell(f"\nload {os.getloadavg()[0]:.1f} at the end")
    return 0


def _limit() -> str:
    program = shutil.which("ffmpeg")
    if not program:
        return "limit: ffmpeg is not installed"
    said = subprocess.run([program, "-version"], capture_output=True, text=True, check=False).stdout.split()
    return f"limit: ffmpeg {said[2] if len(said) > 2 else ''} -f null"


def _peer() -> str:
    return f"peer: scenedetect {version('scenedetect')} detect-content -t 27"


def films_table(folder: Path, rounds: int, tell: Callable[[str], None]) -> str:
    """Twelve films of 3 to 8 minutes, then ten minutes of the first two: text, and exact frames in the first."""
    measured_films = []
    for film in FILMS:
        short = make(film, folder)
        path = repeated(short, REPEATS, short.with_stem(short.stem + "-repeated"))
        measured_films.append((film.name, costs_of(path, rounds)))
        tell(f"measured: {film.name}")
    rows = ["", *summary(measured_films), ""]
    for film in FILMS[:2]:
        path = repeated(make(film, folder), 600 // film.seconds, folder / "ten-minutes.mp4")
        rows.append(f"ten minutes of {film.name}: {text_row(path, film.seconds)}")
        if film is FILMS[0]:
            with open_video(path) as video:
                rows += frame_rows(video)
    return "\n".join(rows)


def summary(films: Sequence[tuple[str, dict[str, Cost]]]) -> list[str]:
    """A Markdown table, a row a film and one for all: processor seconds, and ratios against limit and peer (wall: elapsed)."""
    rows = ["| film | decode s | peer s | pass s | × decode | peer ÷ pass | wall: peer ÷ pass | fast s | peer ÷ fast | cuts: peer, pass, fast |",
            "|---|--:|--:|--:|--:|--:|--:|--:|--:|---|"]  # fmt: skip
    whole = [(name, costs) for name, costs in films if set(costs) == set(KINDS)]
    total = {kind: _sum([costs[kind] for _, costs in whole]) for kind in KINDS}
    for name, costs in [*whole, ("**all**", total)] if whole else []:
        base, peer, own, fast = (costs[kind] for kind in KINDS)
        rows.append(
            f"| {name} | {base.cpu:.1f} | {peer.cpu:.1f} | {own.cpu:.1f} | {own.cpu / base.cpu:.2f} | {peer.cpu / own.cpu:.2f} "
            f"| {peer.wall / own.wall:.2f} | {fast.cpu:.1f} | {peer.cpu / fast.cpu:.2f} | {_cuts(peer, None)}; {_cuts(own, peer)}; {_cuts(fast, peer)} |"
        )
    return [
        *rows,
        *(f"{name}: a peer is not installed here: left out" for name, costs in films if set(costs) != set(KINDS)),
    ]


def _sum(costs: Sequence[Cost]) -> Cost:
    """All films as if one came after the other, an hour apart."""
    cuts = (
        None
        if any(c.cuts is None for c in costs)
        else tuple(t + 3600 * i for i, c in enumerate(costs) for t in c.cuts or ())
    )
    return Cost(sum(c.cpu for c in costs), sum(c.wall for c in costs), cuts)


def long_rows(folder: Path, hours: Sequence[float] = (1 / 6, 1, 2, 6)) -> list[str]:
    """Cost per minute and peak memory of the scene pass, from ten minutes to six hours of one small film; with the cost
    as bars, twenty signs the dearest."""
    short, found = make(SMALL, folder), list[tuple[float, float, dict[str, Any]]]()
    for length in hours:
        path = repeated(short, max(1, round(length * 3600 / SMALL.seconds)), folder / f"{length:.2f}.mp4")
        cost, output = measured([sys.executable, "-c", WORKER, str(path), "full"])
        found.append((length, cost.cpu / length / 60, json.loads(output)))
        path.unlink()
    dearest = max(cost for _, cost, _ in found)
    return [
        "| length | s of processor per minute of video | peak memory MB | scenes | cost |",
        "|---|--:|--:|--:|---|",
        *(
            f"| {clock(length * 3600)} | {cost:.3f} | {told['peak_mb']:.0f} | {told['scenes']} | {'█' * round(20 * cost / dearest)} |"
            for length, cost, told in found
        ),
    ]


def table(paths: Sequence[Path], rounds: int = 1) -> str:
    """Measure every file and return the table as text. Peers that are not installed are named as absent."""
    lines = []
    for path in paths:
        with open_video(path) as video:
            facts = video.facts
            lines += [f"{path.name}: {clock(facts.duration_s)}, {facts.width}×{facts.height} {facts.codec}", ""]
            lines += [*scene_rows(path, rounds), "", *frame_rows(video), ""]
    return "\n".join(lines)


def costs_of(path: Path, rounds: int) -> dict[str, Cost]:
    """The cheapest of some rounds of each kind, interleaved; without those that are not installed."""
    measures = (ffmpeg_decode, scenedetect_command, scene_pass_process, fast_pass_process)
    costs: dict[str, Cost] = {}
    for _ in range(rounds):
        for kind, measure in zip(KINDS, measures, strict=True):
            cost = measure(path)
            if cost and (kind not in costs or cost.cpu < costs[kind].cpu):
                costs[kind] = cost
    return costs


def scene_rows(path: Path, rounds: int) -> list[str]:
    """The scene pass, full and fast, against `ffmpeg -f null` and the scenedetect command."""
    costs = costs_of(path, rounds)
    base, peer = costs.get(KINDS[0]), costs.get(KINDS[1])
    rows = [f"{'':24}{'cpu s':>9}{'wall s':>9}{'× decode':>10}{'peer ÷ this':>13}{'wall':>7}  cuts"]
    for kind in KINDS:
        if kind not in costs:
            rows.append(f"{kind:24}not installed here: left out")
            continue
        cost = costs[kind]
        decode = f"{cost.cpu / base.cpu:.2f}" if base else "–"
        saved = f"{peer.cpu / cost.cpu:.2f}" if peer else "–"
        quicker = f"{peer.wall / cost.wall:.2f}" if peer else "–"
        rows.append(f"{kind:24}{cost.cpu:9.2f}{cost.wall:9.2f}{decode:>10}{saved:>13}{quicker:>7}  {_cuts(cost, peer)}")
    return rows


def _cuts(cost: Cost, peer: Cost | None) -> str:
    if cost.cuts is None:
        return ""
    if peer is None or peer.cuts is None or peer is cost:
        return str(len(cost.cuts))
    hits = sum(any(abs(c - p) <= TOLERANCE_S for p in peer.cuts) for c in cost.cuts)
    return f"{len(cost.cuts)}, {hits} of the peer's {len(peer.cuts)}, {len(cost.cuts) - hits} others"


def measured(command: Sequence[str], folder: str | None = None) -> tuple[Cost, str]:
    """Run a command to its end: what it and its children cost, and its output. Raises `CalledProcessError`."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=folder)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Cost(cpu, time.monotonic() - start), done.stdout


def ffmpeg_decode(path: Path) -> Cost | None:
    """A plain decode of the picture; None without ffmpeg."""
    if not (program := shutil.which("ffmpeg")):
        return None
    return measured([program, "-v", "quiet", "-nostdin", "-i", str(path), "-map", "0:v:0", "-f", "null", "-"])[0]


def scenedetect_command(path: Path) -> Cost | None:
    """PySceneDetect's command line at threshold 27; None where it does not run."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "scenedetect", "-q", "-i", str(path.absolute()), "-o", folder,
                   "detect-content", "-t", "27", "list-scenes", "-s", "-q"]  # fmt: skip
        try:
            cost, _ = measured(command, folder)
        except (OSError, subprocess.CalledProcessError):
            return None
        found = next(Path(folder).glob("*.csv"), None)
        if found is None:
            return Cost(cost.cpu, cost.wall, ())
        with found.open(newline="") as file:
            starts = [float(row["Start Time (seconds)"]) for row in csv.DictReader(file)]
    return Cost(cost.cpu, cost.wall, tuple(starts[1:]))


def scene_pass_process(path: Path) -> Cost:
    return _own(path, "full")


def fast_pass_process(path: Path) -> Cost:
    return _own(path, "fast")


def _own(path: Path, mode: str) -> Cost:
    cost, output = measured([sys.executable, "-c", WORKER, str(path), mode])
    return Cost(cost.cpu, cost.wall, tuple(json.loads(output)["cuts"]))


def worker(path: str, mode: str) -> None:
    """The measured process: one scene pass; prints its cuts, scenes and peak memory as JSON."""
    from vesta_ui.shots import scene_pass

    with open_video(Path(path)) as video:
        found = scene_pass(video, fast=mode == "fast")
    sys.stdout.write(json.dumps({"cuts": found.cuts, "scenes": len(found.shots), "peak_mb": peak_mb()}))
    sys.stdout.flush()
    os._exit(0)


def peak_mb() -> float:
    """Of this program alone: what `getrusage` says would count the process it was started by as well."""
    try:
        said = Path("/proc/self/status").read_text()
        return int(said.split("VmHWM:")[1].split()[0]) / 1024
    except (OSError, IndexError):
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def frame_rows(video: Video) -> list[str]:
    """Exact frames spread over the file: all in one call, against seeking and decoding each."""
    times = [(i + 0.5) * video.facts.duration_s / FRAMES for i in range(FRAMES)]
    start = time.process_time()
    pictures = video.frames_at(times, 512)
    together = time.process_time() - start
    start = time.process_time()
    exact = sum(picture.time == _alone(video, t) for picture, t in zip(pictures, times, strict=True))
    apart = time.process_time() - start
    return [
        f"{FRAMES} exact frames: {1000 * together / FRAMES:.0f} ms each, {exact} of {FRAMES} exact; "
        f"one by one {1000 * apart / FRAMES:.0f} ms each; ratio {together / apart:.2f}"
    ]


def text_row(path: Path, repeats_s: float) -> str:
    """Reading text in the scenes of a file, against its scene pass: processor seconds of one process.

    `repeats_s`: the file shows the same again after that many seconds, which is not taken for a picture that stays.
    """
    found = json.loads(measured([sys.executable, "-c", TEXT_WORKER, str(path), str(repeats_s)])[1])
    return (
        f"text of {found['scenes']} scenes: {found['read']} pictures read, {found['text']:.2f} s of processor; "
        f"scene pass {found['pass']:.2f} s; ratio {found['text'] / found['pass']:.2f}"
    )


def text_worker(path: str, repeats_s: str) -> None:
    """The measured process: the scene pass, then the text of its stills; prints what each cost as JSON."""
    from vesta_ui import perception
    from vesta_ui.scene_index import text
    from vesta_ui.shots import scene_pass

    reader, turn = text.SceneReader(), 0.0
    with open_video(Path(path)) as video:
        start = time.process_time()
        found = scene_pass(video)
        passed = time.process_time()
        for shot, stills in zip(found.shots, found.stills, strict=True):
            if shot.start // float(repeats_s) > turn:
                reader, turn = text.SceneReader(), shot.start // float(repeats_s)
            pictures = [text.decode(still.jpeg) for still in stills]
            reader.read([picture for picture in pictures if picture is not None])
    costs = {"pass": passed - start, "text": time.process_time() - passed}
    sys.stdout.write(json.dumps({**costs, "scenes": len(found.shots), "read": perception.pictures_read()}))
    sys.stdout.flush()
    os._exit(0)


def _alone(video: Video, time: float) -> float:
    """The time of the picture shown, found by seeking and decoding every picture from the key picture on."""
    wanted, shown = video.timeline.shown_at(time), 0
    with Reader(video.source) as reader:
        for tick, frame in reader.frames(video.timeline.key_before(wanted)):
            if tick > wanted:
                break
            shown = tick
            if tick == wanted:
                video.picture(tick, frame, 512)
                break
    return video.timeline.seconds(shown)
