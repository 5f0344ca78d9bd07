"""Annotated tokens, one a line, as CoNLL-U and the HIPE evaluations write them: texts again.

Comments (`# document_id = …`, `# newdoc id = …`, `# date = …`) part and describe the documents;
the annotations are left aside.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from trace_core.ingest.corpora import corpus_hint
from trace_core.ingest.encodings import find_encoding
from trace_core.ingest.languages import normalise_language
from trace_core.ingest.records import Item, ReadOptions, SourceRecord
from trace_core.ingest.registry import Reader
from trace_core.ingest.source import Source, bounded_lines, text_stream
from trace_core.ingest.tables import table_corpus, table_prefix

_COMMENT = re.compile(r"#\s*([\w:.\-]+)(?:\s+id)?\s*=\s*(.*)")
_NEW = frozenset({"document_id", "newdoc"})
_LEAST = 3  # lines that must look like tokens


@dataclass
class _Text:
    """The document that is being put together."""

    line: int
    fields: dict[str, str] = field(default_factory=dict)
    parts: list[str] = field(default_factory=list)

    def end_line(self) -> None:
        """End the line of the text, unless it has just ended."""
        if self.parts and self.parts[-1] != "\n":
            if self.parts[-1] == " ":
                self.parts.pop()
            self.parts.append("\n")


def sniff(source: Source) -> float:
    """Sure for a column of tokens with comments, by HIPE's header or by CoNLL-U's numbers."""
    head = source.head.decode(find_encoding(source.head).name, errors="ignore").lstrip("\ufeff")
    lines = head.splitlines()[:200]
    named = any(line.startswith("TOKEN\t") for line in lines[:1])
    rows = [line for line in lines if line and not line.startswith("#")]
    numbered = sum(
        re.match(r"\d+(?:-\d+)?\t[^\t]+(?:\t[^\t]*){7,8}$", li) is not None for li in rows
    )
    if named or (numbered >= _LEAST and numbered >= len(rows) - 1):
        return 0.9
    return 0.0


def read(source: Source, options: ReadOptions) -> Iterator[Item]:
    """The documents that the comments name, or the file as one."""
    encoding = find_encoding(source.head, options.encoding).name
    text = _Text(1)
    ordinal, skip_until = 0, 0
    with source.open() as stream:
        for number, raw in enumerate(bounded_lines(text_stream(stream, encoding)), 1):
            line = raw.rstrip("\r\n").lstrip("\ufeff")
            if match := _COMMENT.match(line):
                key = match[1].rpartition(":")[2]
                if key in _NEW and text.parts:
                    ordinal += 1
                    yield _record(source, text, ordinal)
                    text = _Text(number)
                text.fields.setdefault("id" if key in _NEW else key, match[2].strip())
            elif not line.strip():
                text.end_line()
                skip_until = 0
            elif not line.startswith(("#", "TOKEN\t")):
                skip_until = _token(text, line.split("\t"), skip_until)
    if text.parts:
        yield _record(source, text, ordinal + 1)


def _token(text: _Text, cells: list[str], skip_until: int) -> int:
    """Append a token; returns the number of the last token that the one just read covers."""
    numbered = re.fullmatch(r"(\d+)(?:-(\d+))?", cells[0]) if len(cells) > 8 else None
    if numbered:
        if int(numbered[1]) <= skip_until:
            return skip_until
        skip_until = int(numbered[2] or 0)
    text.parts.append(cells[1] if numbered else cells[0])
    last = cells[-1]
    if "EndOfLine" in last:
        text.parts.append("\n")
    elif "NoSpaceAfter" not in last and "SpaceAfter=No" not in last:
        text.parts.append(" ")
    return skip_until


def _record(source: Source, text: _Text, ordinal: int) -> SourceRecord:
    fields = text.fields
    name = fields.get("id", "")
    kept = ("newspaper", "segment_iiif_link", "sent_id", "text", "id", "date", "language")
    return SourceRecord(
        source_id=name or f"{table_prefix(source)}{ordinal}",
        corpus=corpus_hint(table_corpus(source)),
        text="".join(text.parts).strip(),
        location=source.at(line=text.line, record=name),
        date_written=fields.get("date", ""),
        language=normalise_language(fields.get("language", "")),
        meta={key: value for key, value in fields.items() if value and key not in kept[1:]},
    )


READER = Reader(
    name="conll",
    title="Annotated tokens (CoNLL-U, HIPE)",
    suffixes=(".conllu", ".conll", ".tsv"),
    sniff=sniff,
    read=read,
    single=False,
)
