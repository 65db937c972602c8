"""Name → "module:attribute", imported when asked for. Peers register by one line in their folder's `__init__`."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from vesta_ui.errors import BadSpec


def load(registry: Mapping[str, str], name: str, what: str) -> Any:
    """The object registered under `name`. Raises `BadSpec` listing the known names; import errors pass through."""
    if name not in registry:
        raise BadSpec(f"unknown {what} “{name}”: choose one of {', '.join(registry)}")
    module, _, attribute = registry[name].partition(":")
    return getattr(import_module(module), attribute)
