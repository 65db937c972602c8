"""Google Gemini: pictures inline, or a whole video file that the provider holds while it is asked about.

The only importer of the `google-genai` SDK. The SDK makes the request; the answer is read here from plain JSON, so that a
blocked or empty one is named rather than raised from inside. Not tried live against the real service.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

from google import genai
from google.genai import errors, types

from vesta_ui.control import Control
from vesta_ui.domain import Usage
from vesta_ui.errors import ModelFailed, Stopped
from vesta_ui.models import Known, Mode, Reply, Request, Spec, Turn, VideoPart
from vesta_ui.models.failures import ProviderFailed, classify, sentence
from vesta_ui.models.http import Broken, Remote, TimedOut, allow, without_secret
from vesta_ui.models.keys import need_key, scrub
from vesta_ui.models.structured import gemini_schema
from vesta_ui.models.wire import decoded, items, mapping, parsed, tokens
from vesta_ui.settings import Settings

T = TypeVar("T")
ADDRESS = "https://generativelanguage.googleapis.com"
VERSION = "v1beta"
BLOCKED = {"SAFETY", "PROHIBITED_CONTENT", "BLOCKLIST", "SPII", "RECITATION", "IMAGE_SAFETY", "LANGUAGE"}
MALFORMED = {"MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS"}
MOST_IMAGES = 3_000
POLL_S = 2.0


class GeminiModel(Remote):
    """`gemini:MODEL`. Key from `GEMINI_API_KEY` or typed for this session, address from `GOOGLE_GEMINI_BASE_URL`."""

    def __init__(self, spec: Spec, settings: Settings) -> None:
        key = need_key("gemini", spec.model)
        super().__init__(spec, settings)
        address = without_secret(os.environ.get("GOOGLE_GEMINI_BASE_URL") or ADDRESS).rstrip("/")
        self._at(address.removesuffix(f"/{VERSION}"), Known(max_images=MOST_IMAGES))
        options = types.HttpOptions(
            base_url=self.url,
            api_version=VERSION,
            timeout=round(settings.model_timeout_s * 1000),
            retry_options=types.HttpRetryOptions(attempts=1),
            httpx_client=self._line.client,
        )
        self._client = genai.Client(api_key=key, vertexai=False, http_options=options)

    def complete(self, request: Request, control: Control) -> Reply:
        sent = sum(len(turn.images) for turn in request.turns)
        contents = [_content(turn) for turn in request.turns if turn.role != "system"]
        config = self._config(request)
        started = time.monotonic()
        answer = self._call(
            lambda: self._client.models.generate_content(model=self.model, contents=contents, config=config),
            control,
            self.settings.model_timeout_s,
            sent,
        )
        raw = answer.sdk_http_response
        body = (raw.body if raw else "") or ""
        headers = (raw.headers if raw else None) or {}
        data = parsed(body)
        if isinstance(data, list) and data:
            data = data[0]
        if not isinstance(data, dict) or data.get("error"):
            raise classify(502, body or "an empty body", headers, sent)
        return _reply(data, time.monotonic() - started, sent)

    def names(self, control: Control) -> list[str]:
        found = self._call(lambda: list(self._client.models.list()), control, 30.0, 0)
        return sorted({scrub(row.name).removeprefix("models/") for row in found if row.name})

    @contextlib.contextmanager
    def uploaded(
        self, path: Path, control: Control, mime: str = "video/mp4", limit_s: float = 300.0
    ) -> Iterator[VideoPart]:
        """The file at the provider, ready to be asked about; deleted there on leaving, whatever happened.

        Raises `ModelFailed`: "timeout" when it is not ready after `limit_s`, "malformed" when the provider cannot read
        it. Raises `Stopped`.
        """
        # The name is ours, so that a file whose upload was interrupted can be deleted as well.
        name = f"files/vesta-{secrets.token_hex(8)}"
        config = types.UploadFileConfig(name=name, mime_type=mime, display_name="video")
        deadline = time.monotonic() + limit_s
        try:
            file = self._call(lambda: self._client.files.upload(file=path, config=config), control, limit_s, 0)
            while (state := _state(file)) != "ACTIVE":
                if state == "FAILED":
                    reason = (file.error.message if file.error else "") or "no reason given"
                    raise ModelFailed(
                        "malformed", f"the provider could not read the video: {reason}; send frames instead"
                    )
                if time.monotonic() > deadline:
                    raise ModelFailed("timeout", f"the uploaded video was not ready after {limit_s:.0f} s; send frames")
                control.wait(POLL_S)
                file = self._call(lambda: self._client.files.get(name=name), control, 30.0, 0)
            yield VideoPart(file.uri or "", file.mime_type or mime)
        finally:
            with contextlib.suppress(ModelFailed, Stopped):
                self._call(lambda: self._client.files.delete(name=name), Control(), 30.0, 0)

    def _config(self, request: Request) -> types.GenerateContentConfig:
        system = "\n\n".join(turn.text for turn in request.turns if turn.role == "system")
        details = {image.detail for turn in request.turns for image in turn.images}
        config = types.GenerateContentConfig(
            system_instruction=system or None,
            max_output_tokens=request.max_output_tokens,
            should_return_http_response=True,
            automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
        )
        if self.known.temperature and not self.model.startswith("gemini-3"):
            config.temperature = 0
        if details:
            name = "HIGH" if "high" in details else "MEDIUM" if "auto" in details else "LOW"
            config.media_resolution = types.MediaResolution(f"MEDIA_RESOLUTION_{name}")
        if request.schema and request.mode is not Mode.TEXT:
            config.response_mime_type = "application/json"
            if request.mode is Mode.SCHEMA:
                config.response_schema = types.Schema.model_validate(gemini_schema(request.schema))
        return config

    def _call(self, call: Callable[[], T], control: Control, limit_s: float, sent: int) -> T:
        """The SDK's exceptions as ours. Raises `ModelFailed` and `Stopped`."""
        allow(self.url)
        try:
            return self._line.run(call, control, limit_s)
        except errors.APIError as error:
            response = error.response
            headers = getattr(response, "headers", None) or {}
            raise classify(error.code or 500, _body(error), headers, sent) from error
        except TimedOut as error:
            raise ProviderFailed("timeout", sentence("timeout", self.url), again=True) from error
        except Broken as error:
            said = f"{self.url}: {type(error).__name__}: {error}"
            raise ProviderFailed("connection", sentence("connection", said), again=True) from error
        except ModelFailed as error:
            raise ProviderFailed(error.kind, sentence(error.kind, str(error)), again=True) from error
        except OSError as error:
            raise ProviderFailed("connection", sentence("connection", f"{self.url}: {error}"), again=True) from error
        except (ValueError, KeyError, RecursionError, errors.UnknownApiResponseError) as error:
            raise ProviderFailed("server", sentence("server", f"{type(error).__name__}: {error}")) from error


