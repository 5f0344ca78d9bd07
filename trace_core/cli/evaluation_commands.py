"""The command that measures strategies on a question set, and what differs between two reports."""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trace_core.cli.output import warn, write_json, write_line, write_table
from trace_core.cli.values import setting_changes
from trace_core.domain.errors import BadInput
from trace_core.settings import joined

if TYPE_CHECKING:
    from trace_core.evaluation.evaluate import Evaluation, Progress
    from trace_core.evaluation.questions import QuestionSet
    from trace_core.service import Service
    from trace_core.service.evaluating import How


def evaluate(service: Service, arguments: Namespace) -> int:
    """Measure strategies on a question set, or compare two reports."""
    if arguments.compare:
        return _compare(arguments)
    if not arguments.questions:
        raise BadInput("Name a question set: a file, a BEIR folder, or `own`.")
    questions = service.questions(arguments.questions)
    how = how_of(service, arguments)
    if arguments.ablation:
        made = _ablation(service, arguments, questions, how)
    else:
        names = names_in(arguments.strategy or "bm25,fused,trace-rules")
        done = service.evaluate(questions, names, how)
        made = service.evaluation_report(done, channels=arguments.channels)
        _files(done, made, arguments)
    if arguments.output:
        arguments.output.write_text(
            json.dumps(made, ensure_ascii=False, indent=1), encoding="utf-8"
        )
    if arguments.json:
        write_json(made)
    else:
        _print(made)
    return 0


def names_in(text: str) -> list[str]:
    """Names joined by commas."""
    return [name.strip() for name in text.split(",") if name.strip()]


def how_of(service: Service, arguments: Namespace) -> How:
    """How to measure, from the command's options."""
    from trace_core.service.evaluating import How

    preset = service.preset_changes("paper" if arguments.paper else "")
    if arguments.paper:
        _say_of_passages(service)
    shown = sys.stderr.isatty() and not arguments.json
    return How(
        changes=joined(preset, setting_changes(arguments.set)),
        workers=arguments.workers,
        fresh=arguments.fresh,
        told=_bar if shown else lambda _: None,
    )


def _say_of_passages(service: Service) -> None:
    """How texts are cut is the archive's property: the authors' constants cannot change it."""
    from trace_core.settings import preset

    ours, theirs = service.settings().index, preset("paper").index
    cut = (theirs.chunk_words, theirs.chunk_overlap)
    if (ours.chunk_words, ours.chunk_overlap) != cut:
        warn(
            f"The passages of this archive hold at most {ours.chunk_words} words, the authors' "
            f"{cut[0]} with an overlap of {cut[1]:.0%}: for theirs set index.chunk_words and "
            "index.chunk_overlap and import anew."
        )


def _bar(progress: Progress) -> None:
    money = f", ${progress.cost.money:.2f}" if progress.cost.money else ""
    tokens = progress.cost.tokens_in + progress.cost.tokens_out
    spent = f", {progress.cost.calls} calls, {tokens} tokens{money}" if progress.cost.calls else ""
    end = "\n" if progress.done == progress.total else ""
    text = f"\r{progress.strategy}: {progress.done} of {progress.total} answered{spent}   {end}"
    sys.stderr.write(text)
    sys.stderr.flush()


def _ablation(
    service: Service, arguments: Namespace, questions: QuestionSet, how: How
) -> dict[str, Any]:
    names = names_in(arguments.strategy or "trace-rules")
    if len(names) != 1:
        raise BadInput("An ablation takes one strategy: trace-rules or trace-model.")
    return service.ablation(questions, names[0], how)


def _files(done: Evaluation, made: dict[str, Any], arguments: Namespace) -> None:
    from trace_core.evaluation.report import trec_qrels, trec_run

    if arguments.trec:
        arguments.trec.mkdir(parents=True, exist_ok=True)
        (arguments.trec / "gold.qrels").write_text(trec_qrels(done), encoding="utf-8")
        for name in done.results:
            path = arguments.trec / f"{name}.run"
            path.write_text(trec_run(done, name), encoding="utf-8")
    if arguments.plots:
        from trace_core.evaluation.plots import write_plots

        write_plots(made, arguments.plots)


