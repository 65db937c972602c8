"""Exports of a run and a case: whole, small enough, nothing from outside is ever markup, nobody's paths or keys in them."""

from __future__ import annotations

import base64
import hashlib
import itertools
import json
import re
import shutil
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import ui_run
from google.protobuf import json_format
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from opentelemetry.semconv._incubating.attributes import gen_ai_attributes

from vesta_ui import events as ev
from vesta_ui.domain import Interval, Message, ModelCall, Usage
from vesta_ui.errors import BadInput
from vesta_ui.frames import FrameStore
from vesta_ui.runs import bundle, cases, export, recorder, verify
from vesta_ui.runs.export import markdown
from vesta_ui.runs.registry import Runs
from vesta_ui.runs.run import Run, load
from vesta_ui.settings import Settings
from vesta_ui.state import advance, digest, initial

PRIVATE = "/home/ada/films/walk.mp4 with sk-" + "a1B2" * 8
HASH = re.compile(r"script-src 'sha256-([^']+)'")


def recorded(data: Path, run_id: str = "20261130-101010-aaaaaa", steps: int = 5, evil: str = "") -> Run:
    folder = data / "runs" / run_id
    ui_run.record(
        folder, ui_run.run_events(FrameStore(folder / "frames"), run_id, ui_run.facts(), steps=steps, evil=evil)
    )
    return load(folder)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return recorded(tmp_path_factory.mktemp("data"))


def one(run: Run, kind: str) -> bytes:
    return next(iter(export.export_run(run, kind).files.values()))


def data_of(page: str) -> Any:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert found
    return json.loads(found[1])


def test_the_page_holds_the_whole_run_and_asks_nobody(run: Run) -> None:
    page = one(run, "html").decode()
    data = data_of(page)
    (told,) = data["runs"]
    assert [step["n"] for step in told["steps"]] == [1, 2, 3, 4, 5]
    assert len(told["states"]) == 6
    assert {entry["id"] for entry in told["entries"]} == {"e1", "e3", "e4"}
    shas = {frame["sha"] for step in told["steps"] for frame in step["frames"]}
    assert shas == set(data["pictures"]) and all(
        uri.startswith("data:image/jpeg;base64,") for uri in data["pictures"].values()
    )
    assert not re.findall(r"""(?:src|href)=["']?(?:https?:)?//""", page)
    assert "default-src 'none'" in page


def test_the_policy_allows_exactly_the_script_that_is_there(run: Run) -> None:
    page = one(run, "html").decode()
    script = page.rsplit("<script>", 1)[1].split("</script>")[0]
    allowed = HASH.search(page)
    assert allowed and base64.b64decode(allowed[1]) == hashlib.sha256(script.encode()).digest()


def test_twenty_steps_with_many_large_frames_stay_under_five_megabytes(tmp_path: Path) -> None:
    data = tmp_path / "data"
    run = recorded(data, steps=20)
    store, noise = FrameStore(run.folder / "frames"), np.random.default_rng(1)
    for n, event in enumerate(run.events):
        if isinstance(event, ev.Observed) and event.frames:
            taken = [
                store.add(noise.integers(0, 255, (360, 640, 3), np.uint8), event.frames[0].time + i) for i in range(24)
            ]
            run.events[n] = replace(event, frames=tuple(taken))
    (run.folder / "events.jsonl").unlink()
    ui_run.record(run.folder, run.events)
    page = one(load(run.folder), "html")
    kept = data_of(page.decode())["pictures"]
    assert len(page) <= 5_000_000
    steps = [step for step in data_of(page.decode())["runs"][0]["steps"] if step["frames"]]
    assert len(steps) == 13 and all(any(frame["sha"] in kept for frame in step["frames"]) for step in steps)


def test_a_player_copy_goes_in_when_wished(run: Run, tmp_path: Path) -> None:
    made = export.export_run(run, "html", tmp_path, ui_run.video(tmp_path))
    film = data_of(made.files["index.html"].decode())["film"]
    assert film.startswith("data:video/mp4;base64,")
    assert base64.b64decode(film.split(",")[1])[4:8] == b"ftyp"


def test_what_a_newer_version_added_is_said(run: Run, tmp_path: Path) -> None:
    newer = tmp_path / run.id
    shutil.copytree(run.folder, newer)
    with (newer / "events.jsonl").open("a") as lines:
        lines.write('{"schema": 2, "kind": "dreamt"}\n')
    assert data_of(one(load(newer), "html").decode())["runs"][0]["unknown"] == [{"kind": "dreamt", "schema": 2}]


