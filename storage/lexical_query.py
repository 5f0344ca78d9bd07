"""Queries for the lexical index, built from tokens (never from a query language)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from storage.stems import stemmer
from trace_core.domain.corpus import Scope
from trace_core.ports import WeightedTerm

if TYPE_CHECKING:
    from tantivy import Query, Schema


@dataclass(frozen=True, slots=True)
class Wider:
    """The words that the first and the last word of a phrase may be the end and beginning of."""

    first: Sequence[str]
    last: Sequence[str]


_PATTERN_STATES = 700  # Tantivy refuses a pattern of more than 1000 states
_MAX_WORDS = 256  # different words of one query; a pasted page is cut here


class QueryBuilder:
    """Builds Tantivy queries over one schema. Each method gives None where nothing can match."""

    def __init__(self, schema: Schema) -> None:
        import tantivy

        self._schema = schema
        self._query = tantivy.Query
        self._occur = tantivy.Occur
        self._integer = tantivy.FieldType.Integer

    def text(self, words: Sequence[str], languages: Sequence[str], scope: Scope) -> Query | None:
        """Words as they stand and their stems, joined by OR; a repeated word counts as often.

        Stems of all the index's languages lie in one field and are searched at once: a chunk
        meets those of its own language. One flat OR lets Tantivy skip whole blocks.
        """
        counts = Counter(words).most_common(_MAX_WORDS)
        distinct = [word for word, _ in counts]
        variants = zip(*(stemmer(language).stems(distinct) for language in languages), strict=True)
        stems: Counter[str] = Counter()
        for (_, count), forms in zip(counts, variants, strict=False):
            for stem in set(forms):
                stems[stem] += count
        parts = [
            self._boosted(self._term(field, token), float(count))
            for field, pairs in (("folded", counts), ("stem", stems.items()))
            for token, count in pairs
        ]
        return self._within(self._any(parts), scope) if parts else None

    def terms(self, terms: Iterable[WeightedTerm], scope: Scope) -> Query | None:
        """Weighted tokens, joined by OR."""
        parts = [
            self._boosted(self._whole(words), term.weight)
            for term in terms
            if term.weight > 0 and (words := term.text.split())
        ]
        return self._within(self._any(parts), scope) if parts else None

    def best(
        self, groups: Iterable[Iterable[WeightedTerm]], ties: Iterable[WeightedTerm], scope: Scope
    ) -> Query | None:
        """Groups of which the heaviest term counts, with its weight alone, and BM25 for ties."""
        parts = []
        for group in groups:
            fixed = [
                self._query.const_score_query(self._whole(words), term.weight)
                for term in group
                if term.weight > 0 and (words := term.text.split())
            ]
            if fixed:
                one = fixed[0] if len(fixed) == 1 else self._query.disjunction_max_query(fixed)
                parts.append(one)
        if not parts:
            return None
        must, should = self._occur.Must, self._occur.Should
        further = [
            (should, self._boosted(self._whole(words), term.weight))
            for term in ties
            if term.weight > 0 and (words := term.text.split())
        ]
        found = self._any(parts)
        if further:
            found = self._query.boolean_query([(must, found), *further])
        return self._within(found, scope)

    def phrase(self, words: Sequence[str], wider: Wider, scope: Scope) -> Query | None:
        """Words side by side, in order, the outer ones perhaps parts of longer words."""
        if not words:
            return None
        parts = [self._whole(words)]
        if len(words) == 1:
            if len(wider.first) > 1:
                inside = self._query.term_set_query(self._schema, "folded", list(wider.first))
                parts.append(inside)
        elif len(wider.first) > 1 or len(wider.last) > 1:
            pattern: list[str | tuple[int, str]] = [_either(wider.first)]
            pattern += [*words[1:-1], _either(wider.last)]
            parts.append(self._query.regex_phrase_query(self._schema, "folded", pattern))
        return self._within(self._any(parts), scope)

    def _whole(self, words: Sequence[str]) -> Query:
        # A phrase query of one word makes Tantivy panic.
        if len(words) == 1:
            return self._term("folded", words[0])
        return self._query.phrase_query(self._schema, "folded", list(words))

    def _term(self, field: str, value: object) -> Query:
        return self._query.term_query(self._schema, field, value, "freq")

    def _boosted(self, query: Query, weight: float) -> Query:
        return query if weight == 1.0 else self._query.boost_query(query, weight)

    def _any(self, queries: Sequence[Query]) -> Query:
        if len(queries) == 1:
            return queries[0]
        return self._query.boolean_query([(self._occur.Should, query) for query in queries])

    def _within(self, query: Query, scope: Scope) -> Query:
        filters = self._filters(scope)
        if not filters:
            return query
        must = self._occur.Must
        weightless = [(must, self._query.const_score_query(f, 0.0)) for f in filters]
        return self._query.boolean_query([(must, query), *weightless])

    def _filters(self, scope: Scope) -> list[Query]:
        filters = []
        if scope.corpora:
            named = list(scope.corpora)
            filters.append(self._query.term_set_query(self._schema, "corpus", named))
        if scope.dated:
            dated = []
            if scope.latest is not None:
                dated.append(self._range("earliest", None, scope.latest))
            if scope.earliest is not None:
                dated.append(self._range("latest", scope.earliest, None))
            inside = self._query.boolean_query([(self._occur.Must, part) for part in dated])
            if scope.include_undated:
                inside = self._any([inside, self._term("dated", 0)])
            filters.append(inside)
        return filters

    def _range(self, field: str, low: int | None, high: int | None) -> Query:
        return self._query.range_query(self._schema, field, self._integer, low, high)


def _either(words: Sequence[str]) -> str:
    """A pattern for these words, as many of the first ones as Tantivy's automaton can hold."""
    kept: list[str] = []
    room = _PATTERN_STATES
    for word in words:
        room -= len(word.encode()) + 3
        if room < 0 and kept:
            break
        kept.append(re.escape(word))
    return "(?:" + "|".join(kept) + ")"
