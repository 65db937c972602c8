"""Runs agents on the evidence-locality set under matched input budgets and tells accuracy by temporal concentration.

Every number comes from real runs on real video files, made when needed and deleted after. `native` is token-matched:
on each video it gets as many frames as `save` was shown tokens there (SAVE §5). Results are kept a line a run, so that
a broken bench goes on where it was.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import vesta_ui
from vesta_ui import files
from vesta_ui.agents import AGENTS
from vesta_ui.bench import Tell, score, squares
from vesta_ui.bench.pay import input_tokens
from vesta_ui.bench.score import Outcome
from vesta_ui.bench.squares import Sample
from vesta_ui.domain import Outcome as Ended
from vesta_ui.errors import BadInput, ModelFailed, StorageFailed
from vesta_ui.events import RunFinished
from vesta_ui.exploration.tokens import FRAME_TOKENS, HIGH_FRAME_TOKENS
from vesta_ui.runs import run as runs
from vesta_ui.settings import Settings, from_environment, role_flags
from vesta_ui.video import open_video

MATCHED_TO = "save"
RESULTS = "results.jsonl"
FOLDER, TABLE = "locality", "locality.md"


@dataclass(frozen=True, slots=True)
class Plan:
    """What is run. `agents` in the order they are run on each video: the one others are matched to comes first."""

    agents: tuple[str, ...]
    seed: int
    settings: Settings

    @property
    def identity(self) -> dict[str, Any]:
        """What must be the same for results to belong together."""
        roles = {name: spec for name, spec in self.settings.roles().items() if name in ("reasoner", "observer")}
        rules = {"max_queries": self.settings.max_queries, "code": code()}
        return {"bench": "locality", "seed": self.seed, "roles": roles} | rules


def code() -> str:
    """Changes with whatever decides what agents see and do: a table must not mix two states of the rules."""
    digest = hashlib.sha256()
    package = Path(vesta_ui.__file__).parent
    for path in sorted(
        p for part in ("agents", "exploration", "perception", "roles", "shots") for p in package.glob(f"{part}/**/*.py")
    ):
        digest.update(path.relative_to(package).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()[:12]


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--subset", type=int, metavar="N", help="about N of the 384 videos, evenly over all pairs")
    parser.add_argument(
        "--agents", default="save,native,saos", help="which agents, by comma (default save,native,saos)"
    )
    parser.add_argument("--seed", type=int, default=0, help="of the set and of the subset (default 0)")
    parser.add_argument(
        "--out",
        type=Path,
        help="folder for results, table and plot (default: in the data folder, where the page finds it)",
    )
    parser.add_argument("--data-dir", type=Path, help="the data folder (VESTA_DATA_DIR)")
    parser.add_argument("--jobs", type=int, default=1, help="videos worked on at once (default 1)")
    role_flags(parser, ("reasoner", "observer"))


def run(chosen: argparse.Namespace, tell: Tell) -> int:
    """Run what is missing, then tell. Raises `BadInput`, and `ModelFailed` when a provider fails on a video."""
    settings = from_environment(data_dir=chosen.data_dir, reasoner=chosen.reasoner, observer=chosen.observer)
    out = chosen.out or settings.data_dir / FOLDER
    plan = Plan(ordered(chosen.agents.split(",")), chosen.seed, replace(settings, speech="off"))
    wanted = squares.samples(chosen.seed)
    if chosen.subset is not None:
        if chosen.subset < 1:
            raise BadInput(f"--subset must be at least 1, got {chosen.subset}")
        wanted = squares.subset(wanted, chosen.subset, chosen.seed)
    for n, lines in enumerate(measured(plan, wanted, out, chosen.jobs), 1):
        first = lines[0]
        marks = ", ".join(f"{line['agent']} {'right' if line['right'] else 'wrong'}" for line in lines)
        tell(f"{n}: video {first['sample']}, {first['duration_s']} s, cycle {first['cycle_s']} s: {marks}")
    outcomes = [o for o in read(plan, out) if o.agent in plan.agents and o.sample in {s.number for s in wanted}]
    tell(summary(outcomes, plan))
    same = score.common(outcomes)
    plots = {
        "locality.svg": (score.CONCENTRATION, "Accuracy by temporal concentration (cycle / duration)"),
        "locality-duration.svg": (score.durations(same), "Accuracy by duration of the video"),
    }
    for name, (bins, title) in plots.items():
        files.write(out / name, score.bars(same, plan.agents, bins, title))
    files.write(out / TABLE, summary(outcomes, plan) + "\n")
    tell(f"written: {', '.join(str(out / name) for name in (TABLE, *plots))}")
    return 0


def ordered(names: Sequence[str]) -> tuple[str, ...]:
    """The agents, the one that `native` is matched to first. Raises `BadInput`."""
    agents = tuple(dict.fromkeys(name.strip() for name in names if name.strip()))
    for name in agents:
        if name not in AGENTS:
            raise BadInput(f"unknown agent “{name}”: choose from {', '.join(AGENTS)}")
    if not agents:
        raise BadInput(f"no agent given: choose from {', '.join(AGENTS)}")
    return tuple(sorted(agents, key=lambda name: name != MATCHED_TO))


# ------------------------------------------------------------------------------------------------ running
def measured(plan: Plan, wanted: Sequence[Sample], out: Path, jobs: int = 1) -> Iterator[list[dict[str, Any]]]:
    """Run every agent on every video that has no result yet; the lines of each video as they are kept."""
    _claim(plan, out)
    done: dict[int, dict[str, dict[str, Any]]] = {}
    for line in files.read_lines(out / RESULTS):
        done.setdefault(line["sample"], {})[line["agent"]] = line
    missing = [one for one in wanted if not set(plan.agents) <= set(done.get(one.number, {}))]
    work = [(one, plan, tuple(done.get(one.number, {}).values())) for one in missing]
    if jobs <= 1:
        yield from (_kept(measure(*one), out) for one in work)
        return
    with ProcessPoolExecutor(jobs) as pool:
        try:
            for done_one in as_completed([pool.submit(_apart, one) for one in work]):
                lines = done_one.result()
                if isinstance(lines, str):
                    kind, _, message = lines.partition(": ")
                    raise ModelFailed(kind, message)
                yield _kept(lines, out)
        finally:
            pool.shutdown(cancel_futures=True)


def _apart(work: tuple[Sample, Plan, Sequence[dict[str, Any]]]) -> list[dict[str, Any]] | str:
    """`measure` in another process; a failure comes back as "kind: message", since exceptions with receipts don't."""
    try:
        return measure(*work)
    except ModelFailed as error:
        return f"{error.kind}: {error}"


