"""Every setting with its default, unit and environment variable; the five ablations as presets.

The only place that reads the environment (the provider SDKs read their own key variables). Keys are never settings.
"""

from __future__ import annotations

import os
from argparse import ArgumentParser
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PureWindowsPath
from typing import Any
from urllib.parse import urlsplit

from platformdirs import user_data_path

from vesta_ui.errors import BadInput


@dataclass(frozen=True, slots=True)
class Ablation:
    """Which mechanisms run (VESTA §4.4). "Routing off, ledger on" is undefined and not offered.

    Without `retrieval` the scene index is hidden from the agent, not left unbuilt: no references, no `retrieve`. It is
    built all the same, once a video, because it holds the transcript that `speech` reads and the scenes the page draws,
    and because a fork of the run may switch retrieval on.
    """

    routing: bool
    retrieval: bool
    ledger: bool


ABLATIONS: dict[str, Ablation] = {
    "full": Ablation(routing=True, retrieval=True, ledger=True),
    "no-retrieval": Ablation(routing=True, retrieval=False, ledger=True),
    "retrieval-only": Ablation(routing=False, retrieval=True, ledger=False),
    "no-ledger": Ablation(routing=True, retrieval=True, ledger=False),
    "plain": Ablation(routing=False, retrieval=False, ledger=False),
}

VIEW_CHARS = (1_000, 32_000)
"""Least and most characters of the ledger view: room for what decides, and no more than a prompt shows whole."""

ROLE_PRESETS: dict[str, dict[str, str]] = {
    "embedded": {"router": "embedded", "reasoner": "embedded", "observer": "embedded", "speech": "embedded"},
    "VESTA paper": {
        "router": "openai:o3", "reasoner": "openai:o3", "observer": "openai:gpt-4o", "speech": "faster-whisper:large-v3",
    },
    "SAVE paper": {
        "router": "gemini:gemini-3-flash-preview", "reasoner": "gemini:gemini-3-flash-preview",
        "observer": "gemini:gemini-3-flash-preview", "speech": "embedded",
    },
    "local server": {
        "router": "compatible:MODEL@http://127.0.0.1:11434/v1", "reasoner": "compatible:MODEL@http://127.0.0.1:11434/v1",
        "observer": "compatible:MODEL@http://127.0.0.1:11434/v1", "speech": "embedded",
    },
}  # fmt: skip
"""Who plays which role: the models of the papers (VESTA §4.1, SAVE §4), a server on this machine, or none."""


ROLES = ("router", "reasoner", "observer", "speech", "encoder")
_PLAYERS = (
    "who routes the question",
    "who decides",
    "who looks at frames",
    "who hears speech, or off",
    "who embeds scenes",
)
_ADDRESSED = ("compatible", "remote")


def public_spec(spec: str) -> str:
    """A role spec fit for a trace: a file or folder by its last name alone, an address without password and query."""
    name, colon, detail = spec.partition(":")
    if name in _ADDRESSED:
        model, at, address = detail.rpartition("@http")
        if not at:
            return spec
        parts = urlsplit(f"http{address}")
        return f"{name}:{model}@{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
    local = name == "scripted" or detail.startswith(("~", ".")) or Path(detail).is_absolute()
    local = local or (name == "subtitles" and detail != "track") or PureWindowsPath(detail).is_absolute()
    return f"{name}{colon}{PureWindowsPath(detail).name if local else detail}"


