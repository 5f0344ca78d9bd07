"""What an index over vectors misses, and what comparing all of them costs, by partitions probed.

    python -m benchmarks.neighbours [FILE ...] [--chunks 100000] [--queries 60]

Vectors are those of the latent semantic index, trained on the chunks themselves. Without a file
the chunks are made up (`benchmarks.texts`); such texts have no subjects, so that their vectors do
not gather in groups: the worst that an inverted file can meet. With JSON lines of real documents,
chunks are windows of 120 words that begin so near to one another that there are enough of them:
neighbours in a text lie close together, which flatters the index. The truth of an archive lies
between.

Recall is the share of the 20 (and 150) nearest chunks that the index gives too; milliseconds are
mean CPU and wall times a query: of the matrix in memory, of LanceDB without an index, and of its
inverted file with so many partitions probed.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.measuring import machine, table
from benchmarks.texts import Maker, queries
from storage.vectors import LanceIndex, probes
from trace_core.domain.corpus import Chunk, DocumentKey, Scope
from trace_core.ports import IndexEntry, Vectors
from trace_core.search.lsa import LatentIndex

_WORDS = 240
_WINDOW = 120
_DEEP, _SHALLOW = 150, 20
_SHARES = (0.1, 0.2, 0.3, 0.4, 0.6)
_BATCH = 4096
_TEXT_FIELDS = ("text_original", "document", "ft", "text")


def made_up(chunks: int, asked: int) -> tuple[list[str], list[str]]:
    """Chunks and queries without any subject."""
    texts = [made.text for made in Maker(_WORDS, seed=11).documents(chunks)]
    return texts, queries(Maker(_WORDS, seed=5), asked)


def windows(files: Sequence[Path], chunks: int, asked: int) -> tuple[list[str], list[str]]:
    """Overlapping windows of real documents, and runs of eight words from them as queries."""
    documents = [list(words) for file in files for words in _documents(file)]
    step = max(1, sum(map(len, documents)) // chunks)
    texts = [
        " ".join(words[start : start + _WINDOW])
        for words in documents
        for start in range(0, max(1, len(words) - _WINDOW), step)
    ]
    chance = random.Random(1887)
    chance.shuffle(texts)
    lines = [chance.choice(texts).split() for _ in range(asked)]
    starts = [chance.randrange(max(1, len(line) - 8)) for line in lines]
    return texts, [
        " ".join(line[start : start + 8]) for line, start in zip(lines, starts, strict=True)
    ]


def _documents(file: Path) -> Iterator[list[str]]:
    with file.open(encoding="utf-8") as lines:
        for line in lines:
            read = json.loads(line)
            text = next((read[name] for name in _TEXT_FIELDS if read.get(name)), "")
            yield (" ".join(text) if isinstance(text, list) else str(text)).split()


def vectors(texts: Sequence[str], asked: Sequence[str]) -> tuple[Vectors, list[Vectors]]:
    """The vectors of chunks and queries."""
    trained = LatentIndex.fit(texts)
    parts = [trained.embed_passages(texts[n : n + _BATCH]) for n in range(0, len(texts), _BATCH)]
    return np.concatenate(parts), [trained.embed_query(query) for query in asked]


Search = Callable[[Vectors], list[int]]


def cost(search: Search, asked: Sequence[Vectors]) -> tuple[float, float, list[list[int]]]:
    """Mean CPU and wall milliseconds a query, and the chunks found."""
    search(asked[0])
    began, worked = time.perf_counter(), time.process_time()
    found = [search(query) for query in asked]
    spent, elapsed = time.process_time() - worked, time.perf_counter() - began
    return 1000 * spent / len(asked), 1000 * elapsed / len(asked), found


def recall(found: Sequence[list[int]], exact: Sequence[list[int]], depth: int) -> float:
    """The share of the nearest chunks that was found, averaged over queries."""
    shares = [
        len({*one[:depth]} & {*other[:depth]}) / len(other[:depth])
        for one, other in zip(found, exact, strict=True)
        if other
    ]
    return sum(shares) / len(shares)


def measure(folder: Path, matrix: Vectors, asked: Sequence[Vectors]) -> list[tuple[str, ...]]:
    """The rows of the table."""
    index = LanceIndex(folder, exact_below=lambda: 1)
    for begin in range(0, len(matrix), _BATCH):
        part = matrix[begin : begin + _BATCH]
        index.add([_entry(begin + n) for n in range(len(part))], part)
    memory = LanceIndex(folder, exact_below=lambda: 10**9)
    rows: Any = index._open()

    def in_memory(query: Vectors) -> list[int]:
        return [hit.chunk_id for hit in memory.search(query, Scope(), _DEEP)]

    def lance(probed: int) -> Search:
        def search(query: Vectors) -> list[int]:
            wanted = rows.search(query).distance_type("cosine").select(["chunk", "_distance"])
            wanted = wanted.nprobes(probed) if probed else wanted
            return list(wanted.limit(_DEEP).to_arrow()["chunk"].to_pylist())

        return search

    spent, elapsed, exact = cost(in_memory, asked)
    lines: list[tuple[str, ...]] = [
        ("in memory, all", "1.000", "1.000", f"{spent:.1f}", f"{elapsed:.1f}")
    ]
    lines.append(_line("LanceDB, all", cost(lance(0), asked), exact))
    index.optimize()
    partitions = max(1, len(matrix) // 2_000)
    for probed in sorted({max(1, round(share * partitions)) for share in _SHARES}):
        chosen = ", as a search does" if probed == probes(len(matrix)) else ""
        name = f"{probed} of {partitions} partitions{chosen}"
        lines.append(_line(name, cost(lance(probed), asked), exact))
    return lines


def _line(
    name: str, measured: tuple[float, float, list[list[int]]], exact: Sequence[list[int]]
) -> tuple[str, ...]:
    spent, elapsed, found = measured
    recalls = (f"{recall(found, exact, depth):.3f}" for depth in (_SHALLOW, _DEEP))
    return (name, *recalls, f"{spent:.1f}", f"{elapsed:.1f}")


def _entry(number: int) -> IndexEntry:
    key = DocumentKey("archive", f"d{number}")
    return IndexEntry(Chunk(number, key, 1, 0, 0, 1, "x"), "fr", None, None)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(prog="benchmarks.neighbours", description=__doc__)
    parser.add_argument("files", type=Path, nargs="*")
    parser.add_argument("--chunks", type=int, default=100_000)
    parser.add_argument("--queries", type=int, default=60)
    options = parser.parse_args(arguments)
    print(machine(), flush=True)
    if options.files:
        texts, asked = windows(options.files, options.chunks, options.queries)
    else:
        texts, asked = made_up(options.chunks, options.queries)
    matrix, wanted = vectors(texts, asked)
    wanted = [query for query in wanted if query.any()]
    with tempfile.TemporaryDirectory(prefix="trace-benchmark-") as folder:
        lines = measure(Path(folder) / "vectors", matrix, wanted)
    heads = (f"{len(texts):,} chunks", "recall@20", "recall@150", "CPU ms", "wall ms")
    print("\n" + table(heads, lines))


if __name__ == "__main__":
    main()
