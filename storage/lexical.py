"""The inverted index of a workspace, in Tantivy.

A chunk is held as the tokens of its indexed layer (with positions, for phrases) and as their
stems. Both are cut in Python by the same fold that highlights hits in the shown text, so index
and page agree on what a word is. Filters stand in the query itself with a score of 0: they apply
before the cut and leave BM25 untouched.
"""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from storage.lexical_query import QueryBuilder, Wider
from storage.lexical_schema import HitReader, build_schema, chunk_ids, document_of, register
from storage.locks import folder_lock
from storage.stems import stem_language
from storage.word_list import WordListCache
from trace_core.domain.corpus import Scope
from trace_core.domain.errors import SearchFailed, WorkspaceBusy
from trace_core.domain.hits import ChunkScore
from trace_core.ports import IndexEntry, WeightedTerm
from trace_core.text.tokens import words

if TYPE_CHECKING:
    from tantivy import Index, IndexWriter, Query, Searcher

_LEAST_LETTERS = 3
_MOST_WIDER = 200  # longer words that the outer words of a phrase are looked for in
# The fold keeps one core busy and this thread another; more would only make smaller segments.
_THREADS = 1
_HEAP = 128_000_000  # bytes for a writer before it flushes a segment


class TantivyIndex:
    """Fulfils `trace_core.ports.LexicalIndex`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.RLock()
        self._index: Index | None = None
        self._stamp: tuple[int, int] = (0, 0)
        self._queries: QueryBuilder | None = None
        self._words = WordListCache()
        self._hits = HitReader()
        self._spoken: tuple[object, list[str]] = (None, [])

    # --- writing ---

    def add(self, entries: Sequence[IndexEntry]) -> None:
        """Add or replace chunks; visible when the call returns."""
        latest = {entry.chunk.id: entry for entry in entries}
        if not latest:
            return
        self._hits.forget(latest)
        with self._writing() as (index, writer):
            for chunk_id in _present(index, latest):
                writer.delete_documents_by_term("chunk", chunk_id)
            for entry in latest.values():
                writer.add_document(document_of(entry))

    def remove(self, chunk_ids: Iterable[int]) -> None:
        """Take chunks out."""
        wanted = set(chunk_ids)
        if not wanted:
            return
        with self._writing() as (index, writer):
            for chunk_id in _present(index, wanted):
                writer.delete_documents_by_term("chunk", chunk_id)

    def clear(self) -> None:
        """Empty the index, even one that can no longer be read."""
        with folder_lock(self._folder.parent, "lexical"), self._lock:
            self._index = None
            shutil.rmtree(self._folder, ignore_errors=True)
            self._open()

    def optimize(self) -> None:
        """Remove files that no reader needs any more."""
        with self._writing() as (_, writer):
            writer.garbage_collect_files()

    @contextmanager
    def _writing(self) -> Iterator[tuple[Index, IndexWriter]]:
        with folder_lock(self._folder.parent, "lexical"), _failures("written"):
            index = self._open()
            index.reload()
            writer = _writer(index)
            try:
                yield index, writer
                writer.commit()
            except BaseException:
                writer.rollback()
                raise
            finally:
                writer.wait_merging_threads()
            index.reload()
            self._stamp = self._meta_stamp()

    # --- reading ---

    def count(self) -> int:
        """Number of chunks in the index."""
        with _failures("read"):
            return int(self._searcher().num_docs)

    def ids(self) -> set[int]:
        """The ids of all chunks in the index."""
        import tantivy

        with _failures("read"):
            searcher = self._searcher()
            if not searcher.num_docs:
                return set()
            found = searcher.search(tantivy.Query.all_query(), searcher.num_docs, count=False)
            return set(chunk_ids(searcher, [address for _, address in found.hits]))

    def search(self, text: str, scope: Scope, limit: int) -> list[ChunkScore]:
        """BM25 of a text as a person or a model writes it; never refuses any character."""
        tokens = words(text)
        with _failures("searched"):
            searcher, queries = self._reader()
            query = queries.text(tokens, self._languages(searcher), scope)
            return self._run(searcher, query, limit)

    def search_terms(
        self, terms: Sequence[WeightedTerm], scope: Scope, limit: int
    ) -> list[ChunkScore]:
        """BM25 of weighted tokens of the indexed layer, joined by OR."""
        with _failures("searched"):
            searcher, queries = self._reader()
            return self._run(searcher, queries.terms(terms, scope), limit)

    def search_best(
        self,
        groups: Sequence[Sequence[WeightedTerm]],
        ties: Sequence[WeightedTerm],
        scope: Scope,
        limit: int,
    ) -> list[ChunkScore]:
        """Chunks by the sum, over groups, of the weight of the heaviest term that stands there."""
        with _failures("searched"):
            searcher, queries = self._reader()
            return self._run(searcher, queries.best(groups, ties, scope), limit)

    def search_phrase(self, text: str, scope: Scope, limit: int) -> list[ChunkScore]:
        """Chunks with these words in this order, side by side in the indexed layer.

        The first word may be the end and the last one the beginning of a longer word (of three
        letters or more), as in a search for a string; chunks with the whole words come first.
        """
        tokens = words(text)
        with _failures("searched"):
            searcher, queries = self._reader()
            wider = self._wider(searcher, tokens)
            return self._run(searcher, queries.phrase(tokens, wider, scope), limit)

    def vocabulary(self) -> Iterator[tuple[str, int]]:
        """Every token of the indexed layer with the number of chunks that hold it."""
        with _failures("read"):
            found = self._searcher().terms_with_prefix("folded", "")
        yield from found

    def _languages(self, searcher: Searcher) -> list[str]:
        """One language for each stemmer that the index's chunks went through ("" for none)."""
        if self._spoken[0] != self._stamp:
            found = searcher.terms_with_prefix("language", "")
            self._spoken = (self._stamp, sorted({stem_language(name) for name, _ in found}))
        return self._spoken[1]

    def _wider(self, searcher: Searcher, tokens: Sequence[str]) -> Wider:
        """The longer words at either end; a word of one or two letters stands for itself."""
        if not tokens:
            return Wider((), ())
        first, last = tokens[0], tokens[-1]
        starts: list[str] = [first]
        ends: list[str] = [last]
        if len(first) >= _LEAST_LETTERS:
            known = self._words.of(searcher, self._stamp)
            if len(tokens) == 1:
                return Wider(known.containing(first, _MOST_WIDER), ())
            starts = known.ending(first, _MOST_WIDER)
        if len(last) >= _LEAST_LETTERS:
            found = searcher.terms_with_prefix("folded", last, limit=_MOST_WIDER)
            ends += [word for word, _ in found if word != last]
        return Wider(starts, ends)

    def _run(self, searcher: Searcher, query: Query | None, limit: int) -> list[ChunkScore]:
        if query is None or limit < 1:
            return []
        # Room is made for as many hits as are asked for.
        found = searcher.search(query, min(limit, max(searcher.num_docs, 1)), count=False).hits
        return self._hits.read(searcher, found)

    # --- opening ---

    def _searcher(self) -> Searcher:
        return self._reader()[0]

    def _reader(self) -> tuple[Searcher, QueryBuilder]:
        with self._lock:
            index = self._open()
            stamp = self._meta_stamp()
            if stamp != self._stamp:  # another process has written
                index.reload()
                self._hits = HitReader()
                self._stamp = stamp
            assert self._queries is not None
            return index.searcher(), self._queries

    def _open(self) -> Index:
        with self._lock:
            if self._index is None:
                import tantivy

                self._folder.mkdir(parents=True, exist_ok=True)
                schema = build_schema()
                self._index = tantivy.Index(schema, path=str(self._folder))
                register(self._index)
                self._queries = QueryBuilder(schema)
                self._stamp = self._meta_stamp()
            return self._index

    def _meta_stamp(self) -> tuple[int, int]:
        try:
            status = (self._folder / "meta.json").stat()
        except FileNotFoundError:
            return (0, 0)
        return (status.st_mtime_ns, status.st_ino)


def _writer(index: Index) -> IndexWriter:
    try:
        return index.writer(_HEAP, _THREADS)
    except ValueError as error:
        if "LockBusy" in str(error) or "lock" in str(error).lower():
            raise WorkspaceBusy(
                "Another process is writing to the lexical index; try again when it has finished."
            ) from error
        raise


def _present(index: Index, wanted: Iterable[int]) -> list[int]:
    searcher = index.searcher()
    if not searcher.num_docs:
        return []
    return [chunk for chunk in wanted if searcher.doc_freq("chunk", chunk)]


@contextmanager
def _failures(deed: str) -> Iterator[None]:
    try:
        yield
    except (ValueError, OSError, RuntimeError) as error:
        raise _failed(deed, error) from error
    except BaseException as error:
        # Tantivy's panics reach Python as a class that no `except Exception` catches.
        if type(error).__name__ != "PanicException":
            raise
        raise _failed(deed, error) from None


def _failed(deed: str, error: BaseException) -> SearchFailed:
    return SearchFailed(
        f"The lexical index could not be {deed} ({error}); reindex the workspace to mend it."
    )
