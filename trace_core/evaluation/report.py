"""The report of an evaluation: every number with what it depends on, and what differs between two.

In: an evaluation and what was looked up behind it (misses, planner, channels). Out: one JSON
value that another person can compare with her own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any
from urllib.parse import quote

from trace_core.domain.corpus import DocumentKey
from trace_core.evaluation.channels import ChannelReport
from trace_core.evaluation.evaluate import PAIRED_BY, Evaluation, Summary
from trace_core.evaluation.misses import Miss, shares
from trace_core.evaluation.planner import PlannerReport

SHOWN = ("recall@3", "recall@10", "ndcg@10", "mrr_first_gold", "mrr_all_gold")
"""The measures that tables show; a report holds all."""


@dataclass(frozen=True, slots=True)
class Behind:
    """What lies behind the numbers: misses and plans by strategy, the channels, the versions."""

    misses: Mapping[str, Sequence[Miss]] = field(default_factory=dict)
    planner: Mapping[str, PlannerReport] = field(default_factory=dict)
    channels: ChannelReport | None = None
    time: str = ""
    software: Mapping[str, str] = field(default_factory=dict)


def report(done: Evaluation, behind: Behind) -> dict[str, Any]:
    """The whole report as plain JSON data."""
    names = list(done.results)
    made: dict[str, Any] = {
        "questions": done.name,
        "complete": done.complete,
        "time": behind.time,
        "hash": done.hash,
        "strategies": {name: _strategy(done, name, behind) for name in names},
        "comparisons": {
            f"{a} - {b}": {"measure": PAIRED_BY, **asdict(done.compare(a, b))}
            for i, b in enumerate(names)
            for a in names[i + 1 :]
        },
        "flaws": [{"question": q, "reason": r} for q, r in done.flaws],
        "conditions": dict(done.conditions),
        "software": dict(behind.software),
    }
    if behind.channels is not None:
        made["channels"] = channels_json(behind.channels)
    return made


def channels_json(found: ChannelReport) -> dict[str, Any]:
    """The channel analysis as plain JSON data; a pair's name is "a + b"."""
    return {
        "overlap": {f"{a} + {b}": value for (a, b), value in found.overlap.items()},
        "alone": dict(found.alone),
        "recall@20": dict(found.recall),
        "fusion_gain": found.gain,
    }


def _strategy(done: Evaluation, name: str, behind: Behind) -> dict[str, Any]:
    summary = done.summary(name)
    found: dict[str, Any] = {
        **_numbers(summary),
        "intervals": {m: [i.low, i.high] for m, i in summary.intervals.items()},
        "failures": summary.failures,
        "failure_reasons": {
            r.question.id: r.answer.failure for r in done.results[name] if r.answer.failure
        },
        "cost": asdict(summary.cost),
        "by_type": {k: _numbers(s) for k, s in done.by(name, lambda q: q.kind).items()},
        "by_pair": {k: _numbers(s) for k, s in done.by(name, lambda q: q.pair).items()},
        "runs": {r.question.id: r.answer.run for r in done.results[name] if r.answer.run},
    }
    if name in behind.misses:
        missed = behind.misses[name]
        found["misses"] = {
            "count": len(missed),
            "shares": shares(missed),
            "documents": [{**asdict(m), "key": str(m.key)} for m in missed],
        }
    if name in behind.planner:
        found["planner"] = asdict(behind.planner[name])
    return found


def _numbers(summary: Summary) -> dict[str, Any]:
    return {"n": summary.n, **summary.means}


def trec_run(done: Evaluation, strategy: str) -> str:
    """A strategy's rankings as a TREC run (qid Q0 docid rank score tag)."""
    lines = []
    for result in done.results[strategy]:
        ranking = result.answer.ranking
        for rank, key in enumerate(ranking, start=1):
            score = len(ranking) - rank + 1
            query, document = _word(result.question.id), _document(key)
            lines.append(f"{query} Q0 {document} {rank} {score} {_word(strategy)}\n")
    return "".join(lines)


def trec_qrels(done: Evaluation) -> str:
    """The gold of all questions as TREC relevance judgements (qid 0 docid 1)."""
    first = next(iter(done.results.values()), ())
    return "".join(
        f"{_word(r.question.id)} 0 {_document(key)} 1\n" for r in first for key in r.question.gold
    )


def _document(key: DocumentKey) -> str:
    return _word(str(key))


def _word(text: str) -> str:
    """A name without white space, which parts the fields of TREC's formats."""
    return quote(text, safe="/:@.,;+()[]_-", errors="replace") or "%00"


# --- what differs ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Change:
    """A value that two reports do not share; None where one of them lacks it."""

    where: str
    first: Any
    second: Any


def conditions_changed(a: Mapping[str, Any], b: Mapping[str, Any]) -> list[Change]:
    """Everything that the numbers of two reports depend on and that is not the same in both."""
    return [
        change
        for part in ("questions", "conditions", "software")
        for change in _changes(part, a.get(part), b.get(part))
    ]


def numbers_changed(a: Mapping[str, Any], b: Mapping[str, Any]) -> list[Change]:
    """The measures of the strategies that both reports have, where they are not the same."""
    ours, theirs = a.get("strategies", {}), b.get("strategies", {})
    found = []
    for name in [n for n in ours if n in theirs]:
        for measure in ("n", *SHOWN, "accepted_precision", "accepted_recall", "failures"):
            first, second = ours[name].get(measure), theirs[name].get(measure)
            if first != second:
                found.append(Change(f"{name} {measure}", first, second))
    return found


def _changes(where: str, a: Any, b: Any) -> list[Change]:
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        return [
            change
            for name in dict.fromkeys([*a, *b])
            for change in _changes(f"{where}.{name}", a.get(name), b.get(name))
        ]
    return [] if a == b else [Change(where, a, b)]
