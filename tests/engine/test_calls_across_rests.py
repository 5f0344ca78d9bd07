"""Calls that were paid for before a run came to rest: found again, counted once, asked once."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.servers.oracle import Oracle, stage_of
from tests.servers.scripted import Broken, Move, ScriptedServer
from trace_core.assistant.llm import LiteLLMModel
from trace_core.domain.events import CallMade
from trace_core.service import Service

OFF = {"plan": False, "replan": False, "holds": False, "final": False}
QUESTION = "Que disent Le Conseil et Le Courrier du pont de la Scie ?"


@pytest.fixture(autouse=True)
def no_real_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    def impatient(self: Service, settings: Any) -> LiteLLMModel:
        return LiteLLMModel(settings.model, sleep=lambda seconds: None)

    monkeypatch.setattr(Service, "language_model", impatient)


def ask(service: Service, url: str, **groups: Any) -> str:
    model = {"name": "openai/scripted", "api_base": url, "retries": 0, "timeout": 20.0}
    changes = {"model": model, "checkpoints": OFF} | groups
    return service.ask(QUESTION, "model", changes=changes)


class BreaksAt:
    """Prose at a stage's first request, a broken server at its second, an oracle from then on."""

    def __init__(self, stage: str) -> None:
        self.stage, self.asked, self.oracle = stage, 0, Oracle()
        self.prompts: list[str] = []

    def __call__(self, request: dict[str, Any]) -> Move:
        if stage_of(request) == self.stage:
            self.asked += 1
            self.prompts.append(json.dumps(request["messages"]))
            if self.asked == 1:
                return "I would rather talk about the weather."
            if self.asked == 2:
                return Broken()
        return self.oracle(request)


@pytest.mark.parametrize("stage", ["plan", "review", "brief"])
def test_a_reply_paid_for_before_the_rest_is_not_asked_again(
    shared_town: Service, stage: str
) -> None:
    player = BreaksAt(stage)
    with ScriptedServer(player) as server:
        run = ask(shared_town, server.url)
        assert shared_town.advance(run).status == "paused"
        shared_town.resume(run, wait=True)

    state = shared_town.state(run)
    assert state.status == "finished"
    # The unreadable reply was paid for once: its question is not sent a second time.
    assert player.prompts.count(player.prompts[0]) == 1
    calls = [p for e in shared_town.events(run) if isinstance(p := e.payload, CallMade)]
    assert len({call.call for call in calls}) == len(calls)
    assert state.totals.calls == len(calls) == len(shared_town.calls(run))
    assert state.totals.tokens_in == sum(call.tokens_in for call in shared_town.calls(run))


def test_a_budget_spent_inside_a_stage_is_raised_and_nothing_is_paid_twice(
    shared_town: Service,
) -> None:
    player = BreaksAt("none")
    with ScriptedServer(player) as server:
        run = ask(shared_town, server.url, budget={"model_calls": 1})
        while (state := shared_town.advance(run)).status == "paused":
            assert state.rest_cause == "budget"
            shared_town.change_budget(run, {"model_calls": state.totals.calls + 1})
            shared_town.resume(run, wait=True)
        asked = [(seen.system, seen.user) for seen in server.chats]
    assert shared_town.state(run).status == "finished"
    assert len(asked) == len(set(asked)) == shared_town.state(run).totals.calls
