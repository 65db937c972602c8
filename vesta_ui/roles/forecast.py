"""What a run may cost at most, said before it starts. An upper bound by arithmetic, not a prediction.

Assumes that every decision of the budget is a look at as many pictures as an operation may show, each decided on the
longest prompt, then a forced answer asked for twice, and that every answer is as long as it may be, thinking included. A
request repeated after a failure comes on top. An index is told for an hour of video cut into the shortest scenes and full of speech.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from vesta_ui import models, transcript
from vesta_ui.domain import Usage
from vesta_ui.models import prices
from vesta_ui.models.prices import Prices
from vesta_ui.roles.prompted import LOW_DETAIL_FROM, MOST_OUTPUT
from vesta_ui.scene_index.phases import BATCH
from vesta_ui.settings import Settings

FORCED = 2
"""Decisions after the budget: the forced answer, and once more when it names no choice."""
CONTEXT_TOKENS = 10_000
"""A Reasoner's longest prompt, 40,000 characters, with a ledger view of the usual size."""
ROUTER_TOKENS = 900
"""Input of one routing."""
LOOK_TOKENS = 700
"""Input of one look without its pictures."""
UNKNOWN_FRAME_TOKENS = 1_000
USUAL_VIEW_CHARS = 8_000
HOUR_S = 3_600.0
SAID_TOKENS = 4
"""Tokens of a second of speech."""
SCENE_TOKENS = 100
"""Tokens of what is read and seen in one scene, without speech."""
SHORTEST_BLOCK_S = transcript.BLOCK_S * 2 / 3
"""Sound sent at once is cut at a pause in the last third of a block."""


@dataclass(frozen=True, slots=True)
class IndexForecast:
    """The most that indexing an hour of video takes from remote models. `usd` is None when a price is unknown."""

    requests: int
    usd: float | None

    @property
    def text(self) -> str:
        cost = "the price is unknown" if self.usd is None else f"${self.usd:.2f} at most"
        return f"Indexing takes at most {self.requests} requests for an hour of video, {cost}; once a video."


@dataclass(frozen=True, slots=True)
class Forecast:
    """`usd` is None when a price is unknown; `unpriced` names the models. `frame_rule_missing`: a round figure was used."""

    requests: int
    input_tokens: int
    output_tokens: int
    usd: float | None
    unpriced: tuple[str, ...] = ()
    frame_rule_missing: tuple[str, ...] = ()
    index: IndexForecast | None = None

    @property
    def text(self) -> str:
        """What the page says: a sentence on a run, and one on an index that costs something."""
        return f"{self._run} {self.index.text}" if self.index else self._run

    @property
    def _run(self) -> str:
        if not self.requests:
            return "No remote model is used: a run costs nothing."
        tokens = (
            f"at most {self.requests} requests and about {(self.input_tokens + self.output_tokens) / 1000:.0f}k tokens"
        )
        if self.usd is None:
            return f"A run takes {tokens}; the price of {', '.join(self.unpriced)} is unknown."
        return f"A run takes {tokens}, ${self.usd:.2f} at most."


Looks = tuple[tuple[int, str], ...]
"""What one look may show: pictures, and in which detail."""


def forecast(
    settings: Settings, table: Prices | None = None, aspect: float = 16 / 9, looks: Looks | None = None
) -> Forecast:
    """The most one run of these settings can take. Raises `BadSpec` and `BadInput` (price table).

    `looks`: what a look may show, where that is not one of the operations `inspect` and `clip`.
    """
    table = table or prices.load(settings.data_dir)
    steps = settings.max_steps
    total = Forecast(0, 0, 0, 0.0)
    if (name := _name(settings.router)) is not None:
        total = _plus(total, table, name, 1, (ROUTER_TOKENS, MOST_OUTPUT["router"]))
    if (name := _name(settings.reasoner)) is not None:
        longer = max(0, settings.snapshot_chars - USUAL_VIEW_CHARS)
        reads = CONTEXT_TOKENS + math.ceil(longer / prices.CHARS_PER_TOKEN)
        total = _plus(total, table, name, steps + FORCED, (reads, MOST_OUTPUT["reasoner"]))
    if (name := _name(settings.observer)) is not None:
        detail = "low" if settings.inspect_frames >= LOW_DETAIL_FROM else "high"
        looks = looks or ((settings.inspect_frames, detail), (settings.clip_frames, "high"))
        size = settings.image_side, round(settings.image_side / aspect)
        each = [(count, table.image_tokens(name, *size, how)) for count, how in looks]
        shown = max(count * (UNKNOWN_FRAME_TOKENS if tokens is None else tokens) for count, tokens in each)
        total = _plus(total, table, name, steps, (LOOK_TOKENS + shown, MOST_OUTPUT["observer"]))
        if any(tokens is None for _, tokens in each):
            total = replace(total, frame_rule_missing=(name,))
    return replace(total, index=index_forecast(settings, table, aspect))


def index_forecast(settings: Settings, table: Prices, aspect: float = 16 / 9) -> IndexForecast | None:
    """Scenes × price of a remote encoder, and sound × price of remote speech; None when both are local."""
    requests, costs = 0, list[float | None]()
    provider, _, detail = settings.encoder.partition(":")
    if provider == "remote":
        scenes = math.ceil(HOUR_S / settings.scene_min_s)
        model = detail.rpartition("@")[0]
        name = f"remote:{model.removesuffix('+images')}"
        tokens = round(HOUR_S * SAID_TOKENS) + scenes * SCENE_TOKENS
        if model.endswith("+images"):
            side = settings.image_side
            each = table.image_tokens(name, side, round(side / aspect)) or UNKNOWN_FRAME_TOKENS
            tokens += scenes * settings.frames_per_scene * each
        requests += 1 + math.ceil(scenes / BATCH)
        costs.append(table.cost(name, Usage(input_tokens=tokens)))
    if settings.speech.partition(":")[0] in models.LISTENERS:
        speech = models.parse(settings.speech)
        requests += math.ceil(HOUR_S / SHORTEST_BLOCK_S)
        costs.append(table.sound(f"{speech.provider}:{speech.model}", HOUR_S, Usage(input_tokens=None)))
    known = [cost for cost in costs if cost is not None]
    return IndexForecast(requests, sum(known) if len(known) == len(costs) else None) if requests else None


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
