"""The embedded engine as an explorer: the Observer describes frames, rules choose where to look next (no model).

The rules know only what was observed: they go closer where changes come faster than the frames, or where something that
bears on the question was seen from too far, look on beside what was resolved, and stop when the evidence supports one
answer. Counts need the whole video at one distance.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

from vesta_ui.domain import Action, Entry, Interval, Modality, ModelCall, Observation
from vesta_ui.exploration import Past, Query, Sight
from vesta_ui.exploration.order import Reading, Track, compatible, confirmed, met, readings, refuted, tracks
from vesta_ui.exploration.predict import facts, predict, verdict
from vesta_ui.exploration.ranges import QUERY_RANGE, uniform
from vesta_ui.exploration.showing import cells, header, heard, said, with_frames
from vesta_ui.exploration.tokens import FRAME_TOKENS
from vesta_ui.operations import Result, Workspace
from vesta_ui.operations.text import lines
from vesta_ui.roles import Decision
from vesta_ui.roles.embedded.asked import Kind, understand
from vesta_ui.roles.embedded.reading import MET, distinctive, match

SURE, AHEAD = 0.5, 0.35
"""Confidence and margin from which the evidence is taken to support one answer."""
WIDE_S = 60.0
"""Range at which the whole video is gone through when its overview does not settle the question."""
CLOSE_S = 8.0
"""Range of a closer look at one thing."""
AT_ONCE = 6
"""Single frames over one stretch."""


class Rules:
    """What all three share: observing and predicting. `choose` is the agent's own."""

    takes_file = False

    def __init__(self, query: Query, workspace: Workspace) -> None:
        self.query = query
        self.workspace = workspace

    def take_in(self, sight: Sight, past: Past) -> Result:
        """Every frame is described for the stretch it speaks for, every sentence around the frames is kept."""
        observer, control = self.workspace.observer, self.workspace.control
        asked = understand(past.question)
        spans = cells(sight)
        # The embedded observer is free to ask frame by frame; it tells motion only from frames taken together.
        most = 1 if observer.spec == "embedded" else max(1, observer.max_frames)
        if observer.spec == "embedded" and asked.kind is Kind.MOTION:
            most, spans = max(1, len(spans)), [sight.span] * len(spans)
        observations: list[Observation] = []
        calls: list[ModelCall] = []
        notices = list(sight.notices)
        for first in range(0, len(spans), most):
            part = slice(first, first + most)
            asked_for = list(dict.fromkeys(spans[part]))
            seen = observer.inspect(sight.looks[part], asked_for, asked.subject, past.question, control)
            observations += with_frames(seen.observations, sight)
            calls += seen.calls
            notices += seen.notices
        spoken = heard(sight, past.question, self.workspace)
        told = "\n".join(filter(None, (header(sight), lines(observations), said(sight))))
        return Result(
            told, observations=(*observations, *spoken), frames=sight.frames, calls=tuple(calls), notices=tuple(notices)
        )

    def predict(self, past: Past) -> Decision:
        return predict(past)

    def frame_tokens(self, width: int, height: int) -> int:
        return FRAME_TOKENS

    def begun(self, past: Past) -> bool:
        """Whether it has made a query of its own; the user may have added other operations."""
        return any(item.operation == self.query.name for item in past.memory)

    def ask(self, arguments: dict[str, Any], thought: str) -> Decision:
        return Decision(Action(self.query.name, arguments, thought))


def settled(past: Past) -> bool:
    """Whether the entries support one answer clearly. What is most or least shows only when every choice was met."""
    if understand(past.question).kind is Kind.EXTREME:
        known = [fact.words for fact in facts(past.ledger.entries)]
        if not all(
            any(match(wanted, words) >= MET for words in known) for wanted in distinctive(past.question).values()
        ):
            return False
    found = verdict(past)
    return found.confidence >= SURE and (found.margin >= AHEAD or not past.question.choices)


class RangeRules(Rules):
    """For `query_range`: first the whole video, then wherever the evidence is too coarse."""

    def choose(self, past: Past) -> Decision:
        done = {(m.arguments.get("start_s"), m.arguments.get("end_s")) for m in past.memory}
        whole = Interval(0.0, past.video.duration_s)
        if not self.begun(past):
            return self._range(whole, "I have seen nothing yet, so I begin with the whole video.")
        order = understand(past.question).kind is Kind.ORDER and bool(past.question.choices)
        proposals = ordering(past, whole) if order else evidence(past, whole)
        for span, why in proposals:
            if (round(span.start, 2), round(span.end, 2)) not in done and span.length >= 4 / past.video.fps:
                return self._range(span, why)
        return predict(past)

    def _range(self, span: Interval, thought: str) -> Decision:
        return self.ask({"start_s": round(span.start, 2), "end_s": round(span.end, 2)}, thought)


