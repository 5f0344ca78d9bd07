"""Searching and reading: results with every channel's rank, passages with their neighbours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from trace_core.domain.corpus import Chunk, DocumentHead, DocumentKey, Scope
from trace_core.domain.errors import BadInput, NotFound, SearchFailed
from trace_core.domain.hits import FusedHit, FusedRanking
from trace_core.search.twins import grouped_search
from trace_core.search.variants import Variant, variants
from trace_core.search.words import worth_marking
from trace_core.service.jobs import JobRoom
from trace_core.service.views import HitView, PassageView, ReaderView, SearchView, Snippet, Span
from trace_core.text.highlight import query_terms, spans
from trace_core.text.tokens import words

_SNIPPET = 320
_MOST_HITS = 1_000_000
"""More than this is taken as this: no index counts further than its own integers."""


class SearchRoom(JobRoom):
    """The part of the façade that searches and reads."""

    def search(
        self, query: str, channel: str = "fused", scope: Scope | None = None, limit: int = 20
    ) -> SearchView:
        """One search over one channel or their fusion.

        Raises BadInput for a query without any word or figure, a limit below 1, days in the wrong
        order, an unknown channel or sub-corpus.
        """
        if not words(query):
            raise BadInput("Write at least one word or figure to search for.")
        if limit < 1:
            raise BadInput("The limit must be at least 1.")
        within = (scope or Scope()).checked()
        try:
            for corpus_id in within.corpora:
                self.corpus(corpus_id)
        except NotFound as error:
            raise BadInput(str(error)) from None
        ranking = self._ranking(query, channel, within, min(limit, _MOST_HITS))
        at_work = self.archive_at_work()
        advice = "" if at_work else self.disagreement()
        left_out, below = self._left_out(within)
        notes = [f"{r.channel}: {r.note or r.skipped}" for r in ranking.rankings]
        return SearchView(
            query=query,
            channel=channel,
            hits=self.hit_views(ranking.hits, query),
            terms=tuple(query_terms(query)),
            notes=(*(n for n in notes if not n.endswith(": ")), *filter(None, (advice,))),
            failures=ranking.failures,
            undated_left_out=left_out,
            below_quality=below,
            at_work=at_work,
        )

    def variants(self, name: str) -> list[Variant]:
        """The forms in which a name may stand in the archive, for a person to choose from.

        The chosen ones go back into a search as `Name | form | form` (see `joined`). Raises
        BadInput for an empty name and SearchFailed where the index of forms is not built.
        """
        if not words(name):
            raise BadInput("Write a name to look for its forms.")
        forms = self._forms()()
        if forms is None:
            raise SearchFailed("The index of written forms is not built yet; `reindex` builds it.")
        return variants(name, forms, self.stores.lexical.count())

    def _left_out(self, scope: Scope) -> tuple[int, int]:
        """(undated documents that the dates leave out, documents of too low a quality)."""
        documents = self.stores.documents
        if not scope.dated and scope.min_quality is None:
            return 0, 0
        inside, undated = documents.count(scope)
        if scope.min_quality is None:
            return undated, 0
        return undated, documents.count(replace(scope, min_quality=None))[0] - inside

    def _ranking(self, query: str, channel: str, scope: Scope, limit: int) -> FusedRanking:
        retriever = self.retriever()
        if not self.settings().search.group_duplicates:
            return retriever.plain(channel, query, scope, limit)
        return grouped_search(
            lambda n: retriever.plain(channel, query, scope, n), self.stores.twins, limit
        )

    def hit_views(self, hits: Sequence[FusedHit], query: str) -> tuple[HitView, ...]:
        """Hits as they are shown, each with its two best passages around their marks."""
        documents = self.stores.documents
        chunks = documents.chunks(number for hit in hits for number in hit.chunk_ids[:2])
        heads = documents.heads(hit.key for hit in hits)
        corpora = {c.id: c for c in documents.corpora()}
        asked = query_terms(query)
        views = []
        for hit in hits:
            head = heads.get(hit.key)
            if hit.chunk_id not in chunks or head is None:
                continue
            corpus = corpora.get(hit.key.corpus)
            terms = [*worth_marking(asked, head.language), *hit.forms]
            best, *more = (
                _shown(chunks[number], terms, head.language)
                for number in hit.chunk_ids[:2]
                if number in chunks
            )
            views.append(
                HitView(
                    rank=hit.rank,
                    key=hit.key,
                    head=head,
                    corpus_name=corpus.name if corpus else hit.key.corpus,
                    score=hit.score,
                    channels=hit.channels,
                    snippet=best.text,
                    spans=best.spans,
                    chunk_id=hit.chunk_id,
                    chunk_ids=hit.chunk_ids,
                    forms=hit.forms,
                    boosts=hit.boosts,
                    twins=hit.twins,
                    second=more[0] if more else None,
                )
            )
        return tuple(views)

    def passage(self, chunk_id: int, terms: Sequence[str] = ()) -> PassageView:
        """A passage with its neighbours. Raises NotFound."""
        documents = self.stores.documents
        chunk = documents.chunks([chunk_id]).get(chunk_id)
        if chunk is None:
            raise NotFound(f"There is no passage c{chunk_id} in this archive.")
        document = documents.document(chunk.key, chunk.version)
        around = documents.chunks_of(chunk.key, chunk.version)
        place = next((i for i, c in enumerate(around) if c.id == chunk_id), None)
        newest = documents.versions(chunk.key)[-1]
        return PassageView(
            chunk=chunk,
            head=self._head(chunk.key),
            corpus=self.corpus(chunk.key.corpus),
            page=document.page_at(chunk.start),
            spans=_marks(chunk.text, terms, document.language),
            before=_neighbour(around, place, -1),
            after=_neighbour(around, place, 1),
            changed_since=newest != chunk.version,
        )

    def reader(
        self, key: DocumentKey, version: int | None = None, terms: Sequence[str] = ()
    ) -> ReaderView:
        """A whole document with the hits marked. Raises NotFound."""
        document = self.stores.documents.document(key, version)
        return ReaderView(
            document=document,
            corpus=self.corpus(key.corpus),
            spans=_marks(document.text, terms, document.language),
            versions=tuple(self.stores.documents.versions(key)),
        )

    def _head(self, key: DocumentKey) -> DocumentHead:
        head = self.stores.documents.heads([key]).get(key)
        if head is None:
            raise NotFound(f"There is no document {key} in this archive.")
        return head


def _marks(text: str, terms: Sequence[str], language: str) -> tuple[Span, ...]:
    return tuple(spans(text, worth_marking(terms, language), language))


def _neighbour(around: Sequence[Chunk], place: int | None, step: int) -> Chunk | None:
    if place is None or not 0 <= place + step < len(around):
        return None
    return around[place + step]


def _shown(chunk: Chunk, terms: Sequence[str], language: str) -> Snippet:
    text, marks = _snippet(chunk.text, spans(chunk.text, terms, language))
    return Snippet(chunk.id, text, marks)


def _snippet(text: str, marks: Sequence[Span]) -> tuple[str, tuple[Span, ...]]:
    """The stretch of the text with most marks in it, cut at words, and the marks inside it."""
    if len(text) <= _SNIPPET:
        return text, tuple(marks)
    best, most = 0, -1
    for start, _ in marks:
        count = sum(start <= a and b <= start + _SNIPPET for a, b in marks)
        if count > most:
            best, most = start, count
    begin = max(0, best - _SNIPPET // 6)
    if begin:
        begin = text.find(" ", begin) + 1 or begin
    end = min(len(text), begin + _SNIPPET)
    if end < len(text):
        end = text.rfind(" ", begin, end) if " " in text[begin:end] else end
    inside = tuple((a - begin, b - begin) for a, b in marks if begin <= a and b <= end)
    return text[begin:end], inside
