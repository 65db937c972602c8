"""A copy in a real browser: it lasts as long as the video, and shows at each second the picture the index has there."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import browser
import media
import pytest
from playwright.sync_api import Browser, sync_playwright

from vesta_ui.playback import playable
from vesta_ui.video import open_video

IMAGES = media.scenes(150, [60])
SOUND = media.beeps(5.0, [(1.0, 1.3)])
X265 = {"preset": "ultrafast", "x265-params": "log-level=none"}
LOOK = """async ([data, times]) => {
  const video = document.createElement('video');
  const once = (name) => new Promise((done, fail) => {
    video.addEventListener(name, done, {once: true});
    video.addEventListener('error', () => fail(new Error(video.error.message)), {once: true});
  });
  const bytes = Uint8Array.from(atob(data), (c) => c.charCodeAt(0));
  const loaded = once('loadeddata');
  video.src = URL.createObjectURL(new Blob([bytes], {type: 'video/mp4'}));
  await loaded;
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [video.videoWidth, video.videoHeight];
  const pen = canvas.getContext('2d'), numbers = [];
  for (const time of times) {
    // `seeked` can come before the frame itself does, on a busy machine
    const arrived = once('seeked'), shown = new Promise((done) => { video.requestVideoFrameCallback(done); setTimeout(done, 3000); });
    video.currentTime = time;
    await Promise.all([arrived, shown]);
    pen.drawImage(video, 0, 0);
    const row = pen.getImageData(0, Math.floor(canvas.height / 22), canvas.width, 1).data;
    let number = 0;
    for (let bit = 0; bit < 10; bit++)
      if (row[4 * Math.floor((bit + 0.5) * canvas.width / 20)] > 127) number |= 1 << bit;
    numbers.push(number);
  }
  return {duration: video.duration, numbers};
}"""


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    path = browser.chromium_path()
    assert path, "no browser: run python tests/browser.py"
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=path, args=browser.FLAGS)
        yield opened
        opened.close()


def fragmented(folder: Path) -> Path:
    path = media.write(folder / "v.mp4", IMAGES, sound=SOUND)
    broken = media.NEGATIVE | {"movflags": "frag_keyframe+empty_moov", "use_editlist": "0"}
    return media.remux(path, folder / "f.mp4", container=broken)


KINDS: dict[str, Any] = {
    "transport stream": lambda d: media.write(d / "v.ts", IMAGES, sound=SOUND, start=3600.0),
    "matroska": lambda d: media.write(d / "v.mkv", IMAGES, sound=SOUND, bframes=3),
    "fragmented": fragmented,
    "hevc": lambda d: media.write(d / "v.mp4", IMAGES, sound=SOUND, codec="libx265", options=X265),
    "variable rate": lambda d: media.write(d / "v.mkv", IMAGES, times=[n / 30 + (0.7 if n > 75 else 0) for n in range(150)]),
    "glued": lambda d: glued(d),
}  # fmt: skip


def glued(folder: Path) -> Path:
    half = media.write(folder / "v.ts", IMAGES[:75], sound=SOUND[: 16_000 * 5 // 2], start=10.0)
    (folder / "g.ts").write_bytes(half.read_bytes() + half.read_bytes())
    return folder / "g.ts"


@pytest.mark.parametrize("kind", KINDS)
def test_a_browser_shows_the_pictures_of_the_index(kind: str, chromium: Browser, tmp_path: Path) -> None:
    with open_video(KINDS[kind](tmp_path)) as video:
        copy = playable(video, tmp_path / "copies")
        times = [video.timeline.seconds(int(t)) + 0.012 for t in video.timeline.ticks[[0, 149, 37, 61, 59, 60, 100, 1]]]
        expected = [media.number_in(picture.image) for picture in video.frames_at(times)]
        page = chromium.new_page()
        seen = page.evaluate(LOOK, [base64.b64encode(copy.read_bytes()).decode(), times])
        page.close()
        assert seen["numbers"] == expected
        assert seen["duration"] == pytest.approx(video.facts.duration_s, abs=0.1)
