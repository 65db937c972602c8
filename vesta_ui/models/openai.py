"""OpenAI and every server that speaks its chat-completions wire format (vLLM, llama.cpp, Ollama, LM Studio).

The only importer of the `openai` SDK. The SDK makes the request; the answer is read here from plain JSON, because
compatible servers leave out or rename what the SDK's types require. Not tried live against api.openai.com.
"""

from __future__ import annotations

import base64
import json
import re
import time
from collections.abc import Callable, Mapping
from typing import Any, TypeVar
from urllib.parse import urljoin

import openai

from vesta_ui.control import Control
from vesta_ui.domain import Usage
from vesta_ui.errors import ModelFailed
from vesta_ui.models import Image, Known, Mode, Reply, Request, Spec, Turn
from vesta_ui.models.failures import ProviderFailed, classify, sentence
from vesta_ui.models.http import Remote, allow, tidy
from vesta_ui.models.keys import checked, get_key, need_key, scrub
from vesta_ui.models.structured import openai_schema
from vesta_ui.models.wire import decoded, items, mapping, parsed, tokens
from vesta_ui.settings import Settings

T = TypeVar("T")
REASONING = re.compile(r"^(?:o\d|gpt-5|gpt-oss|codex)")
"""OpenAI models that take no temperature and count their thinking into the output."""
EXPLAINS = ("error", "errors", "message", "msg", "detail")
"""Where servers say what is wrong under status 200."""
LIST_S = 20.0
"""Longest wait for a list of models."""
MOST_NAME = 200
"""Characters kept of the name of a listed model."""


class _Chat(Remote):
    bounded = False
    """Whether schemas carry lengths."""

    def __init__(self, spec: Spec, settings: Settings, url: str | None, key: str, default: Known) -> None:
        super().__init__(spec, settings)
        self._client = openai.OpenAI(api_key=key, base_url=url, max_retries=0, http_client=self._line.client)
        self._at(str(self._client.base_url), default)

    def complete(self, request: Request, control: Control) -> Reply:
        sent = sum(len(turn.images) for turn in request.turns)
        body = self._body(request)
        started = time.monotonic()
        raw = self._call(lambda: self._client.chat.completions.with_raw_response.create(**body), control, sent)
        text = decoded(raw.http_response.content)
        seconds = time.monotonic() - started
        data = _parse(text)
        if not isinstance(data, dict) or (not data.get("choices") and any(map(data.get, EXPLAINS))):
            raise _unreadable(text, data, raw.headers, sent)
        return _reply(data, raw.headers.get("x-request-id") or "", seconds, sent)

    def names(self, control: Control) -> list[str]:
        raw = self._call(lambda: self._client.models.with_raw_response.list(timeout=LIST_S), control, 0)
        return _listed(decoded(raw.http_response.content), raw.headers)

    def transcribe(self, wav: bytes, language: str, detailed: bool, control: Control) -> dict[str, Any]:
        """Speech in a WAV file: `text`, and when `detailed` also `segments`, `words` and `language`. Raises `ModelFailed`."""
        body: dict[str, Any] = {"model": self.model, "file": ("sound.wav", wav, "audio/wav")}
        if detailed:
            body |= {"response_format": "verbose_json", "timestamp_granularities": ["word", "segment"]}
        if language:
            body["language"] = language
        raw = self._call(lambda: self._client.audio.transcriptions.with_raw_response.create(**body), control, 0)
        data = _parse(text := decoded(raw.http_response.content))
        if not isinstance(data, dict) or "text" not in data:
            raise _unreadable(text, data, raw.headers)
        return data

    def _body(self, request: Request) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": self.model,
            "messages": _messages(request.turns, self.known),
            self.known.tokens_word: request.max_output_tokens,
        }
        if self.known.temperature:
            body["temperature"] = 0
        if request.schema and request.mode is Mode.SCHEMA:
            form = {
                "name": request.schema.__name__,
                "strict": True,
                "schema": openai_schema(request.schema, self.bounded),
            }
            body["response_format"] = {"type": "json_schema", "json_schema": form}
        elif request.schema and request.mode is Mode.OBJECT:
            body["response_format"] = {"type": "json_object"}
        return body

    def _call(self, call: Callable[[], T], control: Control, sent: int) -> T:
        """The SDK's exceptions as ours. Raises `ModelFailed` and `Stopped`."""
        allow(self.url)
        try:
            return self._line.run(call, control, self.settings.model_timeout_s)
        except openai.APITimeoutError as error:
            raise ProviderFailed("timeout", sentence("timeout", self.url), again=True) from error
        except openai.APIStatusError as error:
            raise classify(error.status_code, _text(error), _headers(error), sent) from error
        except openai.APIConnectionError as error:
            cause = f"{type(error.__cause__ or error).__name__}: {error.__cause__ or error}"
            raise ProviderFailed("connection", sentence("connection", f"{self.url}: {cause}"), again=True) from error
        except ModelFailed as error:
            raise ProviderFailed(error.kind, sentence(error.kind, str(error)), again=True) from error
        except (openai.OpenAIError, UnicodeError, ValueError) as error:
            raise ProviderFailed("server", sentence("server", f"{type(error).__name__}: {error}")) from error


