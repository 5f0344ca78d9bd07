"""Tokens as the lexical index holds them: of the indexed layer, and their stems.

Stems come from Tantivy's Snowball stemmers over folded tokens (folding first makes OCR'd and
accented spellings meet in one stem); a language without a stemmer keeps its tokens.
"""

from __future__ import annotations

import threading
from functools import cache
from typing import Any

from trace_core.text.stem import STEMMERS
from trace_core.text.tokens import words

MAX_TOKEN = 200  # characters; longer ones are noise of bad OCR, and Tantivy drops those of 64 kB
_CACHE_LIMIT = 300_000


def tokens(text: str) -> list[str]:
    """The tokens of the indexed layer of a text, in order; a monstrous one is cut."""
    found = words(text)
    if max(map(len, found), default=0) > MAX_TOKEN:
        return [token[:MAX_TOKEN] for token in found]
    return found


class Stemmer:
    """Stems of one language, remembered: an archive repeats its words."""

    def __init__(self, language: str) -> None:
        self._analyzer: Any = _analyzer(STEMMERS[language]) if language in STEMMERS else None
        self._known: dict[str, str] = {}
        self._lock = threading.Lock()

    def stems(self, words: list[str]) -> list[str]:
        """The stem of each word; the words themselves where the language has no stemmer."""
        if self._analyzer is None:
            return words
        known = self._known
        try:
            return [known[word] for word in words]
        except KeyError:
            return self._learn(words)

    def _learn(self, words: list[str]) -> list[str]:
        with self._lock:
            known = self._known if len(self._known) < _CACHE_LIMIT else {}
            missing = [word for word in dict.fromkeys(words) if word not in known]
            found = self._analyzer.analyze(" ".join(missing))
            if len(found) != len(missing):  # a token that the analyzer does not take for one
                found = [(self._analyzer.analyze(word) or [word])[0] for word in missing]
            known.update(zip(missing, found, strict=True))
            self._known = known
            return [known[word] for word in words]


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


def _analyzer(name: str) -> Any:
    from tantivy import Filter, TextAnalyzerBuilder, Tokenizer

    builder = TextAnalyzerBuilder(Tokenizer.whitespace()).filter(Filter.stemmer(name))
    return builder.build()
