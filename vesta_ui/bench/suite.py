"""A set of questions with known answers under several configurations: ordinary recorded runs, one after the other.

A bench is one JSON document in the data folder's `benches/`: its plan and the ids of its runs. All that is told of it is read
from those runs, so that a reload, a restart and a second page see the same. Knows no screen.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from vesta_ui import agents, files, registry, samples, scene_index
from vesta_ui.agents import AGENTS
from vesta_ui.bench import outcomes
from vesta_ui.bench.outcomes import Row
from vesta_ui.bench.samples import asked
from vesta_ui.control import Control
from vesta_ui.domain import Interval, Outcome, Question
from vesta_ui.errors import BadInput, BadTrace, Busy, Stopped, VestaError
from vesta_ui.events import IndexProgress
from vesta_ui.exploration import Explorer
from vesta_ui.exploration.ranges import MOST_FRAMES
from vesta_ui.exploration.showing import HIGH_SIDE, HIGH_TIMES
from vesta_ui.exploration.tokens import frames_for
from vesta_ui.roles.forecast import Forecast, forecast
from vesta_ui.runs.cases import Cases, with_run
from vesta_ui.runs.registry import Runs
from vesta_ui.runs.run import RUN_ID, Run, new_id
from vesta_ui.settings import ABLATIONS, Settings

log = logging.getLogger(__name__)

OWN = "cases"
"""The set of the user's own cases that have a gold answer."""
IN_A_ROW = 3
"""So many failed runs one after the other end a bench: the next would fail too, and may cost."""
AGAIN = "choose the questions and press Run"


@dataclass(frozen=True, slots=True)
class Item:
    """One question. `gold`: a label, or words for an open one; `video`: "sample:NAME" or a sha256; `case`: its id, if any."""

    id: str
    question: Question
    gold: str
    gold_intervals: tuple[Interval, ...]
    video: str
    case: str = ""


@dataclass(frozen=True, slots=True)
class Bench:
    """`settings`: the public ones. `runs`: for every item configuration → run id, as far as they were begun.

    `trouble`: one sentence on why it ended early.
    """

    id: str
    title: str
    settings: dict[str, Any]
    configurations: tuple[str, ...]
    items: tuple[Item, ...]
    runs: tuple[dict[str, str], ...]
    trouble: str = ""


_BENCH: TypeAdapter[Bench] = TypeAdapter(Bench)


# ------------------------------------------------------------------------------------------------ the plan
def configurations() -> dict[str, tuple[str, str]]:
    """Name → (agent, ablation): VESTA's five, then the other agents."""
    return {name: ("vesta", name) for name in ABLATIONS} | {name: (name, "full") for name in AGENTS if name != "vesta"}


def configured(settings: Settings, name: str) -> Settings:
    """Raises `BadInput` for an unknown configuration."""
    if name not in (known := configurations()):
        raise BadInput(f"unknown configuration “{name}”: choose from {', '.join(known)}")
    agent, ablation = known[name]
    return replace(settings, agent=agent, ablation=ablation)


def sets(cases: Cases) -> dict[str, tuple[str, int]]:
    """Key of a set → its title and how many questions it has."""
    found = {f"sample:{one.name}": (one.title, len(one.questions)) for one in samples.load()}
    return found | {OWN: ("My cases with a gold answer", sum(bool(one.gold) for one in cases.all()))}


def items(key: str, cases: Cases) -> tuple[Item, ...]:
    """The questions of a set, those of one video together. Raises `BadInput` for an unknown or empty one."""
    if key == OWN:
        own = sorted((one for one in cases.all() if one.gold), key=lambda one: (one.video.sha256, one.id))
        found = [Item(one.id, one.question, one.gold, one.gold_intervals, one.video.sha256, one.id) for one in own]
    else:
        found = [
            Item(one["id"], asked(one), one["gold"], tuple(Interval(*span) for span in one.get("gold_intervals", [])), key)
            for one in samples.find(key.removeprefix("sample:")).questions
        ]  # fmt: skip
    if not found:
        raise BadInput("no case has a gold answer yet: give one on the Cases tab, or choose a sample")
    return tuple(found)