def _print(made: dict[str, Any]) -> None:
    from trace_core.evaluation.report import SHOWN

    rows = [
        (name, s["n"], *(_measure(s, m) for m in SHOWN), s["failures"])
        for name, s in made["strategies"].items()
    ]
    write_table(("strategy", "n", *SHOWN, "failures"), rows)
    for name, s in made["strategies"].items():
        if "accepted" in s:
            write_line(
                f"{name} accepts {s['accepted']:.1f} documents a question: precision "
                f"{s['accepted_precision']:.3f}, recall {s['accepted_recall']:.3f}"
            )
        if s.get("misses", {}).get("count"):
            shares = ", ".join(
                f"{cause.replace('_', ' ')} {value:.1%}"
                for cause, value in s["misses"]["shares"].items()
            )
            write_line(f"{name} missed {s['misses']['count']} gold documents: {shares}")
    for name, d in made.get("comparisons", {}).items():
        write_line(
            f"{name}: {d['measure']} {d['mean']:+.3f} [{d['low']:+.3f}, {d['high']:+.3f}], "
            f"{_chance(d['p'])}"
        )
    _print_channels(made.get("channels"))
    _print_ablation(made.get("ablation"))
    for name, s in made["strategies"].items():
        if s["failures"]:
            reason = next(iter(s["failure_reasons"].values()))
            warn(f"{name} failed on {s['failures']} of {s['n']} questions, first: {reason}")
    for flaw in made["flaws"]:
        warn(f"Question {flaw['question']}: {flaw['reason']}")


def _chance(p: float) -> str:
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"


def _measure(numbers: dict[str, Any], name: str) -> str:
    low, high = numbers["intervals"].get(name, (0.0, 0.0))
    return f"{numbers.get(name, 0.0):.3f} [{low:.2f}, {high:.2f}]"


def _print_channels(found: dict[str, Any] | None) -> None:
    if not found:
        return
    for pair, value in found["overlap"].items():
        write_line(f"{pair}: {value:.2f} of their first 20 together (Jaccard)")
    for name, number in found["alone"].items():
        write_line(f"{name} alone finds {number} gold documents")
    write_line(f"The fusion gains {found['fusion_gain']:+.3f} recall@20 on the best channel")


def _print_ablation(found: dict[str, Any] | None) -> None:
    if not found:
        return
    for part in ("cumulative", "leave_one_out"):
        write_line("")
        write_table(
            (part.replace("_", " "), "recall@10", "change", "95 %", "chance"),
            [
                (
                    step["name"],
                    f"{step['recall@10']:.3f}",
                    f"{step['change']['mean']:+.3f}",
                    f"[{step['change']['low']:+.3f}, {step['change']['high']:+.3f}]",
                    _chance(step["change"]["p"]),
                )
                for step in found[part]
            ],
        )
    write_line(found["note"])


def _compare(arguments: Namespace) -> int:
    from trace_core.evaluation.report import conditions_changed, numbers_changed

    first, second = (_read_report(path) for path in arguments.compare)
    conditions, numbers = conditions_changed(first, second), numbers_changed(first, second)
    if arguments.json:
        write_json(
            {
                "conditions": {c.where: [c.first, c.second] for c in conditions},
                "numbers": {c.where: [c.first, c.second] for c in numbers},
            }
        )
        return 0
    if not conditions:
        write_line("Both were measured under the same conditions.")
    for title, changes in (("condition", conditions), ("number", numbers)):
        if changes:
            write_table(
                (title, "first", "second"),
                [(c.where, _shown(c.first), _shown(c.second)) for c in changes],
            )
    return 0


def _shown(value: Any) -> str:
    text = "–" if value is None else f"{value:.4f}" if isinstance(value, float) else str(value)
    return text if len(text) <= 40 else f"{text[:39]}…"


def _read_report(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise BadInput(f"{path} cannot be read as a report ({error}); name a JSON file.") from None
    if not isinstance(found, dict) or "strategies" not in found:
        raise BadInput(f"{path} is no report of an evaluation.")
    return found
