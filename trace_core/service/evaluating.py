"""Measuring: question sets, strategies and their numbers over this very archive."""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from trace_core import __version__
from trace_core.domain.corpus import DocumentKey, Scope
from trace_core.domain.errors import BadInput, NotFound
from trace_core.domain.events import now
from trace_core.domain.hits import FusedRanking
from trace_core.domain.question import AssistantName, ScopeSpec
from trace_core.domain.state import RunState
from trace_core.domain.transitions import fold as fold_run
from trace_core.evaluation.ablation import strategies_of, table
from trace_core.evaluation.channels import ChannelReport, analyse_channels
from trace_core.evaluation.evaluate import Driving, Evaluation, Progress, Result, evaluate
from trace_core.evaluation.kept import KeptAnswers, hash_of
from trace_core.evaluation.misses import Miss, misses
from trace_core.evaluation.planner import PlannedRun, PlannerReport, analyse_planner
from trace_core.evaluation.questions import (
    Question,
    QuestionSet,
    bind,
    entry_of,
    load_questions,
    read_entry,
)
from trace_core.evaluation.report import Behind, report
from trace_core.evaluation.strategies import Answer, strategies
from trace_core.search.routing import named_corpora
from trace_core.service.exporting import ExportRoom
from trace_core.service.runs import software
from trace_core.settings import Changes, joined
from trace_core.text.folding import folded_line

OWN = "own"
"""The name of the set of questions that people saved in this workspace."""

NO_CHECKPOINTS: Changes = {
    "checkpoints": {"plan": False, "replan": False, "holds": False, "final": False}
}
_CHANNELS = ("bm25", "dense", "fuzzy", "date")
_DEEP = 1000
"""How far down a channel is looked through for a document that no search of a run brought."""
_OWN_KIND = "question"
_A_PAGE = 1000


@dataclass(frozen=True, slots=True)
class How:
    """How strategies are measured: settings that differ, questions at a time, and how it is told.

    `fresh` asks everything anew, also what was answered before under the same conditions.
    """

    changes: Changes
    workers: int = 1
    fresh: bool = False
    told: Callable[[Progress], None] = lambda _progress: None
    stopped: Callable[[], bool] = lambda: False


