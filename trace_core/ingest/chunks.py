"""Cutting a shown text into chunks that end at sentence ends, for search and for review.

In: a text and the most words that a chunk may have. Out: spans of the text, in order, that cover
everything but white space, none of which cuts a word. Chunks are filled greedily with whole
sentences; a sentence that alone is too long is cut at a word. Linear in the text.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from trace_core.domain.errors import BadInput

_WORD = re.compile(r"\S+")
_LOOK = 64  # characters of a word that are looked at: a longer one is no abbreviation
#: What may follow the full stop of a sentence and still belongs to it.
_CLOSERS = "\"'»”’“)]}›*"
_OPENERS = "\"'«„“‘([{‹—–-"
_ENDS = frozenset(".!?…")
#: Where a sentence may end: white space after a stop or what may follow one, or after a line end.
_GAP = re.compile(rf"[.!?…{re.escape(_CLOSERS)}\n]\s+")
#: Abbreviations in lower case without their last point; after them a sentence goes on. Single
#: letters are not listed: they count as initials.
_SHORTENED = """
mm mme mmes mlle mlles mgr dr drs pr prof st ste sts stes sr jr mr mrs ms messrs hon rev gen gén lt
capt sgt maj adm gov vve nr nrs art arts alin pp pag ff fol vv vol vols tom tit chap sect pl éd edit
édit éds eds cf conf op cit loc ibid sq sqq usw ca circa vgl bzw etwa evtl ggf hl hr hrn frl fr bd
bde hrsg abs abt bl jg jh jhdt kap sog str zt u.a d.h z.b i.e e.g viz vs resp janv jan févr fév fev
feb febr avr apr juil jul aug oct okt nov déc dec dez av j.-c chr n.-d ss ll dép dépt arr cant bd
boul fcs frs cts kg km cm hl ms mss
"""
_ABBREVIATIONS = frozenset(_SHORTENED.split())
#: Words that are abbreviations only before a figure: *no. 7*, but *he said no. Then*.
_BEFORE_FIGURES = frozenset({"no", "nos", "num", "fig", "col", "sec", "cap", "tel", "ed", "sept"})
_INITIAL = re.compile(r"(?:[^\W\d_]\.-?)*[^\W\d_]")
_NUMBER = re.compile(r"[\dIVXLCM]+")


class Span(NamedTuple):
    """A chunk: its place in the shown text, the page on which it begins, its number of words."""

    start: int
    end: int
    page: int | None
    words: int


def split(
    text: str, *, max_words: int = 250, overlap: float = 0.0, pages: Sequence[int] = ()
) -> list[Span]:
    """The chunks of a text, each of at most ``max_words`` words between white space.

    ``overlap`` is the share of ``max_words`` that a chunk may repeat from the end of the one
    before it, in whole sentences (the method's authors repeat 0.12). ``pages`` are the places
    where the pages begin; without them a chunk has no page. Raises :class:`BadInput` for a limit
    below one word or an overlap outside 0 to 0.5.
    """
    if max_words < 1:
        raise BadInput(f"A chunk cannot have {max_words} words; give at least 1.")
    if not 0 <= overlap <= 0.5:
        raise BadInput(f"An overlap of {overlap} is not possible; give a share from 0 to 0.5.")
    repeated = int(max_words * overlap)
    chunks: list[Span] = []
    held: list[_Sentence] = []
    count = fresh = 0
    for sentence in sentences_of(text, max_words):
        if count + sentence.words > max_words and fresh:
            chunks.append(_chunk(held, pages))
            held = _tail(held, min(repeated, max_words - sentence.words))
            count, fresh = sum(kept.words for kept in held), 0
        held.append(sentence)
        count, fresh = count + sentence.words, fresh + 1
    if fresh:
        chunks.append(_chunk(held, pages))
    return chunks


class _Sentence(NamedTuple):
    start: int
    end: int
    words: int


def _chunk(sentences: list[_Sentence], pages: Sequence[int]) -> Span:
    start = sentences[0].start
    page = bisect_right(pages, start) - 1 if pages else None
    words = sum(sentence.words for sentence in sentences)
    return Span(start, sentences[-1].end, None if page is None else max(page, 0), words)


def _tail(sentences: list[_Sentence], most: int) -> list[_Sentence]:
    """The last whole sentences that together have at most so many words."""
    kept: list[_Sentence] = []
    for sentence in reversed(sentences):
        most -= sentence.words
        if most < 0:
            break
        kept.append(sentence)
    return kept[::-1]


def sentences_of(text: str, max_words: int) -> Iterator[_Sentence]:
    """Sentences with their number of words; one that is too long comes in parts."""
    start = 0
    closed = False  # the word before the gap is a lone » that ends its sentence
    for match in _GAP.finditer(text):
        place = match.start() + (match[0][0] != "\n")
        # As far as the last characters of a word tell how a sentence ends.
        before = text[max(0, place - _LOOK) : place].rsplit(maxsplit=1)
        after = text[match.end() : match.end() + _LOOK].split(maxsplit=1)
        if not before or not after:
            continue
        last, following = before[-1], after[0]
        ends = closed or _ends_sentence(last, following)
        closed = ends and not following.strip(_CLOSERS)
        if (ends and not closed) or _new_paragraph(last, match[0], following):
            words = len(text[start:place].split())
            # Behind a gap there is no white space to take off.
            if start and words <= max_words and not text[place - 1].isspace():
                yield _Sentence(start, place, words)
            else:
                yield from _parts(text, start, place, max_words)
            start, closed = match.end(), False
    yield from _parts(text, start, len(text), max_words)


def _parts(text: str, start: int, end: int, max_words: int) -> Iterator[_Sentence]:
    """A sentence whole, or in parts of `max_words` words where it has more."""
    piece = text[start:end].rstrip()
    words = len(piece.split())
    if not words:
        return
    if words <= max_words:
        length = len(piece)
        yield _Sentence(start + length - len(piece.lstrip()), start + length, words)
        return
    begin = count = last = 0
    for match in _WORD.finditer(text, start, end):
        if count == max_words:
            yield _Sentence(begin, last, count)
            count = 0
        if not count:
            begin = match.start()
        last, count = match.end(), count + 1
    yield _Sentence(begin, last, count)


def _new_paragraph(word: str, gap: str, following: str) -> bool:
    """Whether a blank line stands between two words, unless it cuts a hyphenated word in two."""
    if len(gap) < 2 or gap.count("\n") < 2:
        return False
    return not (word[-1] in "-¬=⸗\xad" and following[0].islower())


def _ends_sentence(word: str, following: str) -> bool:
    """Whether a sentence ends with a word, given the word that follows."""
    if word[-1] not in _ENDS and word[-1] not in _CLOSERS:
        return False
    stem = word[:-1]
    if word[-1] == "." and following[0].isupper() and stem.islower() and stem.isalpha():
        return len(stem) > 1 and stem not in _ABBREVIATIONS  # what most sentences end with
    bare = word.rstrip(_CLOSERS)
    if not bare or bare[-1] not in _ENDS:
        return False
    begins = following.lstrip(_OPENERS)[:1]
    if begins.islower():
        return False
    if bare[-1] != "." or bare.endswith(("..", "?.", "!.")):
        return True
    return not _abbreviated(bare[:-1].lstrip(_OPENERS), begins)


def _abbreviated(stem: str, begins: str) -> bool:
    """Whether a word before a point is shortened rather than the last of its sentence.

    A number before a capital ends a sentence only if it has more than two figures: *le 12. Mai*
    and *Art. 3. Die* stay together, *en 1887. Le* does not.
    """
    lowered = stem.lower()
    if lowered.replace("’", "'").rpartition("'")[2] in _ABBREVIATIONS:
        return True
    if lowered in _BEFORE_FIGURES:
        return begins.isdigit()
    if _INITIAL.fullmatch(stem):
        return True
    if _NUMBER.fullmatch(stem):
        return len(stem) <= 2 or not stem.isdigit() or begins.isdigit()
    return False
