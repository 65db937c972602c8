"""The embedded engine: rules and local perception, no key, no hub, no network; never passed off as a language model.

There is no Estimator here: with "embedded" the router's prior decides alone (VESTA §B.3).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from vesta_ui.roles.embedded.observer import EmbeddedObserver
    from vesta_ui.roles.embedded.reasoner import EmbeddedReasoner

_WHERE = {"EmbeddedObserver": "observer", "EmbeddedReasoner": "reasoner"}

__all__ = ["EmbeddedObserver", "EmbeddedReasoner"]


def __getattr__(name: str) -> Any:
    """Loads the classes when asked for, so that naming the engine costs no image or text model."""
    if name in _WHERE:
        from importlib import import_module

        return getattr(import_module(f"{__name__}.{_WHERE[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
