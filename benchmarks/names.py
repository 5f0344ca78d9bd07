"""How many of the documents that mention a name each channel finds, OCR damage and all.

    python -m benchmarks.names FOLDER [--channels bm25,fuzzy,fused] [--half 0|1] [--misses]

FOLDER holds `documents.jsonl` (any archive that the import reads, with `corpus` and `language`)
and `entities.jsonl`: one name a line with `name`, `language`, `gold_ids` (all documents that
mention it) and `gold_without_exact_name` (those of them that do not hold the exact name). Each
name is searched for in the sub-corpora of its language; a document counts as found when it is
among the first max(10, twice the number of gold documents). Recall is averaged over names, for
`damaged` over the names that have such documents. `other` is precision's counter-check: the share
of documents in which the channel says it matched another form, and which are not gold, among all
those so matched.

`--half` takes the names whose SHA-1 is even (0) or odd (1): one half to develop on, the other to
verify on once.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean, median
from typing import Any

from storage.workspace import Workspace
from trace_core.domain.corpus import Scope
from trace_core.service import Service


@dataclass(frozen=True, slots=True)
class Name:
    """A name with its gold documents."""

    name: str
    language: str
    gold: tuple[str, ...]
    damaged: tuple[str, ...]

    @property
    def depth(self) -> int:
        """How many documents are looked at."""
        return max(10, 2 * len(self.gold))


@dataclass(slots=True)
class Outcome:
    """What one channel found over all names."""

    recall: list[float] = field(default_factory=list)
    damaged: list[float] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    other_right: int = 0
    other_wrong: int = 0
    misses: list[str] = field(default_factory=list)

    def line(self, channel: str) -> str:
        """One line of the table."""
        claimed = self.other_right + self.other_wrong
        wrong = f"{self.other_wrong / claimed:.2f} of {claimed}" if claimed else "-"
        slow = sorted(self.seconds)[int(0.95 * (len(self.seconds) - 1))]
        return (
            f"| {channel} | {mean(self.recall):.3f} | {mean(self.damaged):.3f} | {wrong} "
            f"| {1000 * median(self.seconds):.1f} | {1000 * slow:.1f} |"
        )


def read_lines(path: Path) -> Iterator[dict[str, Any]]:
    """The objects of a JSON lines file."""
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            if line.strip():
                yield json.loads(line)


def half_of(name: str) -> int:
    """0 or 1, by the SHA-1 of the name."""
    return int(hashlib.sha1(name.encode()).hexdigest(), 16) % 2


def read_names(path: Path, half: int | None) -> list[Name]:
    """The names, all or one half of them."""
    names = [
        Name(
            line["name"],
            line["language"],
            tuple(line["gold_ids"]),
            tuple(line["gold_without_exact_name"]),
        )
        for line in read_lines(path)
    ]
    return [name for name in names if half is None or half_of(name.name) == half]


def scopes(path: Path) -> dict[str, Scope]:
    """The sub-corpora of each language."""
    corpora: dict[str, set[str]] = defaultdict(set)
    for line in read_lines(path):
        corpora[line["language"]].add(line["corpus"])
    return {language: Scope(tuple(sorted(names))) for language, names in corpora.items()}


def measure(
    service: Service, names: list[Name], scope_of: dict[str, Scope], channel: str
) -> Outcome:
    """Search for every name through one channel."""
    outcome = Outcome()
    for name in names:
        started = time.perf_counter()
        view = service.search(name.name, channel, scope_of[name.language], name.depth)
        outcome.seconds.append(time.perf_counter() - started)
        if view.failures:
            raise SystemExit(f"{channel}: {view.failures[0][1]}")
        found = {hit.key.source_id for hit in view.hits[: name.depth]}
        outcome.recall.append(len(found & set(name.gold)) / len(name.gold))
        if name.damaged:
            outcome.damaged.append(len(found & set(name.damaged)) / len(name.damaged))
        for hit in view.hits[: name.depth]:
            if hit.forms:
                right = hit.key.source_id in name.gold
                outcome.other_right += right
                outcome.other_wrong += not right
        missed = sorted(set(name.damaged) - found)
        outcome.misses.extend(f"{name.language} {name.name}: {source}" for source in missed)
    return outcome


def archive(folder: Path, workspace: Path) -> Service:
    """The archive imported and indexed as a user would."""
    stores = Workspace.open(workspace) if workspace.exists() else Workspace.create(workspace)
    service = Service(stores)
    service.run_import(folder / "documents.jsonl")
    return service


def main(arguments: list[str]) -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(prog="benchmarks.names", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--channels", default="bm25,fuzzy,fused")
    parser.add_argument("--half", type=int, choices=(0, 1))
    parser.add_argument("--misses", action="store_true", help="list the damaged ones not found")
    parser.add_argument("--workspace", type=Path, help="keep the imported archive here")
    options = parser.parse_args(arguments)
    names = read_names(options.folder / "entities.jsonl", options.half)
    scope_of = scopes(options.folder / "documents.jsonl")
    with tempfile.TemporaryDirectory() as temporary:
        service = archive(options.folder, options.workspace or Path(temporary) / "archive")
        print(f"{len(names)} names, {sum(bool(n.damaged) for n in names)} with damaged documents\n")
        print("| channel | recall | damaged | other | p50 ms | p95 ms |")
        print("|---|---|---|---|---|---|")
        outcomes = {}
        for channel in options.channels.split(","):
            outcomes[channel] = measure(service, names, scope_of, channel)
            print(outcomes[channel].line(channel), flush=True)
    for channel, outcome in outcomes.items():
        if options.misses:
            print(f"\n{channel} misses:", *outcome.misses, sep="\n  ")


if __name__ == "__main__":
    main(sys.argv[1:])
