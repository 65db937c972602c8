"""When does it pay? What agents spent on one question, beside how much of the video its evidence takes (SAVE §5).

The paper's two axes are the video's length and the temporal concentration of the evidence; the runs are the points on
them. Works on recorded runs, and makes those it is asked to. Pure but for running.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from string import ascii_uppercase

from vesta_ui import agents, files
from vesta_ui.bench import Tell
from vesta_ui.bench.plane import LENGTHS, SHARES, Point, picture
from vesta_ui.domain import Answer, Interval, Outcome, clock, merge
from vesta_ui.errors import BadInput
from vesta_ui.events import Observed
from vesta_ui.exploration.tokens import estimate
from vesta_ui.runs import run as runs
from vesta_ui.runs.cases import agrees
from vesta_ui.runs.compare import agent_of
from vesta_ui.runs.run import Run
from vesta_ui.runs.session import Session
from vesta_ui.settings import from_environment, role_flags


@dataclass(frozen=True, slots=True)
class Spent:
    """One run. `tokens`: input tokens, `counted` by the model or else estimated from the frames. `inside`: frames that
    lie in the evidence. `share`: of the video, that its own evidence takes; None: it cites nothing. `agrees`: it gave the
    agreed answer. Costs a second are per second of evidence. `times`: `tokens` as a multiple of the fewest with which
    any run reached the agreed answer; None: this one did not, or needed none.
    """

    agent: str
    answer: str
    agrees: bool
    frames: int
    inside: int
    tokens: int
    counted: bool
    cost_usd: float | None
    seconds: float
    share: float | None
    frames_per_s: float
    tokens_per_s: float
    times: float | None = None

    @property
    def price(self) -> str:
        """What it cost, in a few words."""
        tokens = f"{self.tokens:,} tokens" if self.counted else f"≈ {self.tokens:,} tokens"
        return f"{tokens}, ${self.cost_usd:.4f}" if self.cost_usd else tokens


@dataclass(frozen=True, slots=True)
class Pay:
    """`evidence`: the stretches that carry the answer, merged; `share` of the video in [0, 1]. `cited`: nobody gave the
    evidence, so it is the shortest that a run with the agreed answer cites. `known`: `agreed` is the right answer, not
    only what most runs say.
    """

    duration_s: float
    evidence: tuple[Interval, ...]
    evidence_s: float
    share: float
    spent: tuple[Spent, ...]
    agreed: str
    cited: bool
    known: bool

    @property
    def cheapest(self) -> int | None:
        """Which run reached the agreed answer with the fewest tokens, its place in `spent`; None: none reached it."""
        reached = [n for n, one in enumerate(self.spent) if one.times is not None]
        return min(reached, key=lambda n: self.spent[n].tokens, default=None)

    @property
    def length(self) -> str:
        return next(name for upto, name, _ in LENGTHS if self.duration_s < upto)

    @property
    def concentration(self) -> str:
        return next(name for upto, name, _ in SHARES if self.share <= upto)

    def picture(self, letters: Sequence[str] = ()) -> str:
        """The paper's two axes with each run as a point on them, by its letter (SVG)."""
        points = [
            Point(f"{letter} {one.agent}, {one.price}", one.share, one.agrees)
            for letter, one in zip(letters or lettered(len(self.spent)), self.spent, strict=True)
        ]
        return picture(points, self.share, self.duration_s)


