"""What tokens cost. The table is a data file with source and date for each model; the user's own rows come first.

Prices are US dollars for a million tokens. An unknown price is None, never zero: then only tokens are shown.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from vesta_ui.domain import Usage
from vesta_ui.errors import BadInput

TABLE = Path(__file__).with_name("prices.json")
FREE = ("scripted:", "embedded")
CHARS_PER_TOKEN = 4.0


class ImageRule(BaseModel):
    """Tokens of one picture. `tiles`: `base` + `tile` for each square of `side` pixels after scaling so that the short
    side is at most `short` (OpenAI). `patches`: 32-pixel squares, at most `cap`, times `factor`.
    `flat`: always `base`. `low` and `auto` replace it all for pictures sent in that detail."""

    model_config = ConfigDict(extra="forbid")
    kind: str = Field(pattern="^(tiles|patches|flat)$")
    base: float = 0
    tile: float = 0
    side: int = 512
    short: int = 768
    low: float | None = None
    auto: float | None = None
    cap: int = 1536
    factor: float = 1.0


class Price(BaseModel):
    """One model. Where the price rises with the prompt, the row is the price up to `up_to_tokens`. `minute`: US dollars
    for a minute of sound, for models that are paid by time and not by token."""

    model_config = ConfigDict(extra="forbid")
    input: float = Field(ge=0)
    cached: float | None = Field(None, ge=0)
    output: float = Field(ge=0)
    image: ImageRule | None = None
    minute: float | None = Field(None, ge=0)
    up_to_tokens: int | None = None
    source: str
    date: str


_ROWS: TypeAdapter[dict[str, Price]] = TypeAdapter(dict[str, Price])


@dataclass(frozen=True, slots=True)
class Prices:
    """Rows by `provider:model`."""

    rows: dict[str, Price]

    def of(self, name: str) -> Price | None:
        """The row of a model; a dated version (`gpt-4o-2024-08-06`) has the price of its family."""
        if name in self.rows:
            return self.rows[name]
        family = re.sub(r"-(?:\d{4}-\d{2}-\d{2}|\d{2}-\d{2,4}|\d{3}|latest)$", "", name)
        return self.rows.get(family)

    def cost(self, name: str, usage: Usage) -> float | None:
        """US dollars; None when the price or the tokens are unknown."""
        if name.startswith(FREE):
            return 0.0
        row = self.of(name)
        if row is None or usage.input_tokens is None or usage.output_tokens is None:
            return None
        if row.up_to_tokens and usage.input_tokens > row.up_to_tokens:
            return None
        cached = min(usage.cached_tokens or 0, usage.input_tokens)
        fresh = usage.input_tokens - cached
        cheap = row.input if row.cached is None else row.cached
        return (fresh * row.input + cached * cheap + usage.output_tokens * row.output) / 1e6

    def sound(self, name: str, seconds: float, usage: Usage) -> float | None:
        """US dollars for recognising speech in so many seconds of sound; None when the price is unknown."""
        row = self.of(name)
        return seconds / 60 * row.minute if row and row.minute is not None else self.cost(name, usage)

    def image_tokens(self, name: str, width: int, height: int, detail: str = "high") -> int | None:
        """Input tokens of one picture, None where no rule is known."""
        row = self.of(name)
        return _image_tokens(row.image, width, height, detail) if row and row.image else None


def _image_tokens(rule: ImageRule, width: int, height: int, detail: str) -> int:
    stated = {"low": rule.low, "auto": rule.auto}.get(detail)
    if stated is not None:
        return round(stated)
    if rule.kind == "flat":
        return round(rule.base)
    if rule.kind == "patches":
        patches = math.ceil(width / 32) * math.ceil(height / 32)
        return math.ceil(min(patches, rule.cap) * rule.factor)
    scale = min(1.0, 2048 / max(width, height))
    scale *= min(1.0, rule.short / (min(width, height) * scale))
    tiles = math.ceil(width * scale / rule.side) * math.ceil(height * scale / rule.side)
    return round(rule.base + rule.tile * tiles)


def load(data_dir: Path | None = None) -> Prices:
    """The table that comes with the program, overlaid by `prices.json` in the data folder. Raises `BadInput`."""
    rows = _read(TABLE)
    own = data_dir / "prices.json" if data_dir else None
    if own and own.is_file():
        rows |= _read(own)
    return Prices(rows)


def _read(path: Path) -> dict[str, Price]:
    try:
        data: Any = json.loads(path.read_text("utf-8"))
        return _ROWS.validate_python({name: row for name, row in data.items() if not name.startswith("_")})
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise BadInput(f"the price table {path.name} has a mistake at {where}: {first['msg']}") from error
    except (OSError, ValueError, AttributeError) as error:
        raise BadInput(f"the price table {path.name} cannot be read: {error}") from error