class OpenAIModel(_Chat):
    """`openai:MODEL`. Key and address from `OPENAI_API_KEY` and `OPENAI_BASE_URL`, or a key typed for this session."""

    def __init__(self, spec: Spec, settings: Settings) -> None:
        key = need_key("openai", spec.model)
        thinks = bool(REASONING.match(spec.model))
        super().__init__(spec, settings, None, key, Known(tokens_word="max_completion_tokens", temperature=not thinks))
        if self.url.startswith("http") and (clean := tidy(self.url)) != self.url.rstrip("/"):
            self._client.base_url = self.url = f"{clean}/"


class CompatibleModel(_Chat):
    """`compatible:MODEL@URL`. The key is optional and never the one meant for OpenAI."""

    bounded = True

    def __init__(self, spec: Spec, settings: Settings) -> None:
        super().__init__(spec, settings, spec.url, checked(get_key("compatible") or "none"), Known())


# --------------------------------------------------------------------------------------- what is sent
def _messages(turns: tuple[Turn, ...], known: Known) -> list[dict[str, Any]]:
    """Turns as messages. Where no system role is known, instructions go in front of the first user message."""
    if not known.system:
        words = "\n\n".join(turn.text for turn in turns if turn.role == "system")
        rest = [turn for turn in turns if turn.role != "system"]
        first = rest[0]
        turns = (Turn("user", f"{words}\n\n{first.text}", first.images), *rest[1:])
    return [{"role": turn.role, "content": _content(turn, known.detail)} for turn in turns]


def _content(turn: Turn, detail: bool) -> str | list[dict[str, Any]]:
    if turn.video:
        raise ProviderFailed("too_large", "this provider takes no video file; choose a gemini model, or frames")
    if not turn.images:
        return turn.text
    parts: list[dict[str, Any]] = [{"type": "text", "text": turn.text}] if turn.text else []
    for image in turn.images:
        parts += [{"type": "text", "text": image.stamp}, _picture(image, detail)]
    return parts


def _picture(image: Image, detail: bool) -> dict[str, Any]:
    url = f"data:image/jpeg;base64,{base64.b64encode(image.jpeg).decode('ascii')}"
    return {"type": "image_url", "image_url": {"url": url, "detail": image.detail} if detail else {"url": url}}


# --------------------------------------------------------------------------------------- what comes back
def _reply(data: dict[str, Any], request_id: str, seconds: float, sent: int) -> Reply:
    """The first choice. Raises `ProviderFailed` (with the reply, so that its tokens are counted) when it is no answer."""
    choice = next(iter(items(data.get("choices"))), {})
    found = choice.get("message") or choice.get("delta") or {}
    message = found if isinstance(found, dict) else {"content": found}
    finish = str(choice.get("finish_reason") or "")
    thinking = _words(message.get("reasoning_content")) or _words(message.get("reasoning"))
    said = _words(message.get("content")) or _words(choice.get("text"))
    content = "\n".join(part for part in (said, _tool_call(message)) if part.strip())
    usage = _usage(mapping(data.get("usage")), seconds, sent)
    reply = Reply(content or thinking, usage, finish, request_id or str(data.get("id") or ""), seconds)
    refusal = _words(message.get("refusal")) or _refused(message.get("content"))
    if mapping(choice.get("error")) and finish not in ("stop", "tool_calls"):
        # OpenRouter: the provider behind it broke in the middle of its answer.
        failure = classify(_status_inside(choice), json.dumps({"error": choice["error"]}), {}, sent)
        failure.reply = reply
        raise failure
    if refusal:
        raise ProviderFailed("refused", sentence("refused", refusal), reply=reply)
    if finish == "content_filter":
        reasons = json.dumps(choice.get("content_filter_results") or "")
        raise ProviderFailed("blocked", sentence("blocked", f"content_filter {reasons}".strip(' "')), reply=reply)
    if finish in ("length", "max_tokens"):
        why = f"{usage.output_tokens} tokens" + ("" if content else ", all of them thinking")
        raise ProviderFailed("truncated", sentence("truncated", why), reply=reply, again=True)
    if not reply.text.strip():
        why = f"finish reason {finish}" if finish else "no choice in the answer"
        raise ProviderFailed("empty", sentence("empty", why), reply=reply, again=True)
    return reply


