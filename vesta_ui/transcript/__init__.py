"""Speech on the global clock (VESTA §B.1): the whole sound track, once, in blocks of bounded memory, cached.

The only importer of faster_whisper. Knows no scene and no question. What was said is data, never an order.
"""

from __future__ import annotations

import hashlib
import logging
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from vesta_ui import files, models
from vesta_ui.control import Control
from vesta_ui.domain import Interval, Notice, Usage, VideoFacts, Word, listed, merge
from vesta_ui.errors import BadSpec, Stopped
from vesta_ui.transcript import subtitles
from vesta_ui.transcript import weights as whisper_weights
from vesta_ui.transcript.sifting import DOUBTFUL, RATE, Samples, sift, sureness

log = logging.getLogger(__name__)
TRACK = "subtitles:track"
"""The spec for the subtitles inside the video file."""
BLOCK_S = 60.0
"""Sound given to the model at once, seconds. Blocks end in a pause where there is one."""
FILL_S = 5.0
"""Gaps in the sound up to this long are filled with silence, seconds."""
VERSION = 3
"""Raised when the same sound would give another transcript."""


class Sound(Protocol):
    """What is needed of a video."""

    @property
    def facts(self) -> VideoFacts: ...

    def audio(self, sample_rate: int = RATE, block_s: float = 30) -> Iterator[tuple[float, Samples]]:
        """(start in seconds on the video clock, mono samples), in time order; gaps are allowed."""
        ...

    def captions(self) -> Iterator[tuple[float, float, str]]:
        """(start, end, text) of the subtitle track in the file."""
        ...


@dataclass(frozen=True, slots=True)
class Transcript:
    """`status`: "ok", "no sound track", "no speech found", "off", "pending" (still being made) or "transcript failed"."""

    words: tuple[Word, ...]
    language: str
    status: str
    notices: tuple[Notice, ...] = ()
    usage: Usage = field(default=Usage(), compare=False)
    """What a remote recogniser was paid for it just now; nothing once it is read from the cache."""

    def text(self, start: float, end: float) -> str:
        """Words whose middle lies in [start, end), as one line."""
        return " ".join(word.text for word in self.words if start <= (word.start + word.end) / 2 < end)


Progress = Callable[[float, float], None]
"""Seconds done, seconds in all."""
Heard = Callable[[float, tuple[Word, ...]], None]
"""Told after each stretch: seconds heard so far from the start, and all words in them."""


# ------------------------------------------------------------------------------------------------ which speech
def identity(spec: str, whisper_dir: str = "", language: str = "") -> str:
    """What makes a transcript another one: the spec, with the content of a subtitle file.

    Raises `BadSpec`, also for a `language` that is none.
    """
    _check_language(language)
    name, _, detail = spec.partition(":")
    if name == "embedded" and not detail:
        return f"embedded in {whisper_dir}" if whisper_dir else spec
    if spec == "off":
        return spec
    if spec == TRACK or (name in ("faster-whisper", *models.LISTENERS) and detail):
        return spec
    if name == "subtitles" and detail:
        try:
            return f"subtitles:{hashlib.sha256(Path(detail).expanduser().read_bytes()).hexdigest()}"
        except OSError as error:
            raise BadSpec(f"the subtitle file {Path(detail).name} cannot be read: {error.strerror}") from error
    raise BadSpec(
        f"unknown speech “{spec}”: choose embedded, off, faster-whisper:NAME_OR_FOLDER, openai:MODEL, compatible:MODEL@URL, subtitles:FILE or {TRACK}"
    )


def _check_language(code: str) -> None:
    if not code:
        return
    from faster_whisper.tokenizer import _LANGUAGE_CODES

    if code not in _LANGUAGE_CODES:
        raise BadSpec(f"“{code}” is no language code: write one such as en, de or zh, or leave it empty to detect it")


