"""The commands about the workspace itself: its state, its indexes, its settings."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from trace_core.cli.output import counted, warn, write_json, write_line
from trace_core.cli.progress import progress_bar
from trace_core.cli.shapes import corpora_json
from trace_core.cli.values import setting_changes
from trace_core.domain.errors import TraceError

if TYPE_CHECKING:
    from trace_core.service import Service


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
    held = ((health.documents, "document"), (health.chunks, "passage"), (len(heads), "run"))
    write_line(", ".join(counted(number, noun) for number, noun in held) + ".")
    write_line(health.sentence or "The records and both indexes agree.")
    for head in heads:
        if head.status == "waiting":
            write_line(f"Run {head.id} waits for you ({head.waiting_for}): {head.question}")
    for run in interrupted:
        write_line(f"Run {run} was interrupted; go on with `trace-archive resume {run}`.")
    return 0 if health.ok else 1


def reindex(service: Service, arguments: Namespace) -> int:
    """Build the indexes anew."""
    with progress_bar(arguments) as bar:
        report = service.reindex(bar.indexing)
    if arguments.json:
        write_json(asdict(report))
    else:
        passages, vectors = counted(report.lexical, "passage"), counted(report.vectors, "vector")
        write_line(f"{passages} indexed, {vectors} written.")
    return 0


def index_restored(service: Service, arguments: Namespace) -> int:
    """Build the indexes of a workspace that was made again from a copy, which has none."""
    folder: Path = arguments.made
    try:
        with progress_bar(arguments) as bar:
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
            f"The workspace {folder} is made again: {counted(health.documents, 'document')}, "
            f"{counted(report.lexical, 'passage')} indexed."
        )
    if not health.ok:
        warn(health.sentence)
    return 0 if health.ok else 1


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
