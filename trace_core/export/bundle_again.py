"""A bundle written again from its own record, to be compared with the one at hand byte by byte.

That needs what wrote it: the same version of the program, of its format and of the citation
processor, and a citation style that comes with the program. Where one of them differs, words may
differ too and nothing is compared; a note says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trace_core import __version__
from trace_core.domain.errors import TraceError
from trace_core.export.as_ro_crate import CRATE, METADATA, crate_parts
from trace_core.export.bundle import CONTENTS, FORMAT_VERSION, bundle_files, manifest, processor
from trace_core.export.options import Options
from trace_core.export.render import STYLES
from trace_core.provenance.record import RunRecord
from trace_core.provenance.verify import Finding, FindingKind


def names_of(files: Mapping[str, bytes]) -> frozenset[str]:
    """The files that belong to a bundle, or to a bundle inside an RO-Crate."""
    return frozenset(CONTENTS) | (frozenset(CRATE) if METADATA in files else frozenset())


def written_again(
    files: Mapping[str, bytes], said: Mapping[str, object], record: RunRecord
) -> Iterator[Finding]:
    """Every file that is not what this program writes from the record; `said` is the manifest."""
    if hindrance(said):
        return
    options = _options(said)
    try:
        again = bundle_files(record, options)
        if METADATA in files:
            again |= crate_parts(record, options)
        again["manifest.json"] = manifest(record, options, files)
    except (TraceError, ValueError, ArithmeticError) as error:
        yield Finding("evidence", "bundle", f"The list cannot be written again: {error}")
        return
    for name, content in again.items():
        if name in files and files[name] != content:
            sentence = f"{name} is not what this version writes from the same record."
            kind: FindingKind = "manifest" if name == "manifest.json" else "evidence"
            yield Finding(kind, name, sentence)


def hindrance(said: Mapping[str, object]) -> str:
    """Why a bundle cannot be compared word by word, in a sentence; "" where it can."""
    ours = f"trace-archive {__version__}", FORMAT_VERSION, processor()
    theirs = said.get("written_by"), said.get("format_version"), said.get("processor")
    why = ""
    if theirs != ours:
        why = f"It was written by {theirs[0]} (format {theirs[1]}, citations by {theirs[2] or '?'})"
    elif said.get("style") not in STYLES:
        why = "Its citations are in a style of their own"
    end = ", so reasons and citations in its lists could not be compared word by word."
    return why and why + end


def _options(said: Mapping[str, object]) -> Options:
    return Options(
        style=str(said.get("style")),
        language=str(said.get("language")),
        history=said.get("history") is True,
        without_texts=said.get("texts") == "withheld",
    )
