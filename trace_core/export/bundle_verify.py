"""Is a bundle what it says? Every disagreement by name, without any workspace.

Three things are held against each other: the bytes (seal and checksums), the events (chain and
everything that `trace_core.provenance.verify` derives from them), and what was written from the
events (list, ranking, passages, calls, settings).
"""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from trace_core import __version__
from trace_core.domain.errors import TraceError
from trace_core.domain.events import CallMade
from trace_core.domain.state import current_ranking
from trace_core.export import bundle_parts as parts
from trace_core.export.bundle import CONTENTS, bundle_files
from trace_core.export.bundle_parts import BundleUnreadable
from trace_core.export.bundle_read import events_of, manifest_of, record_of
from trace_core.export.bundle_zip import read_bytes, seal_holds, unpacked
from trace_core.export.options import Options
from trace_core.provenance.record import ExportInput, text_hash
from trace_core.provenance.verify import Finding, FindingKind, Report, verify


def verify_bundle(path: str | Path) -> Report:
    """Check a bundle. Raises NotFound when there is no such file; all else is a finding."""
    return verify_bytes(read_bytes(path))


def verify_bytes(content: bytes) -> Report:
    """Check a bundle's bytes."""
    findings = list(_seal(content))
    try:
        files = unpacked(content)
    except BundleUnreadable as error:
        return _unread([*findings, Finding("container", "zip", str(error))])
    findings += _checksums(files)
    try:
        events = events_of(files)
        run = events[0].run if events else ""
        derived = verify(run, events)
    except TraceError as error:
        return _unread([*findings, Finding("event", "events.jsonl", str(error))])
    findings += derived.findings
    try:
        findings += _contents(files, record_of(files))
    except TraceError as error:
        findings.append(Finding("file", "bundle", str(error)))
    return Report(
        derived.run, derived.events, derived.documents, derived.last_hash, _once(findings)
    )


def _once(findings: list[Finding]) -> tuple[Finding, ...]:
    return tuple(dict.fromkeys(findings))


def _unread(findings: list[Finding]) -> Report:
    return Report("", 0, 0, "", tuple(findings))


def _seal(content: bytes) -> Iterator[Finding]:
    holds = seal_holds(content)
    if holds is None:
        yield Finding(
            "container", "zip", "The bundle's seal is missing: the zip was packed again or cut."
        )
    elif not holds:
        yield Finding(
            "container", "zip", "The bundle's seal does not hold: a byte of the zip was changed."
        )


def _checksums(files: Mapping[str, bytes]) -> Iterator[Finding]:
    try:
        listed = manifest_of(files).get("files")
    except TraceError as error:
        yield Finding("manifest", "manifest.json", str(error))
        return
    if not isinstance(listed, dict):
        yield Finding("manifest", "manifest.json", "The manifest lists no files.")
        return
    for name in sorted(set(CONTENTS) - set(files)):
        yield Finding("file", name, f"{name} is missing from the bundle.")
    for name in sorted(set(files) - set(listed) - {"manifest.json"}):
        yield Finding("manifest", name, f"{name} is not in the manifest: it was added.")
    for name, entry in sorted(listed.items()):
        if name not in files:
            if name not in CONTENTS:
                yield Finding("file", name, f"{name} is missing from the bundle.")
            continue
        said = entry.get("sha256") if isinstance(entry, dict) else None
        if hashlib.sha256(files[name]).hexdigest() != said:
            yield Finding("file", name, f"{name} was changed: its SHA-256 is not the manifest's.")


def _contents(files: Mapping[str, bytes], record: ExportInput) -> Iterator[Finding]:
    manifest = manifest_of(files)
    yield from _ends(manifest, record)
    yield from _evidence(files, record)
    yield from _passages(record)
    yield from _calls(record)
    yield from _settings(files, record)
    yield from _written_again(files, manifest, record)


def _ends(manifest: Mapping[str, object], record: ExportInput) -> Iterator[Finding]:
    """The manifest says how the log ends, so that cut events are missed."""
    derived = {
        "run": record.run,
        "events": len(record.events),
        "last_hash": record.state.last_hash,
    }
    for name, value in derived.items():
        if manifest.get(name) != value:
            yield Finding(
                "manifest",
                "manifest.json",
                f"The manifest gives {name} as {manifest.get(name)}, but the events as {value}.",
            )


