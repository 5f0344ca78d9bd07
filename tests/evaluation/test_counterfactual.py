"""Counterfactual samples by hand, and replays of the rules over the small town."""

from __future__ import annotations

import pytest

from trace_core.domain.corpus import DocumentKey
from trace_core.domain.errors import BadInput
from trace_core.evaluation.counterfactual import Intervention, Observation, interventions, judge
from trace_core.evaluation.replay import whole_stages
from trace_core.service import Service
from trace_core.service.evaluating import NO_CHECKPOINTS
from trace_core.service.rehearsing import WhatIf, document_keys

QUESTION = "Que disent Le Courrier et Le Héraut du pont de la Scie en mars 1883 ?"


def observation(quality: float, next_query: float, effort: int, alone: float) -> Observation:
    what = Intervention(DocumentKey("paper", "d"), "s1", "q1")
    return Observation(what, quality, next_query, effort, alone)


def test_the_utility_is_normalised_over_the_sample_and_the_undisturbed_run() -> None:
    sample = judge(
        [
            observation(0.5, -0.2, 0, 0.5),
            observation(0.0, 0.0, 0, 0.5),
            observation(0.0, 0.6, 2, 0.0),
            observation(-0.5, -0.2, -2, 0.0),
        ]
    )
    # Ranges: quality -0.5..0.5, next query -0.2..0.6, effort -2..2; zeros lie at 0.5, 0.25, 0.5.
    assert sample.no_effect == pytest.approx(0.5 + 0.25 + 0.5)
    assert [j.utility for j in sample.judged] == pytest.approx(
        [1 + 0 + 0.5, 0.5 + 0.25 + 0.5, 0.5 + 1 + 1, 0 + 0 + 0]
    )
    assert [j.quadrant for j in sample.judged] == ["useful", "redundant", "bridge", "useless"]
    assert set(sample.shares.values()) == {0.25}
    # Ranks alone 3.5 3.5 1.5 1.5 and utility 3 2 4 1: rho = cov / (sd * sd), by hand 0.
    assert sample.spearman == pytest.approx(0.0)


def test_a_single_document_is_judged_against_the_undisturbed_run() -> None:
    sample = judge([observation(0.25, 0.0, 0, 0.0)])
    assert (sample.no_effect, sample.judged[0].utility) == (0.0, 1.0)
    assert sample.judged[0].quadrant == "bridge"
    assert sample.spearman is None
    nothing = judge([observation(0.0, 0.0, 0, 0.0)])
    assert (nothing.no_effect, nothing.judged[0].quadrant) == (0.0, "useless")
    assert judge([]).judged == ()


@pytest.fixture(scope="module")
def finished(shared_town: Service) -> str:
    run = shared_town.ask(QUESTION, changes=NO_CHECKPOINTS)
    assert shared_town.advance(run).status == "finished"
    return run


def test_a_run_by_rules_replays_alike_from_any_stage(shared_town: Service, finished: str) -> None:
    from trace_core.evaluation.replay import Asked, kept_drafts, replay

    events = shared_town.events(finished)
    wanted = [(e.type, e.body) for e in events]
    for end in whole_stages(events):
        context = shared_town.rehearsal_context(None)
        again = replay(finished, kept_drafts(events[:end]), context, Asked())
        assert [(e.type, e.body) for e in again.events] == wanted
        assert again.problem == ""


def test_without_an_accepted_document_only_that_one_is_missed(
    shared_town: Service, finished: str
) -> None:
    before = shared_town.events(finished)
    found = shared_town.counterfactual(finished)
    accepted = set(shared_town.state(finished).accepted())
    assert found.measured_by == "accepted"
    assert set(found.target) == accepted
    assert found.same_as_record
    assert found.noise is None
    for judged in found.sample.judged:
        seen = judged.observation
        own = (seen.what.key,) if seen.what.key in accepted else ()
        assert (seen.lost, seen.gained, seen.problem) == (own, (), "")
        assert seen.quality == pytest.approx(len(own) / len(accepted))
    assert shared_town.events(finished) == before
    assert [head.id for head in shared_town.runs()].count(finished) == 1


def test_hidden_for_good_it_is_not_found_again(shared_town: Service, finished: str) -> None:
    (first, *_) = interventions(shared_town.state(finished))
    wish = WhatIf(documents=(first.key,), for_good=True)
    (judged,) = shared_town.counterfactual(finished, wish).sample.judged
    assert judged.observation.what == first
    assert judged.observation.problem == ""


def test_what_cannot_be_asked_is_refused(shared_town: Service, finished: str) -> None:
    with pytest.raises(BadInput, match="reviewed no document"):
        shared_town.counterfactual(finished, WhatIf(document_keys(["letters/none"])))
    with pytest.raises(BadInput, match="only a finished run"):
        shared_town.counterfactual(shared_town.ask(QUESTION))
    with pytest.raises(BadInput, match="sub-corpus/id"):
        document_keys(["l1"])
