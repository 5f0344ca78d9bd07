"""What formats cannot carry: characters that XML forbids, halves of characters, formulas."""

from __future__ import annotations

import re

# XML 1.0, production [2] Char: everything else may not stand in a document, even escaped.
_XML_ILLEGAL = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_HALVES = re.compile("[\ud800-\udfff]")
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def xml_text(text: str) -> str:
    """The text without the characters that XML forbids."""
    return _XML_ILLEGAL.sub("", text)


def xml_illegal(text: str) -> int:
    """How many characters of the text XML forbids."""
    return len(_XML_ILLEGAL.findall(text))


def whole(text: str) -> str:
    """The text with halves of characters (lone surrogates) shown as U+FFFD: valid UTF-8."""
    return _HALVES.sub("\ufffd", text)


def plain(text: str) -> str:
    """The text without control characters other than tab and line ends, in whole characters."""
    if text.isprintable():  # most texts: neither control characters nor halves are printable
        return text
    return _CONTROL.sub("", whole(text))


def one_line(text: str) -> str:
    """The text on one line, with single spaces, without control characters."""
    return " ".join(plain(text).split())


def defused(text: str) -> str:
    """The text so that a spreadsheet takes it for text: an apostrophe before a formula's sign.

    The rule is OWASP's for CSV injection: cells that begin with = + - @ tab or carriage return.
    White space before the sign does not disarm it.
    """
    first = text.lstrip(" \n")[:1]
    return f"'{text}" if first and first in _FORMULA else text
