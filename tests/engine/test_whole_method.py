"""A whole run by a model over HTTP, every event of it foreseen, and the final order by hand."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.engine.comparing import content_of
from tests.servers.oracle import passages, stage_of
from tests.servers.scripted import ScriptedServer
from trace_core.domain.checkpoint import VerdictChange
from trace_core.domain.corpus import DocumentKey
from trace_core.domain.events import Decided, SearchDone
from trace_core.domain.transitions import fold
from trace_core.service import Service

QUESTION = "Que savait-on du pont de la Scie avant la crue ?"

# Chunk ids of the town (one a document, in the order of the file).
M1, M2, M3, C1, C2, C3, H1, H2, H3, L1, L2, L3 = range(1, 13)

VERDICTS = {
    ("q1", M1): "accept", ("q1", M2): "hold", ("q1", M3): "reject", ("q1", C1): "reject",
    ("q2", C1): "hold", ("q2", C2): "accept", ("q2", C3): "reject",
    ("q3", H1): "accept", ("q3", H2): "reject", ("q3", H3): "accept",
    ("q4", L1): "accept", ("q4", L2): "reject", ("q4", L3): "hold",
}  # fmt: skip

PARTS = {
    "q1": ("Que dit le conseil du pont de la Scie ?", "council"),
    "q2": ("Que dit Le Courrier du pont de la Scie ?", "courier"),
    "q3": ("Que dit Le Héraut du pont de la Scie ?", "herald"),
    "q4": ("Que disent les lettres du pont et de la crue ?", "letters"),
}


def _part(name: str, *, known: bool) -> dict[str, str]:
    text, target = PARTS[name]
    return {"id": name if known else "", "text": text, "target": target}


def _step(action: str, **args: Any) -> str:
    return json.dumps({"thought": f"now {action}", "action": action, "args": args})


FINISH = _step("finish")
CRUE = _step("search_bm25", query="crue")
STEPS = {
    "q1": [
        _step(
            "search_date", query="pont", corpus="letters",
            date_from="1883-03-10", date_to="1883-03-12",
        ),
        "I would rather talk about it.",
        '{"thought": "cut off in the mid',
        CRUE,
        CRUE,
    ],
    "q2": [FINISH],
    "q3": [FINISH],
    "q4": [FINISH],
}  # fmt: skip
PROMOTIONS = {
    ("q1", 1): [(L1, "the council's minutes of 2 March show that the warning was known")],
    ("q2", 1): [],
    ("q4", 1): [],
    ("q1", 2): [(M2, "the papers of March confirm the refused credit")],
    ("q2", 2): [],
}
REPLANS = {
    "q1": [_part("q2", known=True), _part("q3", known=True), _part("q4", known=False)],
    "q2": [_part("q3", known=True), _part("q4", known=True)],
    "q3": [_part("q4", known=True)],
}


class Script:
    """Answers by stage; knows the sub-question by its text in the prompt."""

    def __init__(self) -> None:
        self.steps = {name: list(replies) for name, replies in STEPS.items()}
        self.rounds: dict[str, int] = {}
        self.asked: list[str] = []

    def __call__(self, request: dict[str, Any]) -> str:
        stage = stage_of(request)
        self.asked.append(stage)
        answer: Callable[[dict[str, Any], str], str] = getattr(self, f"_{stage}")
        return answer(request, self._where(request))

    def _where(self, request: dict[str, Any]) -> str:
        user = request["messages"][-1]["content"]
        found = {user.index(text): name for name, (text, _) in PARTS.items() if text in user}
        return found[min(found)] if found else ""

    def _plan(self, request: dict[str, Any], _: str) -> str:
        parts = [_part(name, known=False) for name in ("q1", "q2", "q3")]
        return json.dumps({"sub_questions": parts, "note": ""})

    def _step(self, _: dict[str, Any], name: str) -> str:
        return self.steps[name].pop(0)

    def _review(self, request: dict[str, Any], name: str) -> str:
        shown = [p.chunk for p in passages(request)]
        entries = [
            {"id": f"c{c}", "verdict": VERDICTS[name, c], "reason": f"{name} on c{c}", "quote": ""}
            for c in shown
        ]
        return json.dumps({"judgements": entries})

    def _reevaluate(self, _: dict[str, Any], name: str) -> str:
        self.rounds[name] = self.rounds.get(name, 0) + 1
        found = PROMOTIONS[name, self.rounds[name]]
        return json.dumps({"promotions": [{"id": f"c{c}", "reason": why} for c, why in found]})

    def _brief(self, _: dict[str, Any], name: str) -> str:
        return json.dumps({"summary": f"briefing of {name}", "gaps": []})

    def _replan(self, request: dict[str, Any], _: str) -> str:
        done = sum(f"briefing of {n}" in request["messages"][-1]["content"] for n in PARTS)
        assert done == 1
        name = next(n for n in PARTS if f"briefing of {n}" in request["messages"][-1]["content"])
        return json.dumps({"sub_questions": REPLANS[name], "note": f"after {name}"})

    def _order(self, request: dict[str, Any], _: str) -> str:
        ids = [p.id for p in passages(request)]
        return json.dumps({"order": [{"id": i, "reason": f"place of {i}"} for i in reversed(ids)]})


EXPECTED = """
run_started
call_made plan_proposed plan_adopted
sub_question_started search_done
call_made decided decided decided review_done
call_made step_chosen search_done decided
call_made reply_unreadable
call_made reply_unreadable
call_made step_chosen search_done
call_made decided review_done
call_made step_chosen search_done
sub_question_finished
call_made decided holds_reevaluated
call_made briefing_written
call_made replanned plan_adopted
sub_question_started search_done
call_made decided decided decided review_done
call_made step_chosen sub_question_finished
call_made holds_reevaluated
call_made briefing_written
call_made replanned
sub_question_started search_done
call_made decided decided decided review_done
call_made step_chosen sub_question_finished
call_made briefing_written
call_made replanned
sub_question_started search_done
call_made decided decided decided review_done
call_made step_chosen sub_question_finished
call_made holds_reevaluated
call_made briefing_written
call_made decided holds_reevaluated
call_made holds_reevaluated
call_made ranking_made
run_finished
""".split()


NO_CHECKPOINTS = {"plan": False, "replan": False, "holds": False, "final": False}


@pytest.fixture(scope="module")
def played(shared_town: Service) -> Iterator[tuple[Service, str, Script]]:
    """The town with the scripted run, finished."""
    script = Script()
    with ScriptedServer(script) as server:
        run = shared_town.ask(
            QUESTION,
            "model",
            changes={
                "model": {"name": "openai/scripted", "api_base": server.url},
                "checkpoints": NO_CHECKPOINTS,
            },
        )
        state = shared_town.advance(run)
        assert state.status == "finished", state.rest_reason
        yield shared_town, run, script


def test_every_event_of_the_run_is_the_expected_one(
    played: tuple[Service, str, Script],
) -> None:
    service, run, script = played

    assert [event.type for event in service.events(run)[: len(EXPECTED)]] == EXPECTED
    assert not any(script.steps.values())
    assert service.verify(run).ok


def test_the_widened_date_search_lands_in_hold_and_the_model_is_not_told(
    played: tuple[Service, str, Script],
) -> None:
    service, run, _ = played
    searches = [e.payload for e in service.events(run) if e.type == "search_done"]
    dated = next(s for s in searches if isinstance(s, SearchDone) and s.hidden_window)

    assert (dated.date_from, dated.date_to) == ("1883-03-10", "1883-03-12")
    assert dated.hidden_window == ("1883-03-09", "1883-03-13")
    assert [(c.chunk, c.widened) for c in dated.candidates] == [(L1, True)]
    assert not dated.effective
    assert dated.returned == 0
    first = next(
        p.decision
        for e in service.events(run)
        if isinstance(p := e.payload, Decided) and p.decision.chunk == L1
    )
    assert (first.verdict, first.reviewed) == ("hold", False)
    told = [call.request for call in service.calls(run) if call.stage == "step"]
    assert "0 found, 0 new" in told[1]
    assert not any("1883-03-09" in request for request in told)


def test_the_final_order_follows_by_hand_and_an_override_moves_it(
    played: tuple[Service, str, Script],
) -> None:
    service, run, _ = played
    letter = DocumentKey("letters", "l1")
    before = [(view.key, view.confirmations) for view in service.evidence(run)]

    # The letter is confirmed by two sub-questions (a promotion in q1, a review in q4); the five
    # others by one each, in the reverse of the order in which the searches put them.
    assert before[0] == (letter, 2)
    assert {key for key, _ in before[1:]} == {
        ("council", "m1"),
        ("council", "m2"),
        ("courier", "18830311"),
        ("herald", "18830303"),
        ("herald", "18830312"),
    }
    assert {confirmations for _, confirmations in before[1:]} == {1}

    change = VerdictChange(chunk=L1, sub_question="q4", verdict="reject", reason="hearsay")
    service.override(run, [change], "Anne")
    after = [(view.key, view.confirmations) for view in service.evidence(run)]

    assert (letter, 1) in after
    assert {confirmations for _, confirmations in after} == {1}
    decisions = [r for r in service.decisions(run) if r.decision.chunk == L1]
    assert [(r.actor.name, r.decision.verdict) for r in decisions][:2] == [
        ("Anne", "reject"),
        ("openai/scripted", "accept"),
    ]
    service.undo(run, decisions[0].id, "Anne")
    assert [(v.key, v.confirmations) for v in service.evidence(run)] == before


def test_an_earlier_state_is_a_fold_of_the_first_events(
    played: tuple[Service, str, Script],
) -> None:
    service, run, _ = played
    events = service.events(run)
    spawned = next(i for i, e in enumerate(events) if e.type == "replanned")

    assert [q.id for q in fold(run, events[:spawned]).plan] == ["q1", "q2", "q3"]
    after = fold(run, events[: spawned + 2]).plan
    assert [(q.id, q.origin) for q in after] == [
        ("q1", "plan"),
        ("q2", "plan"),
        ("q3", "plan"),
        ("q4", "spawned"),
    ]


@pytest.mark.slow
def test_a_run_killed_at_each_stage_ends_with_the_same_events(
    played: tuple[Service, str, Script],
) -> None:
    service, run, first = played
    undisturbed = content_of(service, run)[: len(EXPECTED)]
    script = Script()
    with ScriptedServer(script) as server:
        again = service.ask(
            QUESTION,
            "model",
            changes={
                "model": {"name": "openai/scripted", "api_base": server.url},
                "checkpoints": NO_CHECKPOINTS,
            },
        )
        runner = service.runner()
        while not runner.advance(again, most_stages=1).ended:
            # The process dies after the stage has paid for its calls and before it saves: the
            # next one finds the replies in the record and asks nothing twice.
            _lose_the_next_save(service, again)
        assert script.asked == first.asked

    assert content_of(service, again) == undisturbed


class _Died(BaseException):
    """The process is gone."""


def _lose_the_next_save(service: Service, run: str) -> None:
    runner = service.runner()
    events = service.stores.events
    real = events.append

    def dying(*args: Any, **kwargs: Any) -> Any:
        raise _Died

    events.append = dying  # type: ignore[method-assign]
    try:
        runner.advance(run, most_stages=1)
    except _Died:
        pass
    finally:
        events.append = real  # type: ignore[method-assign]
