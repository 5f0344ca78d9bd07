"""The commands about runs: ask, watch, decide, override."""

from __future__ import annotations

import json
from argparse import Namespace
from typing import TYPE_CHECKING

from trace_core.cli.output import counted, warn, write_json, write_line, write_table
from trace_core.cli.shapes import date_of, run_json, runs_json
from trace_core.cli.values import (
    budget_changes,
    chunk_id,
    read_decision,
    scope_spec_of,
    setting_changes,
)
from trace_core.domain.checkpoint import HumanDecision, VerdictChange
from trace_core.domain.errors import BadInput, NotFound
from trace_core.domain.question import SubQuestion
from trace_core.domain.state import DecisionRecord, RunState
from trace_core.settings import joined

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trace_core.service import Service
    from trace_core.service.runs import PolicyName
    from trace_core.service.views import EvidenceView


def ask(service: Service, arguments: Namespace) -> int:
    """Ask a question and work on it until it waits or ends."""
    changes = joined(service.preset_changes(arguments.preset), setting_changes(arguments.set))
    run = service.ask(
        arguments.question,
        arguments.assistant,
        scope_spec_of(arguments),
        changes,
        arguments.person,
    )
    policy: PolicyName = "approve" if arguments.approve == "all" else "ask"
    service.advance(run, policy)
    return _worked(service, run, arguments)


def _worked(service: Service, run: str, arguments: Namespace) -> int:
    """Show a run that was worked on; 1 where its model could not be asked."""
    code = _shown(service, run, arguments)
    state = service.state(run)
    if state.status == "paused" and state.rest_cause == "model":
        warn(state.rest_reason)
        return 1
    return code


def show(service: Service, arguments: Namespace) -> int:
    """Show a run."""
    service.require(arguments.run)
    return _shown(service, arguments.run, arguments)


def _shown(service: Service, run: str, arguments: Namespace) -> int:
    state = service.state(run)
    if not state.ended and (advice := service.disagreement()):
        warn(advice)
    if arguments.json:
        write_json(run_json(service, run))
    else:
        _print_run(service, state)
    return 1 if state.status == "failed" else 0


def _print_run(service: Service, state: RunState) -> None:
    write_line(f"Run {state.run}: {state.question}")
    by = "rules, without a model" if state.assistant == "rules" else "a model"
    write_line(f"Judged by {by}; {state.status}.")
    for question in state.plan or _proposed(state):
        target = question.target or "the whole archive"
        write_line(f"  {question.id} in {target}: {question.text}")
    _print_evidence(service.evidence(state.run))
    _print_held(state.held())
    _print_decided(state)
    for _, trouble in state.troubles:
        write_line(f"Note: {trouble}")
    _print_prompts(service, state)
    _say_how_to_go_on(service, state)


def _print_evidence(lines: Sequence[EvidenceView]) -> None:
    if not lines:
        return
    rows = [
        (
            line.rank,
            line.confirmations,
            line.corpus_name,
            line.key.source_id,
            date_of(line.head.date) if line.head else "",
            line.reason,
        )
        for line in lines
    ]
    write_line()
    write_table(("rank", "confirmed", "sub-corpus", "document", "date", "reason"), rows)
    write_line("Confirmed counts sub-questions; it is a heuristic, not corroboration.")


def _print_held(held: Sequence[DecisionRecord]) -> None:
    if not held:
        return
    write_line()
    write_line(f"{counted(len(held), 'passage', 'held')} for your judgement:")
    for record in held:
        decision = record.decision
        write_line(f"  c{decision.chunk} {decision.key}: {decision.reason}")


def _print_decided(state: RunState) -> None:
    """What people decided, with the ids by which it can be taken back."""
    by_people = [r for r in state.decisions if r.actor.kind == "human"]
    if not by_people:
        return
    write_line()
    write_line(f"Decided by people (`trace-archive undo {state.run} ID` takes one back):")
    for record in by_people:
        decision = record.decision
        reason = f": {decision.reason}" if decision.reason else ""
        who = record.actor.name or "a person"
        write_line(
            f"  {record.id} {who}: {decision.verdict} c{decision.chunk} "
            f"{decision.key} for {decision.sub_question}{reason}"
        )


def _print_prompts(service: Service, state: RunState) -> None:
    """Which prompts the run has, where they are not simply the built-in ones."""
    uses = service.prompts_used(state)
    other = [use for use in uses if use.origin != "built_in"]
    for use in other:
        whose = "this workspace's" if use.origin == "own" else "an earlier version's"
        write_line(f"Prompt of the stage {use.stage}: {whose}, {use.hash[:12]}.")
    if uses and not other:
        write_line("Prompts: those built in.")


def _proposed(state: RunState) -> list[SubQuestion]:
    return list(state.proposal.sub_questions) if state.proposal else []


