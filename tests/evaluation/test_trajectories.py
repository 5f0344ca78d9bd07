"""Trajectory measures on hand-made runs; every expected value is the formula."""

from __future__ import annotations

import math

import pytest

from tests.evaluation.building import RULES, Fate, candidate, decision, events_of, key, run_of
from trace_core.domain import events as ev
from trace_core.domain.events import Draft
from trace_core.domain.question import Action, SubQuestion
from trace_core.domain.state import RunState
from trace_core.domain.transitions import fold
from trace_core.evaluation.reliability import (
    LAMBDA,
    TrapOutcome,
    robustness,
    scaffold,
    stability,
    trap_outcome,
)
from trace_core.evaluation.trajectories import (
    Support,
    efficiency,
    percentile,
    profile,
    support,
    trajectory,
)


def search(number: int, *ids: str, new: tuple[int, ...] = ()) -> ev.SearchDone:
    return ev.SearchDone(
        search=f"s{number}",
        sub_question="q1",
        step=number,
        stage="loop",
        action=Action(name="search_bm25", query=f"query {number}"),
        channels=("bm25",),
        rankings={"bm25": ids},
        candidates=tuple(candidate(n, p) for p, n in enumerate(new, 1)),
    )


def test_a_run_in_which_every_search_brings_something_is_fully_efficient() -> None:
    searches = [search(1, "a"), search(2, "b")]
    assert efficiency(searches, {"s1": 1, "s2": 2}) == pytest.approx(1.0)
    assert efficiency([], {}) == 0.0


def test_a_search_that_repeats_an_idle_one_costs_more() -> None:
    searches = [search(1, "a"), search(2, "a", "b"), search(3, "a", "b")]
    # Gains: 1 of 3. s2 follows a gain: cost 1. s3 repeats the idle s2 whole: cost 1 + 1 * 2/2.
    expected = (1 + (1 / 3) * math.log(3)) / (1 + math.log(1 + 1 + 2))
    assert efficiency(searches, {"s1": 1}) == pytest.approx(expected)


def test_a_trajectory_counts_what_a_run_did() -> None:
    state = run_of([Fate(1, "accept"), Fate(2, "reject")], [Fate(2, "reject")])
    found = trajectory(state, {key(1), key(3)}, {1: "text"})
    assert (found.searches, found.nothing_new, found.no_gain) == (2, 0, 1)
    assert (found.recall, found.success) == (1 / 2, False)
    assert trajectory(state, {key(1)}, {}).success
    assert found.support == Support(reasons=1, quoting=0, supported=0)


def quoting(reason: str, quote: str = "") -> RunState:
    plan = (SubQuestion(id="q1", text="?"),)
    accepted = decision(1, "q1", "accept").model_copy(update={"reason": reason, "quote": quote})
    drafts = [
        Draft(RULES, ev.RunStarted(question="?", assistant="rules")),
        Draft(RULES, ev.PlanAdopted(sub_questions=plan)),
        Draft(RULES, ev.Decided(decision=accepted)),
    ]
    return fold("r", events_of(drafts))


@pytest.mark.parametrize(
    ("reason", "quote", "expected"),
    [
        ("says so", "LE PONT est pourri", (1, 1)),
        ("it says « le pont est pourri »", "", (1, 1)),
        ("it says « le pont tient bon »", "", (1, 0)),
        ("it says « le pont »", "tient bon", (1, 0)),
        ("names the bridge", "", (0, 0)),
    ],
)
def test_quoted_words_are_looked_for(reason: str, quote: str, expected: tuple[int, int]) -> None:
    found = support(quoting(reason, quote), {1: "Hélas, le pont est pourri."})
    assert (found.quoting, found.supported) == expected


def test_percentiles_are_by_nearest_rank() -> None:
    values = list(range(1, 21))
    assert (percentile(values, 0.5), percentile(values, 0.95)) == (10, 19)
    assert percentile([7], 0.95) == 7


def test_the_profile_names_both_averages() -> None:
    good = trajectory(run_of([Fate(1, "accept")]), {key(1)}, {})
    bad = trajectory(run_of([Fate(1, "reject")]), {key(1)}, {})
    made = profile([good, bad], robustness=0.25)
    # No reason quotes: quality is the robustness alone. One search with a gain: efficiency 1.
    assert made.utility_successes == pytest.approx(math.sqrt(1.0 * 0.25))
    assert made.utility_all == pytest.approx(math.sqrt(0.25) / 2)
    assert (made.success_rate, made.cost["searches"].p95) == (0.5, 1)
    # The hand-made events lie one second apart: six of them.
    assert good.elapsed == 6.0
    assert profile([good, bad]).utility_all is None
    assert profile([]).n == 0
    assert profile([bad]).cost == {}


# --- traps ---------------------------------------------------------------------------------------


def trapped(*steps: str) -> TrapOutcome:
    """A run of searches ("s") and verdicts on the planted document 9."""
    plan = (SubQuestion(id="q1", text="?"),)
    drafts = [
        Draft(RULES, ev.RunStarted(question="?", assistant="rules")),
        Draft(RULES, ev.PlanAdopted(sub_questions=plan)),
    ]
    for number, step in enumerate(steps, start=1):
        payload: ev.Payload = search(number, new=(9,))
        if step != "s":
            payload = ev.Decided(decision=decision(9, "q1", step))  # type: ignore[arg-type]
        drafts.append(Draft(RULES, payload))
    events = events_of(drafts)
    return trap_outcome(fold("r", events), events, key(9), "q")


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        (("s",), TrapOutcome("q", False, False, 0, True, 1)),
        (("s", "reject"), TrapOutcome("q", True, False, 0, True, 1)),
        (("s", "accept", "s"), TrapOutcome("q", True, True, None, False, 2)),
        (("s", "accept", "s", "s", "reject"), TrapOutcome("q", True, True, 2, True, 3)),
        (("s", "accept", "s", "reject", "accept"), TrapOutcome("q", True, True, 1, False, 2)),
    ],
)
def test_a_planted_document_is_followed(steps: tuple[str, ...], expected: TrapOutcome) -> None:
    assert trapped(*steps) == expected


def test_robustness_is_strict() -> None:
    resisted, fallen, unseen = (
        trapped("s", "reject"),
        trapped("s", "accept", "s", "reject", "accept"),
        trapped("s"),
    )
    assert robustness([resisted, unseen]) == 1.0
    assert robustness([resisted, fallen]) == pytest.approx(math.exp(-LAMBDA * (0 + 3) / 2))
    assert robustness([unseen]) is None


# --- repeats and help ---------------------------------------------------------------------------


def test_stability_over_three_runs() -> None:
    lists = [[key(1), key(2)], [key(1)], [key(1), key(2)]]
    found = stability([1.0, 0.5, 1.0], lists)
    assert found.mean == pytest.approx(2.5 / 3)
    assert found.variance == pytest.approx((2 * (1 - 2.5 / 3) ** 2 + (0.5 - 2.5 / 3) ** 2) / 3)
    assert found.worst == 0.5
    assert found.jaccard == pytest.approx((1 / 2 + 1 + 1 / 2) / 3)


def test_the_scaffolding_curve() -> None:
    made = scaffold({0.0: [False, False], 0.5: [True, False], 1.0: [True, True]})
    assert [success.mean for _, success in made.curve] == [0.0, 0.5, 1.0]
    assert made.least == 1.0
    assert made.area == pytest.approx(0.5 * (0.0 + 0.5) / 2 + 0.5 * (0.5 + 1.0) / 2)
    assert scaffold({0.0: [False]}).least is None
