"""A paragraph for a paper's methods section, with every number counted from the log."""

from __future__ import annotations

from trace_core.domain.dates import iso_day
from trace_core.domain.state import RunState
from trace_core.provenance.figures import Figures, figures
from trace_core.provenance.methods_words import FORMS, TEXTS
from trace_core.provenance.record import RunRecord
from trace_core.provenance.words import Words, words


class _Writer:
    """Says one language's sentences with numbers in agreement."""

    def __init__(self, language: str) -> None:
        self.words: Words = words(language)
        self._texts = TEXTS[self.words.language]
        self._forms = FORMS[self.words.language]

    def say(self, name: str, /, **values: object) -> str:
        """A sentence with its values."""
        return self._texts[name].format(**values)

    def agreed(self, name: str, number: int) -> str:
        """The form that agrees with the number."""
        one, many = self._forms[name]
        single = number == 1 or (number == 0 and self.words.language == "fr")
        return (one if single else many).format(n=self.words.number(number))


def methods(record: RunRecord, language: str = "en") -> str:
    """The paragraph. Only what the log holds is said; what it lacks is left out, not guessed."""
    return record.once(("methods", language), lambda: _paragraph(record, language))


def _paragraph(record: RunRecord, language: str) -> str:
    writer, counted = _Writer(language), figures(record)
    sentences = [
        _asked(writer, record.state, counted),
        *_archive(writer, record.state),
        *_scope(writer, record.state),
        _plan(writer, counted),
        _searches(writer, counted),
        *_decisions(writer, counted),
        _result(writer, counted),
        *_calls(writer, record.state, counted),
        *_troubles(writer, counted),
        writer.say("order"),
        *_status(writer, record.state),
        _record(writer, record),
    ]
    return " ".join(s for s in sentences if s)


def _asked(writer: _Writer, state: RunState, counted: Figures) -> str:
    software = state.start.software if state.start else {}
    version = software.get("trace-archive", "")
    who = "who_rules"
    if state.assistant == "model":
        who = "who_model" if counted.models else "who_model_unused"
    return writer.say(
        "asked",
        question=writer.words.quoted(" ".join(state.question.split())),
        version=f" {version}" if version else "",
        day=state.created[:10],
        who=writer.say(who, models=", ".join(counted.models)),
    )


def _archive(writer: _Writer, state: RunState) -> list[str]:
    recorded = state.start.corpora if state.start else ()
    if not recorded:
        return []
    names = []
    for corpus in recorded:
        name = str(corpus.get("name") or corpus.get("id"))
        documents = corpus.get("documents")
        if not isinstance(documents, int):
            names.append(name)
            continue
        low, high = corpus.get("earliest"), corpus.get("latest")
        span = ""
        if isinstance(low, int) and isinstance(high, int):
            span = writer.say("span", low=iso_day(low), high=iso_day(high))
        counted = writer.words.count(documents, "document")
        names.append(writer.say("corpus", name=name, documents=counted, span=span))
    count = writer.words.count(len(recorded), "sub-corpus")
    return [writer.say("archive", count=count, names=writer.words.listed(names))]


def _scope(writer: _Writer, state: RunState) -> list[str]:
    scope, said = state.scope, []
    recorded = state.start.corpora if state.start else ()
    names = {str(c.get("id")): str(c.get("name") or c.get("id")) for c in recorded}
    if scope.corpora:
        listed = writer.words.listed(names.get(c, c) for c in scope.corpora)
        said.append(writer.say("limit_corpora", names=listed))
    if scope.date_from or scope.date_to:
        kind = "from_to" if scope.date_from and scope.date_to else None
        kind = kind or ("from" if scope.date_from else "to")
        span = writer.say(kind, low=scope.date_from, high=scope.date_to)
        undated = writer.say("undated_in" if scope.include_undated else "undated_out")
        said.append(writer.say("limit_days", span=span, undated=undated))
    return said


