"""Plan and replan by model: sections of the prompts, and replies made into sub-questions."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from trace_core.assistant import render
from trace_core.assistant.asking import Ask, Data, Section, Squeeze
from trace_core.assistant.chat import ChatReply
from trace_core.assistant.fences import one_line
from trace_core.assistant.replies import Unreadable, read
from trace_core.assistant.shapes import PlanReply, SubQuestionEntry
from trace_core.assistant.tasks import ArchiveContext, PlanResult, PlanTask, ReplanTask
from trace_core.domain.question import SubQuestion
from trace_core.settings import Settings

_LONGEST_TEXT = 600
_MOST_NAMES = 24
_ANYWHERE = frozenset({"", "all", "any", "none", "null", "*"})


def plan(task: PlanTask, settings: Settings) -> Ask[PlanResult]:
    """The call that splits a question."""

    def sections(squeeze: Squeeze) -> Mapping[str, Section]:
        del squeeze
        return {
            "question": task.question,
            "archive": render.archive(task.archive),
            "max_sub_questions": str(task.max_sub_questions),
            "hits": (Data("HITS", _hits(task)),),
            "problem": _refused(task.previous_problem),
        }

    def result(reply: ChatReply, squeeze: Squeeze) -> PlanResult:
        del squeeze
        shape = read(reply.text, PlanReply, cut_off=reply.cut_off)
        parts = tuple(_part(entry, task.archive) for entry in shape.sub_questions)
        _check(parts, task.max_sub_questions)
        return PlanResult(parts, one_line(shape.note))

    return _asked("plan", task.state, settings, sections, result)


def replan(task: ReplanTask, settings: Settings) -> Ask[PlanResult]:
    """The call that revises what remains."""

    def sections(squeeze: Squeeze) -> Mapping[str, Section]:
        new = task.max_total - len(task.done) - len(task.remaining)
        return {
            "question": task.question,
            "archive": render.archive(task.archive),
            "done": render.plan_lines(task.done),
            "remaining": render.plan_lines(task.remaining),
            "briefing": render.briefings((task.briefing,), squeeze),
            "max_total": str(task.max_total),
            "max_new": str(max(0, new)),
        }

    def result(reply: ChatReply, squeeze: Squeeze) -> PlanResult:
        del squeeze
        shape = read(reply.text, PlanReply, cut_off=reply.cut_off)
        parts = tuple(_revised(entry, task) for entry in shape.sub_questions)
        _check_replan(parts, task)
        return PlanResult(parts, one_line(shape.note))

    return _asked("replan", task.state, settings, sections, result)


def _asked(
    stage: str,
    state: str,
    settings: Settings,
    sections: Callable[[Squeeze], Mapping[str, Section]],
    result: Callable[[ChatReply, Squeeze], PlanResult],
) -> Ask[PlanResult]:
    """A call for sub-questions: plan and replan have the same room and the same retries."""
    return Ask(
        stage=stage,
        state=state,
        max_tokens=settings.model.plan_tokens,
        items=0,
        retries=settings.loop.plan_retries,
        sections=sections,
        read=result,
    )


# --- reading -------------------------------------------------------------------------------------


def resolve_corpus(named: str, archive: ArchiveContext) -> str:
    """The id of the sub-corpus that a reply names by id, name or alias; "" for all.

    Raises Unreadable for any other name.
    """
    wanted = one_line(named).strip("\"'`").casefold()
    if wanted in _ANYWHERE and archive.find(named.strip()) is None:
        return ""
    for view in archive.corpora:
        corpus = view.corpus
        if wanted in {n.casefold() for n in (corpus.id, corpus.name, *corpus.aliases)}:
            return corpus.id
    known = ", ".join(f'"{view.corpus.id}"' for view in archive.corpora)
    raise Unreadable(f'There is no sub-corpus "{one_line(named)}"; the ids are {known}, or "".')


def _part(entry: SubQuestionEntry, archive: ArchiveContext) -> SubQuestion:
    text = one_line(entry.text)[:_LONGEST_TEXT]
    if not text:
        raise Unreadable("A sub-question has no text.")
    return SubQuestion(
        id="",
        text=text,
        target=resolve_corpus(entry.target, archive),
        entities=tuple(dict.fromkeys(map(one_line, entry.entities)))[:_MOST_NAMES],
        dates=tuple(dict.fromkeys(map(one_line, entry.dates)))[:_MOST_NAMES],
        why=one_line(entry.why)[:_LONGEST_TEXT],
    )


def _revised(entry: SubQuestionEntry, task: ReplanTask) -> SubQuestion:
    part = _part(entry, task.archive)
    name = entry.id.strip()
    if any(done.id == name for done in task.done if name):
        raise Unreadable(f"The sub-question {name} is done; leave it out.")
    old = next((r for r in task.remaining if r.id == name), None) if name else None
    old = old or next((r for r in task.remaining if _mark(r) == _mark(part)), None)
    if old is None:
        return part.model_copy(update={"origin": "spawned"})
    return SubQuestion(
        id=old.id,
        text=part.text,
        target=part.target,
        entities=part.entities or old.entities,
        dates=part.dates or old.dates,
        origin=old.origin,
        why=part.why or old.why,
    )


def _check(parts: tuple[SubQuestion, ...], most: int) -> None:
    if not parts:
        raise Unreadable("The plan has no sub-question.")
    if len(parts) > most:
        raise Unreadable(f"The plan has {len(parts)} sub-questions; at most {most} are allowed.")
    _check_twins(parts)


def _check_twins(parts: tuple[SubQuestion, ...]) -> None:
    seen: set[tuple[str, str]] = set()
    for part in parts:
        if _mark(part) in seen:
            raise Unreadable(f'The sub-question "{part.text}" stands there twice.')
        seen.add(_mark(part))


def _mark(part: SubQuestion) -> tuple[str, str]:
    return part.text.casefold(), part.target


def _check_replan(parts: tuple[SubQuestion, ...], task: ReplanTask) -> None:
    ids = [part.id for part in parts if part.id]
    if len(set(ids)) < len(ids):
        raise Unreadable("A sub-question's id stands there twice.")
    _check_twins(parts)
    done = {_mark(part) for part in task.done}  # the stage leaves out what is done already
    new = sum(not part.id and _mark(part) not in done for part in parts)
    total = len(task.done) + len(task.remaining) + new
    if new and total > task.max_total:
        raise Unreadable(
            f"With the {new} new ones there would be {total} sub-questions; "
            f"at most {task.max_total} are allowed."
        )


def _hits(task: PlanTask) -> str:
    known = [(n, c) for c, n in task.hits_by_corpus.items() if task.archive.find(c) and n > 0]
    lines = [f'- "{corpus}": {score:g}' for score, corpus in sorted(known, reverse=True)]
    return "\n".join(lines) or "(not known)"


def _refused(problem: str) -> str:
    if not problem:
        return ""
    return f"\nYour last plan was refused: {one_line(problem)} Make a better one."
