"""What a run may cost, said before it starts."""

from __future__ import annotations

from dataclasses import replace

import pytest

from vesta_ui.models import prices
from vesta_ui.roles.forecast import CONTEXT_TOKENS, DECISION_OUTPUT, OBSERVATION, ROUTER, forecast
from vesta_ui.settings import Settings


def test_embedded_and_scripted_roles_cost_nothing(settings: Settings) -> None:
    assert forecast(settings).text == "No remote model is used: a run costs nothing."
    assert forecast(replace(settings, reasoner="scripted:x.json")).usd == 0.0


def test_the_papers_roles(settings: Settings) -> None:
    chosen = replace(settings, router="openai:o3", reasoner="openai:o3", observer="openai:gpt-4o", max_steps=15)
    found = forecast(chosen)
    seen = OBSERVATION[0] + 150 * 85
    reads = ROUTER[0] + 15 * CONTEXT_TOKENS
    writes = ROUTER[1] + 15 * DECISION_OUTPUT
    assert found.requests == 1 + 15 + 14
    assert found.input_tokens == reads + 14 * seen
    assert found.usd == pytest.approx((reads * 2 + writes * 8 + 14 * seen * 2.5 + 14 * OBSERVATION[1] * 10) / 1e6)
    assert f"${found.usd:.2f}" in found.text


def test_an_unknown_price_is_said_and_never_summed_as_zero(settings: Settings) -> None:
    chosen = replace(settings, reasoner="openai:o3", observer="compatible:llava@http://127.0.0.1:1/v1")
    found = forecast(chosen)
    assert found.usd is None
    assert found.unpriced == found.frame_rule_missing == ("compatible:llava",)
    assert "compatible:llava is unknown" in found.text
    assert "127.0.0.1" not in found.text
    row = prices.Price(input=1, cached=None, output=1, source="mine", date="2026-11")
    table = prices.Prices({**prices.load().rows, "compatible:llava": row})
    assert forecast(chosen, table).usd is not None
