"""The paper's own cases, rebuilt small, on the real pipeline with scripted roles (VESTA §A.4, §A.6, Figure 3).

One film of thirteen scenes for all of them. The Observers really look at the pictures they are sent; the Reasoners read
nothing but the prompt. What one configuration or step is compared with is the same script in another configuration.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from case_film import (
    Scene,
    do,
    figures,
    film,
    finalize,
    give_roles,
    golden,
    intervals_asked,
    pictures,
    played,
    references,
    sighting,
    stance,
)

from vesta_ui import scene_index
from vesta_ui.agents import check
from vesta_ui.control import Control
from vesta_ui.domain import Choice, Emphasis, Interval, Modality, Outcome, Policy, Question, Snapshot, Status
from vesta_ui.errors import BadSpec
from vesta_ui.events import Decided, Observed, Retrieved, Routed, RunFinished, StepStarted, Warned
from vesta_ui.models import Request
from vesta_ui.runs.run import Run
from vesta_ui.settings import Settings

GREY, BROWN, GREEN, BLUE, RED, VIOLET, TEAL = (
    (90, 90, 90), (110, 80, 50), (40, 120, 60), (50, 80, 170), (150, 40, 40), (110, 60, 140), (30, 130, 130),
)  # fmt: skip
SCENES = [
    Scene(8, GREY),  # 0
    Scene(8, GREEN),  # 8
    Scene(8, BROWN, "OUTDOOR KITCHEN\nCOOKING"),  # 16
    Scene(8, BLUE),  # 24
    Scene(8, RED),  # 32: the quarrel
    Scene(8, TEAL),  # 40
    Scene(8, VIOLET, "OPENING CEREMONY\nHOSTS", boxes=4),  # 48
    Scene(8, GREY),  # 56
    Scene(8, BROWN, "COMMUNAL KITCHEN\nCOOKING"),  # 64
    Scene(8, BLUE, "TOOTHSOME\nCHOCOLATE\nEMPORIUM", gold=True),  # 72
    Scene(8, GREEN),  # 80: they make peace
    Scene(8, BROWN, "VILLAGE KITCHEN\nCOOKING"),  # 88
    Scene(8, TEAL),  # 96
]
CEREMONY, GOLDEN, QUARREL, PEACE = Interval(48, 56), Interval(72, 80), Interval(32, 40), Interval(80, 88)
COOKING = [Interval(16, 24), Interval(64, 72), Interval(88, 96)]
SAID = [
    (33, 36, "I will never forgive you, get out of my house!"),
    (36.5, 39, "You betrayed us all and I hate you."),
    (81, 84, "Let us sit down, brother, I am not angry any more."),
    (84.5, 87, "Then let us talk calmly and share this bread."),
]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The film with its subtitles, and a data folder whose index all cases share."""
    folder = tmp_path_factory.mktemp("cases")
    film(folder / "film.mp4", SCENES)
    cues = [f"{n}\n{_stamp(a)} --> {_stamp(b)}\n{text}\n" for n, (a, b, text) in enumerate(SAID, 1)]
    (folder / "film.srt").write_text("\n".join(cues))
    for _ in scene_index.build(folder / "film.mp4", settings_of(folder), Control()):
        pass
    return folder


def settings_of(home: Path) -> Settings:
    return Settings(
        data_dir=home / "data", reasoner="scripted:reasoner", observer="scripted:observer",
        speech=f"subtitles:{home}/film.srt", frames_per_scene=1, image_side=480,
    )  # fmt: skip


def _stamp(seconds: float) -> str:
    return f"00:{int(seconds // 60):02}:{int(seconds % 60):02},{round(seconds % 1 * 1000):03}"


def ask(home: Path, folder: Path, question: Question, **changes: Any) -> Run:
    return played(home / "film.mp4", question, replace(settings_of(home), **changes), folder)


def finished(run: Run) -> RunFinished:
    end = run.events[-1]
    assert isinstance(end, RunFinished)
    return end


def operations(run: Run) -> list[str]:
    return [e.action.operation for e in run.events if isinstance(e, Decided)]


def last_snapshot(run: Run) -> Snapshot:
    """L_t at the last decision."""
    found = [e.snapshot for e in run.events if isinstance(e, StepStarted)][-1]
    assert found is not None
    return found


# ------------------------------------------------------------------------------------------------ §A.4, the golden sign
SIGN = Question("What is the complete name written on the circular golden sign?")


