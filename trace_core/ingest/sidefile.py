"""Metadata that lies beside the files it describes: a table, CSL-JSON or RIS, by file name.

The side file is read once and kept; it describes files, so it is small beside them. What it says
goes before what the files say, and entries that fit no file are reported.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urlparse

from trace_core.domain.errors import BadInput
from trace_core.ingest.corpora import corpus_hint, squeeze
from trace_core.ingest.dates import Order
from trace_core.ingest.fields import clean, propose_mapping
from trace_core.ingest.languages import normalise_language
from trace_core.ingest.names import strip_suffixes
from trace_core.ingest.records import Item, Location, Problem, ReadOptions, SourceRecord

NAMES = ("metadata.csv", "metadata.tsv", "metadata.json", "metadata.ris", "metadata.xlsx")
"""A file with one of these names in the root of an import describes the other files."""

_KEYS = (
    "filename",
    "file",
    "fichier",
    "datei",
    "dateiname",
    "path",
    "filepath",
    "chemin",
    "document",
    "docid",
    "sourceid",
    "id",
    "identifier",
    "callnumber",
    "archivelocation",
    "citationkey",
    "url",
    "filelink",
    "linktofulltext1",
    "fileattachments1",
    "fileattachments",
)


@dataclass(slots=True)
class _Entry:
    """One described file: its fields as the reader of the side file mapped them."""

    record: SourceRecord
    location: Location
    used: bool = False


@dataclass
class SideFile:
    """Entries by every name that a file may be found under."""

    path: Path
    entries: dict[str, _Entry] = field(default_factory=dict)
    all: list[_Entry] = field(default_factory=list)

    def apply(self, items: Iterator[Item]) -> Iterator[Item]:
        """The items with what the side file says about them; at the end, what fitted nothing."""
        missing = 0
        for item in items:
            if not isinstance(item, SourceRecord):
                yield item
                continue
            entry = self._find(item)
            if entry is None:
                missing += 1
                yield item
            else:
                entry.used = True
                yield _described(item, entry.record)
        if missing:
            reason = f"{missing} documents are not described in it"
            yield Problem(Location(self.path.name), reason, "suspicious")
        for entry in self.all:
            if not entry.used:
                reason = "this entry describes no file that was read"
                yield Problem(entry.location, reason, "suspicious")

    def _find(self, record: SourceRecord) -> _Entry | None:
        file = record.meta.get("file", "")
        for name in (record.location.file, record.source_id, file, record.title):
            for form in _forms(name):
                if entry := self.entries.get(form):
                    return entry
        return None


def load_side_file(path: Path, options: ReadOptions) -> SideFile:
    """Read a side file. Raises BadInput where nothing in it names a file."""
    from trace_core.ingest.reading import read_source

    plain = replace(options, format="auto", metadata=None, scans=None, corpus="", mapping={})
    side = SideFile(path)
    for item in read_source(path, plain):
        if isinstance(item, SourceRecord):
            entry = _Entry(item, item.location)
            side.all.append(entry)
            for name in _names(item):
                for form in _forms(name):
                    side.entries.setdefault(form, entry)
    if not side.entries:
        raise BadInput(f"{path.name} describes no files: no column of it names files or ids.")
    return side


def _names(record: SourceRecord) -> Iterator[str]:
    """Everything in an entry that may name a file, surest first."""
    squeezed = {squeeze(key): value for key, value in _cells(record).items()}
    for key in _KEYS:
        if value := squeezed.get(key):
            yield value
            # A library writes all files of an item into one cell.
            yield from value.split(";") if ";" in value else ()
    yield record.source_id


def _cells(record: SourceRecord) -> Mapping[str, str]:
    return record.meta


def _forms(name: str) -> Iterator[str]:
    """A name as it may be written: whole, without folders, without suffixes."""
    text = name.strip().replace("\\", "/")
    if not text:
        return
    if text.startswith(("http://", "https://", "file:")):
        text = unquote(urlparse(text).path)
    last = PurePosixPath(text).name
    for form in dict.fromkeys((text, last, strip_suffixes(last))):
        if form:
            yield form.casefold()


def _described(record: SourceRecord, entry: SourceRecord) -> SourceRecord:
    """A record with the entry's title, date, language, sub-corpus and further fields."""
    fields = {key: text for key, value in entry.meta.items() if (text := clean(value))}
    language = entry.language or normalise_language(fields.get("language", ""))
    described = replace(
        record,
        title=entry.title or record.title,
        language=language or record.language,
        meta=dict(record.meta) | {key: fields[key] for key in fields if key != "file"},
    )
    if corpus := _corpus_column(entry):
        described = replace(described, corpus=corpus_hint(corpus, language=language))
    if entry.date_written:
        order: Order | None = entry.date_order
        described = replace(
            described,
            date_written=entry.date_written,
            date_edtf=entry.date_edtf,
            date_order=order,
        )
    return described


def _corpus_column(entry: SourceRecord) -> str:
    columns = list(entry.meta)
    mapping = propose_mapping(columns, [], {})
    return clean(entry.meta.get(mapping.get("corpus", ""), ""))