def plan(key: str, names: Sequence[str], settings: Settings, cases: Cases) -> Bench:
    """Raises `BadInput`, `BadSpec` or `ModelFailed` for what cannot be run."""
    if not names:
        raise BadInput("choose at least one configuration to run")
    for name in names:
        agents.check(configured(settings, name))
    wanted = items(key, cases)
    ordered = tuple(name for name in configurations() if name in names)
    return Bench(new_id(), sets(cases)[key][0], settings.public(), ordered, wanted, tuple({} for _ in wanted))


def most(settings: Settings) -> Forecast:
    """The most one run may take. An exploring agent asks one model alone: with frames a query, with its notes besides;
    as rules, only the Observer."""
    kind = registry.load(AGENTS, settings.agent, "agent")
    if not issubclass(kind, Explorer):
        return forecast(settings)
    queries = kind.queries or settings.max_queries
    spread = settings.native_frames if settings.match_tokens is None else frames_for(settings.match_tokens)
    looks = (MOST_FRAMES, "high"), (spread if kind.queries else 1, "auto")
    side = min(HIGH_SIDE, HIGH_TIMES * settings.image_side)
    sees = settings.observer if settings.reasoner == "embedded" else settings.reasoner
    again = 1 if kind.queries else 0  # a fixed number of queries leaves room for one that failed
    one = replace(settings, router="embedded", observer=sees, max_steps=queries + again, image_side=side)
    return forecast(one, looks=looks)


def estimate(questions: int, names: Sequence[str], settings: Settings) -> str:
    """What a bench may take, in a sentence or two. Raises `BadInput`, `BadSpec`."""
    text = (
        f"{questions} questions × {len(names)} configuration{'s' * (len(names) != 1)} = {questions * len(names)} runs"
    )
    each = [most(configured(settings, name)) for name in names]
    index = f" {each[0].index.text}" if each and each[0].index else ""
    if not any(one.requests for one in each):
        return f"{text}. No remote model is used: they cost nothing.{index}"
    text += f", at most {questions * sum(one.requests for one in each):,} requests"
    if unpriced := dict.fromkeys(name for one in each for name in one.unpriced):
        return f"{text}; the price of {', '.join(unpriced)} is unknown.{index}"
    cap = settings.max_usd
    usd = sum(min(one.usd or 0.0, cap) if cap is not None else one.usd or 0.0 for one in each)
    return f"{text} and ${questions * usd:,.2f}.{index}"


