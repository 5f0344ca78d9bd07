"""The JSON that commands give to machines. These shapes are a promise: fields are only added."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from trace_core.domain.dates import HistoricalDate, iso_day
from trace_core.domain.state import DecisionRecord, RunState

if TYPE_CHECKING:
    from trace_core.ports import RunHead
    from trace_core.service import Service
    from trace_core.service.views import CorpusView, EvidenceView, SearchView


def date_of(date: HistoricalDate | None) -> str | None:
    """A date as EDTF, None for undated."""
    return date.edtf if date else None


def search_json(view: SearchView) -> dict[str, Any]:
    """A search result."""
    return {
        "query": view.query,
        "channel": view.channel,
        "hits": [
            {
                "rank": hit.rank,
                "corpus": hit.key.corpus,
                "source_id": hit.key.source_id,
                "title": hit.head.title,
                "date": date_of(hit.head.date),
                "score": hit.score,
                "channels": dict(hit.channels),
                "snippet": hit.snippet,
                "chunk": f"c{hit.chunk_id}",
                "second": hit.second.text if hit.second else "",
                "forms": list(hit.forms),
                "boosts": dict(hit.boosts or {}),
                "twins": [str(key) for key in hit.twins],
            }
            for hit in view.hits
        ],
        "notes": list(view.notes),
        "failures": [{"channel": c, "reason": r} for c, r in view.failures],
        "undated_left_out": view.undated_left_out,
        "below_quality": view.below_quality,
    }


def evidence_json(line: EvidenceView) -> dict[str, Any]:
    """One line of the evidence list."""
    return {
        "rank": line.rank,
        "corpus": line.key.corpus,
        "source_id": line.key.source_id,
        "title": line.head.title if line.head else "",
        "date": date_of(line.head.date) if line.head else None,
        "confirmations": line.confirmations,
        "reason": line.reason,
        "actor": str(line.actor),
        "chunks": [f"c{chunk}" for chunk in line.chunk_ids],
        "twins": [str(key) for key in line.twins],
        "found_by": [
            {
                "sub_question": sub_question,
                "channel": found.channel,
                "query": found.query,
                "rank": found.rank,
                "search": found.search,
            }
            for sub_question, found in line.found
        ],
    }


def run_json(service: Service, run: str) -> dict[str, Any]:
    """A run with its plan, evidence and holds."""
    state = service.state(run)
    return {
        "run_id": run,
        "status": state.status,
        "question": state.question,
        "assistant": state.assistant,
        "waiting_for": waiting_for(state),
        "reason": state.rest_reason,
        "sub_questions": [_sub_json(state, q.id) for q in state.plan],
        "evidence": [evidence_json(line) for line in service.evidence(run)],
        "held": [_decision_json(record) for record in state.held()],
        "rejected": [
            _decision_json(record)
            for sub in state.subs.values()
            for record in sub.with_verdict("reject")
        ],
        "troubles": [{"event": event, "what": what} for event, what in state.troubles],
        "prompts": [asdict(use) for use in service.prompts_used(state)],
        "totals": asdict(state.totals),
        "checkpoint": (
            state.checkpoint.model_dump(mode="json") if state.checkpoint is not None else None
        ),
    }


def _decision_json(record: DecisionRecord) -> dict[str, str]:
    decision = record.decision
    return {
        "corpus": decision.corpus,
        "source_id": decision.source_id,
        "chunk": f"c{decision.chunk}",
        "reason": decision.reason,
        "sub_question": decision.sub_question,
        "decision": record.id,
    }


def _sub_json(state: RunState, sub_question: str) -> dict[str, Any]:
    sub = state.subs[sub_question]
    question = sub.sub_question
    return {
        "id": question.id,
        "text": question.text,
        "target": question.target,
        "entities": list(question.entities),
        "origin": question.origin,
        "state": "done" if sub.done else "working" if sub.started else "waiting",
        "accepted": len(sub.with_verdict("accept")),
        "held": len(sub.with_verdict("hold")),
        "rejected": len(sub.with_verdict("reject")),
    }


def waiting_for(state: RunState) -> str:
    """What the run waits for, in a word."""
    if state.checkpoint is not None:
        return state.checkpoint.kind
    return state.rest_cause if state.status == "paused" else ""


def runs_json(heads: list[RunHead]) -> dict[str, Any]:
    """The list of runs."""
    return {"runs": [asdict(head) for head in heads]}


def corpora_json(views: list[CorpusView]) -> dict[str, Any]:
    """The sub-corpora with their numbers."""
    return {
        "corpora": [
            {
                "id": view.corpus.id,
                "name": view.corpus.name,
                "aliases": list(view.corpus.aliases),
                "kind": view.corpus.kind,
                "language": view.corpus.language,
                "description": view.corpus.description,
                "local_only": view.corpus.local_only,
                "citation": dict(view.corpus.citation),
                "documents": view.stats.documents,
                "chunks": view.stats.chunks,
                "undated": view.stats.undated,
                "withdrawn": view.stats.withdrawn,
                "words": view.stats.words,
                "earliest": day(view.stats.earliest),
                "latest": day(view.stats.latest),
            }
            for view in views
        ]
    }


def day(ordinal: int | None) -> str | None:
    """A day ordinal as an ISO day."""
    return iso_day(ordinal) if ordinal is not None else None
