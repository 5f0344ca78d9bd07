"""Stores for imports, and small ways to make sources and to look at what came of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from storage.workspace import Workspace
from trace_core.domain.corpus import Document, Scope
from trace_core.ingest.importer import Importer
from trace_core.ingest.reading import read_source
from trace_core.ingest.records import Problem, ReadOptions, SourceRecord
from trace_core.ingest.report import ImportReport

Run = Callable[..., ImportReport]


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with Workspace.create(tmp_path / "workspace") as opened:
        yield opened


@pytest.fixture
def importer(workspace: Workspace) -> Importer:
    return Importer(workspace.documents, workspace.reports)


def records(path: Path, options: ReadOptions | None = None) -> list[SourceRecord]:
    """All records of a source."""
    return [i for i in read_source(path, options or ReadOptions()) if isinstance(i, SourceRecord)]


def problems(path: Path, options: ReadOptions | None = None) -> list[Problem]:
    """All problems of a source."""
    return [i for i in read_source(path, options or ReadOptions()) if isinstance(i, Problem)]


def all_documents(workspace: Workspace) -> list[Document]:
    """Every document of a workspace."""
    heads = workspace.documents.browse(Scope(), limit=100_000, withdrawn=True)
    return [workspace.documents.document(head.key) for head in heads]


def adds_up(report: ImportReport) -> bool:
    """Whether the report's counts agree with one another."""
    by_corpus = report.corpora.values()
    return (
        report.read == report.new + report.unchanged + report.changed + report.skipped.count
        and report.new == sum(c.new for c in by_corpus)
        and report.unchanged == sum(c.unchanged for c in by_corpus)
        and report.changed == sum(c.changed for c in by_corpus)
        and report.empty.count == sum(c.empty for c in by_corpus)
        and report.undated.count == sum(c.undated for c in by_corpus)
    )
