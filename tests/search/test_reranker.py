"""The optional cross-encoder: order, passages, and what is said where there is none."""

import socket
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from trace_core.domain.corpus import DocumentKey
from trace_core.domain.hits import FusedHit
from trace_core.search.reranker import (
    CrossEncoderReranker,
    RerankerUnavailable,
    check_reranker,
    rerank,
)


class ByLength:
    """Prefers long passages."""

    name = "by length"

    def __init__(self) -> None:
        self.read: list[str] = []

    def scores(self, query: str, passages: Sequence[str]) -> list[float]:
        self.read += passages
        return [float(len(passage)) for passage in passages]


TEXTS = {1: "a", 2: "aaaa", 3: "aaaaaaaa", 4: "aa", 5: "aaa", 6: "aaaaaaaaaaaa"}


def hits() -> list[FusedHit]:
    passages = [(1, 2, 3), (4,), (5,), (6,)]
    return [
        FusedHit(DocumentKey("c", str(n)), n, 1.0 / n, ids)
        for n, ids in enumerate(passages, start=1)
    ]


def texts(numbers: Sequence[int]) -> dict[int, str]:
    return {n: TEXTS[n] for n in numbers if n != 4}


def test_the_first_hits_are_reordered_by_their_two_best_passages() -> None:
    model = ByLength()
    found = rerank("q", hits(), texts, model, 3)
    assert [hit.key.source_id for hit in found] == ["1", "3", "2", "4"]
    assert [hit.rank for hit in found] == [1, 2, 3, 4]
    assert found[0].chunk_ids == (2, 1, 3)
    assert found[0].boosts["reranker"] == 4.0
    assert found[0].score == 1.0
    assert "aaaaaaaa" not in model.read  # a third passage is not read


def test_without_passages_the_order_stays() -> None:
    found = rerank("q", hits(), lambda _: {}, ByLength(), 4)
    assert [hit.key.source_id for hit in found] == ["1", "2", "3", "4"]


def test_a_model_that_is_not_there_is_said_with_what_to_do() -> None:
    with pytest.raises(RerankerUnavailable, match=r"search\.reranker"):
        CrossEncoderReranker("/nowhere/model").scores("q", ["text"])
    assert CrossEncoderReranker("/nowhere/model").scores("q", []) == []


@pytest.mark.parametrize("name", ["nobody/no-such-model", "no such name", "/nowhere", "./a/b/c"])
def test_what_is_not_here_is_said_at_once(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TRACE_ALLOW_DOWNLOAD", raising=False)
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)  # not even imported
    monkeypatch.setattr(socket, "create_connection", None)  # nor is a network asked
    with pytest.raises(RerankerUnavailable, match=r"search\.reranker"):
        check_reranker(name)


def test_a_hub_that_cannot_be_reached_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRACE_ALLOW_DOWNLOAD", "1")
    for name in ("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{port}")
        check_reranker("nobody/no-such-model")
    waits: list[float] = []

    def never(address: tuple[str, int], timeout: float) -> socket.socket:
        waits.append(timeout)
        raise TimeoutError

    with pytest.raises(RerankerUnavailable, match="cannot be reached"):
        check_reranker("nobody/no-such-model")  # the port is closed now
    monkeypatch.setattr(socket, "create_connection", never)
    with pytest.raises(RerankerUnavailable, match="cannot be reached"):
        check_reranker("nobody/no-such-model")
    assert waits == [5.0]


def test_a_folder_that_holds_no_cross_encoder_is_named(tmp_path: Path) -> None:
    with pytest.raises(RerankerUnavailable, match="config\\.json"):
        check_reranker(str(tmp_path))
    (tmp_path / "config.json").write_text('{"model_type": "none of them"}', encoding="utf-8")
    pytest.importorskip("sentence_transformers")
    with pytest.raises(RerankerUnavailable, match="cannot be loaded as a cross-encoder") as told:
        CrossEncoderReranker(str(tmp_path)).scores("q", ["text"])
    assert "\n" not in str(told.value)
