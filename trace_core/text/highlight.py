"""Where the words of a query stand in a shown text: exactly, by their stem, across line ends."""

from __future__ import annotations

from collections.abc import Iterable

from trace_core.text.layers import layer
from trace_core.text.places import flat, places
from trace_core.text.stem import stem
from trace_core.text.tokens import words, words_of

_SHORT = 3  # characters; shorter words are articles and particles more often than not


def query_terms(query: str) -> list[str]:
    """The words of a query that are worth marking, folded, each once, in their order.

    Words under three characters are left out, unless they are figures or there are no others.
    """
    found = list(dict.fromkeys(words(query)))
    long = [word for word in found if len(word) >= _SHORT or word.isdigit()]
    return long or found


def spans(shown: str, terms: Iterable[str], language: str = "") -> list[tuple[int, int]]:
    """The spans of a shown text where one of the terms stands, in order, none touching another.

    A term is one word (found exactly after folding, or by its stem in the given language, an ISO
    639-1 code) or several (found only as that sequence). A word that a line end cuts is one span.
    """
    single, sequences = _wanted(terms)
    if not single and not sequences:
        return []
    stems = {stem(term, language) for term in single}
    level = flat(shown)
    layered = layer(shown) if level is None else None
    indexed = layered.indexed if layered else level or ""
    standing = set(words_of(indexed))
    # No stemmer changes a word's first letter, so most words need no stem.
    firsts = {word[0] for word in stems}
    hits = [w for w in standing if w in single or (w[0] in firsts and stem(w, language) in stems)]
    wanted: list[tuple[str, ...]] = [(word,) for word in hits]
    wanted += [sequence for word in standing & sequences.keys() for sequence in sequences[word]]
    found = sorted(place for parts in wanted for place in places(indexed, parts))
    return _merged(found if layered is None else (layered.to_shown(*place) for place in found))


def _wanted(terms: Iterable[str]) -> tuple[set[str], dict[str, list[tuple[str, ...]]]]:
    """Single words, and sequences of words by their first one."""
    single: set[str] = set()
    sequences: dict[str, list[tuple[str, ...]]] = {}
    for term in terms:
        parts = tuple(words(term))
        if len(parts) == 1:
            single.add(parts[0])
        elif parts:
            sequences.setdefault(parts[0], []).append(parts)
    return single, sequences


def _merged(found: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for start, end in found:
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged
