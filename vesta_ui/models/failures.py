"""What went wrong at a provider, as one of our kinds, from whatever it answered: JSON, plain text, a web page, nothing.

Knows the words of OpenAI, Gemini, vLLM, llama.cpp, Ollama and LM Studio servers; decides nothing about retries.
"""

from __future__ import annotations

import html
import json
import math
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from vesta_ui.errors import ModelFailed
from vesta_ui.models import Reply
from vesta_ui.models.keys import scrub
from vesta_ui.models.wire import mapping, parsed


class ProviderFailed(ModelFailed):
    """One request failed. `kind` may also be "unsupported": the server refuses `parameter`, the rest may do.

    `retry_after_s`: wait the server asks for. `limit`: most images it takes (0: none). `reply`: what came back, when
    the request itself was answered. `again`: whether the same request can succeed later.
    """

    def __init__(
        self,
        kind: str,
        message: str,
        *,
        retry_after_s: float | None = None,
        limit: int | None = None,
        parameter: str = "",
        reply: Reply | None = None,
        again: bool = False,
    ) -> None:
        super().__init__(kind, message)
        self.retry_after_s = retry_after_s
        self.limit = limit
        self.parameter = parameter
        self.reply = reply
        self.again = again


_NO_IMAGES = re.compile(
    r"image input is not supported|unsupported content part|does not (?:support|accept) (?:image|vision|multimodal)|mmproj"
    r"|not a (?:multimodal|vision) model|(?:vision|images?) (?:is|are) not supported|no image support|support image input"
    r"|unknown (?:variant|part type)[^.]*image_url|multimodal[^.]*not (?:enabled|supported)"
    r"|image[^.]{0,20} only supported|required for image|content must be a string"
)
_IMAGE_COUNT = re.compile(
    r"at most (\d+) image|(?:maximum|max|limit)[^.]{0,40}?(\d+) images|(\d+) images? (?:is|are) the maximum"
    r"|too many images(?:.{0,80}?\b(\d+)\b)?"
)
_CONTEXT = re.compile(
    r"context[_ ](?:length|window|size)|maximum context|too many tokens|prompt is too long|input token count|exceeds the available context"
    r"|tokens? exceed|reduce the length of the|`inputs` (?:tokens|must)|max_tokens must be at least"
)
_OUTPUT = re.compile(
    r"max_(?:completion_|output_)?tokens\b.{0,30}(?:too large|valid range|less than or equal|maximum)"
    r"|(?:valid range|maximum value)[^.]{0,12} `?max_(?:completion_|output_)?tokens"
)
"""Words for an output limit above what the model can write."""
_LARGE = re.compile(
    r"request entity too large|payload (?:size|too large)|request (?:body )?(?:is )?too large|body (?:is )?too large"
    r"|unsupported image|image[^.]{0,60}(?:too large|too big|below \d|exceeds)|string too long|request size exceeds"
)
_FORMAT = re.compile(
    r"response_?format|json[_ ]schema|anyof|json_object|response_?(?:json_)?schema|responsemimetype|response_mime_type"
    r"|additionalproperties|\$schema|structured output|guided_json|grammar|json mode"
)
_PARAMETER = re.compile(r"max_completion_tokens|max_tokens|temperature|image_url\W{1,4}detail")
_REFUSED_WORD = re.compile(r"unsupported|not support|unrecognized|unknown|unexpected|extra")
_SYSTEM = re.compile(
    r"system (?:role|message|prompt|instruction)s?[^.]{0,40}not (?:supported|allowed|enabled)|developer instruction is not enabled"
)
_QUOTA = re.compile(
    r"insufficient_quota|check your plan and billing|billing|credit balance|out of credits|perday|per day|limit: 0\b"
)
_MISSING = re.compile(
    r"model.{0,120}(?:not found|does not exist|not exist|is not supported|not available)|model_not_found|no such model|not found for api version"
    r"|(?:invalid|unknown|not a valid) model\b"
)
_NOT_YET = re.compile(r"not in an active state")
_BLOCKED = re.compile(
    r"content[_ ](?:filter|policy|management)|responsibleai|safety system|moderation|flagged|usage polic|inappropriate content"
)