def test_text_from_outside_cannot_leave_the_data_of_the_page(tmp_path: Path) -> None:
    evil = ui_run.EVIL + " ]]> <!-- \u2028"
    page = one(recorded(tmp_path, evil=evil), "html").decode()
    assert page.count("<script") == 2 and page.count("</script>") == 2
    assert "<img" not in page.split("<main", 1)[1].rsplit("<script>", 1)[0]
    assert evil in data_of(page)["runs"][0]["steps"][0]["thought"]
    assert "<title>What is on the sign? &lt;img" in page


def test_markdown_shows_outside_text_as_it_stands(tmp_path: Path) -> None:
    evil = "<b>x</b> [y](http://z) ![i](j) `c` *e* | pipe\n# head\n![k](l)"
    made = export.export_run(recorded(tmp_path, evil=evil), "markdown").files
    report = made["report.md"].decode()
    assert "<b>" not in report and "](http" not in report and "\n# head" not in report
    linked = set(re.findall(r"!\[[^\]]*\]\(([^)]+)\)", report))
    assert linked and linked <= set(made)
    assert "\\[y\\]\\(http" in report
    svg = made["timeline-1.svg"].decode()
    assert svg.startswith("<svg") and "<script" not in svg


def test_markdown_tells_steps_costs_and_evidence(run: Run) -> None:
    report = export.export_run(run, "markdown").files["report.md"].decode()
    assert "| step | operation |" in report and report.count("| inspect |") == 2
    assert "| remote requests | 4 |" in report and "00:31.0–00:33.0" in report
    assert markdown.plain("a_b\n c") == "a\\_b c"


@pytest.mark.parametrize("kind", list(export.FORMATS))
def test_paths_and_keys_are_taken_out_of_every_format_and_told(tmp_path: Path, kind: str) -> None:
    run = recorded(tmp_path, evil=PRIVATE)
    made = export.export_run(run, kind, tmp_path)
    text = "".join(content.decode("utf-8", "replace") for content in made.files.values())
    assert "/home/ada" not in text and "a1B2a1B2" not in text and str(tmp_path) not in text
    assert {found.what for found in made.redacted} >= {"path", "key"}
    assert all(found.places for found in made.redacted)


PLANTED = ("/home/ada{n}/My Films/walk.mp4", "C:\\Users\\Ada{n} L\\walk.mp4", "file:///C:/Users/Ada%20L{n}/x.mp4",
           "sk-proj-Ada{n}abcdefghijklmnop", "Authorization: Bearer Ada{n}bcdefgh12345")  # fmt: skip
NAMED = set(
    """kind schema sha256 operation label policy status modality emphasis demand outcome role run_id id entry_id scene_id agent state_hash
    parent flags demands hypotheses overridden index_id encoder pool dropped backfilled""".split()
)
"""Fields that hold no words: names out of a list, ids, hashes."""


def planted(value: Any, count: Iterator[int], field: str = "") -> Any:
    """The same event with a path or a key of its own, and markup, in every text."""
    if isinstance(value, dict):
        return {name: planted(one, count, name) for name, one in value.items()}
    if isinstance(value, list):
        return [planted(one, count, field) for one in value]
    if not isinstance(value, str) or field in NAMED:
        return value
    n = next(count)
    return f"{value} <b>3/4 and/or 09:15</b> {PLANTED[n % len(PLANTED)].format(n=n)} end"


@pytest.mark.parametrize("kind", list(export.FORMATS))
def test_a_path_or_key_in_any_text_of_a_run_reaches_no_format(tmp_path: Path, kind: str) -> None:
    run, count = recorded(tmp_path, steps=6), itertools.count()
    call = ModelCall("router", "openai:x", (Message("system", "a"), Message("user", "b")), "c", Usage(1), {"d": {"e": "f"}},
                     "stop", "id", "refused", "g", ("h",), ("i",))  # fmt: skip
    path = run.folder / "events.jsonl"
    lines = []
    for event in run.events:
        event = replace(event, call=call) if isinstance(event, ev.Routed) else event
        event = replace(event, calls=(call,)) if isinstance(event, ev.Decided | ev.Observed) else event
        lines.append(json.dumps(planted(json.loads(recorder.line_of(event)), count)))
    path.write_text("\n".join(lines) + "\n")
    assert next(count) > 200
    made = export.export_run(load(run.folder), kind, tmp_path)
    text = "".join(content.decode() for name, content in made.files.items() if not name.endswith(".jpg"))
    assert re.findall(r"(?i).{0,60}ada\W{0,3}(?:%20)?l?\d+.{0,20}", text) == []
    assert "3/4 and/or 09:15" in re.sub(r"\\(.)", r"\1", text) and " end" in text
    assert {one.what for one in made.redacted} == {"path", "key", "secret"}


