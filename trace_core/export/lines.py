"""The evidence as lines: one a document with its passages, ready for any format.

A passage's text is the stored text, character by character. A quotation is exported only where
it was found in its passage, and then as the stored text; quotation marks inside a reason are
taken away from words that are not in the passage.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

from trace_core.domain.corpus import DocumentKey, Page
from trace_core.domain.dates import OPEN_LATEST, iso_day
from trace_core.domain.errors import BadInput
from trace_core.domain.evidence import Verdict
from trace_core.domain.state import DecisionRecord, current_ranking
from trace_core.export.citation import Cited, csl_item, permanent_id, scan_link
from trace_core.export.citation_dates import shown_date
from trace_core.export.options import ORDERS, Options
from trace_core.export.render import Renderer
from trace_core.ports import Note
from trace_core.provenance.quotes import check_quote, check_reason, honest_reason
from trace_core.provenance.record import Passage, RunRecord, Source
from trace_core.provenance.words import words

QuoteState = Literal["", "yes", "no", "unchecked"]

NOT_IN_PASSAGE = {"en": "not found in the passage", "fr": "introuvable dans le passage"}
UNCHECKED = {
    "en": "not checked against the passage, whose text is not given",
    "fr": "non vérifié, le texte du passage n’étant pas communiqué",
}
"""What stands behind words that claim to be a quotation and are not one for certain."""


@dataclass(frozen=True, slots=True)
class PassageLine:
    """One decision on one passage. `quote` is stored text, "" unless it was verified.

    `by` and `judged` say who decided and how, in the words of the chosen language.
    """

    record: DecisionRecord
    superseded_by: str
    text: str
    withheld: bool
    start: int | None
    end: int | None
    page: Page | None
    page_index: int | None
    quote: str
    quote_verified: QuoteState
    reason: str
    link: str
    found: str
    by: str
    judged: str


@dataclass(frozen=True, slots=True)
class Line:
    """One document of the list, or one held or rejected document below it.

    `rank` is None for what is not in the list. `passages` are its decisions, best verdict first.
    """

    rank: int | None
    verdict: Verdict
    key: DocumentKey
    source: Source | None
    corpus_name: str
    citation: str
    item: dict[str, Any]
    confirmations: int
    sub_questions: tuple[str, ...]
    reason: str
    permanent_id: str
    link: str
    passages: tuple[PassageLine, ...]
    notes: tuple[Note, ...]
    tags: tuple[str, ...]
    starred_by: tuple[str, ...]

    @property
    def title(self) -> str:
        """The document's title, its id where it has none."""
        return (self.source.title if self.source else "") or self.key.source_id

    @property
    def date(self) -> str:
        """The date as it was written."""
        return shown_date(self.source.date if self.source else None)


def lines(record: RunRecord, options: Options) -> list[Line]:
    """The list as it stands, and what is held or rejected below it on wish.

    It is made once for a record and a choice, since a bundle writes it in several formats.
    """
    choice = replace(options, columns=(), bom=False, without_texts=False)  # these change no line
    return list(record.once(("lines", choice), lambda: tuple(_made(record, choice))))


def _made(record: RunRecord, options: Options) -> list[Line]:
    if options.order not in ORDERS:
        raise BadInput(f"There is no order {options.order!r}; use {', '.join(ORDERS)}.")
    maker = _Maker(record, options)
    made = [maker.line(key, verdict) for key, verdict in _wanted(record, options)]
    made.sort(key=lambda line: (_GROUP[line.verdict], *_place(line, options)))
    return made


_GROUP: dict[Verdict, int] = {"accept": 0, "hold": 1, "reject": 2}


def _wanted(record: RunRecord, options: Options) -> Iterator[tuple[DocumentKey, Verdict]]:
    best: dict[DocumentKey, Verdict] = {}
    for sub in record.state.subs.values():
        for standing in sub.verdicts.values():
            key, verdict = standing.decision.key, standing.decision.verdict
            if key not in best or _GROUP[verdict] < _GROUP[best[key]]:
                best[key] = verdict
    shown = {"accept": True, "hold": options.include_held, "reject": options.include_rejected}
    yield from ((key, verdict) for key, verdict in best.items() if shown[verdict])


def _place(line: Line, options: Options) -> tuple[int | str, ...]:
    rank = line.rank or 0
    if options.order == "date":
        date = line.source.date if line.source else None
        return (date.earliest if date else OPEN_LATEST + 1, rank, str(line.key))
    if options.order == "corpus":
        return (line.corpus_name, line.key.source_id)
    decided = min(p.record.sequence for p in line.passages)
    return (decided,) if options.order == "decided" else (rank, decided)


