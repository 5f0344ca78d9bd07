"""What a reader's document says of each line, format by format the same: texts without markup."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from trace_core.export.lines import Line, PassageLine
from trace_core.provenance.record import RunRecord

GROUPS = (("evidence", "accept"), ("held", "hold"), ("rejected", "reject"))
"""Heading and verdict of each part of the list."""


@dataclass(frozen=True, slots=True)
class Fact:
    """A label and its value; `link` is set where the value is an address."""

    label: str
    value: str
    link: str = ""


def passage_text(record: RunRecord, line: PassageLine, said: Mapping[str, str]) -> str:
    """The stored text of a passage, or why it is not given."""
    if line.text:
        return line.text
    passage = record.passages.get(line.record.decision.chunk)
    return said["withheld"].format(hash=passage.text_hash) if passage else said["gone"]


def line_facts(line: Line, said: Mapping[str, str]) -> Iterator[Fact]:
    """What is said of a document beside its citation and passages."""
    if line.confirmations:
        subs = ", ".join(line.sub_questions)
        yield Fact(said["confirmations"], f"{line.confirmations} ({subs})")
    yield Fact(said["id"], line.permanent_id)
    if line.link:
        yield Fact(said["link"], line.link, line.link)
    if line.source and line.source.twins:
        others = ", ".join(map(str, line.source.twins))
        more = line.source.more_twins
        yield Fact(said["twins"], said["more"].format(others=others, n=more) if more else others)
    if line.tags:
        yield Fact(said["tags"], ", ".join(line.tags))
    if line.starred_by:
        yield Fact(said["starred_by"], ", ".join(line.starred_by))
    for note in line.notes:
        author = f"{note.author}: " if note.author else ""
        yield Fact(said["notes"], f"{author}{note.text}")


def list_reason(line: Line) -> str:
    """Why the document stands where it does, "" where one of its passages says the same."""
    return "" if any(p.reason == line.reason for p in line.passages) else line.reason


def decision_note(line: PassageLine, said: Mapping[str, str]) -> str:
    """Who decided on a passage, when, for which sub-question, found by what."""
    decision = line.record.decision
    when = f"{line.by} {said['decided_at']} {line.record.time[:10]}"
    parts = [f"{said['decided_by']} {when}", f"{said['sub_question']} {decision.sub_question}"]
    if line.page is not None and line.page.label:
        parts.append(f"{said['page']} {line.page.label}")
    if decision.search:
        query = f" ({line.found})" if line.found else ""
        parts.append(f"{said['found_by']} {decision.search}{query}")
    parts.append(f"{line.record.id}, c{decision.chunk}")
    return "; ".join(parts)
