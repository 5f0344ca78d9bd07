"""The fields of a chunk in Tantivy, and the way from a chunk to them and back."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, cast

from storage.stems import stemmer
from trace_core.domain.corpus import DocumentKey
from trace_core.domain.hits import ChunkScore
from trace_core.ports import IndexEntry
from trace_core.text.tokens import words

if TYPE_CHECKING:
    from tantivy import DocAddress, Document, Index, Schema, Searcher

    Scored = tuple[float, DocAddress]

_SEPARATOR = "\x1f"
_REMEMBERED = 100_000  # keys, some 25 MB


def build_schema() -> Schema:
    """All fields. Days are plain integers: Tantivy's dates begin in 1677."""
    import tantivy

    builder = tantivy.SchemaBuilder()
    builder.add_integer_field("chunk", indexed=True, fast=True)
    builder.add_bytes_field("key", stored=True)
    builder.add_text_field("corpus", tokenizer_name="raw", index_option="basic")
    builder.add_text_field("language", tokenizer_name="raw", index_option="basic")
    builder.add_integer_field("dated", indexed=True)
    builder.add_integer_field("earliest", indexed=True, fast=True)
    builder.add_integer_field("latest", indexed=True, fast=True)
    builder.add_text_field("folded", tokenizer_name="spaces")
    builder.add_text_field("stem", tokenizer_name="spaces", index_option="freq")
    return builder.build()


def register(index: Index) -> None:
    """Make the tokenizer known, as each opened index needs it."""
    from tantivy import TextAnalyzerBuilder, Tokenizer

    index.register_tokenizer("spaces", TextAnalyzerBuilder(Tokenizer.whitespace()).build())


def document_of(entry: IndexEntry) -> Document:
    """A chunk as Tantivy takes it."""
    import tantivy

    chunk = entry.chunk
    tokens = words(chunk.text)
    fields: dict[str, object] = {
        "chunk": chunk.id,
        "key": _SEPARATOR.join(chunk.key).encode(),
        "corpus": chunk.key.corpus,
        "language": entry.language,
        "dated": int(entry.earliest is not None),
        "folded": " ".join(tokens),
        "stem": " ".join(stemmer(entry.language).stems(tokens)),
    }
    if entry.earliest is not None:
        fields |= {"earliest": entry.earliest, "latest": entry.latest}
    return tantivy.Document(**fields)


def chunk_ids(searcher: Searcher, addresses: Sequence[DocAddress]) -> list[int]:
    """The chunks that stand at these places of an index."""
    return cast("list[int]", searcher.fast_field_values("chunk", list(addresses)))


class HitReader:
    """From Tantivy's hits to the core's: chunk ids from their column, keys remembered.

    A chunk's document never changes, and reading a stored key costs more than all the rest.
    """

    def __init__(self) -> None:
        self._keys: dict[int, DocumentKey] = {}

    def read(self, searcher: Searcher, hits: Sequence[Scored]) -> list[ChunkScore]:
        """The hits of one search, in order."""
        addresses = [address for _, address in hits]
        chunks = chunk_ids(searcher, addresses)
        keys = self._keys
        if len(keys) > _REMEMBERED:
            self._keys = keys = {}
        for chunk, address in zip(chunks, addresses, strict=True):
            if chunk not in keys:
                stored = cast(bytes, searcher.doc(address).get_first("key"))
                corpus, _, source_id = stored.decode().partition(_SEPARATOR)
                keys[chunk] = DocumentKey(sys.intern(corpus), source_id)
        return [
            ChunkScore(chunk, keys[chunk], score)
            for chunk, (score, _) in zip(chunks, hits, strict=True)
        ]

    def forget(self, chunks: Iterable[int]) -> None:
        """Read the keys of these chunks anew."""
        for chunk in chunks:
            self._keys.pop(chunk, None)
