"""The commands that look at the way of runs: without a document, with traps, repeats and help."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trace_core.cli.evaluation_commands import how_of
from trace_core.cli.output import counted, write_json, write_line, write_table
from trace_core.domain.errors import BadInput

if TYPE_CHECKING:
    from trace_core.evaluation.counterfactual import Judged, Observation
    from trace_core.service import Service
    from trace_core.service.journeys import Journeys
    from trace_core.service.rehearsing import Counterfactual


def counterfactual(service: Service, arguments: Namespace) -> int:
    """Take documents from a finished run, one at a time, and see what it then finds."""
    from trace_core.service.rehearsing import WhatIf, document_keys

    wish = WhatIf(
        documents=document_keys(arguments.document),
        most=arguments.most,
        for_good=arguments.for_good,
        noise=not arguments.no_noise,
    )
    gold = service.questions(arguments.gold) if arguments.gold else None
    found = service.counterfactual(arguments.run, wish, gold)
    if arguments.json:
        write_json(counterfactual_json(found))
    else:
        _print_counterfactual(found)
    return 0


def counterfactual_json(found: Counterfactual) -> dict[str, Any]:
    """A counterfactual for machines, with the paper's figures and the limits of the method."""
    from trace_core.evaluation.counterfactual import LIMITS, PAPER_QUADRANTS
    from trace_core.evaluation.passed_on import PAPER_RATES, rates

    sample = found.sample
    return {
        "run": found.run,
        "question": found.question,
        "measured_by": found.measured_by,
        "target": [str(key) for key in found.target],
        "reviewed": found.reviewed,
        "no_effect": sample.no_effect,
        "documents": [
            {
                **_observation(judged.observation),
                "utility": judged.utility,
                "quadrant": judged.quadrant,
            }
            for judged in sample.judged
        ],
        "quadrants": sample.shares,
        "spearman": sample.spearman,
        "noise": _observation(found.noise) if found.noise else None,
        "same_as_record": found.same_as_record,
        "names_passed_on": asdict(rates(found.passed)),
        "queries": [
            {
                "search": one.search,
                "query": one.query,
                "names": [
                    {**asdict(n), "documents": [str(k) for k in n.documents]} for n in one.names
                ],
            }
            for one in found.passed
        ],
        "paper": {"quadrants": PAPER_QUADRANTS, "names_passed_on": PAPER_RATES, "no_effect": 1.4},
        "limits": LIMITS,
    }


def _observation(seen: Observation) -> dict[str, Any]:
    return {
        "document": str(seen.what.key),
        "search": seen.what.search,
        "sub_question": seen.what.sub_question,
        "quality": seen.quality,
        "next_query": seen.next_query,
        "effort": seen.effort,
        "alone": seen.alone,
        "lost": [str(key) for key in seen.lost],
        "gained": [str(key) for key in seen.gained],
        "replies_recorded": seen.replies_recorded,
        "replies_anew": seen.replies_anew,
        "problem": seen.problem,
    }


def _print_counterfactual(found: Counterfactual) -> None:
    from trace_core.evaluation.counterfactual import LIMITS

    heads = ("document", "quadrant", "CTU", "alone", "quality", "next", "effort")
    write_table((*heads, "missed without it"), [_taken_away(one) for one in found.sample.judged])
    sample = found.sample
    shares = ", ".join(f"{name} {share:.0%}" for name, share in sample.shares.items())
    rho = "not defined" if sample.spearman is None else f"{sample.spearman:+.3f}"
    write_line(f"No effect: CTU {sample.no_effect:.2f}. {shares}. Spearman's rho {rho}.")
    write_line(f"Measured by {found.measured_by}: {counted(len(found.target), 'document')}.")
    if found.noise:
        seen = found.noise
        write_line(
            f"Undisturbed, asked anew: quality {seen.quality:+.2f}, next {seen.next_query:+.2f}, "
            f"effort {seen.effort:+d}; that much is the model's own noise."
        )
    if not found.same_as_record:
        write_line("The undisturbed replay accepts other documents than the run as it stands now.")
    _print_passed_on(found)
    write_line(LIMITS)


def _taken_away(judged: Judged) -> tuple[str, ...]:
    seen = judged.observation
    return (
        str(seen.what.key),
        judged.quadrant,
        f"{judged.utility:.2f}",
        f"{seen.alone:.2f}",
        f"{seen.quality:+.2f}",
        f"{seen.next_query:+.2f}",
        f"{seen.effort:+d}",
        seen.problem or ", ".join(str(key) for key in seen.lost) or "nothing",
    )


