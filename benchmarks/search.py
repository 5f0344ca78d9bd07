"""Fused search beside the bare libraries over the same chunks: latency and memory by size.

    python -m benchmarks.search --chunks 1000,10000 [--queries 200] [--keep FOLDER]

The archive is made up (`benchmarks.texts`), one chunk of 240 words a document; queries are 3 to 12
words as they stand side by side in other texts of the same language. Each query is put, one after
another, to

- *bare BM25*: Tantivy's own query over the words and stems of the same index, the first 150 ids;
- *bare vectors*: LanceDB over the same table with the ready vector, the first 150 ids, with the
  index and probes that the table has;
- *bm25s*, where it is installed: its own index of the same texts, 150 ids;
- TRACE's channels and their fusions, each through `Retriever` with a memory that never helps (every
  query is new, and what the words of a query may have been misread as is looked up anew for each
  search), 50 documents a channel, 20 fused; `search` is `Service.search` with titles, snippets and
  marks, as a page calls it.

All in one process, interleaved, so that the machine's load meets all alike: wall milliseconds,
and mean CPU milliseconds of the whole process. The size of the workspace and of its parts stands
beside that of the texts.
"""

from __future__ import annotations

import argparse
import gc
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from benchmarks.measuring import (
    machine,
    measured,
    mega,
    memory,
    numbers,
    percentile,
    size_of,
    table,
)
from benchmarks.texts import Maker, queries, write
from storage.workspace import Workspace
from trace_core.domain.corpus import Scope
from trace_core.search.fuzzy import FuzzyChannel
from trace_core.search.retriever import Retriever
from trace_core.service import Service
from trace_core.text.tokens import words

_WORDS = 240
_BARE = 150
_SHOWN = 20
_WARM_UP = 10


def build(folder: str, chunks: int) -> None:
    """Import the archive as a user would."""
    source = Path(folder) / "archive.jsonl"
    write(source, chunks, _WORDS)
    service = Service(Workspace.create(Path(folder) / "workspace"))
    service.run_import(source)
    service.close()


Search = Callable[[str], object]


def forget(retriever: Retriever) -> None:
    """Empty the memory for the words of queries."""
    for channel in retriever.of(["fuzzy"]):
        assert isinstance(channel, FuzzyChannel)
        forms = channel.forms()
        if forms is not None:
            forms.forget()


def bare_searches(service: Service) -> dict[str, Search]:
    """The libraries called without the house, over the house's own files."""
    import tantivy

    from storage.lexical_schema import build_schema, register
    from storage.stems import stemmer

    folder = Path(str(getattr(service.stores, "path")))  # noqa: B009
    schema = build_schema()
    index = tantivy.Index(schema, path=str(folder / "lexical"))
    register(index)
    french = stemmer("fr")

    def bm25(query: str) -> object:
        tokens = words(query)
        lines = (" ".join(tokens), " ".join(french.stems(tokens)))
        parts = [
            (tantivy.Occur.Should, tantivy.Query.term_query(schema, field, token, "freq"))
            for field, line in zip(("folded", "stem"), lines, strict=True)
            for token in line.split()
        ]
        searcher = index.searcher()
        found = searcher.search(tantivy.Query.boolean_query(parts), _BARE, count=False)
        return searcher.fast_field_values("chunk", [address for _, address in found.hits])

    return {"bare BM25": bm25, "bare vectors": _bare_vectors(service, folder)}


def _bare_vectors(service: Service, folder: Path) -> Search:
    import lancedb

    rows = lancedb.connect(str(folder / "vectors")).open_table("chunks")
    indexed = any("vector" in found.columns for found in rows.list_indices())
    embedder = service._embedder(service.settings().index)
    assert embedder is not None
    known: dict[str, Any] = {}

    def vectors(query: str) -> object:
        vector = known.get(query)
        if vector is None:
            vector = embedder.embed_query(query)
        asked: Any = rows.search(vector)
        asked = asked.distance_type("cosine").select(["chunk", "_distance"])
        if indexed:
            asked = asked.nprobes(_probes(rows))
        return asked.limit(_BARE).to_arrow()

    return vectors


def _probes(rows: Any) -> int:
    from storage.vectors import probes

    return probes(rows.count_rows())


def bm25s_search(source: Path) -> Search | None:
    """The same texts in bm25s, None where it is not installed."""
    try:
        import bm25s
    except ImportError:
        return None
    import json

    with source.open(encoding="utf-8") as lines:
        texts = [" ".join(words(json.loads(line)["text_original"])) for line in lines]
    known = bm25s.BM25()
    known.index(bm25s.tokenize(texts, show_progress=False), show_progress=False)
    most = min(_BARE, len(texts))

    def search(query: str) -> object:
        asked = bm25s.tokenize([" ".join(words(query))], show_progress=False)
        return known.retrieve(asked, k=most, show_progress=False)

    return search


