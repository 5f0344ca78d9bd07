"""The plan against its limits, and the ids that a plan gives."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.servers.oracle import Oracle, stage_of
from tests.servers.scripted import ScriptedServer
from trace_core.domain.checkpoint import HumanDecision, PlanProposal
from trace_core.service import Service

OFF = {"plan": False, "replan": False, "holds": False, "final": False}
BOTH = "Que disent Le Conseil et Le Courrier du pont de la Scie ?"
THREE = "Que disent Le Conseil, Le Courrier et Le Héraut du pont de la Scie ?"


class Plans:
    """Always the same plan; counts how often it was asked for one."""

    def __init__(self, *targets: str, replans: list[list[dict[str, str]]] | None = None) -> None:
        self.targets, self.asked, self.oracle = (
            targets,
            0,
            Oracle(lambda p: ("reject", "no"), searches=0),
        )
        self.replans = replans

    def __call__(self, request: dict[str, Any]) -> str:
        stage = stage_of(request)
        if stage == "plan":
            self.asked += 1
            parts = [{"text": f"Et {t} {n} ?", "target": t} for n, t in enumerate(self.targets)]
            return json.dumps({"sub_questions": parts})
        if stage == "replan" and self.replans is not None:
            return json.dumps({"sub_questions": self.replans.pop(0) if self.replans else []})
        return self.oracle(request)


def play(service: Service, player: Any, question: str, **groups: Any) -> str:
    with ScriptedServer(player) as server:
        model = {"name": "openai/scripted", "api_base": server.url}
        groups = {"model": model, "checkpoints": OFF} | groups
        run = service.ask(question, "model", changes=groups)
        service.advance(run, "approve")
    return run


def refusals(service: Service, run: str) -> list[str]:
    return [e.data["cause"] for e in service.events(run) if e.type == "plan_refused"]


@pytest.mark.parametrize(
    ("targets", "limit"), [(("council",), 1), (("council", "courier"), 2)], ids=["one", "two"]
)
def test_a_plan_is_not_refused_for_what_its_limit_forbids(
    shared_town: Service, targets: tuple[str, ...], limit: int
) -> None:
    player = Plans(*targets)
    run = play(shared_town, player, THREE, loop={"max_sub_questions": limit})
    assert refusals(shared_town, run) == []
    assert player.asked == 1
    note = next(e.data["note"] for e in shared_town.events(run) if e.type == "plan_proposed")
    assert "Le Héraut" in note and "no room" in note


def test_a_collapse_is_asked_again_as_often_as_the_settings_say_and_marked(
    shared_town: Service,
) -> None:
    for retries in (0, 1, 2):
        player = Plans("council")
        run = play(shared_town, player, BOTH, loop={"plan_retries": retries})
        assert player.asked == retries + 1
        # Each collapse is marked in the trace, the last one as well.
        assert refusals(shared_town, run) == ["collapse"] * (retries + 1)
        targets = {q.target for q in shared_town.state(run).plan}
        assert targets == {"council", "courier"}


def test_an_id_that_a_person_took_out_of_a_replan_is_not_given_again(
    shared_town: Service,
) -> None:
    spawned = [{"id": "", "text": "Et les lettres ?", "target": "letters"}]
    again = [{"id": "", "text": "Et le théâtre ?", "target": "herald"}]
    player = Plans("council", "courier", replans=[spawned, again])
    with ScriptedServer(player) as server:
        model = {"name": "openai/scripted", "api_base": server.url}
        gates = OFF | {"replan": True}
        run = shared_town.ask(BOTH, "model", changes={"model": model, "checkpoints": gates})
        state = shared_town.advance(run)
        assert state.checkpoint is not None
        assert isinstance(state.checkpoint.proposal, PlanProposal)
        proposed = state.checkpoint.proposal.sub_questions
        assert [q.id for q in proposed if q.origin == "spawned"] == ["q3"]
        kept = tuple(q for q in proposed if q.id != "q3")
        shared_town.decide(run, HumanDecision(sub_questions=kept), "Anne")
        state = shared_town.advance(run)
        assert state.checkpoint is not None
        assert isinstance(state.checkpoint.proposal, PlanProposal)
        assert [q.id for q in state.checkpoint.proposal.sub_questions] == ["q4"]
        assert set(state.removed) == {"q3"}


def test_a_replan_that_repeats_the_plan_without_ids_makes_no_twin(shared_town: Service) -> None:
    whole = [{"text": f"Et {t} {n} ?", "target": t} for n, t in enumerate(("council", "courier"))]
    run = play(shared_town, Plans("council", "courier", replans=[whole, whole]), BOTH)
    state = shared_town.state(run)
    assert [(q.id, q.origin) for q in state.plan] == [("q1", "plan"), ("q2", "plan")]
    assert not [e for e in shared_town.events(run) if e.type == "reply_unreadable"]
