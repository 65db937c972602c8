"""Role specs → role players. `embedded` is rules and local perception; anything else is a model playing by prompt."""

from __future__ import annotations

from vesta_ui.roles import Estimator, Observer, Reasoner
from vesta_ui.settings import Settings


def load_estimator(settings: Settings) -> Estimator | None:
    """The router's model, or None when the prior is to decide alone. Raises `BadSpec` or `ModelFailed`."""
    if settings.router == "embedded":
        return None
    from vesta_ui.models import load
    from vesta_ui.roles.prompted import PromptedEstimator

    return PromptedEstimator(load(settings.router, settings))


def load_reasoner(settings: Settings) -> Reasoner:
    if settings.reasoner == "embedded":
        from vesta_ui.roles.embedded import EmbeddedReasoner

        return EmbeddedReasoner()
    from vesta_ui.models import load
    from vesta_ui.roles.prompted import PromptedReasoner

    return PromptedReasoner(load(settings.reasoner, settings))


def load_observer(settings: Settings) -> Observer:
    if settings.observer == "embedded":
        from vesta_ui.roles.embedded import EmbeddedObserver

        return EmbeddedObserver(settings.embedded_frames)
    from vesta_ui.models import load
    from vesta_ui.roles.prompted import PromptedObserver

    return PromptedObserver(load(settings.observer, settings))


def check_roles(settings: Settings) -> None:
    """Raises `BadSpec` or `ModelFailed` ("not_configured") when a role names a model that cannot be asked."""
    for spec in {settings.router, settings.reasoner, settings.observer} - {"embedded"}:
        from vesta_ui.models import load

        load(spec, settings)
