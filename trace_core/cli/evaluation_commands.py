"""The command that measures strategies on a question set."""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from trace_core.cli.output import warn, write_json, write_line, write_table
from trace_core.cli.values import setting_changes

if TYPE_CHECKING:
    from trace_core.evaluation.evaluate import Evaluation, Progress
    from trace_core.service import Service

_SHOWN = ("recall@3", "recall@10", "ndcg@10", "mrr_first_gold", "mrr_all_gold")


def evaluate(service: Service, arguments: Namespace) -> int:
    """Measure strategies on a question set."""
    changes = service.preset_changes("paper" if arguments.paper else "")
    for group, values in setting_changes(arguments.set).items():
        changes.setdefault(group, {}).update(values)
    questions = service.questions(arguments.questions)
    names = [n.strip() for n in arguments.strategy.split(",") if n.strip()]
    done = service.evaluate(
        questions,
        names,
        changes,
        keep=arguments.keep,
        workers=arguments.workers,
        progress=_bar if sys.stderr.isatty() and not arguments.json else None,
    )
    report = evaluation_json(service, done)
    if arguments.output:
        arguments.output.write_text(
            json.dumps(report, ensure_ascii=False, indent=1), encoding="utf-8"
        )
    if arguments.trec:
        _write_trec(done, arguments.trec)
    if arguments.json:
        write_json(report)
    else:
        _print(report)
    return 0


def _bar(progress: Progress) -> None:
    print(f"\r{progress.done} of {progress.total} answered", end="", file=sys.stderr)  # noqa: T201


def evaluation_json(service: Service, done: Evaluation) -> dict[str, Any]:
    """An evaluation for machines, with intervals, groups, misses and comparisons."""
    names = list(done.results)
    return {
        "questions": done.name,
        "hash": done.hash,
        "strategies": {name: _strategy_json(service, done, name) for name in names},
        "comparisons": {
            f"{a} - {b}": asdict(done.compare(a, b))
            for i, b in enumerate(names)
            for a in names[i + 1 :]
        },
        "flaws": [{"question": q, "reason": r} for q, r in done.flaws],
        "conditions": dict(done.conditions),
    }


def _strategy_json(service: Service, done: Evaluation, name: str) -> dict[str, Any]:
    summary = done.summary(name)
    results = done.results[name]
    found: dict[str, Any] = {
        "n": summary.n,
        **summary.means,
        "intervals": {m: [i.low, i.high] for m, i in summary.intervals.items()},
        "failures": summary.failures,
        "cost": asdict(summary.cost),
        "by_type": {k: {"n": s.n, **s.means} for k, s in done.by(name, lambda q: q.kind).items()},
        "by_pair": {k: {"n": s.n, **s.means} for k, s in done.by(name, lambda q: q.pair).items()},
    }
    if any(r.answer.run for r in results):
        from trace_core.evaluation.misses import shares

        missed = service.misses(results)
        found["misses"] = {
            "count": len(missed),
            "shares": shares(missed),
            "documents": [
                {
                    "question": m.question,
                    "run": m.run,
                    "document": str(m.key),
                    "cause": m.cause,
                    "detail": m.detail,
                    "decision": m.decision,
                }
                for m in missed
            ],
        }
        found["planner"] = asdict(service.analyse_planner(results))
    return found


def _print(report: dict[str, Any]) -> None:
    rows = [
        (name, s["n"], *(f"{s.get(m, 0.0):.3f}" for m in _SHOWN), s["failures"])
        for name, s in report["strategies"].items()
    ]
    write_table(("strategy", "n", *_SHOWN, "failures"), rows)
    for name, s in report["strategies"].items():
        if "misses" in s:
            shares = ", ".join(f"{c} {v:.1%}" for c, v in s["misses"]["shares"].items())
            write_line(f"{name} missed {s['misses']['count']} gold documents: {shares}")
    for name, d in report["comparisons"].items():
        write_line(
            f"{name}: recall@10 {d['mean']:+.3f} [{d['low']:+.3f}, {d['high']:+.3f}], "
            f"p = {d['p']:.3f}"
        )
    for flaw in report["flaws"]:
        warn(f"Question {flaw['question']}: {flaw['reason']}")


def _write_trec(done: Evaluation, folder: Any) -> None:
    """One TREC run file a strategy: qid Q0 docid rank score tag."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, results in done.results.items():
        lines = [
            f"{r.question.id} Q0 {str(key).replace(' ', '_')} {rank} {1 / rank:.6f} {name}\n"
            for r in results
            for rank, key in enumerate(r.answer.ranking, start=1)
        ]
        (folder / f"{name}.run").write_text("".join(lines), encoding="utf-8")
