"""What a prompt shows of the run: sub-corpora, evidence, memory, briefings, as fenced data.

Nothing of a sub-corpus that must stay on this machine is shown to a model elsewhere (`hidden`
names those sub-corpora): neither text nor title, date, reason or quote. Only that something is
there is said.
"""

from __future__ import annotations

from collections.abc import Sequence

from trace_core.assistant.asking import Data, Squeeze
from trace_core.assistant.fences import cut, one_line
from trace_core.assistant.tasks import (
    AcceptedItem,
    ArchiveContext,
    CorpusView,
    HeldItem,
    OrderItem,
    ReviewItem,
)
from trace_core.domain.dates import iso_day
from trace_core.domain.question import Briefing, Memory, SubQuestion

Hidden = frozenset[str]

_MOST_ACCEPTED = 40
_MOST_HELD = 24
_TITLE = 200
_DESCRIPTION = 400
_NEIGHBOUR = 300


def chunk_name(chunk: int) -> str:
    """The id under which the model sees a chunk."""
    return f"c{chunk}"


def archive(context: ArchiveContext) -> tuple[Data, ...]:
    """The sub-corpora with what is known of them, one a line."""
    lines = [_corpus_line(view) for view in context.corpora]
    scope = context.scope
    if scope.date_from or scope.date_to:
        span = f"{scope.date_from or '…'} to {scope.date_to or '…'}"
        lines.append(f"The search is limited to {span}.")
    return (Data("SUB-CORPORA", "\n".join(lines)),)


def _corpus_line(view: CorpusView) -> str:
    corpus = view.corpus
    parts = [f"{view.documents} documents"]
    if view.earliest is not None and view.latest is not None:
        parts.append(f"{iso_day(view.earliest)} to {iso_day(view.latest)}")
    if corpus.language:
        parts.append(f"language {corpus.language}")
    if corpus.aliases:
        parts.append("also called " + ", ".join(corpus.aliases))
    line = f'- id "{corpus.id}": {one_line(corpus.name)} ({corpus.kind}; {"; ".join(parts)})'
    description = cut(one_line(corpus.description), _DESCRIPTION)
    return f"{line}. {description}" if description else line


def sub_question(part: SubQuestion) -> tuple[Data, ...]:
    """A sub-question as the task in hand; its words may come from a model that read sources."""
    lines = [one_line(part.text), f'Target: "{part.target}"' if part.target else "Target: all"]
    if part.entities:
        lines.append("Names: " + one_line(", ".join(part.entities)))
    if part.dates:
        lines.append("Dates: " + one_line(", ".join(part.dates)))
    return (Data("SUB-QUESTION", "\n".join(lines)),)


def plan_lines(parts: Sequence[SubQuestion]) -> tuple[Data, ...]:
    """Sub-questions with their ids, one a line."""
    lines = [
        f'- id "{p.id}", target "{p.target}": {one_line(p.text)}'
        + (f" Names: {one_line(', '.join(p.entities))}." if p.entities else "")
        + (f" Dates: {one_line(', '.join(p.dates))}." if p.dates else "")
        for p in parts
    ]
    return (Data("SUB-QUESTIONS", "\n".join(lines) or "(none)"),)


def accepted(
    items: Sequence[AcceptedItem], hidden: Hidden, squeeze: Squeeze, *, quotes: bool = False
) -> tuple[Data, ...]:
    """Accepted documents with their reasons, the latest ones where not all find room."""
    shown = [item for item in items if item.key.corpus not in hidden]
    most = min(_MOST_ACCEPTED, squeeze.lines or _MOST_ACCEPTED)
    lines = []
    for item in shown[-most:]:
        line = f"- {_title(item.title)} ({item.key.corpus}, {item.date or 'undated'}): "
        line += one_line(item.reason)
        if quotes and item.quote:
            line += f" “{cut(one_line(item.quote), squeeze.text)}”"
        lines.append(line)
    lines += _left_out(len(shown) - most, "earlier ones are not shown")
    lines += _left_out(len(items) - len(shown), "stay on this machine and are not shown")
    return (Data("ACCEPTED", "\n".join(lines) or "(nothing yet)"),)


