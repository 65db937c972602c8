"""Which mind explores: the Reasoner's model (one backbone sees and reasons, as in SAVE), or rules with the Observer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vesta_ui.errors import BadSpec
from vesta_ui.exploration import Mind, Query
from vesta_ui.operations import Workspace

if TYPE_CHECKING:
    from vesta_ui.exploration.rules import FrameRules, OnceRules, RangeRules


def load_mind(query: Query, workspace: Workspace) -> Mind:
    """Raises `BadSpec`, or `ModelFailed` when a model is not configured."""
    spec = workspace.settings.reasoner
    if spec == "embedded":
        return rules_for(query)(query, workspace)
    from vesta_ui.exploration.prompted import PromptedMind
    from vesta_ui.models import load

    return PromptedMind(query, workspace, load(spec, workspace.settings))


def rules_for(query: Query) -> type[RangeRules | FrameRules | OnceRules]:
    """How the embedded engine makes that query. Raises `BadSpec` where it has no rules for it."""
    from vesta_ui.exploration.rules import RULES, OnceRules

    rules = RULES.get(query.name) or (None if query.arguments.model_fields else OnceRules)
    if rules is None:
        raise BadSpec(f"the embedded engine has no rules for {query.name}: choose a model as reasoner")
    return rules
