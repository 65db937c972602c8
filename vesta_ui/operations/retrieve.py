"""`retrieve`: search the scene index again, in words of the Reasoner's choosing (VESTA §B.5). Local; counts as a step."""

from __future__ import annotations

from typing import Any

from vesta_ui.domain import Notice, Question, Reference
from vesta_ui.operations import Result, Workspace, guard
from vesta_ui.operations.arguments import RetrieveArguments, checked


class Retrieve:
    name = "retrieve"
    summary = "Search the scene index; returns provisional references (scores and intervals, not evidence)."
    arguments = RetrieveArguments

    def run(self, arguments: dict[str, Any], step: int, question: Question, workspace: Workspace) -> Result:
        asked = checked(RetrieveArguments, arguments)
        notices: list[Notice] = []
        within = None
        if asked.interval is not None:
            kept, notices = guard([(asked.interval[0], asked.interval[1])], workspace.video.facts.duration_s)
            within = kept[0]
        hits = workspace.index.search(asked.query, asked.k, within)
        references = tuple(
            Reference(f"s{step}r{n}", hit.scene.id, hit.scene.start, hit.scene.end, hit.score, asked.query, step)
            for n, hit in enumerate(hits, 1)
        )
        listed = "\n".join(f"{r.id} {r.interval} score {r.score:.2f}" for r in references)
        return Result(
            output=f"{len(references)} provisional references for “{asked.query}”:\n{listed}",
            references=references,
            notices=tuple(notices),
            relevance=workspace.index.scores(asked.query),
            queries=(asked.query,),
        )