def _evidence(files: Mapping[str, bytes], record: ExportInput) -> Iterator[Finding]:
    """The ranking is derived from the events and held against the lists that were written."""
    ranking = current_ranking(record.state)
    derived = [
        (n, line.corpus, line.source_id, line.confirmations, list(line.sub_questions))
        for n, line in enumerate(ranking, 1)
    ]
    value = parts.read_json("evidence.json", files.get("evidence.json", b"{}"))
    listed = value.get("lines", []) if isinstance(value, dict) else []
    written = [_listed(line) for line in listed if isinstance(line, dict) and line.get("rank")]
    yield from _compare("evidence.json", derived, written)
    table = files.get("evidence.csv", b"").decode("utf-8-sig", "replace")
    rows = dict.fromkeys(
        (row.get("rank"), row.get("sub_corpus"), (row.get("doc_id") or "").lstrip("'"))
        for row in csv.DictReader(io.StringIO(table))
        if row.get("rank")
    )
    short = [(str(n), corpus, name.lstrip("'")) for n, corpus, name, *_ in derived]
    yield from _compare("evidence.csv", short, list(rows))


def _listed(line: Mapping[str, Any]) -> tuple[object, ...]:
    names = ("rank", "sub_corpus", "doc_id", "confirmations", "sub_questions")
    return tuple(line.get(name) for name in names)


def _compare(name: str, derived: list[Any], written: list[Any]) -> Iterator[Finding]:
    for n in range(max(len(derived), len(written))):
        ours = derived[n] if n < len(derived) else None
        theirs = written[n] if n < len(written) else None
        if ours != theirs:
            yield Finding(
                "ranking",
                name,
                f"{name} does not give the ranking that follows from the events: at place "
                f"{n + 1} it has {_short(theirs)}, the events {_short(ours)}.",
            )
            return


def _short(line: tuple[Any, ...] | None) -> str:
    return "nothing" if line is None else f"{line[1]}/{line[2]} at rank {line[0]}"


def _passages(record: ExportInput) -> Iterator[Finding]:
    judged = {r.decision.chunk: r.decision for r in record.state.decisions}
    for number, passage in record.passages.items():
        chunk = passage.chunk
        if not passage.withheld and text_hash(chunk.text) != passage.text_hash:
            yield Finding("passage", f"c{number}", f"The text of passage c{number} was changed.")
        if not passage.withheld and len(chunk.text) != chunk.end - chunk.start:
            yield Finding("passage", f"c{number}", f"Passage c{number} has another length.")
        decision = judged.get(number)
        if decision is None or (decision.key, decision.version) != (chunk.key, chunk.version):
            yield Finding(
                "passage", f"c{number}", f"Passage c{number} is not the one that was judged."
            )


def _calls(record: ExportInput) -> Iterator[Finding]:
    kept = {call.id: call for call in record.calls}
    for event in record.events:
        if event.type != CallMade.type:
            continue
        data = event.data
        call = kept.get(data["call"])
        if call is None:
            where = f"event {event.sequence}"
            yield Finding("call", where, f"Model call {data['call']} is recorded, but not kept.")
            continue
        for name in ("stage", "model", "prompt_hash", "tokens_in", "tokens_out"):
            if getattr(call, name) != data[name]:
                sentence = f"Model call {call.id} is kept with another {name} than recorded."
                yield Finding("call", call.id, sentence)


def _settings(files: Mapping[str, bytes], record: ExportInput) -> Iterator[Finding]:
    start = record.state.start
    kept = parts.read_json("settings.json", files.get("settings.json", b"null"))
    if start is not None and kept != start.settings:
        yield Finding("settings", "settings.json", "settings.json is not what the run recorded.")
    for stage, prompt in record.prompts.items():
        if prompt.text and text_hash(prompt.text) != prompt.hash:
            sentence = f"The prompt {stage} does not have its recorded hash."
            yield Finding("settings", "prompts.json", sentence)
        if start is not None and start.prompts.get(stage) != prompt.hash:
            sentence = f"The prompt {stage} is not the one that the run recorded."
            yield Finding("settings", "prompts.json", sentence)


def _written_again(
    files: Mapping[str, bytes], manifest: Mapping[str, object], record: ExportInput
) -> Iterator[Finding]:
    """Where the same version wrote the bundle, every file can be written again and compared."""
    if manifest.get("written_by") != f"trace-archive {__version__}":
        return
    kind: FindingKind = "evidence"
    try:
        again = bundle_files(record, _options(manifest))
    except TraceError as error:
        yield Finding(kind, "bundle", f"The list cannot be written again: {error}")
        return
    for name, content in again.items():
        if name in files and files[name] != content:
            sentence = f"{name} is not what this version writes from the same record."
            yield Finding("manifest" if name == "manifest.json" else kind, name, sentence)


def _options(manifest: Mapping[str, object]) -> Options:
    return Options(
        style=str(manifest.get("style")),
        language=str(manifest.get("language")),
        history=manifest.get("history") is True,
        without_texts=manifest.get("texts") == "withheld",
    )
