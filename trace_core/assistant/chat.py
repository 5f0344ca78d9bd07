"""The model port: one request in, one reply out. What the tasks need of any model, and no more.

`trace_core.assistant.llm` fulfils it over LiteLLM; tests and benchmarks may fulfil it in memory.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from trace_core.domain.errors import ModelTrouble
from trace_core.domain.events import CallMade


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """One call: a system and a user text, and the form of the reply.

    `schema` is the reply's strict JSON schema, named by `stage`; `max_tokens` bounds the reply.
    """

    stage: str
    system: str
    user: str
    schema: dict[str, Any]
    max_tokens: int


@dataclass(frozen=True, slots=True)
class Failure:
    """A try that brought no reply: what went wrong, in one sentence, and the seconds it took."""

    problem: str
    seconds: float


@dataclass(frozen=True, slots=True)
class ChatReply:
    """A reply as it came, without keys. `price` is in US dollars, None when unknown.

    `estimated` marks tokens that the server did not count; `cut_off` a reply that was stopped at
    its token limit; `refused` a sentence when the provider declined to answer this very text;
    `failures` the tries before this reply; `mode` how structure was asked for.
    """

    text: str
    tokens_in: int
    tokens_out: int
    seconds: float
    price: float | None = None
    estimated: bool = False
    cut_off: bool = False
    refused: str = ""
    failures: tuple[Failure, ...] = ()
    mode: str = "text"


def _never() -> bool:
    return False


def _silent(reason: str, seconds: float) -> None:
    del reason, seconds


def _unlimited(calls: Sequence[CallMade], tokens: int) -> None:
    del calls, tokens


@dataclass(frozen=True, slots=True)
class Control:
    """A person's hand on the model's calls.

    `should_stop` is asked while anything is waited for. `pause(reason, seconds)` is called when
    a wait begins, with its length, and with ("", 0) when it is over. `check_budget(calls,
    tokens)` is called before each call with those already made in this task and the tokens that
    the next may take; it raises BudgetSpent where a cap forbids it.
    """

    should_stop: Callable[[], bool] = _never
    pause: Callable[[str, float], None] = _silent
    check_budget: Callable[[Sequence[CallMade], int], None] = _unlimited


class TooLong(Exception):
    """The server says that the request does not fit its context; it can be made shorter."""


class CallFailed(Exception):
    """The call came to nothing: the error for the person, and the tries before it."""

    def __init__(self, error: ModelTrouble, failures: Sequence[Failure] = ()) -> None:
        super().__init__(str(error))
        self.error = error
        self.failures = tuple(failures)


class ChatModel(Protocol):
    """A language model."""

    @property
    def name(self) -> str:
        """The model's name, as the record gives it."""

    @property
    def local(self) -> bool:
        """Whether what it is shown stays on this machine."""

    @property
    def context_tokens(self) -> int:
        """Tokens of request and reply together that the model takes."""

    def complete(self, request: ChatRequest, control: Control) -> ChatReply:
        """The reply. Raises TooLong, or CallFailed with a ModelTrouble inside."""
