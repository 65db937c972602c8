"""Observations as lines of text, the form in which tool memory keeps them."""

from __future__ import annotations

from collections.abc import Sequence

from vesta_ui.domain import Observation

VERDICTS = {True: "yes", False: "no", None: ""}


def lines(observations: Sequence[Observation]) -> str:
    """One line an observation: interval, content, verdict and confidence where there is one."""
    return "\n".join(line(one) for one in observations) or "nothing was observed"


def line(observation: Observation) -> str:
    verdict = VERDICTS[observation.verdict]
    confidence = f" {observation.confidence:.2f}" if observation.confidence is not None else ""
    tail = f" [{verdict or 'confidence'}{confidence}]" if verdict or confidence else ""
    return f"{observation.interval} {observation.content}{tail}"