def transcribe(
    video: Sound,
    spec: str,
    data_dir: Path,
    cache: Path,
    language: str = "",
    whisper_dir: str = "",
    progress: Progress | None = None,
    control: Control | None = None,
    heard: Heard | None = None,
) -> Transcript:
    """The transcript of a video. Finished ones and finished blocks are read from `cache`, a folder of this video alone.

    `language` is a code such as "de"; empty: detected on speech, block by block. Raises `BadSpec`, `Stopped`,
    `StorageFailed`.
    """
    control = control or Control()
    who = identity(spec, whisper_dir, language)
    if who == "off":
        return Transcript((), "", "off", (Notice("speech-off", "speech was switched off: nothing said can be found"),))
    kept = cache / f"speech-{files.digest([VERSION, who, language, video.facts.sha256], 16)}.json"
    if (data := files.read_json(kept)) is not None:
        return from_json(data)
    if who.startswith("subtitles:"):
        done = _from_subtitles(video, spec, language)
    elif not video.facts.has_audio:
        notice = Notice("no-sound-track", "no sound track: only the picture can be searched")
        done = Transcript((), "", "no sound track", (notice,))
    else:
        done = _recognise(video, spec, data_dir, kept, language, whisper_dir, progress, control, heard)
    files.write_json(kept, asdict(done))
    kept.with_suffix(".blocks").unlink(missing_ok=True)
    return done


def from_json(data: dict[str, Any]) -> Transcript:
    return Transcript(
        tuple(Word(**word) for word in data["words"]),
        data["language"],
        data["status"],
        tuple(Notice(**notice) for notice in data["notices"]),
    )


def _from_subtitles(video: Sound, spec: str, language: str) -> Transcript:
    if spec == TRACK:
        words = subtitles.words_of(video.captions())
        if not words:
            raise BadSpec(
                f"{video.facts.name} has no text subtitles inside: choose speech “embedded” or a subtitle file"
            )
    else:
        words = subtitles.read(Path(spec.partition(":")[2]).expanduser())
    words = tuple(replace(word, start=max(0.0, word.start)) for word in words if word.end > 0)
    notice = Notice("speech-subtitles", "speech was taken from subtitles; the times of single words are estimates")
    return Transcript(words, language, "ok", (notice,))


# ------------------------------------------------------------------------------------------------ the model
@lru_cache(maxsize=1)
def _model(folder: str) -> Any:
    """The model on a graphics card if one can run it, else on the processor, in 8-bit integers."""
    import ctranslate2
    from faster_whisper import WhisperModel

    if ctranslate2.get_cuda_device_count():
        can = ctranslate2.get_supported_compute_types("cuda")
        kind = next((kind for kind in ("float16", "int8_float16", "int8") if kind in can), "default")
        try:
            model = WhisperModel(folder, device="cuda", compute_type=kind, local_files_only=True)
            model.detect_language(np.zeros(RATE, np.float32))  # its libraries are looked for when it first runs
            return model
        except (RuntimeError, ValueError) as error:
            log.warning("speech runs on the processor: the graphics card cannot be used (%s)", error)
    threads = min(4, os.cpu_count() or 1)
    return WhisperModel(folder, device="cpu", compute_type="int8", cpu_threads=threads, local_files_only=True)


def _weights(spec: str, data_dir: Path, whisper_dir: str, control: Control) -> Path:
    name, _, detail = spec.partition(":")
    if name == "embedded":
        return whisper_weights.embedded(data_dir, whisper_dir)
    folder = Path(detail).expanduser()
    if folder.is_dir():
        return whisper_weights.checked(folder)
    from faster_whisper.utils import _MODELS, download_model

    for local in (True, False):
        try:
            if not local:
                whisper_weights.fetch(_MODELS.get(detail, detail), detail, control)
            return Path(download_model(detail, local_files_only=True))
        except Stopped:
            raise
        except ValueError as error:
            raise BadSpec(f"no such speech model “{detail}”: {error}") from error
        except Exception as error:
            failure = error
    raise BadSpec(
        f"the speech model “{detail}” is neither a folder nor in the hub's cache, and the hub cannot be reached; "
        "choose “embedded”"
    ) from failure


