"""A library of a thousand hours: how fast it lists, opens and is searched, how exact the search is, what memory it takes.

The hours are simulated: headers, scenes and clustered vectors as a build would leave them, in a folder that is removed
afterwards; no video, no picture and no encoder is involved.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np

from vesta_ui import files
from vesta_ui.bench import Tell
from vesta_ui.bench.speed import peak_mb
from vesta_ui.domain import Scene, VideoFacts
from vesta_ui.encoders import SceneContent, Vectors
from vesta_ui.scene_index import SceneIndex, keys, library, store_of
from vesta_ui.scene_index.store import Row
from vesta_ui.settings import Settings
from vesta_ui.transcript import Transcript

ENCODER, DIMENSIONS, CLUSTERS = "simulated/1", 384, 400
SCENE_S = 36.0
K, QUERIES = 15, 30
LIST_S, SEARCH_S, RECALL = 2.0, 0.1, 0.99
INSIDE, INSIDE_S = 5_000, 0.005
"""What is asked of it: seconds to list, seconds a search (median), share of the true neighbours; scenes of one long video
and seconds a search inside it (median), which is exact."""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--hours", type=int, default=1_000, help="videos of one hour each (default 1,000)")


def run(chosen: argparse.Namespace, tell: Tell) -> int:
    """Exit code 1 when a target is missed."""
    with tempfile.TemporaryDirectory(prefix="vesta-bench-") as folder:
        settings = Settings(data_dir=Path(folder))
        start = time.monotonic()
        vectors = fill(settings, chosen.hours)
        tell(
            f"{chosen.hours} hours, {len(vectors)} scenes of {DIMENSIONS} numbers, made in {time.monotonic() - start:.0f} s"
        )
        before = peak_mb()
        start = time.monotonic()
        listed = len(library.entries(settings))
        listing = time.monotonic() - start
        seconds, recall = search(settings, vectors)
        inside, busy, exact = search_inside(vectors[:INSIDE], Path(folder))
    tell(f"listed: {listed} indexes in {listing:.2f} s (goal {LIST_S:g})")
    usual = statistics.median(seconds[1:])
    tell(
        f"searched: first {seconds[0]:.2f} s, then {1000 * usual:.0f} ms (median of {QUERIES - 1}; goal {1000 * SEARCH_S:.0f})"
    )
    tell(f"recall of the {K} best: {recall:.3f} (goal {RECALL})")
    tell(f"memory: {before:.0f} MB before, {peak_mb():.0f} MB after")
    tell(
        f"inside a video of {min(INSIDE, len(vectors))} scenes: {1000 * inside:.1f} ms (median of {QUERIES}; "
        f"goal {1000 * INSIDE_S:g}), {1000 * busy:.1f} of them at work; recall of the {K} best: {exact:.3f} (goal 1)"
    )
    met = listing <= LIST_S and usual <= SEARCH_S and recall >= RECALL and inside <= INSIDE_S and exact == 1
    return 0 if met else 1


def fill(settings: Settings, hours: int) -> Vectors:
    """Write the indexes of that many one-hour videos; returns all their vectors, (scenes, dimensions)."""
    random = np.random.default_rng(1)
    each = round(3600 / SCENE_S)
    centres = random.standard_normal((CLUSTERS, DIMENSIONS))
    rows = centres[random.integers(CLUSTERS, size=hours * each)] + 0.5 * random.standard_normal(
        (hours * each, DIMENSIONS)
    )
    vectors = np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)
    scenes = [
        Scene(
            f"s{n:05d}",
            n * SCENE_S,
            (n + 1) * SCENE_S,
            n * 900,
            n * 900 + 900,
            (),
            transcript=f"what is said in part {n}",
        )
        for n in range(each)
    ]
    for hour in range(hours):
        key, facts = (
            f"{hour:024x}",
            VideoFacts(f"{hour:064x}", f"hour {hour}.mp4", 3600.0, 1280, 720, 25.0, True, "h264"),
        )
        folder = keys.video_folder(settings.data_dir, f"{hour:032x}")
        own = vectors[hour * each : (hour + 1) * each]
        body = {
            "scenes": [asdict(one) for one in scenes],
            "transcript": {"words": [], "language": "", "status": "off", "notices": []},
        }
        files.write_json(keys.body_path(folder, key), body)
        files.write(keys.vectors_path(folder, key), own.tobytes())
        made_of = {"version": keys.VERSION, "encoder": ENCODER, "dimensions": DIMENSIONS}
        header = {
            "id": key, "parameters": made_of, "encoder_spec": ENCODER, "speech": "off", "video": asdict(facts),
            "scenes": each, "still": "", "notices": [], "seconds": {}, "failed": {},
        }  # fmt: skip
        files.write_json(keys.header_path(folder, key), header)
    store_of(settings).put(
        ENCODER, DIMENSIONS, [Row(f"{n // each:024x}:{n % each}", v, {"scene": n}) for n, v in enumerate(vectors)]
    )
    return vectors


def search(settings: Settings, vectors: Vectors) -> tuple[list[float], float]:
    """Seconds of each search, and the share of the true neighbours found."""
    random, store = np.random.default_rng(2), store_of(settings)
    seconds, found = list[float](), 0
    for near in random.choice(len(vectors), QUERIES, replace=False):
        query = vectors[near] + 0.03 * random.standard_normal(DIMENSIONS).astype(np.float32)
        start = time.monotonic()
        hits = store.search(ENCODER, DIMENSIONS, query, K)
        seconds.append(time.monotonic() - start)
        truth = np.argsort(-(vectors @ query))[:K]
        found += len({int(hit.metadata["scene"]) for hit in hits} & {int(n) for n in truth})
    return seconds, found / (K * QUERIES)


class Written:
    """An encoder that gives the vector written down for a query, so that the search alone is measured."""

    name, dimensions, uses_images = ENCODER, DIMENSIONS, False

    def __init__(self) -> None:
        self.wanted = np.zeros(DIMENSIONS, np.float32)

    def query(self, text: str) -> Vectors:
        return self.wanted

    def scenes(self, contents: Sequence[SceneContent]) -> Vectors:
        raise NotImplementedError


def search_inside(vectors: Vectors, folder: Path) -> tuple[float, float, float]:
    """Median seconds of a search inside one video of so many scenes, elapsed and at work; the share of true neighbours."""
    encoder, random = Written(), np.random.default_rng(3)
    scenes = tuple(Scene(str(n), n * SCENE_S, (n + 1) * SCENE_S, n, n + 1, ()) for n in range(len(vectors)))
    facts = VideoFacts("0" * 64, "long.mp4", len(scenes) * SCENE_S, 1280, 720, 25.0, False, "h264")
    silent = Transcript((), "", "off")
    index = SceneIndex(
        "", facts, ENCODER, "off", scenes, silent, (), {}, False, folder, vectors, encoder
    )  # fmt: skip
    seconds, busy, found = list[float](), list[float](), 0
    for near in random.choice(len(vectors), QUERIES):
        encoder.wanted = vectors[near] + 0.03 * random.standard_normal(DIMENSIONS).astype(np.float32)
        start, working = time.monotonic(), time.thread_time()
        hits = index.search("written", K)
        busy.append(time.thread_time() - working)
        seconds.append(time.monotonic() - start)
        truth = np.argsort(-(vectors @ encoder.wanted))[:K]
        found += len({int(hit.scene.id) for hit in hits} & {int(n) for n in truth})
    return statistics.median(seconds), statistics.median(busy), found / (K * QUERIES)
