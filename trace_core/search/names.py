"""Names in a question: capitalised sequences and quoted phrases, by rules for three languages.

In: a question in French, English or German. Out: names in the order in which they stand, each
with the folded words by which a passage can be seen to hold it. Nothing is looked up: a name is
what a writer's capitals and quotation marks make one. In German, where every noun has a capital,
a single capitalised word is marked uncertain unless a title stands before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from trace_core.search.words import (
    any_function_words,
    function_words,
    language_of,
)
from trace_core.text.folding import fold as folded
from trace_core.text.tokens import words as folded_words

_QUOTED = re.compile(
    r"«\s*([^«»]{2,120}?)\s*»|“([^“”]{2,120})”|„([^„“”]{2,120})[“”]|\"([^\"]{2,120})\""
    r"|‹\s*([^‹›]{2,120}?)\s*›|(?<![\w'’])['‘]([^'‘’]{2,120})['’](?!\w)"
)
_TOKEN = re.compile(r"[^\W\d_]+(?:[-‐][^\W\d_]+)*\.?|\d+|[^\w\s]")


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_PARTICLES = _set(
    """
    de du des d la le von vom van der den dem zu zum zur af of da di del della dos ter ten
    """
)
_ARTICLES = _set(
    """
    le la les l the der die das den dem il lo
    """
)
_TITLES = _set(
    """
    m mm mr mrs ms mme mlle mgr me dr prof sir lord lady herr herrn frau fraulein graf grafin baron
    general colonel capitaine president ministre senateur depute comte duc prince major captain
    minister king queen kaiser konig hauptmann oberst abbe pere saint st
    """
)
_ABBREVIATED = _set(
    """
    m mm mr mrs ms mme mlle mgr me dr prof st
    """
)
_CALENDAR = _set(
    """
    january february march april may june july august september october november december januar
    februar marz april mai juni juli august september oktober november dezember janvier fevrier mars
    avril juin juillet aout septembre octobre novembre decembre monday tuesday wednesday thursday
    friday saturday sunday montag dienstag mittwoch donnerstag freitag samstag sonntag lundi mardi
    mercredi jeudi vendredi samedi dimanche
    """
)
_ORDERS = _set(
    """
    compare compares comparez comparer classe classez citez decris decrivez describe explain
    explique expliquez expliquer find finde trouve trouver trouvez list liste listez listen montre
    montrez nenne nennen resume resumez show summarize vergleiche vergleichen beschreibe beschreiben
    identify identifie identifiez give donne donnez rank
    """
)
_ROMAN = re.compile(r"[IVXLC]+(?:er|e)?")


@dataclass(frozen=True, slots=True)
class Name:
    """A name as written, and the folded words (particles and titles left out) that make it.

    `certain` is False where only a capital at the start of a sentence, or of any German noun,
    speaks for it. `kind` tells a quoted phrase from a name.
    """

    text: str
    words: tuple[str, ...]
    kind: Literal["name", "quoted"] = "name"
    certain: bool = True


@dataclass(frozen=True, slots=True)
class _Token:
    text: str
    start: int
    end: int
    first: bool

    @property
    def bare(self) -> str:
        return _bare(self.text)

    @property
    def capital(self) -> bool:
        return self.text[0].isupper()


@lru_cache(maxsize=50_000)
def _bare(word: str) -> str:
    return folded(word.rstrip("."))


def find_names(text: str, leave_out: Iterable[str] = (), language: str = "") -> tuple[Name, ...]:
    """The names in a text, each once.

    `leave_out` are names that are none here (the sub-corpora's own). `language` is an ISO 639-1
    code; it is guessed from the function words where it is not given.
    """
    code = language or language_of(text)
    quoted, rest = _quoted(text)
    names = quoted + _capitalised(rest, code)
    unwanted = {tuple(_key(phrase)) for phrase in leave_out}
    kept: dict[tuple[str, ...], Name] = {}
    for name in names:
        if name.words and tuple(_key(name.text)) not in unwanted:
            known = kept.get(name.words)
            if known is None or (name.certain and not known.certain):
                kept[name.words] = name
    return tuple(kept.values())


def _key(phrase: str) -> list[str]:
    """The words by which two spellings of a sub-corpus's name are the same: no article."""
    words = folded_words(phrase)
    return words[1:] if len(words) > 1 and words[0] in _ARTICLES else words


def _quoted(text: str) -> tuple[list[Name], str]:
    """Quoted phrases, and the text with each of them blanked out."""
    found: list[Name] = []

    def take(match: re.Match[str]) -> str:
        phrase = next(group for group in match.groups() if group)
        found.append(Name(phrase.strip(), tuple(folded_words(phrase)), "quoted"))
        return " " * (match.end() - match.start())

    return found, _QUOTED.sub(take, text)


def _tokens(text: str) -> list[_Token]:
    tokens: list[_Token] = []
    first = True
    for match in _TOKEN.finditer(text):
        written = match.group()
        if written[0].isalpha() and written.endswith("."):
            # A full stop belongs to an initial or an abbreviated title, else it ends a sentence.
            bare = _bare(written)
            keeps = len(bare) == 1 or bare in _ABBREVIATED
            end = match.end() if keeps else match.end() - 1
            tokens.append(_Token(text[match.start() : end], match.start(), end, first))
            first = not keeps
            if not keeps:
                tokens.append(_Token(".", match.end() - 1, match.end(), False))
            continue
        tokens.append(_Token(written, match.start(), match.end(), first))
        # An apostrophe that elides keeps the next word at the start of its sentence.
        if written in ".?!:;…":
            first = True
        elif written[0].isalnum() and not _elides(text, match.end()):
            first = False
    return tokens


def _elides(text: str, end: int) -> bool:
    return text[end : end + 1] in {"'", "’"}


def _capitalised(text: str, language: str) -> list[Name]:
    tokens = _tokens(text)
    names: list[Name] = []
    at = 0
    while at < len(tokens):
        end = _sequence_end(tokens, at, language)
        if end == at:
            at += 1
            continue
        name = _as_name(tokens[at:end], text, language, titled=_titled(tokens, at))
        if name is not None:
            names.append(name)
        at = end
    return names


def _sequence_end(tokens: Sequence[_Token], at: int, language: str) -> int:
    """One behind the last token of the name that begins at `at`; `at` where none begins."""
    if not _begins(tokens[at], language):
        return at
    end, ahead = at + 1, at + 1
    while ahead < len(tokens):
        token = tokens[ahead]
        if token.text in {"'", "’"} or token.bare in _PARTICLES:
            ahead += 1
            if ahead - end > 3:
                break
            continue
        if not (token.capital and token.text[0].isalpha()) or token.first:
            break
        if token.bare in _CALENDAR or token.bare in _TITLES or _parted(tokens, end, ahead):
            break
        end = ahead = ahead + 1
    return end


def _parted(tokens: Sequence[_Token], end: int, ahead: int) -> bool:
    """Whether an apostrophe that elides nothing (a possessive) parts two capitals."""
    between = tokens[end:ahead]
    return (
        bool(between)
        and between[0].text in {"'", "’"}
        and tokens[end - 1].bare not in {"l", "d", "o"}
    )


def _begins(token: _Token, language: str) -> bool:
    if not token.text[0].isalpha() or not token.capital or token.bare in _CALENDAR:
        return False
    if token.text.endswith(".") and len(token.bare) == 1:
        return True
    grammar = function_words(language) or any_function_words()
    if token.first:
        plain = token.bare in grammar or token.bare in _ORDERS
        return not plain or token.bare in _ARTICLES
    return token.bare not in grammar or token.bare in _ARTICLES or token.bare in _TITLES


def _titled(tokens: Sequence[_Token], at: int) -> bool:
    before = at - 1
    while before >= 0 and tokens[before].bare in _PARTICLES:
        before -= 1
    return before >= 0 and tokens[before].bare in _TITLES


def _as_name(tokens: Sequence[_Token], text: str, language: str, *, titled: bool) -> Name | None:
    first = tokens[0].first
    while tokens and (tokens[0].bare in _TITLES or tokens[0].text in {".", "'", "’"}):
        titled = True
        tokens = tokens[1:]
    words = [t for t in tokens if t.text[0].isalnum()]
    own = [t for t in words if t.bare not in _PARTICLES | _ARTICLES and not _numeral(t)]
    if not own or (len(own) == 1 and len(own[0].bare) == 1):
        return None
    written = text[tokens[0].start : tokens[-1].end].strip()
    alone = len(own) == len(words) == 1 and not titled
    certain = not (alone and (first or language == "de"))
    spelt = [word for token in own for word in folded_words(token.text)]
    longer = [word for word in spelt if len(word) > 1]
    return Name(written, tuple(longer or spelt), "name", certain)


def _numeral(token: _Token) -> bool:
    return bool(_ROMAN.fullmatch(token.text)) and len(token.text) <= 6
