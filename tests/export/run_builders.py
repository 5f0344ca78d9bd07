"""Makes runs for the tests of exports: real events, sealed and folded, over invented documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from trace_core.domain import events as ev
from trace_core.domain.corpus import Chunk, Document, DocumentKey, Page, SubCorpus
from trace_core.domain.dates import HistoricalDate, from_iso
from trace_core.domain.evidence import (
    ENGINE,
    Actor,
    Candidate,
    Decision,
    Found,
    RankedDocument,
)
from trace_core.domain.merging import FormerCorpus
from trace_core.domain.question import Action, ScopeSpec, SubQuestion
from trace_core.domain.state import RunState, current_ranking
from trace_core.domain.transitions import apply, fold
from trace_core.ports import CallRecord, Note, TwinGroup
from trace_core.provenance.gathering import Shelves, gather
from trace_core.provenance.record import RunRecord, text_hash
from trace_core.settings import Settings

MODEL = Actor(kind="model", name="local/scripted-1")
RULES = Actor(kind="rules", name="rules-1")
ADA = Actor(kind="human", name="Ada Archivist")
BEN = Actor(kind="human", name="Ben Brown")

NASTY = (
    'Plain "quotes" and ‘others’',
    "Commas, semicolons; and\nnew lines\r\nof both kinds\tand tabs",
    '=HYPERLINK("http://x","y")',
    "@SUM(A1) +1 -2",
    "-2+3 minus",
    "Emoji 🗞️ 👩‍💻 and 𝄞",
    "עיתון – صحيفة",
    "bell \x07 null \x00 form \x0c feed \ufffe end \ud800 half",
    "50% & $5 #1 a_b {c} ~d ^e \\f <g> | [h]",
    "<script>alert(1)</script>",
    "]]> &amp; &lt; --> <!--",
    "TY  - JOUR",
    "ER  - ",
    "@article{x, title={y}}",
    "unbalanced } brace {{",
    "«\u00a0L’été\u00a0» — ſeconde édition ﬁne",
    "   spaces   inside and around   ",
)


@dataclass
class RunBuilder:
    """Writes a run event by event."""

    run: str = "r1"
    events: list[ev.Event] = field(default_factory=list)
    state: RunState = field(init=False)
    clock: datetime = datetime(2026, 5, 12, 9, 0, tzinfo=UTC)

    def __post_init__(self) -> None:
        self.state = RunState(self.run)

    def add(self, payload: ev.Payload, actor: Actor = ENGINE) -> ev.Event:
        self.clock += timedelta(seconds=1)
        time = self.clock.isoformat(timespec="microseconds")
        draft = ev.Draft(actor, payload)
        event = ev.seal(self.run, len(self.events) + 1, self.state.last_hash, draft, time)
        self.events.append(event)
        apply(self.state, event)
        return event

    def start(self, corpora: Sequence[SubCorpus] = (), **changes: object) -> None:
        settings = Settings()
        values = {
            "question": "Why did the cabinet fall?",
            "assistant": "model",
            "settings": settings.model_dump(mode="json"),
            "settings_hash": settings.hash(),
            "prompts": {"review": text_hash("judge {{this}}")},
            "software": {"trace-archive": "0.1.0"},
            "corpora": tuple(
                {"id": c.id, "name": c.name, "documents": 3, "earliest": None, "latest": None}
                for c in corpora
            ),
            "scope": ScopeSpec(),
        }
        self.add(ev.RunStarted.model_validate(values | changes), ADA)

    def plan(self, *questions: SubQuestion) -> None:
        self.add(ev.PlanProposed(sub_questions=questions), MODEL)
        self.add(ev.PlanAdopted(sub_questions=questions))

    def begin(self, sub: str) -> None:
        self.add(ev.SubQuestionStarted(sub_question=sub))

    def search(
        self,
        sub: str,
        chunks: Sequence[Chunk],
        *,
        stage: str = "warm_start",
        rankings: dict[str, tuple[str, ...]] | None = None,
        channels: Sequence[str] = ("bm25", "dense"),
        query: str = "cabinet, fall",
        widened: Sequence[int] = (),
        corpora: Sequence[str] = (),
    ) -> str:
        name = self.state.next_search_id()
        found = tuple(
            Candidate(
                chunk=c.id,
                corpus=c.key.corpus,
                source_id=c.key.source_id,
                version=c.version,
                position=n,
                score=1 / (60 + n),
                found=tuple(Found(search=name, channel=ch, query=query, rank=n) for ch in channels),
                widened=c.id in widened,
            )
            for n, c in enumerate(chunks, 1)
        )
        if rankings is None:
            rankings = {ch: tuple(str(c.key) for c in chunks[:20]) for ch in channels}
        self.add(
            ev.SearchDone.model_validate(
                {
                    "search": name,
                    "sub_question": sub,
                    "step": 0 if stage == "warm_start" else 1,
                    "stage": stage,
                    "action": Action(name="search_bm25", query=query),
                    "channels": tuple(channels),
                    "corpora": tuple(corpora),
                    "returned": len(chunks),
                    "candidates": found,
                    "rankings": rankings,
                    "effective": bool(chunks),
                }
            )
        )
        return name

    def call(self, name: str, stage: str = "review") -> None:
        made = ev.CallMade(
            call=name,
            stage=stage,
            model=MODEL.name,
            prompt_hash=text_hash("judge {{this}}"),
            tokens_in=1200,
            tokens_out=80,
            seconds=1.5,
        )
        self.add(made, MODEL)

    def decide(
        self,
        sub: str,
        chunk: Chunk,
        verdict: str,
        actor: Actor = MODEL,
        **fields: object,
    ) -> str:
        standing = self.state.sub(sub).verdicts.get(chunk.id)
        candidate = self.state.sub(sub).candidates[chunk.id]
        values: dict[str, object] = {
            "chunk": chunk.id,
            "corpus": chunk.key.corpus,
            "source_id": chunk.key.source_id,
            "version": chunk.version,
            "sub_question": sub,
            "verdict": verdict,
            "reason": f"speaks of the matter ({verdict})",
            "search": candidate.found[0].search,
            "stage": "review" if actor.kind != "human" else "override",
            "replaces": standing.id if standing else "",
        }
        event = self.add(ev.Decided(decision=Decision.model_validate(values | fields)), actor)
        return f"d{event.sequence}"

    def reviewed(self, sub: str, chunks: Sequence[Chunk], call: str = "") -> None:
        verdicts = [self.state.sub(sub).verdicts[c.id].decision.verdict for c in chunks]
        done = ev.ReviewDone(
            sub_question=sub,
            search=self.state.sub(sub).searches[-1],
            chunks=tuple(c.id for c in chunks),
            accepted=verdicts.count("accept"),
            held=verdicts.count("hold"),
            rejected=verdicts.count("reject"),
            call=call,
        )
        self.add(done, MODEL)

    def close(self, sub: str) -> None:
        self.add(ev.SubQuestionFinished(sub_question=sub, cause="finished"))
        self.add(ev.BriefingWritten.model_validate({"sub_question": sub, "briefing": {}}), MODEL)

    def finish(self, order: Sequence[DocumentKey] = ()) -> None:
        lines = current_ranking(self.state)
        place = {key: n for n, key in enumerate(order)}
        lines.sort(key=lambda line: (-line.confirmations, place.get(line.key, len(place))))
        self.add(ev.RankingMade(ranking=tuple(lines)), MODEL)
        counts = len(self.state.accepted()), len(self.state.held())
        self.add(ev.RunFinished(documents=counts[0], held=counts[1]))


def ranked(run: Sequence[ev.Event], name: str = "r1") -> list[RankedDocument]:
    return current_ranking(fold(name, run))


@dataclass
class FakeShelf:
    """The stores over plain lists: what `gather` asks for."""

    corpora_: list[SubCorpus] = field(default_factory=list)
    documents: list[Document] = field(default_factory=list)
    chunks_: list[Chunk] = field(default_factory=list)
    calls_: list[CallRecord] = field(default_factory=list)
    notes_: list[Note] = field(default_factory=list)
    groups_: list[TwinGroup] = field(default_factory=list)
    former_: dict[str, FormerCorpus] = field(default_factory=dict)
    moved_: dict[DocumentKey, DocumentKey] = field(default_factory=dict)

    def corpora(self):
        return self.corpora_

    def document(self, key, version=None):
        from trace_core.domain.errors import NotFound

        found = [d for d in self.documents if d.key == key and version in (None, d.version)]
        if not found:
            raise NotFound(f"There is no document {key}.")
        return found[-1]

    def chunks(self, ids):
        wanted = set(ids)
        return {c.id: c for c in self.chunks_ if c.id in wanted}

    def calls(self, run):
        return [c for c in self.calls_ if c.run == run]

    def notes(self, keys=None):
        return [n for n in self.notes_ if keys is None or n.key in set(keys)]

    def twins(self, keys):
        now = {key: self.moved_.get(key, key) for key in keys}
        return {key: g for key, at in now.items() for g in self.groups_ if at in g.keys}

    def former_corpora(self):
        return self.former_

    def present(self, keys):
        return {key: self.moved_[key] for key in keys if key in self.moved_}

    def former(self, keys):
        wanted = set(keys)
        return {now: (old,) for old, now in self.moved_.items() if now in wanted}

    def put(
        self,
        corpus: str,
        source_id: str,
        text: str,
        *,
        title: str = "A title",
        date: HistoricalDate | None = None,
        meta: dict[str, str] | None = None,
        version: int = 1,
        pages: bool = True,
    ) -> Chunk:
        key = DocumentKey(corpus, source_id)
        page = (Page(0, 0, "[i]", "https://scans.example/{a}/0.jpg"),) if pages else ()
        self.documents.append(
            Document(
                key=key,
                version=version,
                title=title,
                text=text,
                raw=text,
                date=date,
                pages=page,
                meta=meta or {},
            )
        )
        number = len(self.chunks_) + 1
        chunk = Chunk(number, key, version, 0, 0, len(text), text, 0 if pages else None)
        self.chunks_.append(chunk)
        return chunk

    def shelves(self) -> Shelves:
        return Shelves(self, self, self, self, self)  # type: ignore[arg-type]


CORPORA = [
    SubCorpus(
        id="matin",
        name="Le Matin",
        kind="newspaper",
        language="fr",
        citation={
            "archive": "Bibliothèque nationale de France",
            "archive_collection": "Gallica",
            "archive_location": "Arsenal, 4-LC2-{year}",
            "call_number": "LC2-3850",
            "ark": "ark:/12148/{source_id}",
            "url": "https://gallica.example/ark:/12148/{source_id}/f{page_number}",
        },
    ),
    SubCorpus(id="debates", name="Débats", kind="debates", language="fr"),
    SubCorpus(id="letters", name="Letters of A. B.", kind="letters", language="en"),
]


def small_run() -> tuple[RunBuilder, FakeShelf]:
    """Two sub-questions, all verdicts, an override, a promotion, a move, an unreviewed hold."""
    shelf = FakeShelf(corpora_=list(CORPORA))
    text = "M. Goblet, président du con-\nseil, a remis hier ſa démiſſion au Président."
    a = shelf.put("matin", "a", text, title="Le cabinet tombe", date=from_iso("1887-05-18"))
    b = shelf.put("matin", "b", "La crise dure.", title="La crise", date=from_iso("1887-05"))
    c = shelf.put("debates", "c", "La séance est levée.", title="Séance", date=from_iso("1887"))
    d = shelf.put("debates", "d", "Rien du tout.", title="Rien", pages=False)
    e = shelf.put("letters", "e", "My dear friend, the fall is near.", title="To a friend")
    run = RunBuilder()
    run.start(CORPORA)
    run.plan(
        SubQuestion(id="q1", text="What did the press say?", target="matin"),
        SubQuestion(id="q2", text="What did the chamber say?", target="debates"),
    )
    run.begin("q1")
    run.search("q1", [a, b, e])
    run.call("call-1")
    run.decide("q1", a, "accept", quote="remis hier sa démission", reason="says «sa démission»")
    run.decide("q1", b, "hold", reason="may be the same crisis")
    run.decide("q1", e, "reject", reason="another «war»", quote="the war is over")
    run.reviewed("q1", [a, b, e], "call-1")
    run.add(ev.HoldMoved(sub_question="q1", chunk=b.id, capacity=1))
    run.close("q1")
    run.begin("q2")
    run.search("q2", [c, d, a], query="séance", rankings={"bm25": ("debates/c", "debates/z")})
    run.call("call-2")
    run.decide("q2", a, "accept")
    run.decide("q2", c, "hold")
    run.decide("q2", d, "hold", ENGINE, reviewed=False, reason="not reviewed")
    run.reviewed("q2", [a, c, d], "call-2")
    run.decide("q2", c, "accept", stage="reevaluate_holds", reason="confirmed by the press")
    run.add(ev.HoldsReevaluated(sub_question="q2", chunks=(c.id, d.id), promoted=1, round=1), MODEL)
    run.close("q2")
    run.finish()
    run.decide("q1", e, "accept", ADA, reason="it is about the fall")
    shelf.notes_ += [
        Note("n1", "note", "Ada Archivist", "2026-05-12T10:00:00+00:00", a.key, "=cite first"),
        Note("n2", "tag", "Ben Brown", "2026-05-12T10:01:00+00:00", a.key, "crisis"),
        Note("n3", "star", "Ada Archivist", "2026-05-12T10:02:00+00:00", a.key),
        Note("n4", "tag", "Ben Brown", "2026-05-12T10:03:00+00:00", a.key, "wrong"),
        Note("n5", "untag", "Ben Brown", "2026-05-12T10:04:00+00:00", a.key, "wrong"),
    ]
    shelf.calls_ += [
        CallRecord(
            id=f"call-{n}",
            run="r1",
            key=f"review:{n}",
            stage="review",
            model=MODEL.name,
            prompt_hash=text_hash("judge {{this}}"),
            request=f"judge: {text}",
            reply='{"c1": "accept"}',
            tokens_in=1200,
            tokens_out=80,
            seconds=1.5,
            price=None,
            time=f"2026-05-12T09:00:0{n}+00:00",
        )
        for n in (1, 2)
    ]
    return run, shelf


def record(run: RunBuilder, shelf: FakeShelf) -> RunRecord:
    return gather(
        run.run,
        run.events,
        shelf.shelves(),
        prompts={"review": "judge {{this}}"},
        accessed="2026-06-01",
    )


def small_record() -> RunRecord:
    return record(*small_run())


def nasty_record() -> RunRecord:
    """One accepted document for each nasty title, its text and reason just as nasty."""
    shelf = FakeShelf(corpora_=list(CORPORA))
    chunks = [
        shelf.put("matin", f"n{i}", f"text: {title}", title=title, date=from_iso("1887-05-18"))
        for i, title in enumerate(NASTY)
    ]
    run = RunBuilder()
    run.start(CORPORA, question='Why "nasty", =1+1?')
    run.plan(SubQuestion(id="q1", text="nasty", target="matin"))
    run.begin("q1")
    run.search("q1", chunks)
    for chunk, title in zip(chunks, NASTY, strict=True):
        clean = title.encode("utf-8", "replace").decode("utf-8")
        run.decide("q1", chunk, "accept", stage="import", reason=f"because: {clean}")
    run.close("q1")
    run.finish()
    return record(run, shelf)


def large_record(decisions: int = 5000, documents: int = 5000) -> RunRecord:
    """A run with that many decisions, spread over that many documents, a fifth accepted."""
    shelf = FakeShelf(corpora_=list(CORPORA))
    start = from_iso("1880-01-01").earliest
    words = "la chambre a voté hier un ordre du jour de confiance au ministère après un débat " * 12
    chunks = []
    for i in range(documents):
        day = HistoricalDate("", "", start + i % 4000, start + i % 4000)
        from trace_core.domain.dates import iso_day

        iso = iso_day(day.earliest)
        chunks.append(
            shelf.put(
                CORPORA[i % 3].id,
                f"doc{i}",
                f"{i}: {words}",
                title=f"Séance du {iso}, n° {i}",
                date=HistoricalDate(iso, iso, day.earliest, day.latest),
            )
        )
    run = RunBuilder()
    run.start(CORPORA)
    run.plan(SubQuestion(id="q1", text="large"))
    run.begin("q1")
    for low in range(0, documents, 50):
        run.search("q1", chunks[low : low + 50], stage="loop")
    verdicts = ("accept", "hold", "reject", "reject", "hold")
    for i in range(decisions):
        run.decide("q1", chunks[i % documents], verdicts[i % 5], stage="import")
    run.close("q1")
    run.finish()
    return record(run, shelf)


def reopened(record: RunRecord) -> RunRecord:
    """The same record as a new value, so that nothing derived from it is known yet."""
    from dataclasses import replace

    return replace(record)
