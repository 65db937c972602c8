"""The text-only history of an exploring agent, and its compression (SAVE §3.2, §A.2, appendix E). Pure.

Every step leaves an *anchor*, one line that says what was searched and which ledger entries came of it. A compressed
history may lose words, never an anchor.
"""

from __future__ import annotations

from collections.abc import Sequence

from vesta_ui.domain import MemoryItem
from vesta_ui.roles.context_text import quoted

EVERY = 5
"""C: steps between two compressions."""


def anchor(item: MemoryItem) -> str:
    """For example `[step 2: query_range start_s=10 end_s=40 → e4 e5]`."""
    given = " ".join(
        f"{name}={value:g}" if isinstance(value, float) else f"{name}={value}" for name, value in item.arguments.items()
    )
    came = "failed" if item.error else " ".join(item.entry_ids) or "nothing"
    return f"[step {item.step}: {' '.join(filter(None, (item.operation, given)))} → {came}]"


def told(item: MemoryItem) -> str:
    return f"{anchor(item)}\n{quoted(item.output or item.error)}"


def recent(memory: Sequence[MemoryItem]) -> tuple[str, tuple[MemoryItem, ...]]:
    """The newest compressed history ("" before the first), and the steps it does not contain."""
    for n in range(len(memory) - 1, -1, -1):
        if memory[n].summary:
            return memory[n].summary, tuple(memory[n:])
    return "", tuple(memory)


def text(memory: Sequence[MemoryItem]) -> str:
    """What is known so far, as it is shown to the model."""
    summary, items = recent(memory)
    return "\n\n".join(filter(None, (summary, *(told(item) for item in items)))) or "Nothing was looked at yet."


def due(memory: Sequence[MemoryItem]) -> bool:
    """Whether it is time to compress: `EVERY` steps since the last time."""
    return len(recent(memory)[1]) >= EVERY


def anchored(compressed: str, memory: Sequence[MemoryItem]) -> str:
    """A compressed history as data, with every anchor of the steps it stands for; what the model dropped is put back."""
    lines = compressed.strip().splitlines()
    stripped = {line.strip().removeprefix("│").strip() for line in lines}
    lost = [anchor(item) for item in memory if anchor(item) not in stripped]
    return quoted("\n".join((*lines, *lost)))
