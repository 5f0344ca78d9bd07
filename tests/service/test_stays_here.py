"""A sub-corpus that must stay on this machine is not embedded on another."""

from __future__ import annotations

import pytest

from trace_core.domain.errors import EmbedderUnavailable
from trace_core.service import Service


def test_texts_that_stay_here_are_never_sent_to_a_far_embedder(town: Service) -> None:
    town.set_corpus("letters", local_only=True)
    town.save_settings({"index": {"embedder": "litellm:openai/text-embedding-3-small"}})
    with pytest.raises(EmbedderUnavailable, match="Les Lettres must stay on this machine"):
        town.reindex()
    town.save_settings({"index": {"embedder": "lsa"}})
    town.reindex()
    assert town.health().ok


def test_a_run_notices_that_the_index_has_changed_under_it(town: Service) -> None:
    run = town.ask("Que dit-on du pont ?")
    assert town.advance(run).status == "waiting"
    town.reindex()
    town.set_corpus("letters", description="changed")
    before = town.state(run).index_version
    from trace_core.domain.checkpoint import HumanDecision

    town.decide(run, HumanDecision())
    town.advance(run, "approve")
    changed = [e for e in town.events(run) if e.type == "index_changed"]
    assert len(changed) == int(before != town.index_version())
