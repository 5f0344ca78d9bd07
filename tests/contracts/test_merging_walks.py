"""Random walks of imports, merges and their undoing: what must hold after every step."""

from __future__ import annotations

import random

import pytest

from tests.contracts.building import new
from trace_core.domain.corpus import DocumentKey, Scope, SubCorpus
from trace_core.domain.errors import BadInput, NotFound
from trace_core.ports import Deed, Stores

CORPORA = ("a", "b", "c", "d")
IDS = ("1", "2", "1~a", "2~b")
STEPS = 20


class Walk:
    """One archive on its way. A document's text is the name under which its source gave it."""

    def __init__(self, stores: Stores, seed: int) -> None:
        self._stores, self._random = stores, random.Random(seed)
        self._imported: set[DocumentKey] = set()
        self._ever: dict[DocumentKey, str] = {}
        self._before: dict[str, set[DocumentKey]] = {}
        for corpus in CORPORA:
            stores.documents.put_corpus(SubCorpus(corpus, corpus.upper()))

    def step(self) -> None:
        """Do something, and look whether every key leads where it always led."""
        self._random.choice((self._add, self._add, self._merge, self._unmerge))()
        for key in self._keys():
            text = self._stores.documents.document(key).text
            assert self._ever.setdefault(key, text) == text
        for key, text in self._ever.items():
            assert self._stores.documents.document(key).text == text

    def _keys(self, corpus: str = "") -> set[DocumentKey]:
        heads = self._stores.documents.browse(Scope(), limit=1000)
        return {head.key for head in heads if corpus in ("", head.key.corpus)}

    def _add(self) -> None:
        key = DocumentKey(self._random.choice(CORPORA), self._random.choice(IDS))
        (stored,) = self._stores.documents.add([new(key.source_id, str(key), key.corpus)])
        assert stored.outcome == ("unchanged" if key in self._imported else "new")
        self._imported.add(key)

    def _merge(self) -> None:
        present = [corpus.id for corpus in self._stores.documents.corpora()]
        if len(present) > 1:
            corpus, into = self._random.sample(present, 2)
            self._before[corpus] = self._keys(corpus)
            taken = self._stores.upkeep.taken(corpus, into)
            renamed = self._stores.upkeep.merge(corpus, into, Deed("merge", corpus, "", "", ""))
            assert len(renamed) == taken

    def _unmerge(self) -> None:
        corpus = self._random.choice(CORPORA)
        number = self._stores.upkeep.returning(corpus)
        try:
            self._stores.upkeep.unmerge(corpus, Deed("unmerge", corpus, "", "", ""))
        except (BadInput, NotFound):
            return
        assert self._before[corpus] <= self._keys(corpus)
        assert len(self._keys(corpus)) == number


@pytest.mark.parametrize("seed", range(6))
def test_no_key_ever_leads_elsewhere(stores: Stores, seed: int) -> None:
    walk = Walk(stores, seed)
    for _ in range(STEPS):
        walk.step()
