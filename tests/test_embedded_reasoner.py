"""The embedded Reasoner's rules: which gap it answers with which operation, that it repeats nothing, and when it stops."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from vesta_ui.control import Control
from vesta_ui.domain import (
    Action,
    Choice,
    Coverage,
    Entry,
    Interval,
    MemoryItem,
    Modality,
    Observation,
    Policy,
    Question,
    Reference,
    ReferenceState,
    Snapshot,
    Status,
    VideoFacts,
)
from vesta_ui.operations import OPERATIONS
from vesta_ui.operations.arguments import (
    ClipArguments,
    FinalizeArguments,
    InspectArguments,
    RetrieveArguments,
    SpeechArguments,
)
from vesta_ui.operations.text import lines
from vesta_ui.roles import Context
from vesta_ui.roles.embedded import EmbeddedReasoner
from vesta_ui.roles.embedded.facts import facts_of

SCHEMAS = {
    "retrieve": RetrieveArguments, "inspect": InspectArguments, "speech": SpeechArguments, "clip": ClipArguments,
    "finalize": FinalizeArguments,
}  # fmt: skip
VIDEO = VideoFacts("0" * 64, "film.mp4", 120.0, 1280, 720, 25.0, True, "h264")


def ask(text: str, *choices: str) -> Question:
    return Question(text, tuple(Choice("ABCDEFGHIJ"[n], c) for n, c in enumerate(choices)))


def context(question: Question, *spans: tuple[float, float], **changes: Any) -> Context:
    states = tuple(
        ReferenceState(Reference(f"r{n}", f"scene{n}", a, b, 0.9 - 0.1 * n, question.text), Status.UNVERIFIED)
        for n, (a, b) in enumerate(spans, 1)
    )
    plain = Context(question, VIDEO, Policy.FOCUSED, None, states, None, (), 1, 15, tuple(OPERATIONS))
    return replace(plain, **changes)


def decide(c: Context) -> Action:
    action = EmbeddedReasoner().decide(c, Control()).action
    SCHEMAS[action.operation].model_validate(action.arguments)
    assert action.thought
    return action


def remember(c: Context, action: Action, *seen: Observation, shown: bool = True) -> Context:
    """The context after an operation that observed `seen`, in memory and, if `shown`, in the ledger view."""
    made = tuple(Entry(f"e{c.step}.{n}", action.operation, c.step, "", o) for n, o in enumerate(seen))
    item = MemoryItem(c.step, action.operation, action.arguments, lines(seen), tuple(e.id for e in made))
    held = c.snapshot.entries if c.snapshot else ()
    cover = Coverage((), (), (), 0.0, 0.0, False, "")
    snapshot = Snapshot((*held, *made), cover, (), (), (), c.references, "") if shown else None
    return replace(c, memory=(*c.memory, item), snapshot=snapshot, step=c.step + 1)


def said(start: float, end: float, words: str) -> Observation:
    return Observation(Interval(start, end), Modality.SPEECH, f"“{words}”")


def shown(start: float, end: float, words: str, text: str = "") -> Observation:
    return Observation(Interval(start, end), Modality.PICTURE, words, text=text)


def finish(c: Context, *closer: Observation) -> Action:
    """The answer, whatever is looked at or heard before it bringing nothing new; clips bring `closer`."""
    for _ in range(6):
        action = decide(c)
        if action.operation == "finalize":
            return action
        c = remember(c, action, *(closer if action.operation == "clip" else ()), shown=c.snapshot is not None)
    raise AssertionError("never answered")


def covers(action: Action, at: float) -> bool:
    return any(a <= at <= b for a, b in action.arguments["intervals"])


# ------------------------------------------------------------------------------------------------ first moves
def test_a_question_about_speech_is_answered_by_listening_alone() -> None:
    c = context(
        ask("What does the narrator say about the mill?", "It burned down", "It is for sale"), (10, 20), (50, 60)
    )
    first = decide(c)
    assert first.operation == "speech" and covers(first, 15) and covers(first, 55) and not covers(first, 90)
    c = remember(c, first, said(12, 16, "The old mill burned down in a single night."))
    second = decide(c)
    assert second.operation == "speech" and not covers(second, 15) and covers(second, 90)
    last = finish(c)
    assert last.arguments["answer"] == "A" and last.arguments["evidence"] == ["e1.0"]


def test_a_question_about_the_picture_is_answered_by_looking_at_the_best_reference() -> None:
    c = context(ask("What does the sign at the gate say?", "Private road", "Beware of the dog"), (30, 36), (70, 80))
    first = decide(c)
    assert first.operation == "inspect" and covers(first, 33)
    c = remember(c, first, shown(30, 36, "a white sign at the left reads “PRIVATE ROAD”", "PRIVATE ROAD"))
    assert finish(c).arguments["answer"] == "A"


def test_a_picture_at_a_spoken_moment_is_looked_for_at_that_moment() -> None:
    c = context(ask("What colour is the sign shown while the narrator talks about the flood?", "red", "blue"), (0, 10))
    first = decide(c)
    assert first.operation == "speech"
    c = remember(
        c,
        first,
        said(5, 9, "The market opens at dawn."),
        said(81, 86, "In the year of the great flood the water stood up to here."),
    )
    second = decide(c)
    assert second.operation == "inspect" and covers(second, 83)


def test_counting_looks_into_every_gap() -> None:
    c = context(ask("How many times does the green bus appear?", "1", "2", "3"), (10, 20))
    spans: list[tuple[float, float]] = []
    for _ in range(6):
        action = decide(c)
        if action.operation == "finalize":
            break
        if action.operation == "inspect":
            spans += [(a, b) for a, b in action.arguments["intervals"]]
        c = remember(
            c,
            action,
            *(shown(a, b, "the picture is mostly grey") for a, b in action.arguments.get("intervals", []))
            if action.operation == "inspect"
            else (),
        )
    assert sum(b - a for a, b in spans) >= 0.9 * VIDEO.duration_s


def test_a_choice_that_nothing_speaks_of_is_searched_by_name() -> None:
    c = context(ask("Which of the players is the captain?", "Moreau", "Lindqvist"), (10, 20))
    queries = []
    for _ in range(8):
        action = decide(c)
        if action.operation == "retrieve":
            queries.append(action.arguments["query"])
        if action.operation == "finalize":
            break
        c = remember(c, action, *([said(10, 14, "Moreau kicks off.")] if action.operation == "speech" else []))
    assert any("Lindqvist" in q for q in queries) and not any("Moreau" in q for q in queries)


# ------------------------------------------------------------------------------------------------ confirming
SIGN = shown(30, 36, "a white sign at the left reads “PRIVATE ROAD”", "PRIVATE ROAD")


def once_seen() -> Context:
    c = context(ask("What does the sign at the gate say?", "Private road", "Beware of the dog"), (30, 36))
    return remember(c, decide(c), SIGN)


def test_one_coarse_look_is_confirmed_by_a_clip_on_a_narrow_interval() -> None:
    clip = decide(once_seen())
    start, end = clip.arguments["interval"]
    assert clip.operation == "clip" and 30 <= start < end <= 36 and end - start <= 2.0
    assert "Private road" in clip.arguments["question"]


def test_confidence_rises_when_confirmed_and_falls_when_not() -> None:
    c = replace(once_seen(), final=True)
    unchecked = decide(c).arguments["confidence"]
    agreed = finish(once_seen(), replace(SIGN, interval=Interval(32.2, 33.8)))
    other = shown(32.2, 33.8, "a white sign at the left reads “PRIVATE LANE”", "PRIVATE LANE")
    blank = finish(once_seen(), shown(32.2, 33.8, "the picture is mostly grey"))
    assert agreed.arguments["confidence"] > unchecked > blank.arguments["confidence"]
    assert unchecked > finish(once_seen(), other).arguments["confidence"]
    assert "confirms" in agreed.arguments["why"] and "did not" in blank.arguments["why"]


def test_what_is_only_said_is_checked_against_the_picture_when_either_may_tell() -> None:
    c = context(ask("Why was the ferry late?", "Because of fog", "Because of a strike"), (10, 20))
    c = remember(c, decide(c), said(12, 16, "The ferry is late because of thick fog."))
    clip = decide(c)
    assert clip.operation == "clip" and clip.arguments["interval"][0] >= 12 and clip.arguments["interval"][1] <= 16
    calm, sure = finish(c), finish(c, shown(13, 15, "a grey sign at the top reads “FOG / NO FERRY”", "FOG / NO FERRY"))
    assert sure.arguments["confidence"] >= calm.arguments["confidence"] >= 0.5


def test_a_contrastive_route_examines_the_references_of_every_choice() -> None:
    question = ask("Why was the ferry late?", "Because of fog", "Because of a strike")
    c = context(question, (10, 20), (60, 70), policy=Policy.CONTRASTIVE)
    states = tuple(
        replace(s, reference=replace(s.reference, hypotheses=(label,), score=score))
        for s, label, score in zip(c.references, "AB", (0.9, 0.1), strict=True)
    )
    heard = MemoryItem(
        1,
        "speech",
        {"intervals": [[10, 20]], "focus": ""},
        lines([said(12, 16, "The ferry is late because of thick fog.")]),
        ("",),
    )
    c = replace(c, references=states, memory=(heard,), step=2)
    second = decide(c)
    assert second.operation == "speech" and covers(second, 65) and "strike" in second.thought
    lone = replace(c, references=states[:1], final=True)
    assert "nothing was retrieved for “Because of a strike”" in decide(lone).arguments["why"]


def test_a_thought_is_short() -> None:
    for question in (
        ask("What does the sign at the gate say?", "Private road", "Beware of the dog"),
        ask("How many times does the green bus appear?", "1", "2", "3"),
        ask("What does the narrator say about the mill that the miller's grandfather built?", "It burned down", "It is for sale"),
    ):  # fmt: skip
        c = context(question, (10, 20), (40, 60))
        for _ in range(9):
            action = decide(c)
            assert len(action.thought.split()) <= 26, action.thought
            if action.operation == "finalize":
                break
            c = remember(
                c, action, SIGN, said(12, 16, "The old mill burned down in a single night and nobody knows why.")
            )


# ------------------------------------------------------------------------------------------------ manners
def test_nothing_is_done_twice_and_the_run_ends() -> None:
    for question in (
        ask("Who wins?", "Ada", "Ben"), ask("How many boats are there?", "1", "2"), ask("What is written on the door?"),
        ask("In what order do they come?", "cat, dog", "dog, cat"), ask("Which is not shown?", "a lamp", "a bell"),
    ):  # fmt: skip
        c = context(question, (10, 20), (40, 60))
        taken = []
        while (action := decide(c)).operation != "finalize":
            taken.append((action.operation, str(action.arguments)))
            c = remember(c, action)
        assert len(set(taken)) == len(taken) <= 9
        assert (
            action.arguments["confidence"] <= 0.1
            and "not found" in action.arguments["why"].lower() + action.arguments["answer"].lower()
        )


def test_without_an_index_it_chooses_its_own_intervals() -> None:
    c = context(
        ask("What does the poster say?", "Tonight", "Sold out"), operations=("inspect", "speech", "clip", "finalize")
    )
    action = decide(c)
    assert action.operation == "inspect" and covers(action, 5) and covers(action, 115)


def test_a_hidden_ledger_leaves_tool_memory() -> None:
    c = context(ask("What does the narrator say about the mill?", "It burned down", "It is for sale"), (10, 20))
    c = remember(c, decide(c), said(12, 16, "The old mill burned down in a single night."), shown=False)
    assert c.snapshot is None and finish(c).arguments["answer"] == "A"


def test_tool_memory_is_read_back_with_times_ids_and_signs() -> None:
    c = context(ask("?"), (0, 9))
    seen = (
        shown(3661.5, 3662, "a red sign in the centre reads “STOP / 20 M”", "STOP / 20 M"),
        replace(said(5, 6, "Stop here."), verdict=True, confidence=0.8),
    )
    facts = facts_of(remember(c, Action("inspect", {"intervals": [[0, 9]]}), *seen, shown=False))
    assert [(f.id, f.interval.start, f.text) for f in facts] == [("e1.1", 5.0, ""), ("e1.0", 3661.5, "STOP / 20 M")]
    assert facts[0].content == "“Stop here.”"


def test_a_spent_budget_brings_the_best_answer_so_far() -> None:
    c = context(ask("Who opened the bridge?", "The mayor", "A singer"), (10, 20), final=True)
    c = remember(c, Action("speech", {"intervals": [[0, 20]], "focus": ""}), said(3, 6, "A singer opened the bridge."))
    action = decide(c)
    assert action.operation == "finalize" and action.arguments["answer"] == "B"


def test_a_question_about_what_never_appears_ends_unsure_and_says_so() -> None:
    c = context(ask("What is the last thing shown?", "a tree", "a car"), (10, 20), (40, 60))
    action = decide(c)
    while action.operation != "finalize":
        said_there = [said(41, 44, "A fallen tree lies across the path.")] if action.operation == "speech" else []
        c = remember(c, action, *said_there)
        action = decide(c)
    assert action.arguments["confidence"] <= 0.2 and "nothing" in action.thought.lower()


def test_a_failed_operation_is_not_tried_again() -> None:
    c = context(ask("What does the narrator say about the mill?", "It burned down", "It is for sale"), (10, 20))
    first = decide(c)
    failed = replace(c, memory=(MemoryItem(1, first.operation, first.arguments, "", (), "no speech model"),), step=2)
    second = decide(failed)
    assert (second.operation, second.arguments) != (first.operation, first.arguments)


def test_what_is_said_tells_where_to_look() -> None:
    c = context(ask("In which year was the mill built, according to its sign?", "1790", "1812"), (100, 110))
    c = remember(c, decide(c), shown(100, 110, "the picture is mostly grey"))
    for _ in range(6):
        action = decide(c)
        if action.operation == "inspect" and covers(action, 42):
            return
        heard = (
            [said(40, 44, "Here is the old mill."), said(80, 84, "Now it rains.")]
            if action.operation == "speech"
            else []
        )
        c = remember(c, action, *heard)
    raise AssertionError("never looked where the mill is spoken of")


def test_a_glance_over_everything_does_not_count_as_having_looked() -> None:
    long = replace(VIDEO, duration_s=600.0)
    c = context(
        ask("How many times does the green bus appear?", "1", "2"),
        operations=("inspect", "speech", "clip", "finalize"),
        video=long,
    )
    c = remember(c, decide(c), shown(0, 10, "the picture is mostly grey"))
    second = decide(c)
    while second.operation == "speech":
        c = remember(c, second)
        second = decide(c)
    assert second.operation == "inspect" and len(second.arguments["intervals"]) > 1