@pytest.mark.parametrize("kind", list(export.FORMATS))
def test_what_the_engine_made_of_a_key_is_taken_out_of_every_format(tmp_path: Path, kind: str) -> None:
    evil = "/home/ada/secret key sk-abcdefghijklmnopqrstuvwx; home ada secret key sk abcdefghijklmnopqrstuvwx"
    made = export.export_run(recorded(tmp_path, evil=evil), kind, tmp_path)
    text = "".join(content.decode("utf-8", "replace") for content in made.files.values())
    assert "abcdefghijkl" not in text
    assert "home ada" not in text


def test_a_redacted_run_folder_is_whole_and_can_be_imported(tmp_path: Path) -> None:
    """Its states are told anew, so that it verifies and can be forked, although its words are others."""
    run = recorded(tmp_path / "here", evil=PRIVATE)
    state, events = initial(run.events[0]), []  # type: ignore[arg-type]
    for event in run.events:
        events.append(replace(event, state_hash=digest(state)) if isinstance(event, ev.StepStarted) else event)
        state = advance(state, event) if event.seq else state
    (run.folder / "events.jsonl").unlink()
    ui_run.record(run.folder, events)
    made = export.export_run(load(run.folder), "zip", tmp_path)
    target = export.write(made, tmp_path / "for others.zip", run.id)
    assert bundle.unpack(target, tmp_path) == run.id
    assert verify.problems(run.folder) == verify.problems(tmp_path / run.id) == []
    found = load(tmp_path / run.id)
    assert len(found.events) == len(events) and found.session().answer
    assert found.events[-1] != events[-1] and "[path removed]" in str(recorder.facts(tmp_path / run.id))


def test_json_holds_the_redacted_events(run: Run) -> None:
    data = json.loads(one(run, "json"))
    assert [event["kind"] for event in data["events"][0]] == [event.kind for event in run.events]
    assert data["redacted"] == []


# ------------------------------------------------------------------------------------------------ spans
def spans(run: Run) -> list[dict[str, Any]]:
    (resource,) = json.loads(one(run, "otlp"))["resourceSpans"]
    (scope,) = resource["scopeSpans"]
    found: list[dict[str, Any]] = scope["spans"]
    return found


def attribute(span: dict[str, Any], name: str) -> Any:
    return next((next(iter(a["value"].values())) for a in span["attributes"] if a["key"] == name), None)


def test_spans_form_one_tree_in_time(run: Run) -> None:
    found = spans(run)
    known = {span["spanId"]: span for span in found}
    roots = [span for span in found if not span["parentSpanId"]]
    assert len(known) == len(found) and [root["name"] for root in roots] == ["invoke_agent vesta"]
    for span in found:
        assert re.fullmatch(r"[0-9a-f]{32}", span["traceId"]) and re.fullmatch(r"[0-9a-f]{16}", span["spanId"])
        assert int(span["startTimeUnixNano"]) <= int(span["endTimeUnixNano"])
        assert span["parentSpanId"] in {*known, ""}
        parent = known.get(span["parentSpanId"], span)
        assert int(parent["startTimeUnixNano"]) <= int(span["startTimeUnixNano"])
        assert int(span["endTimeUnixNano"]) <= int(parent["endTimeUnixNano"])


def test_spans_speak_the_genai_conventions(run: Run) -> None:
    found = spans(run)
    by = {
        kind: [s for s in found if attribute(s, "gen_ai.operation.name") == kind]
        for kind in ("invoke_agent", "execute_tool", "chat")
    }
    assert [len(by[kind]) for kind in by] == [1, 5, 4]
    tool, chat, (agent,) = by["execute_tool"][1], by["chat"][0], by["invoke_agent"]
    assert (
        tool["name"] == "execute_tool clip"
        and attribute(tool, "error.type") == "refused"
        and tool["status"]["code"] == 2
    )
    assert json.loads(attribute(tool, "gen_ai.tool.call.arguments"))["question"].startswith("what?")
    assert (
        attribute(chat, "gen_ai.request.model") == "model-x" and attribute(chat, "gen_ai.usage.input_tokens") == "900"
    )
    assert json.loads(attribute(chat, "gen_ai.input.messages"))[0]["parts"][0]["content"].startswith("prompt 1")
    assert attribute(agent, "gen_ai.usage.input_tokens") == "3600"
    assert spans(run) == found