class _Maker:
    """Makes lines; looks what belongs to all of them up once."""

    def __init__(self, record: RunRecord, options: Options) -> None:
        self._record, self._options = record, options
        self._words = words(options.language)
        self._renderer = Renderer(options.style, options.language)
        self._ranked = {
            line.key: (rank, line) for rank, line in enumerate(current_ranking(record.state), 1)
        }
        standing = {r.id for sub in record.state.subs.values() for r in sub.verdicts.values()}
        self._decisions: dict[DocumentKey, list[DecisionRecord]] = {}
        self._superseded: dict[str, str] = {}
        for decided in record.state.decisions:
            if decided.decision.replaces:
                self._superseded[decided.decision.replaces] = decided.id
            if decided.id in standing or options.history:
                self._decisions.setdefault(decided.decision.key, []).append(decided)

    def line(self, key: DocumentKey, verdict: Verdict) -> Line:
        """One document with its passages."""
        record = self._record
        shown = self._decisions[key]
        ranked = self._ranked.get(key)
        if ranked is not None and not self._options.history:
            shown = self._of_interest(shown)
        passages = tuple(sorted((self._passage(r) for r in shown), key=_passage_order))
        source = record.source(key, passages[0].record.decision.version)
        cited = Cited(key, source, record.corpus(key.corpus), passages[0].page)
        item = csl_item(cited, record.accessed)
        written = source.date.written if source and source.date else ""
        notes, tags, stars = _remarks(record.notes_by_key.get(key, ()))
        reason = ranked[1].reason if ranked else ""
        return Line(
            rank=ranked[0] if ranked else None,
            verdict=verdict,
            key=key,
            source=source,
            corpus_name=cited.corpus.name,
            citation=self._renderer.citation(item, written),
            item=item,
            confirmations=ranked[1].confirmations if ranked else 0,
            sub_questions=ranked[1].sub_questions if ranked else (),
            reason=self._line_reason(reason, passages),
            permanent_id=permanent_id(cited),
            link=scan_link(cited),
            passages=passages,
            notes=notes,
            tags=tags,
            starred_by=stars,
        )

    def _of_interest(self, records: list[DecisionRecord]) -> list[DecisionRecord]:
        """Of a listed document its accepted passages, the others only when asked for."""
        wish = self._options
        shown = {"accept": True, "hold": wish.include_held, "reject": wish.include_rejected}
        return [r for r in records if shown[r.decision.verdict]]

    def _passage(self, decided: DecisionRecord) -> PassageLine:
        decision, record = decided.decision, self._record
        passage = record.passages.get(decision.chunk)
        source = record.source(decision.key, decision.version)
        chunk = passage.chunk if passage else None
        page = source.page(chunk.page) if source and chunk else None
        cited = Cited(decision.key, source, record.corpus(decision.key.corpus), page)
        quote, state = _quote(decision.quote, passage)
        search = record.state.searches.get(decision.search)
        return PassageLine(
            record=decided,
            superseded_by=self._superseded.get(decided.id, ""),
            text=chunk.text if chunk else "",
            withheld=passage is None or passage.withheld,
            start=chunk.start if chunk else None,
            end=chunk.end if chunk else None,
            page=page,
            page_index=chunk.page if chunk else None,
            quote=quote,
            quote_verified=state,
            reason=self._reason(decision.reason, passage),
            link=scan_link(cited),
            found=search.action.query if search else "",
            by=self._words.actor(decided.actor),
            judged=self._words.verdict(decision.verdict),
        )

    def _reason(self, reason: str, passage: Passage | None) -> str:
        text = passage.chunk.text if passage else ""
        return self._honest(reason, text, withheld=passage is None or passage.withheld)

    def _line_reason(self, reason: str, passages: tuple[PassageLine, ...]) -> str:
        """A document's reason; its quotations may stand in any of its passages."""
        text = "\n\n".join(p.text for p in passages)
        return self._honest(reason, text, withheld=any(p.withheld for p in passages))

    def _honest(self, reason: str, text: str, *, withheld: bool) -> str:
        mark = (UNCHECKED if withheld else NOT_IN_PASSAGE)[self._options.language]
        return honest_reason(reason, check_reason(reason, text), mark)


def _quote(quote: str, passage: Passage | None) -> tuple[str, QuoteState]:
    if not quote.strip():
        return "", ""
    if passage is None or passage.withheld:
        return "", "unchecked"
    check = check_quote(quote, passage.chunk.text)
    return (check.text, "yes") if check.verified else ("", "no")


def _passage_order(line: PassageLine) -> tuple[int, int]:
    return _GROUP[line.record.decision.verdict], line.record.sequence


def _remarks(
    given: Iterable[Note],
) -> tuple[tuple[Note, ...], tuple[str, ...], tuple[str, ...]]:
    """(notes, tags that hold, people whose star holds)."""
    notes: list[Note] = []
    tags: dict[str, None] = {}
    stars: dict[str, None] = {}
    for note in given:
        if note.kind == "note":
            notes.append(note)
        elif note.kind == "tag":
            tags[note.text] = None
        elif note.kind == "untag":
            tags.pop(note.text, None)
        elif note.kind == "star":
            stars[note.author] = None
        else:
            stars.pop(note.author, None)
    return tuple(notes), tuple(tags), tuple(stars)


def iso_bounds(source: Source | None) -> tuple[str, str]:
    """The first and last day of a document's date as ISO days, "" for an undated one."""
    if source is None or source.date is None:
        return "", ""
    return iso_day(source.date.earliest), iso_day(source.date.latest)
