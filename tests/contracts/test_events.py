from __future__ import annotations

import threading

import pytest

from tests.contracts.building import draft
from trace_core.domain import events as ev
from trace_core.domain.checkpoint import Checkpoint, HumanDecision, PlanProposal
from trace_core.domain.errors import NotFound, StaleRun
from trace_core.domain.evidence import Actor
from trace_core.domain.question import SubQuestion
from trace_core.domain.transitions import fold
from trace_core.ports import Stores

PLAN = (SubQuestion(id="q1", text="Qui?"),)


def test_events_come_back_in_order_and_hold(stores: Stores) -> None:
    first = stores.events.append("r1", [draft()], after=0)
    two = [draft(ev.RunPaused(reason="nuit")), draft(ev.RunResumed())]
    rest = stores.events.append("r1", two, after=1)
    assert stores.events.read("r1") == [*first, *rest]
    assert [event.sequence for event in rest] == [2, 3]
    assert rest[0].previous_hash == first[0].hash
    assert first[0].previous_hash == ev.GENESIS
    assert isinstance(first[0].payload, ev.RunStarted)
    assert stores.events.verify("r1") == 3
    assert stores.events.read("r1", after=1, limit=1) == rest[:1]
    assert stores.events.read("nobody") == []


def test_an_unknown_run_cannot_be_verified(stores: Stores) -> None:
    with pytest.raises(NotFound, match="nobody"):
        stores.events.verify("nobody")


@pytest.mark.parametrize("after", [0, 2])
def test_somebody_else_was_faster(stores: Stores, after: int) -> None:
    stores.events.append("r1", [draft()], after=0)
    with pytest.raises(StaleRun):
        stores.events.append("r1", [draft(ev.RunResumed())], after=after)
    assert len(stores.events.read("r1")) == 1


def test_nothing_appended_is_nothing_changed(stores: Stores) -> None:
    assert stores.events.append("r1", [], after=0) == []
    assert stores.events.runs() == []


def test_the_actor_and_the_time_are_kept(stores: Stores) -> None:
    actor = Actor(kind="human", name="Zoé «Z.»")
    stores.events.append("r1", [draft()], after=0)
    stores.events.append("r1", [ev.Draft(actor, ev.RunStopped(reason="assez"))], after=1)
    last = stores.events.read("r1")[-1]
    assert (last.actor, last.type, last.data) == (actor, "run_stopped", {"reason": "assez"})
    assert last.time.endswith("+00:00") and last.time == stores.events.runs()[0].updated


def steps() -> list[ev.Payload]:
    checkpoint = Checkpoint(id="k1", kind="plan", proposal=PlanProposal(sub_questions=PLAN))
    return [
        ev.PlanProposed(sub_questions=PLAN),
        ev.CheckpointOpened(checkpoint=checkpoint),
        ev.CheckpointAnswered(checkpoint="k1", decision=HumanDecision()),
        ev.PlanAdopted(sub_questions=PLAN),
        ev.RunPaused(reason="nuit"),
        ev.RunResumed(),
        ev.RunFailed(stage="rank", reason="panne"),
        ev.RunResumed(),
        ev.RunFinished(documents=0, held=0),
        ev.RunStopped(reason="assez"),
    ]


def test_the_list_of_runs_shows_the_folded_state(stores: Stores) -> None:
    stores.events.append("r1", [draft()], after=0)
    statuses = []
    for n, payload in enumerate(steps(), start=1):
        stores.events.append("r1", [draft(payload)], after=n)
        head = stores.events.runs()[0]
        state = fold("r1", stores.events.read("r1"))
        statuses.append(head.status)
        kind = state.checkpoint.kind if state.checkpoint else ""
        assert (head.status, head.waiting_for) == (state.status, kind)
        assert (head.question, head.assistant) == (state.question, state.assistant)
        assert (head.created, head.updated, head.events) == (state.created, state.updated, n + 1)
    assert set(statuses) == {"planning", "running", "waiting", "paused", "failed", "finished"} | {
        "stopped"
    }


def test_what_lists_tell_of_a_run_agrees_with_its_events(stores: Stores) -> None:
    stores.events.append("r1", [draft(), draft(ev.RunPaused(reason="nuit"))], after=0)
    assert stores.events.relist() == []


def test_a_question_with_half_a_character_is_listed_as_it_is_recorded(stores: Stores) -> None:
    asked = ev.RunStarted(question="le pont\ud800 ?", assistant="rules")
    stores.events.append("r1", [draft(asked)], after=0)
    stores.events.append("r1", [draft(ev.RunPaused(reason="nuit"))], after=1)
    head = stores.events.runs()[0]
    recorded = stores.events.read("r1")[0].payload
    assert isinstance(recorded, ev.RunStarted)
    assert (head.question, head.status) == ("le pont\ufffd ?", "paused")
    assert head.question == recorded.question


def test_runs_newest_first(stores: Stores) -> None:
    for run in ("r1", "r2", "r3"):
        stores.events.append(run, [draft()], after=0)
    assert [head.id for head in stores.events.runs()] == ["r3", "r2", "r1"]


def test_of_many_writers_one_wins_each_place(stores: Stores) -> None:
    if stores.name == "memory":
        pytest.skip("the stores in memory serve one thread")
    stores.events.append("r1", [draft()], after=0)
    lost: list[int] = []

    def work(number: int) -> None:
        for _ in range(10):
            after = len(stores.events.read("r1"))
            try:
                stores.events.append("r1", [draft(ev.RunResumed(reason=str(number)))], after=after)
            except StaleRun:
                lost.append(number)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert stores.events.verify("r1") == 1 + 40 - len(lost)
