"""The columns that tables may have: each a name and how its value is read from a line."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from trace_core.domain.errors import BadInput
from trace_core.export.lines import Line, PassageLine, iso_bounds
from trace_core.export.options import Options
from trace_core.provenance.record import RunRecord

Cell = str | int | None


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a table: a decision of a document's line in its run."""

    run: str
    question: str
    line: Line
    passage: PassageLine


def _source(row: Row) -> str:
    item = row.line.item
    parts = (item.get("archive"), item.get("archive_collection"), item.get("archive_location"))
    return ", ".join(str(p) for p in parts if p) or row.line.corpus_name


def _notes(row: Row) -> str:
    return "\n".join(f"{n.author}: {n.text}" if n.author else n.text for n in row.line.notes)


def _twins(row: Row) -> str:
    source = row.line.source
    if source is None:
        return ""
    more = [f"+{source.more_twins}"] if source.more_twins else []
    return "; ".join([*map(str, source.twins), *more])


def _edtf(row: Row) -> str:
    date = row.line.source.date if row.line.source else None
    return date.edtf if date else ""


def _actor(row: Row) -> str:
    return str(row.passage.record.actor)


def _model(row: Row) -> str:
    actor = row.passage.record.actor
    return actor.name if actor.kind == "model" else ""


COLUMNS: Mapping[str, Callable[[Row], Cell]] = MappingProxyType(
    {
        "decision_id": lambda r: r.passage.record.id,
        "run_id": lambda r: r.run,
        "question": lambda r: r.question,
        "rank": lambda r: r.line.rank,
        "sub_question": lambda r: r.passage.record.decision.sub_question,
        "confirmations": lambda r: r.line.confirmations or None,
        "confirmed_by": lambda r: " ".join(r.line.sub_questions),
        "sub_corpus": lambda r: r.line.key.corpus,
        "sub_corpus_name": lambda r: r.line.corpus_name,
        "doc_id": lambda r: r.line.key.source_id,
        "doc_version": lambda r: r.passage.record.decision.version,
        "chunk_id": lambda r: f"c{r.passage.record.decision.chunk}",
        "title": lambda r: r.line.title,
        "source": _source,
        "citation": lambda r: r.line.citation,
        "date_written": lambda r: r.line.date,
        "date_edtf": _edtf,
        "date_earliest": lambda r: iso_bounds(r.line.source)[0],
        "date_latest": lambda r: iso_bounds(r.line.source)[1],
        "page_label": lambda r: r.passage.page.label if r.passage.page else "",
        "page_index": lambda r: r.passage.page_index,
        "passage": lambda r: r.passage.text,
        "passage_start": lambda r: r.passage.start,
        "passage_end": lambda r: r.passage.end,
        "quote": lambda r: r.passage.quote,
        "quote_verified": lambda r: r.passage.quote_verified,
        "decision": lambda r: r.passage.record.decision.verdict,
        "reviewed": lambda r: "yes" if r.passage.record.decision.reviewed else "no",
        "reason": lambda r: r.passage.reason,
        "list_reason": lambda r: r.line.reason,
        "decided_by": _actor,
        "decided_at": lambda r: r.passage.record.time,
        "stage": lambda r: r.passage.record.decision.stage,
        "supersedes": lambda r: r.passage.record.decision.replaces,
        "superseded_by": lambda r: r.passage.superseded_by,
        "search": lambda r: r.passage.record.decision.search,
        "query": lambda r: r.passage.found,
        "model": _model,
        "prompt_hash": lambda r: r.passage.record.decision.prompt_hash,
        "url": lambda r: r.passage.link or r.line.link,
        "permanent_id": lambda r: r.line.permanent_id,
        "twins": _twins,
        "tags": lambda r: "; ".join(r.line.tags),
        "starred_by": lambda r: "; ".join(r.line.starred_by),
        "notes": _notes,
    }
)  # fmt: skip
"""Every column by name."""

DEFAULT: tuple[str, ...] = (
    "rank", "decision_id", "run_id", "sub_question", "sub_corpus", "doc_id", "chunk_id", "title",
    "source", "citation", "date_written", "date_edtf", "page_label", "page_index", "passage",
    "quote", "quote_verified", "decision", "reason", "decided_by", "decided_at", "supersedes",
    "confirmations", "model", "url", "permanent_id", "twins", "tags", "starred_by",
    "notes",
)  # fmt: skip
"""The columns of a table for which none were chosen."""


def chosen(options: Options) -> tuple[str, ...]:
    """The names of the columns asked for. Raises BadInput for one that there is not."""
    names = options.columns or DEFAULT
    for name in names:
        if name not in COLUMNS:
            raise BadInput(f"There is no column {name!r}; the columns are {', '.join(COLUMNS)}.")
    return names


def rows(record: RunRecord, made: Iterable[Line]) -> Iterator[Row]:
    """One row a decision, in the order of the lines."""
    question = record.state.question
    for line in made:
        for passage in line.passages:
            yield Row(record.run, question, line, passage)


def cells(row: Row, names: Iterable[str]) -> list[Cell]:
    """The values of a row."""
    return [COLUMNS[name](row) for name in names]
