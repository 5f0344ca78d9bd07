"""The folding that makes the indexed layer: what the index and every comparison see of a text.

In this order: Unicode NFC; combining marks off; words joined across hyphenated line ends and soft
hyphens out; letter-spaced words closed up; then each character in lower case, without accents,
ligatures and old letter forms spelt out (œ, æ, ſ, ß, ﬁ). Private-use characters and everything
that is no letter stay as they are. :func:`fold` does it fast and forgets where things stood;
``layers.layer`` remembers.
"""

from __future__ import annotations

import itertools
import re
import unicodedata

#: Changes whenever the same text would be folded or cut into tokens otherwise; what is indexed
#: must then be anew.
FOLDING = "3"

#: Accents and other marks that are no letters of their own in any script.
_MARKS = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u064b-\u065f\u0670"
    "\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"
)
MARKS = re.compile(f"[{_MARKS}]+")

#: Letters that Unicode does not decompose, with what the index holds for them.
_SPELT = {
    "æ": "ae", "œ": "oe", "ß": "ss", "ſ": "s", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "ł": "l",
    "ħ": "h", "ı": "i", "ĸ": "q", "ŋ": "n", "ŧ": "t", "ꝛ": "r", "ⱥ": "a", "ɛ": "e",
}  # fmt: skip

_LINE_END = r"(?:[ \t]*\r?\n){1,2}[ \t]*"
_LETTER_BEFORE = r"(?<=[^\W\d_].)"
#: Old print repeats the quotation mark of a long quotation at the beginning of each line; before a
#: capital a quotation begins there.
_REPEATED_QUOTE = r"(?:[»«“”„‟\"]{1,2}[ \t]{0,2}(?![A-ZÀ-ÖØ-Þ]))?"
#: A hyphen at a line end with the letter that follows, a sign that only ever splits words
#: (¬, soft hyphen), and soft hyphens inside words. German *Haus- und Hof* keeps its hyphen.
JOINS = re.compile(
    rf"[-=⸗‐]{_LETTER_BEFORE}{_LINE_END}{_REPEATED_QUOTE}(?!(?:und|oder|sowie)(?!\w))(?=([^\W_]))"
    rf"|[¬\xad]{_LETTER_BEFORE}{_LINE_END}{_REPEATED_QUOTE}(?=[^\W_])"
    rf"|¬{_LETTER_BEFORE}[ \t]{{0,3}}(?=[^\W_])"
    r"|\xad",
    re.DOTALL,
)
#: Letters with a blank between each two, as printers stress a word (*E n g l a n d*). Fraktur keeps
#: its ligatures together even then (*m ö g l i ch*), so these count as one letter.
_SPACED = re.compile(
    r"(?<![^\W_])(?:c[hk]|[sſ]t|tz|[^\W\d_])(?: (?:c[hk]|[sſ]t|tz|[^\W\d_])){3,}(?![^\W_])"
)
_ALONE = re.compile(" (?=. )")  # cheap; the second letter of a spaced word stands so
_LEAST_SPACED = 4  # letters
_FEW = 100  # distinct characters up to which replacing one after another is the fastest way
_LINE_END_SIGNS = "-=⸗‐"


class _FoldTable(dict[int, str]):
    """What each code point becomes; filled on demand, for ``str.translate``."""

    def __missing__(self, code: int) -> str:
        folded = _fold_char(chr(code))
        self[code] = folded
        return folded


def _fold_char(char: str) -> str:
    before, folded = "", char
    while folded != before:
        before = folded
        folded = "".join(_SPELT.get(c, c) for c in folded.casefold())
        if any(unicodedata.category(c)[0] == "L" for c in folded):
            folded = unicodedata.normalize("NFKD", folded)
        folded = unicodedata.normalize("NFC", MARKS.sub("", folded))
    return folded


FOLD_TABLE = _FoldTable()


def _fold_latin_table() -> tuple[bytes, list[bytes]]:
    """The folding of Latin-1 as a table of bytes, and the letters that it cannot hold (ß, æ …)."""
    table, others = bytearray(range(256)), []
    for code in range(256):
        folded = FOLD_TABLE[code]
        if len(folded) == 1 and ord(folded) < 256:
            table[code] = ord(folded)
        else:
            others.append(bytes([code]))
    return bytes(table), others


