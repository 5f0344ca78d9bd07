"""The runner: budgets, wishes, checkpoints, people who decide in the middle."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

from tests.servers.oracle import Oracle
from tests.servers.scripted import ScriptedServer
from trace_core.domain.checkpoint import HumanDecision, VerdictChange
from trace_core.domain.errors import BadInput, IllegalTransition, NotFound
from trace_core.domain.evidence import Actor
from trace_core.domain.question import SubQuestion
from trace_core.domain.transitions import UNPRICED, fold
from trace_core.engine.policy import Scripted
from trace_core.service import Service
from trace_core.stages.context import Context

QUESTION = "Que disent Le Courrier et Le Héraut du pont de la Scie ?"
OFF = {"plan": False, "replan": False, "holds": False, "final": False}


def ask(service: Service, **checkpoints: bool) -> str:
    return service.ask(QUESTION, changes={"checkpoints": {**OFF, **checkpoints}})


def test_a_run_by_rules_goes_from_question_to_list(shared_town: Service) -> None:
    run = ask(shared_town)
    state = shared_town.advance(run)
    types = [event.type for event in shared_town.events(run)]

    assert state.status == "finished"
    assert types[:3] == ["run_started", "plan_proposed", "plan_adopted"]
    assert types[-2:] == ["ranking_made", "run_finished"]
    assert {q.target for q in state.plan} >= {"courier", "herald"}
    assert all(
        event.actor.kind in ("rules", "engine", "human") for event in shared_town.events(run)
    )


def test_every_chunk_that_came_up_is_decided_and_none_is_lost(shared_town: Service) -> None:
    run = ask(shared_town)
    state = shared_town.advance(run)
    for sub in state.subs.values():
        assert set(sub.candidates) == set(sub.verdicts)
        assert not sub.pending


def test_checkpoints_wait_as_data_and_are_answered_later(shared_town: Service) -> None:
    run = ask(shared_town, plan=True, holds=True, final=True)
    kinds = []
    while (state := shared_town.advance(run)).status == "waiting":
        assert state.checkpoint is not None
        kinds.append(state.checkpoint.kind)
        assert shared_town.advance(run).checkpoint == state.checkpoint
        shared_town.decide(run, HumanDecision(), "Anne")
    assert state.status == "finished"
    assert kinds[0] == "plan" and kinds[-1] == "final"
    assert set(kinds[1:-1]) <= {"holds"}
    assert {actor.name for _, _, actor, _ in state.answers} == {"Anne"}


def test_a_plan_is_edited_removed_reordered_and_extended(shared_town: Service) -> None:
    run = ask(shared_town, plan=True)
    proposed = shared_town.advance(run).proposal
    assert proposed is not None
    first, second = proposed.sub_questions[:2]
    added = SubQuestion(id="", text="Que disent les lettres ?", target="letters")
    changed = first.model_copy(update={"text": "Que dit-il vraiment ?"})
    shared_town.decide(run, HumanDecision(sub_questions=(added, changed)), "Anne")
    state = shared_town.advance(run)

    assert [(q.text, q.origin) for q in state.plan] == [
        ("Que disent les lettres ?", "human"),
        ("Que dit-il vraiment ?", "human"),
    ]
    assert second.id in state.removed
    assert len({q.id for q in state.plan}) == 2


BAD_PLANS: list[tuple[tuple[SubQuestion, ...], str]] = [
    ((), "at least one sub-question"),
    ((SubQuestion(id="", text=" "),), "needs a text"),
    ((SubQuestion(id="", text="x", target="nowhere"),), "no sub-corpus 'nowhere'"),
]


@pytest.mark.parametrize(("plan", "sentence"), BAD_PLANS)
def test_a_plan_that_cannot_be_is_refused_and_still_waits(
    shared_town: Service, plan: tuple[SubQuestion, ...], sentence: str
) -> None:
    run = ask(shared_town, plan=True)
    before = shared_town.advance(run)
    with pytest.raises(BadInput, match=sentence):
        shared_town.decide(run, HumanDecision(sub_questions=plan))
    after = shared_town.state(run)
    assert (after.sequence, after.checkpoint) == (before.sequence, before.checkpoint)


def test_a_checkpoint_is_answered_once(shared_town: Service) -> None:
    run = ask(shared_town, plan=True)
    shared_town.advance(run)
    shared_town.decide(run, HumanDecision())
    with pytest.raises(IllegalTransition, match="waits for no decision"):
        shared_town.decide(run, HumanDecision())


def test_stopping_at_a_checkpoint_keeps_what_was_found(shared_town: Service) -> None:
    run = ask(shared_town, final=True)
    found = shared_town.evidence(shared_town.advance(run).run)
    state = shared_town.decide(run, HumanDecision(action="stop", reason="enough"))
    assert (state.status, state.rest_reason) == ("stopped", "enough")
    assert shared_town.evidence(run) == found
    with pytest.raises(BadInput, match="stopped"):
        shared_town.resume(run)


def test_a_scripted_policy_answers_in_turn(shared_town: Service) -> None:
    run = ask(shared_town, plan=True, final=True)
    policy = Scripted([HumanDecision()], Actor(kind="human", name="script"))
    state = shared_town.advance(run, policy)
    assert state.checkpoint is not None and state.checkpoint.kind == "final"


def test_a_pause_is_kept_and_a_resume_goes_on(shared_town: Service) -> None:
    run = ask(shared_town)
    assert shared_town.pause(run, "Anne").status == "paused"
    assert shared_town.advance(run).status == "paused"
    shared_town.resume(run, wait=True)
    assert shared_town.state(run).status == "finished"
    with pytest.raises(BadInput, match="nothing to pause"):
        shared_town.pause(run)


def test_a_stop_ends_the_run(shared_town: Service) -> None:
    run = ask(shared_town)
    state = shared_town.stop(run, "changed my mind", "Anne")
    assert (state.status, state.rest_reason) == ("stopped", "changed my mind")
    assert shared_town.advance(run).sequence == state.sequence


def test_a_stop_while_a_worker_waits_keeps_who_and_why(shared_town: Service) -> None:
    asked, answer = threading.Event(), threading.Event()

    def slow(_request: dict[str, Any]) -> str:
        asked.set()
        answer.wait(60)
        return "too late"

    with ScriptedServer(slow) as server:
        model = {"name": "openai/scripted", "api_base": server.url}
        run = shared_town.ask(QUESTION, "model", changes={"checkpoints": OFF, "model": model})
        shared_town.start(run)
        assert asked.wait(60)
        assert shared_town.worked_on(run)
        state = shared_town.stop(run, "changed my mind", "Anne")
        shared_town._threads[run].join(60)
        answer.set()
    assert not shared_town.worked_on(run)
    assert (state.status, state.rest_reason) == ("stopped", "changed my mind")
    last = shared_town.events(run)[-1]
    assert (last.type, last.actor.name) == ("run_stopped", "Anne")
    assert shared_town.verify(run).ok


def test_a_decision_that_meets_a_workers_save_is_made_on_what_was_saved(
    shared_town: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = ask(shared_town)
    runner = shared_town.runner()
    while not runner.state(run).decisions:
        runner.advance(run, most_stages=1)
    decided = runner.state(run).decisions[0].decision
    change = VerdictChange(
        chunk=decided.chunk, sub_question=decided.sub_question, verdict="hold", reason="unsure"
    )
    append = shared_town.stores.events.append

    def meet(*given: Any, **named: Any) -> Any:
        monkeypatch.setattr(shared_town.stores.events, "append", append)
        runner.advance(run, most_stages=1)
        return append(*given, **named)

    monkeypatch.setattr(shared_town.stores.events, "append", meet)
    state = shared_town.override(run, [change], "Anne")
    assert state.decisions[-1].actor.name == "Anne"
    assert shared_town.verify(run).ok


def test_a_cap_of_money_that_cannot_be_held_is_said(shared_town: Service) -> None:
    with ScriptedServer(Oracle(searches=0)) as server:
        model = {"name": "openai/scripted", "api_base": server.url}
        changes = {"checkpoints": OFF, "model": model, "budget": {"money": 0.01}}
        run = shared_town.ask(QUESTION, "model", changes=changes)
        state = shared_town.advance(run)
    assert state.status == "finished"
    told = [what for _, what in state.troubles if "budget of money does not hold" in what]
    assert told == [UNPRICED.format(model="openai/scripted")]


def test_a_background_run_ends_without_the_page(shared_town: Service) -> None:
    run = ask(shared_town)
    shared_town.start(run)
    shared_town._threads[run].join(60)
    assert shared_town.state(run).status == "finished"


def _interfere(service: Service, monkeypatch: pytest.MonkeyPatch, act: Callable[[], Any]) -> None:
    """Let a person act in the middle of the next review."""
    from trace_core.engine import machine

    review = machine.STAGES["review_step"]

    def slow(state: Any, context: Context) -> Any:
        drafts = review(state, context)
        monkeypatch.setitem(machine.STAGES, "review_step", review)
        act()
        return drafts

    monkeypatch.setitem(machine.STAGES, "review_step", slow)


def test_a_verdict_given_during_a_stage_costs_no_work(
    shared_town: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = ask(shared_town)
    runner = shared_town.runner()
    while len(runner.state(run).done()) < 1:
        runner.advance(run, most_stages=1)
    decided = runner.state(run).decisions[0].decision
    change = VerdictChange(
        chunk=decided.chunk, sub_question=decided.sub_question, verdict="reject", reason="no"
    )
    _interfere(shared_town, monkeypatch, lambda: shared_town.override(run, [change], "Anne"))
    state = shared_town.advance(run)

    assert state.status == "finished"
    standing = state.subs[decided.sub_question].verdicts[decided.chunk]
    assert (standing.actor.name, standing.decision.verdict) == ("Anne", "reject")
    assert shared_town.verify(run).events == state.sequence
    for sub in state.subs.values():
        assert set(sub.candidates) == set(sub.verdicts)


def test_the_fold_of_all_events_is_the_state_however_it_was_read(shared_town: Service) -> None:
    run = ask(shared_town)
    shared_town.advance(run)
    events = shared_town.events(run)
    whole = fold(run, events)
    seen = shared_town.state(run)
    assert whole == seen


def test_unknown_things_are_said(shared_town: Service) -> None:
    run = ask(shared_town)
    state = shared_town.advance(run)
    with pytest.raises(NotFound, match="c999"):
        change = VerdictChange(chunk=999, sub_question=state.plan[0].id, verdict="accept")
        shared_town.override(run, [change])
    with pytest.raises(NotFound, match="no decision d9999"):
        shared_town.undo(run, "d9999")
    first = state.decisions[0]
    with pytest.raises(IllegalTransition, match="another verdict"):
        shared_town.undo(run, first.id)