def _print_passed_on(found: Counterfactual) -> None:
    from trace_core.evaluation.passed_on import rates

    passed = rates(found.passed)
    if passed.positive is not None:
        others = "–" if passed.others is None else f"{passed.others:.1%}"
        write_line(
            f"Names of positive weight in the next query: {passed.positive:.1%}; others: {others}."
        )


def trajectory(service: Service, arguments: Namespace) -> int:
    """Profile the runs of a strategy on a question set."""
    from trace_core.service.journeys import FRACTIONS, Disturbances

    wish = Disturbances(
        repeats=arguments.repeats,
        traps=arguments.traps,
        trap_text=_text_of(arguments.trap_text),
        fractions=FRACTIONS if arguments.scaffold else (),
    )
    questions = service.questions(arguments.questions)
    found = service.journeys(questions, arguments.strategy, how_of(service, arguments), wish)
    if arguments.json:
        write_json(journeys_json(found))
    else:
        _print_journeys(found)
    return 0


def _text_of(path: Path | None) -> str:
    """The text of a trap of one's own. Raises BadInput for a file without any, or unreadable."""
    if path is None:
        return ""
    try:
        text = path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"{path} cannot be read as text in UTF-8 ({error}).") from None
    if not text:
        raise BadInput(f"{path} holds no text to plant; write a misleading passage into it.")
    return text


def journeys_json(found: Journeys) -> dict[str, Any]:
    """The profile for machines."""
    return {
        "strategy": found.strategy,
        "profile": asdict(found.profile),
        "runs": [{**asdict(run), "ranking": [str(k) for k in run.ranking]} for run in found.runs],
        "traps": [{**asdict(trap), "recovered": trap.recovered} for trap in found.traps],
        "stability": {question: asdict(s) for question, s in found.stability.items()},
        "scaffold": asdict(found.scaffold) if found.scaffold else None,
    }


def _print_journeys(found: Journeys) -> None:
    p = found.profile
    write_line(
        f"{found.strategy}: {p.successes} of {p.n} runs succeed (all gold in the first 10); "
        f"recall@10 {p.recall:.3f}"
    )
    for name, cost in p.cost.items():
        write_line(f"  {name} of a success: median {cost.p50:.4g}, 95th percentile {cost.p95:.4g}")
    write_line(f"  searches that brought nothing new: {p.nothing_new:.1%}")
    write_line(f"  searches that led to no acceptance: {p.no_gain:.1%}")
    supported = "–" if p.supported is None else f"{p.supported:.1%}"
    write_line(f"  accepting reasons that quote: {p.quoting:.1%}; of these true: {supported}")
    if found.traps:
        seen = [t for t in found.traps if t.found]
        write_line(
            f"  planted passages: {len(seen)} came up, {sum(t.accepted for t in seen)} were "
            f"accepted, {sum(t.recovered for t in seen)} lists are clean of one seen through"
        )
    for question, s in found.stability.items():
        write_line(
            f"  {question}, {s.repeats} runs: recall@10 {s.mean:.3f}, variance {s.variance:.4f}, "
            f"worst {s.worst:.3f}, lists agree {s.jaccard:.2f}"
        )
    if found.scaffold:
        for fraction, success in found.scaffold.curve:
            write_line(f"  given {fraction:.0%} of a good run: success {success.mean:.2f}")
        least = found.scaffold.least
        reached = "never" if least is None else f"from {least:.0%} on"
        write_line(f"  0.9 is reached {reached}; area under the curve {found.scaffold.area:.2f}")
    _print_utility(found)


def _print_utility(found: Journeys) -> None:
    p = found.profile
    parts = {
        "success": p.success_rate,
        "efficiency": p.efficiency,
        "grounding": p.grounding,
        "robustness": p.robustness,
    }
    shown = ", ".join(f"{n} {'–' if v is None else f'{v:.3f}'}" for n, v in parts.items())
    write_line(f"  parts: {shown}")
    if p.utility_all is None:
        write_line("  utility: not defined, since no reason quotes anything and no trap was set")
        return
    successes = "–" if p.utility_successes is None else f"{p.utility_successes:.3f}"
    write_line(
        f"  utility: {p.utility_all:.3f} over all runs (failures as zero), {successes} over "
        "successes alone"
    )
