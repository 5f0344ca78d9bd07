"""From a path to a stream of records and problems: find the files, the readers, read, complete.

Memory holds one file's records at most; a file that breaks off costs only what stands behind the
break, and says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from trace_core.domain.errors import BadInput
from trace_core.ingest.corpora import corpus_hint
from trace_core.ingest.records import Item, Problem, ReadOptions, SourceRecord
from trace_core.ingest.registry import Reader, find_reader, reader_named
from trace_core.ingest.source import Source
from trace_core.ingest.walk import Walk, existing
from trace_core.ingest.xml_safe import BrokenFile


@dataclass
class Position:
    """How far a source has been read: bytes on the disk done and in all, files, the file now read.

    `total` is 0 while it is unknown.
    """

    done: int = 0
    total: int = 0
    files: int = 0
    file: str = ""
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
    items = read_walk(walk, options, position)
    for step in _steps(options):
        items = step(items)
    yield from items


def read_walk(walk: Walk, options: ReadOptions, position: Position) -> Iterator[Item]:
    """The items of all files of a walk, each by its own reader."""
    for source in walk.files():
        reader = choose_reader(source, options)
        if isinstance(reader, Problem):
            yield reader
        elif reader is not None:
            position.enter(source)
            yield from _guarded(source, reader, options)
        position.leave(source)


def choose_reader(source: Source, options: ReadOptions) -> Reader | Problem | None:
    """The reader for a file, a problem where there is none, None for what is no document at all."""
    if options.format != "auto":
        reader = reader_named(options.format)
        # In a folder only the files of the named format are meant; a named file is always meant.
        alone = len(source.relative.parts) == 1 and source.fence == source.path.parent
        if alone or reader.sniff(source) > 0:
            return reader
        return Problem(source.at(), f"the file is not of the format {reader.name}")
    if source.size == 0:
        return Problem(source.at(), "the file is empty")
    found = find_reader(source)
    if found is None:
        return Problem(source.at(), _unknown())
    return found


def _guarded(source: Source, reader: Reader, options: ReadOptions) -> Iterator[Item]:
    read = 0
    try:
        for item in reader.read(source, options):
            read += isinstance(item, SourceRecord)
            yield item
    except BrokenFile as error:
        yield error.problem(source)
    except BadInput as error:
        if source.fence == source.path.parent and options.mapping:
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


def _unknown() -> str:
    from trace_core.ingest.registry import format_names

    return (
        "no reader knows this kind of file; say which format it has with --format "
        f"({', '.join(format_names())})"
    )


def _steps(options: ReadOptions) -> list[Callable[[Iterator[Item]], Iterator[Item]]]:
    steps: list[Callable[[Iterator[Item]], Iterator[Item]]] = []
    steps.append(lambda items: _overridden(items, options))
    return steps


def _overridden(items: Iterator[Item], options: ReadOptions) -> Iterator[Item]:
    """The person's word about sub-corpus and language goes before what the source says."""
    for item in items:
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
