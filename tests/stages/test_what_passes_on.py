"""What passes from one sub-question to the next, and what never leaves this machine."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.servers.oracle import Oracle, Passage, stage_of
from tests.servers.scripted import ScriptedServer
from trace_core.domain.events import BriefingWritten, CallMade
from trace_core.service import Service
from trace_core.service.assistants import AssistantRoom
from trace_core.stages import hints

OFF = {"plan": False, "replan": False, "holds": False, "final": False}
QUESTION = "Que disent Le Conseil et Le Courrier du pont de la Scie ?"


class Player:
    """An oracle that keeps every prompt; prose at the stages of `mute`."""

    def __init__(self, *mute: str) -> None:
        self.mute, self.oracle = mute, Oracle(self._judge, searches=1)
        self.seen: list[tuple[str, str]] = []

    def _judge(self, passage: Passage) -> tuple[str, str]:
        return ("accept", "seen") if "pont" in passage.text else ("reject", "not seen")

    def __call__(self, request: dict[str, Any]) -> str:
        stage = stage_of(request)
        self.seen.append((stage, request["messages"][-1]["content"]))
        return "I would rather not." if stage in self.mute else self.oracle(request)


def play(service: Service, player: Any, **groups: Any) -> str:
    with ScriptedServer(player) as server:
        model = {"name": "openai/scripted", "api_base": server.url} | groups.pop("model", {})
        changes = {"model": model, "checkpoints": OFF} | groups
        run = service.ask(QUESTION, "model", changes=changes)
        assert service.advance(run).status == "finished"
    return run


def test_names_of_the_evidence_pass_on_through_the_briefing_alone(
    shared_town: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Named:
        def __init__(self, name: str) -> None:
            self.name, self.weight = name, 1.0

    def bridge(accepted: list[str], rejected: list[str]) -> list[Named]:
        return [Named("Pilotis")] if any("pilotis" in text for text in accepted) else []

    monkeypatch.setattr(hints, "bridge_entities", bridge)
    player = Player()
    run = play(shared_town, player)
    written = [p for e in shared_town.events(run) if isinstance(p := e.payload, BriefingWritten)]
    assert [w.briefing.leads for w in written] == [("Pilotis",), ()]
    courier = [p for stage, p in player.seen if stage == "step" and 'Target: "courier"' in p]
    assert courier and all("- Pilotis" in prompt for prompt in courier)


def test_a_briefing_made_by_rules_tells_a_far_model_nothing_of_what_stays_here(
    town: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("trace_core.assistant.llm.is_local", lambda *_: False)
    monkeypatch.setattr(AssistantRoom, "_local", lambda *_: False)
    town.set_corpus("council", local_only=True)
    player = Player("brief")
    run = play(town, player)
    # By rules; the day of m2 is no edge of the sub-corpus, whose span every prompt gives.
    assert ("council", "m2") in [(v.key.corpus, v.key.source_id) for v in town.evidence(run)]
    for stage, prompt in player.seen:
        for secret in ("1883-03-09", "pilotis", "council m"):
            assert secret not in prompt, (stage, secret)


def test_an_entry_that_could_not_be_used_is_said(shared_town: Service) -> None:
    oracle = Oracle(searches=0)

    def odd(request: dict[str, Any]) -> str:
        if stage_of(request) != "review":
            return oracle(request)
        reply = json.loads(oracle(request))
        reply["judgements"][0]["verdict"] = "perhaps"
        return json.dumps(reply)

    run = play(shared_town, odd)
    calls = [p for e in shared_town.events(run) if isinstance(p := e.payload, CallMade)]
    notes = [note for call in calls for note in call.notes]
    assert any('has no verdict but "perhaps"' in note for note in notes)
    told = [text for _, text in shared_town.state(run).troubles]
    assert set(notes) <= set(told)
