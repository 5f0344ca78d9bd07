"""The commands about the archive: import, describe, search, check, serve."""

from __future__ import annotations

import os
import socket
import sys
from argparse import Namespace
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trace_core.cli.import_options import import_options
from trace_core.cli.output import warn, write_json, write_line, write_table
from trace_core.cli.shapes import corpora_json, date_of, day, search_json
from trace_core.cli.values import pairs, scope_of, setting_changes
from trace_core.domain.errors import BadInput, PortTaken, TraceError
from trace_core.domain.hits import parted_forms

if TYPE_CHECKING:
    from trace_core.ingest.indexer import IndexProgress
    from trace_core.ingest.report import ImportReport, Listing
    from trace_core.ports import Wish
    from trace_core.service import Service

_LISTED = 20
_PROPOSED = 5


def imported(service: Service, arguments: Namespace) -> int:
    """Import a file or folder and show its report."""
    options = import_options(arguments)
    if arguments.preview:
        preview = service.preview_import(arguments.source, options)
        write_json(asdict(preview)) if arguments.json else _print_preview(preview)
        return 0
    with _Bar(shown=sys.stderr.isatty() and not arguments.json) as bar:
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


class _Bar:
    """A progress bar on the terminal; nothing where there is none."""

    def __init__(self, *, shown: bool) -> None:
        self._shown = shown
        self._bar: Any = None

    def __enter__(self) -> _Bar:
        if self._shown:
            from tqdm import tqdm

            self._bar = tqdm(total=1000, bar_format="{desc} |{bar}| {percentage:3.0f}%")
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.close()

    def _move(self, text: str, share: float) -> None:
        if self._bar is not None:
            self._bar.set_description(text)
            self._bar.n = round(1000 * share)
            self._bar.refresh()

    def reading(self, progress: Any) -> Any:
        left = f", about {progress.left:.0f} s left" if progress.left is not None else ""
        self._move(f"{progress.read:,} read{left}", progress.share)
        return ""

    def writing(self, done: int, total: int) -> None:
        self._move(f"{done:,} written", done / total if total else 0.0)

    def indexing(self, progress: IndexProgress) -> Wish:
        from trace_core.ingest.indexer import STAGES

        self._move(
            STAGES[progress.stage], progress.done / progress.total if progress.total else 0.0
        )
        return ""


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


def _print_preview(preview: Any) -> None:
    write_line(
        f"{preview.title or 'Unknown format'}: {preview.files} files, {preview.size:,} bytes"
    )
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
        write_json(report_json(report)) if arguments.json else _print_report(report)
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
    with _Bar(shown=sys.stderr.isatty() and not arguments.json) as bar:
        written = service.export_archive(arguments.target, arguments.corpus, bar.writing)
    if arguments.json:
        write_json({"file": str(arguments.target), "documents": written})
    else:
        write_line(f"{written:,} documents are written to {arguments.target}.")
    return 0


def corpus(service: Service, arguments: Namespace) -> int:
    """List the sub-corpora, describe one anew, merge two, or take a merge back."""
    if arguments.action in ("merge", "unmerge"):
        from trace_core.cli import upkeep_commands

        act = upkeep_commands.merge if arguments.action == "merge" else upkeep_commands.unmerge
        return act(service, arguments)
    if arguments.action == "set":
        if not arguments.id:
            raise BadInput("Name the sub-corpus to describe: `corpus set ID --name …`.")
        local = None if arguments.local_only is None else arguments.local_only == "yes"
        service.set_corpus(
            arguments.id,
            person=arguments.person,
            reason=arguments.reason,
            name=arguments.name,
            aliases=arguments.alias,
            kind=arguments.kind,
            language=arguments.language,
            description=arguments.description,
            local_only=local,
            citation=None if arguments.cite is None else pairs(arguments.cite, "--cite"),
        )
    views = service.corpora()
    if arguments.json:
        write_json(corpora_json(views))
        return 0
    rows = [
        (
            v.corpus.id,
            v.corpus.name,
            v.corpus.kind,
            v.corpus.language,
            v.stats.documents,
            v.stats.undated,
            f"{day(v.stats.earliest) or '?'} to {day(v.stats.latest) or '?'}",
        )
        for v in views
    ]
    write_table(("id", "name", "kind", "language", "documents", "undated", "days"), rows)
    return 0


def status(service: Service, arguments: Namespace) -> int:
    """Say what the workspace holds and whether its parts agree."""
    health = service.health()
    heads, interrupted = service.runs(), service.interrupted()
    if arguments.json:
        write_json(
            {
                "workspace": service.stores.name,
                **asdict(health),
                "runs": len(heads),
                "waiting": [h.id for h in heads if h.status == "waiting"],
                "interrupted": interrupted,
                "embedder": service.settings().index.embedder,
                "index_version": service.index_version(),
                **corpora_json(service.corpora()),
            }
        )
        return 0 if health.ok else 1
    write_line(f"Workspace {service.stores.name}")
    write_line(f"{health.documents:,} documents, {health.chunks:,} passages, {len(heads)} runs.")
    write_line(health.sentence or "The records and both indexes agree.")
    for head in heads:
        if head.status == "waiting":
            write_line(f"Run {head.id} waits for you ({head.waiting_for}): {head.question}")
    for run in interrupted:
        write_line(f"Run {run} was interrupted; go on with `trace-archive resume {run}`.")
    return 0 if health.ok else 1


