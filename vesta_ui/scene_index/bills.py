"""What remote models were paid for an index: a transcript recognised elsewhere, scene vectors computed elsewhere.

The run that had the index made reports the bills; a reused index has none. Queries of a few words are not counted.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from vesta_ui.domain import Notice, Usage
from vesta_ui.encoders import Encoder, Paid
from vesta_ui.models import prices
from vesta_ui.settings import Settings, public_spec
from vesta_ui.transcript import Transcript


@dataclass(frozen=True, slots=True)
class Bill:
    """What a remote speech model or encoder was paid for an index."""

    what: str
    usage: Usage

    @property
    def notice(self) -> Notice:
        cost = "price unknown" if self.usage.cost_usd is None else f"${self.usage.cost_usd:.4f}"
        return Notice("index-paid", f"{self.what} was asked {self.usage.remote_requests} times for the index: {cost}")


def bills(settings: Settings, speech: Transcript, encoder: Encoder) -> list[Bill]:
    """The bills of a transcript and of scene vectors just made; none for what is local or was there already."""
    found = [Bill(f"speech {public_spec(settings.speech)}", speech.usage)]
    if isinstance(encoder, Paid):
        cost = prices.load(settings.data_dir).cost(encoder.price_name, encoder.usage)
        found.append(Bill(f"encoder {encoder.price_name}", replace(encoder.usage, cost_usd=cost)))
    return [bill for bill in found if bill.usage.remote_requests]
