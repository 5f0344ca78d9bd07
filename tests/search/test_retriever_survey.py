"""The retriever's warm start and survey, over channels and records made for the purpose."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

import pytest

from trace_core.domain.corpus import Chunk, DocumentHead, DocumentKey, Scope, SubCorpus
from trace_core.domain.dates import from_iso
from trace_core.domain.hits import ChannelName, Hit, Ranking
from trace_core.domain.question import SubQuestion
from trace_core.ports import DocumentStore
from trace_core.search.retriever import Helps, Retriever, WarmStart
from trace_core.settings import SearchSettings

CORPORA = [
    SubCorpus("paper", "La Vigie", (), "newspaper", "fr"),
    SubCorpus("minutes", "Registre", (), "minutes", "fr"),
]
QUESTION = "Que dit La Vigie de la crue en 1887 ?"


class Records:
    """As much of a document store as a survey reads."""

    def __init__(self, corpora: list[SubCorpus], days: Mapping[str, str]) -> None:
        self._corpora, self._days = corpora, days

    def corpora(self) -> list[SubCorpus]:
        return self._corpora

    def heads(self, keys: Iterable[DocumentKey]) -> dict[DocumentKey, DocumentHead]:
        return {
            k: DocumentHead(k, 1, "", from_iso(d) if (d := self._days.get(k.source_id)) else None,
                            "fr", 10)
            for k in keys
        }  # fmt: skip


class Channel:
    """Gives each sub-corpus the scores that the test says, and remembers what it was asked."""

    def __init__(self, name: ChannelName, scores: Mapping[str, Mapping[str, float]]) -> None:
        self.name, self._scores = name, scores
        self.failing = False
        self.asked: list[tuple[str, tuple[str, ...]]] = []

    def search(self, query: str, scope: Scope, limit: int) -> Ranking:
        self.asked.append((query, scope.corpora))
        if self.failing:
            return Ranking(self.name, query, scope, failure="The index is broken.")
        corpora = scope.corpora or tuple(self._scores)
        found = [(s, DocumentKey(c, n)) for c in corpora for n, s in self._scores[c].items()]
        found.sort(key=lambda pair: -pair[0])
        hits = tuple(Hit(key, n, s, (n,)) for n, (s, key) in enumerate(found[:limit], 1))
        return Ranking(self.name, query, scope, hits)


SCORES = {"paper": {"a": 9.0, "b": 8.0}, "minutes": {"m": 7.5, "z": 1.0}}
DAYS = {"b": "1887-05-12", "m": "1887-05-12"}


def retriever(channel: Channel, documents: bool = True, **changes: Any) -> Retriever:
    records = cast(DocumentStore, Records(CORPORA, DAYS)) if documents else None
    return Retriever([channel], SearchSettings.model_validate(changes), records)


def warm(target: str = "paper", limit: int = 20, scope: Scope | None = None) -> WarmStart:
    part = SubQuestion(id="q1", text=QUESTION, target=target)
    return WarmStart(QUESTION, part, ("paper", "minutes"), scope or Scope(), limit)


def test_a_warm_start_weighs_the_targets_together_and_gives_its_own():
    found = retriever(Channel("bm25", SCORES)).warm_start(warm())
    assert [h.key.source_id for h in found.hits] == ["b", "a"]
    assert found.hits[0].boosts["neighbour"] > 0
    assert found.scope == Scope(("paper",))
    assert [r.scope.corpora for r in found.rankings] == [("paper",)]


def test_names_dates_and_grammar_are_no_words_of_the_query():
    channel = Channel("bm25", SCORES)
    found = retriever(channel).warm_start(warm())
    assert {query for query, _ in channel.asked} == {"dit crue 1887"}  # no date channel, no dates
    assert found.query == "dit crue 1887"


def test_the_same_search_is_asked_of_the_index_once():
    channel = Channel("bm25", SCORES)
    searching = retriever(channel)
    searching.survey(QUESTION, Scope())
    searching.warm_start(warm("paper"))
    searching.warm_start(warm("minutes"))
    assert [corpora for _, corpora in channel.asked] == [("paper",), ("minutes",)]


def test_a_failure_is_said_and_not_remembered():
    channel = Channel("bm25", SCORES)
    channel.failing = True
    searching = retriever(channel)
    assert searching.warm_start(warm()).failures == (("bm25", "The index is broken."),)
    channel.failing = False
    assert searching.warm_start(warm()).hits


@pytest.mark.parametrize(
    ("documents", "changes"), [(False, {}), (True, {"routing": False, "coupling": False})]
)
def test_without_records_or_with_both_off_it_is_plain_fusion(documents, changes):
    found = retriever(Channel("bm25", SCORES), documents, **changes).warm_start(warm())
    assert [h.score for h in found.hits] == pytest.approx([1 / (60 + 1), 1 / (60 + 2)])
    assert found.query == QUESTION


def test_a_sub_question_without_target_searches_the_whole_scope():
    found = retriever(Channel("bm25", SCORES)).warm_start(warm(""))
    assert [h.key.source_id for h in found.hits] == ["a", "b", "m", "z"]


def test_a_target_outside_the_runs_scope_stays_inside_it():
    found = retriever(Channel("bm25", SCORES)).warm_start(warm(scope=Scope(("minutes",))))
    assert {h.key.corpus for h in found.hits} == {"minutes"}


def test_the_limit_cuts_after_weighing():
    (only,) = retriever(Channel("bm25", SCORES)).warm_start(warm(limit=1)).hits
    assert only.key.source_id == "b"


def test_of_many_sub_corpora_the_named_and_the_best_are_asked():
    many = [SubCorpus(f"c{n}", f"Fonds {n}", (), "other", "fr") for n in range(30)]
    scores = {c.id: {f"d{n}": float(n)} for n, c in enumerate(many)}
    records = cast(DocumentStore, Records(many, {}))
    found = Retriever([Channel("bm25", scores)], SearchSettings(), records).survey(
        "Que dit le Fonds 0 ?", Scope()
    )
    assert set(found.hits) == {"c0", *(f"c{n}" for n in range(19, 30))}


def test_in_a_search_for_a_word_the_channel_that_reads_damage_leads() -> None:
    exact = Channel("bm25", {"paper": {"a": 9.0}, "minutes": {}})
    dense = Channel("dense", {"paper": {"a": 9.0}, "minutes": {}})
    tolerant = Channel("fuzzy", {"paper": {"c": 9.0}, "minutes": {}})
    records = cast(DocumentStore, Records(CORPORA, DAYS))
    found = Retriever([exact, dense, tolerant], SearchSettings(), records)

    def order(query: str) -> list[str]:
        return [hit.key.source_id for hit in found.fused(query, Scope(), 5).hits]

    assert order("crue")[0] == "c"
    assert order("crue | erue | la crue du fleuve en mai")[0] == "c"
    assert order("crue fleuve village moulin")[0] == "a"
    assert exact.asked[-1][0] == "crue fleuve village moulin"


def test_a_question_is_asked_by_its_own_words_in_a_fused_search() -> None:
    channel = Channel("bm25", SCORES)
    found = retriever(channel).fused(QUESTION, Scope(), 5)
    assert found.query == QUESTION
    assert channel.asked == [("dit crue 1887", ())]


def test_weights_that_were_earned_multiply_those_that_are_set() -> None:
    one = Channel("bm25", {"paper": {"a": 9.0}, "minutes": {}})
    other = Channel("dense", {"paper": {"b": 9.0}, "minutes": {}})
    records = cast(DocumentStore, Records(CORPORA, DAYS))
    helps = Helps({"bm25": 0.5})
    found = Retriever([one, other], SearchSettings(), records, helps)
    hits = found.fused("crue fleuve village moulin", Scope(), 5).hits
    assert [hit.key.source_id for hit in hits] == ["b", "a"]
    assert hits[1].score == pytest.approx(hits[0].score / 2)


class Shortest:
    """A reranker that prefers what stands last."""

    def scores(self, query: str, passages: Sequence[str]) -> list[float]:
        return [float(place) for place, _ in enumerate(passages)]


def test_a_reranker_reorders_a_fused_search() -> None:
    channel = Channel("bm25", {"paper": {"a": 9.0, "b": 8.0}, "minutes": {}})
    records = cast(DocumentStore, WithTexts(CORPORA, DAYS))
    found = Retriever([channel], SearchSettings(), records, Helps(reranker=Shortest()))
    hits = found.fused("crue fleuve village moulin", Scope(), 1).hits
    assert [(hit.key.source_id, hit.rank) for hit in hits] == [("b", 1)]
    assert hits[0].boosts["reranker"] == 1.0


class WithTexts(Records):
    """Records with a text behind every passage."""

    def chunks(self, ids: Iterable[int]) -> dict[int, Chunk]:
        return {n: Chunk(n, DocumentKey("paper", "x"), 1, 0, 0, 4, "text") for n in ids}
