"""A run written by hand, with everything a panel can show, and a player that plays it as if it were live."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import media

from vesta_ui import domain as d
from vesta_ui import events as ev
from vesta_ui.errors import Stopped
from vesta_ui.frames import FrameStore
from vesta_ui.runs import recorder
from vesta_ui.runs.run import Run

EVIL = '<img src=x onerror="window.pwned=1"> ${window.pwned=1} `x` {{value}} </script><script>window.pwned=1</script>'
SHA = "a" * 64
DURATION = 60.0


def video(folder: Path) -> Path:
    """60 s of six coloured scenes at 5 pictures a second; picture n is at n / 5 s."""
    return media.write(folder / "walk.mp4", media.scenes(300, range(50, 300, 50)), fps=5)


def facts(sha256: str = SHA, name: str = "walk.mp4") -> d.VideoFacts:
    return d.VideoFacts(sha256, name, DURATION, 320, 180, 5.0, False, "h264")


def run_events(
    frames: FrameStore, run_id: str, video: d.VideoFacts, *, steps: int = 4, evil: str = ""
) -> list[ev.Event]:
    """`steps` decisions, the last of them the answer. `evil` is put wherever text comes from outside."""
    question = d.Question(f"What is on the sign? {evil}", (d.Choice("A", f"TEA {evil}"), d.Choice("B", "COFFEE")))
    scenes = tuple(
        d.Scene(
            f"scene-{i}", 10.0 * i, 10.0 * (i + 1), 50 * i, 50 * (i + 1), (10.0 * i + 5,), f"words {i} {evil}", evil
        )
        for i in range(6)
    )
    references = tuple(
        d.Reference(
            f"r{i + 1}", f"scene-{n}", 10.0 * n, 10.0 * (n + 1), 0.9 - 0.2 * i, question.text, hypotheses=("A",)
        )
        for i, n in enumerate((3, 1, 5))
    )
    view = d.View(d.Emphasis.LOCAL, (d.Flag.SPEECH,))
    prior = d.Prior((d.Demand.LOCALIZED,), (d.Flag.SPEECH,), (d.Cue(d.Demand.LOCALIZED, f"What {evil}"),))
    estimate = d.Estimate((d.Demand.LOCALIZED,), (), 0.91, f"one place is asked about {evil}")
    route = d.Route(d.Policy.FOCUSED, view, prior, estimate, (d.Demand.LOCALIZED,), f"one place {evil}")
    settings = {"max_steps": 15, "max_usd": None}
    made: list[ev.Event] = [
        ev.RunStarted(run_id=run_id, agent="vesta", question=question, video=video, roles={"reasoner": "embedded"}, settings=settings),
        ev.IndexProgress(phase="scenes", done=30.0, total=60.0, eta_s=3.0),
        ev.IndexReady(index_id="index", encoder="embedded", speech="off", scenes=scenes, seconds={"total": 1.0}, reused=False),
        ev.Routed(route=route, seconds=0.1),
        ev.Retrieved(step=0, policy="focused", queries=(question.text,), references=references, relevance=(0.1, 0.7, 0.2, 0.9, 0.3, 0.5)),
    ]  # fmt: skip
    for n in range(1, steps):
        made += _looked(frames, n, evil)
    answer = d.Answer("A", f"It reads TEA {evil}", 0.8, (d.Evidence(31.0, 33.0, "e1", f"the sign reads TEA {evil}"), d.Evidence(50.0, 52.0, "e404", "not verified")))  # fmt: skip
    last = d.Action("finalize", {"answer": "A", "evidence": ["e1"], "confidence": 0.8}, "one answer is supported")
    made += [
        ev.StepStarted(step=steps, budget=15, snapshot=None),
        ev.Decided(step=steps, action=last, source="embedded", seconds=0.1),
        ev.Warned(step=steps, notice=d.Notice("no-sound", f"the video has no sound track {evil}")),
        ev.RunFinished(outcome=d.Outcome.ANSWERED, answer=answer),
    ]
    return [replace(event, seq=i, at=0.5 * i) for i, event in enumerate(made)]


def _looked(frames: FrameStore, n: int, evil: str) -> list[ev.Event]:
    """One step of each kind in turn: inspect r1, a refused clip, listening."""
    start = 30.0 if n == 1 else 10.0 + (n * 7) % 40
    span, operation = d.Interval(start, start + 4.0), ("inspect", "clip", "speech")[(n - 1) % 3]
    taken = tuple(frames.add(media.picture(int((start + i) * 5), 3), start + i, 160) for i in range(4))
    arguments = {"intervals": [[span.start, span.end]]} if operation != "clip" else {"interval": [span.start, span.end], "question": f"what? {evil}"}  # fmt: skip
    usage = d.Usage(1, 0, 900, 0, 60, 0, 0, 0.004, 1.2)
    call = d.ModelCall("reasoner", "model-x", (d.Message("user", f"prompt {n} {evil}"),), f"reply {n} {evil}", usage)
    failed = operation == "clip"
    seen = d.Observation(span, d.Modality.SPEECH if operation == "speech" else d.Modality.PICTURE, f"a sign reads TEA {n} {evil}",
                         n == 1, 0.9, f"TEA {evil}", stances=(d.Stance("A", True, 0.7),), frames=taken)  # fmt: skip
    made: list[ev.Event] = [
        ev.StepStarted(step=n, budget=15, snapshot=None, view=None),
        ev.Decided(step=n, action=d.Action(operation, arguments, f"because {n} {evil}"), source="embedded", calls=(call,), seconds=0.2),
        ev.Observed(step=n, operation=operation, arguments=arguments, observations=() if failed else (seen,), frames=() if failed else taken,
                    output=f"output {n} {evil}", seconds=0.8, error=f"refused {evil}" if failed else "", error_kind="refused" if failed else ""),
    ]  # fmt: skip
    return (
        made if failed else [*made, ev.LedgerUpdated(step=n, entries=(d.Entry(f"e{n}", operation, n, "sign", seen),))]
    )


def record(folder: Path, events: Sequence[ev.Event]) -> None:
    """A recorded run in its folder."""
    book = recorder.Recorder(folder)
    for event in events:
        book.record(event)
    book.close()


class Player:
    """Plays events into a live `Run`: by hand up to a step, or timed from a thread that honours the run's control."""

    def __init__(self, run: Run, events: Sequence[ev.Event]) -> None:
        self.run, self.events = run, list(events)

    def until(self, step: int) -> None:
        """Play everything of the steps up to `step`; 0 is what comes before the first decision."""
        while self.events and not (isinstance(self.events[0], ev.StepStarted) and self.events[0].step > step):
            self.run.add(self.events.pop(0))

    def finish(self) -> None:
        self.until(10**6)
        self.run.finish()

    def start(self, pace_s: float) -> None:
        threading.Thread(target=self._play, args=(pace_s,), daemon=True).start()

    def _play(self, pace_s: float) -> None:
        control = self.run.control
        try:
            for event in self.events:
                control.wait(pace_s)
                self.run.add(event)
                if isinstance(event, ev.Decided):
                    control.gate()
                    action = control.take_by_hand()
                    if action:
                        self.run.add(replace(event, action=action, source="user", replaced=event.action))
        except Stopped as error:  # ends as an agent would end it
            self.run.add(ev.RunFinished(outcome=d.Outcome.STOPPED, answer=None, reason=str(error)))
        finally:
            self.run.finish()
