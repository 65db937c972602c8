"""Structured output: a pydantic schema as each provider wants it, and a value out of whatever text came back.

Pure: knows no provider's client and sends nothing. Text is never guessed into shape: a cut-off object is not closed, a
missing field is not invented.
"""

from __future__ import annotations

import ast
import copy
import json
import re
from collections.abc import Callable
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

S = TypeVar("S", bound=BaseModel)
MAX_TEXT = 200_000


class Unreadable(ValueError):
    """No value of the schema in the text. `json_found` says whether there was JSON at all."""

    def __init__(self, reason: str, json_found: bool) -> None:
        super().__init__(reason)
        self.json_found = json_found


# --------------------------------------------------------------------------------------- schemas
MAX_STRING = 600
MAX_ITEMS = 24


def openai_schema(schema: type[BaseModel], bounded: bool = False) -> dict[str, Any]:
    """JSON Schema for strict mode: closed objects, every key required, no defaults.

    `bounded` keeps or adds a longest length for strings and lists: OpenAI refuses the words, a local server turns them
    into a grammar that keeps a small model from writing for ever.
    """

    def close(node: dict[str, Any]) -> None:
        for word in ("default", "title", "discriminator", "format", *(() if bounded else ("minLength", "maxLength"))):
            node.pop(word, None)
        if bounded and node.get("type") == "string" and not {"enum", "const"} & node.keys():
            node.setdefault("maxLength", MAX_STRING)
        if bounded and node.get("type") == "array":
            node.setdefault("maxItems", MAX_ITEMS)
        if "oneOf" in node:
            node["anyOf"] = node.pop("oneOf")
        if "const" in node:
            node["enum"] = [node.pop("const")]
        if node.get("type") == "object" or "properties" in node:
            node["additionalProperties"] = False
            node["required"] = list(node.get("properties", {}))

    return _walk(inline(schema.model_json_schema()), close)


def gemini_schema(schema: type[BaseModel]) -> dict[str, Any]:
    """The OpenAPI subset Gemini takes: no `additionalProperties`, `$schema`, `$ref`; null as `nullable`; upper-case types."""

    def translate(node: dict[str, Any]) -> None:
        for word in list(node):
            if word not in _GEMINI_WORDS and word not in ("oneOf", "const"):
                node.pop(word)
        if "oneOf" in node:
            node["anyOf"] = node.pop("oneOf")
        if "const" in node:
            node["enum"] = [str(node.pop("const"))]
            node["type"] = "string"
        options = node.get("anyOf")
        if options:
            rest = [option for option in options if str(option.get("type")).lower() != "null"]
            if len(rest) < len(options):
                node["nullable"] = True
            if len(rest) == 1:
                node.pop("anyOf")
                node.update({key: value for key, value in rest[0].items() if key not in node})
            else:
                node["anyOf"] = rest
        if isinstance(node.get("type"), str):
            node["type"] = node["type"].upper()

    return _walk(inline(schema.model_json_schema()), translate)


_GEMINI_WORDS = {
    "type", "properties", "required", "items", "enum", "anyOf", "description", "nullable",
    "minItems", "maxItems", "minimum", "maximum",
}  # fmt: skip


