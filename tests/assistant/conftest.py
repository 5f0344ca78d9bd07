"""What the assistant's tests share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.servers.scripted import scripted

__all__ = ["scripted"]


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No test sees, or sends, a key of the person who runs it."""
    for name in ("TRACE_API_KEY", "OPENAI_API_KEY", "OPENAI_API_BASE", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    for name in ("OLLAMA_API_BASE", "OLLAMA_HOST"):
        monkeypatch.delenv(name, raising=False)
    yield
