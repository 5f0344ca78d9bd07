"""The seven tasks by model, over real HTTP through LiteLLM, against a scripted server."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.assistant.builders import (
    QUESTION,
    MemoryCalls,
    accepted,
    archive,
    assistant,
    brief_task,
    item,
    order_task,
    plan_task,
    reevaluate_task,
    replan_task,
    review_task,
    step_task,
)
from tests.servers.oracle import Oracle
from tests.servers.scripted import Busy
from trace_core.assistant.tasks import BriefTask
from trace_core.domain.corpus import DocumentKey
from trace_core.domain.question import Briefing, Memory


def say(**fields: Any) -> str:
    return json.dumps(fields, ensure_ascii=False)


# --- plan ----------------------------------------------------------------------------------------


def test_a_plan_gives_sub_questions_with_targets_and_without_ids(scripted: Any) -> None:
    reply = say(
        sub_questions=[
            {"text": "What did the paper say?", "target": "Harbour Gazette", "entities": "Orlen"},
            {"text": "What did the council say?", "target": "council", "dates": ["April 1882"]},
        ],
        note="two sides",
    )
    server = scripted([reply])
    outcome = assistant(server).plan(plan_task())
    assert outcome.problem == "" and outcome.value is not None
    first, second = outcome.value.sub_questions
    assert (first.id, first.target, first.entities) == ("", "gazette", ("Orlen",))
    assert (second.target, second.dates) == ("council", ("April 1882",))
    assert outcome.value.note == "two sides"
    assert str(outcome.actor) == "model: openai/scripted"
    asked = server.chats[0].user
    assert QUESTION in asked and 'id "council": Council minutes (minutes; 40 documents' in asked
    assert "1881-03-02 to 1888-05-04" in asked and '- "gazette": 3' in asked


def test_a_refused_plan_is_asked_for_with_its_reason(scripted: Any) -> None:
    server = scripted([Oracle()])
    assistant(server).plan(plan_task(previous_problem="The two sub-corpora were merged."))
    assert "refused: The two sub-corpora were merged." in server.chats[0].user


@pytest.mark.parametrize(
    ("parts", "quoted"),
    [
        ([], "no sub-question"),
        ([{"text": f"part {n}", "target": ""} for n in range(5)], "at most 4"),
        ([{"text": "a", "target": "nowhere"}], 'no sub-corpus "nowhere"'),
        ([{"text": "", "target": ""}], "no text"),
        ([{"text": "a", "target": ""}, {"text": "A", "target": ""}], "stands there twice"),
    ],
)
def test_an_impossible_plan_is_asked_again_with_the_error(
    scripted: Any, parts: list[dict[str, str]], quoted: str
) -> None:
    server = scripted([say(sub_questions=parts), Oracle()])
    outcome = assistant(server).plan(plan_task())
    assert outcome.value is not None and len(outcome.calls) == 2
    assert [call.ok for call in outcome.calls] == [False, True]
    assert quoted in server.chats[1].user and quoted in outcome.calls[0].problem


def test_a_plan_that_stays_unreadable_is_an_outcome_without_a_value(scripted: Any) -> None:
    server = scripted(["I would rather not."])
    outcome = assistant(server).plan(plan_task())
    assert outcome.value is None
    assert outcome.problem == "The reply holds no JSON object."
    assert [call.attempt for call in outcome.calls] == [1, 2, 3]


# --- step ----------------------------------------------------------------------------------------


def test_a_step_gives_an_action_and_the_memory_that_replaces_the_old_one(scripted: Any) -> None:
    reply = say(
        thought="Try the name.",
        action="search_bm25",
        args={"query": "Orlen bridge", "corpus": "Council minutes"},
        memory_update={"gaps": "nothing yet", "evidence": None, "next_steps": ["a", "b"]},
    )
    server = scripted([reply])
    outcome = assistant(server).next_action(step_task(notices=("Three empty searches.",)))
    assert outcome.value is not None
    action = outcome.value.action
    assert (action.name, action.query, action.corpus) == ("search_bm25", "Orlen bridge", "council")
    assert outcome.value.memory == Memory(gaps="nothing yet", next_steps="a; b")
    asked = server.chats[0].user
    assert "Note: Three empty searches." in asked and "gaps: no minutes yet" in asked
    assert "step 1: search_bm25 Orlen: 4 new" in asked


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        (
            {"date_from": "1882-04", "date_to": "1882-05-02"},
            {"date_from": "1882-04-01", "date_to": "1882-05-02"},
        ),
        (
            {"date_from": "1882-05-02", "date_to": "1882-05-01"},
            {"date_from": "1882-05-01", "date_to": "1882-05-02"},
        ),
        (
            {"date_center": "1882-04-05", "window_days": "±90 days"},
            {"date_center": "1882-04-05", "window_days": 60},
        ),
        ({"date_center": "1882-04-05"}, {"date_center": "1882-04-05", "window_days": 7}),
        ({"date": "5 avril 1882"}, {"date_center": "1882-04-05", "window_days": 7}),
        (
            {"start_date": "April 1, 1882", "end_date": "May 1882"},
            {"date_from": "1882-04-01", "date_to": "1882-05-31"},
        ),
        (
            {"date_center": "1882-04", "window_days": 2},
            {"date_from": "1882-03-30", "date_to": "1882-05-02"},
        ),
    ],
)
def test_dates_of_a_step_become_days(
    scripted: Any, args: dict[str, str], expected: dict[str, Any]
) -> None:
    server = scripted([say(action="search_date", args=args)])
    outcome = assistant(server).next_action(step_task())
    assert outcome.value is not None and outcome.value.memory is None
    action = outcome.value.action.model_dump(exclude_none=True, exclude_defaults=True)
    assert action == {"name": "search_date"} | expected


@pytest.mark.parametrize(
    ("reply", "problem"),
    [
        ({"action": "search_web", "args": {"query": "x"}}, 'no action "search_web"'),
        ({"action": "search_bm25", "args": {}}, "needs a query"),
        ({"action": "search_date", "args": {"query": "x"}}, "needs date_from"),
        ({"action": "search_date", "args": {"date_from": "May"}}, '"May" is no day'),
        ({"action": "search_date", "args": {"date": "before 1882"}}, "is no day"),
        ({"action": "search_exact", "args": {"query": "x", "corpus": "moon"}}, "no sub-corpus"),
    ],
)
def test_an_impossible_step_is_no_action_and_is_not_asked_again(
    scripted: Any, reply: dict[str, Any], problem: str
) -> None:
    server = scripted([say(**reply)])
    outcome = assistant(server).next_action(step_task())
    assert outcome.value is None and problem in outcome.problem
    assert len(server.chats) == 1


def test_the_memory_stays_within_its_limits(scripted: Any) -> None:
    slots = dict.fromkeys(Memory.model_fields, "palabra " * 200)
    server = scripted([say(action="finish", memory_update=slots)])
    outcome = assistant(server).next_action(step_task())
    assert outcome.value is not None and outcome.value.memory is not None
    texts = outcome.value.memory.model_dump().values()
    assert all(len(text.split()) < 60 for text in texts)
    assert sum(len(text) for text in texts) <= 1500


# --- review --------------------------------------------------------------------------------------


def test_a_review_judges_chunks_and_reports_what_was_not_pending(scripted: Any) -> None:
    reply = say(
        judgements=[
            {"id": "c11", "verdict": "Accept", "reason": "names the bridge", "quote": "Orlen"},
            {"id": "c12", "verdict": "reject", "reason": "hay", "quote": "Prices"},
            {"id": "c99", "verdict": "accept", "reason": "invented"},
            {"id": "s13", "verdict": "accept", "reason": "a document's id"},
            {"id": "13", "verdict": "accept", "reason": "a bare number"},
        ]
    )
    outcome = assistant(scripted([reply])).review(review_task())
    assert outcome.value is not None
    first, second = outcome.value.judgements
    assert (first.chunk, first.verdict, first.quote) == (11, "accept", "Orlen")
    assert (second.chunk, second.verdict, second.quote) == (12, "reject", "")
    assert outcome.value.unknown == ("c99", "s13", "13")


@pytest.mark.parametrize(
    ("ids", "judged"),
    [
        ([11, 12, 13], [11, 12, 13]),
        (["13"], [13]),
        ([11, 99], []),  # one was never shown: these are no ids
        ([1, 2, 3], []),  # these may be places in the prompt
        (["c11", 12], [11]),
    ],
)
def test_bare_numbers_are_ids_only_where_they_can_be_nothing_else(
    scripted: Any, ids: list[Any], judged: list[int]
) -> None:
    reply = say(judgements=[{"id": i, "verdict": "accept", "reason": "seen"} for i in ids])
    outcome = assistant(scripted([reply])).review(review_task())
    assert outcome.value is not None
    assert [j.chunk for j in outcome.value.judgements] == judged
    assert len(outcome.value.unknown) == len(ids) - len(judged)


def test_numbers_that_may_be_places_are_not_taken_for_small_ids(scripted: Any) -> None:
    reply = say(judgements=[{"id": n, "verdict": "reject", "reason": "no"} for n in (1, 2)])
    outcome = assistant(scripted([reply])).review(review_task(item(2), item(1), item(3)))
    assert outcome.value is not None
    assert (outcome.value.judgements, outcome.value.unknown) == ((), ("1", "2"))


@pytest.mark.parametrize(
    ("word", "verdict"),
    [
        ("ACCEPT", "accept"),
        ("**Reject**", "reject"),
        ("[hold]", "hold"),
        ("Rejetée.", "reject"),
        ("en suspens", "hold"),
        ("Annehmen", "accept"),
        ("ABGELEHNT", "reject"),
    ],
)
def test_a_verdict_in_other_letters_and_languages(scripted: Any, word: str, verdict: str) -> None:
    reply = say(judgements=[{"chunk_id": "c11", "decision": word, "rationale": "r"}])
    outcome = assistant(scripted([reply])).review(review_task())
    assert outcome.value is not None
    assert [j.verdict for j in outcome.value.judgements] == [verdict]


def test_an_entry_that_is_no_object_spoils_no_other(scripted: Any) -> None:
    good = {"id": "c11", "verdict": "accept", "reason": "names the bridge"}
    outcome = assistant(scripted([say(judgements=["c12: no", good, 7])])).review(review_task())
    assert outcome.value is not None
    assert [j.chunk for j in outcome.value.judgements] == [11]
    assert len(outcome.value.problems) == 2


def test_two_chunks_of_one_document_are_two_judgements(scripted: Any) -> None:
    server = scripted([Oracle(judge=lambda p: ("accept" if p.chunk == 5 else "reject", "seen"))])
    both = item(5, source_id="paper-77"), item(6, source_id="paper-77")
    outcome = assistant(server).review(review_task(*both))
    assert outcome.value is not None
    assert [(j.chunk, j.verdict) for j in outcome.value.judgements] == [
        (5, "accept"),
        (6, "reject"),
    ]
    assert "paper-77" not in server.chats[0].user


def test_a_judgement_without_reason_or_in_contradiction_is_none(scripted: Any) -> None:
    reply = say(
        judgements=[
            {"id": "c11", "verdict": "accept", "reason": " "},
            {"id": "c12", "verdict": "accept", "reason": "yes"},
            {"id": "c12", "verdict": "reject", "reason": "no"},
            {"id": "c13", "verdict": "perhaps", "reason": "who knows"},
        ]
    )
    outcome = assistant(scripted([reply])).review(review_task())
    assert outcome.value is not None
    assert outcome.value.judgements == ()
    assert len(outcome.value.problems) == 3


def test_a_long_reason_is_cut_to_its_length(scripted: Any) -> None:
    reply = say(judgements=[{"id": "c11", "verdict": "hold", "reason": "mot " * 100}])
    outcome = assistant(scripted([reply])).review(review_task())
    assert outcome.value is not None
    assert len(outcome.value.judgements[0].reason) <= 120


def test_what_stays_on_this_machine_is_not_shown_elsewhere(
    scripted: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("trace_core.assistant.llm.is_local", lambda *_: False)
    server = scripted([Oracle(judge=lambda p: ("accept", "seen"))])
    secret = item(7, "SECRET TEXT", corpus="council", title="SECRET TITLE")
    kept = accepted(91, "council", title="SECRET TITLE", reason="SECRET REASON", quote="SECRET")
    whole = archive(local_only=True)
    helper = assistant(server)
    assert helper.local is False
    task = review_task(item(8), secret, archive=whole, accepted=(kept,))
    outcome = helper.review(task)
    assert outcome.value is not None
    assert [j.chunk for j in outcome.value.judgements] == [8]
    assert outcome.value.unsent == ()
    assert "stay on this machine" in outcome.value.problems[0]
    alone = helper.review(review_task(secret, archive=whole))
    assert alone.value is not None and alone.value.judgements == () and alone.calls == ()
    helper.brief(BriefTask(QUESTION, task.sub_question, whole, (kept,)))
    assert len(server.chats) == 2
    assert not any("SECRET" in json.dumps(seen.body) for seen in server.requests)


def test_a_local_model_is_shown_everything(scripted: Any) -> None:
    server = scripted([Oracle()])
    secret = item(7, "SECRET TEXT", corpus="council")
    helper = assistant(server)
    assert helper.local is True
    helper.review(review_task(secret, archive=archive(local_only=True)))
    assert "SECRET TEXT" in server.chats[0].user


# --- re-evaluation, briefing, replan, order ------------------------------------------------------


def test_a_promotion_has_its_own_reason(scripted: Any) -> None:
    reply = say(promotions=[{"id": "c22", "reason": "the issue of 6 April gives the date"}])
    server = scripted([reply])
    outcome = assistant(server).reevaluate(reevaluate_task())
    assert outcome.value is not None
    (promotion,) = outcome.value.promotions
    assert (promotion.chunk, promotion.verdict) == (22, "accept")
    assert promotion.reason == "the issue of 6 April gives the date"
    assert "held because: date unclear" in server.chats[0].user


def test_no_promotion_is_a_good_answer(scripted: Any) -> None:
    outcome = assistant(scripted([say(promotions=[])])).reevaluate(reevaluate_task())
    assert outcome.value is not None and outcome.value.promotions == ()
    assert len(outcome.calls) == 1


def test_a_briefing_is_bounded_and_typed(scripted: Any) -> None:
    reply = say(summary="Found.", dates="1882-04-05; 1882-04-06", gaps=[f"g{n}" for n in range(20)])
    outcome = assistant(scripted([reply])).brief(brief_task())
    gaps = tuple(f"g{n}" for n in range(8))
    expected = Briefing(summary="Found.", dates=("1882-04-05", "1882-04-06"), gaps=gaps)
    assert outcome.value == expected


def test_a_replan_keeps_ids_and_marks_what_is_new(scripted: Any) -> None:
    reply = say(
        sub_questions=[
            {"id": "q2", "text": "The flood of 5 April in the minutes", "target": "council"},
            {"id": "", "text": "Who paid for the new bridge?", "target": "gazette"},
        ]
    )
    outcome = assistant(scripted([reply])).replan(replan_task())
    assert outcome.value is not None
    kept, new = outcome.value.sub_questions
    assert (kept.id, kept.origin, kept.entities) == ("q2", "plan", ("Orlen",))
    assert (new.id, new.origin, new.target) == ("", "spawned", "gazette")


@pytest.mark.parametrize(
    ("parts", "problem"),
    [
        ([{"id": "q1", "text": "Again", "target": ""}], "q1 is done"),
        ([{"id": "", "text": f"n{n}", "target": ""} for n in range(3)], "at most 4"),
        ([{"id": "q2", "text": "a"}, {"id": "q2", "text": "b"}], "twice"),
    ],
)
def test_an_impossible_replan_is_refused(
    scripted: Any, parts: list[dict[str, str]], problem: str
) -> None:
    outcome = assistant(scripted([say(sub_questions=parts)])).replan(replan_task())
    assert outcome.value is None and problem in outcome.problem


def test_a_replan_may_repeat_what_is_known_without_its_id(scripted: Any) -> None:
    task = replan_task()
    known = [{"text": q.text.upper(), "target": q.target} for q in (*task.done, *task.remaining)]
    new = [{"text": f"new {n}", "target": ""} for n in range(2)]
    outcome = assistant(scripted([say(sub_questions=[*known, *new])])).replan(task)
    assert outcome.value is not None
    assert [q.id for q in outcome.value.sub_questions] == ["", "q2", "", ""]


@pytest.mark.parametrize("order", [[3, 1], ["d3", "d1"], [{"doc": 3}, {"document": "D1"}]])
def test_an_order_of_names_or_numbers_alone(scripted: Any, order: list[Any]) -> None:
    outcome = assistant(scripted([say(ranking=order)])).order(order_task())
    assert outcome.value is not None
    assert [key.source_id for key in outcome.value.keys] == ["s3", "s1", "s2"]


def test_an_order_keeps_the_documents_it_does_not_name_at_the_end(scripted: Any) -> None:
    reply = say(order=[{"id": "d3", "reason": "closest"}, {"id": "d9", "reason": "who?"}])
    outcome = assistant(scripted([reply])).order(order_task())
    assert outcome.value is not None
    assert [key.source_id for key in outcome.value.keys] == ["s3", "s1", "s2"]
    assert outcome.value.reasons == {DocumentKey("gazette", "s3"): "closest"}
    assert outcome.value.unknown == ("d9",)


# --- the record ----------------------------------------------------------------------------------


def test_a_state_already_answered_is_not_paid_for_again(scripted: Any) -> None:
    server, calls = scripted(["prose", Oracle(), "prose"]), MemoryCalls()
    first = assistant(server, calls=calls).plan(plan_task(state="s1"))
    again = assistant(server, calls=calls).plan(plan_task(state="s1"))
    assert again == first and len(server.chats) == 2
    assistant(server, calls=calls).plan(plan_task(state="s2"))
    assert len(server.chats) > 2


def test_another_question_under_the_same_state_is_asked_anew(scripted: Any) -> None:
    server, calls = scripted(Oracle()), MemoryCalls()
    helper = assistant(server, calls=calls)
    first = helper.plan(plan_task(state="s1"))
    other = helper.plan(plan_task(state="s1", previous_problem="It collapsed."))
    assert len(server.chats) == 2 and first.call != other.call
    assert helper.plan(plan_task(state="s1", previous_problem="It collapsed.")) == other
    assert helper.plan(plan_task(state="s1")) == first
    assert len(server.chats) == 2


def test_failed_tries_are_told_again_with_the_answer(scripted: Any) -> None:
    server, calls = scripted([Busy(), Oracle()]), MemoryCalls()
    first = assistant(server, calls=calls).plan(plan_task(state="s1"))
    again = assistant(server, calls=calls).plan(plan_task(state="s1"))
    assert again == first and [call.ok for call in again.calls] == [False, True]
    assert {call.call for call in again.calls} == {r.id for r in calls.calls("r1")}


def test_a_call_is_kept_whole(scripted: Any) -> None:
    server, calls = scripted([Oracle()]), MemoryCalls()
    outcome = assistant(server, calls=calls).plan(plan_task(state="s1"))
    (record,) = calls.calls("r1")
    sent = json.loads(record.request)
    assert [m["content"] for m in sent["messages"]] == [
        server.chats[0].system,
        server.chats[0].user,
    ]
    assert json.loads(record.reply)["sub_questions"]
    assert (record.id, record.prompt_hash) == (outcome.call, outcome.prompt_hash)
    assert (record.tokens_in, record.tokens_out, record.price) == (100, 20, None)
