"""Loading of encoders with weights of their own: transformers and torch are optional, weights may be missing. No fallback."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

from vesta_ui.errors import BadSpec

PACKAGES = ("torch", "transformers", "torchvision")


def load(encoder: str, weights: str, model_class: str, **options: Any) -> tuple[Any, Any]:
    """(model, processor), in evaluation mode. Looks in a folder or the hub's cache first, then on the hub.

    Raises `BadSpec` naming what is missing and what to choose instead.
    """
    missing = [package for package in PACKAGES if find_spec(package) is None]
    if missing:
        raise BadSpec(
            f"the {encoder} encoder needs packages that are not installed: pip install {' '.join(missing)}, "
            "or choose the encoder “embedded”"
        )
    import transformers

    transformers.logging.set_verbosity_error()
    for local in (True, False):
        try:
            processor = transformers.AutoProcessor.from_pretrained(weights, local_files_only=local)
            model = getattr(transformers, model_class).from_pretrained(weights, local_files_only=local, **options)
            return model.eval(), processor
        except (OSError, ValueError) as error:
            failure = error
    raise BadSpec(
        f"the weights “{weights}” of the {encoder} encoder are neither a folder nor in the hub's cache, and the hub cannot "
        "be reached; choose the encoder “embedded”"
    ) from failure


def weights_mark(model: Any) -> str:
    """A short name for the very weights: part of the encoder's name, so that other weights are another index."""
    import hashlib

    digest = hashlib.sha256()
    for name, tensor in sorted(model.state_dict().items()):
        flat = tensor.detach().reshape(-1)
        digest.update(f"{name}{tuple(tensor.shape)}".encode())
        digest.update(flat[:: max(1, len(flat) // 64)].float().cpu().numpy().tobytes())
    return digest.hexdigest()[:8]
