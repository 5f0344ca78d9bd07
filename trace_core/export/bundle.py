"""The bundle: a run in one zip that anybody can check without the workspace it came from.

It holds the evidence list (JSON, CSV, HTML), the whole event log with its chain, settings,
prompts, model calls, the passages judged, what is known of their documents, versions, and a page
that explains it. `manifest.json` gives the SHA-256 of every file; the zip's comment seals the
zip itself, so that no byte anywhere can change unnoticed. The same record gives the same bytes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from importlib import metadata

from trace_core import __version__
from trace_core.export.as_csv import as_csv
from trace_core.export.as_html import as_html, page, shown
from trace_core.export.as_json import as_json
from trace_core.export.bundle_parts import json_file, record_files
from trace_core.export.labels import labels
from trace_core.export.options import Options
from trace_core.export.zipped import zip_of
from trace_core.provenance.methods import methods
from trace_core.provenance.record import RunRecord, without_texts

FORMAT = "trace-bundle"
FORMAT_VERSION = 2
"""Version 2 lays the JSON of lists out by lines; bundles of version 1 are read and checked too."""
SEAL = b"trace-bundle sha256 "
"""What the zip's comment begins with; the SHA-256 of all bytes before the digits follows."""

CONTENTS: Mapping[str, tuple[str, str]] = {
    "README.html": ("this page", "cette page"),
    "manifest.json": (
        "the SHA-256 of every file, and how the record ends",
        "le SHA-256 de chaque fichier, et la fin du journal",
    ),
    "evidence.json": ("the list with all details", "la liste avec tous ses détails"),
    "evidence.csv": ("the list as a table", "la liste en tableau"),
    "evidence.html": ("the list to read", "la liste à lire"),
    "events.jsonl": (
        "everything that happened, each event chained to the one before",
        "tout ce qui s’est passé, chaque événement enchaîné au précédent",
    ),
    "settings.json": ("the settings of the run", "les réglages de la recherche"),
    "prompts.json": ("the prompts and their hashes", "les consignes et leurs empreintes"),
    "calls.jsonl": ("the model calls", "les appels au modèle"),
    "corpora.json": ("the sub-corpora and how to cite them", "les sous-corpus et leur citation"),
    "sources.jsonl": ("the documents judged, without texts", "les documents jugés, sans texte"),
    "passages.jsonl": ("the passages judged", "les passages jugés"),
    "notes.jsonl": ("people's notes, tags and stars", "notes, étiquettes et marques"),
    "versions.json": ("the software", "les logiciels"),
}
"""The files of a bundle and what each is, in English and French."""


def bundle(record: RunRecord, options: Options) -> bytes:
    """A run as a bundle; without the texts of passages and calls on wish."""
    return sealed(bundle_files(record, options))


def evidence_options(options: Options) -> Options:
    """The list of a bundle is always whole: what is held and rejected is in it, all columns."""
    return replace(
        options, columns=(), order="rank", include_held=True, include_rejected=True, bom=False
    )


def bundle_files(record: RunRecord, options: Options) -> dict[str, bytes]:
    """The files of a bundle, the manifest last."""
    options = evidence_options(options)
    if options.without_texts:
        record = without_texts(record)
    files = {
        "README.html": _readme(record, options),
        "evidence.json": as_json(record, options),
        "evidence.csv": as_csv(record, options),
        "evidence.html": as_html(record, options),
        **record_files(record),
    }
    files["manifest.json"] = manifest(record, options, files)
    return files


def manifest(record: RunRecord, options: Options, files: Mapping[str, bytes]) -> bytes:
    """What a bundle says of itself."""
    return json_file(
        {
            "format": FORMAT,
            "format_version": FORMAT_VERSION,
            "written_by": f"trace-archive {__version__}",
            "processor": processor(),
            "run": record.run,
            "events": len(record.events),
            "last_hash": record.state.last_hash,
            "accessed": record.accessed,
            "texts": "withheld" if options.without_texts else "included",
            "style": options.style,
            "language": options.language,
            "history": options.history,
            "files": {
                name: {"sha256": hashlib.sha256(content).hexdigest(), "bytes": len(content)}
                for name, content in files.items()
                if name != "manifest.json"
            },
        }
    )


def processor() -> str:
    """The citation processor, whose versions may put a citation in other words."""
    return f"citeproc-py {metadata.version('citeproc-py')}"


def sealed(files: Mapping[str, bytes]) -> bytes:
    """Files as a zip whose comment ends in the SHA-256 of all that stands before it."""
    content = zip_of(files, SEAL + b"0" * 64)
    digest = hashlib.sha256(content[:-64]).hexdigest()
    return content[:-64] + digest.encode("ascii")


def _readme(record: RunRecord, options: Options) -> bytes:
    said = labels(options.language)
    french = options.language == "fr"
    rows = "\n".join(
        f"<dt>{shown(name)}</dt><dd>{shown(what[french])}</dd>" for name, what in CONTENTS.items()
    )
    how = _HOW_FR if french else _HOW_EN
    withheld = (_WITHHELD_FR if french else _WITHHELD_EN) if options.without_texts else ""
    body = (
        f"<main>\n<h1>{shown(said['run'])} {shown(record.run)}</h1>\n"
        f'<p dir="auto"><strong>{shown(record.state.question)}</strong></p>\n'
        f"<h2>{shown(said['methods'])}</h2>\n"
        f"<p>{shown(methods(record, options.language))}</p>\n"
        f"<h2>{shown(said['contents'])}</h2>\n<dl>\n{rows}\n</dl>\n"
        f"<p>{shown(how)}</p>\n<p>{shown(withheld)}</p>\n</main>"
    )
    return page(options.language, f"TRACE: {record.state.question}", body)


_HOW_EN = (
    "To check this file run: trace-archive verify FILE. It needs no workspace: it derives the "
    "chain of hashes and the ranking again from the events and says what does not agree. The "
    "chain proves that nothing was changed since the last hash was published; note that hash "
    "where others can see it. To look into it run: trace-archive open FILE."
)
_HOW_FR = (
    "Pour contrôler ce fichier : trace-archive verify FICHIER. Aucun espace de travail n’est "
    "nécessaire : la chaîne de hachage et le classement sont recalculés à partir des événements, "
    "et tout désaccord est nommé. La chaîne prouve que rien n’a changé depuis que la dernière "
    "empreinte a été publiée ; notez-la là où d’autres la voient. Pour le consulter : "
    "trace-archive open FICHIER."
)
_WITHHELD_EN = (
    "The texts of passages and model calls are withheld; their SHA-256 stands in for them. "
    "Reasons and the quotations that were claimed remain in the events, since the chain "
    "depends on them."
)
_WITHHELD_FR = (
    "Les textes des passages et des appels au modèle ne sont pas communiqués ; leur SHA-256 les "
    "remplace. Les motifs et les citations avancées restent dans les événements, dont la chaîne "
    "dépend."
)