def pay(every: Sequence[Run], evidence: Sequence[Interval] = (), answer: str = "") -> Pay:
    """Compare finished runs on one question. `answer`: the right label or text; empty: what most runs say, of answers
    given equally often the one with more confidence. A failed run has not answered.

    Without `evidence` it is the shortest that a run which reached that answer cites. Raises `BadInput` when the runs are
    not of one video and question, or evidence lies outside the video.
    """
    sessions = [one.session() for one in every]
    started = [s.started for s in sessions if s.started is not None]
    if not started or len(started) < len(sessions):
        raise BadInput("no run was given, or one of them never started")
    if len({(s.video.sha256, s.question) for s in started}) > 1:
        raise BadInput("these runs are not of one video and one question: choose runs that are")
    answers = [s.answer if s.finished and s.finished.outcome is not Outcome.FAILED else None for s in sessions]
    said = [(one.label or one.text) if one else "" for one in answers]
    agreed = answer or _agreed(answers)
    question = started[0].question
    agreeing = [bool(one and agrees(question, agreed, one)) for one in answers]
    cited = [
        [Interval(e.start, e.end) for e in one.evidence]
        for one, there in zip(answers, agreeing, strict=True)
        if one and there
    ]
    video = started[0].video
    for span in evidence:
        if not 0 <= span.start < min(span.end, video.duration_s):
            raise BadInput(f"the evidence {span} is not inside the video, which lasts {clock(video.duration_s)}")
    given = [Interval(span.start, min(span.end, video.duration_s)) for span in evidence]
    shortest_cited = min((merge(spans) for spans in cited if spans), key=lambda m: sum(s.length for s in m), default=())
    spans = merge(given) or shortest_cited
    shortest = 1 / video.fps if video.fps > 0 else 0.04
    length = min(video.duration_s, max(shortest, sum(span.length for span in spans)))
    rows = [
        _spent(one, name, there, spans, length, video.duration_s)
        for one, name, there in zip(every, said, agreeing, strict=True)
    ]
    least = min((row.tokens for row in rows if row.agrees and row.tokens), default=1)
    compared = [replace(row, times=round(row.tokens / least, 2) if row.agrees and row.tokens else None) for row in rows]
    return Pay(
        duration_s=video.duration_s,
        evidence=spans,
        evidence_s=length,
        share=length / video.duration_s,
        spent=tuple(compared),
        agreed=agreed,
        cited=not evidence,
        known=bool(answer),
    )


def _spent(
    one: Run, answer: str, reached: bool, evidence: Sequence[Interval], evidence_s: float, duration_s: float
) -> Spent:
    session, tokens = one.session(), input_tokens(one)
    times = [f.time for e in one.events if isinstance(e, Observed) for f in e.frames]
    return Spent(
        agent=agent_of(session),
        answer=answer,
        agrees=reached,
        frames=len(times),
        inside=sum(any(span.start <= t <= span.end for span in evidence) for t in times),
        tokens=tokens,
        counted=bool(session.usage.input_tokens),
        cost_usd=session.usage.cost_usd,
        seconds=session.at,
        share=_cited_share(session, duration_s),
        frames_per_s=len(times) / evidence_s,
        tokens_per_s=tokens / evidence_s,
    )


def _agreed(answers: Sequence[Answer | None]) -> str:
    weight: dict[str, tuple[int, float]] = {}
    for one in filter(None, answers):
        count, confidence = weight.get(name := one.label or one.text, (0, 0.0))
        weight[name] = count + 1, confidence + one.confidence
    return max(weight, key=lambda name: weight[name], default="")


def lettered(count: int) -> list[str]:
    """A, B, C …; by number beyond Z."""
    return [*ascii_uppercase, *map(str, range(len(ascii_uppercase) + 1, count + 1))][:count]


def input_tokens(one: Run) -> int:
    """As the model counted them; where none did, the frames at a stated price."""
    return one.session().usage.input_tokens or estimate(one.events)


def to_match(one: Run) -> int:
    """Input tokens of an ended run, for `native` to be matched to. Raises `BadInput`."""
    if not one.done or one.session().started is None:
        raise BadInput("native can be matched to a run when that has ended")
    tokens = input_tokens(one)
    if not tokens:
        raise BadInput("native cannot be matched to a run that looked at no frame: it has no input tokens")
    return tokens


def _cited_share(session: Session, duration_s: float) -> float | None:
    spans = merge(Interval(one.start, one.end) for one in session.answer.evidence) if session.answer else ()
    return sum(span.length for span in spans) / duration_s if spans else None


