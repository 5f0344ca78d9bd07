"""A cross-encoder that the settings name reads in every search, and may order the final list.

The model is real and tiny, made here with random weights: what it thinks means nothing, but that
it is asked and obeyed can be seen.
"""

from __future__ import annotations

import pytest

from trace_core.domain.errors import BadInput, TraceError
from trace_core.domain.events import RankingMade
from trace_core.search.reranker import CrossEncoderReranker, RerankerUnavailable
from trace_core.service import Service

QUESTION = "Que disent le Conseil et le Courrier du pont de la Scie en mars 1883 ?"


@pytest.fixture(scope="module")
def cross_encoder(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A folder with a BERT of one layer and sixteen dimensions."""
    transformers = pytest.importorskip("transformers")
    torch = pytest.importorskip("torch")
    pytest.importorskip("sentence_transformers")
    folder = tmp_path_factory.mktemp("model") / "tiny"
    folder.mkdir()
    letters = "abcdefghijklmnopqrstuvwxyz0123456789"
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *letters, *(f"##{x}" for x in letters)]
    (folder / "vocab.txt").write_text("\n".join(words), encoding="utf-8")
    torch.manual_seed(7)
    config = transformers.BertConfig(
        vocab_size=len(words),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=256,
        num_labels=1,
        initializer_range=1.0,
    )
    tokenizer = transformers.BertTokenizerFast(vocab_file=str(folder / "vocab.txt"))
    tokenizer.save_pretrained(folder)
    transformers.BertForSequenceClassification(config).save_pretrained(folder)
    return str(folder)


def test_a_search_is_in_the_order_of_the_cross_encoder(town: Service, cross_encoder: str) -> None:
    query = "pont de la Scie"
    before = town.search(query)
    town.save_settings({"search": {"reranker": cross_encoder}})
    after = town.search(query)
    texts = town.stores.documents.chunks(hit.chunk_id for hit in after.hits)
    reader = CrossEncoderReranker(cross_encoder)
    expected = reader.scores(query, [texts[hit.chunk_id].text for hit in after.hits])
    assert {hit.key for hit in after.hits} == {hit.key for hit in before.hits}
    assert [h.boosts["reranker"] for h in after.hits if h.boosts] == pytest.approx(expected)
    assert expected == sorted(expected, reverse=True)
    assert len(set(expected)) > 3


def test_groups_of_equal_confirmations_may_be_in_its_order(
    town: Service, cross_encoder: str
) -> None:
    changes = {"search": {"reranker": cross_encoder}, "loop": {"group_order": "reranker"}}
    run = town.ask(QUESTION, changes=changes)
    state = town.advance(run, "approve")
    assert state.status == "finished"
    made = [e for e in town.events(run) if isinstance(e.payload, RankingMade)]
    assert [(e.actor.kind, e.actor.name) for e in made] == [("model", cross_encoder)]
    accepted = state.accepted()
    reader = CrossEncoderReranker(cross_encoder)
    lines = []
    for line in state.ranking:
        ids = [record.decision.chunk for record in accepted[line.key]]
        texts = [chunk.text for chunk in town.stores.documents.chunks(ids).values()]
        lines.append((-line.confirmations, -round(max(reader.scores(QUESTION, texts)), 4)))
    assert len(lines) > 2
    assert lines == sorted(lines)
    assert town.verify(run).ok


def test_a_model_that_is_gone_by_then_leaves_the_order_to_the_assistant(
    town: Service, cross_encoder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = town.advance(town.ask(QUESTION, changes={}), "approve").ranking
    changes = {"search": {"reranker": cross_encoder}, "loop": {"group_order": "reranker"}}
    run = town.ask(QUESTION, changes=changes)

    def gone(*_: object) -> list[float]:
        raise RerankerUnavailable("The reranker is gone.")

    town.advance(run, "ask")  # the searches have their model
    monkeypatch.setattr(CrossEncoderReranker, "scores", gone)
    monkeypatch.setattr("trace_core.search.retriever.rerank", lambda query, hits, *_: tuple(hits))
    state = town.advance(run, "approve")
    assert state.status == "finished"
    assert {line.key for line in state.ranking} == {line.key for line in plain}
    assert any("The reranker is gone." in trouble for _, trouble in state.troubles)


@pytest.mark.parametrize(
    ("changes", "error", "told"),
    [
        ({"search": {"reranker": "nobody/no-such-model"}}, RerankerUnavailable, "not on this"),
        ({"search": {"reranker": "/no/such/folder"}}, RerankerUnavailable, "no model folder"),
        ({"loop": {"group_order": "reranker"}}, BadInput, "name one in search.reranker"),
    ],
)
def test_a_question_is_not_taken_where_the_model_cannot_be_had(
    town: Service,
    changes: dict[str, dict[str, str]],
    error: type[TraceError],
    told: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("TRACE_ALLOW_DOWNLOAD", raising=False)
    with pytest.raises(error, match=told):
        town.ask(QUESTION, changes=changes)
    assert town.runs() == []
