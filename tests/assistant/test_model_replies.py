"""Replies as models write them, made into values or into a sentence."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trace_core.assistant.replies import LONGEST, Unreadable, clean, find_json, read
from trace_core.assistant.shapes import (
    BriefReply,
    JudgementEntry,
    PlanReply,
    ReviewReply,
    StepReply,
    schema_of,
)

ENTRY = {"id": "c1", "verdict": "accept", "reason": "a reason"}
REVIEW = json.dumps({"judgements": [ENTRY]})


@pytest.mark.parametrize(
    ("reply", "left"),
    [
        ("<think>a</think>b", "b"),
        ("a</think>b", "b"),
        ("<think>a</think>x</think>b", "b"),
        ("<THINKING>a</THINKING >\n b", "b"),
        ("b<think>never closed", "b"),
        ("\ufeffb", "b"),
    ],
)
def test_thoughts_are_dropped(reply: str, left: str) -> None:
    assert clean(reply) == left


@pytest.mark.parametrize(
    "reply",
    [
        REVIEW,
        f"```json\n{REVIEW}\n```",
        f"```\n{REVIEW}",
        f"Here you are {{as asked}}:\n{REVIEW}\nI hope [this] helps.",
        f'First a draft {{"judgements": []}}, then the answer: {REVIEW}',
        json.dumps([ENTRY]),
        json.dumps({"judgments": [ENTRY]}),
        json.dumps({"judgements": ENTRY}),
        json.dumps({"judgements": json.dumps([ENTRY])}),
        json.dumps([{"judgements": [ENTRY]}]),
        json.dumps({"response": {"judgements": [ENTRY]}, "status": "ok"}),
        json.dumps({"result": REVIEW}),
        json.dumps({"Judgements": [{k.upper(): v for k, v in ENTRY.items()}]}),
        json.dumps({"c1": {"verdict": "accept", "reason": "a reason"}}),
        json.dumps({"judgements": {"c1": {"verdict": "accept", "reason": "a reason"}}}),
        REVIEW.replace('"', "'"),
        REVIEW.replace("}]}", "},]}"),
        REVIEW.replace('"judgements"', "judgements"),
        REVIEW.replace("a reason", 'a "reason" here').replace(r"\"", '"'),
        REVIEW[:-2],
    ],
)
def test_the_same_review_in_many_forms(reply: str) -> None:
    (given,) = read(reply, ReviewReply).judgements
    entry = JudgementEntry.model_validate(given)
    assert (entry.id, entry.verdict, entry.reason[:2]) == ("c1", "accept", "a ")


def test_entries_one_after_another_are_a_list_where_each_stands_for_itself() -> None:
    lines = "\n".join(json.dumps(ENTRY | {"id": f"c{n}"}) for n in range(3))
    assert [e["id"] for e in read(lines, ReviewReply).judgements] == ["c0", "c1", "c2"]
    parts = "\n".join(json.dumps({"text": text, "target": ""}) for text in "ab")
    with pytest.raises(Unreadable):
        read(parts, PlanReply)


def test_what_stands_inside_a_broken_list_is_no_shorter_list() -> None:
    broken = '{"judgements": [%s, {"id": "c2" "verdict": "hold", "reason": "r"}, %s]}'
    third = json.dumps(ENTRY | {"id": "c3"})
    found = read(broken % (json.dumps(ENTRY), third), ReviewReply).judgements
    assert [entry["id"] for entry in found] == ["c1", "c2", "c3"]


STEP_ARGS = {"query": "pont", "corpus": "council", "date_from": "1882-04", "date_to": None}


@pytest.mark.parametrize(
    "reply",
    [
        {"action": "search_date", "args": STEP_ARGS},
        {"action": "search_date", **STEP_ARGS},
        {"Action": "search_date", "Action_Input": json.dumps(STEP_ARGS)},
        {"action": {"name": "search_date", "args": STEP_ARGS}},
        {"action": {"tool": "search_date", **STEP_ARGS}},
        {"name": "search_date", "arguments": json.dumps(STEP_ARGS)},
        {"function_call": {"name": "search_date", "arguments": json.dumps(STEP_ARGS)}},
        {
            "action": "search_date",
            "args": {"q": "pont", "subCorpus": "council", "start_date": "1882-04", "query": None},
        },
    ],
)
def test_the_same_step_as_other_tools_have_it(reply: dict[str, Any]) -> None:
    step = read(json.dumps(reply), StepReply)
    args = step.args
    assert step.action == "search_date"
    assert (args.query, args.corpus, args.date_from, args.date_to) == (
        "pont",
        "council",
        "1882-04",
        None,
    )


def test_a_text_where_an_object_was_asked_for_is_its_main_field() -> None:
    step = read('{"action": "search_bm25", "args": "pont", "memory_update": "seen"}', StepReply)
    assert step.args.query == "pont"
    assert step.memory_update is not None and step.memory_update.prior_findings == "seen"
    plan = read('{"subQuestions": ["a", {"question": "b", "corpus": "x"}]}', PlanReply)
    assert [(q.text, q.target) for q in plan.sub_questions] == [("a", ""), ("b", "x")]


def test_a_cut_list_keeps_its_complete_entries_only() -> None:
    whole = json.dumps({"judgements": [ENTRY | {"id": f"c{n}"} for n in range(3)]})
    for length in range(len(whole)):
        try:
            found = read(whole[:length], ReviewReply, cut_off=True).judgements
        except Unreadable:
            continue
        assert all(entry["verdict"] == "accept" for entry in found)
        assert all(entry["reason"] == "a reason" for entry in found)
        assert [entry["id"] for entry in found] == [f"c{n}" for n in range(len(found))]


def test_a_plan_that_was_cut_off_is_not_a_shorter_plan() -> None:
    whole = json.dumps({"sub_questions": [{"text": "a"}, {"text": "b"}], "note": ""})
    readable = []
    for length in range(len(whole)):
        try:
            found = read(whole[:length], PlanReply, cut_off=True)
        except Unreadable:
            continue
        readable.append(len(found.sub_questions))
    assert set(readable) <= {2}


def test_a_step_that_was_cut_off_is_not_a_shorter_query() -> None:
    whole = json.dumps({"action": "search_bm25", "args": {"query": "Orlen bridge"}})
    for length in range(1, len(whole) - 1):
        with pytest.raises(Unreadable):
            read(whole[:length], StepReply)


@pytest.mark.parametrize(
    ("dates", "expected"),
    [
        (None, []),
        ("1882-04-05", ["1882-04-05"]),
        ("1882; 1883", ["1882", "1883"]),
        ("- 1882\n- 1883", ["1882", "1883"]),
        ('["1882", 1883]', ["1882", "1883"]),
        ([1882, None, " 1883 "], ["1882", "1883"]),
    ],
)
def test_lists_are_read_from_whatever_plainly_is_one(dates: object, expected: list[str]) -> None:
    assert read(json.dumps({"summary": "s", "dates": dates}), BriefReply).dates == expected


def test_the_error_says_what_is_missing() -> None:
    with pytest.raises(Unreadable, match="action: Field required"):
        read('{"thought": "hm"}', StepReply)
    with pytest.raises(Unreadable, match=r"no JSON object with sub_questions, note\."):
        read('{"plan": 1}', PlanReply)


@given(st.text(max_size=200))
def test_no_reply_breaks_the_reading(reply: str) -> None:
    for shape in (PlanReply, StepReply, ReviewReply):
        try:
            assert isinstance(find_json(reply, shape), dict)
        except Unreadable as error:
            assert str(error).endswith((".", ")."))


@pytest.mark.parametrize(
    "stage", ["plan", "step", "review", "reevaluate", "brief", "replan", "order"]
)
def test_every_schema_is_strict(stage: str) -> None:
    def check(schema: dict[str, object]) -> None:
        if schema["type"] == "object":
            properties = schema["properties"]
            assert isinstance(properties, dict)
            assert schema["additionalProperties"] is False
            assert schema["required"] == list(properties)
            for value in properties.values():
                check(value)
        elif schema["type"] == "array":
            items = schema["items"]
            assert isinstance(items, dict)
            check(items)

    check(schema_of(stage))


# --- replies that would take for ever ------------------------------------------------------------

MANY = LONGEST - 1_000
ENDLESS = {
    "lists in lists": "[" * MANY,
    "objects in objects": "{" * MANY,
    "names and objects": '{"a":' * (MANY // 5),
    "tags that are none": "< " * (MANY // 2),
    "a tag's beginning": "<" + " " * MANY,
    "fences": "```" * (MANY // 3),
    "fences and brackets": "```{ " * (MANY // 5),
    "empty objects": "{}" * (MANY // 2),
    "crossed brackets": "[}" * (MANY // 2),
    "quotation marks": '{"judgements": [{"id":"' + '"' * MANY,
    "escapes": '{"judgements": "' + "\\" * MANY,
    "colons": '{"judgements":' + ":" * MANY,
    "thoughts": "<think>" * (MANY // 7),
    "words": "mot " * (MANY // 4),
}


@pytest.mark.parametrize("reply", ENDLESS.values(), ids=ENDLESS)
def test_a_long_reply_of_nothing_is_unreadable(reply: str) -> None:
    """A square cost would never end here; how the cost grows is in `benchmarks.growth`."""
    with pytest.raises(Unreadable):
        read(reply, ReviewReply)


def test_a_reply_behind_many_words_is_found_and_an_overlong_one_is_not_looked_into() -> None:
    assert read("mot " * 40_000 + REVIEW, ReviewReply).judgements[0] == ENTRY
    with pytest.raises(Unreadable, match="characters; answer much more briefly"):
        read(" " * (LONGEST + 1) + REVIEW, ReviewReply)


def test_halves_of_characters_do_not_get_further() -> None:
    reply = json.dumps({"judgements": [{"id": "c1", "reason": "le \ud800 pont \ud83d\ude00"}]})
    assert "\\ud800" in reply
    assert read(reply, ReviewReply).judgements == [{"id": "c1", "reason": "le \ufffd pont 😀"}]