class FrameRules(Rules):
    """For `query_frame`: the middle first, then the widest stretch not looked into, what changes or matches before the
    rest. For an order, `AT_ONCE` frames one after the other over each stretch that `query_range` would be asked for."""

    def choose(self, past: Past) -> Decision:
        if understand(past.question).kind is Kind.ORDER and past.question.choices:
            return self._in_order(past)
        frames, duration, rate = past.frame_times, past.video.duration_s, past.video.fps
        if not self.begun(past):
            return self._frame(duration / 2, rate, "I have seen nothing yet, so I begin in the middle.")
        if understand(past.question).kind not in (Kind.COUNT, Kind.ORDER) and settled(past):
            return predict(past)
        gaps = [Interval(a, b) for a, b in pairwise([0.0, *frames, duration]) if b - a >= 3 / rate]
        if not gaps:
            return predict(past)
        widest = max(gaps, key=lambda gap: gap.length * self._interest(gap, past))
        return self._frame(widest.middle, rate, f"Least is known of {widest}, so I look into its middle.")

    def _in_order(self, past: Past) -> Decision:
        rate, waiting = past.video.fps, list[float]()
        # The plan is worked out again from the past each time: a continued run then goes on with it.
        for n, item in enumerate(past.memory):
            if item.operation == self.query.name:
                waiting = waiting or self._plan(_before(past, n))
                if waiting and item.arguments.get("frame") == int(waiting[0] * rate):
                    waiting = waiting[1:]
        waiting = waiting or self._plan(past)
        if not waiting:
            return predict(past)
        return self._frame(waiting[0], rate, "What follows what shows only in frames at even distances.")

    def _plan(self, past: Past) -> list[float]:
        """Times of the next frames, over the first stretch that has any not looked at."""
        whole, frames = Interval(0.0, past.video.duration_s), past.frame_times
        spans = [span for span, _ in ordering(past, whole)] if self.begun(past) else [whole]
        apart = 0.5 / past.video.fps
        fresh = ([t for t in uniform(s, AT_ONCE) if all(abs(t - f) > apart for f in frames)] for s in spans)
        return next(filter(None, fresh), [])

    def _interest(self, gap: Interval, past: Past) -> float:
        """2 where the two ends differ, or one of them bears on the question; else 1."""
        ends = [e for e in past.ledger.entries if any(f.time in (gap.start, gap.end) for f in e.observation.frames)]
        met = any(e.observation.verdict for e in ends)
        return 2.0 if met or len({e.observation.event for e in ends}) > 1 else 1.0

    def _frame(self, time: float, rate: float, thought: str) -> Decision:
        return self.ask({"frame": int(time * rate)}, thought)


class OnceRules(Rules):
    """For a query without arguments: one look, tried again when it failed; the agent's budget ends it."""

    def choose(self, past: Past) -> Decision:
        return self.ask({}, "I look at frames spread over the whole video, once.")


RULES: dict[str, type[RangeRules | FrameRules | OnceRules]] = {
    "query_range": RangeRules,
    "query_frame": FrameRules,
    "watch": OnceRules,
}


# ------------------------------------------------------------------------------------------------ where to look next
def _before(past: Past, n: int) -> Past:
    """The past as it was before its memory item `n`."""
    step = past.memory[n].step
    held = tuple(entry for entry in past.ledger.entries if entry.step < step)
    return replace(past, ledger=replace(past.ledger, entries=held), memory=past.memory[:n], step=step)


def ordering(past: Past, whole: Interval) -> list[tuple[Interval, str]]:
    """For "in which order": trust only changes that last for two frames, in a track that a closer look has confirmed."""
    steps = readings(past.ledger.entries, past.question)
    every = tracks(steps)
    if not every:
        return evidence(past, whole)
    trusted = [t for t in every if not refuted(t, every)]
    resolved = [t for t in trusted if any(c.sure for c in t.changes)]
    proven = [t for t in resolved if any(c.sure and confirmed(c, t, every) for c in t.changes)]
    sure = [c for t in resolved for c in t.changes if c.sure]
    if proven and len(compatible(sure, past.question, met(trusted)[0])) == 1:
        return []
    if proven:
        longest = max(proven, key=lambda t: (sum(c.sure for c in t.changes), t.spacing))
        return _beside(longest, steps, whole)
    if resolved:
        return _into(resolved[-1], whole)
    finest = (trusted or every)[0]
    return [*_closer(finest, past, whole), *_beside(finest, steps, whole), *_middle(finest, whole)]


