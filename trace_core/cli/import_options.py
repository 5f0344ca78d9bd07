"""What a person may say about a source, as options of the command line."""

from __future__ import annotations

import argparse
import re
from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from trace_core.domain.errors import BadInput

if TYPE_CHECKING:
    from trace_core.ingest.records import ReadOptions

_UNITS = {"": 1, "k": 1024, "m": 1024**2, "g": 1024**3, "t": 1024**4}
_DELIMITERS = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "bar": "|"}
FIELDS = ("id", "corpus", "title", "date", "text", "language", "page", "image")


def add_import_options(parser: argparse.ArgumentParser) -> None:
    """Add all options of reading; each left out means "find out"."""
    add = parser.add_argument
    add("--format", default="auto", help="the format (default: found out)")
    add("--corpus", default="", metavar="ID", help="put all into one sub-corpus")
    add(
        "--map",
        action="append",
        default=[],
        metavar="FIELD=COLUMN",
        help=f"where a field stands: {', '.join(FIELDS)} (repeat)",
    )
    add("--metadata", type=Path, metavar="FILE", help="a table or Zotero file beside the texts")
    add("--scans", type=Path, metavar="FILE", help="an IIIF manifest that gives pages their scans")
    add("--language", default="", help="the language of all of it (ISO code)")
    add(
        "--pages",
        choices=("file", "name", "folder"),
        default="file",
        help="what is one document: each file (default), files of one name but for a final "
        "number, or all files of a folder",
    )
    add(
        "--articles",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="METS: a document of every article (default), or the whole issue",
    )
    add(
        "--speeches",
        action=argparse.BooleanOptionalAction,
        default=False,
        help="TEI debates: a document of every speech, or the whole sitting (default)",
    )
    add("--day-first", choices=("yes", "no"), help="how 03/04/1887 is read (default: found out)")
    add("--encoding", default="", help="how bytes are read, e.g. latin-1 (default: found out)")
    add("--delimiter", default="", help="between columns: a sign, or tab (default: found out)")
    add(
        "--unpacked-bytes",
        default="",
        metavar="SIZE",
        help="the most that an archive may unpack to, e.g. 500M or 80G (default: 50G)",
    )


def import_options(arguments: Namespace) -> ReadOptions:
    """The options as the import takes them. Raises BadInput with what can be written instead."""
    from trace_core.cli.values import pairs
    from trace_core.service.importing import read_options

    mapping = pairs(arguments.map, "--map")
    for field in mapping:
        if field not in FIELDS:
            raise BadInput(f"--map knows no field {field!r}; choose one of {', '.join(FIELDS)}.")
    return read_options(
        mapping,
        format=arguments.format,
        corpus=arguments.corpus,
        language=arguments.language,
        metadata=arguments.metadata,
        scans=arguments.scans,
        pages=arguments.pages,
        encoding=_encoding(arguments.encoding),
        delimiter=_delimiter(arguments.delimiter),
        articles=arguments.articles,
        speeches=arguments.speeches,
        day_first={"yes": True, "no": False}.get(arguments.day_first),
        unpacked_bytes=size_in_bytes(arguments.unpacked_bytes, "--unpacked-bytes"),
    )


def size_in_bytes(text: str, option: str) -> int | None:
    """A size such as 800000, 500M or 80G; None for none. Raises BadInput."""
    if not text:
        return None
    match = re.fullmatch(r"(\d+)\s*([kmgt]?)(?:i?b)?", text.strip().lower())
    if match is None or not int(match[1]):
        raise BadInput(f"{option} takes a size such as 500M or 80G, not {text!r}.")
    return int(match[1]) * _UNITS[match[2]]


def _encoding(name: str) -> str:
    import codecs

    if name:
        try:
            codecs.lookup(name)
        except LookupError:
            raise BadInput(
                f"There is no encoding {name!r}; write utf-8, latin-1, cp1252 or the like."
            ) from None
    return name


def _delimiter(text: str) -> str:
    sign = _DELIMITERS.get(text.lower(), text)
    if len(sign) > 1:
        raise BadInput(f"--delimiter takes one sign or the word tab, not {text!r}.")
    return sign