# ------------------------------------------------------------------------------------------------ running and keeping
class Benches:
    """The benches of one data folder; one at a time goes on. `find` gives the file of a video key, or raises `BadInput`."""

    def __init__(self, data_dir: Path, runs: Runs, find: Callable[[str], Path]) -> None:
        self.folder, self.runs, self.cases = data_dir / "benches", runs, Cases(data_dir)
        self.live = ""
        """Id of the bench that goes on."""
        self.progress: IndexProgress | None = None
        self._find, self._control, self._lock = find, Control(), threading.Lock()
        self._rows: dict[str, Row] = {}

    def start(self, bench: Bench, settings: Settings) -> None:
        """Run whatever has no answer yet. Raises `BadInput`, or `Busy` while another goes on."""
        if bench.settings != settings.public():
            raise BadInput(f"the settings are not those of this bench any more: set them as they were, or {AGAIN} anew")
        for video in dict.fromkeys(item.video for item in bench.items):
            self._find(video)
        with self._lock:
            if self.live:
                raise Busy("a bench goes on: wait for its end or stop it")
            self.live, self.progress, self._control = bench.id, None, Control()
        bench = replace(bench, trouble="")
        self._save(bench)
        threading.Thread(target=self._work, args=(bench, settings, self._control), name="bench", daemon=True).start()

    def stop(self) -> None:
        self._control.stop()

    def get(self, bench_id: str) -> Bench:
        """Raises `BadInput` when there is none of that id or it cannot be read."""
        try:
            if not RUN_ID.fullmatch(bench_id):  # a bench is named as a run is
                raise FileNotFoundError
            return _BENCH.validate_json((self.folder / f"{bench_id}.json").read_bytes())
        except FileNotFoundError as error:
            raise BadInput(f"there is no such bench: choose one from the list, or {AGAIN}") from error
        except ValidationError as error:
            raise BadInput(f"the bench {bench_id} cannot be read: {error.errors()[0]['msg']}") from error

    def newest(self, most: int) -> list[Bench]:
        """Newest first; unreadable ones are left out."""
        found = []
        for path in sorted(self.folder.glob("*.json"), reverse=True)[:most]:
            try:
                found.append(self.get(path.stem))
            except BadInput:
                continue
        return found

    def run(self, run_id: str) -> Run | None:
        """A run of a bench, None where it was never begun or is gone."""
        try:
            found = self.runs.get(run_id)
        except BadTrace:
            return None
        return found if found.session().started is not None or not found.done else None

    def row(self, bench: Bench, item: Item, name: str, run: Run) -> Row:
        """What an ended run did; on a case the user's own verdict stands above the comparison."""
        if run.id not in self._rows:
            self._rows[run.id] = outcomes.row(
                name, item.video, item.id, item.question, item.gold, item.gold_intervals, run
            )
        row = self._rows[run.id]
        try:
            said = self.cases.get(item.case).verdicts.get(run.id) if item.case else None
        except BadInput:
            said = None
        return replace(row, right={"right": True, "wrong": False}.get(said)) if said else row

    def _save(self, bench: Bench) -> None:
        files.write(self.folder / f"{bench.id}.json", _BENCH.dump_json(bench))

    def _work(self, bench: Bench, settings: Settings, control: Control) -> None:
        trouble = ""
        try:
            self._play(bench, settings, control)
        except Stopped:
            trouble = "stopped"
        except VestaError as error:
            trouble = str(error)
        except Exception as error:
            log.exception("bench %s broke", bench.id)
            trouble = f"an internal error ended it ({type(error).__name__}); the log has the details"
        finally:
            if trouble:
                self._save(replace(self.get(bench.id), trouble=trouble))
            self.live, self.progress = "", None

    def _play(self, bench: Bench, settings: Settings, control: Control) -> None:
        each = {name: configured(settings, name) for name in bench.configurations}
        indexed = any(registry.load(AGENTS, one.agent, "agent").needs_index for one in each.values())
        ready, failed = set[str](), 0
        for n, item in enumerate(bench.items):
            missing = [name for name in each if not self.answered(self.run(bench.runs[n].get(name, "")))]
            if not missing:
                continue
            path = self._find(item.video)
            if indexed and item.video not in ready:
                for self.progress in scene_index.build(path, settings, control):
                    pass
                self.progress = None
                ready.add(item.video)
            control.check()
            begun = self.runs.start_all(path, item.question, [each[name] for name in missing], at_once=1)
            took = bench.runs[n] | {name: run.id for name, run in zip(missing, begun, strict=True)}
            bench = replace(bench, runs=(*bench.runs[:n], took, *bench.runs[n + 1 :]))
            self._save(bench)
            release = control.on_stop(partial(_stop, begun))
            for run in begun:
                run.join()
                end = run.session().finished
                failed = failed + 1 if end is not None and end.outcome is Outcome.FAILED else 0
                if failed == IN_A_ROW and end is not None:
                    _stop(begun)
                    raise BadInput(f"{IN_A_ROW} runs in a row failed: {end.reason}")
            release()
            self._keep(item, begun)
            control.check()

    def answered(self, run: Run | None) -> bool:
        end = run.session().finished if run else None
        return end is not None and end.outcome in outcomes.ANSWERED

    def _keep(self, item: Item, begun: Sequence[Run]) -> None:
        """The runs become runs of their case, where the user can judge them."""
        try:
            case = self.cases.get(item.case) if item.case else None
        except BadInput:  # deleted meanwhile
            return
        if case is not None:
            for run in begun:
                if run.session().started is not None:
                    case = with_run(case, run.id, run.session())
            self.cases.save(case)


def _stop(begun: Sequence[Run]) -> None:
    for run in begun:
        run.control.stop()