def measure(sample: Sample, plan: Plan, had: Sequence[dict[str, Any]] = ()) -> list[dict[str, Any]]:
    """One video: made, asked by every agent that has no line in `had`, deleted. Raises `ModelFailed`."""
    lines: list[dict[str, Any]] = []
    known = {line["agent"]: line for line in had}
    folder = Path(tempfile.mkdtemp(prefix="vesta-locality-"))
    try:
        path = squares.render(sample, folder / "video.mp4")
        for agent in plan.agents:
            if agent not in known:
                lines.append(_ask(sample, agent, plan, folder, path, known.get(MATCHED_TO)))
                known[agent] = lines[-1]
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return lines


def _ask(
    sample: Sample, agent: str, plan: Plan, folder: Path, path: Path, matched: dict[str, Any] | None
) -> dict[str, Any]:
    settings = replace(plan.settings, data_dir=folder / "data", agent=agent)
    if agent == "native" and matched is not None:
        settings = replace(settings, match_tokens=int(matched["tokens"]))
    one = runs.Run(runs.new_id(), folder / agent, path)
    for _ in runs.play(one, open_video(path), sample.question, settings):
        pass
    session = one.session()
    finished = session.finished
    assert isinstance(finished, RunFinished)
    if finished.outcome in (Ended.FAILED, Ended.STOPPED) or finished.answer is None:
        raise ModelFailed(finished.failure or "server", f"{agent} failed on video {sample.number}: {finished.reason}")
    return {
        "sample": sample.number, "agent": agent, "right": finished.answer.label == sample.answer,
        "answer": finished.answer.label, "confidence": finished.answer.confidence, "outcome": finished.outcome.value,
        "concentration": sample.concentration, "duration_s": sample.duration_s, "cycle_s": sample.cycle_s,
        "tokens": input_tokens(one), "frames": session.usage.frames, "steps": len(session.steps),
    }  # fmt: skip


# ------------------------------------------------------------------------------------------------ results
def _claim(plan: Plan, out: Path) -> None:
    """Refuse to mix results of different set-ups in one folder."""
    try:
        kept = files.read_json(out / "plan.json")
        if kept is None:
            files.write_json(out / "plan.json", plan.identity)
    except StorageFailed as error:
        raise BadInput(f"results cannot be kept in {out}: choose another --out") from error
    if kept not in (None, plan.identity):
        raise BadInput(f"{out} holds results of another set-up ({json.dumps(kept)}): choose another --out")


def _kept(lines: list[dict[str, Any]], out: Path) -> list[dict[str, Any]]:
    for line in lines:
        files.append_line(out / RESULTS, line)
    return lines


def read(plan: Plan, out: Path) -> list[Outcome]:
    names = set(Outcome.__slots__)
    latest = {(line["sample"], line["agent"]): line for line in files.read_lines(out / RESULTS)}
    return [Outcome(**{k: v for k, v in line.items() if k in names}) for line in latest.values()]


def summary(outcomes: Sequence[Outcome], plan: Plan) -> str:
    """The tables and what they rest on, in Markdown."""
    same = score.common(outcomes)
    shown = [name for name in plan.agents if any(o.agent == name for o in same)]
    matched = (
        f"`native` gets as many frames as `{MATCHED_TO}` was shown tokens on the same video. "
        if MATCHED_TO in shown
        else ""
    )
    priced = (
        f"Tokens are estimated: {FRAME_TOKENS} a frame, {HIGH_FRAME_TOKENS} in high resolution."
        if plan.settings.reasoner == "embedded"
        else "Tokens are the provider's count."
    )
    count = len({o.sample for o in same})
    head = f"{count} videos (seed {plan.seed}), reasoner {plan.settings.reasoner}. {matched}{priced} Intervals: Wilson, 95 %."
    return "\n\n".join(
        (
            head,
            score.table(same, shown, (*score.CONCENTRATION, score.EVERY), "cycle / duration"),
            score.table(same, shown, score.durations(same), "duration"),
            score.costs(same, shown),
        )
    )


__all__ = ["Plan", "arguments", "measure", "measured", "ordered", "read", "run", "summary"]
