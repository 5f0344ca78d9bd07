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

from trace_core.domain.errors import TraceError
from trace_core.domain.events import CallMade
from trace_core.domain.state import DecisionRecord, current_ranking
from trace_core.export import bundle_parts as parts
from trace_core.export.as_csv import cell
from trace_core.export.bundle_again import hindrance, names_of, written_again
from trace_core.export.bundle_parts import BundleUnreadable
from trace_core.export.bundle_read import events_of, manifest_of, record_of
from trace_core.export.bundle_zip import read_bytes, seal_holds, unpacked
from trace_core.export.clean import whole
from trace_core.provenance.record import EXPORTER, RunRecord, text_hash
from trace_core.provenance.verify import Finding, Report, verify


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
    note = ""
    try:
        findings += _contents(files, record_of(files))
        note = hindrance(manifest_of(files))
    except TraceError as error:
        findings.append(Finding("file", "bundle", str(error)))
    seen = (derived.run, derived.events, derived.documents, derived.last_hash)
    return Report(*seen, _once(findings), note)


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
    known = names_of(files)
    for name in sorted(known - set(files)):
        yield Finding("file", name, f"{name} is missing from the bundle.")
    for name in sorted(set(files) - set(listed) - {"manifest.json"}):
        yield Finding("manifest", name, f"{name} is not in the manifest: it was added.")
    for name in sorted(set(files) & set(listed) - known):
        yield Finding("file", name, f"{name} is no file of a bundle: it was added.")
    for name, entry in sorted(listed.items()):
        if name not in files:
            if name not in known:
                yield Finding("file", name, f"{name} is missing from the bundle.")
            continue
        said = entry.get("sha256") if isinstance(entry, dict) else None
        if hashlib.sha256(files[name]).hexdigest() != said:
            yield Finding("file", name, f"{name} was changed: its SHA-256 is not the manifest's.")


def _contents(files: Mapping[str, bytes], record: RunRecord) -> Iterator[Finding]:
    manifest = manifest_of(files)
    yield from _ends(manifest, record)
    yield from _evidence(files, record)
    yield from _passages(record)
    yield from _calls(record)
    yield from _settings(files, record)
    yield from written_again(files, manifest, record)


def _ends(manifest: Mapping[str, object], record: RunRecord) -> Iterator[Finding]:
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


def _evidence(files: Mapping[str, bytes], record: RunRecord) -> Iterator[Finding]:
    """The ranking is derived from the events and held against the lists that were written."""
    numbered = list(enumerate(current_ranking(record.state), 1))
    derived = [
        (n, whole(line.corpus), whole(line.source_id), line.confirmations, [*line.sub_questions])
        for n, line in numbered
    ]
    value = parts.read_json("evidence.json", files.get("evidence.json", b"{}"))
    listed = value.get("lines") if isinstance(value, dict) else None
    listed = listed if isinstance(listed, list) else []
    written = [_listed(line) for line in listed if isinstance(line, dict) and line.get("rank")]
    yield from _compare("evidence.json", derived, written)
    yield from _judged(listed, record)
    try:
        rows = _table(files.get("evidence.csv", b""))
    except csv.Error as error:
        yield Finding("evidence", "evidence.csv", f"evidence.csv cannot be read: {error}.")
        return
    short = [(str(n), cell(line.corpus), cell(line.source_id)) for n, line in numbered]
    yield from _compare("evidence.csv", short, rows)


def _table(content: bytes) -> list[tuple[str | None, ...]]:
    """(rank, sub-corpus, document) of a table's ranked lines, each once."""
    csv.field_size_limit(2**31 - 1)  # the module's own limit would refuse a long note
    table = io.StringIO(content.decode("utf-8-sig", "replace"), newline="")
    rows = dict.fromkeys(
        (row.get("rank"), row.get("sub_corpus"), row.get("doc_id"))
        for row in csv.DictReader(table)
        if row.get("rank")
    )
    return list(rows)


def _judged(listed: list[Any], record: RunRecord) -> Iterator[Finding]:
    """Each decision in the list against the events, its passage against the one that was kept."""
    decisions = {r.id: r for r in record.state.decisions}
    for line in listed:
        passages = line.get("passages") if isinstance(line, dict) else None
        for said in passages if isinstance(passages, list) else ():
            name = said.get("decision_id") if isinstance(said, dict) else None
            found = decisions.get(name) if isinstance(name, str) else None
            if found is None:
                sentence = f"evidence.json gives a decision {name}, which the events do not have."
                yield Finding("evidence", "evidence.json", sentence)
                continue
            for field, value in _facts(found, record).items():
                if said.get(field) != value:
                    sentence = f"evidence.json gives decision {name} another {field} than recorded."
                    yield Finding("evidence", "evidence.json", sentence)


def _facts(found: DecisionRecord, record: RunRecord) -> dict[str, object]:
    """What every version writes of a decision in the same way."""
    passage = record.passages.get(found.decision.chunk)
    facts: dict[str, object] = {
        "chunk_id": f"c{found.decision.chunk}",
        "verdict": found.decision.verdict,
        "sub_question": found.decision.sub_question,
        "decided_by": {"kind": found.actor.kind, "name": whole(found.actor.name)},
        "decided_at": found.time,
    }
    if passage is not None:
        facts["passage"] = None if passage.withheld else whole(passage.chunk.text)
    return facts


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


def _passages(record: RunRecord) -> Iterator[Finding]:
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


def _calls(record: RunRecord) -> Iterator[Finding]:
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


def _settings(files: Mapping[str, bytes], record: RunRecord) -> Iterator[Finding]:
    start = record.state.start
    kept = parts.read_json("settings.json", files.get("settings.json", b"null"))
    if start is not None and kept != start.settings:
        yield Finding("settings", "settings.json", "settings.json is not what the run recorded.")
    software = {k: v for k, v in record.versions.items() if k != EXPORTER}
    if start is not None and software != start.software:
        yield Finding("settings", "versions.json", "versions.json is not what the run recorded.")
    for stage, prompt in record.prompts.items():
        if prompt.text and text_hash(prompt.text) != prompt.hash:
            sentence = f"The prompt {stage} does not have its recorded hash."
            yield Finding("settings", "prompts.json", sentence)
        if start is not None and start.prompts.get(stage) != prompt.hash:
            sentence = f"The prompt {stage} is not the one that the run recorded."
            yield Finding("settings", "prompts.json", sentence)
