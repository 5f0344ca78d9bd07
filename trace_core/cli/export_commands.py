"""The commands that take a run away, account for it, and check a bundle."""

from __future__ import annotations

import sys
from argparse import Namespace
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from trace_core.cli.output import write_json, write_line, write_table
from trace_core.domain.errors import BadInput

if TYPE_CHECKING:
    from trace_core.domain.state import DecisionRecord
    from trace_core.provenance.agreement import Agreement
    from trace_core.provenance.verify import Report
    from trace_core.service import Service


_JSON_FORMATS = ("json", "csl-json", "prov")
"""Formats that are JSON themselves, and so may go to standard output under --json."""


def export(service: Service, arguments: Namespace) -> int:
    """Write a run in a format."""
    from trace_core.export.options import ORDERS, Options

    if arguments.order not in ORDERS:
        raise BadInput(f"There is no order {arguments.order!r}; choose one of {', '.join(ORDERS)}.")
    options = Options(
        columns=tuple(c.strip() for c in arguments.columns.split(",") if c.strip()),
        order=arguments.order,
        include_held=arguments.held,
        include_rejected=arguments.rejected,
        bom=arguments.bom,
        style=arguments.style,
        language=arguments.lang,
        without_texts=arguments.without_texts,
    )
    if arguments.output is None:
        if arguments.json and arguments.format not in _JSON_FORMATS:
            raise BadInput(f"With --json, {arguments.format} needs a file; give one with -o.")
        content = service.export(arguments.run, arguments.format, options)
        if sys.stdout.isatty() and b"\0" in content[:1024]:
            raise BadInput(f"{arguments.format} is no text; give a file with -o.")
        sys.stdout.buffer.write(content)
        return 0
    written = service.export_file(arguments.run, arguments.format, arguments.output, options)
    if arguments.json:
        write_json({"run_id": arguments.run, "format": arguments.format, "file": str(written)})
    else:
        write_line(f"Written to {written}.")
    return 0


def explain(service: Service, arguments: Namespace) -> int:
    """Say why a document is in the list, or why not."""
    from trace_core.service.exporting import document_key

    found = service.explain(arguments.run, document_key(arguments.document), arguments.lang)
    if arguments.json:
        write_json(asdict(found))
        return 0
    write_line(found.headline)
    for step in found.steps:
        write_line(f"  {step}")
    return 0


def methods(service: Service, arguments: Namespace) -> int:
    """Print the paragraph for a methods section."""
    text = service.methods(arguments.run, arguments.lang)
    if arguments.json:
        write_json({"run_id": arguments.run, "methods": text})
    else:
        write_line(text)
    return 0


def agreement(service: Service, arguments: Namespace) -> int:
    """Compare two people's decisions on a run."""
    found = service.agreement(arguments.run, arguments.first, arguments.second)
    rows = [
        (f"c{d.chunk}", str(d.key), d.first.decision.verdict, d.second.decision.verdict)
        for d in found.disagreements
    ]
    if arguments.json:
        write_json(_agreement_json(found))
        return 0
    kappa = "undefined" if found.kappa is None else f"{found.kappa:.3f}"
    write_line(
        f"Cohen's kappa of {found.first} and {found.second}: {kappa}, over {found.common} "
        f"{'passage' if found.common == 1 else 'passages'} that both decided."
    )
    if rows:
        write_table(("passage", "document", found.first, found.second), rows)
    return 0


def _agreement_json(found: Agreement) -> dict[str, object]:
    return {
        "first": found.first,
        "second": found.second,
        "common": found.common,
        "observed": found.observed,
        "expected": found.expected,
        "kappa": found.kappa,
        "table": [
            {"first": one, "second": other, "passages": n}
            for (one, other), n in sorted(found.table.items())
        ],
        "disagreements": [
            {
                "chunk": f"c{d.chunk}",
                "document": str(d.key),
                "first": _judged(d.first),
                "second": _judged(d.second),
            }
            for d in found.disagreements
        ],
    }


def _judged(record: DecisionRecord) -> dict[str, str]:
    decision = record.decision
    return {
        "decision": record.id,
        "verdict": decision.verdict,
        "reason": decision.reason,
        "time": record.time,
    }


def verify_bundle(path: Path, arguments: Namespace) -> int:
    """Check a bundle without a workspace."""
    from trace_core.service.exporting import check_bundle

    return show_report(check_bundle(path), arguments)


def show_report(report: Report, arguments: Namespace) -> int:
    """Print a check's findings; 1 when anything does not agree."""
    if arguments.json:
        write_json(
            {
                "run_id": report.run,
                "events": report.events,
                "documents": report.documents,
                "holds": report.ok,
                "findings": [asdict(f) for f in report.findings],
                "note": report.note,
            }
        )
    elif report.ok:
        write_line(report.sentence)
    else:
        for finding in report.findings:
            write_line(f"{finding.where}: {finding.sentence}")
    if report.note and not arguments.json:
        write_line(report.note)
    return 0 if report.ok else 1


def open_bundle(arguments: Namespace) -> int:
    """Show a bundle's run, read-only."""
    from trace_core.export.options import Options
    from trace_core.export.registry import export as write
    from trace_core.service.exporting import read_bundle

    record = read_bundle(arguments.bundle)
    options = Options(include_held=True, include_rejected=True, language=arguments.lang)
    name = "json" if arguments.json else "md"
    sys.stdout.buffer.write(write(record, name, options))
    return 0
