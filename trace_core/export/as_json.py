"""JSON: the list with everything that is known of each line, for other programs."""

from __future__ import annotations

from typing import Any

from trace_core.export.clean import whole
from trace_core.export.json_text import laid_out
from trace_core.export.lines import Line, PassageLine, iso_bounds, lines
from trace_core.export.options import Options
from trace_core.provenance.methods import methods
from trace_core.provenance.record import RunRecord

FORMAT = "trace-evidence"
FORMAT_VERSION = 1


def as_json(record: RunRecord, options: Options) -> bytes:
    """The evidence list as JSON in UTF-8, keys in a fixed order."""
    state = record.state
    start = state.start
    value = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "run": record.run,
        "question": state.question,
        "status": state.status,
        "assistant": state.assistant,
        "created": state.created,
        "updated": state.updated,
        "settings_hash": start.settings_hash if start else "",
        "index_version": state.index_version,
        "events": len(record.events),
        "last_hash": state.last_hash,
        "accessed": record.accessed,
        "methods": methods(record, options.language),
        "sub_questions": [q.model_dump(mode="json") for q in state.plan],
        "lines": [_line(line) for line in lines(record, options)],
    }
    return dump(value)


def dump(value: object) -> bytes:
    """A value as JSON in UTF-8; halves of characters become U+FFFD."""
    text = laid_out(value)
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        return whole(text).encode("utf-8")


def _line(line: Line) -> dict[str, Any]:
    source = line.source
    earliest, latest = iso_bounds(source)
    return {
        "rank": line.rank,
        "verdict": line.verdict,
        "sub_corpus": line.key.corpus,
        "sub_corpus_name": line.corpus_name,
        "doc_id": line.key.source_id,
        "doc_version": source.version if source else None,
        "text_sha256": source.text_hash if source else None,
        "title": line.title,
        "date_written": line.date,
        "date_edtf": source.date.edtf if source and source.date else "",
        "date_earliest": earliest,
        "date_latest": latest,
        "undated_reason": source.undated_reason if source else "",
        "citation": line.citation,
        "csl": line.item,
        "confirmations": line.confirmations,
        "sub_questions": list(line.sub_questions),
        "reason": line.reason,
        "permanent_id": line.permanent_id,
        "url": line.link,
        "twins": [list(key) for key in source.twins] if source else [],
        "more_twins": source.more_twins if source else 0,
        "tags": list(line.tags),
        "starred_by": list(line.starred_by),
        "notes": [{"author": n.author, "time": n.time, "text": n.text} for n in line.notes],
        "passages": [_passage(passage) for passage in line.passages],
    }


def _passage(line: PassageLine) -> dict[str, Any]:
    decision = line.record.decision
    return {
        "decision_id": line.record.id,
        "chunk_id": f"c{decision.chunk}",
        "verdict": decision.verdict,
        "reviewed": decision.reviewed,
        "sub_question": decision.sub_question,
        "passage": None if line.withheld else line.text,
        "start": line.start,
        "end": line.end,
        "page_label": line.page.label if line.page else "",
        "page_index": line.page_index,
        "quote": line.quote,
        "quote_verified": line.quote_verified,
        "reason": line.reason,
        "decided_by": {"kind": line.record.actor.kind, "name": line.record.actor.name},
        "decided_at": line.record.time,
        "stage": decision.stage,
        "supersedes": decision.replaces,
        "superseded_by": line.superseded_by,
        "search": decision.search,
        "query": line.found,
        "prompt_hash": decision.prompt_hash,
        "call": decision.call,
        "url": line.link,
    }
