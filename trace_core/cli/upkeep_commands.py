"""The commands that look after an archive: the same text twice."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from trace_core.cli.output import write_json, write_line

if TYPE_CHECKING:
    from trace_core.service import Service


def duplicates(service: Service, arguments: Namespace) -> int:
    """List the groups of documents with the same text, or nearly the same."""
    groups = service.duplicates(arguments.offset, arguments.limit)
    number, documents = service.count_duplicates()
    if arguments.json:
        shown = [{"kind": g.kind, "documents": [str(key) for key in g.keys]} for g in groups]
        write_json({"groups": number, "documents": documents, "shown": shown})
        return 0
    write_line(f"{number:,} texts stand in the archive more than once, in {documents:,} documents.")
    for group in groups:
        write_line(f"{group.kind:<6} {', '.join(map(str, group.keys))}")
    return 0
