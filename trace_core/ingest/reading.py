"""From a path to a stream of records and problems: find the files, the readers, read, complete.

Memory holds one file's records at most; a file that breaks off costs only what stands behind the
break, and says so.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

from trace_core.domain.errors import BadInput
from trace_core.ingest.archives import DEPTH, is_archive, unpack
from trace_core.ingest.corpora import corpus_hint
from trace_core.ingest.grouping import group_pages
from trace_core.ingest.records import Item, Location, Problem, ReadOptions, SourceRecord
from trace_core.ingest.registry import Reader, find_reader, format_names, reader_named
from trace_core.ingest.scans import attach_scans
from trace_core.ingest.sidefile import NAMES as SIDE_NAMES
from trace_core.ingest.sidefile import SideFile, load_side_file
from trace_core.ingest.source import Source
from trace_core.ingest.tables import wished_order
from trace_core.ingest.unreadable import unreadable_kind
from trace_core.ingest.walk import Walk, existing
from trace_core.ingest.xml_safe import BrokenFile, root_name

_PICTURES = (".jpg", ".jpeg", ".png", ".gif", ".tif", ".tiff", ".jp2", ".webp", ".bmp", ".svg")
_STYLES = (".css", ".xsl", ".xslt", ".xsd", ".dtd", ".rng", ".js", ".ico")
_COMPANIONS = frozenset((*_PICTURES, *_STYLES, ".md5", ".sha1", ".sha256", ".db"))
"""Files that lie beside texts and hold none."""


@dataclass
class Position:
    """How far a source has been read: bytes on the disk done and in all, files, the file now read.

    `total` is 0 while it is unknown. `left_out` counts companions of texts by their suffix.
    """

    done: int = 0
    total: int = 0
    files: int = 0
    file: str = ""
    left_out: Counter[str] = field(default_factory=Counter)
    _current: Source | None = None

    @property
    def bytes_read(self) -> int:
        """Bytes done, those of the file now read included."""
        inside = self._current.consumed if self._current is not None else 0
        return self.done + inside

    def enter(self, source: Source) -> None:
        """Note that a file is being read."""
        self._current, self.file = source, source.name

    def leave(self, source: Source) -> None:
        """Note that a file has been read."""
        self._current = None
        self.done += source.size
        self.files += 1


def read_source(
    path: Path, options: ReadOptions, position: Position | None = None
) -> Iterator[Item]:
    """Everything that a file, folder or archive holds, as records and problems, in a stable order.

    Raises NotFound or BadInput for what no reading can mend: no such path, an unknown format, a
    mapping to a column that is not there.
    """
    position = position if position is not None else Position()
    if options.format != "auto":
        reader_named(options.format)
    walk = Walk(existing(path))
    position.total = walk.size()[1]
    side = _side_file(path, options)
    if side is not None:
        walk.claim(walk.root, [side.path])
    items = read_walk(walk, options, position)
    if options.pages != "file":
        items = group_pages(items, options.pages)
    if side is not None:
        items = side.apply(items)
    if options.scans is not None:
        items = attach_scans(items, options.scans)
    yield from _overridden(items, options)
    if position.left_out:
        kinds = ", ".join(f"{count} {suffix}" for suffix, count in position.left_out.most_common())
        reason = f"files that hold no text were left out (pictures, style sheets …): {kinds}"
        yield Problem(Location(path.name), reason, "suspicious")


def read_walk(
    walk: Walk, options: ReadOptions, position: Position, depth: int = 0
) -> Iterator[Item]:
    """The items of all files of a walk, each by its own reader; archives are walked through."""
    for source in walk.files():
        yield from walk.left_out()
        position.enter(source)
        if source.suffix in _COMPANIONS and not source.alone and options.format == "auto":
            position.left_out[source.suffix] += 1
        elif is_archive(source):
            yield from _inside(source, options, position, depth)
        else:
            yield from _file(source, walk, options)
        position.leave(source)
    yield from walk.left_out()


def _file(source: Source, walk: Walk, options: ReadOptions) -> Iterator[Item]:
    reader = choose_reader(source, options)
    if isinstance(reader, Problem):
        yield reader
        return
    if reader.claims is not None:
        walk.claim(source.path.parent, reader.claims(source))
    items = _by_path if reader.by_path and source.packed else _streamed
    found = False
    for item in _guarded(source, items(source, reader, options), options):
        found = True
        yield item
    if not found:
        reason = f"the file holds no record that its reader ({reader.name}) knows"
        yield Problem(source.at(), reason)


def _streamed(source: Source, reader: Reader, options: ReadOptions) -> Iterator[Item]:
    yield from reader.read(source, options)


def _by_path(source: Source, reader: Reader, options: ReadOptions) -> Iterator[Item]:
    with source.unpacked(options.unpacked_bytes) as plain:
        yield from reader.read(plain, options)


def _inside(source: Source, options: ReadOptions, position: Position, depth: int) -> Iterator[Item]:
    """What an archive holds. It is unpacked into a folder that is gone afterwards."""
    if depth >= DEPTH:
        yield Problem(
            source.at(), f"more than {DEPTH} archives inside one another are not unpacked"
        )
        return
    with tempfile.TemporaryDirectory(prefix="trace-import-") as name:
        folder = Path(name).resolve()
        yield from _guarded(source, unpack(source, folder, options.unpacked_bytes), options)
        # An archive in a folder belongs to the folder's sub-corpus; one by itself is its own.
        alone = len(source.relative.parts) == 1
        base = PurePosixPath() if alone else source.relative.parent / source.parts.stem
        corpus = source.parts.stem if alone else source.corpus
        inner = Walk(folder, shown=source.name, corpus=corpus, base=base)
        unpacked = Position(file=position.file, left_out=position.left_out)
        yield from read_walk(inner, options, unpacked, depth + 1)


def _side_file(path: Path, options: ReadOptions) -> SideFile | None:
    if options.metadata is not None:
        return load_side_file(existing(options.metadata), options)
    if path.is_dir():
        for name in SIDE_NAMES:
            if (path / name).is_file() and any(p.name != name for p in path.iterdir()):
                return load_side_file(path / name, options)
    return None


def choose_reader(source: Source, options: ReadOptions) -> Reader | Problem:
    """The reader for a file, or a problem where there is none."""
    if options.format != "auto":
        reader = reader_named(options.format)
        # In a folder only the files of the named format are meant; a named file is always meant.
        if source.alone or reader.sniff(source) > 0:
            return reader
        return Problem(source.at(), f"the file is not of the format {reader.name}")
    if unreadable := _unreadable(source):
        return Problem(source.at(), f"the file cannot be read ({unreadable})")
    if source.size == 0:
        return Problem(source.at(), "the file is empty")
    if not source.head:
        return Problem(
            source.at(), "the compressed file is damaged or ends too early; copy it again"
        )
    kind = unreadable_kind(source.head)
    found = find_reader(source)
    if found is None or (kind and not source.head.startswith(b"PK")):
        return Problem(source.at(), kind or _unknown(source))
    return found


def _unreadable(source: Source) -> str:
    try:
        with source.path.open("rb"):
            return ""
    except OSError as error:
        return error.strerror or type(error).__name__


def _guarded(source: Source, items: Iterator[Item], options: ReadOptions) -> Iterator[Item]:
    """The items, with whatever breaks off as one problem more."""
    read = 0
    try:
        for item in items:
            read += isinstance(item, SourceRecord)
            yield item
    except BrokenFile as error:
        yield error.problem(source)
    except BadInput as error:
        if options.mapping:
            raise
        yield Problem(source.at(), str(error))
    except Exception as error:  # noqa: BLE001 - a library may raise anything over a damaged file
        before = f" after {read} documents" if read else ""
        yield Problem(source.at(), f"the file cannot be read{before}: {_words(error)}")


def _words(error: Exception) -> str:
    text = " ".join(str(error).split())
    if isinstance(error, EOFError):
        return "it ends too early; the copy may be incomplete"
    return text[:300] or type(error).__name__


def _unknown(source: Source) -> str:
    root = root_name(source.head)
    kind = f"XML with the root element {root}" if root else "this kind of file"
    return (
        f"no reader knows {kind}; say which format it has with --format "
        f"({', '.join(format_names())})"
    )


def _overridden(items: Iterator[Item], options: ReadOptions) -> Iterator[Item]:
    """The person's word about sub-corpus, language and order of dates goes before the source's."""
    order = wished_order(options)
    for item in items:
        if order and isinstance(item, SourceRecord) and item.date_order is None:
            item = replace(item, date_order=order)
        if isinstance(item, SourceRecord) and (options.corpus or options.language):
            changes = item
            if options.corpus:
                corpus = corpus_hint(options.corpus, language=item.corpus.language)
                changes = replace(changes, corpus=corpus)
            if options.language:
                corpus = replace(changes.corpus, language=options.language)
                changes = replace(changes, language=options.language, corpus=corpus)
            yield changes
        else:
            yield item
