"""What an import costs beside the bare libraries on the same texts: time, memory, disk.

    python -m benchmarks.imports --documents 1000,10000 [--embedder lsa] [--profile FILE]

*Bare* reads the same JSON lines, cuts each text after every 250 words, and hands the pieces to
SQLite (the text as one row) and Tantivy (folded words with positions and French stems, cut and
folded by Tantivy itself) in batches, each committed. With
`--embedder lsa` it also trains the same embedder on its pieces, embeds them and adds the vectors
to LanceDB. *TRACE* is `Service.run_import`: reading, dates, pages, language, sentence chunks,
versions, the report, both indexes. It does three things that the bare libraries do not: it
estimates the quality of the OCR, finds texts that are there twice, and learns the written forms
that the OCR-tolerant channel needs. The first ratio leaves these three out, the second is of the
whole import.

The ratios are of CPU seconds within one run. Memory is that of the importing process alone;
`private` leaves out mapped files. `disk` is the whole workspace, `words` the lexical index, `forms`
the forms and, if any, the embedder.
"""

from __future__ import annotations

import argparse
import json
import sqlite3
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import islice
from pathlib import Path
from typing import Any

from benchmarks.measuring import (
    Cost,
    machine,
    measured,
    mega,
    numbers,
    private_peak,
    size_of,
    table,
)
from benchmarks.texts import write

