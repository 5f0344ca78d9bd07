"""Every call on record, and none paid for twice.

In: a request with the state that asks. Out: what was read from the reply, and the calls as
events. A call is kept whole (request, reply, tokens, time, price) under the key SHA-256 of (run,
stage, state, prompt hash, attempt) before anything is made of it; asked again for the same
state, the record answers, also with a reply that could not be read. A try that brought no reply
is kept too, under a key that no later call will find.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from trace_core.assistant.chat import (
    CallFailed,
    ChatModel,
    ChatReply,
    ChatRequest,
    Control,
    Failure,
)
from trace_core.assistant.replies import Unreadable
from trace_core.assistant.secrets import Redactor
from trace_core.assistant.tokens import estimate_tokens
from trace_core.domain.errors import ModelTrouble
from trace_core.domain.events import CallMade, now
from trace_core.ports import CallLog, CallRecord

T = TypeVar("T")

_ID_DIGITS = 20


@dataclass(frozen=True, slots=True)
class Question(Generic[T]):
    """One call to be made: the request, what it is for, and how its reply is read.

    `read` raises Unreadable. `state` is the asking state's name, "" to use the request itself.
    """

    request: ChatRequest
    state: str
    prompt_hash: str
    attempt: int
    read: Callable[[ChatReply], T]


@dataclass(frozen=True, slots=True)
class Answer(Generic[T]):
    """What was read (None: nothing, and `problem` says why), and the calls that it took."""

    value: T | None
    problem: str
    calls: tuple[CallMade, ...]
    cut_off: bool = False
    refused: bool = False


def call_key(run: str, stage: str, state: str, prompt_hash: str, attempt: int) -> str:
    """The key under which a call is found again, as 64 hex digits."""
    return _digest(run, stage, state, prompt_hash, str(attempt))


class Recorder:
    """Asks a model on behalf of one run, through the record."""

    def __init__(self, model: ChatModel, log: CallLog, run: str, control: Control) -> None:
        self._model, self._log, self._run, self._control = model, log, run, control
        self._redact = Redactor()

    def ask(self, question: Question[T], earlier: Sequence[CallMade] = ()) -> Answer[T]:
        """The answer from the record, else from the model.

        `earlier` are the calls already made in the same task, for the budget and for errors.
        Raises ModelTrouble (with `calls`) or TooLong.
        """
        question = self._without_keys(question)
        key, found = self._find(question)
        reply = self._call(question, key, earlier) if found is None else _reply_of(found)
        value: T | None = None
        problem = reply.refused
        if not problem:
            try:
                value = question.read(reply)
            except Unreadable as error:
                problem = str(error)
        record = found or self._record(question, key, reply, problem)
        if found is None:
            self._log.save(record)
        calls = _events(record, reply, question.attempt, ok=value is not None)
        return Answer(value, problem, calls, reply.cut_off, bool(reply.refused))

    def _without_keys(self, question: Question[T]) -> Question[T]:
        """The question with every key cut out of its texts: no model is shown one either."""
        request = question.request
        system, user = self._redact.all(request.system, request.user)
        return replace(question, request=replace(request, system=system, user=user))

    def _find(self, question: Question[T]) -> tuple[str, CallRecord | None]:
        """The call's key, and its record if it was made before.

        A record under the same key that asked something else is another state's, whatever the
        state was called; the request itself then becomes part of the key.
        """
        request = question.request
        content = _digest(request.system, request.user)
        state = question.state or content
        key = call_key(self._run, request.stage, state, question.prompt_hash, question.attempt)
        found = self._log.find(self._run, key)
        if found is not None and _content_of(found) != content:
            key = _digest(key, content)
            found = self._log.find(self._run, key)
        return key, found

    def _call(self, question: Question[T], key: str, earlier: Sequence[CallMade]) -> ChatReply:
        request = question.request
        tokens = estimate_tokens(request.system, request.user) + request.max_tokens
        try:
            self._control.check_budget(tuple(earlier), tokens)
            reply = self._model.complete(request, self._control)
        except ModelTrouble as error:
            error.calls = tuple(earlier)
            raise
        except CallFailed as failed:
            failures = self._keep_failures(question, _digest(key, now()), failed.failures)
            failed.error.calls = (*earlier, *failures)
            raise failed.error from None
        self._keep_failures(question, key, reply.failures)
        return replace(reply, text=self._redact(reply.text))

    def _keep_failures(
        self, question: Question[T], key: str, failures: Sequence[Failure]
    ) -> tuple[CallMade, ...]:
        """Keep tries without a reply; each counts as a call without tokens or price."""
        made = []
        for number, failure in enumerate(failures, 1):
            record = self._record(question, _digest(key, str(number)), None, failure.problem)
            self._log.save(replace(record, seconds=failure.seconds))
            made.append(_failed_event(record, failure, question.attempt))
        return tuple(made)

    def _record(
        self, question: Question[T], key: str, reply: ChatReply | None, problem: str
    ) -> CallRecord:
        request = question.request
        messages = [
            {"role": "system", "content": request.system},
            {"role": "user", "content": request.user},
        ]
        sent = {
            "model": self._model.name,
            "messages": messages,
            "max_tokens": request.max_tokens,
            "mode": reply.mode if reply else "",
        }
        return CallRecord(
            id=_call_id(self._run, key),
            run=self._run,
            key=key,
            stage=request.stage,
            model=self._model.name,
            prompt_hash=question.prompt_hash,
            request=json.dumps(sent, ensure_ascii=False),
            reply=reply.text if reply else "",
            tokens_in=reply.tokens_in if reply else 0,
            tokens_out=reply.tokens_out if reply else 0,
            seconds=reply.seconds if reply else 0.0,
            price=reply.price if reply else None,
            time=now(),
            problem=self._redact(problem),
            meta=_meta(question, reply),
        )


# --- between replies, records and events ---------------------------------------------------------


def asked_and_answered(record: CallRecord) -> tuple[str, str, str, ChatReply | None]:
    """(stage, system, user, reply) of a recorded call; None for a try that brought no reply."""
    system, user = (message["content"] for message in json.loads(record.request)["messages"])
    failed = bool(record.meta.get("failed"))
    return record.stage, system, user, None if failed else _reply_of(record)


def _content_of(record: CallRecord) -> str:
    """The digest of what a recorded call asked."""
    return _digest(*(message["content"] for message in json.loads(record.request)["messages"]))


def _meta(question: Question[T], reply: ChatReply | None) -> dict[str, str]:
    meta = {"attempt": str(question.attempt), "state": question.state}
    if reply is None:
        return meta | {"failed": "yes"}
    failures = [[failure.problem, failure.seconds] for failure in reply.failures]
    return meta | {
        "mode": reply.mode,
        "cut_off": "yes" if reply.cut_off else "",
        "estimated": "yes" if reply.estimated else "",
        "refused": reply.refused,
        "failures": json.dumps(failures, ensure_ascii=False) if failures else "",
    }


def _reply_of(record: CallRecord) -> ChatReply:
    meta = record.meta
    failures = json.loads(meta.get("failures") or "[]")
    return ChatReply(
        text=record.reply,
        tokens_in=record.tokens_in,
        tokens_out=record.tokens_out,
        seconds=record.seconds,
        price=record.price,
        estimated=bool(meta.get("estimated")),
        cut_off=bool(meta.get("cut_off")),
        refused=meta.get("refused", ""),
        failures=tuple(Failure(problem, seconds) for problem, seconds in failures),
        mode=meta.get("mode", ""),
    )


def _events(
    record: CallRecord, reply: ChatReply, attempt: int, *, ok: bool
) -> tuple[CallMade, ...]:
    """The call as an event, after those of the failed tries before it."""
    failed = []
    for number, failure in enumerate(reply.failures, 1):
        call = _call_id(record.run, _digest(record.key, str(number)))
        failed.append(_failed_event(replace(record, id=call), failure, attempt))
    return (*failed, _event(record, attempt, ok=ok))


def _failed_event(record: CallRecord, failure: Failure, attempt: int) -> CallMade:
    blank = replace(record, tokens_in=0, tokens_out=0, price=None, problem=failure.problem)
    return _event(replace(blank, seconds=failure.seconds), attempt, ok=False)


def _event(record: CallRecord, attempt: int, *, ok: bool) -> CallMade:
    return CallMade(
        call=record.id,
        stage=record.stage,
        model=record.model,
        prompt_hash=record.prompt_hash,
        tokens_in=record.tokens_in,
        tokens_out=record.tokens_out,
        seconds=round(record.seconds, 3),
        price=record.price,
        attempt=attempt,
        ok=ok,
        problem=record.problem,
    )


def _call_id(run: str, key: str) -> str:
    return _digest(run, key)[:_ID_DIGITS]


def _digest(*parts: str) -> str:
    text = json.dumps(parts, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
