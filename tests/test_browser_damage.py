"""A file that a browser gives up on half way: the page goes on with a copy of what our own decoder reads."""

from __future__ import annotations

from pathlib import Path

import media
import numpy as np
import pytest
import ui_page
from playwright.sync_api import Page, expect

from vesta_ui.playback import copy_reason
from vesta_ui.video import open_video

pytestmark = pytest.mark.browser
CANNOT = "This video cannot be played here; questions still work."
PLAYED = "document.querySelector('#vid video')"


def damaged(folder: Path, seed: int) -> Path:
    """20 s of H.264 and AAC with the index first and the bytes from 45 to 55 % zeroed."""
    noise = np.random.default_rng(seed).normal(0, 0.1, 16_000 * 20).astype(np.float32)
    images = media.scenes(600, [150, 300, 450])
    path = media.write(folder / f"damaged{seed}.mp4", images, sound=noise, container={"movflags": "+faststart"})
    data = bytearray(path.read_bytes())
    begin, end = len(data) * 45 // 100, len(data) * 55 // 100
    data[begin:end] = bytes(end - begin)
    path.write_bytes(data)
    return path


def opened(site: ui_page.Site, path: Path) -> Page:
    page = site.open()
    page.fill("#video-path textarea, #video-path input", str(path))
    page.click("#video-open")
    with open_video(path) as video:
        assert copy_reason(video) == ""
        page.wait_for_function(f"VESTA.videoKey() === '{video.facts.sha256}'")
    page.wait_for_function(f"{PLAYED}.src.endsWith('?as=file') && {PLAYED}.readyState > 1")
    return page


def test_playing_goes_on_past_the_damage_at_the_same_time(site: ui_page.Site, tmp_path: Path) -> None:
    page = opened(site, damaged(tmp_path, 1))
    page.evaluate(f"{PLAYED}.addEventListener('error', () => {{ window.gaveUp ??= VESTA.now(); }})")
    page.evaluate(f"VESTA.seek(2); {PLAYED}.playbackRate = 2; VESTA.togglePlay(); null")
    page.wait_for_function(f"{PLAYED}.src.endsWith('-decoded')")
    gave_up = page.evaluate("window.gaveUp")
    page.wait_for_function(f"{PLAYED}.readyState > 1 && !{PLAYED}.paused")
    assert 2 < gave_up <= page.evaluate("VESTA.now()") < gave_up + 5
    assert page.evaluate(f"{PLAYED}.playbackRate") == 2
    page.wait_for_function(f"{PLAYED}.currentTime > 15")
    assert page.evaluate(f"[{PLAYED}.error, Math.abs({PLAYED}.duration - VESTA.duration()) < 0.2]") == [None, True]
    expect(page.locator("#vid .cover")).to_be_hidden()


def test_only_when_the_copy_fails_too_the_page_says_so(
    site: ui_page.Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = opened(site, damaged(tmp_path, 2))
    (tmp_path / "taken").write_text("no folder")
    monkeypatch.setattr(site.shelf, "folder", tmp_path / "taken")
    page.evaluate("VESTA.seek(9.5); VESTA.togglePlay(); null")
    cover = page.locator("#vid .cover")
    expect(cover).to_contain_text(CANNOT)
    expect(cover).to_contain_text("could not be written to")
    expect(page.locator("#run")).to_be_enabled()
    assert page.evaluate("VESTA.now()") >= 9


def test_a_copy_of_our_decoder_that_is_refused_is_not_made_again(site: ui_page.Site, tmp_path: Path) -> None:
    path = damaged(tmp_path, 3)
    with open_video(path) as video:
        copy = site.shelf.folder / f"{video.facts.sha256}-v2-decoded.mp4"
    page = opened(site, path)
    page.route("**/*as=v2-decoded", lambda route: route.fulfill(body=b"no video", content_type="video/mp4"))
    page.evaluate("VESTA.seek(9.5); VESTA.togglePlay(); null")
    expect(page.locator("#vid .cover")).to_have_text(CANNOT)
    made = copy.stat().st_mtime_ns
    page.wait_for_timeout(1000)
    assert copy.stat().st_mtime_ns == made
    expect(page.locator("#vid .cover")).to_have_text(CANNOT)