def test_spans_are_a_request_of_the_protocol_and_use_only_names_of_the_conventions(run: Run) -> None:
    """Read by the protocol's own classes. In OTLP's JSON ids are hexadecimal, which plain protobuf JSON takes for base64."""
    data = json.loads(one(run, "otlp"))
    for span in data["resourceSpans"][0]["scopeSpans"][0]["spans"]:
        for name in ("traceId", "spanId", "parentSpanId"):
            span[name] = base64.b64encode(bytes.fromhex(span[name])).decode()
    read = json_format.ParseDict(data, ExportTraceServiceRequest())
    found = list(read.resource_spans[0].scope_spans[0].spans)
    assert {(len(span.trace_id), len(span.span_id)) for span in found} == {(16, 8)}
    assert {len(span.parent_span_id) for span in found} == {0, 8}
    names = {one.key for span in found for one in span.attributes if one.key.startswith("gen_ai.")}
    assert names <= {value for value in vars(gen_ai_attributes).values() if isinstance(value, str)}
    operations = {kind.value for kind in gen_ai_attributes.GenAiOperationNameValues}
    for span in found:
        said = {one.key: one.value.string_value for one in span.attributes}
        assert said["gen_ai.operation.name"] in operations
        assert span.kind == (
            Span.SPAN_KIND_CLIENT if said["gen_ai.operation.name"] == "chat" else Span.SPAN_KIND_INTERNAL
        )


@pytest.mark.parametrize(
    ("model", "provider", "name"),
    [
        ("openai:gpt-4.1", "openai", "gpt-4.1"),
        ("gemini:gemini-2.5-pro", "gcp.gemini", "gemini-2.5-pro"),
        ("compatible:qwen2.5vl:7b", "compatible", "qwen2.5vl:7b"),
        ("model-x", "vesta_ui", "model-x"),
    ],
)
def test_the_routers_call_is_a_span_of_its_provider_and_model(
    tmp_path: Path, model: str, provider: str, name: str
) -> None:
    run = recorded(tmp_path)
    call = ModelCall("router", model, (Message("user", "what kind?"),), "one place", Usage(1, 0, 7, 0, 3, seconds=0.2))
    events = [replace(event, call=call) if isinstance(event, ev.Routed) else event for event in run.events]
    (run.folder / "events.jsonl").unlink()
    ui_run.record(run.folder, events)
    routed = spans(load(run.folder))[1]
    assert (routed["name"], attribute(routed, "gen_ai.provider.name")) == (f"chat {name}", provider)
    assert attribute(routed, "gen_ai.request.model") == name and attribute(routed, "vesta.role") == "router"
    assert "what kind?" in one(load(run.folder), "html").decode()


# ------------------------------------------------------------------------------------------------ cases
def test_a_case_exports_its_runs_gold_and_notes(tmp_path: Path) -> None:
    first, second = recorded(tmp_path), recorded(tmp_path, "20261130-101011-bbbbbb", steps=3)
    started = first.session().started
    assert started is not None
    case = cases.with_gold(cases.new(started.question, started.video, [first.id, second.id]), "A", [Interval(30, 34)])
    case = cases.annotate(case, cases.Note("looked <b>away</b>", "missed evidence", first.id, 2))
    runs = Runs(Settings(data_dir=tmp_path))
    data = data_of(export.export_case(case, runs, "html").files["index.html"].decode())
    assert [run["verdict"] for run in data["runs"]] == ["right", "right"]
    assert data["runs"][0]["iou"] == pytest.approx(2 / 6)
    assert data["case"]["notes"][0]["label"] == "missed evidence"
    report = export.export_case(case, runs, "markdown").files
    assert "away" in report["report.md"].decode() and {"timeline-1.svg", "timeline-2.svg"} <= set(report)
    with pytest.raises(BadInput, match="none of this case's runs"):
        export.export_case(replace(case, runs=("20200101-000000-cccccc",)), runs, "html")


def test_several_files_become_a_folder_or_a_zip(run: Run, tmp_path: Path) -> None:
    made = export.export_run(run, "markdown")
    export.write(made, tmp_path / "report")
    assert (tmp_path / "report" / "report.md").read_bytes() == made.files["report.md"]
    with zipfile.ZipFile(export.write(made, tmp_path / "report.md.zip")) as archive:
        assert archive.read("report/report.md") == made.files["report.md"]


def test_an_unknown_format_is_said(run: Run) -> None:
    with pytest.raises(BadInput, match="choose one of html"):
        export.export_run(run, "pdf")
