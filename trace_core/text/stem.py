"""Stems of folded tokens, to highlight what the stemmed index finds.

The stemmers are those of the index itself (Snowball, as Tantivy ships it), so that page and index
cannot disagree. Folding comes first: accented and accent-less OCR spellings then share a stem.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any

#: Languages (ISO 639-1) with a stemmer, by Snowball's name.
STEMMERS = {"de": "german", "en": "english", "fr": "french", "it": "italian"}
_REMEMBERED = 100_000  # distinct words a language


def stem(token: str, language: str) -> str:
    """The stem of a folded token; the token itself where the language has no stemmer."""
    name = STEMMERS.get(language[:2].lower())
    return token if name is None else _stemmer(name)(token)


@cache
def _stemmer(name: str) -> Callable[[str], str]:
    from tantivy import Filter, TextAnalyzerBuilder, Tokenizer

    analyzer: Any = TextAnalyzerBuilder(Tokenizer.raw()).filter(Filter.stemmer(name)).build()

    @lru_cache(maxsize=_REMEMBERED)
    def stem_of(token: str) -> str:
        found = analyzer.analyze(token)
        return str(found[0]) if found else token

    return stem_of
