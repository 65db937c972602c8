"""What a run may cost, said before it starts."""

from __future__ import annotations

from dataclasses import replace

import pytest

from vesta_ui.bench.suite import most
from vesta_ui.models import prices
from vesta_ui.roles.forecast import (
    CONTEXT_TOKENS,
    FORCED,
    LOOK_TOKENS,
    ROUTER_TOKENS,
    SAID_TOKENS,
    SCENE_TOKENS,
    UNKNOWN_FRAME_TOKENS,
    forecast,
)
from vesta_ui.roles.prompted import MOST_OUTPUT
from vesta_ui.settings import Settings


def test_embedded_and_scripted_roles_cost_nothing(settings: Settings) -> None:
    assert forecast(settings).text == "No remote model is used: a run costs nothing."
    assert forecast(replace(settings, reasoner="scripted:x.json")).usd == 0.0


def test_the_papers_roles(settings: Settings) -> None:
    chosen = replace(settings, router="openai:o3", reasoner="openai:o3", observer="openai:gpt-4o", max_steps=15)
    found = forecast(chosen)
    seen = LOOK_TOKENS + 50 * (85 + 2 * 170)  # a clip in high detail is more than 150 frames in low
    reads = ROUTER_TOKENS + (15 + FORCED) * CONTEXT_TOKENS
    writes = MOST_OUTPUT["router"] + (15 + FORCED) * MOST_OUTPUT["reasoner"]
    assert found.requests == 1 + 15 + FORCED + 15
    assert found.input_tokens == reads + 15 * seen
    sees = 15 * (seen * 2.5 + MOST_OUTPUT["observer"] * 10)
    assert found.usd == pytest.approx((reads * 2 + writes * 8 + sees) / 1e6)
    assert f"${found.usd:.2f}" in found.text


def test_a_wider_ledger_view_and_more_frames_cost_more(settings: Settings) -> None:
    one = replace(settings, reasoner="openai:o3", observer="openai:gpt-4o")
    wide = forecast(replace(one, snapshot_chars=32_000))
    assert wide.input_tokens - forecast(one).input_tokens == (one.max_steps + FORCED) * 6_000
    assert forecast(replace(one, inspect_frames=600)).input_tokens > forecast(one).input_tokens


def test_exploring_agents_are_told_by_what_they_show(settings: Settings) -> None:
    """Gemini 3 at medium resolution: 560 tokens a frame, in one look of `native`; forty in high for `save`."""
    one = replace(settings, reasoner="gemini:gemini-3-flash-preview", router="openai:o3", observer="openai:gpt-4o")
    native = most(replace(one, agent="native", native_frames=600))
    assert native.requests == 6 and native.input_tokens == 4 * CONTEXT_TOKENS + 2 * (LOOK_TOKENS + 600 * 560)
    save = most(replace(one, agent="save", max_queries=30))
    assert save.input_tokens == 32 * CONTEXT_TOKENS + 30 * (LOOK_TOKENS + 40 * 1120)
    matched = most(replace(one, agent="native", match_tokens=1_120_000))
    assert matched.input_tokens == 4 * CONTEXT_TOKENS + 2 * (LOOK_TOKENS + 2_000 * 560)
    assert most(replace(one, agent="save", reasoner="embedded")).requests == 30, "rules look through the Observer"
    assert most(replace(one, agent="vesta")) == forecast(replace(one, agent="vesta"))


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


def test_an_index_made_elsewhere_is_told_before_it_is_made(settings: Settings) -> None:
    """Scenes × price, and minutes × price: 720 scenes and 60 minutes at most in an hour."""
    assert forecast(settings).index is None
    heard = forecast(replace(settings, speech="openai:whisper-1"))
    assert heard.index is not None and heard.index.usd == pytest.approx(60 * 0.006)
    assert heard.text == (
        "No remote model is used: a run costs nothing. Indexing takes at most 90 requests for an hour of video, $0.36 at "
        "most; once a video."
    )
    spec = "remote:m+images@http://127.0.0.1:1/v1"
    unpriced = forecast(replace(settings, speech="openai:whisper-1", encoder=spec))
    assert unpriced.index is not None and unpriced.index.usd is None and "unknown" in unpriced.text
    assert "127.0.0.1" not in unpriced.text
    row = prices.Price(input=0.1, cached=None, output=0, source="mine", date="2026-11")
    table = prices.Prices({**prices.load().rows, "remote:m": row})
    tokens = 3600 * SAID_TOKENS + 720 * (SCENE_TOKENS + 4 * UNKNOWN_FRAME_TOKENS)
    both = forecast(replace(settings, speech="openai:whisper-1", encoder=spec), table)
    assert both.index is not None and both.index.usd == pytest.approx(0.36 + tokens * 0.1 / 1e6)
    words = forecast(replace(settings, encoder="remote:m@http://127.0.0.1:1/v1", scene_min_s=10.0), table)
    assert words.index is not None
    assert words.index.usd == pytest.approx((3600 * SAID_TOKENS + 360 * SCENE_TOKENS) * 0.1 / 1e6)
