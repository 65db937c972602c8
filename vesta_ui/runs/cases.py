"""Cases: a question with its gold answer and interval, chosen runs, notes and labels. Saved beside runs, never in them.

A case file is one JSON document in the data folder's `cases/`; writing it is atomic. Knows no screen.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from vesta_ui import files
from vesta_ui.domain import Answer, Interval, Question, VideoFacts, merge
from vesta_ui.errors import BadInput, BadTrace
from vesta_ui.roles.embedded.words import content
from vesta_ui.runs.compare import answer_of, union_iou
from vesta_ui.runs.registry import Runs
from vesta_ui.runs.run import RUN_ID, new_id
from vesta_ui.runs.session import Session

LABELS = (
    "right",
    "wrong retrieval",
    "missed evidence",
    "misread evidence",
    "hallucinated",
    "right for the wrong reason",
    "stopped too early",
    "wasted steps",
)
VERDICTS = ("right", "partly", "wrong")


@dataclass(frozen=True, slots=True)
class Note:
    """A remark on a run (`step` None, no interval), a step, or an interval in seconds."""

    text: str
    label: str = ""
    run_id: str = ""
    step: int | None = None
    interval: Interval | None = None


@dataclass(frozen=True, slots=True)
class Case:
    """`gold` is a choice label, or the answer in words for an open question; empty while unknown.

    `verdicts`: run id → the user's own word on its answer, which stands above any comparison.
    """

    id: str
    question: Question
    video: VideoFacts
    runs: tuple[str, ...] = ()
    gold: str = ""
    gold_intervals: tuple[Interval, ...] = ()
    notes: tuple[Note, ...] = ()
    verdicts: dict[str, str] = field(default_factory=dict)


_CASE: TypeAdapter[Case] = TypeAdapter(Case)


def new(question: Question, video: VideoFacts, runs: Sequence[str] = ()) -> Case:
    return Case(new_id(), question, video, tuple(runs))


def annotate(case: Case, note: Note, steps: int | None = None) -> Case:
    """The case with one more note; `steps`: how many its run has, where known. Raises `BadInput` for an unknown label, a
    run that is not part of the case, and a step or an interval that is not there."""
    _check_label(note.label)
    if note.run_id and note.run_id not in case.runs:
        raise BadInput("that run is not part of this case: add the run first")
    if not (note.text.strip() or note.label):
        raise BadInput("an empty note says nothing: write a text or choose a label")
    if note.step is not None and not note.run_id:
        raise BadInput("say which run that step is of")
    if note.step is not None and not 1 <= note.step <= (note.step if steps is None else steps):
        raise BadInput(f"there is no step {note.step}" + ("" if steps is None else f": that run has {steps}"))
    _check_inside(case, [note.interval] if note.interval else [])
    return replace(case, notes=(*case.notes, note))


def with_run(case: Case, run_id: str, session: Session) -> Case:
    """The case with one more run. Raises `BadInput` when the run is of another video."""
    if session.started is None or session.started.video.sha256 != case.video.sha256:
        raise BadInput("that run is of another video: keep it as a case of its own")
    return case if run_id in case.runs else replace(case, runs=(*case.runs, run_id))


def with_gold(case: Case, answer: str, intervals: Sequence[Interval]) -> Case:
    """The case with its gold answer and evidence intervals. Raises `BadInput` when they do not fit the question or video."""
    labels = [choice.label for choice in case.question.choices]
    gold = answer.strip().upper() if labels else answer.strip()
    if labels and gold and gold not in labels:
        raise BadInput(f"“{answer}” is no choice of this question: give one of {', '.join(labels)}")
    _check_inside(case, intervals)
    return replace(case, gold=gold, gold_intervals=merge(intervals))


def _check_inside(case: Case, intervals: Sequence[Interval]) -> None:
    if outside := [one for one in intervals if one.start < 0 or one.end > case.video.duration_s + 0.5]:
        raise BadInput(f"{outside[0]} lies outside the video, which is {case.video.duration_s:.1f} s long")


def _check_label(label: str) -> None:
    if label and label not in LABELS:
        raise BadInput(f"unknown label “{label}”: choose one of {', '.join(LABELS)}")


def with_verdict(case: Case, run_id: str, verdict: str) -> Case:
    """The case with the user's own verdict on a run; empty takes it back. Raises `BadInput`."""
    if run_id not in case.runs:
        raise BadInput("that run is not part of this case: add the run first")
    if verdict and verdict not in VERDICTS:
        raise BadInput(f"unknown verdict “{verdict}”: choose one of {', '.join(VERDICTS)}")
    others = {one: said for one, said in case.verdicts.items() if one != run_id}
    return replace(case, verdicts=others | ({run_id: verdict} if verdict else {}))


def without_note(case: Case, number: int) -> Case:
    """The case without its note `number` (0-based)."""
    return replace(case, notes=tuple(note for n, note in enumerate(case.notes) if n != number))


@dataclass(frozen=True, slots=True)
class Judged:
    """How one run of a case did. `verdict`: one of `VERDICTS`, or empty where only the user can tell; `by_hand`: the user
    did. `iou` of its evidence with the gold intervals. `answer` is "gone" when the run's folder was deleted."""

    run_id: str
    agent: str
    answer: str
    outcome: str
    verdict: str
    by_hand: bool
    iou: float
    steps: int
    cost_usd: float | None