def reindex(service: Service, arguments: Namespace) -> int:
    """Build the indexes anew."""
    with _Bar(shown=sys.stderr.isatty() and not arguments.json) as bar:
        report = service.reindex(bar.indexing)
    if arguments.json:
        write_json(asdict(report))
    else:
        write_line(f"{report.lexical:,} passages indexed, {report.vectors:,} vectors written.")
    return 0


def index_restored(service: Service, arguments: Namespace) -> int:
    """Build the indexes of a workspace that was made again from a copy, which has none."""
    folder: Path = arguments.made
    try:
        with _Bar(shown=sys.stderr.isatty() and not arguments.json) as bar:
            report = service.index(bar.indexing)
    except TraceError as error:
        warn(f"The workspace {folder} is made again, but not its indexes; run `reindex`. {error}")
        return 1
    health = service.health()
    if arguments.json:
        found = {"passages": report.lexical, "vectors": report.vectors}
        write_json({"workspace": str(folder), **found, "agrees": health.ok})
    else:
        write_line(
            f"The workspace {folder} is made again: {health.documents:,} documents, "
            f"{report.lexical:,} passages indexed."
        )
    if not health.ok:
        warn(health.sentence)
    return 0 if health.ok else 1


def search(service: Service, arguments: Namespace) -> int:
    """Search the archive."""
    view = service.search(arguments.query, arguments.channel, scope_of(arguments), arguments.limit)
    if arguments.json:
        write_json(search_json(view))
    else:
        _print_hits(view)
    for channel, reason in view.failures:
        warn(f"The channel {channel} failed: {reason}")
    only = len(view.failures) == 1 and arguments.channel != "fused"
    return 1 if only else 0


def variants(service: Service, arguments: Namespace) -> int:
    """List the forms in which a name may stand in the archive."""
    from trace_core.search.variants import joined

    found = service.variants(arguments.name)
    proposed = service.variants_by_model(arguments.name) if arguments.model else ()
    if arguments.json:
        by_model = [{"form": form, "kind": "model"} for form in proposed]
        write_json([*(asdict(variant) for variant in found), *by_model])
        return 0
    rows = [(v.form, v.passages, v.kind, f"{v.similarity:.2f}") for v in found]
    write_table(("form", "passages", "kind", "similarity"), rows)
    if proposed:
        write_line(f"The model also proposes: {', '.join(proposed)}")
    forms = [v.form for v in found if v.kind != "exact"][:_PROPOSED]
    chosen = joined(arguments.name, [*forms, *proposed])
    write_line("Keep what you trust and search for it:")
    write_line(f'  trace-archive search "{chosen}"')
    return 0


def _print_hits(view: Any) -> None:
    if not view.hits:
        write_line("Nothing was found.")
    for hit in view.hits:
        ranks = ", ".join(f"{channel} {rank}" for channel, rank in hit.channels.items())
        write_line(
            f"{hit.rank:>3}  {hit.corpus_name}, {date_of(hit.head.date) or 'undated'}  "
            f"[{hit.key}]  {hit.head.title}"
        )
        write_line(f"     ({ranks}) " + " ".join(hit.snippet.split()))
        if hit.second:
            write_line("     further on: " + " ".join(hit.second.text.split()))
        sure, doubtful = parted_forms(hit.forms)
        if sure:
            write_line(f"     written here: {', '.join(sure)}")
        if doubtful:
            write_line(f"     only somewhat alike: {', '.join(doubtful)}")
        if hit.twins:
            write_line(f"     the same text: {', '.join(map(str, hit.twins))}")
    for note in view.notes:
        write_line(f"Note: {note}")
    if view.undated_left_out:
        write_line(f"{view.undated_left_out} undated documents are left out by the dates.")
    if view.below_quality:
        write_line(f"{view.below_quality} documents are left out by --min-quality.")


def settings(service: Service, arguments: Namespace) -> int:
    """List the settings, or change one."""
    if arguments.change:
        service.save_settings(setting_changes([arguments.change]))
    current = service.settings()
    if arguments.json:
        write_json(current.model_dump(mode="json"))
        return 0
    for group, values in current:
        for name, value in values:
            description = type(values).model_fields[name].description
            write_line(f"{group}.{name} = {value!r}  {description}")
    return 0


def serve(workspace: Path, arguments: Namespace) -> int:
    """Start the app; returns when it ends."""
    app = Path(__file__).resolve().parents[2] / "app.py"
    if not app.exists():
        raise BadInput("The app's pages are not installed; install the project from its folder.")
    _check_port(arguments.port)
    os.environ["TRACE_WORKSPACE"] = str(workspace)
    # Streamlit reads its theme from the folder that it is started in.
    os.chdir(app.parent)
    command = [
        sys.executable,
        "-m",
        "streamlit",
        "run",
        str(app),
        "--server.port",
        str(arguments.port),
        "--server.headless",
        "true" if arguments.no_browser else "false",
    ]
    warn(f"TRACE is at http://127.0.0.1:{arguments.port} (stop it with Ctrl+C).")
    os.execv(sys.executable, command)


def _check_port(port: int) -> None:
    """Raise BadInput for a number that is no port, PortTaken where something listens already."""
    if not 1 <= port <= 65535:
        raise BadInput(f"A port is a number from 1 to 65535, not {port}.")
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            why = error.strerror or error
            raise PortTaken(
                f"The port {port} cannot be used ({why}); choose another with --port, for example "
                f"--port {port + 1 if port < 65535 else 8501}."
            ) from None
