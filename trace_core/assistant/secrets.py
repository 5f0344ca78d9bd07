"""Keys: found in the environment or in secrets that are handed in, and kept out of every text.

A key is never part of a setting, a record, an event or an error. Whatever text leaves the model
port goes through `Redactor` first: the keys known here are cut out wherever they stand (a server
may repeat a key in its error or its reply), and so is whatever looks like a key.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence

_API_KEY_NAME = re.compile(r"API_?KEY$", re.IGNORECASE)
_SECRET_NAME = re.compile(r"(?:^|_)(?:KEY|TOKEN|SECRET|PASSWORD)$", re.IGNORECASE)
REDACTED = "[key removed]"
NO_KEY = "not-needed"
OWN_KEY = "TRACE_API_KEY"

_SECRET_ENDS = ("KEY", "TOKEN", "SECRET", "PASSWORD")
_SHORTEST_API_KEY = 6
_SHORTEST_SECRET = 16  # shorter values of other variables may be plain words
_LOOKS_LIKE_KEY = re.compile(
    r"""
    \b(?:sk|pk|rk|gsk|xai|key|hf|r8|pplx|nvapi)[-_](?=[\w\-*]*\d)[\w\-*]{8,}  # known prefixes
    | \bAIza[\w\-]{20,}
    | (?<=Bearer\ )(?=\S*\d)[^\s"',;]{8,}
    | (?<=://)[^/\s:@]+:[^/\s@]+(?=@)                                       # user:password@host
    | (?i:(?<=api_key=)|(?<=api-key:\ )|(?<=apikey=)|(?<=api_key:\ ))[^\s"',;&]{6,}
    """,
    re.VERBOSE,
)


_MARKS = (
    *(f"{p}{sep}" for p in "sk pk rk gsk xai key hf r8 pplx nvapi".split() for sep in "-_"),
    *("AIza", "Bearer ", "://", "key=", "key:", "Key=", "Key:", "KEY=", "KEY:"),
)
"""What a text must hold before the slow pattern is tried on it at all."""


class Redactor:
    """Cuts keys out of texts."""

    def __init__(self, secrets: Mapping[str, object] | None = None) -> None:
        self._secrets = secrets or {}

    def __call__(self, text: str) -> str:
        """The text without any key known now and without what looks like one."""
        return self.all(text)[0] if text else text

    def all(self, *texts: str) -> tuple[str, ...]:
        """The same for several texts; the environment is looked through once."""
        keys = sorted(self._known(), key=len, reverse=True)
        return tuple(_without(keys, text) for text in texts)

    def _known(self) -> set[str]:
        return {*_values(os.environ), *_values(self._secrets)} - {NO_KEY}


def _without(keys: Sequence[str], text: str) -> str:
    for key in keys:
        text = text.replace(key, REDACTED)
    if any(mark in text for mark in _MARKS):
        return _LOOKS_LIKE_KEY.sub(REDACTED, text)
    return text


def find_key(provider: str, secrets: Mapping[str, object] | None = None) -> str | None:
    """The key for a provider: TRACE_API_KEY, else PROVIDER_API_KEY; secrets before environment."""
    for name in (OWN_KEY, f"{provider.upper()}_API_KEY"):
        for place in (secrets or {}, os.environ):
            value = place.get(name)
            if isinstance(value, str) and value.strip():
                return value.strip()
    return None


def find_own_key(secrets: Mapping[str, object] | None = None) -> str | None:
    """TRACE_API_KEY alone: the only key that is ever sent to a server on this machine."""
    return find_key("trace", secrets)


def _values(place: Mapping[str, object]) -> Iterator[str]:
    environment = place is os.environ
    for name in place:
        secret = name.upper().endswith(_SECRET_ENDS)
        if environment and not secret:
            continue  # the environment is asked at every call, and reading a value costs most
        value = place[name]
        if isinstance(value, Mapping):
            yield from _values(value)
            continue
        if not secret:
            continue
        key = value.strip() if isinstance(value, str) else ""
        api_key = _API_KEY_NAME.search(name) and len(key) >= _SHORTEST_API_KEY
        if api_key or (_SECRET_NAME.search(name) and len(key) >= _SHORTEST_SECRET):
            yield key
