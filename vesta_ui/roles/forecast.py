"""What a run may cost at most, said before it starts. An upper bound by arithmetic, not a prediction.

Assumes that every decision of the budget is used: each reads a context of the size VESTA §4.3 budgets (8,000 tokens), and
each but the last looks at as many frames as an inspection may take.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from vesta_ui import models
from vesta_ui.domain import Usage
from vesta_ui.models import prices
from vesta_ui.models.prices import Prices
from vesta_ui.roles.prompted import LOW_DETAIL_FROM
from vesta_ui.settings import Settings

CONTEXT_TOKENS = 8_000
ROUTER = (900, 300)
"""Input and output tokens of one routing."""
DECISION_OUTPUT = 500
OBSERVATION = (700, 1_200)
"""Input without frames, and output, of one inspection."""
UNKNOWN_FRAME_TOKENS = 1_000


@dataclass(frozen=True, slots=True)
class Forecast:
    """`usd` is None when a price is unknown; `unpriced` names the models. `frame_rule_missing`: a round figure was used."""

    requests: int
    input_tokens: int
    output_tokens: int
    usd: float | None
    unpriced: tuple[str, ...] = ()
    frame_rule_missing: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """One sentence for the page."""
        if not self.requests:
            return "No remote model is used: a run costs nothing."
        tokens = (
            f"at most {self.requests} requests and about {(self.input_tokens + self.output_tokens) / 1000:.0f}k tokens"
        )
        if self.usd is None:
            return f"A run takes {tokens}; the price of {', '.join(self.unpriced)} is unknown."
        return f"A run takes {tokens}, ${self.usd:.2f} at most."


def forecast(settings: Settings, table: Prices | None = None, aspect: float = 16 / 9) -> Forecast:
    """The most one run of these settings can take. Raises `BadSpec` and `BadInput` (price table)."""
    table = table or prices.load(settings.data_dir)
    steps = settings.max_steps
    total = Forecast(0, 0, 0, 0.0)
    if (name := _name(settings.router)) is not None:
        total = _plus(total, table, name, 1, ROUTER)
    if (name := _name(settings.reasoner)) is not None:
        total = _plus(total, table, name, steps, (CONTEXT_TOKENS, DECISION_OUTPUT))
    if (name := _name(settings.observer)) is not None:
        frames = settings.inspect_frames
        detail = "low" if frames >= LOW_DETAIL_FROM else "high"
        side = settings.image_side
        frame = table.image_tokens(name, side, round(side / aspect), detail)
        each = UNKNOWN_FRAME_TOKENS if frame is None else frame
        total = _plus(total, table, name, max(0, steps - 1), (OBSERVATION[0] + frames * each, OBSERVATION[1]))
        if frame is None:
            total = replace(total, frame_rule_missing=(name,))
    return total


def _name(spec: str) -> str | None:
    """The priced name of a remote model, None for what costs nothing."""
    if spec == "embedded" or spec.startswith("scripted:"):
        return None
    parsed = models.parse(spec)
    return f"{parsed.provider}:{parsed.model}"


def _plus(total: Forecast, table: Prices, name: str, calls: int, tokens: tuple[int, int]) -> Forecast:
    read, written = tokens
    cost = table.cost(name, Usage(input_tokens=read, output_tokens=written))
    usd = None if cost is None or total.usd is None else total.usd + calls * cost
    unpriced = total.unpriced if cost is not None else (*dict.fromkeys((*total.unpriced, name)),)
    return Forecast(
        total.requests + calls,
        total.input_tokens + calls * read,
        total.output_tokens + calls * written,
        usd,
        unpriced,
        total.frame_rule_missing,
    )