@dataclass(frozen=True, slots=True)
class Settings:
    """One value object for a whole run. Field order is display order."""

    data_dir: Path
    """Where indexes, runs, playback copies and cases live. `VESTA_DATA_DIR`."""
    host: str = "127.0.0.1"
    """`VESTA_HOST`, else `GRADIO_SERVER_NAME` (which a Hugging Face Space sets)."""
    port: int = 7860
    """0 means any free port; a busy port moves on to the next free one. `VESTA_PORT`, else `GRADIO_SERVER_PORT`."""
    chroma_url: str = ""
    """A Chroma server instead of the local store. Empty: local. `VESTA_CHROMA_URL`."""

    whisper_dir: str = ""
    """A folder with faster-whisper weights to use for speech “embedded”. Empty: the packaged ones. `VESTA_WHISPER`."""

    router: str = "embedded"
    """Role spec of the router's model estimate. `VESTA_ROUTER`."""
    reasoner: str = "embedded"
    """`VESTA_REASONER`."""
    observer: str = "embedded"
    """`VESTA_OBSERVER`."""
    speech: str = "embedded"
    """Speech model spec, or "off". `VESTA_SPEECH`."""
    encoder: str = "embedded"
    """Scene encoder. `VESTA_ENCODER`."""

    agent: str = "vesta"
    ablation: str = "full"
    """A key of `ABLATIONS`."""
    policy: str = ""
    """π by hand; empty: routed."""
    emphasis: str = ""
    """What μ stresses, by hand: local, coverage or hypotheses; empty: routed."""
    max_steps: int = 15
    """N, Reasoner decisions before the forced answer (VESTA §4.1: 15 or 20)."""
    references: int = 6
    """K (VESTA §B.1)."""
    separation_s: float = 20.0
    """Seconds between references of the recall policy (VESTA §B.1)."""
    route_confidence: float = 0.6
    """In [0, 1]; below this the model's route estimate is not used (VESTA §B.3)."""
    snapshot_chars: int = 8_000
    """Size budget of the compact ledger view, characters, inside `VIEW_CHARS`."""
    inspect_frames: int = 150
    """Most frames of one `inspect` call (VESTA §B.1)."""
    clip_frames: int = 50
    """Most frames of one `clip` call (VESTA §B.1)."""
    embedded_frames: int = 8
    """Frames the embedded observer looks at in one call; OCR costs about a second a frame on two cores."""
    max_queries: int = 30
    """B, most queries of `save` and `explore` (SAVE §A.2)."""
    native_frames: int = 60
    """Frames of `native`, evenly spread (SAVE §A.1)."""
    native_file: bool = False
    """`native` sends the video file itself, where the model takes one (Gemini), instead of frames."""
    match_tokens: int | None = None
    """`native` takes as many frames as that many input tokens hold, instead of `native_frames` (SAVE §5)."""
    model_timeout_s: float = 180.0
    """Longest wait for one answer of a model; small local models on a busy machine need most of it."""
    model_wait_s: float = 300.0
    """Longest wait a rate limit may ask for; a longer one fails the call."""
    image_side: int = 768
    """Longest side of a frame sent to a model, pixels."""
    max_usd: float | None = None
    """Hard cap on money; reaching it forces a final answer. None: no cap."""
    max_tokens: int | None = None
    """Hard cap on input + output tokens of a run. None: no cap."""

    cut_threshold: float = 27.0
    """PySceneDetect ContentDetector (VESTA §B.1)."""
    scene_min_s: float = 5.0
    scene_max_s: float = 60.0
    frames_per_scene: int = 4
    fast_scenes: bool = False
    """Find scenes without decoding groups of pictures that cannot hold a cut; fewer stills. Makes another index."""
    speech_later: bool = False
    """Answer before the transcript is whole; it is made behind the run."""
    language: str = ""
    """Spoken language code, such as "de"; empty: detected. `VESTA_LANGUAGE`."""

    def public(self) -> dict[str, Any]:
        """What goes into a trace: no paths, no addresses of this server, no secrets."""
        hidden = {"data_dir", "host", "port", "chroma_url", "whisper_dir"}
        values = {name: getattr(self, name) for name in Settings.__slots__ if name not in hidden}
        return values | self.public_roles()

    def roles(self) -> dict[str, str]:
        """Role → spec as given, for those who load them."""
        return {name: getattr(self, name) for name in ROLES}

    def public_roles(self) -> dict[str, str]:
        """Role → spec as a trace may hold it."""
        return {name: public_spec(spec) for name, spec in self.roles().items()}


def role_flags(parser: ArgumentParser, names: Sequence[str] = ROLES) -> None:
    """`--router` and so on, each with the variable it comes before."""
    for name, player in zip(ROLES, _PLAYERS, strict=True):
        if name in names:
            parser.add_argument(f"--{name}", metavar="SPEC", help=f"{player} (VESTA_{name.upper()})")


def from_environment(env: Mapping[str, str] | None = None, **overrides: Any) -> Settings:
    """Settings from `VESTA_*` variables, then the overrides that are not None. Raises `BadInput` on a bad port."""
    env = os.environ if env is None else env
    data_dir = Path(env.get("VESTA_DATA_DIR") or user_data_path("vesta-ui", appauthor=False))
    settings = Settings(data_dir=data_dir.expanduser())
    named = {"chroma_url": "VESTA_CHROMA_URL", "router": "VESTA_ROUTER",
             "reasoner": "VESTA_REASONER", "observer": "VESTA_OBSERVER", "speech": "VESTA_SPEECH",
             "encoder": "VESTA_ENCODER", "whisper_dir": "VESTA_WHISPER", "language": "VESTA_LANGUAGE"}  # fmt: skip
    values: dict[str, Any] = {field: env[name] for field, name in named.items() if env.get(name)}
    if host := env.get("VESTA_HOST") or env.get("GRADIO_SERVER_NAME"):
        values["host"] = host
    if port := env.get("VESTA_PORT") or env.get("GRADIO_SERVER_PORT"):
        if not port.isdecimal():
            raise BadInput(f"the port must be a number, not “{port}”: set VESTA_PORT or GRADIO_SERVER_PORT")
        values["port"] = int(port)
    values |= {name: value for name, value in overrides.items() if value is not None}
    return replace(settings, **values)
