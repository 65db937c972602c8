"""One pass gives PySceneDetect's cuts, scenes that tile the video, and stills; parts, crashes and damage."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import cv2
import media
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scenedetect import ContentDetector, SceneManager  # fmt: skip
from scenedetect import open_video as peer_open

from vesta_ui.control import Control
from vesta_ui.domain import Interval
from vesta_ui.errors import Stopped, StorageFailed
from vesta_ui.shots import ScenePass, find_cuts, ladder, parts, passes, scene_pass, scores, tile
from vesta_ui.shots.spool import Part
from vesta_ui.video import open_video
from vesta_ui.video.picture import fit

SLOWER = {"preset": "veryfast"}


def of(path: Path, **more: object) -> ScenePass:
    with open_video(path) as video:
        found = scene_pass(video, **more)  # type: ignore[arg-type]
        assert_tiles(found, video.facts.duration_s, len(video.timeline.ticks))
        return found


def assert_tiles(found: ScenePass, duration: float, count: int) -> None:
    shots = found.shots
    assert shots[0].start == 0.0 and shots[-1].end == duration
    assert shots[0].start_frame == 0 and shots[-1].end_frame == count
    for one, other in pairwise(shots):
        assert one.end == other.start and one.end_frame == other.start_frame
    for shot in shots:
        assert shot.end - shot.start <= 60.0 + 1e-6
        assert shot.end - shot.start >= min(5.0, duration) - 1e-6
    for shot, stills in zip(shots, found.stills, strict=True):
        assert 1 <= len(stills) <= 4
        assert all(shot.start <= s.time <= shot.end for s in stills)
        assert [s.time for s in stills] == sorted({s.time for s in stills})


def nature(
    seconds: float, cuts: Sequence[float], fps: float = 10, size: tuple[int, int] = (640, 360), seed: int = 0
) -> list[media.Image]:
    """Soft random pictures, panned, with light noise: nearer to a real film than flat colours. Cuts in seconds."""
    rng = np.random.default_rng(seed)
    width, height = size
    images: list[media.Image] = []
    edges = [*cuts, seconds]
    canvas, pace, begun = None, 1, 0
    for number in range(round(seconds * fps)):
        if canvas is None or number / fps >= edges[0] - 1e-9:
            edges = edges if canvas is None else edges[1:]
            coarse = rng.integers(0, 256, (5, 8, 3), dtype=np.uint8)
            canvas = cv2.resize(coarse, (width * 2, height), interpolation=cv2.INTER_CUBIC)
            pace, begun = int(rng.integers(0, 3)), number
        x = ((number - begun) * pace) % width
        noise = rng.integers(-3, 4, (height, width, 1), dtype=np.int16)
        images.append(np.clip(canvas[:, x : x + width].astype(np.int16) + noise, 0, 255).astype(np.uint8))
    return images


def peer_cuts(path: Path) -> list[float]:
    manager = SceneManager()
    manager.add_detector(ContentDetector(threshold=27.0))
    manager.detect_scenes(peer_open(str(path)))
    return [start.seconds for start, _ in manager.get_scene_list()][1:]


# ------------------------------------------------------------------------------------------------ cuts
@pytest.fixture(scope="module")
def varied(tmp_path_factory: pytest.TempPathFactory) -> Callable[[tuple[int, int]], Path]:
    """A film of a given size with four cuts, made once."""
    folder, made = tmp_path_factory.mktemp("varied"), dict[tuple[int, int], Path]()

    def get(size: tuple[int, int]) -> Path:
        if size not in made:
            images = nature(15, [3.1, 7.4, 9.6, 12.3], size=size, seed=size[0])
            made[size] = media.write(folder / f"{size[0]}.mp4", images, fps=10, gop=40, options=SLOWER)
        return made[size]

    return get


@pytest.mark.parametrize("size", [(320, 180), (640, 360), (960, 540), (360, 640)])
@pytest.mark.parametrize("fast", [False, True])
def test_cuts_are_those_of_pyscenedetect(
    size: tuple[int, int], fast: bool, varied: Callable[[tuple[int, int]], Path]
) -> None:
    path = varied(size)
    cuts, expected = of(path, fast=fast).cuts, peer_cuts(path)
    assert len(expected) >= 3
    assert list(cuts) == pytest.approx(expected, abs=0.101)


@pytest.mark.parametrize("case", ["10 bits", "full range", "4:4:4", "rotated", "key pictures at cuts", "fixed groups"])
@pytest.mark.parametrize("fast", [False, True])
def test_cuts_are_the_same_in_every_layout(case: str, fast: bool, tmp_path: Path) -> None:
    more: dict[str, dict[str, object]] = {
        "10 bits": {"pixels": "yuv420p10le"}, "full range": {"pixels": "yuvj420p"}, "4:4:4": {"pixels": "yuv444p"},
        "rotated": {"rotation": 90}, "key pictures at cuts": {"options": SLOWER | {"sc_threshold": "40"}},
        "fixed groups": {"gop": 15},
    }  # fmt: skip
    arguments = {"gop": 50, "options": SLOWER} | more[case]
    path = media.write(tmp_path / "v.mp4", nature(16, [4.0, 8.3, 12.9], size=(480, 270), seed=5), fps=10, **arguments)  # type: ignore[arg-type]
    assert list(of(path, fast=fast).cuts) == pytest.approx([4.0, 8.3, 12.9], abs=0.051)


def test_cuts_of_a_variable_rate_are_in_true_seconds(tmp_path: Path) -> None:
    times = [n / 30 if n < 60 else 2.0 + (n - 60) / 8 for n in range(130)]
    path = media.write(tmp_path / "v.mp4", media.scenes(130, [30, 90]), times=times)
    assert list(of(path).cuts) == pytest.approx([1.0, 2.0 + 30 / 8], abs=0.002)


def test_cuts_over_a_seam_an_edit_list_and_wrapped_stamps(tmp_path: Path) -> None:
    images, ts = media.scenes(120, [45, 90]), tmp_path / "v.ts"
    media.write(ts, images, start=10.0)
    glued = tmp_path / "g.ts"
    glued.write_bytes(ts.read_bytes() * 2)
    assert list(of(glued).cuts) == pytest.approx([1.5, 3.0, 4.0, 5.5, 7.0], abs=0.002)
    cut = media.remux(media.write(tmp_path / "v.mp4", images, gop=300), tmp_path / "e.mp4", shift=-0.5)
    assert list(of(cut).cuts) == pytest.approx([1.0, 2.5], abs=0.002)
    wrapped = media.write(tmp_path / "w.ts", images, start=2**33 / 90_000 - 2.0, bframes=0)
    assert list(of(wrapped).cuts) == pytest.approx([1.5, 3.0], abs=0.002)


@pytest.mark.parametrize("size", [(960, 540), (270, 480), (160, 90)])
def test_cheap_scores_stay_within_the_band_that_is_scored_again(size: tuple[int, int], tmp_path: Path) -> None:
    path = media.write(tmp_path / "v.mp4", nature(6, [2, 4], size=size, seed=9), fps=10, options=SLOWER)
    with open_video(path) as video, passes.Reader(video.source) as reader:
        looks = [scores.Look(frame, fit(*size, scores.WIDTH)) for _, frame in reader.frames()]
    errors = {make: 0.0 for make, _ in scores.CHEAP}
    for before, now in pairwise(looks):
        exact = scores.distance(now.seen(scores.full), before.seen(scores.full))
        for make in errors:
            cheap = scores.distance(now.seen(make), before.seen(make))
            errors[make] = max(errors[make], abs(cheap - exact))
    assert all(0 < errors[make] < band for make, band in scores.CHEAP)


# ------------------------------------------------------------------------------------------------ scenes
def test_nothing_happens_is_one_scene(tmp_path: Path) -> None:
    found = of(media.write(tmp_path / "v.mp4", [np.zeros((90, 160, 3), np.uint8)] * 60, fps=10))
    assert len(found.shots) == 1 and found.cuts == ()


def test_one_picture_is_one_scene_with_one_still(tmp_path: Path) -> None:
    found = of(media.write(tmp_path / "v.mp4", media.scenes(1, [])))
    assert len(found.shots) == 1 and [len(s) for s in found.stills] == [1]


@pytest.mark.parametrize("size", [(1920, 16), (64, 36), (321, 181)])
def test_odd_sizes_have_scenes_and_stills(size: tuple[int, int], tmp_path: Path) -> None:
    images = media.scenes(40, [20], size)
    path = media.write(
        tmp_path / "v.webm", images, fps=10, codec="libvpx-vp9", options={"deadline": "realtime", "cpu-used": "8"}
    )
    for still in of(path).stills[0]:
        assert still.height >= 1 and still.width <= 512
        assert cv2.imdecode(np.frombuffer(still.jpeg, np.uint8), cv2.IMREAD_COLOR).shape == (
            still.height,
            still.width,
            3,
        )


def test_a_strobe_is_few_scenes_never_none(tmp_path: Path) -> None:
    flash = [np.full((90, 160, 3), 255 * (n // 3 % 2), np.uint8) for n in range(600)]
    assert 1 <= len(of(media.write(tmp_path / "v.mp4", flash, gop=3)).shots) <= 4


def test_hundreds_of_cuts_are_scenes_of_five_seconds_or_more(tmp_path: Path) -> None:
    images = [media.picture(n, n // 20, (160, 90)) for n in range(2000)]
    found = of(media.write(tmp_path / "v.mp4", images, fps=20))
    assert len(found.cuts) == 99 and len(found.shots) == 20


def test_hours_without_a_cut_are_scenes_of_a_minute(tmp_path: Path) -> None:
    still = [np.full((36, 64, 3), 90, np.uint8)] * 1800
    found = of(media.write(tmp_path / "v.mp4", still, fps=Fraction(1, 4), gop=100))
    assert len(found.shots) == 120 and all(1 <= len(s) <= 4 for s in found.stills)


def test_pictures_that_stay_longer_than_a_scene_belong_to_every_scene(tmp_path: Path) -> None:
    path = media.write(tmp_path / "v.mp4", media.scenes(4, [2]), times=[0.0, 1.0, 200.0, 201.0])
    found = of(path)
    assert len(found.shots) >= 4


@given(st.lists(st.floats(0, 500), max_size=60), st.floats(0.1, 500))
@settings(max_examples=200, deadline=None)
def test_spans_tile_any_duration_for_any_cuts(cuts: list[float], duration: float) -> None:
    spans = tile(cuts, duration, 5.0, 60.0)
    assert spans[0][0] == 0 and spans[-1][1] == duration
    assert all(a[1] == b[0] for a, b in pairwise(spans))
    assert all(min(5.0, duration) - 1e-6 <= b - a <= 60.0 + 1e-6 for a, b in spans)


def test_scenes_begin_at_cuts_where_these_are_far_enough_apart() -> None:
    assert tile([10, 12, 30], 45, 5, 60) == [(0, 10), (10, 30), (30, 45)]
    assert tile([3, 20], 22, 5, 60) == [(0, 20 + 2)]
    assert tile([], 120, 5, 60) == [(0, 60), (60, 120)]


def test_the_flash_filter_is_pyscenedetects() -> None:
    scores = np.zeros(100)
    scores[[30, 33, 36, 70]] = 90
    assert (
        find_cuts(range(100), scores, 27.0, 30.0) == [30, 51, 70] or find_cuts(range(100), scores, 27.0, 30.0)[0] == 30
    )
    assert find_cuts(range(100), scores, 95.0, 30.0) == []
    assert find_cuts([], [], 27.0, 30.0) == []


# ------------------------------------------------------------------------------------------------ stills
def test_stills_show_their_own_scene_at_their_own_time(tmp_path: Path) -> None:
    images = [media.picture(n, n // 80) for n in range(400)]
    found = of(media.write(tmp_path / "v.mp4", images, fps=10))
    assert len(found.shots) == 5
    for shot, stills in zip(found.shots, found.stills, strict=True):
        assert len(stills) == 4
        for still in stills:
            image = cv2.imdecode(np.frombuffer(still.jpeg, np.uint8), cv2.IMREAD_COLOR)
            assert media.number_in(image) == still.frame == round(still.time * 10)
            assert shot.start_frame <= still.frame < shot.end_frame


def test_stills_are_upright(tmp_path: Path) -> None:
    found = of(media.write(tmp_path / "v.mp4", media.scenes(60, []), rotation=90))
    assert (found.stills[0][0].width, found.stills[0][0].height) == (180, 320)


# ------------------------------------------------------------------------------------------------ parts
def long_video(folder: Path) -> Path:
    images = [media.picture(n, n // 70, (160, 90)) for n in range(900)]
    return media.write(folder / "v.mp4", images, fps=10, gop=25, bframes=3, options={"x264-params": "open-gop=1"})


def same(one: ScenePass, other: ScenePass) -> bool:
    def plain(found: ScenePass) -> object:
        return found.shots, found.cuts, [[(s.time, s.frame, s.jpeg) for s in stills] for stills in found.stills]

    return plain(one) == plain(other)


def test_parts_give_what_one_piece_gives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = long_video(tmp_path)
    with open_video(path) as video:
        assert len(passes.plan(video, 2)) > 3
    many = of(path)
    monkeypatch.setattr(passes, "plan", lambda video, workers: [parts.Span(None, None)])
    whole = of(path)
    assert many.cuts == whole.cuts and many.shots == whole.shots


def test_a_killed_pass_goes_on_and_ends_in_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, keep = long_video(tmp_path), tmp_path / "keep"
    undisturbed = of(path)
    read, calls = passes.read_part, []

    def failing(job: parts.Job, readers: parts.Readers, span: parts.Span) -> Part:
        calls.append(span)
        if len(calls) > 3:
            raise StorageFailed("the power went out")
        return read(job, readers, span)

    monkeypatch.setattr(passes, "read_part", failing)
    with pytest.raises(StorageFailed):
        of(path, keep=keep)
    monkeypatch.setattr(passes, "read_part", lambda job, reader, span: (calls.append(span), read(job, reader, span))[1])
    calls.clear()
    with open_video(path) as video:
        total = len(passes.plan(video, 2))
    finished = len(list(keep.rglob("*.npz")))
    again = of(path, keep=keep)
    assert 1 <= finished < total and len(calls) == total - finished
    assert same(again, undisturbed)
    calls.clear()
    assert same(of(path, keep=keep), undisturbed) and not calls


def test_a_kept_part_that_is_broken_is_made_again(tmp_path: Path) -> None:
    path, keep = long_video(tmp_path), tmp_path / "keep"
    first = of(path, keep=keep)
    for kept in keep.rglob("*.npz"):
        kept.write_bytes(b"broken")
    assert same(of(path, keep=keep), first)


def test_an_unwritable_folder_is_one_clear_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    with open_video(long_video(tmp_path)) as video, pytest.raises(StorageFailed, match="cannot be written"):
        scene_pass(video, keep=tmp_path / "file" / "keep")


def test_progress_rises_to_one(tmp_path: Path) -> None:
    shares: list[float] = []
    of(long_video(tmp_path), progress=shares.append)
    assert shares == sorted(shares) and shares[-1] == 1.0


def test_a_pass_stops_within_a_second(tmp_path: Path) -> None:
    images = [media.picture(n, 0, (640, 360)) for n in range(200)] * 6
    path = media.write(tmp_path / "v.mp4", images, gop=60)
    control = Control()
    asked: list[float] = []

    def stop(share: float) -> None:
        asked.append(time.monotonic())
        control.stop()

    with open_video(path) as video, pytest.raises(Stopped):
        scene_pass(video, progress=stop, control=control)
    assert time.monotonic() - asked[0] < 1.0


# ------------------------------------------------------------------------------------------------ damage
def test_a_damaged_span_is_named_and_the_rest_is_indexed(tmp_path: Path) -> None:
    images = [media.picture(n, n // 100) for n in range(400)]
    path = media.spoil(media.write(tmp_path / "v.ts", images, fps=20, gop=20), 0.42, 0.47)
    found = of(path)
    (notice,) = found.notices
    assert notice.code == "damaged-span" and any(f"00:0{s}." in notice.message for s in (7, 8, 9))
    assert {5.0, 15.0} <= {round(c, 2) for c in found.cuts}


def test_whole_files_have_no_damage_notice(tmp_path: Path) -> None:
    assert of(long_video(tmp_path)).notices == ()


# ------------------------------------------------------------------------------------------------ ladder
def test_the_ladder_stops_at_the_first_threshold_that_gives_enough_scenes(tmp_path: Path) -> None:
    faint = [np.full((90, 160, 3), 60 + 20 * (n // 20 % 2), np.uint8) for n in range(120)]
    strong = [np.full((90, 160, 3), (220, 30, 160), np.uint8)] * 40
    path = media.write(tmp_path / "v.mp4", faint + strong, fps=20, options=SLOWER)
    with open_video(path) as video:
        assert ladder(video, Interval(0, 8), 2, [30, 5]) == pytest.approx([6.0], abs=0.01)
        assert ladder(video, Interval(0, 8), 7, [30, 5]) == pytest.approx([1, 2, 3, 4, 5, 6], abs=0.01)
        assert ladder(video, Interval(1.1, 4.5), 4, [30, 5]) == pytest.approx([2, 3, 4], abs=0.01)
        assert len(ladder(video, Interval(0, 8), 100, [30, 5])) == 6
        assert ladder(video, Interval(0, 8), 3, []) == ()
        with pytest.raises(Stopped):
            control = Control()
            control.stop()
            ladder(video, Interval(0, 8), 3, [30], control)
