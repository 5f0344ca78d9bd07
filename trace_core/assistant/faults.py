"""What a failed call means: wait and try again, ask in another way, or tell the person.

In: an exception of LiteLLM. Out: a `Fault` with one plain sentence. The classes are told by
their HTTP status and by name, so that this module needs no LiteLLM.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Literal

Kind = Literal[
    "busy",
    "broken",
    "no reply",
    "timeout",
    "unreachable",
    "key",
    "model",
    "format",
    "refused",
    "long",
    "quota",
]

RETRYABLE: frozenset[Kind] = frozenset({"busy", "broken", "no reply", "timeout", "unreachable"})

_FORMAT_WORDS = ("response_format", "json_schema", "json_object", "schema", "guided", "grammar")
_QUOTA_WORDS = ("insufficient_quota", "exceeded your current quota", "billing")
_POLICY_WORDS = ("content_policy", "content management policy", "content_filter")
_LONG_WORDS = ("context_length_exceeded", "maximum context length", "exceed_context_size")
_NO_KEY_WORDS = ("api_key client option must be set", "missing credentials", "no api key")
_UNREACHABLE_WORDS = ("connection error", "cannot connect", "connection refused", "name or service")
_NO_REPLY_WORDS = (
    "invalid response object",
    "empty or invalid response",
    "expecting value: line",
    "that is not a list",
    "codec can't decode",
    "the reply has no choices",
)
_HANG_UPS = ("ReadError", "RemoteProtocolError", "ClientPayloadError", "ServerDisconnectedError")
_SHOWN = 200
_LONGEST_BODY = 2000

_PREFIXES = re.compile(r"^(?:(?:litellm\.)?\w*(?:Error|Exception)\w*\s*[:-]\s*)+")

UNNAMED = "?"
"""The parameter of a refused request whose refusal names none."""


@dataclass(frozen=True, slots=True)
class Fault:
    """What went wrong. `wait` is the server's wish in seconds, None when it has none.

    `parameter` names what the server does not accept, where that can be told.
    """

    kind: Kind
    sentence: str
    wait: float | None = None
    parameter: str = ""


def read_fault(error: BaseException) -> Fault:
    """The fault behind an exception of a call."""
    name, text = type(error).__name__, str(error)
    status = getattr(error, "status_code", None)
    status = status if isinstance(status, int) else 0
    lowered = f"{text} {_body_of(error)}".lower()
    detail = _shown(text)
    if name == "ContextWindowExceededError" or any(w in lowered for w in _LONG_WORDS):
        return Fault("long", f"The text is too long for the model ({detail}).")
    if name == "ContentPolicyViolationError" or any(w in lowered for w in _POLICY_WORDS):
        return Fault("refused", "The model's provider refused to read this text.")
    if name in ("Timeout", "APITimeoutError", "TimeoutError") or status == 408:
        return Fault("timeout", "The model did not answer in time.")
    if status in (401, 403) or any(word in lowered for word in _NO_KEY_WORDS):
        return Fault("key", f"The model's server refused the key, or none is set ({detail}).")
    if any(type(cause).__name__ in _HANG_UPS for cause in _causes(error)):
        return Fault("broken", "The model's server ended the connection in the middle.")
    if any(word in lowered for word in _UNREACHABLE_WORDS):
        return Fault("unreachable", "The model's server cannot be reached.")
    if status == 413:
        return Fault("long", f"The text is too long for the model's server ({detail}).")
    if any(word in lowered for word in _NO_REPLY_WORDS):
        sentence = "The model's server sent no reply in the form of the OpenAI protocol."
        return Fault("no reply", sentence)
    if status in (402, 429):
        if status == 402 or any(word in lowered for word in _QUOTA_WORDS):
            return Fault("quota", f"The account with the model's provider is used up ({detail}).")
        return Fault("busy", "The model's server asks to wait (429).", retry_after(error))
    if status >= 500 or name == "APIConnectionError":
        sentence = f"The model's server broke down ({status or 'no answer'})."
        # Some servers break down over a form of reply that they do not know.
        form = "response_format" if any(word in lowered for word in _FORMAT_WORDS) else ""
        return Fault("broken", sentence, retry_after(error), parameter=form)
    return _refusal(status, lowered, detail)


def _refusal(status: int, lowered: str, detail: str) -> Fault:
    if status == 404:
        return Fault("model", f"The model's server does not know the model or path ({detail}).")
    if any(word in lowered for word in _FORMAT_WORDS):
        sentence = f"The model's server does not know this form of reply ({detail})."
        return Fault("format", sentence, parameter="response_format")
    if "temperature" in lowered:
        sentence = f"The model takes no temperature ({detail})."
        return Fault("format", sentence, parameter="temperature")
    sentence = f"The model's server does not take the request ({detail})."
    return Fault("model", sentence, parameter=UNNAMED if status in (400, 422) else "")


def retry_after(error: BaseException, now: datetime | None = None) -> float | None:
    """Seconds that the Retry-After header asks for (a number or an HTTP date), None without."""
    headers = getattr(getattr(error, "response", None), "headers", None)
    if not isinstance(headers, Mapping):
        return None
    lowered = {str(name).lower(): str(value) for name, value in headers.items()}
    value = lowered.get("retry-after", "").strip()
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        moment = parsedate_to_datetime(value)
    except (TypeError, ValueError):
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - (now or datetime.now(UTC))).total_seconds())


def _body_of(error: BaseException) -> str:
    """What the server said where it said it in plain words, which the exception may not repeat."""
    body = getattr(error, "body", None)
    told = body if isinstance(body, str) and not body.lstrip().startswith("<") else ""
    return told[:_LONGEST_BODY]


def _causes(error: BaseException) -> Iterator[BaseException]:
    """The error and what it came from, innermost last."""
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        yield current
        current = current.__cause__ or current.__context__


def _shown(text: str) -> str:
    """The start of a server's message on one line; long ones and HTML pages help nobody."""
    line = _PREFIXES.sub("", " ".join(text.split()))
    return line if len(line) <= _SHOWN else line[:_SHOWN].rstrip() + "…"
