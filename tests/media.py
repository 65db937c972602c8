"""Makes test videos with known truth, by PyAV and numpy alone.

Every picture carries its own number (0-based, in source order) as a strip of ten blocks along the top: block i is bit i,
white for 1, of 1/20 of the width and 1/11 of the height. `number_in` reads it back from any size. Scenes are told apart
by colour and pattern. Sound is silence with beeps at known times. Knows nothing of the product.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import av
import cv2
import numpy as np
from av.stream import Disposition
from numpy.typing import NDArray

Image = NDArray[np.uint8]

BITS = 10
TICK = Fraction(1, 90_000)
COLOURS = ((200, 40, 40), (40, 160, 60), (50, 70, 210), (220, 200, 60), (30, 180, 190), (170, 60, 180))
NEGATIVE = {"avoid_negative_ts": "disabled"}


def picture(number: int, scene: int = 0, size: tuple[int, int] = (320, 180), moving: bool = True) -> Image:
    """(H, W, 3) RGB: the scene's colour and stripes, a square that moves with the number, the number's strip."""
    width, height = size
    image = np.empty((height, width, 3), np.uint8)
    image[:] = COLOURS[scene % len(COLOURS)]
    period = 8 + 6 * (scene % 3)
    image[:, :: max(2, width * period // 320)] //= 2
    side = max(2, height // 6)
    x = (number * 3 if moving else 0) % max(1, width - side)
    image[height // 2 : height // 2 + side, x : x + side] = 255
    for bit in range(BITS):
        block = slice(bit * width // 20, (bit + 1) * width // 20)
        image[: max(1, height // 11), block] = 255 if number >> bit & 1 else 0
    return image


def interlaced(images: Sequence[Image]) -> list[Image]:
    """Half as many pictures: the even lines of each pair's first, the odd lines of its second."""
    woven = []
    for first, second in zip(images[::2], images[1::2], strict=True):
        woven.append(first.copy())
        woven[-1][1::2] = second[1::2]
    return woven


