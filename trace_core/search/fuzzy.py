"""The OCR-tolerant channel: words whose letters were confused, split, joined, broken or spaced.

In: a query as a person or a model writes it. Out: documents by their best chunk, each with the
written forms that matched where they are not the words themselves. The lexical index ranks chunks
by weighted forms; what is then written in the text of the first ones is shown, and corrects them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from trace_core.domain.corpus import Scope
from trace_core.domain.errors import SearchFailed
from trace_core.domain.hits import DOUBT, ChannelName, Hit, Ranking
from trace_core.ports import DocumentStore, LexicalIndex
from trace_core.search.channel import fetch_documents
from trace_core.search.forms import FormIndex
from trace_core.search.fuzzy_match import Found, Matcher, surely
from trace_core.search.fuzzy_plan import BAR, FEW_WORDS, FuzzyLimits, FuzzyPlan, plan, plan_given

_NOTED = 6
_NAME_SAMPLE = 8
_READ_OF_LONG = 20


class FuzzyChannel:
    """Search by the archive's own written forms of the query's words."""

    name: ChannelName = "fuzzy"

    def __init__(
        self,
        index: LexicalIndex,
        documents: DocumentStore,
        forms: Callable[[], FormIndex | None],
        limits: FuzzyLimits | None = None,
    ) -> None:
        """`forms` gives the archive's form index, None where none has been built yet."""
        self._index = index
        self._documents = documents
        self.forms = forms
        self._limits = limits or FuzzyLimits()

    def search(self, query: str, scope: Scope, limit: int) -> Ranking:
        """Documents by the forms in their best chunk; `note` says which forms were looked for."""
        try:
            forms = self.forms()
            if forms is None:
                missing = "The index of written forms is not built yet; `reindex` builds it."
                return Ranking(self.name, query, scope, failure=missing)
            chunks = self._index.count()
            if BAR in query:
                wanted = plan_given(query, forms, chunks)
            else:
                wanted = plan(query, forms, chunks, self._limits)
            if not wanted.wanted:
                return Ranking(self.name, query, scope, skipped="The query has no words.")
            groups, ties = wanted.groups(), wanted.ties()
            hits = fetch_documents(lambda n: self._index.search_best(groups, ties, scope, n), limit)
        except SearchFailed as error:
            return Ranking(self.name, query, scope, failure=str(error))
        return Ranking(self.name, query, scope, self._read(wanted, hits), note=_note(wanted))

    def _read(self, wanted: FuzzyPlan, hits: tuple[Hit, ...]) -> tuple[Hit, ...]:
        """The hits with what is written in their best chunks, in corrected order.

        A chunk that has all words exactly needs no reading, but for a few that tell which of the
        words are names. Of a long query only the first hits are read: the many words place the
        others well enough.
        """
        if len(wanted.wanted) > FEW_WORDS:
            hits, unread = hits[:_READ_OF_LONG], hits[_READ_OF_LONG:]
        else:
            unread = ()
        matcher = Matcher(wanted)
        whole = sum(word.idf for word in wanted.wanted)
        exact = [hit.chunk_id for hit in hits if hit.score >= whole]
        others = [hit.chunk_id for hit in hits if hit.score < whole]
        chunks = self._documents.chunks([*exact[:_NAME_SAMPLE], *others])
        matches = {number: matcher.match(chunk.text) for number, chunk in chunks.items()}
        names = matcher.names(matches.values())
        read = []
        for hit in hits:
            match = matches.get(hit.chunk_id, {})
            score = hit.score + matcher.correction(match, names)
            read.append(replace(hit, score=score, forms=_forms(match)))
        read.sort(key=lambda hit: -hit.score)
        return tuple(replace(hit, rank=rank) for rank, hit in enumerate([*read, *unread], start=1))


def _forms(match: Mapping[int, Found]) -> tuple[str, ...]:
    """What is written instead of the words, surest first; a doubtful form bears a question mark."""
    others = [found for found in match.values() if found.way.kind != "exact"]
    others.sort(key=lambda found: -found.way.worth)
    shown = (" ".join(found.written.split()) + ("" if found.sure else DOUBT) for found in others)
    return tuple(dict.fromkeys(shown))


def _note(wanted: FuzzyPlan) -> str:
    """The forms in which each word is looked for besides its own; doubtful ones are counted."""
    parts = []
    for word in wanted.wanted:
        others = [way for way in word.ways if way.kind != "exact"]
        shown = [" ".join(way.tokens) for way in others if surely(word.word, way)][:_NOTED]
        if left := len(others) - len(shown):
            shown.append(f"{left} less like it")
        if shown:
            parts.append(f"{word.word}: {', '.join(shown)}")
    return "Also read as – " + "; ".join(parts) if parts else ""