def _words(value: Any) -> str:
    """Text of a content field: a string, parts of which the text ones count, or the answer as an object."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "".join(_part(part) for part in value)
    return (_part(value) if "type" in value else json.dumps(value)) if isinstance(value, dict) and value else ""


def _part(part: Any) -> str:
    """Text of one part of a content field. Thinking is no part of the answer."""
    if isinstance(part, str):
        return part
    text = mapping(part).get("text")
    thought = re.search("reason|think", str(mapping(part).get("type")))
    return text if isinstance(text, str) and not thought else ""


def _refused(content: Any) -> str:
    """The refusal among the parts of a content field."""
    return " ".join(one["refusal"] for one in items(content) if isinstance(one.get("refusal"), str))


def _tool_call(message: dict[str, Any]) -> str:
    """A tool call nobody asked for, as the text of the same decision; its arguments are left as they came."""
    calls = items(message.get("tool_calls")) or [{"function": message.get("function_call")}]
    function = mapping(calls[0].get("function"))
    if not function.get("name"):
        return ""
    arguments = function.get("arguments")
    raw = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return f'{{"operation": {json.dumps(str(function["name"]))}, "arguments": {raw.strip() or "null"}}}'


def _usage(usage: dict[str, Any], seconds: float, sent: int) -> Usage:
    """Tokens as reported; None where the server does not say. Output includes reasoning, input includes cached."""

    def detail(group: str, name: str) -> int | None:
        said = tokens(mapping(usage.get(group)).get(name))
        return said if said is not None or not usage else 0

    return Usage(
        remote_requests=1,
        input_tokens=tokens(usage.get("prompt_tokens")),
        cached_tokens=detail("prompt_tokens_details", "cached_tokens"),
        output_tokens=tokens(usage.get("completion_tokens")),
        reasoning_tokens=detail("completion_tokens_details", "reasoning_tokens"),
        frames=sent,
        seconds=seconds,
    )


def _parse(text: str) -> Any:
    """The body as JSON; a stream of chunks nobody asked for is put together; None for anything else.

    Raises `ProviderFailed` for a stream that was cut off.
    """
    if (data := parsed(text)) is not None:
        return data
    lines = [line[5:].strip() for line in text.splitlines() if line.startswith("data:")]
    if not lines:
        return None
    message: dict[str, Any] = {"content": "", "reasoning_content": ""}
    function = {"name": "", "arguments": ""}
    whole: dict[str, Any] = {"usage": None}
    finish = None
    for chunk in (mapping(parsed(line)) for line in lines):
        if chunk.get("error"):
            return chunk
        whole |= {"id": chunk.get("id"), "usage": chunk.get("usage") or whole["usage"]}
        choice = next(iter(items(chunk.get("choices"))), {})
        delta = mapping(choice.get("delta"))
        finish = choice.get("finish_reason") or finish
        for name in message:
            message[name] += _words(delta.get(name))
        for call in items(delta.get("tool_calls")):
            for name in function if not call.get("index") else ():
                function[name] += _words(mapping(call.get("function")).get(name))
    if not finish and lines[-1] != "[DONE]":
        said = "the answer came as a stream, which broke off before its end"
        raise ProviderFailed("connection", sentence("connection", said), again=True)
    message["function_call"] = function
    return {**whole, "choices": [{"message": message, "finish_reason": finish}]}


def _listed(text: str, headers: Mapping[str, str]) -> list[str]:
    """The models of a server's list. Raises `ProviderFailed` when it is something else."""
    data = _parse(text)
    rows = data.get("data", data.get("models")) if isinstance(data, dict) else data
    if data is None or mapping(data).get("error"):
        raise _unreadable(text, data, headers)
    if rows is None and isinstance(data, dict) and "object" in data:
        rows = []
    if not isinstance(rows, list):
        raise ProviderFailed("malformed", sentence("malformed", f"no list of models: {text[:200]}"))
    names = (row.get("id") or row.get("name") if isinstance(row, dict) else row for row in rows)
    return sorted({scrub(name)[:MOST_NAME] for name in names if isinstance(name, str) and name})


def _unreadable(text: str, data: Any, headers: Mapping[str, str], sent: int = 0) -> ProviderFailed:
    """A page under status 200 is a wrong address; anything else that is no answer may be a passing fault."""
    status = 404 if text.lstrip().startswith("<") else _status_inside(data)
    body = json.dumps(data) if isinstance(data, dict) else text
    return classify(status, body or "an empty body", headers, sent)


def _status_inside(data: Any) -> int:
    """The status an error object names when HTTP itself said 200."""
    error = mapping(data).get("error")
    code = str(mapping(error if isinstance(error, dict) else data).get("code"))
    return int(code) if re.fullmatch("[345][0-9][0-9]", code) else 502


def _text(error: openai.APIStatusError) -> str:
    try:
        return decoded(error.response.content)
    except Exception:  # the body may have been cut off; the status still counts
        return ""


def _headers(error: openai.APIStatusError) -> Mapping[str, str]:
    """The answer's headers, with a place to go to as a whole address."""
    headers = dict(error.response.headers)
    if "location" in headers:
        headers["location"] = urljoin(str(error.request.url), headers["location"])
    return headers
