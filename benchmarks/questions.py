"""Own computation of a question: everything but waiting for the model, with its parts.

    python -m benchmarks.questions [--questions 10] [--chunks 10000] [--searches 2] [--keep FOLDER]

The questions and their documents are the shared ones where they lie beside the project (or at
TRACE_SHARED), else the sample archive's; made-up documents (`benchmarks.texts`) beside them fill
the archive up to so many chunks. Each question is asked twice: by rules, and by a model that is
the scripted server in a process of its own, whose oracle searches `--searches` times in each
sub-question. Own computation is the CPU time of the asking process, LiteLLM's share of it
included; each part is told without the parts inside it. Tokens are estimated from the texts that
were sent and received, since the server counts none.
"""

from __future__ import annotations

import argparse
import functools
import json
import multiprocessing
import os
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean
from typing import Any

from benchmarks.measuring import machine, measured, percentile, table
from benchmarks.texts import write
from storage.workspace import Workspace
from trace_core.assistant.tokens import estimate_tokens
from trace_core.domain.question import AssistantName
from trace_core.service import Service
from trace_core.service.evaluating import NO_CHECKPOINTS
from trace_core.settings import Changes

ROOT = Path(__file__).resolve().parents[1]
_WORDS = 240
_Lines = dict[AssistantName, list[dict[str, Any]]]
"""What each question took, by who did the tasks."""

_PARTS = {
    "LiteLLM": ["trace_core.assistant.llm:LiteLLMModel._send"],
    "prompts": ["trace_core.assistant.asking:Asker._fit"],
    "search": [
        f"trace_core.search.retriever:Retriever.{name}"
        for name in ("fused", "survey", "warm_start", "loop_search", "channel")
    ],
    "records of documents": [
        f"storage.documents:SqliteDocuments.{name}"
        for name in ("chunks", "heads", "chunks_of", "document", "stats", "corpora", "browse")
    ],
    "event log": [f"storage.events:SqliteEvents.{name}" for name in ("append", "read")],
    "model calls kept": [f"storage.calls:SqliteCalls.{name}" for name in ("find", "save")],
    "folding events": ["trace_core.engine.runner:apply", "trace_core.domain.state:RunState.copy"],
    "settings": ["storage.settings:TomlSettings.load"],
}


def sources() -> tuple[Path, Path]:
    """(documents, questions): the shared ones, or those of the sample archive."""
    shared = Path(os.environ.get("TRACE_SHARED", ROOT.parent / "shared")) / "data" / "historiqa"
    if shared.is_dir():
        return shared / "corpus_dataset.jsonl", shared / "question_dataset.jsonl"
    sample = ROOT / "assets" / "sample"
    return sample / "documents.jsonl", sample / "questions.jsonl"


def build(folder: str, chunks: int) -> None:
    """The questions' documents and as many made-up ones as fill the archive."""
    service = Service(Workspace.create(Path(folder) / "workspace"))
    service.run_import(sources()[0])
    missing = chunks - service.health().chunks
    if missing > 0:
        made = Path(folder) / "made.jsonl"
        write(made, missing, _WORDS)
        service.run_import(made)
    service.close()


# --- the model -----------------------------------------------------------------------------------


def _serve(there: Any, searches: int) -> None:
    from tests.servers.oracle import Oracle
    from tests.servers.scripted import ScriptedServer

    server = ScriptedServer(Oracle(searches=searches)).start()
    there.send(server.url)
    there.recv()  # until the benchmark is done
    server.close()


@contextmanager
def oracle(searches: int) -> Iterator[str]:
    """The address of a scripted server in a process of its own."""
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=_serve, args=(there, searches), daemon=True)
    process.start()
    try:
        yield here.recv()
    finally:
        here.send("done")
        process.join()


# --- the clock -----------------------------------------------------------------------------------


