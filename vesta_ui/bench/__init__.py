"""Measurements from a shell: `python -m vesta_ui bench NAME …`. Each is a module with `arguments(parser)` and `run(chosen)`.

A bench writes to standard output through `tell`, which the shell turns into `print`; adding one is a file and a line here.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from importlib import import_module

from vesta_ui.errors import BadInput

Tell = Callable[[str], None]

BENCHES = {
    "speed": ("vesta_ui.bench.speed", "what the scene pass and exact frames cost, beside a plain decode and the peer"),
    "sound": ("vesta_ui.bench.sound", "what hours of sound take of memory, and how fast speech is heard"),
    "samples": ("vesta_ui.bench.samples", "right answers on the sample videos, question by question"),
    "ablation": (
        "vesta_ui.bench.ablation",
        "the five configurations of the mechanisms over a sample's questions (VESTA §4.4)",
    ),
    "pay": ("vesta_ui.bench.pay", "what agents spent on one question, beside how much of the video its evidence takes"),
    "locality": ("vesta_ui.bench.locality", "the synthetic evidence-locality set (SAVE §5): when does exploring pay?"),
    "runs": ("vesta_ui.bench.runs", "listing and searching thousands of runs, opening and scrubbing a long one"),
    "library": (
        "vesta_ui.bench.library",
        "listing and searching a library of a thousand indexed hours (synthetic vectors)",
    ),
    "ui": ("vesta_ui.ui.measure", "the page in a real browser: event → screen, ready, smoothness, memory; pictures"),
}
"""Name → (module, one line on what it measures)."""


def main(name: str, rest: Sequence[str], tell: Tell) -> int:
    """Run one bench with its own flags; returns the exit code. Raises `BadInput` for an unknown name."""
    if name not in BENCHES:
        raise BadInput(f"unknown bench “{name}”: choose one of {', '.join(BENCHES)}")
    module_name, summary = BENCHES[name]
    module = import_module(module_name)
    parser = argparse.ArgumentParser(prog=f"vesta_ui bench {name}", description=summary)
    module.arguments(parser)
    code: int = module.run(parser.parse_args(list(rest)), tell)
    return code
