"""Citations as text: CSL items rendered in a chosen style by the CSL processor (citeproc-py).

The processor takes milliseconds for an item. Items that differ only in their words (not in the
fields they have, the month, or how a value begins and ends) get the same form from it, so each
form is rendered once with stand-ins for the words, and the words are put in afterwards.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from trace_core.domain.errors import BadInput

_LOCALES = {"en": "en-GB", "fr": "fr-FR"}
_WORDED = (
    "title", "container-title", "archive", "archive_collection", "archive_location",
    "archive-place", "call-number", "publisher", "publisher-place", "URL",
)  # fmt: skip
_DAY, _YEAR = 47, 9731
_SENSITIVE = re.compile(r"text-case|numeric-leading-zeros|form=\"(?:numeric|ordinal)\"")
STYLES = ("archival-note", "harvard-cite-them-right")
"""Styles that come with the program; any other CSL file may be named by its path."""


class Renderer:
    """Renders items in one style and language. Not for use by two threads at once."""

    def __init__(self, style: str, language: str) -> None:
        self._text = _style_text(style)
        self._style = _style(self._text, _LOCALES.get(language, language))
        self._shapes: dict[tuple[object, ...], str] = {}
        self._by_shape = not _SENSITIVE.search(self._text)

    def citation(self, item: Mapping[str, Any], written: str = "") -> str:
        """One item as plain text; `written` is its date as the source gives it.

        The written form is shown where the processor has no words for a date (uncertain ones,
        intervals, seasons).
        """
        given = _simplified(item, written)
        if not self._by_shape:
            return self._render(given)
        shape, stand_in, words = _shaped(given)
        if shape not in self._shapes:
            self._shapes[shape] = self._render(stand_in)
        return _filled(self._shapes[shape], words)

    def _render(self, item: Mapping[str, Any]) -> str:
        from citeproc import Citation, CitationItem, CitationStylesBibliography
        from citeproc.formatter import plain
        from citeproc.source.json import CiteProcJSON

        with warnings.catch_warnings():  # it warns of archive_collection, yet renders it
            warnings.simplefilter("ignore")
            source = CiteProcJSON([{**item, "id": "x"}])
        bibliography = CitationStylesBibliography(self._style, source, plain)
        cited = Citation([CitationItem("x")])
        bibliography.register(cited)
        if self._style.has_bibliography():
            return str(bibliography.bibliography()[0]).strip()
        return str(bibliography.cite(cited, lambda _item: None)).strip()


@lru_cache(maxsize=16)
def _style_text(style: str) -> str:
    if not re.fullmatch(r"[\w.-]+", style) or style.endswith(".csl"):
        return _read(Path(style))
    own = files("trace_core.export").joinpath("styles", f"{style}.csl")
    if own.is_file():
        return own.read_text(encoding="utf-8")
    from citeproc import STYLES_PATH

    bundled = Path(STYLES_PATH) / f"{style}.csl"
    if bundled.is_file():
        return _read(bundled)
    raise BadInput(
        f"There is no citation style {style!r}; use {' or '.join(STYLES)}, or the path of a "
        "CSL file."
    )


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"The citation style {path} cannot be read: {error}.") from None


def _style(text: str, locale: str) -> Any:
    from io import BytesIO

    from citeproc import CitationStylesStyle
    from lxml.etree import XMLSyntaxError

    try:
        return CitationStylesStyle(BytesIO(text.encode()), locale=locale, validate=False)
    except (XMLSyntaxError, AttributeError, ValueError) as error:
        raise BadInput(f"The citation style cannot be used: {error}.") from None


def _simplified(item: Mapping[str, Any], written: str) -> dict[str, Any]:
    """The item with its date in a form that the processor has words for."""
    given = {k: v for k, v in item.items() if k not in ("id", "custom")}
    issued = given.get("issued")
    if issued is None:
        return given
    parts = issued.get("date-parts", [])
    if len(parts) != 1 or issued.get("circa") or "season" in issued:
        literal = written or issued.get("literal", "")
        given["issued"] = {"literal": literal or _joined(parts)}
    return given


def _joined(parts: list[list[int]]) -> str:
    return "/".join("-".join(f"{p:02d}" for p in side) for side in parts)


def _shaped(
    item: Mapping[str, Any],
) -> tuple[tuple[object, ...], dict[str, Any], list[tuple[str, str]]]:
    """(what decides the form, the item with stand-ins, each stand-in with its words)."""
    stand_in, words = dict(item), list[tuple[str, str]]()
    for n, name in enumerate(_WORDED):
        value = item.get(name)
        if not isinstance(value, str) or len(value) < 3:
            continue
        # Only signs at the ends can change the form: the processor merges them with its own.
        start = 0 if value[0].isalnum() else 1
        end = len(value) if value[-1].isalnum() else len(value) - 1
        mark = chr(0xE000 + n) * 3
        stand_in[name] = value[:start] + mark + value[end:]
        words.append((mark, value[start:end]))
    issued = item.get("issued", {}).get("date-parts")
    if issued and 1000 <= issued[0][0] <= 9999:
        parts = list(issued[0])
        words.append((str(_YEAR), str(parts[0])))
        parts[0] = _YEAR
        if len(parts) == 3 and parts[2] > 1:  # "1er" in French: the first has its own form
            words.append((str(_DAY), str(parts[2])))
            parts[2] = _DAY
        stand_in["issued"] = {"date-parts": [parts]}
    shape = tuple((k, repr(v)) for k, v in sorted(stand_in.items()))
    return shape, stand_in, words


def _filled(template: str, words: list[tuple[str, str]]) -> str:
    """The template with the words in their places, each place looked at once."""
    if not words:
        return template
    table = dict(words)
    places = re.compile("|".join(re.escape(mark) for mark in table))
    return places.sub(lambda match: table[match.group()], template)