@dataclass
class Parts:
    """CPU seconds by part, each without the parts that it calls."""

    spent: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    _stack: list[str] = field(default_factory=lambda: ["the rest"])
    _since: float = 0.0

    def start(self) -> None:
        """Begin anew."""
        self.spent.clear()
        self._since = time.process_time()

    def turn(self) -> None:
        """Give what has passed to the part at work."""
        now = time.process_time()
        self.spent[self._stack[-1]] += now - self._since
        self._since = now

    def watch(self, part: str, place: str) -> None:
        """Count the calls of a function ("module:name" or "module:Class.name") as a part."""
        module, _, path = place.partition(":")
        owner = functools.reduce(getattr, path.split(".")[:-1], _module(module))
        inner = getattr(owner, path.split(".")[-1])

        @functools.wraps(inner)
        def watched(*arguments: Any, **named: Any) -> Any:
            self.turn()
            self._stack.append(part)
            try:
                return inner(*arguments, **named)
            finally:
                self.turn()
                self._stack.pop()

        setattr(owner, path.split(".")[-1], watched)


def _module(name: str) -> Any:
    import importlib

    return importlib.import_module(name)


def measure(folder: str, questions: int, address: str) -> _Lines:
    """Each question by rules and by model: CPU and wall seconds, parts, calls, tokens."""
    parts = Parts()
    for part, places in _PARTS.items():
        for place in places:
            parts.watch(part, place)
    service = Service(Workspace.open(Path(folder) / "workspace"))
    with sources()[1].open(encoding="utf-8") as lines:
        texts = [json.loads(line)["question"] for line in lines]
    step = max(1, len(texts) // questions)
    changes: Changes = {
        **NO_CHECKPOINTS,
        "model": {"name": "openai/scripted", "api_base": address, "context_tokens": 64_000},
    }
    found: _Lines = {"rules": [], "model": []}
    # The first question of each kind loads what it needs and is not counted.
    for number, text in enumerate([texts[-1], *texts[::step][:questions]]):
        for assistant, lines_of in found.items():
            parts.start()
            wall, cpu = time.perf_counter(), time.process_time()
            run = service.ask(text, assistant, changes=changes)
            state = service.advance(run, "approve")
            parts.turn()
            if state.status != "finished":
                raise RuntimeError(f"the run rests: {state.status}")
            line = {"cpu": time.process_time() - cpu, "wall": time.perf_counter() - wall}
            calls = service.calls(run)
            line |= {
                "calls": len(calls),
                "in": sum(estimate_tokens(call.request) for call in calls),
                "out": sum(estimate_tokens(call.reply) for call in calls),
                "events": state.sequence,
                "evidence": len(service.evidence(run)),
            }
            if number:
                lines_of.append(line | {"parts": dict(parts.spent)})
    service.close()
    return found


# --- telling -------------------------------------------------------------------------------------


def report(found: _Lines) -> str:
    """The tables."""
    heads = (
        *("by", "questions", "CPU s mean", "CPU s p95", "wall s mean", "calls", "tokens in"),
        *("tokens out", "events", "evidence"),
    )
    rows, parts = [], []
    for assistant, lines in found.items():
        cpu = [line["cpu"] for line in lines]
        wall = mean(line["wall"] for line in lines)
        counts = ("calls", "in", "out", "events", "evidence")
        rows.append(
            (
                *(assistant, len(lines), f"{mean(cpu):.3f}", f"{percentile(cpu, 0.95):.3f}"),
                f"{wall:.2f}",
                *(f"{mean(line[name] for line in lines):,.0f}" for name in counts),
            )
        )
        names = sorted({name for line in lines for name in line["parts"]})
        spent = {name: mean(line["parts"].get(name, 0.0) for line in lines) for name in names}
        for name in sorted(spent, key=lambda n: -spent[n]):
            parts.append((assistant, name, f"{1000 * spent[name]:.0f}"))
    return f"{table(heads, rows)}\n\n{table(('by', 'part', 'CPU ms a question'), parts)}"


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="benchmarks.questions", description=__doc__)
    parser.add_argument("--questions", type=int, default=10)
    parser.add_argument("--chunks", type=int, default=10_000)
    parser.add_argument("--searches", type=int, default=2)
    parser.add_argument("--keep", type=Path, help="build the archive here and use it again")
    options = parser.parse_args(arguments)
    print(machine())
    with tempfile.TemporaryDirectory(prefix="trace-benchmark-") as name:
        folder = options.keep or Path(name)
        folder.mkdir(parents=True, exist_ok=True)
        if not (folder / "workspace").exists():
            measured(build, str(folder), options.chunks)
        with oracle(options.searches) as address:
            found = measured(measure, str(folder), options.questions, address).result
    print(f"\n{options.chunks:,} chunks\n\n{report(found)}", flush=True)


if __name__ == "__main__":
    main()
