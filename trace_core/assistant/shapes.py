"""The forms of the seven replies: what is asked of the model, and what is forgiven.

The shapes are lenient where the meaning is plain (a list given as one string, a number for a
word, `null` for nothing, a field under another of its names) and refuse what is not. `schema_of`
gives the strict JSON schema that servers with structured output are handed.
"""

from __future__ import annotations

import json
import re
from typing import Annotated, Any

from pydantic import AliasChoices, BeforeValidator, Field, model_validator

from trace_core.assistant.loose import Reply, by_id, from_json, squashed

_SEPARATORS = re.compile(r"\s*[\n;]\s*")
_LONGEST_WINDOW = 60


def _text(value: object) -> object:
    """A string from whatever plainly stands for one."""
    if value is None:
        return ""
    if isinstance(value, bool | int | float):
        return str(value)
    if isinstance(value, list) and all(isinstance(v, str | int | float) for v in value):
        return "; ".join(str(v) for v in value)
    if isinstance(value, dict):
        return json.dumps(value, ensure_ascii=False)
    return value.strip() if isinstance(value, str) else value


def _texts(value: object) -> object:
    """A list of strings, also from one string that holds a JSON list or lines."""
    if value is None:
        return []
    if isinstance(value, str):
        text = value.strip()
        if text.startswith("["):
            try:
                return _texts(json.loads(text))
            except ValueError:
                text = text.strip("[]")
        parts = (part.lstrip("-•* ").strip("\"' ") for part in _SEPARATORS.split(text))
        return [part for part in parts if part]
    if isinstance(value, list):
        return [text for text in map(_text, value) if text != ""]
    return value


def _entries(value: object) -> object:
    """A list of entries, also from a string that holds one, from one entry, or by their ids."""
    value = from_json(value)
    if value is None:
        return []
    if isinstance(value, dict):
        return by_id(value) if all(isinstance(v, dict) for v in value.values()) else [value]
    return value


