"""RO-Crate: the bundle's files described for research data repositories (RO-Crate 1.1).

The crate is the bundle with the provenance graph, citations and `ro-crate-metadata.json` in it, and
sealed as one: `verify` checks it, and `open` shows it, like any bundle.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from trace_core.export.as_json import dump
from trace_core.export.as_prov import as_prov_json
from trace_core.export.bundle import (
    CONTENTS,
    bundle_files,
    evidence_options,
    manifest,
    sealed,
)
from trace_core.export.clean import one_line, plain
from trace_core.export.lines import lines
from trace_core.export.options import Options
from trace_core.provenance.methods import methods
from trace_core.provenance.record import RunRecord, without_texts

if TYPE_CHECKING:
    from rocrate.rocrate import ROCrate

_TYPES = {
    ".json": "application/json",
    ".jsonl": "application/x-ndjson",
    ".csv": "text/csv",
    ".html": "text/html",
}
METADATA = "ro-crate-metadata.json"
CRATE = {
    "prov.json": "the provenance graph of the run in W3C PROV-JSON",
    "citations.csl.json": "the documents of the list as CSL-JSON",
    METADATA: "this description",
}
"""The files of a crate that a bundle does not have."""


def as_ro_crate(record: RunRecord, options: Options) -> bytes:
    """The whole run as a zipped RO-Crate; the same record gives the same bytes."""
    if options.without_texts:
        record = without_texts(record)
    files = bundle_files(record, options) | crate_parts(record, options)
    files[METADATA] = _metadata(record, options, files)
    files["manifest.json"] = manifest(record, options, files)
    return sealed(files)


def crate_parts(record: RunRecord, options: Options) -> dict[str, bytes]:
    """What a crate adds to the bundle, but for the metadata."""
    listed = lines(record, evidence_options(options))
    return {
        "prov.json": as_prov_json(record, options),
        "citations.csl.json": dump([line.item for line in listed if line.rank]),
    }


def _metadata(record: RunRecord, options: Options, files: dict[str, bytes]) -> bytes:
    from rocrate.rocrate import ROCrate

    crate = ROCrate()
    root = crate.root_dataset
    root["name"] = f"TRACE run {record.run}: {one_line(record.state.question)}"
    root["description"] = plain(methods(record, options.language))
    root["datePublished"] = record.accessed or record.state.updated[:10]
    root["identifier"] = record.state.last_hash
    root["license"] = (
        "The record of the run may be passed on by those who made it; the rights in the quoted "
        "sources stay with their holders."
    )
    for name, content in files.items():
        what = CONTENTS[name][0] if name in CONTENTS else CRATE[name]
        properties = {
            "name": name,
            "description": what,
            "encodingFormat": _TYPES["." + name.rsplit(".", 1)[-1]],
        }
        if name != "manifest.json":  # it is written last, over this description too
            properties["contentSize"] = str(len(content))
        crate.add_file(dest_path=name, properties=properties)
    _agents(crate, record)
    generated: dict[str, Any] = crate.metadata.generate()
    return (json.dumps(generated, indent=1, sort_keys=True, ensure_ascii=False) + "\n").encode()


def _agents(crate: ROCrate, record: RunRecord) -> None:
    """People as authors, the program as the instrument that made the list."""
    from rocrate.model.contextentity import ContextEntity
    from rocrate.model.person import Person

    people = [
        crate.add(Person(crate, f"#person-{n}", properties={"name": plain(name) or "a person"}))
        for n, name in enumerate(_people(record), 1)
    ]
    if people:
        crate.root_dataset["author"] = people
    program = crate.add(
        ContextEntity(
            crate,
            "#trace",
            properties={
                "@type": "SoftwareApplication",
                "name": "TRACE",
                "softwareVersion": record.versions.get("trace-archive", "unknown"),
            },
        )
    )
    properties: dict[str, Any] = {
        "@type": "CreateAction",
        "name": f"Run {record.run}",
        "startTime": record.state.created,
        "endTime": record.state.updated,
    }
    action = crate.add(ContextEntity(crate, "#run", properties=properties))
    action["instrument"] = program
    action["result"] = crate.dereference("evidence.json")
    if people:
        action["agent"] = people
    crate.root_dataset["mentions"] = action


def _people(record: RunRecord) -> list[str]:
    names = (event.actor.name for event in record.events if event.actor.kind == "human")
    return list(dict.fromkeys(names))
