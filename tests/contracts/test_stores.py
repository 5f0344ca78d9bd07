from __future__ import annotations

import numpy as np

from tests.contracts.building import drain, new
from trace_core.domain.corpus import DocumentKey, SubCorpus
from trace_core.ports import Stores


def test_health_follows_the_work(stores: Stores) -> None:
    assert stores.health().ok
    stores.documents.add([new("d1", "Le pont tombe.", cuts=[8])])
    health = stores.health()
    assert (health.documents, health.chunks, health.lexical, health.vectors) == (1, 2, 0, 0)
    assert (health.pending_lexical, health.pending_vectors, health.ok) == (2, 2, False)
    assert "reindex" in health.sentence
    drain(stores)
    adds, _ = stores.queue.pending("vectors", 10)
    stores.vectors.add([one for one, _ in adds], np.eye(2, 4, dtype=np.float32))
    stores.queue.done("vectors", [ticket for _, ticket in adds])
    health = stores.health()
    assert (health.lexical, health.vectors, health.ok, health.sentence) == (2, 2, True, "")
    stores.lexical.clear()
    health = stores.health()
    assert not health.ok
    assert "reindex" in health.sentence


def test_the_generation_grows_with_every_change(stores: Stores) -> None:
    seen = [stores.generation()]

    def grew() -> bool:
        seen.append(stores.generation())
        return seen[-1] > seen[-2]

    stores.documents.add([new("d1", "un")])
    assert grew()
    stores.documents.add([new("d1", "un")])
    assert not grew()
    stores.documents.add([new("d1", "deux")])
    assert grew()
    stores.documents.withdraw([DocumentKey("herald", "d1")])
    assert grew()
    stores.documents.put_corpus(SubCorpus("herald", "Le Héraut"))
    assert grew()
    stores.documents.put_corpus(SubCorpus("herald", "Le Héraut"))
    assert not grew()
