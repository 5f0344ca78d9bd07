"""The running text of a TEI element: what stands on the page, with its line and page breaks.

Deletions and gaps are left out; of a choice the form that stands on the page is taken (orig, sic,
abbr), of an apparatus the lemma or else the first reading; notes and forme work are text. White
space is squeezed. `lb` and `pb` part words unless `break="no"`: then the two halves end and begin
a line, joined by the hyphen that stands or a soft one. Forme work between the halves of a word is
moved out of between them, on its own page. Tokens (`w`, `pc`) stand apart unless `join` says
otherwise.
"""

from __future__ import annotations

import html
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from lxml import etree

from trace_core.ingest.layout import SIGNS, SOFT
from trace_core.ingest.records import SourcePage
from trace_core.ingest.xml_safe import Element, attribute, local, plain_text


def _names(names: str) -> frozenset[str]:
    return frozenset(names.split())


_DROPPED = frozenset({"del", "gap", "teiHeader", "facsimile", "sourceDoc", "standOff", "fsdDecl"})
_ON_PAGE = ("orig", "sic", "abbr", "unclear", "seg", "lem", "rdg", "rdgGrp")
_PARAGRAPHS = _names(
    "p ab div div1 div2 div3 div4 head lg sp u list table quote opener closer postscript "
    "titlePage docTitle body front back group floatingText figure castList argument byline "
    "epigraph trailer stage noteGrp listBibl surface zone"
)
_LINES = _names(
    "l item row dateline salute signed address addrLine speaker titlePart docAuthor docDate "
    "docImprint castItem label title bibl fw cb milestone line"
)
_TRANSPARENT = frozenset({"name", "persName", "placeName", "orgName", "date", "num", "linkGrp"})
_HAPPENINGS = frozenset({"vocal", "kinesic", "incident", "writing", "shift", "pause"})
"""What a debate records beside the speech; it stands apart from the words around it."""
_ASIDE = ("top", "bottom", "foot", "margin", "left", "right", "end")
_HOLDERS = frozenset({"div", "div1", "div2", "body", "front", "back", "u", "sp", "text", "lg"})
_INLINE_TITLE = frozenset({"p", "l", "note", "seg", "bibl", "item", "cell", "hi", "q"})
_NONE, _SPACE, _LINE, _PARAGRAPH = range(4)
_SEPARATORS = ("", " ", "\n", "\n\n")
_LINE_END = re.compile(r"(?<=\w)\u2223(?=\w)")
"""The sign that early English editions (TCP) print where a word was broken at a line's end."""


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
    _breaks: list[Element] = field(default_factory=list)
    _held: list[str] = field(default_factory=list)
    _resumed: bool = False
    _joined: bool = False

    @property
    def text(self) -> str:
        """All that was read."""
        return "".join(self.parts)

    def read(self, element: Element) -> None:
        """Append an element's text."""
        self._element(element)
        self._release()
        self._place_pages()

    def _element(self, element: Element) -> None:
        name = local(element)
        if name in _DROPPED:
            return
        if name in ("lb", "pb", "cb", "gb"):
            self._break(element, name)
            return
        if name in ("choice", "app"):
            self._choice(element)
            return
        if name == "space":
            self._part(_SPACE)
            return
        if name == "fw" and self._inside_word():
            self._forme(element)
            return
        join = attribute(element, "join") if name in ("w", "pc") else ""
        if join in ("left", "both") and self._pending == _SPACE:
            self._pending = _NONE
        gap = self._gap(element, name)
        self._part(gap)
        begin = self.length
        tight = name == "subst"
        self._data(element.text, tight=tight)
        for child in element:
            self._child(child, tight=tight)
        if name == "u":
            who = attribute(element, "who").lstrip("#")
            self.speeches.append(Speech(begin, self.length, who))
        self._joined = join in ("right", "both") or (self._joined and name in _TRANSPARENT)
        self._part(gap)

    def _child(self, child: Element, *, tight: bool = False) -> None:
        if isinstance(child, etree._Entity):
            self._data(html.unescape(child.text or ""))
        elif isinstance(child.tag, str):
            self._element(child)
        self._data(child.tail, tight=tight)

    def _choice(self, element: Element) -> None:
        options = [child for child in element if isinstance(child.tag, str)]
        best = min(
            options,
            key=lambda c: _ON_PAGE.index(local(c)) if local(c) in _ON_PAGE else len(_ON_PAGE),
            default=None,
        )
        if best is not None:
            self._element(best)

    def _gap(self, element: Element, name: str) -> int:
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
        if name in _HAPPENINGS:
            return _PARAGRAPH if above in _HOLDERS else _SPACE
        if name == "cell":
            return _SPACE
        if name == "seg" and above == "u":
            return _PARAGRAPH
        if name in _PARAGRAPHS:
            return _PARAGRAPH
        return _LINE if name in _LINES else _NONE

    def _break(self, element: Element, name: str) -> None:
        joins = attribute(element, "break") == "no"
        if joins and self.parts and self.parts[-1][-1:] not in SIGNS:
            self._append(SOFT)
        self._pending = _LINE if joins else max(self._pending, _LINE)
        if name == "pb":
            self._breaks.append(element)

    def _inside_word(self) -> bool:
        end = "".join(self.parts[-2:])[-2:]
        return end[-1:] in SIGNS and end[:1].isalpha()

    def _forme(self, element: Element) -> None:
        """A signature, catchword or running title between the halves of a word.

        Before the page break it goes before a line that no word runs into, behind it after the
        line of the second half.
        """
        text = plain_text(element)
        at = None if self._breaks else self._free_line()
        if not text:
            return
        if at is None:
            self._held.append(text)
            return
        self.parts[at:at] = [text, "\n"]
        self.length += len(text) + 1

    def _free_line(self) -> int | None:
        """The last place among the parts where a line of this page and paragraph may go in."""
        start = self.pages[-1].start if self.pages else 0
        offset = self.length
        for at in range(len(self.parts), 0, -1):
            before = self.parts[at - 1]
            whole = before == _SEPARATORS[_PARAGRAPH]
            if offset < start:
                return None
            if whole or (before == "\n" and self.parts[at - 2][-1:] not in SIGNS):
                return at
            offset -= len(before)
        return 0 if not start else None

    def _release(self) -> None:
        for text in self._held:
            self._append(f"\n{text}")
        self._held.clear()

    def _part(self, gap: int) -> None:
        if not (gap == _SPACE and self._joined):
            self._pending = max(self._pending, gap)

    def _data(self, text: str | None, *, tight: bool = False) -> None:
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
        self._word(_LINE_END.sub(SOFT, " ".join(words)))
        if text[-1].isspace() and not tight:
            self._part(_SPACE)

    def _word(self, text: str) -> None:
        self._joined = False
        if self._resumed and self._pending >= _LINE:
            self._release()
        if self._pending and self.length:
            self._append(_SEPARATORS[self._pending])
        self._pending = _NONE
        self._place_pages()
        self._append(text)
        self._resumed = bool(self._held)

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
