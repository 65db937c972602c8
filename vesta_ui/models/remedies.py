"""What to do about a failure of a provider: one concrete step for each kind, and for each way a connection can fail."""

from __future__ import annotations

import re

from vesta_ui.errors import BadSpec, ModelFailed
from vesta_ui.models.http import tidy
from vesta_ui.models.keys import VARIABLES, get_key

_CAUSES: tuple[tuple[str, str], ...] = (
    (r"wrong.version.number|record.layer|packet length too long|http request|unexpected eof", "the server speaks plain HTTP: write http:// in place of https://"),
    (r"certificate", "its certificate is not trusted: set SSL_CERT_FILE to the PEM file of its certificate, and write the host name it is made out for"),
    (r"name or service not known|nodename nor servname|getaddrinfo|name resolution|no address associated", "no machine has this name: check how the host is spelt, or write its number"),
    (r"refused", "nothing listens there: start the server (`ollama serve`, `llama-server --port N`, `vllm serve MODEL`, LM Studio: Developer → Start), or correct the port"),
    (r"unreachable|no route", "this network does not lead there: check the address, the VPN and the firewall"),
    (r"connecttimeout|handshake|timed out", "the machine does not answer at all: check the address, the VPN and the firewall"),
    (r"missing an 'http|unsupportedprotocol|unsupported protocol", "the address must begin with http:// or https://: correct it in the spec, or in OPENAI_BASE_URL or GOOGLE_GEMINI_BASE_URL"),
    (r"decompress|decodingerror|content-encoding", "what arrives is damaged on the way: go round the proxy, or switch off its compression"),
    (r"reset|without sending|illegal|remoteprotocolerror|localprotocolerror|buffer too long|incomplete", "what listens there does not speak HTTP, or only over TLS: correct the port, or write https:// in place of http://"),
)  # fmt: skip
"""Words of a failed connection → what to do."""

_KINDS = {
    "quota": "add credit or raise the limit on the provider's billing page, or choose another model",
    "rate_limited": "wait a minute and ask again; if it stays so, choose a smaller model or a higher tier",
    "refused": "choose another model: this one refuses even a harmless question",
    "blocked": "choose another model, or relax the content filter where the provider lets you",
    "empty": "choose a chat model (a base or embedding model answers nothing); a local server may lack its chat template",
    "truncated": "choose a model that thinks less, or lower its reasoning effort: the answer was not reached in time",
    "malformed": "choose a model that follows instructions, or a server that keeps to a JSON schema (vLLM, llama.cpp, Ollama, LM Studio do)",
    "too_large": "raise the server's limit on the size of a request, or choose another server: smaller frames were tried",
    "too_many_images": "choose a model with vision (llama.cpp: start it with --mmproj; vLLM: --limit-mm-per-prompt)",
    "context_too_long": "start the server with a longer context: `-c 16384` (llama.cpp), OLLAMA_CONTEXT_LENGTH=16384, `--max-model-len 16384` (vLLM)",
    "timeout": "wait until the model is loaded and idle, then ask again; choose a smaller model, or allow longer with --model-timeout or in Settings",
    "not_configured": "set the variable, or type the key in Settings",
}  # fmt: skip


def remedy(failure: ModelFailed, name: str) -> str:
    """One step that can end this failure of `name`, a provider or PROVIDER:MODEL."""
    words = str(failure).lower()
    match failure.kind:
        case "connection":
            said = (fix for pattern, fix in _CAUSES if re.search(pattern, words))
            return next(said, "start the server, and check host, port and path of its address")
        case "auth":
            return _key(name.partition(":")[0], words)
        case "not_found":
            if "web page" in words:
                return "this is the address of a web page: write that of the API, which mostly ends in /v1"
            return "correct the model's name, or the path of the address (most servers: /v1)"
        case "server":
            moved = re.search(r"it redirects to (\S+?);", str(failure))
            return _moved(moved[1], name) if moved else _server(words)
    return _KINDS.get(failure.kind, "look into the server's log")


def _moved(where: str, name: str) -> str:
    """What to write when a request was sent on; a place that is no longer an endpoint may be a page to log in at."""
    try:
        base = tidy(where)
    except BadSpec:
        base = where
    if base.rstrip("/") == where.rstrip("/"):
        return f"it redirects to {where}, which is no endpoint of an API: correct the address, or log in there first"
    provider = name.partition(":")[0]
    if provider == "compatible":
        return f"write the address it redirects to: {name}@{base}"
    return f"set the provider's base URL (OPENAI_BASE_URL, GOOGLE_GEMINI_BASE_URL) to what it redirects to: {base}"


def _key(provider: str, words: str) -> str:
    if re.search(r"country|region|location|unsupported_country", words):
        return "the provider does not serve this country: choose another one"
    variable = VARIABLES[provider][0] if provider in VARIABLES else "the key's variable"
    if provider in VARIABLES and not get_key(provider):
        return f"this server wants a key: set {variable}, or type it in Settings"
    return f"the key that is set is not the right one: replace {variable}, or type another in Settings"


def _server(words: str) -> str:
    if re.search(r"loading|warming|starting", words):
        return "the model is still being loaded: wait and ask again"
    if re.search(r"overloaded|capacity|unavailable|busy|bad gateway", words):
        return "the service is overloaded or down: ask again later, or choose another model"
    if "memory" in words:
        return "the server ran out of memory: choose a smaller model, or a shorter context"
    return "look into the server's log; restart or update it, or correct the address if it is not a model server"
