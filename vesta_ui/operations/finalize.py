"""`finalize`: ends the run with an answer (VESTA §B.4). Not an evidence operation; the driver reads its arguments."""

from __future__ import annotations

from typing import Any

from vesta_ui.answers import parse_answer
from vesta_ui.domain import Answer, Evidence, Question
from vesta_ui.errors import OperationRefused
from vesta_ui.ledger import Ledger
from vesta_ui.operations import Result, Workspace
from vesta_ui.operations.arguments import FinalizeArguments, checked


class Finalize:
    name = "finalize"
    summary = "Give the final answer with the ids of the ledger entries it rests on."
    arguments = FinalizeArguments

    def run(self, arguments: dict[str, Any], step: int, question: Question, workspace: Workspace) -> Result:
        checked(FinalizeArguments, arguments)
        return Result(output="the run ends")


def answer_of(arguments: dict[str, Any], question: Question, ledger: Ledger) -> Answer:
    """The answer named by `finalize` arguments, its evidence looked up in the ledger.

    Raises `OperationRefused` when it names no choice, so that the Reasoner is asked once more; never guesses.
    """
    asked = checked(FinalizeArguments, arguments)
    label = None
    text = asked.answer.strip()
    if question.choices:
        label = parse_answer(text, question)
        if label is None:
            labels = ", ".join(choice.label for choice in question.choices)
            raise OperationRefused(f"“{text[:80]}” is none of the choices: answer with one of {labels}")
        choice = question.choice(label)
        text = choice.text if choice else text
    by_id = {entry.id: entry for entry in ledger.entries}
    found = [by_id[i] for i in dict.fromkeys(map(str.lower, asked.evidence)) if i in by_id]
    evidence = tuple(
        Evidence(entry.interval.start, entry.interval.end, entry.id, entry.observation.content) for entry in found
    )
    return Answer(label, text, asked.confidence, evidence)