def number_in(image: Image) -> int:
    """The number whose strip a displayed picture carries; turn the picture upright first."""
    height, width = image.shape[:2]
    row = image[height // 22]
    return sum(int(row[int((bit + 0.5) * width / 20)].mean() > 127) << bit for bit in range(BITS))


def scenes(count: int, cuts: Sequence[int], size: tuple[int, int] = (320, 180)) -> list[Image]:
    """`count` pictures with a new scene at each number in `cuts`."""
    return [picture(n, sum(n >= c for c in cuts), size) for n in range(count)]


def beeps(
    duration: float, at: Sequence[tuple[float, float]], rate: int = 16_000, pitch: float = 440.0
) -> NDArray[np.float32]:
    """Silence of `duration` seconds with tones in the given (start, end) seconds."""
    time = np.arange(round(duration * rate)) / rate
    on = np.zeros(len(time), bool)
    for start, end in at:
        on |= (time >= start) & (time < end)
    return np.asarray(np.where(on, 0.4 * np.sin(2 * np.pi * pitch * time), 0.0), np.float32)


def write(
    path: Path,
    images: Sequence[Image],
    *,
    fps: float | Fraction = 30,
    times: Sequence[float] | None = None,
    codec: str = "libx264",
    pixels: str = "yuv420p",
    options: dict[str, str] | None = None,
    gop: int = 30,
    bframes: int = 2,
    sound: NDArray[np.float32] | None = None,
    sound_rate: int = 16_000,
    sound_start: float = 0.0,
    sound_codec: str = "aac",
    sound_layout: str = "mono",
    start: float = 0.0,
    rotation: int = 0,
    pixel_shape: Fraction | None = None,
    transfer: int | None = None,
    container: dict[str, str] | None = None,
) -> Path:
    """Encode pictures (and mono sound) to `path`; the name's ending chooses the container. `times`: seconds of each picture
    (default: evenly at `fps`). `start`: seconds added to every stamp. `rotation`: degrees counter-clockwise, display matrix.
    """
    stamps = list(times) if times is not None else [n / Fraction(fps) for n in range(len(images))]
    with av.open(str(path), "w", options=container or {}) as out:
        stream = out.add_stream(codec, rate=Fraction(fps).limit_denominator(1001), options=dict(options or {}))
        assert isinstance(stream, av.VideoStream)
        stream.height, stream.width = images[0].shape[:2]
        stream.pix_fmt, stream.gop_size = pixels, gop
        base = TICK if times is not None or codec == "libx264" else 1 / Fraction(fps).limit_denominator(1001)
        stream.time_base = stream.codec_context.time_base = base
        if codec in ("libx264", "mpeg2video"):
            stream.max_b_frames = bframes
        if codec == "libx264":
            stream.options = {"preset": "ultrafast", "bf": str(bframes), "sc_threshold": "0"} | dict(options or {})
        if pixel_shape is not None:
            stream.codec_context.sample_aspect_ratio = pixel_shape
        if transfer is not None:
            stream.codec_context.color_trc, stream.codec_context.color_primaries = transfer, 9
            stream.codec_context.colorspace = 9
        if rotation:
            stream.set_display_rotation(rotation)
        voice = out.add_stream(sound_codec, rate=sound_rate, layout=sound_layout) if sound is not None else None
        for image, time in zip(images, stamps, strict=True):
            frame = av.VideoFrame.from_ndarray(np.ascontiguousarray(image), "rgb24").reformat(format=pixels)
            frame.pts, frame.time_base = round((Fraction(time) + Fraction(start)) / base), base
            out.mux(stream.encode(frame))
        out.mux(stream.encode(None))
        if voice is not None and sound is not None:
            _encode_sound(out, voice, sound, sound_rate, sound_start + start)
    return path


def _encode_sound(
    out: av.container.OutputContainer, voice: av.AudioStream, sound: NDArray[np.float32], rate: int, start: float
) -> None:
    at = round(start * rate)
    resampler = av.AudioResampler(voice.format, voice.layout, voice.rate)
    for begin in range(0, len(sound), 1024):
        frame = av.AudioFrame.from_ndarray(sound[None, begin : begin + 1024], "fltp", "mono")
        frame.sample_rate, frame.pts, frame.time_base = rate, at + begin, Fraction(1, rate)
        for piece in resampler.resample(frame):
            out.mux(voice.encode(piece))
    out.mux(voice.encode(None))


def remux(
    source: Path | Sequence[Path],
    path: Path,
    *,
    shift: float = 0.0,
    container: dict[str, str] | None = None,
    main: int | None = None,
    covers: Sequence[int] = (),
    comments: Sequence[int] = (),
) -> Path:
    """Copy the streams of one or several files without encoding, all stamps moved by `shift` seconds.

    `main`: number of the one stream that is marked default. `covers`: numbers of streams marked as cover pictures, `comments`:
    of commentaries, which may be the default all the same.
    """
    files = [source] if isinstance(source, Path) else list(source)
    with av.open(str(path), "w", options=container or {}) as out:
        inputs = [av.open(str(f)) for f in files]
        pairs = [(i, s) for i in inputs for s in i.streams if s.type in ("video", "audio", "subtitle")]
        copies = {(id(i), s.index): out.add_stream_from_template(s) for i, s in pairs}
        for number, copy in enumerate(copies.values()):
            if main is not None:
                copy.disposition = Disposition.default if number == main else Disposition(0)
            if number in covers:
                copy.disposition = Disposition.attached_pic
            if number in comments:
                copy.disposition = Disposition.default | Disposition.comment
        found = [(float((p.dts if p.dts is not None else p.pts or 0) * p.time_base), n, i, p)
                 for i in inputs for n, p in enumerate(i.demux()) if p.size]  # fmt: skip
        for _, _, i, packet in sorted(found, key=lambda f: f[:2]):
            copy = copies.get((id(i), packet.stream.index))
            if copy is None:
                continue
            move = round(shift / packet.time_base)
            packet.pts = None if packet.pts is None else packet.pts + move
            packet.dts = None if packet.dts is None else packet.dts + move
            packet.stream = copy
            out.mux(packet)
        for i in inputs:
            i.close()
    return path


def garble_sound(source: Path, path: Path, start: float, end: float) -> Path:
    """The same film with noise in place of the sound's data between two times (seconds)."""
    noise = np.random.default_rng(5)
    with av.open(str(source)) as film, av.open(str(path), "w") as out:
        copies = {stream.index: out.add_stream_from_template(stream) for stream in film.streams}
        for packet in film.demux():
            if not packet.size or packet.pts is None:
                continue
            kept = packet
            if packet.stream.type == "audio" and start <= packet.pts * packet.time_base < end:
                kept = av.Packet(noise.bytes(packet.size))
                kept.pts, kept.dts, kept.time_base = packet.pts, packet.dts, packet.time_base
            kept.stream = copies[packet.stream.index]
            out.mux(kept)
    return path


def sound_only(path: Path, sound: NDArray[np.float32], rate: int = 16_000, codec: str = "aac") -> Path:
    with av.open(str(path), "w") as out:
        voice = out.add_stream(codec, rate=rate, layout="mono")
        _encode_sound(out, voice, sound, rate, 0.0)
    return path


def nothing_recorded(path: Path) -> Path:
    """A file whose recorder was stopped before the first picture."""
    with av.open(str(path), "w") as out:
        stream = out.add_stream("libx264", rate=30)
        stream.width, stream.height, stream.pix_fmt = 320, 180, "yuv420p"
        out.start_encoding()
    return path


def palette_video(path: Path, images: Sequence[Image]) -> Path:
    """Uncompressed pictures of 216 palette colours; the palette stands once, at the beginning of the file."""
    levels = np.arange(6, dtype=np.uint8) * 51
    colours = np.stack(np.meshgrid(levels, levels, levels, indexing="ij"), -1).reshape(-1, 3)
    palette = np.zeros((256, 4), np.uint8)
    palette[:, 0] = 255
    palette[:216, 1:] = colours
    with av.open(str(path), "w") as out:
        stream = out.add_stream("rawvideo", rate=30)
        stream.height, stream.width, stream.pix_fmt = *images[0].shape[:2], "pal8"
        for number, image in enumerate(images):
            nearest = (image.astype(np.uint16) + 25) // 51
            indexes = (nearest[..., 0] * 36 + nearest[..., 1] * 6 + nearest[..., 2]).astype(np.uint8)
            frame = av.VideoFrame.from_ndarray((indexes, palette), "pal8")
            frame.pts = number
            out.mux(stream.encode(frame))
        out.mux(stream.encode(None))
    return path


def still_picture(path: Path, image: Image) -> Path:
    """A PNG or JPEG file."""
    cv2.imwrite(str(path), cv2.cvtColor(image, cv2.COLOR_RGB2BGR))
    return path


def spoil(path: Path, begin: float, end: float, seed: int = 0) -> Path:
    """Overwrite a share of the file, `begin` to `end` in [0, 1], with noise; the file keeps its length."""
    data = bytearray(path.read_bytes())
    a, b = int(len(data) * begin), int(len(data) * end)
    data[a:b] = np.random.default_rng(seed).bytes(b - a)
    path.write_bytes(data)
    return path


def cut_short(path: Path, share: float) -> Path:
    """Keep only the first `share` of the file's bytes."""
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * share)])
    return path