def _window(value: object) -> object:
    """Days on either side, brought into 1 to 60; nothing where no number is given."""
    if isinstance(value, str):
        digits = re.search(r"\d+", value)
        value = int(digits.group()) if digits else None
    if isinstance(value, float):
        value = round(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return min(max(value, 1), _LONGEST_WINDOW)
    return None


def _blank_is_none(value: object) -> object:
    text = _text(value)
    return None if text in ("", "null", "none", "None") else text


Text = Annotated[str, BeforeValidator(_text)]
Texts = Annotated[list[str], BeforeValidator(_texts)]
Entries = Annotated[list[Any], BeforeValidator(_entries)]
MaybeText = Annotated[str | None, BeforeValidator(_blank_is_none)]
Window = Annotated[int | None, BeforeValidator(_window)]


class SubQuestionEntry(Reply):
    """One sub-question of a plan or a replan (a plan leaves `id` empty)."""

    word_field = "text"
    text: Text = Field(validation_alias=AliasChoices("text", "question", "sub_question"))
    target: Text = Field("", validation_alias=AliasChoices("target", "corpus", "sub_corpus"))
    entities: Texts = Field([], validation_alias=AliasChoices("entities", "names"))
    dates: Texts = []
    why: Text = ""
    id: Text = ""


class PlanReply(Reply):
    """A plan, or what remains of one."""

    list_field = "sub_questions"
    entry_keys = frozenset({"text", "question", "sub_question"})
    sub_questions: Annotated[list[SubQuestionEntry], BeforeValidator(_entries)]
    note: Text = ""


class StepArgs(Reply):
    """The arguments of an action; each action reads those it knows."""

    word_field = "query"
    query: Text = Field(
        "",
        validation_alias=AliasChoices(
            "query", "q", "text", "search_query", "search_terms", "terms", "keywords", "string"
        ),
    )
    corpus: Text = Field(
        "", validation_alias=AliasChoices("corpus", "sub_corpus", "corpus_id", "target")
    )
    date_from: MaybeText = Field(
        None, validation_alias=AliasChoices("date_from", "from_date", "start_date", "from", "start")
    )
    date_to: MaybeText = Field(
        None, validation_alias=AliasChoices("date_to", "to_date", "end_date", "to", "end")
    )
    date_center: MaybeText = Field(
        None, validation_alias=AliasChoices("date_center", "date_centre", "center", "date", "day")
    )
    window_days: Window = Field(
        None, validation_alias=AliasChoices("window_days", "window", "days")
    )


class MemorySlots(Reply):
    """The five slots as the reply gives them; a text without slots is what was found."""

    word_field = "prior_findings"
    prior_findings: Text = ""
    question_analysis: Text = ""
    evidence: Text = ""
    gaps: Text = ""
    next_steps: Text = ""


_ACTION_NAMES = ("action", "actionname", "tool", "toolname", "function", "functioncall", "name")
_ARGS_NAMES = ("args", "arguments", "actioninput", "actionargs", "parameters", "params", "input")
"""Squashed, as `spellings` has them."""


class StepReply(Reply):
    """One step of the search loop.

    The action may be an object that holds its own name and arguments, as a call of a tool has
    them, and the arguments may stand beside the action.
    """

    thought: Text = Field("", validation_alias=AliasChoices("thought", "thoughts"))
    action: Text = Field(validation_alias=AliasChoices(*_ACTION_NAMES))
    args: StepArgs = Field(StepArgs(), validation_alias=AliasChoices(*_ARGS_NAMES))
    memory_update: MemorySlots | None = Field(
        None, validation_alias=AliasChoices("memory_update", "memory")
    )

    @model_validator(mode="before")
    @classmethod
    def _brought_together(cls, data: Any) -> Any:
        data = from_json(data)
        if not isinstance(data, dict):
            return data
        given = {squashed(key): from_json(value) for key, value in data.items()}
        inner = next((v for n in _ACTION_NAMES if isinstance(v := given.get(n), dict)), None)
        if inner is not None:
            given |= {squashed(key): value for key, value in inner.items()}
            given["action"] = next(
                (v for n in _ACTION_NAMES if isinstance(v := inner.get(n), str)), ""
            )
        if not any(given.get(name) for name in _ARGS_NAMES):
            given["args"] = {name: value for name, value in given.items() if name != "action"}
        return given


class JudgementEntry(Reply):
    """One verdict of a review, or one promotion (which needs no verdict)."""

    id: Text = Field(validation_alias=AliasChoices("id", "chunk", "chunk_id"))
    verdict: Text = Field(
        "", validation_alias=AliasChoices("verdict", "decision", "judgement", "judgment")
    )
    reason: Text = Field("", validation_alias=AliasChoices("reason", "rationale", "explanation"))
    quote: Text = ""


class ReviewReply(Reply):
    """A review. Its entries are read one by one, so that a bad one spoils no other."""

    list_field = "judgements"
    entry_keys = frozenset({"id", "chunk", "chunk_id"})
    parts_count = True
    judgements: Entries = Field(
        validation_alias=AliasChoices("judgements", "judgments", "decisions", "reviews")
    )


class ReevaluateReply(Reply):
    """The promotions of a re-evaluation."""

    list_field = "promotions"
    entry_keys = frozenset({"id", "chunk", "chunk_id"})
    parts_count = True
    promotions: Entries = Field(validation_alias=AliasChoices("promotions", "promoted"))


class BriefReply(Reply):
    """A briefing."""

    summary: Text
    confirmed_facts: Texts = []
    dates: Texts = []
    entities: Texts = []
    gaps: Texts = []
    search_hints: Texts = []


class OrderEntry(Reply):
    """One document's place and why."""

    word_field = "id"
    id: Text = Field(validation_alias=AliasChoices("id", "doc", "document"))
    reason: Text = ""


class OrderReply(Reply):
    """An order, best first."""

    list_field = "order"
    entry_keys = frozenset({"id", "doc", "document"})
    parts_count = True
    order: Entries = Field(validation_alias=AliasChoices("order", "ranking"))


class VariantsReply(Reply):
    """Other forms of a query."""

    forms: Texts = []


# --- what is asked -------------------------------------------------------------------------------

_STRING: dict[str, Any] = {"type": "string"}
_STRINGS: dict[str, Any] = {"type": "array", "items": _STRING}
_MAYBE: dict[str, Any] = {"type": ["string", "null"]}
_VERDICT = {"type": "string", "enum": ["accept", "hold", "reject"]}
_ACTION = {
    "type": "string",
    "enum": [
        "search_bm25",
        "search_semantic",
        "search_date",
        "search_exact",
        "search_fuzzy",
        "finish",
    ],
}


def _object(**fields: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": fields,
        "required": list(fields),
        "additionalProperties": False,
    }


def _list(entry: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": entry}


_PART: dict[str, dict[str, Any]] = {
    "text": _STRING,
    "target": _STRING,
    "entities": _STRINGS,
    "dates": _STRINGS,
}
_SCHEMAS: dict[str, dict[str, Any]] = {
    "plan": _object(sub_questions=_list(_object(**_PART, why=_STRING)), note=_STRING),
    "step": _object(
        thought=_STRING,
        action=_ACTION,
        args=_object(
            query=_STRING,
            corpus=_STRING,
            date_from=_MAYBE,
            date_to=_MAYBE,
            date_center=_MAYBE,
            window_days={"type": ["integer", "null"]},
        ),
        memory_update=_object(**dict.fromkeys(MemorySlots.model_fields, _STRING)),
    ),
    "review": _object(
        judgements=_list(_object(id=_STRING, verdict=_VERDICT, reason=_STRING, quote=_STRING))
    ),
    "reevaluate": _object(promotions=_list(_object(id=_STRING, reason=_STRING, quote=_STRING))),
    "brief": _object(
        summary=_STRING,
        confirmed_facts=_STRINGS,
        dates=_STRINGS,
        entities=_STRINGS,
        gaps=_STRINGS,
        search_hints=_STRINGS,
    ),
    "replan": _object(sub_questions=_list(_object(id=_STRING, **_PART, why=_STRING)), note=_STRING),
    "order": _object(order=_list(_object(id=_STRING, reason=_STRING))),
    "variants": _object(forms=_STRINGS),
}


def schema_of(stage: str) -> dict[str, Any]:
    """The strict JSON schema of a stage's reply."""
    return _SCHEMAS[stage]
