"""Stems of the indexed layer's tokens, as the lexical index holds them.

Stems come from Tantivy's Snowball stemmers over folded tokens (folding first makes OCR'd and
accented spellings meet in one stem); a language without a stemmer keeps its tokens.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from trace_core.text.stem import STEMMERS

if TYPE_CHECKING:
    from tantivy import TextAnalyzer

_CACHE_LIMIT = 100_000  # distinct words a language


class Stemmer:
    """Stems of one language, remembered: an archive repeats its words."""

    def __init__(self, language: str) -> None:
        self._analyzer = _analyzer(STEMMERS[language]) if language in STEMMERS else None
        self._known = _Known(self._analyzer)

    def stems(self, words: list[str]) -> list[str]:
        """The stem of each word; the words themselves where the language has no stemmer."""
        if self._analyzer is None:
            return words
        if len(self._known) > _CACHE_LIMIT:
            self._known = _Known(self._analyzer)
        return list(map(self._known.__getitem__, words))


class _Known(dict[str, str]):
    """Stems by word, found when they are first asked for."""

    def __init__(self, analyzer: TextAnalyzer | None) -> None:
        super().__init__()
        self._analyze = analyzer.analyze if analyzer is not None else str.split

    def __missing__(self, word: str) -> str:
        found = self._analyze(word)
        stem = str(found[0]) if found else word
        self[word] = stem
        return stem


def stem_language(language: str) -> str:
    """The language whose stemmer serves a language (ISO 639-1, perhaps with a region), or ""."""
    short = language[:2].lower()
    return short if short in STEMMERS else ""


def stemmer(language: str) -> Stemmer:
    """The shared stemmer of a language; one that changes nothing where there is none."""
    return _stemmer(stem_language(language))


@cache
def _stemmer(language: str) -> Stemmer:
    return Stemmer(language)


def _analyzer(name: str) -> TextAnalyzer:
    from tantivy import Filter, TextAnalyzerBuilder, Tokenizer

    return TextAnalyzerBuilder(Tokenizer.raw()).filter(Filter.stemmer(name)).build()