def as_text(found: Pay) -> str:
    """The report in Markdown."""
    known = found.known
    names = [f"{letter} {one.agent}" for letter, one in zip(lettered(len(found.spent)), found.spent, strict=True)]
    shortest = f" (the shortest cited for {found.agreed})" if found.cited and found.evidence else ""
    where = ", ".join(str(span) for span in found.evidence[:6]) or "none cited"
    lines = [
        f"Video: {clock(found.duration_s)} ({found.length}). Evidence{shortest}: {found.evidence_s:.1f} s = {100 * found.share:.1f} % of "
        f"it ({found.concentration}): {where}.",
        "",
        f"| run | answer | {'right | ' if known else ''}frames | in the evidence | input tokens | frames / s | tokens / s | cost |",
        f"| --- | --- | {'--- | ' if known else ''}---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for name, one in zip(names, found.spent, strict=True):
        right = f"{'yes' if one.agrees else 'no'} | " if known else ""
        cost = "unknown" if one.cost_usd is None else f"${one.cost_usd:.4f}"
        tokens = f"{one.tokens:,}" if one.counted else f"≈ {one.tokens:,}"
        lines.append(
            f"| {name} | {one.answer} | {right}{one.frames} | {one.inside} | {tokens} | {one.frames_per_s:.1f} | "
            f"{one.tokens_per_s:,.0f} | {cost} |"
        )
    lines += ["", "Frames and tokens a second are per second of evidence; ≈ is estimated from the frames."]
    kind = "the right answer" if known else f"the same answer ({found.agreed})"
    if found.cheapest is None:
        lines.append(f"No run reached {kind}, so there is no cost at equal accuracy.")
    else:
        others = [
            f"{name} {one.times:g} ×"
            for n, (name, one) in enumerate(zip(names, found.spent, strict=True))
            if one.times is not None and n != found.cheapest
        ]
        least = f"{names[found.cheapest]} reached {kind} with the fewest tokens"
        lines.append(f"Cost at equal accuracy: {'; '.join(filter(None, (least, ', '.join(others))))}.")
    return "\n".join(lines)


# ------------------------------------------------------------------------------------------------ from a shell
def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", nargs="*", type=Path, help="recorded run folders of one question")
    parser.add_argument("--video", type=Path, help="ask this video first, with --question")
    parser.add_argument("--question")
    parser.add_argument("--choice", action="append", default=[], metavar="TEXT")
    parser.add_argument("--agents", default="save,native,saos", help="who is asked (default save,native,saos)")
    parser.add_argument("--matched", action="store_true", help="native gets the input tokens of the first agent")
    parser.add_argument("--answer", default="", help="the right answer: a label, or the text of an open answer")
    parser.add_argument(
        "--evidence", action="append", default=[], metavar="START-END", help="seconds; where the answer is"
    )
    parser.add_argument("--out", type=Path, help="where new runs are kept (default: the data folder)")
    parser.add_argument("--plot", type=Path, metavar="FILE.svg", help="draw the runs on the paper's two axes")
    role_flags(parser, ("reasoner", "observer", "speech"))


def run(chosen: argparse.Namespace, tell: Tell) -> int:
    """Raises `BadInput`, `BadTrace`."""
    every = [runs.load(folder) for folder in chosen.run]
    if chosen.video is not None:
        if not chosen.question:
            raise BadInput("--video needs --question: what shall be asked?")
        every += _asked(chosen)
    if not every:
        raise BadInput("give run folders, or --video and --question")
    found = pay(every, [_span(text) for text in chosen.evidence], chosen.answer)
    tell(as_text(found))
    if chosen.plot:
        files.write(chosen.plot, found.picture())
        tell(f"written: {chosen.plot}")
    return 0


def _asked(chosen: argparse.Namespace) -> list[Run]:
    from vesta_ui.question import parse_question
    from vesta_ui.video import open_video

    settings = from_environment(reasoner=chosen.reasoner, observer=chosen.observer, speech=chosen.speech)
    question = parse_question(chosen.question, chosen.choice)
    root = chosen.out or settings.data_dir / "runs"
    done: list[Run] = []
    names = [name.strip() for name in chosen.agents.split(",")]
    if chosen.matched and names[0] == "native":
        raise BadInput("--matched needs another agent before native: --agents save,native")
    for name in names:
        agents.check(replace(settings, agent=name))
    for name in names:
        run_id = runs.new_id()
        one = Run(run_id, root / run_id, chosen.video)
        own = replace(settings, agent=name)
        if chosen.matched and name == "native":
            own = replace(own, match_tokens=to_match(done[0]))
        for _ in runs.play(one, open_video(chosen.video), question, own):
            pass
        done.append(one)
    return done


def _span(text: str) -> Interval:
    start, dash, end = text.partition("-")
    try:
        if not dash:
            raise ValueError
        return Interval(float(start), float(end))
    except ValueError:
        raise BadInput(f"“{text}” is not START-END in seconds: write for example 12.5-20") from None
