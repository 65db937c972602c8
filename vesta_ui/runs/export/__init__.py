"""A run or a case as a file for others: one offline HTML page, Markdown with figures, JSON, OpenTelemetry spans, or a run
folder.

Everything is made from the trace, redacted first and escaped where it is written; the redaction report is part of the
file. Adding a format is one function here.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from io import BytesIO
from pathlib import Path
from typing import Any

from vesta_ui import files
from vesta_ui.errors import BadInput
from vesta_ui.events import EVENT, RunStarted, StepStarted
from vesta_ui.runs import recorder
from vesta_ui.runs.cases import Case
from vesta_ui.runs.export import html, markdown, otlp
from vesta_ui.runs.export.document import Document, build
from vesta_ui.runs.redact import Redacted, Redactor
from vesta_ui.runs.registry import Runs
from vesta_ui.runs.run import Run
from vesta_ui.runs.verify import frames_of
from vesta_ui.state import advance, digest, initial


@dataclass(frozen=True, slots=True)
class Made:
    """What is to be written: file name → content, one or several; and what was redacted in it."""

    files: dict[str, bytes]
    redacted: tuple[Redacted, ...]


def export_run(run: Run, format: str, data_dir: Path | None = None, video: Path | None = None) -> Made:
    """`format`: html, markdown, json, otlp or zip (a run folder). `video`: a file whose small copy goes into the HTML.

    Raises `BadInput` for a run that recorded nothing.
    """
    return _made([run], None, format, data_dir, video)


def export_case(case: Case, runs: Runs, format: str, video: Path | None = None) -> Made:
    """A case with those of its runs that are still there. Raises `BadInput` when none is."""
    found = [runs.get(run_id) for run_id in case.runs if (runs.root / run_id).is_dir()]
    if not found:
        raise BadInput("none of this case's runs is here any more: add one to it first")
    return _made(found, case, format, runs.root.parent, video)


def write(made: Made, target: Path, name: str = "") -> Path:
    """One file as it is; several as a zip when `target` ends in .zip, else as a folder. Raises `StorageFailed`.

    `name`: of the folder inside the zip; empty: the zip's own.
    """
    if len(made.files) == 1 or target.suffix == ".zip":
        files.write(target, packed(made, name or target.name.split(".")[0]))
    else:
        for name, content in made.files.items():
            files.write(target / name, content)
    return target


def packed(made: Made, name: str) -> bytes:
    """The one file as it is; several as a zip in which they lie in the folder `name`."""
    if len(made.files) == 1:
        return next(iter(made.files.values()))
    archive = BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as writer:
        for file, content in made.files.items():
            writer.writestr(f"{name}/{file}", content)
    return archive.getvalue()


def _made(runs: Sequence[Run], case: Case | None, format: str, data_dir: Path | None, video: Path | None) -> Made:
    if format not in FORMATS:
        raise BadInput(f"there is no format “{format}”: choose one of {', '.join(FORMATS)}")
    if any(run.session().started is None for run in runs):
        raise BadInput("this run was interrupted before it began: there is nothing to export")
    redactor = Redactor([str(Path.home()), *([str(data_dir), str(data_dir.resolve())] if data_dir else [])])
    document = build(runs, case, redactor)
    copies = data_dir / "playback" if data_dir else None
    made = FORMATS[format](document, redactor, video, copies)
    return Made(made, redactor.report)


def _html(document: Document, redactor: Redactor, video: Path | None, copies: Path | None) -> dict[str, bytes]:
    return {"index.html": html.page(document, redactor.report, video, copies)}


def _markdown(document: Document, redactor: Redactor, video: Path | None, copies: Path | None) -> dict[str, bytes]:
    return markdown.folder(document, redactor.report)


def _json(document: Document, redactor: Redactor, video: Path | None, copies: Path | None) -> dict[str, bytes]:
    return {
        "run.json": _dump(
            document.data | {"events": document.events, "redacted": [asdict(one) for one in redactor.report]}
        )
    }


def _folder(document: Document, redactor: Redactor, video: Path | None, copies: Path | None) -> dict[str, bytes]:
    """A run folder that can be imported and replayed. States are told anew, since redacting changes them."""
    if len(document.events) != 1:
        raise BadInput("a run folder holds one run: export the runs of a case one by one")
    source, events, state = document.folders[0].parent, [EVENT.validate_python(e) for e in document.events[0]], None
    lines = []
    for event in events:
        if isinstance(event, StepStarted) and event.state_hash and state is not None:
            event = replace(event, state_hash=digest(state))
        state = initial(event) if isinstance(event, RunStarted) else advance(state, event) if state else None
        lines.append(recorder.line_of(event) + "\n")
    named = {sha: source / recorder.FRAMES / f"{sha}.jpg" for sha in sorted(frames_of(tuple(events)))}
    return {
        recorder.FACTS: _dump(redactor.value(recorder.facts(source), "$.facts")),
        recorder.EVENTS: "".join(lines).encode(),
        **{f"{recorder.FRAMES}/{sha}.jpg": path.read_bytes() for sha, path in named.items() if path.is_file()},
    }


def _otlp(document: Document, redactor: Redactor, video: Path | None, copies: Path | None) -> dict[str, bytes]:
    return {"spans.otlp.json": _dump(otlp.spans(document))}


def _dump(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, indent=1).encode()


FORMATS: dict[str, Callable[[Document, Redactor, Path | None, Path | None], dict[str, bytes]]] = {
    "html": _html,
    "markdown": _markdown,
    "json": _json,
    "otlp": _otlp,
    "zip": _folder,
}
