"""The commands that bring documents in, tell what became of them, and take them out again."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from trace_core.cli.import_options import import_options
from trace_core.cli.output import counted, warn, write_json, write_line, write_table
from trace_core.cli.progress import progress_bar

if TYPE_CHECKING:
    from trace_core.ingest.preview import Preview
    from trace_core.ingest.report import ImportReport, Listing
    from trace_core.service import Service

_LISTED = 20


def imported(service: Service, arguments: Namespace) -> int:
    """Import a file or folder and show its report."""
    options = import_options(arguments)
    if arguments.preview:
        preview = service.preview_import(arguments.source, options)
        if arguments.json:
            write_json(asdict(preview))
        else:
            _print_preview(preview)
        return 0
    with progress_bar(arguments) as bar:
        report = service.run_import(arguments.source, options, bar.reading, bar.indexing)
    if arguments.json:
        write_json(report_json(report))
    else:
        _print_report(report)
    if report.new + report.unchanged + report.changed:
        return 0
    reasons = "the report says why" if report.skipped.count else "it holds no file to read"
    warn(f"Nothing of {arguments.source} is in the archive: {reasons}.")
    return 1


def report_json(report: ImportReport) -> dict[str, Any]:
    """An import report for machines."""
    return {
        "id": report.id,
        "source": report.source,
        "status": report.status,
        "message": report.message,
        "started": report.started,
        "finished": report.finished,
        "read": report.read,
        "new": report.new,
        "unchanged": report.unchanged,
        "changed": report.changed,
        "skipped": report.skipped.count,
        "empty": report.empty.count,
        "undated": report.undated.count,
        "words": report.words,
        "chunks": report.chunks,
        "corpora": {name: count.model_dump() for name, count in report.corpora.items()},
        "listings": {
            kind: report.listing(kind).model_dump(mode="json")
            for kind in ("skipped", "empty", "undated", "suspicious")
        },
    }


def _print_report(report: ImportReport) -> None:
    write_line(f"Import {report.id} of {report.source}: {report.status}.")
    write_line(report.summary())
    rows = [
        (name, count.name, count.new, count.unchanged, count.changed, count.empty, count.undated)
        for name, count in report.corpora.items()
    ]
    write_table(("sub-corpus", "name", "new", "unchanged", "changed", "empty", "undated"), rows)
    for kind in ("skipped", "empty", "suspicious", "undated"):
        _print_listing(kind, report.listing(kind))
    if report.message:
        write_line(report.message)
    write_line(f"The report is kept: `trace-archive reports {report.id}` shows it again.")


def _print_listing(kind: str, listing: Listing) -> None:
    if not listing.count:
        return
    write_line(f"{kind}: {listing.count}")
    for place in listing.places[:_LISTED]:
        write_line(f"  {place.where}: {place.reason}")
    if listing.count > _LISTED:
        write_line(f"  … and {listing.count - _LISTED} more; `reports --json` lists them.")


def _print_preview(preview: Preview) -> None:
    files = counted(preview.files, "file")
    write_line(f"{preview.title or 'Unknown format'}: {files}, {preview.size:,} bytes")
    for name, value in preview.dialect:
        write_line(f"  {name}: {value}")
    for field, column in preview.mapping:
        write_line(f"  {field} is read from {column}")
    rows = [(r.corpus, r.source_id, r.date, r.title, r.words) for r in preview.records]
    write_table(("sub-corpus", "id", "date", "title", "words"), rows)
    for problem in preview.problems:
        write_line(f"  {problem.kind}: {problem.location}: {problem.reason}")


def reports(service: Service, arguments: Namespace) -> int:
    """List the reports, or show one."""
    if arguments.id:
        report = service.report(arguments.id)
        if arguments.json:
            write_json(report_json(report))
        else:
            _print_report(report)
        return 0
    found = service.reports()
    if arguments.json:
        write_json({"reports": [report_json(r) for r in found]})
        return 0
    rows = [(r.id, r.started[:16], r.status, r.source, r.summary()) for r in found]
    write_table(("report", "started", "status", "source", "result"), rows)
    return 0


def exported(service: Service, arguments: Namespace) -> int:
    """Write the archive to a file that can be imported again."""
    with progress_bar(arguments) as bar:
        written = service.export_archive(arguments.target, arguments.corpus, bar.writing)
    if arguments.json:
        write_json({"file": str(arguments.target), "documents": written})
    else:
        write_line(f"{counted(written, 'document', 'written')} to {arguments.target}.")
    return 0
