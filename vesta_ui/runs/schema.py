"""The JSON Schema of a run folder, generated from the event classes: the contract for anyone who reads traces."""

from __future__ import annotations

from typing import Any

from vesta_ui.events import EVENT, SCHEMA


def line_schema() -> dict[str, Any]:
    """One line of events.jsonl (JSON Schema 2020-12): an event with its schema number."""
    schema = EVENT.json_schema(mode="serialization")
    definitions = schema.pop("$defs")
    for mapped in schema["discriminator"]["mapping"].values():
        name = mapped.removeprefix("#/$defs/")
        definitions[name]["properties"] = {"schema": {"const": SCHEMA}} | definitions[name]["properties"]
        definitions[name]["required"] = ["schema", *definitions[name].get("required", [])]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"A line of events.jsonl, schema {SCHEMA}",
        **schema,
        "$defs": definitions,
    }
