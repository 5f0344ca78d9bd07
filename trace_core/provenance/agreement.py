"""Do two people judge alike? Cohen's kappa over the passages that both of them decided.

kappa = (p_o - p_e) / (1 - p_e), where p_o is the share of passages with the same verdict and
p_e the share expected by chance: the sum over the verdicts of the product of both people's own
shares of that verdict (Jacob Cohen, "A Coefficient of Agreement for Nominal Scales",
Educational and Psychological Measurement 20(1), 1960, pp. 37-46).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from trace_core.domain.corpus import DocumentKey
from trace_core.domain.errors import BadInput
from trace_core.domain.evidence import VERDICTS, Verdict
from trace_core.domain.state import DecisionRecord, RunState


@dataclass(frozen=True, slots=True)
class Disagreement:
    """One passage that two people judged differently, with each one's last word on it."""

    chunk: int
    key: DocumentKey
    first: DecisionRecord
    second: DecisionRecord


@dataclass(frozen=True, slots=True)
class Agreement:
    """Two people's agreement over the passages both decided.

    `kappa` is None where it is not defined: nothing in common, or both gave one and the same
    verdict throughout (chance alone would agree fully). `table` counts passages by (verdict of
    the first, verdict of the second).
    """

    first: str
    second: str
    common: int
    observed: float | None
    expected: float | None
    kappa: float | None
    table: dict[tuple[Verdict, Verdict], int]
    disagreements: tuple[Disagreement, ...]


def deciders(state: RunState) -> tuple[str, ...]:
    """The people who decided anything in a run, in the order in which they began."""
    names = (r.actor.name for r in state.decisions if r.actor.kind == "human")
    return tuple(dict.fromkeys(names))


def agreement(state: RunState, first: str, second: str) -> Agreement:
    """Cohen's kappa of two people on one run; the last decision of each on a passage counts.

    Raises BadInput when both are the same person, or one of them decided nothing.
    """
    if first == second:
        raise BadInput("Agreement needs two different people.")
    mine, yours = _last(state, first), _last(state, second)
    for name, found in ((first, mine), (second, yours)):
        if not found:
            known = ", ".join(n or "(no name)" for n in deciders(state)) or "nobody"
            raise BadInput(f"{name or '(no name)'} decided nothing in this run; {known} did.")
    common = sorted(mine.keys() & yours.keys())
    pairs = [(mine[c].decision.verdict, yours[c].decision.verdict) for c in common]
    observed, expected = _shares(pairs)
    kappa = None
    if observed is not None and expected is not None and expected < 1:
        kappa = (observed - expected) / (1 - expected)
    return Agreement(
        first=first,
        second=second,
        common=len(common),
        observed=observed,
        expected=expected,
        kappa=kappa,
        table=dict(Counter(pairs)),
        disagreements=tuple(
            Disagreement(c, mine[c].decision.key, mine[c], yours[c])
            for c in common
            if mine[c].decision.verdict != yours[c].decision.verdict
        ),
    )


def _last(state: RunState, person: str) -> dict[int, DecisionRecord]:
    return {
        r.decision.chunk: r
        for r in state.decisions
        if r.actor.kind == "human" and r.actor.name == person
    }


def _shares(pairs: list[tuple[Verdict, Verdict]]) -> tuple[float | None, float | None]:
    """(share of equal verdicts, share expected by chance), None for no pairs."""
    total = len(pairs)
    if not total:
        return None, None
    rows, columns = Counter(a for a, _ in pairs), Counter(b for _, b in pairs)
    observed = sum(a == b for a, b in pairs) / total
    expected = sum(rows[v] * columns[v] for v in VERDICTS) / (total * total)
    return observed, expected