def _say_how_to_go_on(service: Service, state: RunState) -> None:
    if state.checkpoint is not None:
        write_line()
        write_line(
            f"The run waits at the {state.checkpoint.kind} checkpoint. Go on with "
            f"`trace-archive decide {state.run} --approve`, or with edits by "
            f"`trace-archive decide {state.run} --file decision.json`."
        )
    elif state.status == "paused":
        write_line(f"The run rests: {state.rest_reason}")
        raised = " --budget NAME=VALUE" if state.rest_cause == "budget" else ""
        write_line(f"Go on with `trace-archive resume {state.run}{raised}`.")
    elif state.status == "failed":
        write_line(f"The run failed: {state.rest_reason}")
        write_line(f"Try again with `trace-archive resume {state.run}`.")
    elif state.status in ("planning", "running"):
        if service.worked_on(state.run):
            write_line("A process is working on the run; `show` tells how far it is.")
            return
        interrupted = state.run in service.interrupted()
        why = "The run was interrupted." if interrupted else "Nobody works on the run."
        write_line(f"{why} Go on with `trace-archive resume {state.run}`.")


def runs(service: Service, arguments: Namespace) -> int:
    """List the runs."""
    heads = service.runs()
    if arguments.json:
        write_json(runs_json(heads))
        return 0
    if not heads:
        write_line("There are no runs yet; `ask` starts one.")
        return 0
    rows = [(h.id, h.status, h.waiting_for, h.assistant, h.created[:16], h.question) for h in heads]
    write_table(("run", "status", "waits for", "by", "asked", "question"), rows)
    return 0


def events(service: Service, arguments: Namespace) -> int:
    """List the events of a run."""
    found = service.events(arguments.run, arguments.after)
    if arguments.json:
        write_json(
            {
                "run_id": arguments.run,
                "events": [
                    {
                        "sequence": e.sequence,
                        "time": e.time,
                        "actor": str(e.actor),
                        "type": e.type,
                        "payload": e.data,
                        "previous_hash": e.previous_hash,
                        "hash": e.hash,
                    }
                    for e in found
                ],
            }
        )
        return 0
    rows = [(e.sequence, e.time[:19], str(e.actor), e.type, json.dumps(e.data)) for e in found]
    write_table(("no", "time", "actor", "event", "content"), rows)
    return 0


def verify(service: Service, arguments: Namespace) -> int:
    """Check a run's chain, and that its list follows from its events."""
    from trace_core.cli.export_commands import show_report

    return show_report(service.verify(arguments.run), arguments)


def decide(service: Service, arguments: Namespace) -> int:
    """Answer the open checkpoint and go on."""
    if arguments.approve == (arguments.file is not None):
        raise BadInput("Give either --approve or --file decision.json.")
    decision = HumanDecision() if arguments.approve else read_decision(arguments.file)
    state = service.decide(arguments.run, decision, arguments.person)
    if arguments.then == "work" and not state.ended:
        service.advance(arguments.run)
    return _worked(service, arguments.run, arguments)


def override(service: Service, arguments: Namespace) -> int:
    """Give a verdict on a passage."""
    chunk = chunk_id(arguments.passage)
    state = service.state(arguments.run)
    where = [s for s, sub in state.subs.items() if chunk in sub.candidates]
    if arguments.sub_question:
        where = [arguments.sub_question]
    if not where:
        raise NotFound(f"Run {arguments.run} never found passage c{chunk}; `show` lists them.")
    changes = [
        VerdictChange(
            chunk=chunk, sub_question=s, verdict=arguments.verdict, reason=arguments.reason
        )
        for s in where
    ]
    service.override(arguments.run, changes, arguments.person)
    return _shown(service, arguments.run, arguments)


def undo(service: Service, arguments: Namespace) -> int:
    """Take a decision back."""
    service.undo(arguments.run, arguments.decision, arguments.person, arguments.reason)
    return _shown(service, arguments.run, arguments)


def resume(service: Service, arguments: Namespace) -> int:
    """Go on with a run."""
    policy: PolicyName = "approve" if arguments.approve == "all" else "ask"
    changes = budget_changes(arguments.budget)
    if changes and not service.state(arguments.run).ended:
        service.change_budget(arguments.run, changes, arguments.person)
    service.resume(arguments.run, policy, wait=True)
    return _worked(service, arguments.run, arguments)


def stop(service: Service, arguments: Namespace) -> int:
    """End a run."""
    service.stop(arguments.run, arguments.reason, arguments.person)
    return _shown(service, arguments.run, arguments)


def pause(service: Service, arguments: Namespace) -> int:
    """Let a run rest."""
    state = service.pause(arguments.run, arguments.person)
    if state.status != "paused":
        warn(f"Run {arguments.run} will rest after the stage that it is in.")
    return _shown(service, arguments.run, arguments)
