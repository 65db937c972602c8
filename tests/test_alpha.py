"""Pictures that are partly see-through are videos like any other: every picture, one scene, the colours as stored."""

from __future__ import annotations

from pathlib import Path

import av
import media
import numpy as np
import pytest
from test_scene_index import finish

from vesta_ui.doctor import examine
from vesta_ui.playback import playable
from vesta_ui.settings import Settings
from vesta_ui.video import open_video
from vesta_ui.video.container import streams

KINDS = {
    "webm": ("v.webm", "libvpx-vp9", "yuva420p", {"auto-alt-ref": "0", "deadline": "realtime", "cpu-used": "8"}),
    "animation": ("v.mov", "qtrle", "argb", {}),
    "png": ("p.mov", "png", "rgba", {}),
}


def see_through(folder: Path, kind: str) -> Path:
    """Twenty numbered pictures, half see-through everywhere."""
    name, codec, pixels, options = KINDS[kind]
    with av.open(str(folder / name), "w") as out:
        stream = out.add_stream(codec, rate=10, options=options)
        assert isinstance(stream, av.VideoStream)
        stream.width, stream.height, stream.pix_fmt = 320, 180, pixels
        for number in range(20):
            image = np.dstack([media.picture(number), np.full((180, 320), 128, np.uint8)])
            frame = av.VideoFrame.from_ndarray(image, "rgba").reformat(format=pixels)
            frame.pts = number
            out.mux(stream.encode(frame))
        out.mux(stream.encode(None))
    return folder / name


@pytest.mark.parametrize("kind", KINDS)
def test_see_through_pictures_are_indexed_and_played(kind: str, tmp_path: Path) -> None:
    path = see_through(tmp_path, kind)
    index, _ = finish(path, Settings(data_dir=tmp_path / "data", speech="off"))
    assert [(scene.start, round(scene.end, 2)) for scene in index.scenes] == [(0.0, 2.0)] and not index.failed
    assert {odd.code for odd in examine(path).oddities} <= {"no-sound", "player-copy"}
    with open_video(path) as video:
        assert len(video.timeline.ticks) == 20
        shown = video.frames_at([0.05, 1.95, 1.05])
        assert [media.number_in(picture.image) for picture in shown] == [0, 19, 10]
        assert np.abs(shown[0].image[170, 319].astype(int) - media.picture(0)[170, 319]).max() < 30
        played = playable(video, tmp_path / "copies")
        if played != path:
            assert streams(played)[0].layout == "yuv420p"
            with open_video(played) as copy:
                assert [media.number_in(picture.image) for picture in copy.frames_at([0.05, 1.95])] == [0, 19]
