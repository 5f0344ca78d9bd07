"""The formats that can be read. A new format is one file in `readers/` and one entry here.

A reader says how sure it is that a file is of its format from the file's first bytes and its
name; the surest one reads. Names alone never decide: archives call ALTO `.xml` and JSON lines
`.json`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path

from trace_core.domain.errors import BadInput
from trace_core.ingest.records import Item, ReadOptions
from trace_core.ingest.source import Source

ENTRIES = (
    "mets",
    "alto",
    "page_xml",
    "hocr",
    "tei",
    "pdf",
    "parquet",
    "xlsx",
    "csl",
    "ris",
    "iiif",
    "jsonl",
    "conll",
    "csv_tsv",
    "web_page",
    "txt",
)
"""Modules of `trace_core.ingest.readers`, each with a `READER`; on a tie the earlier one reads."""


@dataclass(frozen=True, slots=True)
class Reader:
    """One format: its name for `--format`, the suffixes it usually has, how to tell and read it.

    `sniff` gives 0 (certainly not) to 1 (certainly) and never raises; `read` yields records and
    problems in the order of the file and may raise for a file that breaks off: what it gave before
    is kept. `single` says that a file is one document, so that its folder is its sub-corpus.
    `claims` tells which other files belong to a file as its parts. `by_path` says that it goes to
    and fro in the file, so that a compressed one has to be unpacked first.
    """

    name: str
    title: str
    suffixes: tuple[str, ...]
    sniff: Callable[[Source], float]
    read: Callable[[Source, ReadOptions], Iterator[Item]]
    single: bool = True
    claims: Callable[[Source], Iterable[Path]] | None = None
    by_path: bool = False


@cache
def readers() -> tuple[Reader, ...]:
    """All readers, in the order of the registry."""
    return tuple(import_module(f"trace_core.ingest.readers.{entry}").READER for entry in ENTRIES)


def format_names() -> tuple[str, ...]:
    """The names that `--format` takes."""
    return tuple(reader.name for reader in readers())


def reader_named(name: str) -> Reader:
    """The reader of a format. Raises BadInput with the names there are."""
    for reader in readers():
        if reader.name == name.casefold():
            return reader
    known = ", ".join(format_names())
    raise BadInput(f"There is no format {name!r}; choose auto or one of {known}.")


def find_reader(source: Source) -> Reader | None:
    """The reader that is surest of a file, None where none is."""
    best, score = None, 0.0
    for reader in readers():
        sure = reader.sniff(source)
        if sure > score:
            best, score = reader, sure
    return best
