"""Stepping into a recorded run by hand: its state at a step, and what would have been under another μ, budget or query.

Compaction is pure, so its what-ifs need neither model nor video; retrieval what-ifs need the scene index; running one
operation again needs the video too. Nothing here changes the run.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from vesta_ui import agents, encoders, policies, registry, scene_index
from vesta_ui.compact import compact
from vesta_ui.control import Control
from vesta_ui.domain import EMPHASES, Action, Flag, Policy, Question, Snapshot, View
from vesta_ui.errors import BadInput, BadSpec
from vesta_ui.events import Decided, Event, IndexReady, Observed, RunStarted, drained
from vesta_ui.exploration.listening import listen
from vesta_ui.frames import FrameStore
from vesta_ui.operations import Result, Workspace
from vesta_ui.policies import Retrieval
from vesta_ui.runs.fork import check_action
from vesta_ui.runs.session import Session, fold, until_step
from vesta_ui.scene_index import SceneIndex
from vesta_ui.settings import Settings
from vesta_ui.state import State
from vesta_ui.video import open_video


def view_of(emphasis: str, flags: Sequence[str] = ()) -> View | None:
    """μ by its short name ("none": no μ, every view on). Raises `BadInput` for an unknown emphasis or flag."""
    if emphasis == "none":
        return None
    known = [flag.value for flag in Flag]
    if emphasis not in EMPHASES:
        raise BadInput(f"there is no emphasis “{emphasis}”: choose one of {', '.join([*EMPHASES, 'none'])}")
    if unknown := [flag for flag in flags if flag not in known]:
        raise BadInput(f"there is no flag “{unknown[0]}”: choose from {', '.join(known)}")
    return View(EMPHASES[emphasis], tuple(Flag(flag) for flag in flags))


def deciding(events: Sequence[Event], step: int) -> Session:
    """Everything known when step `step` was decided. Raises `BadInput` when the run has no such step."""
    last = max((event.step for event in events if isinstance(event, Decided)), default=0)
    if not 1 <= step <= last:
        raise BadInput(f"the run has {'no steps' if not last else f'steps 1 to {last}'}: there is no step {step}")
    return fold(until_step(events, step - 1))


def state_at(events: Sequence[Event], step: int) -> State:
    """The question, M_t, E_t and references at the decision of step `step`."""
    state = deciding(events, step).state
    assert state is not None  # a run with a step has started
    return state


def settings_of(started: RunStarted, base: Settings) -> Settings:
    """The settings of a recorded run, over the folders of this machine; a file it names is the one `base` names so."""
    own, here = base.public(), base.roles()
    known = {
        name: here.get(name, value) if value == own[name] else value
        for name, value in started.settings.items()
        if name in own
    }
    return replace(base, **known)


# ------------------------------------------------------------------------------------------------ compaction
@dataclass(frozen=True, slots=True)
class Difference:
    """What another view of the same ledger shows and hides: entry ids, relations and gaps in words, and the text."""

    shown: tuple[str, ...]
    hidden: tuple[str, ...]
    relations_added: tuple[str, ...]
    relations_removed: tuple[str, ...]
    gaps_added: tuple[str, ...]
    gaps_removed: tuple[str, ...]
    sufficient: tuple[bool, bool]
    lines: tuple[str, ...]
    """Unified diff of the text the Reasoner is shown; empty when it is the same."""

    @property
    def same(self) -> bool:
        return not self.lines and not self.shown and not self.hidden


def recorded_view(events: Sequence[Event], step: int) -> Snapshot:
    """L_t as shown at step `step`; computed anew where the run kept its ledger hidden."""
    session = deciding(events, step)
    own = fold(until_step(events, step)).step(step).started
    if own is not None and own.snapshot is not None:
        return own.snapshot
    assert session.state is not None
    view = session.route.view if session.route else None
    return compact(session.state.ledger, view, snapshot_chars(session), session.missing)


def recompact(events: Sequence[Event], step: int, view: View | None, budget_chars: int) -> Snapshot:
    """L_t = Compact_μ(E_t) at step `step` under another μ or size budget (VESTA §3.5)."""
    if budget_chars < 200:
        raise BadInput(f"a budget of {budget_chars} characters shows nothing: give at least 200")
    session = deciding(events, step)
    assert session.state is not None  # a run with a step has started
    return compact(session.state.ledger, view, budget_chars, session.missing)


def otherwise(
    events: Sequence[Event], step: int, emphasis: str = "", flags: Sequence[str] = (), chars: int = 0
) -> Snapshot | None:
    """`recompact` under μ by its short name ("": the run's own) or `chars` (0: its own); None when neither is asked for."""
    if not emphasis and not chars:
        return None
    session = deciding(events, step)
    view = view_of(emphasis, flags) if emphasis else session.route.view if session.route else None
    return recompact(events, step, view, chars or snapshot_chars(session))


def difference(before: Snapshot, after: Snapshot) -> Difference:
    was, now = [e.id for e in before.entries], [e.id for e in after.entries]
    old, new = [r.text for r in before.relations], [r.text for r in after.relations]
    missing, open_now = [g.text for g in before.gaps], [g.text for g in after.gaps]
    lines = difflib.unified_diff(before.text.splitlines(), after.text.splitlines(), "as shown", "now", n=1, lineterm="")
    return Difference(
        shown=_only(now, was),
        hidden=_only(was, now),
        relations_added=_only(new, old),
        relations_removed=_only(old, new),
        gaps_added=_only(open_now, missing),
        gaps_removed=_only(missing, open_now),
        sufficient=(before.coverage.sufficient, after.coverage.sufficient),
        lines=tuple(lines),
    )


def _only(these: Sequence[str], those: Sequence[str]) -> tuple[str, ...]:
    return tuple(one for one in these if one not in set(those))


def snapshot_chars(session: Session) -> int:
    """The size budget of the run's ledger views, characters."""
    assert session.started is not None
    return int(session.started.settings.get("snapshot_chars", 8_000))


# ------------------------------------------------------------------------------------------------ retrieval
def index_of(session: Session, settings: Settings) -> SceneIndex:
    """The scene index a run used, if it is still in the data folder. Raises `BadInput`."""
    started, ready = session.started, session.index
    if started is None or not isinstance(ready, IndexReady):
        raise BadInput("this run has no scene index: its agent chose intervals by itself")
    own = settings_of(started, settings)
    folder = scene_index.video_folder(settings.data_dir, started.video.sha256)
    try:
        index = scene_index.open_index(ready.index_id, folder, own, encoders.load(own.encoder))
    except BadSpec as error:
        raise BadInput(f"the encoder of this run's index is not here: {error}") from error
    if index is None:
        raise BadInput(
            "the scene index of this run is not in the data folder: index its video again with these settings"
        )
    return index


def retrievals(session: Session, index: SceneIndex, query: str = "") -> dict[Policy, Retrieval]:
    """What every policy returns for the run's question, or for an edited one (VESTA Algorithm 2)."""
    assert session.started is not None
    question, settings = session.started.question, session.started.settings
    asked = Question(query.strip() or question.text, question.choices)
    count, apart = int(settings.get("references", 6)), float(settings.get("separation_s", 20.0))
    return {policy: policies.retrieve(policy, asked, index, count, apart) for policy in Policy}


# ------------------------------------------------------------------------------------------------ one operation
@dataclass(frozen=True, slots=True)
class Rerun:
    """An operation carried out again: the `action`, what it gave this time, and what is recorded (None if never run)."""

    action: Action
    result: Result
    recorded: Observed | None


def rerun(
    events: Sequence[Event], step: int, action: Action | None, path: Path, settings: Settings, frames: Path
) -> Rerun:
    """Carry out one operation alone, in the state it was carried out in, by the run's own agent, observer and settings.

    `action`: another one than was chosen. Frames go to the folder `frames`. Raises `BadInput`, `BadVideo`,
    `OperationRefused` or `ModelFailed`.
    """
    session = deciding(events, step)
    started, state = session.started, session.state
    assert started is not None and state is not None
    own = settings_of(started, settings)
    if action is not None:
        check_action(action, started, own)
    whole = fold(until_step(events, step)).step(step)
    chosen = action or (whole.decided.action if whole.decided else None)
    if chosen is None or chosen.operation == "finalize":
        raise BadInput(f"step {step} is the answer: there is no operation to carry out again")
    with open_video(path) as video:
        if video.facts.sha256 != started.video.sha256:
            raise BadInput(f"{path.name} is not the video of that run: choose the file it was asked about")
        agent: agents.Agent = registry.load(agents.AGENTS, started.agent, "agent")()
        control = Control()
        index = drained(scene_index.build(path, own, control) if agent.needs_index else listen(video, own, control))
        agent.begin(Workspace(video, index, FrameStore(frames), own, control))
        result = agent.observe(chosen, replace(state, step=step, decided=chosen), step)
    return Rerun(chosen, result, whole.observed)
