"""The fields of a chunk in Tantivy, and the way from a chunk to them and back."""

from __future__ import annotations

from typing import Any

from storage.stems import stemmer
from trace_core.domain.corpus import DocumentKey
from trace_core.ports import IndexEntry
from trace_core.text.tokens import words

_SEPARATOR = "\x1f"


def build_schema() -> Any:
    """All fields. Days are plain integers: Tantivy's dates begin in 1677."""
    import tantivy

    builder = tantivy.SchemaBuilder()
    builder.add_integer_field("chunk", stored=True, indexed=True, fast=True)
    builder.add_text_field("key", stored=True, tokenizer_name="raw", index_option="basic")
    builder.add_text_field("corpus", tokenizer_name="raw", index_option="basic")
    builder.add_text_field("language", tokenizer_name="raw", index_option="basic")
    builder.add_integer_field("dated", indexed=True)
    builder.add_integer_field("earliest", indexed=True, fast=True)
    builder.add_integer_field("latest", indexed=True, fast=True)
    builder.add_text_field("folded", tokenizer_name="spaces")
    builder.add_text_field("stem", tokenizer_name="spaces", index_option="freq")
    return builder.build()


def register(index: Any) -> None:
    """Make the tokenizer known, as each opened index needs it."""
    from tantivy import TextAnalyzerBuilder, Tokenizer

    index.register_tokenizer("spaces", TextAnalyzerBuilder(Tokenizer.whitespace()).build())


def document_of(entry: IndexEntry) -> Any:
    """A chunk as Tantivy takes it."""
    import tantivy

    chunk = entry.chunk
    tokens = words(chunk.text)
    fields: dict[str, object] = {
        "chunk": chunk.id,
        "key": _SEPARATOR.join(chunk.key),
        "corpus": chunk.key.corpus,
        "language": entry.language,
        "dated": int(entry.earliest is not None),
        "folded": " ".join(tokens),
        "stem": " ".join(stemmer(entry.language).stems(tokens)),
    }
    if entry.earliest is not None:
        fields |= {"earliest": entry.earliest, "latest": entry.latest}
    return tantivy.Document(**fields)


def split_key(document: Any) -> tuple[int, DocumentKey]:
    """The chunk id and document key of a stored document."""
    corpus, _, source_id = document.get_first("key").partition(_SEPARATOR)
    return document.get_first("chunk"), DocumentKey(corpus, source_id)