def classify(status: int, body: str, headers: Mapping[str, str], images: int = 0) -> ProviderFailed:
    """The failure behind an answer with an error status (or an error object under status 200).

    `images`: how many were sent; a proxy that answers "no such page" to a large body is told from a wrong address by it.
    """
    message, codes, data = _read(body)
    said = scrub(message) or f"HTTP {status}"
    words = f"{message} {codes}".lower()
    kind = "server"
    limit: int | None = None
    parameter = ""
    later = False
    if status in (400, 422) and (found := _sent(words)):
        kind, parameter = "unsupported", found
    elif status == 429 and "request too large" in words:
        kind = "context_too_long"
    elif status == 429 or "resource_exhausted" in words:
        quota = _QUOTA.search(words) and "rate_limit_exceeded" not in words and not _short_wait(data)
        kind = "quota" if quota else "rate_limited"
    elif status == 402 or "insufficient_quota" in words:
        kind = "quota"
    elif images and _NO_IMAGES.search(words):
        kind, limit = "too_many_images", 0
    elif images > 1 and (counted := _IMAGE_COUNT.search(words)):
        kind, limit = "too_many_images", int(next((g for g in counted.groups() if g), max(1, images // 2)))
    elif status != 404 and _CONTEXT.search(words):
        kind = "context_too_long"
    elif status == 413 or _LARGE.search(words) or (images and status == 404 and "cannot post" in words):
        kind = "too_large"
    elif _BLOCKED.search(words):
        kind = "blocked"
    elif status in (400, 422, 500, 501) and _SYSTEM.search(words):
        kind, parameter = "unsupported", "system"
    elif status in (400, 422, 500, 501) and _FORMAT.search(words):
        kind, parameter = "unsupported", "structured"
    elif status in (401, 403) or ((status == 400 and "api key" in words) or "api_key_invalid" in words):
        kind = "auth"
    elif status == 404 or _MISSING.search(words):
        kind = "not_found"
    elif status in (408, 504):
        kind = "timeout"
    elif _NOT_YET.search(words):
        later = True
    elif 300 <= status < 400:
        said = f"it redirects to {scrub(headers.get('location', 'elsewhere'))}; use that address"
    again = later or kind in ("rate_limited", "timeout") or (kind == "server" and status >= 500)
    wait = retry_after(headers, message, data) if again else None
    return ProviderFailed(
        kind, sentence(kind, said, limit), retry_after_s=wait, limit=limit, parameter=parameter, again=again
    )


def _sent(words: str) -> str:
    """The parameter of ours that the words find fault with, "" when they name none."""
    if _OUTPUT.search(words):
        return "fewer tokens"
    if "temperature" in words:  # it is always 0, and what has only a default must not be sent
        return "temperature"
    found = _PARAMETER.search(words) if _REFUSED_WORD.search(words) else None
    return ("detail" if "detail" in found[0] else "tokens") if found else ""


_SAYS = {
    "refused": "the model refused",
    "blocked": "the provider blocked this content",
    "empty": "the model answered nothing",
    "truncated": "the answer was cut off at the token limit",
    "malformed": "the answer does not have the form asked for",
    "rate_limited": "the provider asks to slow down; wait, or choose another model",
    "quota": "the account's quota or credit is used up; check billing, or choose another provider",
    "auth": "the key was not accepted; check it in Settings",
    "not_found": "the server has no such model or address; check the spec",
    "too_large": "the request is too large for the server; send fewer or smaller frames",
    "too_many_images": "the server takes fewer images in one request",
    "context_too_long": "the prompt is longer than the model's context; shorten the ledger view or choose another model",
    "timeout": "the model did not answer in time; try again, or allow longer (--model-timeout, or in Settings)",
    "connection": "the connection failed; is the server running, and is the address right?",
    "server": "the server failed",
    "unsupported": "the server refuses a parameter",
}


def sentence(kind: str, said: str, limit: int | None = None) -> str:
    """What is wrong and what to do, then the provider's own words (scrubbed, one line, at most 300 characters)."""
    says = "this server takes no images; choose a model with vision (llama.cpp: start it with --mmproj)"
    if not (kind == "too_many_images" and limit == 0):
        says = _SAYS.get(kind, kind)
    said = " ".join(scrub(said).split())
    said = said if len(said) <= 300 else f"{said[:297]}…"
    return f"{says} ({said})" if said else says


def _read(body: str) -> tuple[str, str, Any]:
    """Message, codes and parsed data of an error body."""
    text = body.strip()
    data = parsed(text)
    if isinstance(data, list) and data:
        data = data[0]
    if not isinstance(data, dict):
        return _plain(text)[:2_000], "", data
    error = mapping(data.get("error")) or data
    codes = [error.get(name) for name in ("code", "type", "status", "param")]
    details = error.get("details") or error.get("metadata") or ""
    said = _said(data) or text[:2_000]
    return _plain(said)[:20_000], f"{' '.join(str(c) for c in codes if c)} {json.dumps(details)[:2_000]}", data


def _said(node: Any, deep: int = 0) -> str:
    """The words of an error of any shape, with the place they speak of where there is one (FastAPI)."""
    if isinstance(node, str) or (isinstance(node, int) and not isinstance(node, bool)):
        return str(node)
    if isinstance(node, list) and deep < 8:
        return "; ".join(filter(None, (_said(one, deep + 1) for one in node[:3])))
    if not isinstance(node, dict) or deep >= 8:
        return ""
    names = ("message", "msg", "detail", "error", "errors", "text", "reason")
    said = next(filter(None, (_said(node.get(name), deep + 1) for name in names)), "")
    place = node.get("loc")
    return f"{'.'.join(map(str, place))}: {said}" if said and isinstance(place, list) else said


def _plain(text: str) -> str:
    """Of a web page, its title."""
    if not re.match(r"(?i)\s*(?:<!doctype|<html|<head|<body|<\?xml)", text):
        return text
    title = re.search(r"(?is)<title[^>]{0,99}>(.{0,300}?)</title>", text[:20_000])
    return f"a web page: {html.unescape(title[1]).strip()}" if title else "a web page instead of JSON"


_NUMBER = r"\d{1,12}(?:\.\d{1,9})?"
_WORDS = re.compile(
    rf"(?:try again in|retry after|retry in) ((?:{_NUMBER} ?(?:ms|hours?|h|minutes?|m|seconds?|s)(?![a-z]) ?)+)"
)
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}


def retry_after(headers: Mapping[str, str], message: str = "", data: Any = None) -> float | None:
    """Seconds the server asks to wait: `retry-after-ms`, `retry-after` (seconds or a date), its words, RetryInfo."""
    if (millis := _seconds(headers.get("retry-after-ms"))) is not None:
        return millis / 1000
    after = headers.get("retry-after") or ""
    if (asked := _seconds(after)) is not None:
        return asked
    try:
        when = parsedate_to_datetime(after)
        return max(0.0, (when.replace(tzinfo=when.tzinfo or UTC) - datetime.now(UTC)).total_seconds())
    except (ValueError, TypeError, OverflowError):
        pass
    if delay := re.search(rf'"retryDelay":\s*"({_NUMBER})s"', json.dumps(data or {})):
        return float(delay[1])
    if words := _WORDS.search(message.lower()):
        found = re.findall(rf"({_NUMBER}) ?(ms|h|m|s)", words[1])
        return sum(float(number) * _UNITS[unit] for number, unit in found)
    return None


def _seconds(text: str | None) -> float | None:
    try:
        value = float(text or "")
    except ValueError:
        return None
    return None if math.isnan(value) else max(0.0, value)


def _short_wait(data: Any) -> bool:
    """Gemini words its rate limits as quota; a short retry delay and no daily quota tell them apart."""
    text = json.dumps(data or {})
    return '"retryDelay"' in text and "PerDay" not in text and "limit: 0" not in text