def sign_reader(request: Request) -> dict[str, Any]:
    """Sees the golden disc from afar, and reads it only when asked about one clip."""
    close = "Answer this one question" in request.turns[-1].text
    shown = [time for time, image in pictures(request) if golden(image)]
    if close and shown:
        name = "TOOTHSOME CHOCOLATE EMPORIUM"
        return sighting(shown[0], shown[-1], f"the round golden sign reads {name}", "yes", text=name)
    if close:
        return sighting(0, 0, "no golden sign in this clip", "no")
    if shown:
        return {"observations": [sighting(shown[0], shown[-1], "a shop front with a round golden sign", "yes")]}
    return {"observations": [sighting(s.start, s.end, "a street, no golden sign") for s in intervals_asked(request)]}


def sign_seeker(request: Request) -> dict[str, Any]:
    """Goes where a reference points; without any, to the beginning of the video, over and over. Zooms in, then answers."""
    text = request.turns[-1].text
    read = re.search(r"→ entries (e\d+)\n│ .*\n│ .*sign reads ([A-Z ]+)", text)
    if read:
        return finalize(read[2].strip(), [read[1]])
    if "give your final answer now" in text:
        return finalize("not readable", [], 0.1)
    front = re.search(r"(\d+):(\d+\.\d)–(\d+):(\d+\.\d) a shop front", text)
    if front:
        at = int(front[1]) * 60 + float(front[2])
        return do("clip", interval=[at, at + 2], question="What is the complete name on the golden sign?")
    tried = text.count("inspect {")
    found = references(text)
    if found:
        return do("inspect", intervals=[[found[tried][1].start, found[tried][1].end]], focus="golden sign")
    return do("inspect", intervals=[[4 + 3 * tried, 16 + 3 * tried]], focus="golden sign")