# ------------------------------------------------------------------------------------------------ recognition in blocks
@dataclass(frozen=True, slots=True)
class Block:
    """What one stretch of sound gave: [start, end) in seconds, its words, language, and how much was thrown away."""

    start: float
    end: float
    words: tuple[Word, ...]
    language: str = ""
    dropped: int = 0

    @property
    def doubtful(self) -> bool:
        return bool(self.words) and sureness(self.words) < DOUBTFUL


def _recognise(
    video: Sound,
    spec: str,
    data_dir: Path,
    kept: Path,
    language: str,
    whisper_dir: str,
    progress: Progress | None,
    control: Control,
    heard: Heard | None,
) -> Transcript:
    total = video.facts.duration_s
    checkpoint = kept.with_suffix(".blocks")
    done = _read_blocks(checkpoint)
    model = remote = None
    # counted, not timed: where sound overlaps, stretches cut from the middle on would not be those of a whole pass
    for start, samples in islice(stretches(video.audio(RATE, 30)), len(done), None):
        control.check()
        if progress:
            progress(min(start, total), total)
        if model is None:
            remote = models.listener(spec, data_dir, control)
            model = remote or _model(str(_weights(spec, data_dir, whisper_dir, control)))
        block = hear(model, start, samples, language or _likely_language(done), bool(language), control)
        control.check()  # a stopped build may have a successor, which writes here now
        done.append(block)
        files.append_line(checkpoint, asdict(block))
        if heard:
            heard(block.end, tuple(word for one in done for word in one.words))
    if progress:
        progress(total, total)
    return replace(_finish(done, total, language), usage=remote.usage if remote else Usage())


def stretches(audio: Iterable[tuple[float, Samples]]) -> Iterator[tuple[float, Samples]]:
    """Cut a stream of sound into stretches of at most `BLOCK_S` + one input block, ending in a pause.

    A short gap in the sound is filled with silence, so that broken sound does not fall into scraps, each as costly as a
    whole stretch; a long one ends a stretch. Times stay true.
    """
    buffer: Samples = np.zeros(0, np.float32)
    begin = 0.0
    for start, samples in audio:
        hole = start - (begin + len(buffer) / RATE)
        if len(buffer) and 0.1 < hole <= FILL_S:
            buffer = np.concatenate([buffer, np.zeros(round(hole * RATE), np.float32)])
        elif len(buffer) and abs(hole) > 0.1:
            yield begin, buffer
            buffer = buffer[:0]
        if not len(buffer):
            begin = start
        buffer = np.concatenate([buffer, samples])
        while len(buffer) >= BLOCK_S * RATE:
            cut = _pause(buffer)
            yield begin, buffer[:cut]
            begin, buffer = begin + cut / RATE, buffer[cut:]
    if len(buffer):
        yield begin, buffer


