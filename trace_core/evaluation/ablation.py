"""Ablation: what each part of the method brings, added one after another and left out one by one.

In: one strategy with all its parts. Out: the strategies to measure, and a table of the
cumulative path of the method's paper (agent only, + decomposition, + memory and replanning,
+ warm start, + hold and re-evaluation) beside leave-one-out, each change with its interval.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from trace_core.domain.errors import BadInput
from trace_core.evaluation.evaluate import PAIRED_BY, Evaluation

BASES = ("trace-rules", "trace-model")

NOTE = (
    "The steps of the cumulative path are not independent effects: each depends on those before "
    "it, and another order would give other numbers. Leave-one-out takes one part from the whole "
    "method and has the same limit from the other side."
)
NOTE_RULES = (
    "The rules make no search beyond the warm start and no replans, so the first steps of the "
    "path find nothing by rules; the path is meant for a model."
)

_STEPS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("decomposition", ("decompose",)),
    ("memory and replanning", ("memory", "replan")),
    ("warm start", ("warm_start",)),
    ("hold and re-evaluation", ("holds", "second_pass")),
)
"""The paper's components in the paper's order, each with the parts that it is made of."""

_OURS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("routing to sub-corpora", ("routing",)),
    ("neighbours in time", ("coupling",)),
    ("OCR-tolerant channel", ("fuzzy",)),
    ("dense channel", ("dense",)),
    ("date channel", ("date",)),
)
"""What this program adds or can switch off besides, for leave-one-out alone."""


@dataclass(frozen=True, slots=True)
class Step:
    """One line of an ablation: what it is called and the strategy that measures it."""

    name: str
    strategy: str


def cumulative(base: str) -> list[Step]:
    """The paper's path, from the agent alone to the whole method.

    Raises BadInput for a strategy without parts.
    """
    if base not in BASES:
        raise BadInput(f"{base!r} cannot be taken apart; choose {' or '.join(BASES)}.")
    steps = []
    for count in range(len(_STEPS) + 1):
        name = f"+ {_STEPS[count - 1][0]}" if count else "agent only"
        off = [part for _, parts in _STEPS[count:] for part in parts]
        steps.append(Step(name, "-".join([base, *off])))
    return steps


def leave_one_out(base: str) -> list[Step]:
    """The whole method, and the method without each of its components. Raises BadInput."""
    whole = cumulative(base)[-1]
    return [
        Step("the whole method", whole.strategy),
        *(Step(f"without {name}", "-".join([base, *parts])) for name, parts in _STEPS + _OURS),
    ]


def strategies_of(base: str) -> list[str]:
    """All strategies that an ablation measures, each once."""
    return list(dict.fromkeys(s.strategy for s in [*cumulative(base), *leave_one_out(base)]))


def table(done: Evaluation, base: str) -> dict[str, Any]:
    """Both tables as plain JSON data.

    A step's change is the paired difference in recall@10 to the step before it; a component left
    out is compared with the whole method (a negative change: the component helps).
    """
    path, without = cumulative(base), leave_one_out(base)
    before = [path[0], *path[:-1]]
    note = f"{NOTE} {NOTE_RULES}" if base == "trace-rules" else NOTE
    return {
        "base": base,
        "cumulative": _lines(done, path, before),
        "leave_one_out": _lines(done, without, [without[0]] * len(without)),
        "note": note,
    }


def _lines(
    done: Evaluation, steps: Sequence[Step], against: Sequence[Step]
) -> list[dict[str, Any]]:
    lines = []
    for step, other in zip(steps, against, strict=True):
        summary = done.summary(step.strategy)
        interval = summary.intervals.get(PAIRED_BY)
        lines.append(
            {
                "name": step.name,
                "strategy": step.strategy,
                "n": summary.n,
                "failures": summary.failures,
                PAIRED_BY: 0.0,
                **summary.means,
                "interval": [interval.low, interval.high] if interval else [0.0, 0.0],
                "change": asdict(done.compare(step.strategy, other.strategy)),
                "cost": asdict(summary.cost),
            }
        )
    return lines
