"""Speech recognised by an endpoint, over real HTTP: what is sent, what is made of the answer, how it fails."""

from __future__ import annotations

import io
import re
import wave
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from models_help import stopped_within
from provider_server import Answer, ProviderServer, Received, refusal

from vesta_ui import models, transcript
from vesta_ui.control import Control
from vesta_ui.errors import BadSpec, ModelFailed
from vesta_ui.models.listening import RemoteWhisper
from vesta_ui.scene_index.background import watched
from vesta_ui.transcript import sifting

TONE = np.sin(np.arange(32_000) / 10).astype(np.float32)
"""Two seconds of sound."""


def listener(server: ProviderServer, tmp_path: Path) -> RemoteWhisper:
    one = models.listener(f"compatible:whisper-1@{server.url}", tmp_path, Control())
    assert isinstance(one, RemoteWhisper)
    return one


def answer(**more: object) -> Answer:
    words = [{"word": "good", "start": 0.2, "end": 0.5}, {"word": "morning", "start": 0.6, "end": 1.1}]
    segments = [{"text": "good morning", "start": 0.0, "end": 1.5, "no_speech_prob": 0.01, "avg_logprob": -0.2}]
    return Answer({"text": "good morning", "language": "en", "words": words, "segments": segments, **more})


def test_sound_goes_out_as_wav_and_words_come_back_on_the_video_clock(server: ProviderServer, tmp_path: Path) -> None:
    server.play(answer())
    segments, _ = listener(server, tmp_path).transcribe(TONE, language="en")
    words, _ = sifting.sift(segments, TONE, 10.0)
    assert [(w.start, w.end, w.text) for w in words] == [(10.2, 10.5, "good"), (10.6, 11.1, "morning")]
    sent = server.requests[-1]
    assert sent.path == "/v1/audio/transcriptions"
    start = sent.raw.index(b"RIFF")
    with wave.open(io.BytesIO(sent.raw[start:])) as sound:
        assert (sound.getframerate(), sound.getnchannels(), sound.getsampwidth(), sound.getnframes()) == (
            16_000,
            1,
            2,
            32_000,
        )
    for field in (b"verbose_json", b"whisper-1", b"word"):
        assert field in sent.raw
    assert re.search(rb'name="language"\r\n\r\nen', sent.raw)


def test_a_model_without_times_still_gives_words(server: ProviderServer, tmp_path: Path) -> None:
    def plain(received: Received) -> Answer:
        if b"verbose_json" in received.raw:
            return refusal(400, "response_format 'verbose_json' is not compatible with model 'gpt-4o-transcribe'.")
        return Answer({"text": "good morning all"})

    server.play(plain)
    one = listener(server, tmp_path)
    segments, _ = one.transcribe(TONE)
    words, _ = sifting.sift(segments, TONE, 0.0)
    assert [w.text for w in words] == ["good", "morning", "all"]
    assert words[0].start == 0.0
    assert words[-1].end == pytest.approx(2.0, abs=0.01)
    one.transcribe(TONE)
    assert len(server.requests) == 3, "remembered"


@pytest.mark.parametrize(
    ("play", "kind"),
    [(refusal(401, "Incorrect API key"), "auth"), (Answer("<html><title>hi</title></html>"), "not_found"), (Answer({"no": 1}), "server")],
)  # fmt: skip
def test_failures_are_typed(
    server: ProviderServer, tmp_path: Path, play: Answer, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Control, "wait", lambda *_: None)
    server.play(play)
    with pytest.raises(ModelFailed) as caught:
        listener(server, tmp_path).transcribe(TONE)
    assert caught.value.kind == kind


def test_a_busy_endpoint_is_asked_again(server: ProviderServer, tmp_path: Path) -> None:
    server.play(replace(refusal(429, "slow down"), headers={"retry-after": "0.1"}), answer())
    segments, _ = listener(server, tmp_path).transcribe(TONE)
    assert segments[0].text == "good morning"


def test_its_wait_is_shown_by_the_run_and_ends_with_it(server: ProviderServer, tmp_path: Path) -> None:
    server.play(replace(refusal(429, "slow down"), headers={"retry-after": "100"}))
    run = Control()

    def listen(_: object, control: Control) -> object:
        one = models.listener(f"compatible:whisper-1@{server.url}", tmp_path, control)
        assert one is not None
        return one.transcribe(TONE)

    work = watched("speech", listen, run)
    shown: list[str] = []

    def waits() -> bool:
        shown.append(run.waiting)
        return bool(shown[-1])

    assert stopped_within(run, lambda: list(work), waits) < 5
    assert "whisper-1: rate limited" in shown[-1]


def test_which_specs_listen(tmp_path: Path) -> None:
    assert models.listener("embedded", tmp_path, Control()) is None
    assert transcript.identity("openai:whisper-1") == "openai:whisper-1"
    with pytest.raises(BadSpec):
        transcript.identity("openai:")
    with pytest.raises(ModelFailed, match="OPENAI_API_KEY"):
        models.listener("openai:whisper-1", tmp_path, Control())
