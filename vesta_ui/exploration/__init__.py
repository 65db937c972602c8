"""Active exploration (SAVE §3): what `explore`, `save`, `saos` and `native` share, on the same driver as VESTA.

Such an agent has one query operation and no video-wide preprocessing. The observation operator O turns a query into a
`Sight` (frames, and what is said around them); a `Mind` turns the sight into observations, chooses the next query or
stops, and predicts. Two minds: `prompted` is one multimodal model that sees the newest frames and a text-only history
of its own notes; `rules` is the embedded engine. This package knows no particular agent and no screen.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from vesta_ui.domain import Action, Frame, Interval, MemoryItem, Notice, Question, Snapshot, VideoFacts, View
from vesta_ui.errors import OperationRefused
from vesta_ui.events import Event
from vesta_ui.ledger import Ledger
from vesta_ui.operations import Result, Workspace, load
from vesta_ui.operations.arguments import Arguments, checked
from vesta_ui.roles import Decision, Look
from vesta_ui.state import State


@dataclass(frozen=True, slots=True)
class Sight:
    """o_t: what one query returned. `span` is what was asked for, `heard[n]` the words around `looks[n]`.

    `high`: the frames are kept in high resolution. `how`: one phrase on the way they were chosen.
    """

    span: Interval
    looks: tuple[Look, ...]
    frames: tuple[Frame, ...]
    heard: tuple[str, ...]
    high: bool
    how: str
    notices: tuple[Notice, ...] = ()


@dataclass(frozen=True, slots=True)
class Past:
    """s_t: all an agent of this kind decides from. `left`: queries it may still make."""

    question: Question
    video: VideoFacts
    ledger: Ledger
    memory: tuple[MemoryItem, ...]
    step: int
    left: int

    @property
    def frame_times(self) -> list[float]:
        """Times of all frames looked at, each once, in order."""
        return sorted({frame.time for entry in self.ledger.entries for frame in entry.observation.frames})


class Mind(Protocol):
    """π, F and g of SAVE §3.1. A fresh object a run. `takes_file`: whether it can be shown the video file itself."""

    takes_file: bool

    def frame_tokens(self, width: int, height: int) -> int:
        """Input tokens of one ordinary frame of that size in pixels, as far as is known."""
        ...

    def choose(self, past: Past) -> Decision:
        """The next query, or the answer. Raises `ModelFailed`."""
        ...

    def take_in(self, sight: Sight, past: Past) -> Result:
        """Observations made from a sight. Raises `ModelFailed`."""
        ...

    def predict(self, past: Past) -> Decision:
        """The final answer from what was observed. Raises `ModelFailed`."""
        ...


@dataclass(frozen=True, slots=True)
class Query:
    """The one operation of an exploring agent, as a card for its prompt."""

    name: str
    arguments: type[Arguments]
    summary: str


BY_HAND = ("inspect", "speech", "clip")
"""Operations the user may add to such an agent's run; the agent itself is never offered them."""


class Explorer:
    """An agent of this kind, but for its query and what a query shows (SAVE §3.1). Subclasses set `query` and `sight`."""

    needs_index = False
    query: Query
    queries: int | None = None
    """B; None: the setting `max_queries`."""

    def begin(self, workspace: Workspace) -> None:
        from vesta_ui.exploration.loading import load_mind

        self.workspace = workspace
        self.most = self.queries or workspace.settings.max_queries
        self.mind = load_mind(self.query, workspace)

    def prepare(self, state: State) -> Iterator[Event]:
        """F_init ignores the video."""
        yield from ()

    def budget(self) -> int:
        """B decisions; a fixed number of queries leaves room for the answer and one failed try."""
        return self.most if self.queries is None else self.most + 2

    def snapshot(self, state: State) -> tuple[Snapshot | None, View | None]:
        return None, None

    def act(self, state: State, snapshot: Snapshot | None, step: int, final: bool) -> Decision:
        past = self.past(state, step)
        return self.mind.predict(past) if final or past.left <= 0 else self.mind.choose(past)

    def observe(self, action: Action, state: State, step: int) -> Result:
        if action.operation == self.query.name:
            given = checked(self.query.arguments, action.arguments)
            return self.mind.take_in(self.sight(given.model_dump()), self.past(state, step))
        if action.operation in BY_HAND:
            return load(action.operation).run(action.arguments, step, state.question, self.workspace)
        raise OperationRefused(f"there is no operation “{action.operation}”: this agent has only {self.query.name}")

    def fallback(self, state: State, step: int) -> Decision:
        from vesta_ui.exploration.predict import predict

        return predict(self.past(state, step))

    def past(self, state: State, step: int) -> Past:
        made = sum(1 for item in state.memory if item.operation == self.query.name and not item.error)
        facts = self.workspace.video.facts
        return Past(state.question, facts, state.ledger, state.memory, step, self.most - made)

    def sight(self, arguments: dict[str, Any]) -> Sight:
        """O: carry the query out on the video; `arguments` are as the query's schema says. Raises `OperationRefused`."""
        raise NotImplementedError
