"""H_t as text: exactly what a language model playing the Reasoner is shown (VESTA §3.4, eq. 7).

The page shows the same text. It stays bounded however long a run gets: pictures are never in it, older steps shrink to their
call and the ids of their entries. Nothing is lost by that: M_t keeps every output in full, the ledger view is drawn from all
entries, and the same call made once more is answered from memory (agents), so that its output stands here again as the
newest. Everything that came out of the video or a tool stands on lines that begin with a bar, so
that no sentence spoken, written on screen or found in a subtitle can pass for an instruction.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from vesta_ui.domain import Emphasis, Flag, MemoryItem, Policy, Question, Status
from vesta_ui.roles import Context
from vesta_ui.settings import VIEW_CHARS

BAR = "│ "


@dataclass(frozen=True, slots=True)
class Room:
    """Characters given to the parts that grow."""

    memory: int
    newest: int
    older: int
    ledger: int
    references: int


FULL = Room(memory=24_000, newest=6_000, older=1_500, ledger=VIEW_CHARS[1], references=24)
TIGHT = Room(memory=4_000, newest=1_500, older=250, ledger=3_000, references=8)
MOST_IDS = 12

_POLICY = {
    Policy.FOCUSED: "focused: the answer should sit in one or a few places; look closely there.",
    Policy.RECALL: "recall: the evidence is spread out; cover the video before you count, order or compare.",
    Policy.CONTRASTIVE: "contrastive: the answers compete; look for what tells them apart, for and against each.",
}
_EMPHASIS = {
    Emphasis.LOCAL: "Weigh compact local evidence.",
    Emphasis.COVERAGE: "Weigh how much of the time line was covered and how the events relate.",
    Emphasis.HYPOTHESES: "Weigh what supports and what refutes each answer, and the open conflicts.",
}
_FLAG = {
    Flag.COUNTING: "count separate occurrences, not mentions of the same one",
    Flag.ORDERING: "keep the order of events in time",
    Flag.STATE_CHANGE: "note what changes from what to what, and when",
    Flag.NUMERIC: "read numbers exactly, with their time",
    Flag.SPEECH: "what is said matters",
    Flag.CROSS_MODAL: "match what is said with what is seen at that moment",
}


def render_context(context: Context, room: Room = FULL) -> str:
    """The whole decision context. Pictures are never in it; `room` bounds what grows with the run."""
    parts = [
        render_question(context.question),
        f"Video: {context.video.duration_s:.2f} s long, {'with' if context.video.has_audio else 'without'} sound.",
        _guidance(context),
        _references(context, room),
        _ledger(context, room),
        _memory(context.memory, room),
        _budget(context),
    ]
    return "\n\n".join(part for part in parts if part)


def render_question(question: Question) -> str:
    lines = [f"Question: {question.text}", *(f"{choice.label}. {choice.text}" for choice in question.choices)]
    if not question.choices:
        lines.append("(There are no choices: answer in a few words.)")
    return "\n".join(lines)


def quoted(text: str) -> str:
    """`text` as data: every line, whatever line break ends it, behind a bar."""
    return "\n".join(f"{BAR}{line}" for line in text.splitlines() or [""])


def _guidance(context: Context) -> str:
    if context.policy is None:
        return ""
    lines = [f"Guidance ({_POLICY[context.policy]})"]
    if context.view:
        lines.append(_EMPHASIS[context.view.emphasis])
        lines += [f"- {_FLAG[flag]}" for flag in context.view.flags]
    return "\n".join(lines)


def _references(context: Context, room: Room) -> str:
    if not context.references:
        return ""
    # What is still open comes first; inside each group the order in which it was found.
    ranked = sorted(context.references, key=lambda r: r.status is not Status.UNVERIFIED)
    lines = []
    for state in ranked[: room.references]:
        one = state.reference
        asked = f", for {'/'.join(one.hypotheses)}" if one.hypotheses else ""
        lines.append(f"{one.id} {one.start:.2f}–{one.end:.2f} s, score {one.score:.2f}{asked}: {state.status.value}")
    left = len(ranked) - room.references
    more = f"\n({left} more are not shown)" if left > 0 else ""
    title = "Provisional references (a search found them; they are places to look, not evidence):"
    return f"{title}\n{quoted(chr(10).join(lines))}{more}"


def _ledger(context: Context, room: Room) -> str:
    if context.snapshot is None:
        return ""
    text = shortened(context.snapshot.text, room.ledger)
    return f"Evidence ledger (entries, coverage, relations, gaps):\n{quoted(text)}"


def _memory(memory: Sequence[MemoryItem], room: Room) -> str:
    """Every step, the newest at length; once the room is used up, older steps keep one line."""
    if not memory:
        return "Steps so far: none."
    shown: list[str] = []
    left = room.memory
    for age, item in enumerate(reversed(memory)):
        limit = min(room.newest if age == 0 else room.older, max(left, 0))
        text = _step(item, limit)
        left -= len(text)
        shown.append(text)
    return "Steps so far:\n" + "\n".join(reversed(shown))


def _step(item: MemoryItem, limit: int) -> str:
    arguments = json.dumps(item.arguments, ensure_ascii=False)
    head = f"Step {item.step}: {item.operation} {shortened(arguments, 400)}"
    ids = f" → entries {_ids(item.entry_ids)}" if item.entry_ids else ""
    if item.error:
        return f"{head} FAILED\n{quoted(shortened(item.error, 600))}"
    body = (
        shortened(item.output, limit) if limit >= 80 else "(output not repeated; make the same call again to read it)"
    )
    return f"{head}{ids}\n{quoted(body)}"


def _ids(ids: Sequence[str]) -> str:
    """One call's entries are numbered on from each other: many are told as `e5–e40`."""
    return ", ".join(ids) if len(ids) <= MOST_IDS else f"{ids[0]}–{ids[-1]}"


def shortened(text: str, limit: int) -> str:
    """At most `limit` characters: the start, the end, and a word on how much is missing between them."""
    if len(text) <= limit:
        return text
    head = max(0, limit * 2 // 3)
    tail = max(0, limit - head - 40)
    return (
        f"{text[:head]} … [{len(text) - head - tail} characters left out] … {text[len(text) - tail :] if tail else ''}"
    )


def _budget(context: Context) -> str:
    if context.final:
        return (
            "The budget is spent: give your final answer now with “finalize”. Rest it on the strongest observations you have, "
            "those marked verified first."
        )
    left = context.budget - context.step + 1
    return f"This is decision {context.step} of {context.budget}; {left} left, this one included."
