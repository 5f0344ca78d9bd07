"""A server's reply in the form of the protocol, where the server has taken another one.

In: the body as it came, as a dictionary. It is changed in place: a content of several parts
becomes one text (parts that think are left out), a content that is an object becomes its JSON, a
call of a tool that nobody offered becomes the text that it carries (or the action that it
names), counts of tokens become whole
numbers. Nothing is made up: what cannot be told stays as it is.
"""

from __future__ import annotations

import json
from typing import Any, get_args

from trace_core.domain.question import ActionName

_COUNTS = ("prompt_tokens", "completion_tokens", "total_tokens")
_MOST_TOKENS = 2**31 - 1
_TEXTS = ("text", "output_text")


def mend(body: dict[str, Any]) -> None:
    """Bring a reply into the form of the protocol."""
    choices = body.get("choices")
    for choice in choices if isinstance(choices, list) else []:
        if isinstance(choice, dict):
            _mend_choice(choice)
    if "usage" in body:
        body["usage"] = _usage(body["usage"])


def whole_tokens(value: object) -> int:
    """A count of tokens as a whole number; 0 for what is none."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return 0
    return int(value) if 0 <= value <= _MOST_TOKENS else 0


def _mend_choice(choice: dict[str, Any]) -> None:
    if choice.get("message") is None and isinstance(choice.get("text"), str):
        choice["message"] = {"role": "assistant", "content": choice["text"]}
    message = choice.get("message")
    if not isinstance(message, dict):
        return
    content = _text(message.get("content"))
    if not content and (called := _called(message.get("tool_calls"))):
        content = called
        message["tool_calls"] = None
        choice["finish_reason"] = "stop"
    message["content"] = content
    if choice.get("finish_reason") is not None and not isinstance(choice["finish_reason"], str):
        choice["finish_reason"] = "stop"


def _text(content: object) -> str | None:
    if content is None or isinstance(content, str):
        return content
    if isinstance(content, list):
        return "".join(map(_part, content))
    return json.dumps(content, ensure_ascii=False)


def _part(part: object) -> str:
    if isinstance(part, str):
        return part
    if isinstance(part, dict) and part.get("type", "text") in _TEXTS:
        return part["text"] if isinstance(part.get("text"), str) else ""
    return ""


def _called(calls: object) -> str:
    """What the first call of a tool was given, with the tool's name where that is an action."""
    first = calls[0] if isinstance(calls, list) and calls else None
    function = first.get("function") if isinstance(first, dict) else None
    if not isinstance(function, dict):
        return ""
    given = function.get("arguments")
    if function.get("name") in get_args(ActionName):
        return json.dumps({"action": function["name"], "args": given}, ensure_ascii=False)
    return (_text(given) or "") if given else ""


def _usage(usage: object) -> dict[str, Any] | None:
    """The counts as whole numbers; None where they are no counts."""
    if not isinstance(usage, dict):
        return None
    return {**usage, **{name: whole_tokens(usage.get(name)) for name in _COUNTS}}
