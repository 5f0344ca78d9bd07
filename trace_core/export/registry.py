"""Every format by name: what its file is called, what it is, and the function that writes it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from trace_core.domain.errors import BadInput
from trace_core.export.as_bibtex import as_bibtex
from trace_core.export.as_csl_json import as_csl_json
from trace_core.export.as_csv import as_csv
from trace_core.export.as_docx import as_docx
from trace_core.export.as_html import as_html
from trace_core.export.as_json import as_json
from trace_core.export.as_markdown import as_markdown
from trace_core.export.as_prov import as_prov_json, as_prov_n
from trace_core.export.as_ris import as_ris
from trace_core.export.as_ro_crate import as_ro_crate
from trace_core.export.as_trec import as_trec
from trace_core.export.as_xlsx import as_xlsx
from trace_core.export.bundle import bundle
from trace_core.export.options import Options
from trace_core.provenance.record import RunRecord, without_texts

Export = Callable[[RunRecord, Options], bytes]


@dataclass(frozen=True, slots=True)
class Format:
    """A format. `suffix` begins with its dot; `label` is what a person chooses by."""

    name: str
    suffix: str
    media_type: str
    label: str
    write: Export


_WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
_SHEET = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
_CSL = "application/vnd.citationstyles.csl+json"

FORMATS: Mapping[str, Format] = MappingProxyType(
    {
        f.name: f
        for f in (
            Format("csv", ".csv", "text/csv", "CSV table", as_csv),
            Format("xlsx", ".xlsx", _SHEET, "Excel workbook", as_xlsx),
            Format("md", ".md", "text/markdown", "Markdown", as_markdown),
            Format("docx", ".docx", _WORD, "Word document", as_docx),
            Format("html", ".html", "text/html", "HTML page", as_html),
            Format("json", ".json", "application/json", "JSON", as_json),
            Format("csl-json", ".csl.json", _CSL, "CSL-JSON citations", as_csl_json),
            Format("ris", ".ris", "application/x-research-info-systems", "RIS", as_ris),
            Format("bibtex", ".bib", "application/x-bibtex", "BibTeX", as_bibtex),
            Format("prov", ".prov.json", "application/json", "W3C PROV-JSON", as_prov_json),
            Format("prov-n", ".provn", "text/provenance-notation", "W3C PROV-N", as_prov_n),
            Format("ro-crate", ".crate.zip", "application/zip", "RO-Crate", as_ro_crate),
            Format("trec", ".trec", "text/plain", "TREC run", as_trec),
            Format("bundle", ".trace.zip", "application/zip", "Bundle, verifiable", bundle),
        )
    }
)
"""All formats by name."""


def export(record: RunRecord, name: str, options: Options | None = None) -> bytes:
    """A run in a format. Raises BadInput for a format that there is not."""
    found, wish = format_named(name), options or Options()
    return found.write(without_texts(record) if wish.without_texts else record, wish)


def format_named(name: str) -> Format:
    """The format of this name. Raises BadInput with those there are."""
    found = FORMATS.get(name)
    if found is None:
        raise BadInput(f"There is no format {name!r}; the formats are {', '.join(FORMATS)}.")
    return found
