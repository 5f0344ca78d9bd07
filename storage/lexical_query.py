"""Queries for the lexical index, built from tokens (never from a query language)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from storage.tokens import STEMMERS, stemmer
from trace_core.domain.corpus import Scope
from trace_core.ports import WeightedTerm

_MAX_WORDS = 256  # different words of one query; a pasted page is cut here


class QueryBuilder:
    """Builds Tantivy queries over one schema. Each method gives None where nothing can match."""

    def __init__(self, schema: Any) -> None:
        import tantivy

        self._schema = schema
        self._query = tantivy.Query
        self._occur = tantivy.Occur
        self._integer = tantivy.FieldType.Integer

    def text(self, searcher: Any, words: Sequence[str], scope: Scope) -> Any:
        """Words as they stand and their stems, joined by OR; a repeated word counts as often."""
        counts = Counter(words).most_common(_MAX_WORDS)
        if not counts:
            return None
        languages = self._languages(searcher)
        parts = [self._boosted(self._word(word, languages), float(count)) for word, count in counts]
        return self._within(self._any(parts), scope)

    def terms(self, terms: Iterable[WeightedTerm], scope: Scope) -> Any:
        """Weighted tokens, joined by OR."""
        parts = [
            self._boosted(self._term("folded", term.text), term.weight)
            for term in terms
            if term.text and term.weight > 0
        ]
        return self._within(self._any(parts), scope) if parts else None

    def phrase(self, words: Sequence[str], scope: Scope) -> Any:
        """Words side by side, in order."""
        if not words:
            return None
        if len(words) == 1:
            return self._within(self._term("folded", words[0]), scope)
        phrase = self._query.phrase_query(self._schema, "folded", list(words))
        return self._within(phrase, scope)

    def _languages(self, searcher: Any) -> list[str]:
        return [lang for lang in STEMMERS if searcher.doc_freq("language", lang)]

    def _word(self, word: str, languages: Sequence[str]) -> Any:
        stems = {stemmer(language).stems([word])[0] for language in languages} | {word}
        plain = self._term("folded", word)
        stemmed = [self._term("stem", stem) for stem in sorted(stems)]
        if len(stemmed) > 1:
            stemmed = [self._query.disjunction_max_query(stemmed)]
        return self._any([plain, *stemmed])

    def _term(self, field: str, value: object) -> Any:
        return self._query.term_query(self._schema, field, value, index_option="freq")

    def _boosted(self, query: Any, weight: float) -> Any:
        return query if weight == 1.0 else self._query.boost_query(query, weight)

    def _any(self, queries: Sequence[Any]) -> Any:
        if len(queries) == 1:
            return queries[0]
        return self._query.boolean_query([(self._occur.Should, query) for query in queries])

    def _within(self, query: Any, scope: Scope) -> Any:
        filters = self._filters(scope)
        if not filters:
            return query
        must = self._occur.Must
        weightless = [(must, self._query.const_score_query(f, 0.0)) for f in filters]
        return self._query.boolean_query([(must, query), *weightless])

    def _filters(self, scope: Scope) -> list[Any]:
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

    def _range(self, field: str, low: int | None, high: int | None) -> Any:
        return self._query.range_query(self._schema, field, self._integer, low, high)
