"""The archive written out and imported again is the archive."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from storage.workspace import Workspace
from trace_core.domain.corpus import Document, DocumentKey, Page, Scope, SubCorpus
from trace_core.domain.dates import from_iso
from trace_core.domain.errors import BadInput
from trace_core.export.archive import export_archive
from trace_core.ingest.importer import Importer
from trace_core.ingest.readers.archive_rows import document_row, own_record
from trace_core.ingest.records import Location, SourceRecord
from trace_core.ports import NewDocument

CORPUS = SubCorpus(
    "gazette", "La Gazette", ("Gazette",), "newspaper", "fr", "Un journal.", True, {"archive": "AD"}
)
RAW = "Un\x08 pont.\r\nDeux\ud800 ponts."
DOCUMENT = Document(
    key=DocumentKey("gazette", "1"),
    version=1,
    title="Le pont",
    text="Un pont.\nDeux\ufffd ponts.",
    raw=RAW,
    language="fr",
    date=replace(from_iso("1887-05"), written="mai 1887"),
    pages=(Page(0, 0, "I", "https://x.org/1.jpg"), Page(9, 1, "II")),
    meta={"cote": "12 J", "note": "« été »"},
    quality=0.87,
)


def documents(workspace: Workspace) -> list[Document]:
    heads = workspace.documents.browse(Scope(), limit=1000, withdrawn=True)
    return [workspace.documents.document(head.key) for head in heads]


@pytest.mark.parametrize("suffix", [".jsonl", ".parquet"])
def test_there_and_back(tmp_path: Path, suffix: str) -> None:
    target = tmp_path / f"archive{suffix}"
    undated = replace(
        DOCUMENT,
        key=DocumentKey("gazette", "2"),
        date=None,
        undated_reason="Rien.",
        quality=None,
        raw="Trois.",
        text="Trois.",
        pages=(),
    )
    with Workspace.create(tmp_path / "one") as one:
        one.documents.put_corpus(CORPUS)
        one.documents.add([NewDocument(d, ((0, 3, None),)) for d in (DOCUMENT, undated)])
        one.documents.withdraw([undated.key])
        assert export_archive(one.documents, target) == 2
        before, described = documents(one), one.documents.corpora()
        again = Importer(one.documents, one.reports).run(target)
        assert (again.unchanged, again.new, again.changed) == (2, 0, 0)
    with Workspace.create(tmp_path / "two") as two:
        report = Importer(two.documents, two.reports).run(target)
        assert (report.read, report.new, report.skipped.count) == (2, 2, 0)
        assert documents(two) == before
        assert two.documents.corpora() == described
    assert not list(tmp_path.glob(".*.part"))


@pytest.mark.parametrize("name", ["historiqa/corpus_dataset.jsonl", "hipe/documents.jsonl"])
def test_real_archives_come_back_unchanged(shared: Path, tmp_path: Path, name: str) -> None:
    with Workspace.create(tmp_path / "w") as workspace:
        importer = Importer(workspace.documents, workspace.reports)
        first = importer.run(shared / name)
        for suffix in (".jsonl", ".parquet"):
            target = tmp_path / f"archive{suffix}"
            assert export_archive(workspace.documents, target) == first.new
            again = importer.run(target)
            assert (again.unchanged, again.new, again.changed) == (first.new, 0, 0)


def test_only_the_named_sub_corpora(tmp_path: Path) -> None:
    with Workspace.create(tmp_path / "w") as workspace:
        workspace.documents.put_corpus(CORPUS)
        workspace.documents.put_corpus(replace(CORPUS, id="autre"))
        workspace.documents.add([NewDocument(DOCUMENT, ())])
        target = tmp_path / "a.jsonl"
        assert export_archive(workspace.documents, target, Scope(corpora=("autre",))) == 0
        assert len(target.read_text().splitlines()) == 1
        with pytest.raises(BadInput, match=r"as \.jsonl or \.parquet"):
            export_archive(workspace.documents, tmp_path / "a.docx")


texts = st.text(max_size=40)


@settings(max_examples=100)
@given(texts, texts, texts, st.dictionaries(texts, texts, max_size=3))
def test_any_document_survives_its_row(
    title: str, raw: str, shown: str, meta: dict[str, str]
) -> None:
    document = replace(DOCUMENT, title=title, raw=raw, text=shown, meta=meta)
    record = own_record(document_row(document), Location("a.jsonl", 1))
    assert isinstance(record, SourceRecord)
    assert record.prepared == document