def house_searches(service: Service) -> tuple[dict[str, Search], Callable[[], None]]:
    """The channels, two fusions and the façade; and how to make them forget words."""
    settings = service.settings().search
    two = settings.model_copy(update={"weight_date": 0.0, "weight_fuzzy": 0.0})
    depth = settings.channel_depth

    def channel(name: str) -> Search:
        return lambda query: service.retriever().channel(name, query, Scope(), depth)

    everything, pair = service.retriever(), service.retriever(two)

    def fused(known: Retriever) -> Search:
        return lambda query: known.fused(query, Scope(), _SHOWN)

    def cold() -> None:
        for retriever in (everything, pair, service.retriever()):
            forget(retriever)

    searches = {
        "bm25": channel("bm25"),
        "dense": channel("dense"),
        "fuzzy": channel("fuzzy"),
        "fused bm25 + dense": fused(pair),
        "fused, all channels": fused(everything),
        "search": lambda query: service.search(query),
    }
    return searches, cold


def measure(folder: str, asked: int) -> dict[str, Any]:
    """Milliseconds of every search, by name, and memory."""
    service = Service(Workspace.open(Path(folder) / "workspace"))
    house, cold = house_searches(service)
    searches = {**bare_searches(service), **house}
    opened = memory()[0]
    maker = Maker(_WORDS, seed=5)
    for query in queries(maker, _WARM_UP, seed=9):
        for search in searches.values():
            search(query)
    warm = memory()[0]
    competitor = bm25s_search(Path(folder) / "archive.jsonl")
    if competitor is not None:
        searches["bm25s"] = competitor
        competitor("warm up")
    spent: dict[str, list[float]] = {name: [] for name in searches}
    cpu = dict.fromkeys(searches, 0.0)
    gc.collect()
    for query in queries(maker, asked):
        for name, search in searches.items():
            cold()
            began, worked = time.perf_counter(), time.process_time()
            search(query)
            spent[name].append(1000 * (time.perf_counter() - began))
            cpu[name] += 1000 * (time.process_time() - worked) / asked
    service.close()
    sizes = sizes_of(Path(folder))
    return {"spent": spent, "cpu": cpu, "opened": opened, "warm": warm, "sizes": sizes}


def sizes_of(folder: Path) -> dict[str, int]:
    """Bytes of the texts, of the whole workspace and of its parts."""
    import json

    with (folder / "archive.jsonl").open(encoding="utf-8") as lines:
        texts = sum(len(json.loads(line)["text_original"].encode()) for line in lines)
    workspace = folder / "workspace"
    parts = {path.name: size_of(path) for path in sorted(workspace.iterdir())}
    return {"texts": texts, "workspace": sum(parts.values()), **parts}


def report(chunks: int, found: dict[str, Any]) -> str:
    """The table of one size."""
    spent: dict[str, list[float]] = found["spent"]
    cpu: dict[str, float] = found["cpu"]
    both = [a + b for a, b in zip(spent["bare BM25"], spent["bare vectors"], strict=True)]
    cpu["bare BM25 + vectors"] = cpu["bare BM25"] + cpu["bare vectors"]
    rows = []
    for name, times in {**spent, "bare BM25 + vectors": both}.items():
        against = spent["bare BM25"] if name in ("bm25", "bm25s") else both
        if name == "dense":
            against = spent["bare vectors"]
        rows.append(
            (
                name,
                f"{percentile(times, 0.5):.1f}",
                f"{percentile(times, 0.95):.1f}",
                f"{cpu[name]:.1f}",
                f"{percentile(times, 0.5) / percentile(against, 0.5):.2f}",
                f"{percentile(times, 0.95) / percentile(against, 0.95):.2f}",
            )
        )
    heads = (
        f"{chunks:,} chunks",
        "p50 ms",
        "p95 ms",
        "CPU ms",
        "p50 / bare",
        "p95 / bare",
    )
    memories = f"memory: opened {mega(found['opened'])} MB, in use {mega(found['warm'])} MB"
    sizes: dict[str, int] = found["sizes"]
    disk = ", ".join(
        f"{name} {mega(size)} MB ({size / sizes['texts']:.2f})"
        for name, size in sizes.items()
        if size >= 100_000
    )
    return f"{table(heads, rows)}\n\n{memories}\n\ndisk (beside the texts): {disk}"


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print one table a size."""
    parser = argparse.ArgumentParser(prog="benchmarks.search", description=__doc__)
    parser.add_argument("--chunks", type=numbers, default=[1_000, 10_000])
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--keep", type=Path, help="build the archives here and use them again")
    options = parser.parse_args(arguments)
    print(machine())
    for chunks in options.chunks:
        with tempfile.TemporaryDirectory(prefix="trace-benchmark-") as name:
            folder = options.keep / str(chunks) if options.keep else Path(name)
            folder.mkdir(parents=True, exist_ok=True)
            if not (folder / "workspace").exists():
                built = measured(build, str(folder), chunks)
                print(f"\nbuilt in {built.cpu:.0f} CPU s, peak {mega(built.peak)} MB", flush=True)
            found = measured(measure, str(folder), options.queries).result
            print("\n" + report(chunks, found), flush=True)


if __name__ == "__main__":
    main()