def _pause(buffer: Samples) -> int:
    """Sample index in the last third of a block where 0.4 s around is quietest."""
    window = int(0.1 * RATE)
    frames = buffer[: len(buffer) // window * window].reshape(-1, window)
    loudness = np.convolve((frames**2).mean(axis=1), np.ones(4) / 4, mode="same")
    first, last = len(loudness) * 2 // 3, len(loudness) - 2
    return (first + int(np.argmin(loudness[first:last]))) * window + window // 2


def hear(
    model: Any, start: float, samples: Samples, language: str, fixed: bool, control: Control | None = None
) -> Block:
    """Words in one stretch of sound that begins at `start` seconds.

    `language` is the one heard so far (empty: none yet) or, when `fixed`, the one the user named. Without a name it is
    detected on the first speech, and again where words come out doubtful; a first guess gives way only to what is not.
    """
    end = start + len(samples) / RATE
    if not _speech_likely(samples):
        return Block(start, end, ())
    chosen = language or model.detect_language(samples, vad_filter=True)[0]
    words, dropped = _recognised(model, start, samples, chosen, control)
    if not fixed and (words or dropped) and sureness(words) < DOUBTFUL:
        least = 0.7 if language else 0.1
        ranked = model.detect_language(samples, vad_filter=True)[2][:3]
        for other in (code for code, share in ranked if code != chosen and share > least):
            again, lost = _recognised(model, start, samples, other, control)
            if sureness(again) > max(sureness(words), 0 if language else DOUBTFUL):
                return Block(start, end, again, other, lost)
    return Block(start, end, words, chosen if words else "", dropped)


def _recognised(
    model: Any, start: float, samples: Samples, language: str, control: Control | None
) -> tuple[tuple[Word, ...], int]:
    segments, _ = model.transcribe(
        samples,
        language=language,
        beam_size=1,
        temperature=(0.0, 0.4),
        vad_filter=True,
        word_timestamps=True,
        condition_on_previous_text=False,
    )
    return sift(_checked(segments, control), samples, start)


def _checked(segments: Iterable[Any], control: Control | None) -> Iterator[Any]:
    for segment in segments:
        if control:
            control.check()
        yield segment


def _speech_likely(samples: Samples) -> bool:
    """Silero's voice detector on one stretch; false for digital silence and scraps under 0.1 s without asking it."""
    if len(samples) < 0.1 * RATE or float(np.abs(samples).max()) < 1e-3:
        return False
    from faster_whisper.vad import get_speech_timestamps

    return bool(get_speech_timestamps(samples, min_speech_duration_ms=250))


# ------------------------------------------------------------------------------------------------ putting together
def _likely_language(blocks: Iterable[Block]) -> str:
    """The language of most words; that of a doubtful block tells nothing about the next one."""
    counts: Counter[str] = Counter()
    for block in blocks:
        if block.language and not block.doubtful:
            counts[block.language] += len(block.words)
    return counts.most_common(1)[0][0] if counts else ""


def _finish(blocks: list[Block], total: float, language: str) -> Transcript:
    words = tuple(word for block in blocks for word in block.words)
    notices = []
    if dropped := sum(block.dropped for block in blocks):
        left_out = f"{dropped} stretches of repeated or unlikely text were left out of the transcript"
        notices.append(Notice("speech-dropped", left_out))
    if vague := [block for block in blocks if block.doubtful]:
        notices.append(_doubts(vague, bool(language)))
    spoken = sorted({block.language for block in blocks if block.words})
    if len(spoken) > 1 and not language:
        notices.append(Notice("speech-languages", f"several languages were heard: {', '.join(spoken)}"))
    if words and words[-1].end > total + 0.5:
        after = "the sound goes on after the picture; it belongs to the last scene"
        notices.append(Notice("speech-after-picture", after))
    if not words:
        notices.append(Notice("no-speech-found", "no speech was found in the sound track"))
    heard = language or _likely_language(blocks) or next((block.language for block in blocks if block.words), "")
    return Transcript(words, heard, "ok" if words else "no speech found", tuple(notices))


def _doubts(blocks: Sequence[Block], named: bool) -> Notice:
    spans = merge((Interval(block.words[0].start, block.words[-1].end) for block in blocks), within=BLOCK_S)
    guesses = ", ".join(sorted({block.language for block in blocks if block.language}))
    advice = "" if named else f" (heard as “{guesses}”): if that is not the language, name it with --language"
    return Notice("speech-doubtful", f"the words at {listed(spans)} are doubtful{advice}")


def _read_blocks(path: Path) -> list[Block]:
    """Blocks finished before a crash."""
    return [
        Block(**{**data, "words": tuple(Word(**word) for word in data["words"])}) for data in files.read_lines(path)
    ]
