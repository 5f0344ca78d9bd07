"""Markdown: the list to read on, with nothing in the texts taken for markup."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from trace_core.export.blocks import GROUPS, decision_note, line_facts, list_reason, passage_text
from trace_core.export.clean import one_line, plain
from trace_core.export.labels import labels
from trace_core.export.lines import Line, PassageLine, lines
from trace_core.export.options import Options
from trace_core.provenance.methods import methods
from trace_core.provenance.record import RunRecord

_INLINE = re.compile(r"([\\`*_\[\]<>&~|$])")
_LEADING = re.compile(r"^(\s*)(?:([#+=-])|(\d+)([.)]))")


def as_markdown(record: RunRecord, options: Options) -> bytes:
    """The evidence list as CommonMark in UTF-8."""
    return "\n".join(_document(record, options)).encode("utf-8")


def escaped(text: str) -> str:
    """A text on one line that Markdown shows as it is."""
    return _literal(one_line(text))


def _literal(line: str) -> str:
    """One line with what would be markup, inside it or at its beginning, taken literally."""
    safe = _INLINE.sub(r"\\\1", line)
    match = _LEADING.match(safe)
    if match is None:
        return safe
    start, sign, number, point = match.groups()
    mark = f"\\{sign}" if sign else f"{number}\\{point}"
    return f"{start}{mark}{safe[match.end() :]}"


def _document(record: RunRecord, options: Options) -> Iterator[str]:
    said = labels(options.language)
    yield f"# {said['title']}\n"
    yield f"**{said['question']}:** {escaped(record.state.question)}\n"
    yield f"## {said['methods']}\n\n{escaped(methods(record, options.language))}\n"
    made = lines(record, options)
    for heading, verdict in GROUPS:
        group = [line for line in made if line.verdict == verdict]
        if group or verdict == "accept":
            yield f"## {said[heading]}\n"
        if not group and verdict == "accept":
            yield f"{said['nothing']}\n"
        for line in group:
            yield from _line(record, line, said)
    yield f"---\n\n{escaped(said['heuristic'])}\n"


def _line(record: RunRecord, line: Line, said: Mapping[str, str]) -> Iterator[str]:
    number = f"{line.rank}\\. " if line.rank else ""
    yield f"### {number}{escaped(line.title)}\n"
    yield f"{escaped(line.citation)}\n"
    if reason := list_reason(line):
        yield f"**{said['reason']}:** {escaped(reason)}\n"
    for passage in line.passages:
        yield from _passage(record, passage, said)
    for fact in line_facts(line, said):
        value = f"<{fact.link}>" if fact.link else escaped(fact.value)
        yield f"- {fact.label}: {value}"
    yield ""


def _passage(record: RunRecord, line: PassageLine, said: Mapping[str, str]) -> Iterator[str]:
    yield _quoted(passage_text(record, line, said))
    yield ""
    if line.quote:
        yield f"**{said['quote']}:** “{escaped(line.quote)}”\n"
    if line.quote_verified == "no":
        yield f"*{said['unverified']}*\n"
    if line.reason:
        yield f"**{said['reason']}:** {escaped(line.reason)}\n"
    yield f"*{escaped(decision_note(line, said))}*\n"


def _quoted(text: str) -> str:
    """A block quotation that keeps the lines of the text."""
    kept = [_literal(line.strip()) for line in plain(text).splitlines()] or [""]
    out = []
    for line, following in zip(kept, [*kept[1:], ""], strict=True):
        hard_break = "\\" if line and following else ""
        out.append(f"> {line}{hard_break}".rstrip())
    return "\n".join(out)
