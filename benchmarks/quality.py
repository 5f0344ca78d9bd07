r"""Retrieval quality without a model, over questions with gold: every channel, runs, ablations.

    python -m benchmarks.quality ../shared/data/historiqa \
        --beside ../shared/data/hipe/documents.jsonl

The first folder holds `corpus_dataset.jsonl` and `question_dataset.jsonl`. `--beside` adds the
French documents of another JSONL file to the same workspace, so that the sub-corpora asked for lie
among others. Everything goes through the command's own code: import, index, `evaluate`.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from storage.workspace import Workspace
from trace_core.evaluation.evaluate import Evaluation
from trace_core.service import Service
from trace_core.service.evaluating import How

STRATEGIES = (
    "bm25,dense,fuzzy,fused,date-aware,routed,trace-rules,trace-rules-coupling,"
    "trace-rules-routing,trace-rules-dense,trace-rules-fuzzy,trace-rules-bm25"
)
SHOWN = ("recall@3", "recall@10", "mrr_first_gold", "mrr_all_gold", "ndcg@10")


def build(folder: Path, archive: Path, beside: Path | None, language: str) -> Service:
    """A workspace with the archive and the documents beside it."""
    service = Service(Workspace.create(folder / "workspace"))
    if beside is not None:
        others = folder / "beside.jsonl"
        with beside.open(encoding="utf-8") as lines, others.open("w", encoding="utf-8") as out:
            out.writelines(line for line in lines if json.loads(line)["language"] == language)
        service.run_import(others)
    service.run_import(archive / "corpus_dataset.jsonl")
    return service


def table(done: Evaluation) -> list[str]:
    """The result as a Markdown table."""
    lines = [
        "| strategy | " + " | ".join(SHOWN) + " | by pair: recall@10 |",
        "|---|" + "---|" * (len(SHOWN) + 1),
    ]
    for name in done.results:
        summary = done.summary(name)
        cells = [f"{summary.means[m]:.3f}" for m in SHOWN]
        pairs = done.by(name, lambda q: q.pair)
        by_pair = "; ".join(f"{k}: {s.means['recall@10']:.3f} ({s.n})" for k, s in pairs.items())
        lines.append(f"| {name} | " + " | ".join(cells) + f" | {by_pair} |")
    return lines


def main(arguments: Sequence[str] | None = None) -> int:
    """Build, ask, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("archive", type=Path)
    parser.add_argument("--beside", type=Path)
    parser.add_argument("--language", default="fr")
    parser.add_argument("--strategy", default=STRATEGIES)
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        service = build(Path(folder), options.archive, options.beside, options.language)
        questions = service.questions(options.archive / "question_dataset.jsonl")
        for flaw in questions.flaws:
            print(f"{flaw.question}: {flaw.reason}", file=sys.stderr)
        done = service.evaluate(questions, options.strategy.split(","), How({}))
        print(f"{len(questions.questions)} questions")
        print("\n".join(table(done)))
        service.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
