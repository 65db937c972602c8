"""A run as OpenTelemetry spans in the GenAI semantic conventions, in OTLP/JSON: for the trace viewers people already have.

invoke_agent → execute_tool per operation, chat per model call. Ids are derived from the run, so the same run exports to
the same spans. Needs no SDK. Conventions: opentelemetry.io/docs/specs/semconv/gen-ai (status: development).
"""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime
from typing import Any

from vesta_ui import __version__
from vesta_ui.runs.export.document import Document

Json = dict[str, Any]
INTERNAL, CLIENT = 1, 3
UNSET, ERROR = 0, 2


def spans(document: Document) -> Json:
    """An ExportTraceServiceRequest as JSON: one trace a run."""
    return {
        "resourceSpans": [
            {
                "resource": {"attributes": _attributes({"service.name": "vesta-ui", "service.version": __version__})},
                "scopeSpans": [
                    {
                        "scope": {"name": "vesta_ui", "version": __version__},
                        "schemaUrl": "https://opentelemetry.io/schemas/1.40.0",
                        "spans": [
                            span
                            for run, events in zip(document.data["runs"], document.events, strict=True)
                            for span in _run(document.data, run, events)
                        ],
                    }
                ],
            }
        ]
    }


def _run(data: Json, run: Json, events: list[Json]) -> list[Json]:
    trace = _id(run["id"], 16)
    zero = int(datetime.strptime(run["id"][:15], "%Y%m%d-%H%M%S").replace(tzinfo=UTC).timestamp() * 1e9)

    def at(seconds: float) -> int:
        return zero + int(seconds * 1e9)

    root = _id(run["id"] + "/agent", 8)
    answer = run["answer"] or {}
    failed = run["outcome"] == "failed"
    cost = run["cost"]
    made = [
        _span(trace, root, "", f"invoke_agent {run['agent']}", INTERNAL, zero, at(cost["seconds"]), {
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.agent.name": run["agent"],
            "gen_ai.agent.id": run["id"],
            "gen_ai.provider.name": "vesta_ui",
            "gen_ai.conversation.id": run["id"],
            "gen_ai.usage.input_tokens": cost["input_tokens"],
            "gen_ai.usage.output_tokens": cost["output_tokens"],
            "gen_ai.input.messages": _messages([{"role": "user", "text": _asked(data["question"])}]),
            "gen_ai.output.messages": _messages([{"role": "assistant", "text": " ".join(filter(None, [answer.get("label"), answer.get("text")]))}], run["outcome"]),
            "error.type": _event(events, "run_finished").get("failure") or "failed" if failed else None,
            "vesta.outcome": run["outcome"],
            "vesta.policy": (run["route"] or {}).get("policy"),
            "vesta.video.sha256": data["video"]["sha256"],
        }, run["reason"] if failed else "")
    ]  # fmt: skip
    ends = {(e["kind"], e.get("step")): e["at"] for e in events}
    if call := (run["route"] or {}).get("call"):
        routed = ends.get(("routed", None), 0.0)
        made.append(
            _chat(
                trace, _id(f"{run['id']}/chat/route", 8), root, call, at(routed - call["usage"]["seconds"]), at(routed)
            )
        )
    for step in run["steps"]:
        begun = ends.get(("step_started", step["n"]), 0.0)
        decided = ends.get(("decided", step["n"]), begun)
        observed = ends.get(("observed", step["n"]), decided)
        tool = _id(f"{run['id']}/tool/{step['n']}", 8)
        if step["op"]:
            made.append(
                _span(trace, tool, root, f"execute_tool {step['op']}", INTERNAL, at(decided), at(observed), {
                    "gen_ai.operation.name": "execute_tool",
                    "gen_ai.tool.name": step["op"],
                    "gen_ai.tool.type": "function",
                    "gen_ai.tool.call.id": f"{run['id']}/{step['n']}",
                    "gen_ai.tool.call.arguments": json.dumps(step["arguments"], ensure_ascii=False),
                    "gen_ai.tool.call.result": step["output"],
                    "error.type": step["error_kind"] or None,
                    "vesta.step": step["n"],
                    "vesta.thought": step["thought"],
                    "vesta.frames": len(step["frames"]),
                }, step["error"])
            )  # fmt: skip
        when = begun
        for n, call in enumerate(step["calls"]):
            by_tool = call["role"] in ("observer", "speech")
            latest = observed if by_tool else decided
            start = min(max(when, decided) if by_tool else when, latest)
            when = min(start + call["usage"]["seconds"], latest)
            made.append(
                _chat(
                    trace,
                    _id(f"{run['id']}/chat/{step['n']}/{n}", 8),
                    tool if by_tool else root,
                    call,
                    at(start),
                    at(when),
                )
            )
    return made


def _chat(trace: str, span_id: str, parent: str, call: Json, start: int, end: int) -> Json:
    provider, _, model = call["model"].partition(":")
    provider, model = (provider, model) if model else ("vesta_ui", provider)
    usage = call["usage"]
    return _span(trace, span_id, parent, f"chat {model}", CLIENT, start, end, {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": {"gemini": "gcp.gemini"}.get(provider, provider),
        "gen_ai.request.model": model.split("@")[0],
        "gen_ai.response.finish_reasons": [call["finish"]] if call["finish"] else None,
        "gen_ai.usage.input_tokens": usage["input_tokens"],
        "gen_ai.usage.output_tokens": usage["output_tokens"],
        "gen_ai.usage.cache_read.input_tokens": usage["cached_tokens"] or None,
        "gen_ai.system_instructions": json.dumps([{"type": "text", "content": m["text"]} for m in call["messages"] if m["role"] == "system"], ensure_ascii=False),
        "gen_ai.input.messages": _messages([m for m in call["messages"] if m["role"] != "system"]),
        "gen_ai.output.messages": _messages([{"role": "assistant", "text": call["reply"]}], call["finish"]),
        "error.type": call["failure"] or None,
        "vesta.role": call["role"],
        "vesta.cost_usd": usage["cost_usd"],
    }, call["failure"])  # fmt: skip


def _span(
    trace: str, span_id: str, parent: str, name: str, kind: int, start: int, end: int, attributes: Json, error: str
) -> Json:
    return {
        "traceId": trace,
        "spanId": span_id,
        "parentSpanId": parent,
        "name": name,
        "kind": kind,
        "startTimeUnixNano": str(start),
        "endTimeUnixNano": str(max(start, end)),
        "attributes": _attributes(attributes),
        "status": {"code": ERROR, "message": error} if error else {"code": UNSET},
    }


def _attributes(values: Json) -> list[Json]:
    return [{"key": name, "value": _any(value)} for name, value in values.items() if value is not None]


def _any(value: Any) -> Json:
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    if isinstance(value, float):
        return {"doubleValue": value}
    if isinstance(value, list):
        return {"arrayValue": {"values": [_any(one) for one in value]}}
    return {"stringValue": str(value)}


def _messages(messages: list[Json], finish: str = "") -> str:
    """Chat messages in the conventions' parts format, as JSON in a string."""
    made = [{"role": m["role"], "parts": [{"type": "text", "content": m["text"]}]} for m in messages]
    return json.dumps([one | {"finish_reason": finish} for one in made] if finish else made, ensure_ascii=False)


def _asked(question: Json) -> str:
    return "\n".join([question["text"], *(f"{c['label']}. {c['text']}" for c in question["choices"])])


def _event(events: list[Json], kind: str) -> Json:
    return next((event for event in reversed(events) if event["kind"] == kind), {})


def _id(text: str, length: int) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[: 2 * length]