_PIECE = 250
_BATCH = 5_000
_HEAP = 256_000_000
_WARM = ("tantivy", "storage.workspace", "trace_core.service", "trace_core.search.form_deriver")


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a text as the bare libraries take it."""

    number: int
    corpus: str
    day: int
    text: str


# --- bare ----------------------------------------------------------------------------------------


def bare(source: str, folder: str, embedder: str) -> dict[str, float]:
    """The bare libraries over the archive; returns the CPU seconds of the embedder."""
    database = _database(Path(folder) / "bare.sqlite")
    writer = _tantivy(Path(folder) / "tantivy")
    number = 0
    for documents in _batches(Path(source)):
        rows = [tuple(d.values()) for d in documents]
        with database:
            database.executemany("INSERT INTO documents VALUES (?, ?, ?, ?, ?)", rows)
        for piece in _pieces(documents, number):
            writer.add_document(_document(piece))
            number = piece.number
        writer.commit()
    writer.wait_merging_threads()
    database.close()
    spent = _vectors(Path(source), Path(folder) / "lance") if embedder == "lsa" else 0.0
    return {"embedder": spent}


def _batches(source: Path) -> Iterator[list[dict[str, Any]]]:
    with source.open(encoding="utf-8") as lines:
        documents = (json.loads(line) for line in lines)
        while batch := list(islice(documents, _BATCH // 2)):
            yield batch


def _pieces(documents: Sequence[dict[str, Any]], last: int) -> Iterator[Piece]:
    for document in documents:
        words = document["text_original"].split(" ")
        day = date.fromisoformat(document["date"]).toordinal()
        for start in range(0, len(words), _PIECE):
            last += 1
            text = " ".join(words[start : start + _PIECE])
            yield Piece(last, document["corpus"], day, text)


def _database(path: Path) -> sqlite3.Connection:
    database = sqlite3.connect(path)
    database.execute("PRAGMA journal_mode=WAL")
    database.execute("PRAGMA synchronous=NORMAL")
    database.execute("CREATE TABLE documents (id TEXT PRIMARY KEY, corpus, date, title, text)")
    return database


def _tantivy(folder: Path) -> Any:
    import tantivy
    from tantivy import Filter, TextAnalyzerBuilder, Tokenizer

    builder = tantivy.SchemaBuilder()
    builder.add_integer_field("chunk", stored=True, indexed=True, fast=True)
    builder.add_text_field("corpus", stored=True, tokenizer_name="raw", index_option="basic")
    builder.add_integer_field("day", indexed=True, fast=True)
    builder.add_text_field("folded", tokenizer_name="fold")
    builder.add_text_field("stem", tokenizer_name="french", index_option="freq")
    folder.mkdir()
    index = tantivy.Index(builder.build(), path=str(folder))
    simple = TextAnalyzerBuilder(Tokenizer.simple())
    fold = simple.filter(Filter.lowercase()).filter(Filter.ascii_fold())
    index.register_tokenizer("fold", fold.build())
    simple = TextAnalyzerBuilder(Tokenizer.simple())
    stem = simple.filter(Filter.lowercase()).filter(Filter.ascii_fold())
    index.register_tokenizer("french", stem.filter(Filter.stemmer("french")).build())
    return index.writer(_HEAP, 1)


def _document(piece: Piece) -> Any:
    import tantivy

    return tantivy.Document(
        chunk=piece.number,
        corpus=piece.corpus,
        day=piece.day,
        folded=piece.text,
        stem=piece.text,
    )


def _vectors(source: Path, folder: Path) -> float:
    """Train, embed, add; the CPU seconds of training and embedding."""
    import lancedb
    import pyarrow as pa

    from trace_core.search.lsa import LatentIndex

    def pieces() -> Iterator[Piece]:
        last = 0
        for documents in _batches(source):
            for piece in _pieces(documents, last):
                last = piece.number
                yield piece

    began = time.process_time()
    embedder = LatentIndex.fit(piece.text for piece in pieces())
    spent = time.process_time() - began
    wide = embedder.dimensions
    schema = pa.schema([("chunk", pa.int64()), ("vector", pa.list_(pa.float32(), wide))])
    rows = lancedb.connect(str(folder)).create_table("chunks", schema=schema)
    waiting = pieces()
    while batch := list(islice(waiting, 2_000)):
        began = time.process_time()
        vectors = embedder.embed_passages([piece.text for piece in batch])
        spent += time.process_time() - began
        chunks = pa.array([piece.number for piece in batch], pa.int64())
        flat = pa.FixedSizeListArray.from_arrays(pa.array(vectors.reshape(-1)), wide)
        rows.add(pa.Table.from_arrays([chunks, flat], schema=schema))
    return spent


# --- ours ----------------------------------------------------------------------------------------


def ours(source: str, folder: str, embedder: str) -> dict[str, float]:
    """The import as a user starts it; returns what the report counts."""
    from storage.workspace import Workspace
    from trace_core.ingest import indexer
    from trace_core.search.form_deriver import FormsDeriver
    from trace_core.search.lsa import LatentIndex
    from trace_core.service import Service
    from trace_core.settings import Settings

    settings = Settings().changed("index.embedder", embedder)
    forms = _timed(FormsDeriver, "build")
    qualities = _timed(indexer, "rate_again")
    twins = _timed(indexer, "compare")
    training = _timed(LatentIndex, "fit")
    embedding = _timed(LatentIndex, "embed_passages")
    service = Service(Workspace.create(Path(folder) / "workspace", settings))
    with private_peak() as peak:
        report = service.run_import(Path(source))
    health = service.health()
    service.close()
    if not health.ok:
        raise RuntimeError(health.sentence)
    spent = {"forms": sum(forms), "qualities": sum(qualities), "twins": sum(twins)}
    spent["embedder"] = sum(training) + sum(embedding)
    return {"new": report.new, "chunks": report.chunks, "private": peak(), **spent}


def _timed(owner: Any, name: str) -> list[float]:
    """Make a method note the CPU seconds of each of its calls in the list that is returned."""
    spent: list[float] = []
    inner = getattr(owner, name)

    def timed(*arguments: Any, **named: Any) -> Any:
        began = time.process_time()
        try:
            return inner(*arguments, **named)
        finally:
            spent.append(time.process_time() - began)

    setattr(owner, name, timed)
    return spent


def profiled(source: str, folder: str, embedder: str, file: str) -> dict[str, float]:
    """The import under cProfile; the profile goes into a file for `python -m pstats`."""
    import cProfile

    profile = cProfile.Profile(time.process_time)
    counts = profile.runcall(ours, source, folder, embedder)
    profile.dump_stats(file)
    return counts


# --- telling -------------------------------------------------------------------------------------

_HEADS = (
    "documents",
    "bare CPU s",
    "TRACE CPU s",
    "ratio of records and indexes",
    "ratio of all",
    "of it qualities",
    "twins",
    "forms",
    "embedder",
    "bare wall s",
    "TRACE wall s",
    "documents/s",
    "bare peak MB",
    "peak MB",
    "private MB",
    "bare disk / text",
    "disk / text",
    "of it words",
    "of it forms",
)


def compare(documents: int, embedder: str, words: int) -> list[object]:
    """One line of the table."""
    with tempfile.TemporaryDirectory(prefix="trace-benchmark-") as name:
        folder, source = Path(name), Path(name) / "archive.jsonl"
        text = write(source, documents, words)
        (folder / "bare").mkdir()
        plain = measured(bare, str(source), str(folder / "bare"), embedder, warm=_WARM)
        mine = measured(ours, str(source), name, embedder, warm=_WARM)
        if mine.result["new"] != documents:
            raise RuntimeError(f"{documents} documents became {mine.result['new']}")
        workspace = folder / "workspace"
        parts = (folder / "bare", workspace, workspace / "lexical", workspace / "artifacts")
        return _line(documents, plain, mine, [size_of(part) / text for part in parts])


def _line(documents: int, plain: Cost, mine: Cost, disk: Sequence[float]) -> list[object]:
    found = mine.result
    more = found["qualities"] + found["twins"] + found["forms"]
    return [
        f"{documents:,}",
        f"{plain.cpu:.1f}",
        f"{mine.cpu:.1f}",
        f"{(mine.cpu - more) / plain.cpu:.2f}",
        f"{mine.cpu / plain.cpu:.2f}",
        *(f"{found[name]:.1f}" for name in ("qualities", "twins", "forms", "embedder")),
        f"{plain.wall:.1f}",
        f"{mine.wall:.1f}",
        f"{documents / mine.wall:,.0f}",
        mega(plain.peak),
        mega(mine.peak),
        mega(found["private"]),
        *(f"{share:.2f}" for share in disk),
    ]


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(prog="benchmarks.imports", description=__doc__)
    parser.add_argument("--documents", type=numbers, default=[1_000, 10_000])
    parser.add_argument("--words", type=int, default=300, help="words of a document")
    parser.add_argument("--embedder", choices=("none", "lsa"), default="none")
    parser.add_argument("--profile", help="profile one import into this file instead")
    options = parser.parse_args(arguments)
    if options.profile:
        with tempfile.TemporaryDirectory(prefix="trace-benchmark-") as name:
            source = Path(name) / "archive.jsonl"
            write(source, options.documents[0], options.words)
            measured(profiled, str(source), name, options.embedder, options.profile)
        return
    print(machine())
    rows = []
    for documents in options.documents:
        rows.append(compare(documents, options.embedder, options.words))
        print("\n" + table(_HEADS, rows), flush=True)


if __name__ == "__main__":
    main()
