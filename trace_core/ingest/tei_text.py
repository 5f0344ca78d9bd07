"""The running text of a TEI element: what stands on the page, with its line and page breaks.

Deletions and gaps are left out; of a choice the form that stands on the page is taken (orig, sic,
abbr); notes and forme work are text. White space is squeezed. `lb` and `pb` part words unless
`break="no"`: then the two halves end and begin a line, joined by the hyphen that stands or a soft
one.
"""

from __future__ import annotations

import html
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from lxml import etree

from trace_core.ingest.layout import SIGNS, SOFT
from trace_core.ingest.records import SourcePage
from trace_core.ingest.xml_safe import attribute, local


def _names(names: str) -> frozenset[str]:
    return frozenset(names.split())


_DROPPED = frozenset({"del", "gap", "teiHeader", "facsimile", "sourceDoc", "standOff", "fsdDecl"})
_ON_PAGE = ("orig", "sic", "abbr", "unclear", "seg")
_PARAGRAPHS = _names(
    "p ab div div1 div2 div3 div4 head lg sp u list table quote opener closer postscript "
    "titlePage docTitle body front back group floatingText figure castList argument byline "
    "epigraph trailer stage noteGrp listBibl"
)
_LINES = _names(
    "l item row dateline salute signed address addrLine speaker titlePart docAuthor docDate "
    "docImprint castItem label title bibl fw cb milestone"
)
_ASIDE = ("top", "bottom", "foot", "margin", "left", "right", "end")
_HOLDERS = frozenset({"div", "div1", "div2", "body", "front", "back", "u", "sp", "text", "lg"})
_INLINE_TITLE = frozenset({"p", "l", "note", "seg", "bibl", "item", "cell", "hi", "q"})
_NONE, _SPACE, _LINE, _PARAGRAPH = range(4)
_SEPARATORS = ("", " ", "\n", "\n\n")


@dataclass(frozen=True, slots=True)
class Speech:
    """Where an utterance stands in the text, and who speaks."""

    start: int
    end: int
    who: str


@dataclass
class TeiText:
    """The text of an element, its pages, its speeches."""

    scans: Mapping[str, str] = field(default_factory=dict)
    parts: list[str] = field(default_factory=list)
    length: int = 0
    pages: list[SourcePage] = field(default_factory=list)
    speeches: list[Speech] = field(default_factory=list)
    _pending: int = _NONE
    _breaks: list[Any] = field(default_factory=list)

    @property
    def text(self) -> str:
        """All that was read."""
        return "".join(self.parts)

    def read(self, element: Any) -> None:
        """Append an element's text."""
        self._element(element)
        self._place_pages()

    def _element(self, element: Any) -> None:
        name = local(element)
        if name in _DROPPED:
            return
        if name in ("lb", "pb", "cb", "gb"):
            self._break(element, name)
            return
        if name == "choice":
            self._choice(element)
            return
        gap = self._gap(element, name)
        self._part(gap)
        begin = self.length
        tight = name == "subst"
        self._data(element.text, tight)
        for child in element:
            self._child(child, tight)
        if name == "u":
            who = attribute(element, "who").lstrip("#")
            self.speeches.append(Speech(begin, self.length, who))
        self._part(gap)

    def _child(self, child: Any, tight: bool = False) -> None:
        if isinstance(child, etree._Entity):
            self._data(html.unescape(child.text or ""))
        elif isinstance(child.tag, str):
            self._element(child)
        self._data(child.tail, tight)

    def _choice(self, element: Any) -> None:
        options = [child for child in element if isinstance(child.tag, str)]
        best = min(
            options,
            key=lambda c: _ON_PAGE.index(local(c)) if local(c) in _ON_PAGE else len(_ON_PAGE),
            default=None,
        )
        if best is not None:
            self._element(best)

    def _gap(self, element: Any, name: str) -> int:
        parent = element.getparent()
        above = local(parent) if parent is not None else ""
        if name == "note":
            aside = attribute(element, "place") in _ASIDE or above in _HOLDERS
            return _PARAGRAPH if above in _HOLDERS else _LINE if aside else _SPACE
        if name == "title" and above in _INLINE_TITLE:
            return _NONE
        if name in ("quote", "stage", "bibl", "list", "label") and above in (
            "p",
            "l",
            "seg",
            "note",
        ):
            return _SPACE
        if name == "cell":
            return _SPACE
        if name == "seg" and above == "u":
            return _PARAGRAPH
        if name in _PARAGRAPHS:
            return _PARAGRAPH
        return _LINE if name in _LINES else _NONE

    def _break(self, element: Any, name: str) -> None:
        joins = attribute(element, "break") == "no"
        if joins and self.parts and self.parts[-1][-1:] not in SIGNS:
            self._append(SOFT)
        self._pending = _LINE if joins else max(self._pending, _LINE)
        if name == "pb":
            self._breaks.append(element)

    def _part(self, gap: int) -> None:
        self._pending = max(self._pending, gap)

    def _data(self, text: str | None, tight: bool = False) -> None:
        """Character data; `tight` where white space is only there for the eye of the encoder."""
        if not text:
            return
        words = text.split()
        if not words:
            if not tight:
                self._part(_SPACE)
            return
        if text[0].isspace() and not tight:
            self._part(_SPACE)
        self._word(" ".join(words))
        if text[-1].isspace() and not tight:
            self._part(_SPACE)

    def _word(self, text: str) -> None:
        if self._pending and self.length:
            self._append(_SEPARATORS[self._pending])
        self._pending = _NONE
        self._place_pages()
        self._append(text)

    def _append(self, text: str) -> None:
        if text:
            self.parts.append(text)
            self.length += len(text)

    def _place_pages(self) -> None:
        for element in self._breaks:
            index = len(self.pages)
            label = attribute(element, "n")
            scan = self._scan(attribute(element, "facs"))
            self.pages.append(SourcePage(self.length, index, label, scan))
        self._breaks.clear()

    def _scan(self, facs: str) -> str:
        if facs.startswith(("http://", "https://")):
            return facs
        return self.scans.get(facs.lstrip("#"), "")
