"""LiteLLM looks up no price and writes no log for a call; without the means to say so it works."""

from __future__ import annotations

import time
from typing import Any

import pytest

from tests.assistant.builders import model
from trace_core.assistant import llm, quiet
from trace_core.assistant.chat import ChatRequest, Control

REQUEST = ChatRequest("brief", "system", "user", {"type": "object", "properties": {}}, 50)
BOOKS = ("response_cost_calculator", "async_success_handler", "success_handler")
ARGUMENTS = {"model": "openai/x", "messages": [{"role": "user", "content": "x"}]}


@pytest.fixture
def kept(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The book-keeping that LiteLLM has done."""
    llm._litellm()  # with the environment that keeps it off the network
    from litellm.litellm_core_utils.litellm_logging import Logging

    done: list[str] = []

    def noting(name: str) -> Any:
        inner = getattr(Logging, name)

        def noted(*given: Any, **named: Any) -> Any:
            done.append(name)
            return inner(*given, **named)

        return noted

    for name in BOOKS:
        monkeypatch.setattr(Logging, name, noting(name))
    return done


def ask(server: Any) -> str:
    text = model(server).complete(REQUEST, Control()).text
    time.sleep(0.3)  # LiteLLM writes its log when the reply is out
    return text


def test_litellm_keeps_no_books(scripted: Any, kept: list[str]) -> None:
    assert ask(scripted(["fine"])) == "fine"
    assert kept == []


def test_it_would_keep_them_otherwise(
    scripted: Any, kept: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(llm, "without_bookkeeping", lambda arguments: arguments)
    assert ask(scripted(["fine"])) == "fine"
    assert {"response_cost_calculator", "async_success_handler"} <= set(kept)


def test_another_litellm_is_called_as_usual(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quiet, "_quiet_kind", lambda: None)
    assert quiet.without_bookkeeping(ARGUMENTS) == ARGUMENTS
    monkeypatch.setattr(quiet, "_quiet_kind", lambda: lambda model: None)
    assert quiet.without_bookkeeping(ARGUMENTS) == ARGUMENTS