def _content(turn: Turn) -> types.Content:
    parts = [types.Part(text=turn.text)] if turn.text else []
    if turn.video:
        file = types.FileData(file_uri=turn.video.uri, mime_type=turn.video.mime)
        parts.insert(0, types.Part(file_data=file))
    for image in turn.images:
        blob = types.Blob(data=image.jpeg, mime_type="image/jpeg")
        parts += [types.Part(text=image.stamp), types.Part(inline_data=blob)]
    return types.Content(role="model" if turn.role == "assistant" else "user", parts=parts)


def _reply(data: dict[str, Any], seconds: float, sent: int) -> Reply:
    """The first candidate. Raises `ProviderFailed` (with the reply, so that its tokens are counted) when it is no answer."""
    candidate = next(iter(items(data.get("candidates"))), {})
    parts = items(mapping(candidate.get("content")).get("parts"))
    said = "".join(str(p.get("text") or "") for p in parts if not p.get("thought"))
    called = next((found for p in parts if (found := mapping(p.get("functionCall")))), None)
    call = json.dumps({"operation": called.get("name"), "arguments": called.get("args")}) if called else ""
    text = "\n".join(part for part in (said, call) if part.strip())
    finish = str(candidate.get("finishReason") or "").upper()
    usage = _usage(mapping(data.get("usageMetadata")), seconds, sent)
    reply = Reply(text, usage, finish, str(data.get("responseId") or ""), seconds)
    feedback = mapping(data.get("promptFeedback"))
    reason = str(feedback.get("blockReason") or "") or (finish if finish in BLOCKED else "")
    said = " ".join(str(s) for s in (reason, feedback.get("blockReasonMessage"), candidate.get("finishMessage")) if s)
    if reason:
        raise ProviderFailed("blocked", sentence("blocked", said), reply=reply)
    if finish in MALFORMED:
        why = f"{finish} {candidate.get('finishMessage') or ''}"
        raise ProviderFailed("malformed", sentence("malformed", why), reply=reply, again=True)
    if finish == "MAX_TOKENS":
        why = f"{usage.output_tokens} tokens" + ("" if text else ", all of them thinking")
        raise ProviderFailed("truncated", sentence("truncated", why), reply=reply, again=True)
    if not text.strip():
        why = f"finish reason {finish}" if finish else "no candidate in the answer"
        raise ProviderFailed("empty", sentence("empty", why), reply=reply, again=True)
    return reply


def _usage(usage: dict[str, Any], seconds: float, sent: int) -> Usage:
    """Tokens as reported; None where the server does not say. Output includes thinking (SAVE §A.1), input includes cached."""

    def number(name: str, missing: int | None) -> int | None:
        return missing if usage.get(name) is None else tokens(usage[name])

    rest = 0 if "promptTokenCount" in usage else None
    spoken, thought = number("candidatesTokenCount", rest), number("thoughtsTokenCount", rest)
    return Usage(
        remote_requests=1,
        input_tokens=number("promptTokenCount", None),
        cached_tokens=number("cachedContentTokenCount", rest),
        output_tokens=None if spoken is None else spoken + (thought or 0),
        reasoning_tokens=thought,
        frames=sent,
        seconds=seconds,
    )


def _state(file: types.File) -> str:
    return str(getattr(file.state, "value", file.state) or "ACTIVE")


def _body(error: errors.APIError) -> str:
    content = getattr(error.response, "content", None)
    return decoded(content) if isinstance(content, bytes) else json.dumps(error.details, default=str)
