"""XML without its dangers: no entities of its own, no network, no DTD, no endless nodes.

Wrongly declared encodings are common in archives: where the bytes contradict the declaration the
bytes are believed, and the caller is told.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

from lxml import etree

from trace_core.ingest.encodings import find_encoding
from trace_core.ingest.records import Location, Problem
from trace_core.ingest.source import Source

Element: TypeAlias = Any
"""An element of lxml, which brings no types."""

_DECLARATION = re.compile(rb"^(\s*)<\?xml[^>]*?\?>")
_DECLARED = re.compile(rb"""^\s*<\?xml[^>]*?encoding\s*=\s*["']([A-Za-z0-9._\-]+)["']""")
_ENTITY = re.compile(
    rb"<!ENTITY(?!\s+%\s+[\w.\-]+\s+(?:\"(?:INCLUDE|IGNORE)\"|'(?:INCLUDE|IGNORE)')\s*>)"
)
_ROOT = re.compile(r"<(?:([A-Za-z_][\w.\-]*):)?([A-Za-z_][\w.\-]*)[\s/>]")
_PROLOG = re.compile(r"<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^\[>]*(\[.*?\]\s*)?>", re.DOTALL)
_NAMED = re.compile(rb"&([A-Za-z][A-Za-z0-9]{1,30});")
_CONTROL = re.compile(
    rb"[\x00-\x08\x0b\x0c\x0e-\x1f]"
    rb"|&#(?:x0*(?:[0-8bcef]|1[0-9a-f])|0*(?:[0-8]|1[124-9]|2\d|3[01]));",
    re.IGNORECASE,
)
_XML_OWN = frozenset({b"amp", b"lt", b"gt", b"quot", b"apos"})


class BrokenFile(ValueError):
    """A file that cannot be read (to its end): why, and where."""

    def __init__(self, reason: str, line: int | None = None, page: int | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line
        self.page = page

    def problem(self, source: Source) -> Problem:
        """The same as a line of the report."""
        return Problem(Location(source.name, self.line, self.page), self.reason)


@dataclass(frozen=True, slots=True)
class Parsed:
    """The root element, and a remark where the file's encoding was not what it says."""

    root: Element
    remark: str = ""


def parse_xml(source: Source) -> Parsed:
    """The file as a tree. Raises BrokenFile with the line, BadInput for one that is too large."""
    data = source.read_all()
    if not data.strip():
        raise BrokenFile("the file is empty")
    data, remark = _believable(data)
    data = _late_declaration_off(data)
    refuse_entities(data)
    try:
        return Parsed(etree.fromstring(data, _parser()), remark)
    except etree.XMLSyntaxError as error:
        mended, controls = _CONTROL.subn(b"", with_named_characters(data))
        if mended == data:
            raise BrokenFile(*_words(error, data)) from None
    if controls:
        said = f"{controls} control characters that XML does not know were left out"
        remark = f"{remark}; {said}" if remark else said
    try:
        return Parsed(etree.fromstring(mended, _parser()), remark)
    except etree.XMLSyntaxError as error:
        raise BrokenFile(*_words(error, data)) from None


def refuse_entities(data: bytes) -> None:
    """Raise BrokenFile for a file that declares entities: with them a few bytes become gigabytes.

    The switches of old TEI files (`<!ENTITY % TEI.prose "INCLUDE">`) stand for nothing in the text
    and pass. In UTF-16 the declaration looks different, so both forms are looked for.
    """
    if _ENTITY.search(data) or "<!ENTITY".encode("utf-16-le") in data:
        raise BrokenFile(
            "the file declares entities of its own, which may hide an XML bomb or fetch other "
            "files; it was refused (resolve them first, for example with xmllint --noent)"
        )
    if "<!ENTITY".encode("utf-16-be") in data:
        raise BrokenFile("the file declares entities of its own; it was refused")


def root_name(head: bytes) -> str:
    """The local name of the root element, "" where the bytes do not begin like XML."""
    text = head.decode(find_encoding(head).name, errors="ignore").lstrip("\ufeff \t\r\n\0")
    if not text.startswith("<"):
        return ""
    match = _ROOT.search(_PROLOG.sub("", text))
    return match[2] if match else ""


def local(element: Element) -> str:
    """An element's name without its namespace; "" for comments, instructions and entities."""
    tag = element.tag
    if not isinstance(tag, str):
        return ""
    return tag.rpartition("}")[2]


def children(element: Element, *names: str) -> Iterator[Element]:
    """The children with one of these local names, whatever their namespace."""
    for child in element:
        if local(child) in names:
            yield child


def descendants(element: Element, *names: str) -> Iterator[Element]:
    """All elements below with one of these local names, in order."""
    for child in element.iter():
        if local(child) in names:
            yield child


def first(element: Element, *path: str) -> Element | None:
    """The first element that a path of local names leads to, each at any depth below the last."""
    found = element
    for name in path:
        found = next((e for e in descendants(found, name) if e is not found), None)
        if found is None:
            return None
    return found


def attribute(element: Element, name: str) -> str:
    """An attribute by its local name, whatever its namespace; "" where there is none."""
    value = element.get(name)
    if value is None:
        value = next((v for key, v in element.attrib.items() if key.rpartition("}")[2] == name), "")
    return str(value)


def plain_text(element: Element | None) -> str:
    """All character data of an element with its white space squeezed; "" for None."""
    if element is None:
        return ""
    return " ".join("".join(map(str, element.itertext())).split())


def _parser() -> Any:
    return etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, recover=False
    )


def _believable(data: bytes) -> tuple[bytes, str]:
    """The bytes in an encoding that a parser takes, with a remark where the declaration lied."""
    match = _DECLARED.match(data.removeprefix(b"\xef\xbb\xbf"))
    declared = match[1].decode("ascii").lower() if match else "utf-8"
    if declared.replace("_", "-") in ("utf-8", "utf8"):
        found = find_encoding(data, whole=True)
        if found.name in ("utf-8", "utf-8-sig"):
            return _mended(data)
        if found.name.startswith(("utf-16", "utf-32")) and found.how != "guessed":
            return _recoded(data, found.name), ""
        if match is None and found.name.startswith("utf-16"):
            return _recoded(data, found.name), ""
        remark = f"the file says it is {declared} but is not; it was read as {found.name}"
        return _recoded(data, found.name), remark
    if declared.startswith("utf-16") and not data.startswith((b"\xff\xfe", b"\xfe\xff")):
        # A declaration that can be read byte by byte proves that the file is not UTF-16.
        return _recoded(data, find_encoding(data, whole=True).name), (
            f"the file says it is {declared} but is not"
        )
    if any(byte > 127 for byte in data) and find_encoding(data, whole=True).how == "valid UTF-8":
        return _recoded(data, "utf-8"), (
            f"the file says it is {declared} but its bytes are UTF-8; it was read as UTF-8"
        )
    return data, ""


def _late_declaration_off(data: bytes) -> bytes:
    """The file without an XML declaration that blank lines stand before: there it is an error.

    The blank lines stay, so that lines keep their numbers.
    """
    bare = data.removeprefix(b"\xef\xbb\xbf")
    if not bare[:1].isspace() or not _DECLARATION.match(bare):
        return data
    declared = _DECLARED.match(bare)
    try:
        return _recoded(bare, declared[1].decode("ascii") if declared else "utf-8")
    except LookupError:
        return data


def _mended(data: bytes) -> tuple[bytes, str]:
    """UTF-8 with what is broken in it replaced, and a remark about that."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        text = data.decode("utf-8", errors="replace")
        remark = f"{text.count(chr(0xFFFD))} characters could not be read as UTF-8"
        return text.encode("utf-8"), remark
    return data, ""


def _recoded(data: bytes, encoding: str) -> bytes:
    text = data.decode(encoding, errors="replace").lstrip("\ufeff")
    return _DECLARATION.sub(rb"\1", text.encode("utf-8", "replace"), count=1)


def with_named_characters(data: bytes) -> bytes:
    """HTML's named entities as characters: old editions use them without declaring them."""

    def character(match: re.Match[bytes]) -> bytes:
        if match[1] in _XML_OWN:
            return match[0]
        whole = match[0].decode("ascii")
        plain = html.unescape(whole)
        return plain.encode() if plain != whole else match[0]

    return _NAMED.sub(character, data)


def _words(error: etree.XMLSyntaxError, data: bytes) -> tuple[str, int | None]:
    text = " ".join(str(error.msg or "").split())
    line = error.lineno or None
    lowered = text.casefold()
    if "huge" in lowered or "excessive depth" in lowered or "amplification" in lowered:
        return f"the file is larger or deeper than is safe to read ({text})", line
    cut = not data.rstrip(b" \t\r\n\0").endswith(b">")
    if cut or "premature end" in lowered or "end tag" in lowered or "eof" in lowered:
        return f"the XML breaks off or its tags do not match ({text}); copy the file again", line
    return f"the XML is broken ({text})", line