def _plan(writer: _Writer, counted: Figures) -> str:
    parts = []
    if counted.spawned:
        parts.append(writer.say("spawned", n=writer.words.number(counted.spawned)))
    if counted.by_person:
        parts.append(writer.say("written", n=writer.words.number(counted.by_person)))
    subs = writer.words.count(counted.sub_questions, "sub-question")
    origin = f" ({', '.join(parts)})" if parts else ""
    return writer.say("plan", subs=subs, origin=origin)


def _searches(writer: _Writer, counted: Figures) -> str:
    said = writer.words
    if not counted.searches:
        return writer.say("searches_none")
    verb = writer.agreed("was", counted.read)
    return writer.say(
        "searches",
        searches=said.count(counted.searches, "search"),
        warm=said.count(counted.warm_starts, "warm start"),
        channels=said.listed(said.channel(c) for c in counted.channels) or "—",
        passages=said.count(counted.found, "passage"),
        documents=said.count(counted.found_documents, "document"),
        read=writer.say("read", passages=said.count(counted.read, "passage"), verb=verb),
    )


def _decisions(writer: _Writer, counted: Figures) -> list[str]:
    said, total = writer.words, sum(counted.decisions.values())
    if not total:
        return []
    people = said.listed(name or writer.say("nameless") for name in counted.people)
    parts = [
        writer.say(f"by_{kind}", n=said.number(counted.decisions[kind]), people=people)
        for kind in ("model", "rules", "human", "engine")
        if counted.decisions.get(kind)
    ]
    replaced = [
        writer.say(name, n=said.number(n))
        for name, n in (("overrides", counted.overrides), ("confirmed", counted.confirmed))
        if n
    ]
    overrides = writer.say("replaced", parts=said.listed(replaced)) if replaced else ""
    sentences = [
        writer.say(
            "decisions",
            total=said.count(total, "decision"),
            verb=writer.agreed("was", total),
            parts=said.listed(parts),
            overrides=overrides,
        )
    ]
    if counted.unread:
        verb = writer.agreed("was", counted.unread)
        n = said.count(counted.unread, "passage")
        sentences.append(writer.say("unread", n=n, verb=verb))
    return sentences


def _result(writer: _Writer, counted: Figures) -> str:
    said = writer.words
    return writer.say(
        "result",
        documents=said.count(counted.accepted, "document"),
        verb=writer.agreed("was", counted.accepted),
        passages=said.count(counted.accepted_passages, "passage"),
        held=said.count(counted.held, "passage"),
        verb2=writer.agreed("was", counted.held),
        rejected=said.count(counted.rejected, "passage"),
        verb3=writer.agreed("was", counted.rejected),
    )


def _calls(writer: _Writer, state: RunState, counted: Figures) -> list[str]:
    if state.assistant == "rules" and not counted.calls:
        return []
    if not counted.calls:
        return [writer.say("calls_none")]
    said, tokens_in, tokens_out = writer.words, counted.tokens_in, counted.tokens_out
    return [
        writer.say(
            "calls",
            times=writer.agreed("once", counted.calls),
            tokens_in=f"{said.count(tokens_in, 'token')} {writer.agreed('read', tokens_in)}",
            tokens_out=f"{said.count(tokens_out, 'token')} {writer.agreed('written', tokens_out)}",
        )
    ]


def _troubles(writer: _Writer, counted: Figures) -> list[str]:
    parts = []
    if counted.failures:
        parts.append(writer.words.count(counted.failures, "channel failure"))
    if counted.unreadable:
        parts.append(writer.words.count(counted.unreadable, "unreadable reply"))
    if not parts:
        return []
    verb = writer.agreed("was", counted.failures + counted.unreadable)
    return [writer.say("troubles", parts=writer.words.listed(parts), verb=verb)]


def _status(writer: _Writer, state: RunState) -> list[str]:
    return [] if state.status == "finished" else [writer.say("status", status=state.status)]


def _record(writer: _Writer, record: RunRecord) -> str:
    sha = record.state.start.settings_hash if record.state.start else ""
    settings = writer.say("settings", hash=sha) if sha else writer.say("settings_none")
    return writer.say(
        "record",
        settings=settings,
        run=record.run,
        events=writer.agreed("events", len(record.events)),
        hash=record.state.last_hash,
    )
