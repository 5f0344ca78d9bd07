"""Replies in other forms than the protocol's: read where they can be, else named in a sentence."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from tests.assistant.builders import assistant, model, run_stage
from tests.servers.oracle import Oracle
from tests.servers.scripted import Body, Broken, Move, Refusal
from trace_core.assistant.chat import CallFailed, ChatRequest, Control
from trace_core.assistant.mending import mend, whole_tokens
from trace_core.domain.errors import ModelMisconfigured, ModelUnavailable

pytestmark = pytest.mark.filterwarnings("ignore:Pydantic serializer warnings")

REQUEST = ChatRequest("brief", "system", "user", {"type": "object", "properties": {}}, 50)
USAGE = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}


def body(message: Any, finish: Any = "stop", **more: Any) -> dict[str, Any]:
    choice = {"index": 0, "message": message, "finish_reason": finish}
    made = {"id": "x", "object": "chat.completion", "created": 0, "model": "m"}
    return {**made, "choices": [choice], "usage": USAGE, **more}


def said(content: Any, **more: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": content, **more}


def called(arguments: Any) -> dict[str, Any]:
    call = {"id": "1", "type": "function", "function": {"name": "f", "arguments": arguments}}
    return said(None, tool_calls=[call])


READABLE: dict[str, dict[str, Any]] = {
    "as it should be": body(said('{"a": 1}')),
    "parts": body(said([{"type": "text", "text": '{"a"'}, {"type": "text", "text": ": 1}"}])),
    "a part that thinks": body(
        said([{"type": "thinking", "thinking": "no"}, {"type": "text", "text": '{"a": 1}'}])
    ),
    "strings for parts": body(said(['{"a"', ": 1}"])),
    "an object": body(said({"a": 1})),
    "a tool's call": body(called('{"a": 1}'), "tool_calls"),
    "beside a thought": body(said('{"a": 1}', reasoning_content="perhaps")),
    "a text for a message": body(None, choices=[{"index": 0, "text": '{"a": 1}'}]),
    "no reason for the end": body(said('{"a": 1}'), None),
    "a number for a reason": body(said('{"a": 1}'), 7),
    "a strange reason": body(said('{"a": 1}'), "eos_token"),
    "no usage": body(said('{"a": 1}'), usage=None),
    "usage in words": body(said('{"a": 1}'), usage={"prompt_tokens": "12", "total_tokens": "x"}),
    "usage in halves": body(said('{"a": 1}'), usage={"prompt_tokens": 10.0, "total_tokens": 1.5}),
    "usage beyond counting": body(said('{"a": 1}'), usage={**USAGE, "prompt_tokens": 10**30}),
    "usage below nothing": body(said('{"a": 1}'), usage={**USAGE, "prompt_tokens": -3}),
}
EMPTY: dict[str, dict[str, Any]] = {
    "null": body(said(None)),
    "nothing": body({"role": "assistant"}),
    "a thought alone": body(said(None, reasoning_content='{"a": 1}')),
    "a refusal": body(said(None, refusal="I cannot")),
    "a tool's call with nothing": body(called(None), "tool_calls"),
}


@pytest.mark.parametrize("reply", READABLE.values(), ids=READABLE)
def test_a_reply_in_another_form_is_read(scripted: Any, reply: dict[str, Any]) -> None:
    got = model(scripted([Body(reply)])).complete(REQUEST, Control())
    assert json.loads(got.text) == {"a": 1}
    assert not got.cut_off
    assert 0 < got.tokens_in < 1000 and got.tokens_out >= 0


@pytest.mark.parametrize("reply", EMPTY.values(), ids=EMPTY)
def test_a_reply_without_a_text_is_empty(scripted: Any, reply: dict[str, Any]) -> None:
    assert model(scripted([Body(reply)])).complete(REQUEST, Control()).text == ""
    outcome = run_stage(assistant(scripted([Body(reply)])), "brief")
    assert outcome.value is None
    assert "empty" in outcome.problem


@pytest.mark.parametrize("given", [{"query": "pont"}, '{"query": "pont"}'])
def test_a_called_action_is_a_step(scripted: Any, given: Any) -> None:
    call = {"id": "1", "type": "function"}
    function = {"name": "search_exact", "arguments": given}
    reply = body(said(None, tool_calls=[{**call, "function": function}]), "tool_calls")
    outcome = run_stage(assistant(scripted([Body(reply)])), "step")
    assert outcome.value is not None
    action = outcome.value.action
    assert (action.name, action.query) == ("search_exact", "pont")


def test_what_is_in_form_is_not_touched() -> None:
    reply = body(said("text", tool_calls=[{"function": {"arguments": "other"}}]))
    before = copy.deepcopy(reply)
    mend(reply)
    assert reply == before


@pytest.mark.parametrize("value", [None, "12", True, -1, 2**40, float("nan"), float("inf"), [1]])
def test_what_is_no_count_counts_nothing(value: object) -> None:
    assert whole_tokens(value) == 0


NO_REPLY: dict[str, Move] = {
    "a list": Body([1]),
    "null": Body(None),
    "no choices": Body(body(said("x"), choices=[])),
    "null for choices": Body(body(said("x"), choices=None)),
    "a page": Broken(200, "<html><body>Welcome</body></html>"),
    "nothing": Broken(200, ""),
}


@pytest.mark.parametrize("move", NO_REPLY.values(), ids=NO_REPLY)
def test_what_is_no_reply_is_said_with_what_to_check(scripted: Any, move: Move) -> None:
    server = scripted([move])
    with pytest.raises(CallFailed) as failed:
        model(server, retries=1).complete(REQUEST, Control())
    assert isinstance(failed.value.error, ModelMisconfigured)
    assert "no reply in the form of the OpenAI protocol" in str(failed.value.error)
    assert "/v1" in str(failed.value.error)
    assert len(server.chats) == 2  # a proxy may have had a bad moment


def test_an_account_without_money_is_not_waited_for(scripted: Any) -> None:
    server = scripted([Refusal("Insufficient balance", status=402)])
    with pytest.raises(CallFailed) as failed:
        model(server, retries=3).complete(REQUEST, Control())
    assert isinstance(failed.value.error, ModelUnavailable)
    assert "used up" in str(failed.value.error)
    assert len(server.chats) == 1


def test_a_body_that_is_too_large_is_sent_again_with_less(scripted: Any) -> None:
    limit = 8_000
    oracle = Oracle()

    def play(request: dict[str, Any]) -> Move:
        size = len(json.dumps(request["messages"]))
        return Refusal("Payload Too Large", status=413) if size > limit else oracle(request)

    outcome = run_stage(assistant(scripted(play)), "plan")
    assert outcome.value is not None
