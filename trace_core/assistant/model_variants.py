"""Forms of a query by model: other spellings, other names, other languages; a person chooses.

In: what a person searches for and the languages of the sources. Out: short forms. Nothing is
searched with them until the person has kept some.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from trace_core.assistant.asking import Ask, Section, Squeeze
from trace_core.assistant.chat import ChatReply
from trace_core.assistant.fences import one_line
from trace_core.assistant.replies import read
from trace_core.assistant.shapes import VariantsReply
from trace_core.settings import Settings
from trace_core.text.tokens import words

_MOST = 12
_LONGEST = 80


def variants(query: str, languages: Sequence[str], settings: Settings) -> Ask[tuple[str, ...]]:
    """The call that asks for other forms of a query, in these languages (ISO 639-1)."""

    def sections(squeeze: Squeeze) -> Mapping[str, Section]:
        del squeeze
        return {"query": one_line(query), "languages": ", ".join(languages) or "unknown"}

    def result(reply: ChatReply, squeeze: Squeeze) -> tuple[str, ...]:
        del squeeze
        shape = read(reply.text, VariantsReply, cut_off=reply.cut_off)
        return _forms(query, shape.forms)

    return Ask(
        stage="variants",
        state="|".join([query, *languages]),
        max_tokens=settings.model.other_tokens,
        items=0,
        retries=settings.loop.plan_retries,
        sections=sections,
        read=result,
    )


def _forms(query: str, given: Sequence[str]) -> tuple[str, ...]:
    """The forms without the query itself, repetition, signs of the search, and sentences."""
    found: dict[tuple[str, ...], str] = {tuple(words(query)): ""}
    for form in given:
        shown = " ".join(one_line(form.replace("|", " ")).split())
        if words(shown) and len(shown) <= _LONGEST:
            found.setdefault(tuple(words(shown)), shown)
    return tuple(shown for shown in found.values() if shown)[:_MOST]
