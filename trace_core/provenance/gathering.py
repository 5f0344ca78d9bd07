"""Gathering a run's record from the stores: one read of each, in the names that the run knew.

Since a run was made, documents may have moved to another sub-corpus. Its decisions keep the keys
they were made under, and so does the record: passages, sources and notes are found under the
documents' present keys and stand in it under those of the decisions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from trace_core import __version__
from trace_core.domain.corpus import Document, DocumentKey, SubCorpus
from trace_core.domain.errors import NotFound
from trace_core.domain.events import Event
from trace_core.domain.state import RunState
from trace_core.domain.transitions import fold
from trace_core.ports import CallLog, DocumentStore, Note, NoteStore, TwinStore, UpkeepStore
from trace_core.provenance.record import (
    EXPORTER,
    Passage,
    PromptText,
    RunRecord,
    Source,
    SourceKey,
    text_hash,
)

MOST_TWINS = 50


@dataclass(frozen=True, slots=True)
class Shelves:
    """The stores that a run's record is gathered from."""

    documents: DocumentStore
    calls: CallLog
    notes: NoteStore
    twins: TwinStore
    upkeep: UpkeepStore


def gather(
    run: str,
    events: Iterable[Event],
    shelves: Shelves,
    *,
    prompts: Mapping[str, str] | None = None,
    accessed: str = "",
) -> RunRecord:
    """A run's record from the stores. Raises NotFound when the run has no events.

    `prompts` are texts by stage; each is taken only where its hash is the one that the run
    recorded. `accessed` is today unless given.
    """
    log = tuple(events)
    if not log:
        raise NotFound(f"There is no run {run!r}; `runs` lists those that exist.")
    state = fold(run, log)
    keys = tuple(dict.fromkeys(r.decision.key for r in state.decisions))
    present = shelves.upkeep.present(keys)
    return RunRecord(
        run=run,
        events=log,
        state=state,
        corpora=_corpora(shelves),
        sources=_sources(state, shelves, present),
        passages=_passages(state, shelves.documents),
        calls=tuple(shelves.calls.calls(run)),
        notes=_notes(keys, present, shelves),
        prompts=_prompts(state, prompts or {}),
        versions=_versions(state),
        accessed=accessed or datetime.now(UTC).date().isoformat(),
    )


def _corpora(shelves: Shelves) -> dict[str, SubCorpus]:
    """The sub-corpora, merged ones too: by their own name, cited as the one that took them in."""
    known = {corpus.id: corpus for corpus in shelves.documents.corpora()}
    for gone in shelves.upkeep.former_corpora().values():
        if gone.into in known:
            known[gone.id] = replace(known[gone.into], id=gone.id, name=gone.name, aliases=())
    return known


def _sources(
    state: RunState, shelves: Shelves, present: Mapping[DocumentKey, DocumentKey]
) -> dict[SourceKey, Source]:
    wanted = dict.fromkeys((r.decision.key, r.decision.version) for r in state.decisions)
    groups = shelves.twins.twins(dict.fromkeys(key for key, _ in wanted))
    found = {}
    for key, version in wanted:
        try:
            document = shelves.documents.document(key, version)
        except NotFound:
            continue
        group = groups[key].keys if key in groups else ()
        others = tuple(k for k in group if k not in (key, present.get(key)))
        found[(key, version)] = replace(
            as_source(document),
            key=key,
            twins=others[:MOST_TWINS],
            more_twins=max(len(others) - MOST_TWINS, 0),
        )
    return found


def as_source(document: Document) -> Source:
    """A document version without its text."""
    return Source(
        key=document.key,
        version=document.version,
        title=document.title,
        text_hash=text_hash(document.text),
        language=document.language,
        date=document.date,
        undated_reason=document.undated_reason,
        pages=document.pages,
        meta=dict(document.meta),
        quality=document.quality,
    )


def _passages(state: RunState, documents: DocumentStore) -> dict[int, Passage]:
    judged = {r.decision.chunk: r.decision.key for r in state.decisions}
    chunks = documents.chunks(list(judged))
    return {
        i: Passage(replace(chunks[i], key=key), text_hash(chunks[i].text))
        for i, key in judged.items()
        if i in chunks
    }


def _notes(
    keys: tuple[DocumentKey, ...],
    present: Mapping[DocumentKey, DocumentKey],
    shelves: Shelves,
) -> tuple[Note, ...]:
    """What was written on the documents under any of their keys, under that of the decisions."""
    judged = {present.get(key, key): key for key in keys}
    earlier = shelves.upkeep.former(judged)
    judged |= {old: judged[now] for now, olds in earlier.items() for old in olds}
    judged |= {key: key for key in keys}
    found = shelves.notes.notes(set(judged))
    return tuple(replace(note, key=judged[note.key]) for note in found)


def _prompts(state: RunState, texts: Mapping[str, str]) -> dict[str, PromptText]:
    recorded = state.start.prompts if state.start else {}
    return {
        stage: PromptText(sha, texts[stage] if text_hash(texts.get(stage, "")) == sha else "")
        for stage, sha in sorted(recorded.items())
    }


def _versions(state: RunState) -> dict[str, str]:
    software = dict(state.start.software) if state.start else {}
    return {**software, EXPORTER: __version__}