_LATIN, _NOT_LATIN = _fold_latin_table()


def _is_latin(text: str) -> bool:
    """Whether every letter of a text is one of Latin-1 and folds to one; most texts are."""
    try:
        encoded = text.encode("latin-1")
    except UnicodeEncodeError:
        return False
    return not any(letter in encoded for letter in _NOT_LATIN)


def keeps_hyphen(match: re.Match[str]) -> bool:
    """Whether a hyphen at a line end stays: before a capital or a figure it joins nothing."""
    following = match[1]
    return following is not None and (following.isupper() or following.isdigit())


def _joined(match: re.Match[str]) -> str:
    return match[0] if keeps_hyphen(match) else ""


def may_join(text: str) -> bool:
    """Whether a text can hold a word to be joined: a quick look for line ends and signs."""
    if "\xad" in text or "¬" in text:
        return True
    return "\n" in text and any(sign in text for sign in _LINE_END_SIGNS)


def spaced_blanks(text: str) -> list[int]:
    """The places of the blanks inside letter-spaced words, in order.

    Fewer than four letters are initials or articles rather than a word. A capital behind a small
    letter begins a new word where both words are long enough to be some.
    """
    found: list[int] = []
    done = 0
    for alone in _ALONE.finditer(text):
        place = alone.start()
        if place < max(done, 1):
            continue
        match = _SPACED.match(text, place - 1) or _SPACED.match(text, max(place - 2, 0))
        if match is None:
            continue
        start, done, run = match.start(), match.end(), match[0]
        blanks = [i for i, char in enumerate(run) if char == " "]
        between = {i for i in blanks if run[i - 1].islower() and run[i + 1].isupper()}
        ends = [-1, *sorted(between), len(run)]
        long = all(
            len(run[begin + 1 : end].split(" ")) >= _LEAST_SPACED
            for begin, end in itertools.pairwise(ends)
        )
        found += [start + i for i in blanks if not (long and i in between)]
    return found


def without(text: str, places: list[int]) -> str:
    """The text without the characters at these places, given in order."""
    kept, before = [], 0
    for place in places:
        kept.append(text[before:place])
        before = place + 1
    kept.append(text[before:])
    return "".join(kept)


def fold_word(word: str) -> str:
    """The fold of a word that is letters alone, composed: the quick way."""
    return word.lower() if word.isascii() else word.translate(FOLD_TABLE)


def folded_line(text: str) -> str:
    """A text folded, with single blanks: two questions that agree in it are the same."""
    return " ".join(fold(text).split())


def fold(text: str) -> str:
    """The indexed layer of a text, without the way back.

    Equal to ``layer(text).indexed`` for every text that is its own shown layer.
    """
    if not _is_latin(text):
        return _fold_any(text)
    # Latin-1 is composed already and has no marks; one table of bytes folds all of its letters.
    return _closed_up(text).encode("latin-1").translate(_LATIN).decode("latin-1")


def _closed_up(text: str) -> str:
    """Words joined across line ends, and letter-spaced ones closed up."""
    if may_join(text):
        text = JOINS.sub(_joined, text)
    if blanks := spaced_blanks(text):
        text = without(text, blanks)
    return text


def _fold_any(text: str) -> str:
    if not unicodedata.is_normalized("NFC", text):
        text = unicodedata.normalize("NFC", text)
    others = {char for char in set(text) if char > "\x7f"}
    if MARKS.search("".join(others)):
        text = MARKS.sub("", text)
    text = _closed_up(text)
    if len(others) > _FEW:
        return text.translate(FOLD_TABLE)
    text = text.lower()
    if "Σ" in others:
        others.add("ς")  # at a word's end, str.lower makes it of Σ
    for char in {char.lower() for char in others}:
        folded = "".join(FOLD_TABLE[ord(part)] for part in char)
        if folded != char:
            text = text.replace(char, folded)
    return text