class EvaluationRoom(ExportRoom):
    """The part of the façade that measures."""

    # --- questions -------------------------------------------------------------------------

    def questions(self, source: Path | str) -> QuestionSet:
        """A question set bound to this archive: a file, a BEIR folder, or `own`.

        Gold whose sub-corpus was merged into another one is looked for where it lies now. Raises
        NotFound, BadInput.
        """
        if str(source) == OWN and not Path(source).exists():
            return self.own_questions()
        former = self.stores.upkeep.former_corpora().values()
        return self._where_it_lies(load_questions(Path(source), self.stores.documents, former))

    def _where_it_lies(self, known: QuestionSet) -> QuestionSet:
        """The set with each gold document's present key."""
        moved = self.stores.upkeep.present({key for q in known.questions for key in q.gold})
        if not moved:
            return known
        questions = (
            replace(q, gold=tuple(dict.fromkeys(moved.get(key, key) for key in q.gold)))
            for q in known.questions
        )
        return replace(known, questions=tuple(questions))

    def own_questions(self) -> QuestionSet:
        """The questions that people saved here. Raises BadInput while there is none."""
        saved = self.stores.shelf.list(_OWN_KIND)
        if not saved:
            raise BadInput(
                "No question has been saved in this workspace yet; save one from the evidence of "
                "a run that answers it."
            )
        newest = {}
        for name, body in saved:
            raw = read_entry(json.loads(body), name)
            newest[folded_line(raw.text)] = raw
        former = self.stores.upkeep.former_corpora().values()
        bound = bind(OWN, list(newest.values()), self.stores.documents, former)
        return self._where_it_lies(bound)

    def answers_to(self, question: str) -> tuple[DocumentKey, ...]:
        """The documents that by the newest word of a person answer a question; none if unknown."""
        if not self.own_question_count():
            return ()
        return self.own_questions().gold_of(question)

    def own_question_count(self) -> int:
        """How many of the questions asked here have had an answer saved."""
        bodies = [json.loads(body) for _, body in self.stores.shelf.list(_OWN_KIND)]
        return len({folded_line(entry["question"]) for entry in bodies})

    def save_question(self, run: str, keys: Iterable[DocumentKey], person: str = "") -> Question:
        """Keep a run's question with the documents that, by a person's word, answer it.

        Saved again for the same question, the newer word counts; nobody's word is lost, since
        every one is kept with its time and its author. Raises NotFound for a document that does
        not exist, BadInput when none is given.
        """
        gold = tuple(dict.fromkeys(keys))
        if not gold:
            raise BadInput("Choose at least one document that answers the question.")
        for key in gold:
            self.stores.documents.document(key)
        question = Question(uuid.uuid4().hex[:12], self.state(run).question, gold, OWN)
        entry = entry_of(question) | {"run": run, "author": person or "historian", "time": now()}
        self.stores.shelf.put(_OWN_KIND, question.id, json.dumps(entry, ensure_ascii=False))
        return question

    # --- measuring -------------------------------------------------------------------------

    def evaluate(self, questions: QuestionSet, names: Sequence[str], how: How) -> Evaluation:
        """Every question by every strategy. Raises BadInput for an unknown strategy.

        Answers are kept in the workspace: broken off, the same evaluation goes on.
        """
        chosen = strategies(names, self, how.changes)
        conditions = self.conditions(how.changes)

        def kept(name: str) -> KeptAnswers:
            answers = KeptAnswers(self.stores.shelf, name, conditions, usable)
            return answers.emptied() if how.fresh else answers

        def usable(answer: Answer) -> bool:
            return not answer.run or bool(self.stores.events.read(answer.run, limit=1))

        driving = Driving(how.workers, kept, how.told, how.stopped)
        known = {**conditions, "questions": hash_of([entry_of(q) for q in questions.questions])}
        return replace(evaluate(questions, chosen, conditions, driving), conditions=known)

    def ablation(self, questions: QuestionSet, base: str, how: How) -> dict[str, Any]:
        """What each part of a strategy brings, as a report. Raises BadInput."""
        done = self.evaluate(questions, strategies_of(base), how)
        return self.evaluation_report(done) | {"ablation": table(done, base)}

    def conditions(self, changes: Changes) -> dict[str, Any]:
        """All that the numbers depend on besides the questions and the strategies' names."""
        settings = self.settings().merged(changes)
        return {
            "archive": self.archive_hash(),
            "index": self.index_version().partition(":")[2],
            "settings": settings.model_dump(mode="json", exclude={"checkpoints"}),
            "prompts": self.prompt_hashes(),
            "version": __version__,
        }

    def archive_hash(self) -> str:
        """SHA-256 over all sub-corpora and passages that can be found, as 64 hex digits.

        Equal for the same archive in another workspace; read anew only after a change.
        """
        state = str(self.stores.generation())
        corpora = [
            [c.id, c.name, list(c.aliases), c.kind, c.language, c.local_only]
            for c in self.stores.documents.corpora()
        ]
        known = json.loads(self.stores.shelf.get("archive_hash", "passages") or "{}")
        if known.get("generation") != state:
            known = {"generation": state, "hash": self._passages_hash()}
            self.stores.shelf.put("archive_hash", "passages", json.dumps(known))
        return hash_of([corpora, known["hash"]])

    def _passages_hash(self) -> str:
        digests: list[bytes] = []
        after = 0
        while page := self.stores.documents.all_chunks(after, _A_PAGE):
            for chunk in page:
                named = f"{chunk.key}\0{chunk.ordinal}\0{chunk.text}"
                digests.append(hashlib.sha256(named.encode("utf-8", "surrogatepass")).digest())
            after = page[-1].id
        # In the order of the digests: the order of the import makes no difference.
        return hashlib.sha256(b"".join(sorted(digests))).hexdigest()

    # --- what strategies need --------------------------------------------------------------

    def ranking(self, query: str, way: str, limit: int, changes: Changes) -> FusedRanking:
        """One channel's ranking, `fused`, or `surveyed` (weighed over all sub-corpora)."""
        settings = self.settings().merged(changes)
        retriever = self.retriever(settings.search)
        if way == "surveyed":
            found = retriever.survey(query, Scope())
            hits = sorted((h for g in found.hits.values() for h in g), key=lambda h: h.standing)
            rankings = tuple(r for group in found.rankings.values() for r in group)
            return FusedRanking(query, Scope(), tuple(hits[:limit]), rankings)
        return retriever.plain(way, query, Scope(), limit)

    def finished_run(self, question: str, assistant: AssistantName, changes: Changes) -> RunState:
        """A run from question to list without any checkpoint, kept out of the list of runs."""
        started = self.opening(question, assistant, ScopeSpec(), joined(changes, NO_CHECKPOINTS))
        measuring = started.model_copy(update={"purpose": "evaluation"})
        return self.advance(self.begin(measuring, person="evaluation"))

    # --- what lies behind the numbers ------------------------------------------------------

    def evaluation_report(self, done: Evaluation, *, channels: bool = False) -> dict[str, Any]:
        """The whole report of an evaluation as plain JSON data."""
        would: _Would = {}
        measured = QuestionSet(done.name, tuple(_questions_of(done)))
        behind = Behind(
            misses={n: self.misses(r, would=would) for n, r in done.results.items()},
            planner={
                name: self.analyse_planner(results)
                for name, results in done.results.items()
                if any(r.answer.run for r in results)
            },
            channels=self.analyse_channels(measured) if channels else None,
            time=now(),
            software=software(),
        )
        return report(done, behind)

    def misses(
        self, results: Sequence[Result], k: int = 10, would: _Would | None = None
    ) -> list[Miss]:
        """Every missed gold document of a strategy, with its cause.

        `would` keeps what deep searches showed between the strategies of one evaluation.
        """
        known = {} if would is None else would
        found: list[Miss] = []
        for result in results:
            question, answer = result.question, result.answer
            state = self._folded(answer.run) if answer.run else None
            for miss in misses(state, question.id, question.gold, answer.ranking, k):
                # A plain search was one channel's rank list already, and need not wait for others.
                if miss.cause == "never_retrieved" and state is not None:
                    ranks = self._deep(question, known)
                    at = {name: keys[miss.key] for name, keys in ranks.items() if miss.key in keys}
                    miss = replace(miss, would=at)
                found.append(miss)
        return found

    def _deep(self, question: Question, known: _Would) -> Mapping[str, Mapping[DocumentKey, int]]:
        """At which rank each channel has the gold of a question."""
        text, gold = question.text, set(question.gold)
        if question.id not in known:
            known[question.id] = {
                name: {
                    hit.key: rank
                    for rank, hit in enumerate(self.ranking(text, name, _DEEP, {}).hits, start=1)
                    if hit.key in gold
                }
                for name in _CHANNELS
            }
        return known[question.id]

    def _folded(self, run: str) -> RunState:
        """A run's state that is not remembered: an evaluation has thousands of them."""
        return fold_run(run, self.stores.events.read(run))

    def analyse_channels(self, questions: QuestionSet) -> ChannelReport:
        """Overlap of the channels and what each finds alone, over a question set."""
        rankings = [
            {
                name: [hit.key for hit in self.ranking(q.text, name, 50, {}).hits]
                for name in (*_CHANNELS, "fused")
            }
            for q in questions.questions
        ]
        return analyse_channels(rankings, [q.gold for q in questions.questions])

    def analyse_planner(self, results: Sequence[Result]) -> PlannerReport:
        """What became of the plans of a strategy's runs."""
        corpora = self.stores.documents.corpora()
        return analyse_planner(
            PlannedRun(
                state=self._folded(r.answer.run),
                events=self.events(r.answer.run),
                gold=r.question.gold,
                recall=r.measures["recall@10"],
                named=named_corpora(r.question.text, corpora),
            )
            for r in results
            if r.answer.run
        )

    def evaluation_reports(self) -> list[tuple[str, dict[str, Any]]]:
        """(id, report) of the evaluations kept in this workspace, newest first."""
        kept = self.stores.shelf.list(REPORTS)
        return [(name, json.loads(body)) for name, body in reversed(kept)]

    def load_report(self, report_id: str) -> dict[str, Any]:
        """A kept report. Raises NotFound."""
        body = self.stores.shelf.get(REPORTS, report_id)
        if body is None:
            raise NotFound(f"There is no evaluation {report_id!r} in this workspace.")
        found: dict[str, Any] = json.loads(body)
        return found


REPORTS = "evaluation"

_Would = dict[str, Mapping[str, Mapping[DocumentKey, int]]]


def _questions_of(done: Evaluation) -> Iterable[Question]:
    first = next(iter(done.results.values()), ())
    return [result.question for result in first]
