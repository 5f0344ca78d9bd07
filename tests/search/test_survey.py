import math
from collections.abc import Mapping

import pytest

from trace_core.domain.corpus import DocumentHead, DocumentKey, Scope, SubCorpus
from trace_core.domain.dates import HistoricalDate, from_iso
from trace_core.domain.evidence import Neighbour
from trace_core.domain.hits import ChannelName, Hit, Ranking
from trace_core.search.survey import Inquiry, Survey, date_weight, survey
from trace_core.settings import SearchSettings

PAPER = SubCorpus("paper", "La Vigie", kind="newspaper")
RIVAL = SubCorpus("rival", "L'Écho", kind="newspaper")
MINUTES = SubCorpus("minutes", "Registre", kind="minutes")
ALL = (PAPER, RIVAL, MINUTES)

Scores = Mapping[str, Mapping[str, float]]


def ranking(corpus: str, scores: Mapping[str, float], channel: ChannelName = "bm25") -> Ranking:
    order = sorted(scores, key=lambda name: -scores[name])
    hits = tuple(
        Hit(DocumentKey(corpus, name), rank, scores[name], (rank,))
        for rank, name in enumerate(order, 1)
    )
    return Ranking(channel, "query", Scope((corpus,)), hits)


def head(key: DocumentKey, day: str) -> DocumentHead:
    return DocumentHead(key, 1, "", from_iso(day) if day else None, "fr", 100)


def ask(
    question: str,
    scores: Scores,
    days: Mapping[str, str] | None = None,
    dates: tuple[HistoricalDate, ...] = (),
    **changes: object,
) -> Survey:
    settings = SearchSettings.model_validate(changes)
    return survey(
        Inquiry(question, ALL, Scope(), dates),
        lambda scope: (ranking(scope.corpora[0], scores.get(scope.corpora[0], {})),),
        lambda keys: {k: head(k, (days or {}).get(k.source_id, "")) for k in keys},
        settings,
    )


NOWHERE = "Pourquoi la récolte fut-elle mauvaise ?"


def test_each_sub_corpus_is_asked_inside_its_own_scope():
    seen: list[Scope] = []

    def search(scope: Scope) -> tuple[Ranking, ...]:
        seen.append(scope)
        return ()

    found = survey(
        Inquiry(NOWHERE, ALL, Scope(("paper", "rival"), 1, 9)),
        search,
        lambda _: {},
        SearchSettings(),
    )
    assert [s.corpora for s in seen] == [("paper",), ("rival",), ("minutes",)]
    assert {(s.earliest, s.latest) for s in seen} == {(1, 9)}
    assert dict(found.evidence) == {}


def test_strengths_compare_across_sub_corpora_where_ranks_cannot():
    found = ask(NOWHERE, {"paper": {"a": 10.0, "b": 8.0}, "minutes": {"m": 2.0}})
    assert [h.score for h in found.hits["paper"]] == pytest.approx([1.0, (8 - 2) / (10 - 2)])
    assert found.hits["minutes"][0].score == pytest.approx(0.0)
    assert found.hits["minutes"][0].rank == 1
    assert [h.standing for h in (*found.hits["paper"], *found.hits["minutes"])] == [1, 2, 3]


def test_a_named_sub_corpus_is_stretched_to_the_full_range():
    scores = {"paper": {"a": 10.0, "b": 0.0}, "minutes": {"m": 5.0, "n": 4.0}}
    found = ask("Que dit le Registre ?", scores)
    assert found.routes["minutes"].named
    assert found.hits["minutes"][0].score == pytest.approx(1.0)
    assert found.hits["minutes"][1].score == pytest.approx(0.4 / 0.5)
    assert found.hits["paper"][0].score == pytest.approx(0.4 * 1.0)
    assert found.hits["paper"][0].boosts["route"] == pytest.approx(0.4 - 1.0)


def test_a_neighbour_of_another_sub_corpus_lends():
    scores = {"paper": {"a": 10.0, "b": 6.0, "c": 6.0}, "minutes": {"m": 8.0, "z": 0.0}}
    days = {"a": "1887-01-01", "b": "1887-05-12", "c": "1887-09-01", "m": "1887-05-14"}
    found = ask(NOWHERE, scores, days)
    hits = {h.key.source_id: h for h in found.hits["paper"]}
    assert hits["b"].boosts["neighbour"] == pytest.approx(0.7 * 0.8 * math.exp(-0.15 * 2))
    assert hits["b"].score == pytest.approx(0.6 + hits["b"].boosts["neighbour"])
    assert hits["b"].neighbour == Neighbour(corpus="minutes", source_id="m", days=2)
    assert dict(hits["c"].boosts) == {} and hits["c"].neighbour is None
    assert [h.key.source_id for h in found.hits["paper"]] == ["b", "a", "c"]


def test_coupling_and_routing_can_be_off():
    scores = {"paper": {"a": 10.0}, "minutes": {"m": 8.0, "z": 0.0}}
    days = {"a": "1887-05-12", "m": "1887-05-12"}
    found = ask("Que dit le Registre ?", scores, days, routing=False, coupling=False)
    assert found.hits["paper"][0].score == pytest.approx(1.0)
    assert dict(found.hits["paper"][0].boosts) == {}


def test_documents_far_from_the_day_named_lose_half_and_undated_ones_a_quarter():
    scores = {"paper": {"on": 10.0, "off": 10.0, "none": 10.0, "low": 0.0}}
    days = {"on": "1887-05-12", "off": "1870-01-01"}
    found = ask(NOWHERE, scores, days, dates=(from_iso("1887"),))
    assert {h.key.source_id: h.score for h in found.hits["paper"]} == pytest.approx(
        {"on": 1.0, "off": 0.5, "none": 0.75, "low": 0.0}
    )


@pytest.mark.parametrize(
    ("written", "weight"),
    [("1887-05-12", 1.0), ("1887-05", 15 / 31), ("1887", 15 / 365), ("", 0.0)],
)
def test_the_date_channel_counts_less_the_longer_the_span(written, weight):
    dates = [from_iso(written)] if written else []
    assert date_weight(dates, SearchSettings()) == pytest.approx(weight)


def test_evidence_says_where_the_first_ten_lie():
    scores = {
        "paper": {f"p{n}": 10.0 - n for n in range(9)},
        "minutes": {"m": 9.5, "weak": 0.0},
    }
    found = ask(NOWHERE, scores)
    floor = 0.0  # the eleventh of all is the weakest, stretched to 0
    assert found.evidence["minutes"] == pytest.approx(0.95 - floor)
    assert found.evidence["paper"] == pytest.approx(sum((10 - n) / 10 for n in range(9)))
    assert "rival" not in found.evidence
