"""Which characters the bytes of a file stand for: marks first, then UTF-8, then the best guess."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

from trace_core.domain.errors import BadInput

_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_SAMPLE = 32 * 1024
_CONTROLS = re.compile("[\x00-\x08\x0e-\x1b]")
_TELLING = 20  # bytes above 127: fewer speak for any of the world's encodings
_USUAL = ("cp850", "mac_roman", "cp1252", "cp1250", "cp1251", "cp1253")
_HIGH = re.compile(rb"[\x80-\xff]")


@dataclass(frozen=True, slots=True)
class Encoding:
    """A codec's name and how it was found: named, by a byte order mark, valid or damaged UTF-8, or
    guessed."""

    name: str
    how: str


def find_encoding(sample: bytes, wish: str = "", *, whole: bool = False) -> Encoding:
    """The encoding of a text of which `sample` is the beginning (or all, if `whole`).

    Raises BadInput for a wish that is no encoding.
    """
    if wish:
        try:
            return Encoding(codecs.lookup(wish).name, "named")
        except LookupError:
            raise BadInput(
                f"There is no encoding {wish!r}; try utf-8, cp1252 or latin-1."
            ) from None
    for mark, name in _MARKS:
        if sample.startswith(mark):
            return Encoding(name, "byte order mark")
    # Plain letters in UTF-16 are valid UTF-8 too, with a zero byte beside each.
    if _is_utf8(sample, whole=whole) and not (b"\0" in sample[:2000] and _looks_utf16(sample)):
        return Encoding("utf-8", "valid UTF-8")
    if _looks_utf16(sample):
        name = "utf-16-le" if sample[1:2] == b"\0" else "utf-16-be"
        return Encoding(name, "guessed")
    if _mostly_utf8(sample):
        return Encoding("utf-8", "damaged UTF-8")
    return Encoding(_guess(_telling(sample)), "guessed")


def decode(data: bytes, wish: str = "") -> tuple[str, Encoding]:
    """A whole text decoded; bytes that the encoding does not know become U+FFFD."""
    encoding = find_encoding(data, wish, whole=True)
    return data.decode(encoding.name, errors="replace"), encoding


def _is_utf8(sample: bytes, *, whole: bool) -> bool:
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        decoder.decode(sample, final=whole)
    except UnicodeDecodeError:
        return False
    return True


def _mostly_utf8(sample: bytes) -> bool:
    """Whether some damaged places stand among many characters that only UTF-8 writes so."""
    text = sample.decode("utf-8", errors="replace")
    broken = text.count("\ufffd")
    return sum(ord(character) > 127 for character in text) - broken >= 10 * broken


def _looks_utf16(sample: bytes) -> bool:
    """Whether every second byte is mostly zero and the rest is text; a program's bytes are not."""
    head = sample[: len(sample) // 2 * 2][:2000]
    if len(head) < 8:
        return False
    first, second = head[0::2].count(0), head[1::2].count(0)
    if max(first, second) <= len(head) * 0.35 or min(first, second) > len(head) * 0.05:
        return False
    name = "utf-16-be" if first > second else "utf-16-le"
    try:
        return not _CONTROLS.search(codecs.getincrementaldecoder(name)().decode(head))
    except UnicodeDecodeError:
        return False


def _telling(sample: bytes) -> bytes:
    """The part of a sample that can tell something: what follows its first byte above 127."""
    match = _HIGH.search(sample)
    start = max(0, match.start() - 1024) if match else 0
    return sample[start : start + _SAMPLE]


def _guess(sample: bytes) -> str:
    # Western archives are cp1252 where they are not UTF-8; charset-normalizer is asked only for
    # what it can tell better (Central European, Cyrillic, old code pages). A few accents tell it
    # too little.
    if _decodes(sample, "cp1252") and _mostly_western(sample) and _few_accents(sample):
        return "cp1252"
    from charset_normalizer import from_bytes

    telling = len(_HIGH.findall(sample)) >= _TELLING
    best = from_bytes(sample, cp_isolation=None if telling else list(_USUAL)).best()
    if best is None:
        return "cp1252" if _decodes(sample, "cp1252") else "latin-1"
    western = {"cp1250", "cp1252", "latin_1", "iso8859_15", "cp1254", "cp1257", "cp1258"}
    western |= {"iso8859_9", "iso8859_2", "iso8859_10", "iso8859_13", "iso8859_14", "iso8859_16"}
    if best.encoding in western and _decodes(sample, "cp1252") and _mostly_western(sample):
        return "cp1252"
    return best.encoding


def _decodes(sample: bytes, name: str) -> bool:
    try:
        sample.decode(name)
    except UnicodeDecodeError:
        return False
    return True


def _few_accents(sample: bytes) -> bool:
    """Whether letters with accents are as rare as in Western languages."""
    letters = [character for character in sample.decode("cp1252") if character.isalpha()]
    return sum(ord(character) > 127 for character in letters) < 0.2 * len(letters)


def _mostly_western(sample: bytes) -> bool:
    high = [character for character in sample.decode("cp1252") if ord(character) > 127]
    usual = sum(c in "éèêëàâäçîïôöûüùæœÉÈÀÇÖÜÄßñíóúáì«»’‘“”–—°…·§" for c in high)
    return not high or usual >= 0.8 * len(high)