def inline(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema with every `$ref` replaced by what it names. Schemas here are not recursive."""
    definitions = schema.get("$defs", {})

    def expand(node: Any) -> Any:
        if isinstance(node, list):
            return [expand(item) for item in node]
        if not isinstance(node, dict):
            return node
        if "$ref" in node:
            target = definitions[node["$ref"].rsplit("/", 1)[-1]]
            return expand({**copy.deepcopy(target), **{k: v for k, v in node.items() if k != "$ref"}})
        return {key: expand(value) for key, value in node.items() if key != "$defs"}

    expanded: dict[str, Any] = expand(schema)
    return expanded


def _walk(node: dict[str, Any], change: Any) -> dict[str, Any]:
    """`change` every schema node, children first; property names are not schema words."""
    for child in (node.get("properties") or {}).values():
        _walk(child, change)
    for word in ("items", "additionalProperties"):
        if isinstance(node.get(word), dict):
            _walk(node[word], change)
    for word in ("anyOf", "oneOf", "allOf", "prefixItems"):
        for child in node.get(word) or ():
            _walk(child, change)
    change(node)
    return node


def instruction(schema: type[BaseModel]) -> str:
    """How to answer, for servers that do not take a schema."""
    shape = json.dumps(openai_schema(schema), ensure_ascii=False)
    return (
        f"Answer with one JSON object and nothing else: no prose, no code fence. It must fit this JSON Schema:\n{shape}"
    )


# --------------------------------------------------------------------------------------- reading
def read(text: str, schema: type[S], clean: Callable[[str], str] = str) -> S:
    """The value in `text`. Raises `Unreadable` with what is wrong, in words the model can act on.

    `clean` is applied to every string before it is validated: after JSON's escapes are read, and never to a field's name.
    """
    found = candidates(text[:MAX_TEXT])
    if not found:
        raise Unreadable("there is no complete JSON object in it", json_found=False)
    problem = ""
    for value in found:
        for form in _forms(value):
            try:
                return schema.model_validate(_cleaned(form, clean))
            except RecursionError:
                problem = problem or "it is nested too deeply"
            except ValidationError as error:
                problem = problem or "; ".join(
                    f"{'.'.join(map(str, e['loc'])) or 'the object'}: {e['msg']}" for e in error.errors()[:5]
                )
    raise Unreadable(problem, json_found=True)


def _cleaned(value: Any, clean: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        return {name: _cleaned(one, clean) for name, one in value.items()}
    return [_cleaned(one, clean) for one in value] if isinstance(value, list) else value


def candidates(text: str) -> list[Any]:
    """JSON values in `text`, the likeliest first.

    The whole text counts before a fenced block, a fenced block before loose objects; of these, what is thinking is
    dropped. Of several the first counts when the text starts with it (what follows is a continuation), else the last
    (what precedes is musing).
    """
    whole = loads(text.strip().lstrip("\ufeff"))
    if not isinstance(whole, dict | list | str):
        text = without_thinking(text).strip().lstrip("\ufeff")
        whole = loads(text)
    if isinstance(whole, dict | list):
        return [whole]
    if isinstance(whole, str):
        return candidates(whole) if whole != text else []
    fenced = [
        value for block in re.findall(r"```[\w-]*+\s*+(.*?)```", text, re.S) if (value := loads(block)) is not None
    ]
    loose = _scan(text)
    if not text.startswith(("{", "[")):
        fenced, loose = fenced[::-1], loose[::-1]
    return [value for value in (*fenced, *loose) if isinstance(value, dict | list)]


def without_thinking(text: str) -> str:
    """Text outside the model's visible thinking, and after its last end; nothing when the thinking never ended."""
    kept: list[str] = []
    at, inside = 0, False
    for tag in _THINKING.finditer(text):
        if "/" not in tag[0]:
            kept += [] if inside else [text[at : tag.start()]]
            inside = True
            continue
        if not inside:
            kept.clear()
        at, inside = tag.end(), False
    return "".join(kept) + ("" if inside else text[at:])


_THINKING = re.compile(r"(?i)[<◁]/?(?:\w{1,20}:)?(?:think|thinking|thought|reasoning)[>▷]|(?-i:\[/?THINK\])")
"""Where thinking begins and ends: `<think>`, `<seed:think>`, `◁think▷` (Kimi), `[THINK]` (Magistral)."""


def _scan(text: str) -> list[Any]:
    found: list[Any] = []
    at = 0
    left = 2 * MAX_TEXT
    while (at := text.find("{", at)) >= 0 and left > 0:
        end = _closing(text, at)
        left -= max(1_000, (end or len(text)) - at)  # so that a text of nothing but brackets ends soon
        value = loads(text[at:end]) if end else None
        if value is None:
            at += 1
        else:
            found.append(value)
            at = end
    return found


def _closing(text: str, start: int) -> int:
    """Index after the brace that closes the one at `start`, 0 when it never closes."""
    depth = 0
    for found in _MARKS.finditer(text, start):
        if found[0] in ("{", "["):
            depth += 1
        elif found[0] in ("}", "]"):
            depth -= 1
            if depth == 0:
                return found.end()
    return 0


_MARKS = re.compile(r'"(?:[^"\\]|\\.)*+"?|[{}\[\]]', re.S)
"""A string (to the end of the text when it never closes), or a bracket outside of one."""
_OTHER = re.compile(
    r"""("(?:[^"\\]|\\.)*+"?|'(?:[^'\\]|\\.)*+'?)|//[^\n]*+|/\*.{0,2000}?\*/|,(?=\s*+[}\]])|\b(true|false|null)\b""",
    re.S,
)
"""What is other in the JSON of models: comments, a comma too many, JSON's words between Python's quotes."""
_PYTHON = {"true": "True", "false": "False", "null": "None"}


def loads(text: str) -> Any:
    """JSON, also with comments, trailing commas, raw line breaks in strings or Python's quotes; None for anything else."""
    text = text.strip()
    plain = _OTHER.sub(lambda found: found[1] or found[2] or "", text) if text.startswith(("{", "[")) else text
    for form in (text, plain):
        try:
            return json.loads(form, strict=False)
        except (ValueError, RecursionError):
            continue
    if text.startswith("{") and len(text) < 20_000:
        try:
            value = ast.literal_eval(_OTHER.sub(lambda found: found[1] or _PYTHON.get(found[2] or "", ""), text))
        except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
            return None
        return value if isinstance(value, dict) else None
    return None


def _forms(value: Any) -> list[Any]:
    """`value`, and what it wraps: the first of a list, an object that is the only value, JSON inside a string."""
    forms: list[Any] = [value]
    if isinstance(value, list):
        forms += [item for item in value if isinstance(item, dict)][:1]
    elif isinstance(value, dict):
        for inner in value.values():
            if isinstance(inner, str) and inner.lstrip().startswith("{"):
                inner = loads(inner)
            if isinstance(inner, dict):
                forms.append(inner)
    return forms
