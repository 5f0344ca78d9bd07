"""The files of a bundle: how each part of a run's record is written and read back."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, fields
from datetime import datetime
from typing import Any, TypeVar

from trace_core.domain.corpus import Chunk, SubCorpus
from trace_core.domain.errors import BadInput, TraceError
from trace_core.domain.events import Event
from trace_core.domain.evidence import Actor
from trace_core.export.typed import as_type
from trace_core.ports import CallRecord, Note
from trace_core.provenance.record import Passage, PromptText, RunRecord, Source

T = TypeVar("T")


class BundleUnreadable(BadInput):
    """A file that is no bundle, or one too damaged to be read; the sentence says which part."""


def canonical(value: object) -> str:
    """JSON in one fixed form: sorted keys, no spaces, ASCII only (so that nothing is lost)."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def json_lines(values: Iterable[Mapping[str, Any]]) -> bytes:
    """One JSON object a line."""
    return "".join(canonical(value) + "\n" for value in values).encode("ascii")


def json_file(value: object) -> bytes:
    """One JSON value, indented for people."""
    return (json.dumps(value, sort_keys=True, indent=1, ensure_ascii=True) + "\n").encode("ascii")


# --- writing -----------------------------------------------------------------------------------


def record_files(record: RunRecord) -> dict[str, bytes]:
    """The files from which the record can be read again, by name."""
    start = record.state.start
    return {
        "events.jsonl": json_lines(_event(e) for e in record.events),
        "settings.json": json_file(start.settings if start else {}),
        "prompts.json": json_file({k: asdict(v) for k, v in record.prompts.items()}),
        "calls.jsonl": json_lines(_call(c) for c in record.calls),
        "corpora.json": json_file([_corpus(record.corpora[c]) for c in sorted(record.corpora)]),
        "sources.jsonl": json_lines(_source(s) for s in record.sources.values()),
        "passages.jsonl": json_lines(_passage(p) for p in record.passages.values()),
        "notes.jsonl": json_lines(_note(n) for n in record.notes),
        "versions.json": json_file(dict(record.versions)),
    }


def _event(event: Event) -> dict[str, Any]:
    return {
        "run": event.run,
        "sequence": event.sequence,
        "time": event.time,
        "actor": {"kind": event.actor.kind, "name": event.actor.name},
        "type": event.type,
        "body": event.body,
        "previous_hash": event.previous_hash,
        "hash": event.hash,
    }


def _call(call: CallRecord) -> dict[str, Any]:
    return {f.name: getattr(call, f.name) for f in fields(call)} | {"meta": dict(call.meta)}


def _corpus(corpus: SubCorpus) -> dict[str, Any]:
    plain = {f.name: getattr(corpus, f.name) for f in fields(corpus)}
    return plain | {"aliases": list(corpus.aliases), "citation": dict(corpus.citation)}


def _source(source: Source) -> dict[str, Any]:
    plain = {f.name: getattr(source, f.name) for f in fields(source)}
    return plain | {
        "key": list(source.key),
        "date": asdict(source.date) if source.date else None,
        "pages": [asdict(page) for page in source.pages],
        "twins": [list(key) for key in source.twins],
        "meta": dict(source.meta),
    }


def _passage(passage: Passage) -> dict[str, Any]:
    chunk = passage.chunk
    plain = {f.name: getattr(chunk, f.name) for f in fields(chunk)}
    return plain | {
        "key": list(chunk.key),
        "text": None if passage.withheld else chunk.text,
        "text_sha256": passage.text_hash,
    }


def _note(note: Note) -> dict[str, Any]:
    return {f.name: getattr(note, f.name) for f in fields(note)} | {"key": list(note.key)}


# --- reading -----------------------------------------------------------------------------------


def read_lines(name: str, content: bytes, make: Callable[[dict[str, Any]], T]) -> list[T]:
    """The values of a file of JSON lines. Raises BundleUnreadable with the line."""
    found = []
    for number, line in enumerate(content.splitlines(), 1):
        try:
            value = json.loads(line)
            if not isinstance(value, dict):
                raise ValueError("it is no object")
            found.append(make(value))
        except (TraceError, ValueError, LookupError, TypeError, RecursionError) as error:
            raise BundleUnreadable(f"Line {number} of {name} cannot be read: {error}.") from None
    return found


def read_json(name: str, content: bytes) -> Any:
    """The value of a JSON file. Raises BundleUnreadable."""
    try:
        return json.loads(content)
    except (ValueError, RecursionError) as error:
        raise BundleUnreadable(f"{name} cannot be read: {error}.") from None


def make_event(data: dict[str, Any]) -> Event:
    """An event as it was written, its hash not yet looked at."""
    texts = ("run", "time", "type", "body", "previous_hash", "hash")
    if not all(isinstance(data[name], str) for name in texts) or type(data["sequence"]) is not int:
        raise ValueError("a field of the event has the wrong type")
    datetime.fromisoformat(data["time"])
    return Event(
        run=data["run"],
        sequence=data["sequence"],
        time=data["time"],
        actor=Actor.model_validate(data["actor"]),
        type=data["type"],
        body=data["body"],
        previous_hash=data["previous_hash"],
        hash=data["hash"],
    )


def make_call(data: dict[str, Any]) -> CallRecord:
    """A model call as it was written."""
    return as_type(CallRecord, data)


def make_corpora(data: Any) -> dict[str, SubCorpus]:
    """The sub-corpora as they were written, by id."""
    try:
        return {corpus.id: corpus for corpus in (as_type(SubCorpus, one) for one in data)}
    except (ValueError, TypeError) as error:
        raise BundleUnreadable(f"corpora.json cannot be read: {error}.") from None


def make_source(data: dict[str, Any]) -> Source:
    """A document version as it was written."""
    return as_type(Source, data)


def make_passage(data: dict[str, Any]) -> Passage:
    """A passage as it was written."""
    given = {k: v for k, v in data.items() if k != "text_sha256"}
    withheld = data["text"] is None
    chunk = as_type(Chunk, {**given, "text": ""} if withheld else given)
    if not isinstance(data["text_sha256"], str):
        raise ValueError("text_sha256 is no text")
    return Passage(chunk, data["text_sha256"], withheld)


def make_note(data: dict[str, Any]) -> Note:
    """A note as it was written."""
    return as_type(Note, data)


def make_prompts(data: Any) -> dict[str, PromptText]:
    """The prompts as they were written."""
    try:
        return {stage: as_type(PromptText, value) for stage, value in data.items()}
    except (ValueError, AttributeError) as error:
        raise BundleUnreadable(f"prompts.json cannot be read: {error}.") from None


def make_versions(data: Any) -> dict[str, str]:
    """The versions as they were written."""
    if not isinstance(data, dict) or not all(isinstance(v, str) for v in data.values()):
        raise BundleUnreadable("versions.json does not give a version for each name.")
    return data
