"""Replies as models write them, made into values or into a sentence."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trace_core.assistant.replies import LONGEST, Unreadable, clean, find_json, read
from trace_core.assistant.shapes import (
    BriefReply,
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
        REVIEW.replace('"', "'"),
        REVIEW.replace("}]}", "},]}"),
        REVIEW.replace('"judgements"', "judgements"),
        REVIEW.replace("a reason", 'a "reason" here').replace(r"\"", '"'),
        REVIEW[:-2],
    ],
)
def test_the_same_review_in_many_forms(reply: str) -> None:
    (entry,) = read(reply, ReviewReply).judgements
    assert (entry["id"], entry["verdict"]) == ("c1", "accept")


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
