"""The commands that search: passages, and the forms of a name."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import asdict
from typing import TYPE_CHECKING

from trace_core.cli.output import counted, warn, write_json, write_line, write_table
from trace_core.cli.shapes import date_of, search_json
from trace_core.cli.values import scope_of
from trace_core.domain.hits import parted_forms

if TYPE_CHECKING:
    from trace_core.service import Service
    from trace_core.service.views import SearchView

_PROPOSED = 5


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


def _print_hits(view: SearchView) -> None:
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
        write_line(
            f"{counted(view.undated_left_out, 'undated document', 'left out')} by the dates."
        )
    if view.below_quality:
        write_line(f"{counted(view.below_quality, 'document', 'left out')} by --min-quality.")