def behead(path: Path, share: float) -> Path:
    """Drop the first `share` of the file's bytes, as a recorder does that was switched on in the middle of a broadcast."""
    data = path.read_bytes()
    path.write_bytes(data[int(len(data) * share) :])
    return path


def _box(kind: bytes, *parts: bytes) -> bytes:
    return (8 + sum(map(len, parts))).to_bytes(4, "big") + kind + b"".join(parts)


def data_elsewhere(source: Path, path: Path, target: Path) -> Path:
    """An MP4 (index behind its pictures) whose picture and sound are said to lie in another file, as QuickTime aliases do."""
    name = str(target).encode()
    alias = (
        bytes(10) + bytes([4]) + b"disk".ljust(27, b"\0") + bytes(12) + bytes([1]) + b"x".ljust(63, b"\0") + bytes(16)
    )
    alias += (1).to_bytes(2, "big") + (1).to_bytes(2, "big") + bytes(16)
    alias += (2).to_bytes(2, "big") + len(name).to_bytes(2, "big") + name + b"\0" * (len(name) % 2) + b"\xff\xff\0\0"
    own = _box(b"url ", b"\0\0\0\1")

    def moved(data: bytes) -> bytes:
        """The boxes in `data`, with every reference to the file itself replaced."""
        out, at = b"", 0
        while at < len(data):
            size, kind = int.from_bytes(data[at : at + 4], "big"), data[at + 4 : at + 8]
            body = data[at + 8 : at + size]
            if kind in (b"moov", b"trak", b"mdia", b"minf", b"dinf"):
                body = moved(body)
            elif kind == b"dref":
                body = body.replace(own, _box(b"alis", bytes(4), alias))
            out, at = out + _box(kind, body), at + size
        return out

    path.write_bytes(moved(source.read_bytes()))
    return path


def reference_movie(path: Path, target: Path) -> Path:
    """A QuickTime file that holds nothing but the name of another one."""
    name = str(target).encode() + b"\0"
    reference = _box(b"rdrf", bytes(4), b"url ", len(name).to_bytes(4, "big"), name)
    path.write_bytes(_box(b"ftyp", b"qt  ", bytes(4), b"qt  ") + _box(b"moov", _box(b"rmra", _box(b"rmda", reference))))
    return path
