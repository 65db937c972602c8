"""The values everything else speaks in: questions, scenes, references, observations, entries, snapshots.

Frozen and free of I/O. Times are seconds (float) on the global video clock: seconds from the start of the picture as the
player shows it. Intervals are half-open `[start, end)`. Frame numbers are 0-based ordinals, shown but never computed with.
This package knows no file, no model, no policy rule and no screen.
"""

from vesta_ui.domain.deciding import Action, Answer, Evidence, Message, ModelCall, Outcome, Usage
from vesta_ui.domain.evidence import (
    Coverage,
    Entry,
    Gap,
    HypothesisSupport,
    MemoryItem,
    Modality,
    Observation,
    Reference,
    ReferenceState,
    Relation,
    Snapshot,
    Stance,
    Status,
)
from vesta_ui.domain.question import (
    EMPHASES,
    Choice,
    Cue,
    Demand,
    Emphasis,
    Estimate,
    Flag,
    Policy,
    Prior,
    Question,
    Route,
    View,
)
from vesta_ui.domain.time import Interval, clock, listed, merge
from vesta_ui.domain.video import Frame, Notice, Scene, VideoFacts, Word

__all__ = [
    "EMPHASES",
    "Action",
    "Answer",
    "Choice",
    "Coverage",
    "Cue",
    "Demand",
    "Emphasis",
    "Entry",
    "Estimate",
    "Evidence",
    "Flag",
    "Frame",
    "Gap",
    "HypothesisSupport",
    "Interval",
    "MemoryItem",
    "Message",
    "Modality",
    "ModelCall",
    "Notice",
    "Observation",
    "Outcome",
    "Policy",
    "Prior",
    "Question",
    "Reference",
    "ReferenceState",
    "Relation",
    "Route",
    "Scene",
    "Snapshot",
    "Stance",
    "Status",
    "Usage",
    "VideoFacts",
    "View",
    "Word",
    "clock",
    "listed",
    "merge",
]