def test_retrieval_leads_to_the_golden_sign_in_three_steps(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    give_roles(monkeypatch, reasoner=sign_seeker, observer=sign_reader)
    run = ask(home, tmp_path, SIGN, max_steps=6)
    routed = next(e for e in run.events if isinstance(e, Routed))
    assert routed.route.policy is Policy.FOCUSED
    assert operations(run) == ["inspect", "clip", "finalize"]
    end = finished(run)
    assert end.outcome is Outcome.ANSWERED and end.answer is not None
    assert end.answer.text == "TOOTHSOME CHOCOLATE EMPORIUM"
    (evidence,) = end.answer.evidence
    assert GOLDEN.start <= evidence.start < evidence.end <= GOLDEN.end
    top = last_snapshot(run).references[0]
    assert top.reference.interval.overlap(GOLDEN) > 7 and top.status is Status.VERIFIED


def test_without_retrieval_the_same_mind_spends_its_budget_in_the_wrong_place(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    give_roles(monkeypatch, reasoner=sign_seeker, observer=sign_reader)
    run = ask(home, tmp_path, SIGN, max_steps=6, ablation="plain")
    end = finished(run)
    assert operations(run) == ["inspect"] * 6 + ["finalize"]
    assert end.outcome is Outcome.BUDGET and end.answer is not None
    assert not end.answer.evidence and end.answer.text == "not readable"
    looked = [frame.time for e in run.events if isinstance(e, Observed) for frame in e.frames]
    assert len(looked) > 50 and max(looked) < GOLDEN.start


# ------------------------------------------------------------------------------------------------ §A.6, UID 1964
HOSTS = Question(
    "How many hosts without chest badges stand in the front row at the opening ceremony?",
    (Choice("A", "Four"), Choice("B", "Six"), Choice("C", "Eight")),
)


def host_counter(request: Request) -> dict[str, Any]:
    text = request.turns[-1].text
    if "Answer this one question" in text:
        seen = [(time, figures(image)) for time, image in pictures(request)]
        count = max(n for _, n in seen)
        return sighting(
            seen[0][0], seen[-1][0], f"{count} hosts in the front row wear no badge", "yes", number=count,
            number_of="hosts without badges", stances=[stance("A", count == 4)],
        )  # fmt: skip
    return {
        "observations": [
            sighting(s.start, s.end, "a formal ceremony with hosts in the front row", "yes")
            for s in intervals_asked(request)
        ]
    }


def test_two_equal_counts_are_one_cluster_and_no_conflict(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def mind(request: Request) -> dict[str, Any]:
        text = request.turns[-1].text
        step = text.count("\nStep ")
        if step == 0:
            return do("retrieve", query="opening ceremony with hosts", k=6)
        if step == 1:
            place = next(span for name, span, _ in references(text) if name == "s1r1")
            return do("inspect", intervals=[[place.start, place.end]], focus="hosts in the front row")
        if step == 2:
            return do("clip", interval=[48, 56], question="How many hosts in the front row wear no chest badge?")
        if step == 3:
            return do("clip", interval=[48, 55], question="Count the front-row hosts without a badge.")
        return finalize("A", re.findall(r"clip .* → entries (e\d+)", text))

    give_roles(monkeypatch, reasoner=mind, observer=host_counter)
    run = ask(home, tmp_path, HOSTS)
    assert operations(run) == ["retrieve", "inspect", "clip", "clip", "finalize"]
    snapshot = last_snapshot(run)
    (numbers,) = [r for r in snapshot.relations if r.kind == "number"]
    assert numbers.status == "repeated" and "= 4" in numbers.text and "read 2 times" in numbers.text
    assert CEREMONY.overlap(Interval(numbers.start, numbers.end)) > 5
    assert not [r for r in snapshot.relations if r.kind == "conflict"]
    assert "= 8" not in snapshot.text
    sought = next(s for s in snapshot.references if s.reference.id == "s1r1")
    assert sought.status is Status.VERIFIED and sought.reference.interval.overlap(CEREMONY) > 7
    end = finished(run)
    assert end.answer is not None and end.answer.label == "A"
    assert sorted(e.entry_id for e in end.answer.evidence) == sorted(numbers.entry_ids)


# ------------------------------------------------------------------------------------------------ §A.6, UID 1426
COOKS = Question(
    "What do the places in which people prepare food share?",
    (Choice("A", "They are shared by the whole community"), Choice("B", "They are private homes")),
)


def test_three_cooking_intervals_become_one_coverage_view(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def eye(request: Request) -> dict[str, Any]:
        return {
            "observations": [
                sighting(s.start, s.end, "people prepare food together in a shared place", "yes", stances=[stance("A", True)])
                for s in intervals_asked(request)
            ]
        }  # fmt: skip

    def mind(request: Request) -> dict[str, Any]:
        text = request.turns[-1].text
        step = text.count("\nStep ")
        if step == 0:
            return do("retrieve", query="people cooking in a kitchen", k=6)
        if step == 1:
            found = sorted(span for name, span, _ in references(text) if name in ("s1r1", "s1r2", "s1r3"))
            return do("inspect", intervals=[[span.start, span.start + 5] for span in found])
        if step == 2:
            found = sorted(span for name, span, _ in references(text) if name in ("s1r1", "s1r2", "s1r3"))
            return do("inspect", intervals=[[span.start + 3, span.end] for span in found])
        return finalize("A", re.findall(r"\b(e\d+)\b", text)[:6])

    give_roles(monkeypatch, reasoner=mind, observer=eye)
    run = ask(home, tmp_path, COOKS, policy="focused")
    snapshot = last_snapshot(run)
    assert len(snapshot.coverage.seen) == 3, "six looks, three merged ranges"
    for seen, scene in zip(snapshot.coverage.seen, COOKING, strict=True):
        assert seen.overlap(scene) > 7.5 and seen.length < 9
    verified = [s.reference.interval for s in snapshot.references if s.status is Status.VERIFIED]
    assert all(any(one.overlap(scene) > 7 for one in verified) for scene in COOKING)
    kinds = {r.kind for r in snapshot.relations}
    assert not kinds & {"number", "event", "conflict"}, "a plain question keeps a light account"
    assert finished(run).answer is not None and finished(run).answer.label == "A"  # type: ignore[union-attr]


# ------------------------------------------------------------------------------------------------ Figure 3
TURN = Question(
    "Which description best explains how the story between the two brothers turns?",
    (
        Choice("A", "They part for ever in anger, because one betrayed the other"),
        Choice("B", "They sit down, talk calmly and share bread"),
    ),
)


def turn_judge(request: Request) -> dict[str, Any]:
    """Judges the mood of a clip by its light: red for the quarrel, green for peace."""
    (time, image), *_, (last, _) = pictures(request)
    red, green, _ = image.reshape(-1, 3).mean(axis=0)
    if green > red:
        stances = [stance("B", True), stance("A", False)]
        return sighting(time, last, "the two sit calmly side by side", "yes", stances=stances)
    return sighting(time, last, "the two stand apart, tense", "no", stances=[stance("A", True, 0.4)])


def test_the_turning_point_is_found_by_comparing_scenes_and_joining_speech_with_picture(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def mind(request: Request) -> dict[str, Any]:
        text = request.turns[-1].text
        step = text.count("\nStep ")
        if step == 0:
            spans = sorted(span for _, span, _ in references(text) if span.overlap(QUARREL) + span.overlap(PEACE) > 4)
            return do("speech", intervals=[[span.start, span.end] for span in spans], focus="tone")
        heard = re.findall(r"\d+:\d+\.\d–\d+:\d+\.\d “[^”]*”", text)
        assert len([line for line in heard if "forgive" in line or "calmly" in line]) >= 2, "both scenes are compared"
        if step == 1:
            return do("clip", interval=[32, 40], question="Have the two made peace here?")
        if step == 2:
            return do("clip", interval=[80, 88], question="Have the two made peace here?")
        calm = re.search(r"│ (e\d+) [^\n]*talk calmly", text)
        shown = re.search(r"│ (e\d+) [^\n]*sit calmly side by side", text)
        assert calm and shown, "the ledger shows both"
        return finalize("B", [calm[1], shown[1]])

    give_roles(monkeypatch, reasoner=mind, observer=turn_judge)
    run = ask(home, tmp_path, TURN)
    routed = next(e for e in run.events if isinstance(e, Routed))
    assert routed.route.policy is Policy.CONTRASTIVE
    first = next(e for e in run.events if isinstance(e, Retrieved))
    asked = {label for r in first.references for label in r.hypotheses}
    assert asked == {"A", "B"}, "every answer has its own search"
    where = [r.interval for r in first.references]
    assert any(s.overlap(QUARREL) > 4 for s in where) and any(s.overlap(PEACE) > 4 for s in where)
    end = finished(run)
    assert end.answer is not None and end.answer.label == "B"
    snapshot = last_snapshot(run)
    support = {row.label: row for row in snapshot.hypotheses}
    assert support["B"].support > support["B"].refutation and support["A"].refutation > 0
    state = run.session().state
    assert state is not None
    modality = {entry.id: entry.observation.modality for entry in state.ledger.entries}
    assert [modality[e.entry_id] for e in end.answer.evidence] == [Modality.SPEECH, Modality.PICTURE]
    assert all(PEACE.overlap(Interval(e.start, e.end)) > 1 for e in end.answer.evidence)


def test_policy_and_emphasis_set_by_hand_reach_the_run(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    give_roles(monkeypatch, reasoner=lambda request: finalize("B", []), observer=turn_judge)
    run = ask(home, tmp_path, TURN, policy="recall", emphasis="coverage")
    routed = next(e for e in run.events if isinstance(e, Routed))
    assert routed.route.overridden == ("policy", "view")
    assert next(e for e in run.events if isinstance(e, Retrieved)).policy == "recall"
    started = next(e for e in run.events if isinstance(e, StepStarted))
    assert started.view is not None and started.view.emphasis is Emphasis.COVERAGE
    with pytest.raises(BadSpec, match="unknown emphasis “speech”: choose one of local, coverage, hypotheses"):
        check(replace(settings_of(home), emphasis="speech"))
    for chars in (999, 32_001):
        with pytest.raises(BadSpec, match="the ledger view takes 1,000 to 32,000 characters"):
            check(replace(settings_of(home), snapshot_chars=chars))


def test_choices_that_say_nothing_fall_back_to_focused_and_the_run_tells(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    give_roles(monkeypatch, reasoner=lambda request: finalize("B", []), observer=turn_judge)
    empty = Question("Why do they quarrel?", (Choice("A", "All of the above"), Choice("B", "None of the above")))
    run = ask(home, tmp_path, empty)
    assert next(e for e in run.events if isinstance(e, Retrieved)).queries == (empty.text,)
    told = [e.notice.code for e in run.events if isinstance(e, Warned) and e.step == 0]
    assert "focused-instead" in told
    assert "focused-instead" not in [
        e.notice.code for e in ask(home, tmp_path / "turn", TURN).events if isinstance(e, Warned)
    ]


# ------------------------------------------------------------------------------------------------ what is written down
def test_no_folder_of_this_machine_is_in_what_was_written(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The subtitles are named by an absolute path; the run and the index keep its last name."""
    give_roles(monkeypatch, reasoner=lambda request: finalize("B", []), observer=turn_judge)
    run = ask(home, tmp_path, TURN)
    assert run.session().started.roles["speech"] == "subtitles:film.srt"  # type: ignore[union-attr]
    texts = [p for root in (tmp_path, home / "data") for p in root.rglob("*") if p.suffix in (".json", ".jsonl", ".md")]
    assert len(texts) >= 4
    for path in texts:
        written = path.read_text("utf-8")
        assert str(home) not in written and str(tmp_path) not in written, path.name