def held(items: Sequence[HeldItem], hidden: Hidden, squeeze: Squeeze) -> tuple[Data, ...]:
    """Held chunks by title and reason, without their texts."""
    shown = [h for h in items if h.item.candidate.corpus not in hidden]
    most = min(_MOST_HELD, squeeze.lines or _MOST_HELD)
    lines = [
        f"- {_title(h.item.title)} ({h.item.candidate.corpus}, {h.item.date or 'undated'}): "
        + one_line(h.reason)
        for h in shown[:most]
    ]
    lines += _left_out(len(shown) - most, "more")
    return (Data("HELD", "\n".join(lines) or "(nothing)"),)


def passage(item: ReviewItem, squeeze: Squeeze, why_held: str = "") -> Data:
    """A chunk in full text with its title and date, all of it data."""
    head = [
        f"title: {_title(item.title)}",
        f"sub-corpus: {one_line(item.corpus_name)}",
        f"date: {one_line(item.date) or 'undated'}",
    ]
    if item.page:
        head.append(f"page: {one_line(item.page)}")
    if item.candidate.forms:
        head.append(f"matched forms: {one_line(', '.join(item.candidate.forms))}")
    if why_held:
        head.append(f"held because: {one_line(why_held)}")
    body = []
    if item.before and squeeze.text is None:
        body.append(f"(just before: … {one_line(item.before)[-_NEIGHBOUR:]})")
    body.append(cut(item.text, squeeze.text))
    if item.after and squeeze.text is None:
        body.append(f"(just after: {one_line(item.after)[:_NEIGHBOUR]} …)")
    text = "\n".join([*head, "text:", *body])
    return Data(f"SOURCE {chunk_name(item.candidate.chunk)}", text)


def ordered_document(name: str, item: OrderItem, squeeze: Squeeze) -> Data:
    """A document of a group with the reasons for which it was accepted."""
    lines = [
        f"title: {_title(item.title)}",
        f"sub-corpus: {item.key.corpus}",
        f"date: {one_line(item.date) or 'undated'}",
        *(f"reason: {one_line(reason)}" for reason in item.reasons[: squeeze.lines]),
        *(f"quote: {cut(one_line(q), squeeze.text)}" for q in item.quotes[: squeeze.lines]),
    ]
    return Data(f"SOURCE {name}", "\n".join(lines))


def memory(slots: Memory) -> tuple[Data, ...]:
    """The five slots."""
    lines = [f"{name}: {one_line(text)}" for name, text in slots.model_dump().items() if text]
    return (Data("MEMORY", "\n".join(lines) or "(empty)"),)


def briefings(items: Sequence[Briefing], squeeze: Squeeze) -> tuple[Data, ...]:
    """The briefings of earlier sub-questions, one block each."""
    return tuple(
        Data(f"BRIEFING {n}", cut(_briefing(b), squeeze.text)) for n, b in enumerate(items, 1)
    )


def _briefing(item: Briefing) -> str:
    lines = [one_line(item.summary)]
    for name in ("confirmed_facts", "dates", "entities", "gaps", "search_hints"):
        values: tuple[str, ...] = getattr(item, name)
        if values:
            lines.append(f"{name}: " + "; ".join(one_line(v) for v in values))
    return "\n".join(lines)


def log_lines(lines: Sequence[str]) -> tuple[Data, ...]:
    """The end of the action log."""
    text = "\n".join(f"- {one_line(line)}" for line in lines)
    return (Data("LOG", text or "(nothing yet)"),)


def hints(lines: Sequence[str]) -> tuple[Data, ...]:
    """Hints from elsewhere, one a line."""
    return (Data("HINTS", "\n".join(f"- {one_line(line)}" for line in lines) or "(none)"),)


def _title(title: str) -> str:
    return cut(one_line(title), _TITLE) or "(no title)"


def _left_out(count: int, what: str) -> list[str]:
    return [f"({count} {what})"] if count > 0 else []