def _into(track: Track, whole: Interval) -> list[tuple[Interval, str]]:
    """Inside the first change that seems resolved: a slow change seen from afar may be many fast ones."""
    change = next(c for c in track.changes if c.sure)
    reach = track.spacing / 2
    span = _within(_centred(change.span.middle, change.span.length + 2 * reach), whole)
    return [
        (span, f"{change.before} seems to give way to {change.after}; I look closer to see that nothing comes between.")
    ]


def _closer(track: Track, past: Past, whole: Interval) -> list[tuple[Interval, str]]:
    """Where something was met for a single frame between others: frames lie too far apart there."""
    if not track.fleeting:
        return []
    items = max(2, len(understand(past.question).items))
    length = min(items * track.spacing, (track.end - track.start) / 2)
    middle = track.fleeting[len(track.fleeting) // 2].time
    why = f"“{track.fleeting[0].item}” lasts for one frame only at this distance, so I look closer."
    return [(_within(_centred(middle, length), whole), why)]


def _beside(track: Track, steps: list[list[Reading]], whole: Interval) -> list[tuple[Interval, str]]:
    """What comes after the resolved stretch, or before it, as long as one look; twice that when nothing changed in it."""
    looks = [s for s in steps if s and track.start <= s[0].time and s[-1].time <= track.end and len(s) > 1]
    length = max((s[-1].time - s[0].time for s in looks), default=track.end - track.start) + track.spacing
    if not track.changes:
        length *= 2
    half = track.spacing / 2
    after = Interval(min(track.end + half, whole.end), min(track.end + half + length, whole.end))
    before = Interval(max(0.0, track.start - half - length), max(0.0, track.start - half))
    why = "What is resolved here does not settle the order yet, so I look on beside it."
    return [(span, why) for span in (after, before) if span.length >= length / 2]


def _middle(track: Track, whole: Interval) -> list[tuple[Interval, str]]:
    """When nothing changes at this distance, all along: a much shorter stretch in the middle."""
    length = min(WIDE_S, (track.end - track.start) / 8)
    span = _within(_centred((track.start + track.end) / 2, length), whole)
    return [(span, "Nothing changes at this distance, so I look closer.")]


def evidence(past: Past, whole: Interval) -> list[tuple[Interval, str]]:
    """For anything else: closer where the question seems met, then through the whole video, densest need first."""
    kind = understand(past.question).kind
    frames = past.frame_times
    everything = kind in (Kind.COUNT, Kind.ORDER) or understand(past.question).negated
    if not everything and settled(past):
        return []
    proposals = []
    if not everything:
        for entry in _promising(past):
            why = "Something here bears on the question, so I look closer."
            proposals.append((_within(_centred(entry.interval.middle, CLOSE_S), whole), why))
    parts = max(1, -int(-whole.length // WIDE_S))
    step = whole.length / parts
    stretches = [Interval(n * step, (n + 1) * step) for n in range(parts)]
    dense = {s: sum(s.start <= t < s.end for t in frames) / max(s.length, 1e-6) for s in stretches}
    open_ones = [s for s in stretches if dense[s] < 1 / 6 and s.length < whole.length]
    why = "This stretch was seen too coarsely, so I go through it."
    return [*proposals, *((s, why) for s in sorted(open_ones, key=lambda s: (dense[s], s.start)))]


def _promising(past: Past) -> list[Entry]:
    """Pictures that meet the question, seen only from afar; the best first, at most three."""
    found = [e for e in past.ledger.entries if e.observation.verdict and e.observation.modality is Modality.PICTURE]
    looks = [m.arguments for m in past.memory if not m.error and m.operation == QUERY_RANGE.name]
    close = [Interval(float(given["start_s"]), float(given["end_s"])) for given in looks]
    far = [e for e in found if not any(c.length <= 2 * CLOSE_S and c.overlap(e.interval) > 0 for c in close)]
    return sorted(far, key=lambda e: -(e.observation.confidence or 0))[:3]


def _centred(middle: float, length: float) -> Interval:
    return Interval(middle - length / 2, middle + length / 2)


def _within(span: Interval, whole: Interval) -> Interval:
    """The span moved, and if need be cut, into the video."""
    length = min(span.length, whole.length)
    start = min(max(span.start, whole.start), whole.end - length)
    return Interval(start, start + length)