def judged(case: Case, runs: Runs) -> tuple[Judged, ...]:
    found = []
    for run_id in case.runs:
        try:
            session = runs.get(run_id).session()
        except BadTrace:
            found.append(Judged(run_id, "", "gone", "gone", "", False, 0.0, 0, None))
            continue
        iou = evidence_iou(session.answer, case.gold_intervals) if session.answer else 0.0
        outcome = session.finished.outcome.value if session.finished else "interrupted"
        found.append(
            Judged(
                run_id,
                session.started.agent if session.started else "",
                answer_of(session),
                outcome,
                verdict(case, run_id, session.answer),
                run_id in case.verdicts,
                iou,
                len(session.steps),
                session.usage.cost_usd,
            )
        )
    return tuple(found)


def evidence_iou(answer: Answer, gold: Sequence[Interval]) -> float:
    """Intersection over union of the answer's evidence and the gold intervals, in [0, 1]; 0 when either is empty."""
    return union_iou(merge(Interval(one.start, one.end) for one in answer.evidence), merge(gold))


def verdict(case: Case, run_id: str, answer: Answer | None) -> str:
    """One of `VERDICTS`: the user's own, else by the gold answer. Empty without one, and for an open answer in other words
    than the gold one: only the user can tell whether it means the same."""
    if said := case.verdicts.get(run_id):
        return said
    if not case.gold:
        return ""
    if answer is None:
        return "wrong"
    same = agrees(case.question, case.gold, answer)
    return "" if same is None else "right" if same else "wrong"


def agrees(question: Question, gold: str, answer: Answer) -> bool | None:
    """Whether an answer is the gold one; None for an open answer in other words: only the user can tell."""
    return answer.label == gold if question.choices else same_words(answer.text, gold)


def same_words(said: str, gold: str) -> bool | None:
    """Whether an open answer is the gold one: the same words, however inflected, spelt in digits or not, without
    articles; or the same one number with all the gold one's words. Another one number is another answer; None: unclear."""
    mine, theirs = content(said), content(gold)
    words, wanted = [(t.stem, t.negated) for t in mine], [(t.stem, t.negated) for t in theirs]
    if said.strip().casefold() == gold.strip().casefold() or (wanted and words == wanted):
        return True
    numbers, right = ({t.number for t in found if t.number is not None} for found in (mine, theirs))
    if len(numbers) == len(right) == 1:
        return False if numbers != right else True if set(wanted) <= set(words) else None
    return None


class Cases:
    """The cases of one data folder."""

    def __init__(self, data_dir: Path) -> None:
        self.folder = data_dir / "cases"

    def save(self, case: Case) -> None:
        """Raises `StorageFailed`."""
        files.write(self._path(case.id), _CASE.dump_json(case, indent=1))

    def get(self, case_id: str) -> Case:
        """Raises `BadInput` when there is none of that id or it cannot be read."""
        try:
            return _CASE.validate_json(self._path(case_id).read_bytes())
        except FileNotFoundError as error:
            raise BadInput("there is no such case: choose one from the list") from error
        except ValidationError as error:
            raise BadInput(f"the case file {case_id} cannot be read: {error.errors()[0]['msg']}") from error

    def delete(self, case_id: str) -> None:
        self._path(case_id).unlink(missing_ok=True)

    def all(self) -> Iterator[Case]:
        """Newest first; unreadable files are left out."""
        for path in sorted(self.folder.glob("*.json"), reverse=True):
            try:
                yield self.get(path.stem)
            except BadInput:
                continue

    def find(self, words: str = "", label: str = "", video: str = "") -> list[Case]:
        """Cases with all the words in question, choices, gold answer, video name, notes or labels; with a note of that
        label; of that video (its sha256, or part of its name). Raises `BadInput` for no label."""
        _check_label(label)
        wanted = words.casefold().split()

        def text(case: Case) -> str:
            choices = (choice.text for choice in case.question.choices)
            notes = (f"{note.label} {note.text}" for note in case.notes)
            return " ".join([case.question.text, *choices, case.gold, case.video.name, *notes]).casefold()

        return [
            case
            for case in self.all()
            if all(word in text(case) for word in wanted)
            and (not label or any(note.label == label for note in case.notes))
            and (not video or case.video.sha256 == video or video.casefold() in case.video.name.casefold())
        ]

    def of(self, run_ids: Sequence[str]) -> Case | None:
        """The newest case with a gold answer to which any of these runs belongs."""
        return next((case for case in self.all() if case.gold and not set(run_ids).isdisjoint(case.runs)), None)

    def labelled(self, label: str) -> frozenset[str]:
        """Ids of the runs that carry a label: on the run itself or on one of its steps. Raises `BadInput` for no label."""
        _check_label(label)
        return frozenset(
            note.run_id for case in self.all() for note in case.notes if note.label == label and note.run_id
        )

    def _path(self, case_id: str) -> Path:
        if not RUN_ID.fullmatch(case_id):  # a case is named as a run is
            raise BadInput("that is not a case id: choose a case from the list")
        return self.folder / f"{case_id}.json"
