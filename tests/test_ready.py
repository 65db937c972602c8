"""What Settings says of each role before anything is asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from vesta_ui.ui.ready import roles


@pytest.mark.parametrize(
    ("role", "spec", "ready", "says"),
    [
        ("router", "embedded", True, "no key"),
        ("reasoner", "openai:o3", False, "OPENAI_API_KEY"),
        ("observer", "gemini:g", False, "GEMINI_API_KEY"),
        ("observer", "compatible:m@http://127.0.0.1:1/v1", True, "no key set"),
        ("reasoner", "claude:x", False, "unknown provider"),
        ("reasoner", "off", False, "unknown provider"),
        ("speech", "off", True, "not used"),
        ("speech", "faster-whisper:large-v3", True, "fetched once"),
        ("speech", "subtitles:track", True, "no key"),
        ("speech", "subtitles:/nowhere/a.srt", False, "cannot be read"),
        ("speech", "openai:whisper-1", False, "OPENAI_API_KEY"),
        ("speech", "whisper", False, "faster-whisper:NAME_OR_FOLDER"),
        ("encoder", "clip", True, "torch"),
        ("encoder", "remote:m+images@http://127.0.0.1:1/v1", True, "its server is asked"),
        ("encoder", "remote:m", False, "remote:MODEL@URL"),
        ("encoder", "bert", False, "unknown encoder"),
    ],
)
def test_one_role(role: str, spec: str, ready: bool, says: str) -> None:
    (one,) = roles({role: spec})
    assert one["ready"] is ready, one
    assert says in one["why"]


def test_a_folder_of_weights_is_not_fetched(tmp_path: Path) -> None:
    (one,) = roles({"speech": f"faster-whisper:{tmp_path}"})
    assert one["ready"] and "fetched" not in one["why"]
