"""CSL-JSON: the documents of the list as items that Zotero and CSL processors read."""

from __future__ import annotations

from trace_core.export.as_json import dump
from trace_core.export.lines import lines
from trace_core.export.options import Options
from trace_core.provenance.record import RunRecord


def as_csl_json(record: RunRecord, options: Options) -> bytes:
    """One item a document, in the order of the list, without keys that the schema refuses."""
    return dump([line.item for line in lines(record, options)])
