"""A bundle as a run's record again: to look into it, and to export from it, read-only."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from trace_core.domain.errors import TraceError
from trace_core.domain.events import Event
from trace_core.domain.transitions import fold
from trace_core.export import bundle_parts as parts
from trace_core.export.bundle import FORMAT, FORMAT_VERSION
from trace_core.export.bundle_parts import BundleUnreadable
from trace_core.export.bundle_zip import read_bytes, unpacked
from trace_core.provenance.record import RunRecord


def open_bundle(path: str | Path) -> RunRecord:
    """The record in a bundle. Raises NotFound, BundleUnreadable.

    Nothing is checked beyond what is needed to read it; `verify_bundle` does that.
    """
    return record_of(unpacked(read_bytes(path)))


def record_of(files: Mapping[str, bytes]) -> RunRecord:
    """The record in a bundle's files. Raises BundleUnreadable."""
    manifest = manifest_of(files)
    events = events_of(files)
    run = events[0].run if events else str(manifest.get("run", ""))
    try:
        state = fold(run, events)
    except (TraceError, LookupError, ValueError, TypeError, AttributeError) as error:
        raise BundleUnreadable(f"The events of this bundle cannot be followed: {error}") from None
    sources = parts.read_lines("sources.jsonl", needed(files, "sources.jsonl"), parts.make_source)
    passages = parts.read_lines(
        "passages.jsonl", needed(files, "passages.jsonl"), parts.make_passage
    )
    corpora = parts.read_json("corpora.json", needed(files, "corpora.json"))
    prompts = parts.read_json("prompts.json", needed(files, "prompts.json"))
    calls = parts.read_lines("calls.jsonl", needed(files, "calls.jsonl"), parts.make_call)
    notes = parts.read_lines("notes.jsonl", needed(files, "notes.jsonl"), parts.make_note)
    versions = parts.read_json("versions.json", needed(files, "versions.json"))
    return RunRecord(
        run=run,
        events=tuple(events),
        state=state,
        corpora=parts.make_corpora(corpora),
        sources={(s.key, s.version): s for s in sources},
        passages={p.chunk.id: p for p in passages},
        calls=tuple(calls),
        notes=tuple(notes),
        prompts=parts.make_prompts(prompts),
        versions=parts.make_versions(versions),
        accessed=str(manifest.get("accessed", "")),
    )


def manifest_of(files: Mapping[str, bytes]) -> dict[str, object]:
    """The manifest. Raises BundleUnreadable when there is none, or one of a newer format."""
    value = parts.read_json("manifest.json", needed(files, "manifest.json"))
    if not isinstance(value, dict) or value.get("format") != FORMAT:
        raise BundleUnreadable("This zip is no bundle: its manifest does not say so.")
    version = value.get("format_version")
    if not isinstance(version, int) or version > FORMAT_VERSION:
        raise BundleUnreadable(
            f"This bundle has format {version!r}, newer than this program ({FORMAT_VERSION}); "
            "open it with the version that wrote it."
        )
    return value


def events_of(files: Mapping[str, bytes]) -> list[Event]:
    """The events as they were written. Raises BundleUnreadable."""
    return parts.read_lines("events.jsonl", needed(files, "events.jsonl"), parts.make_event)


def needed(files: Mapping[str, bytes], name: str) -> bytes:
    """A file that no bundle lacks. Raises BundleUnreadable."""
    if name not in files:
        raise BundleUnreadable(f"The bundle has no {name}.")
    return files[name]
