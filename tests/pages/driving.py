"""Driving the app under AppTest: its words, a very large run, a failed one, a broken model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from streamlit.testing.v1 import AppTest

from storage.workspace import Workspace
from trace_core.domain import events as ev
from trace_core.domain.corpus import Chunk, Document, DocumentKey, SubCorpus
from trace_core.domain.events import Draft
from trace_core.domain.evidence import Actor, Candidate, Decision, Found, RankedDocument, Verdict
from trace_core.domain.question import Action, SubQuestion
from trace_core.ports import NewDocument
from trace_core.service import Service
from trace_core.settings import Settings

ROOT = Path(__file__).resolve().parents[2]
APP = ROOT / "app.py"
RULES = Actor(kind="rules", name="test")

OpenApp = Callable[..., AppTest]


def words_of(app: AppTest) -> str:
    """All text of a page: prose, captions, alerts, HTML, labels of buttons."""
    kinds = ("title", "subheader", "markdown", "caption", "error", "warning", "info", "success")
    found = [str(getattr(element, "value", "")) for kind in kinds for element in app.get(kind)]
    found += [str(element.proto.body) for element in app.get("html")]
    return "\n".join(found + [button.label for button in app.button])


DOCUMENTS = 300
PASSAGES = 5
SUB_QUESTIONS = 4
DECISIONS = 5_000


def fill(workspace: Workspace) -> None:
    """300 documents of five passages each, straight into the records."""
    workspace.documents.put_corpus(SubCorpus("paper", "The Paper", kind="newspaper"))
    sentence = "The bridge of the tanners was swept away in the night of the flood. "
    text = sentence * PASSAGES
    spans = tuple((i * len(sentence), (i + 1) * len(sentence), None) for i in range(PASSAGES))
    documents = [
        NewDocument(
            Document(DocumentKey("paper", f"d{n:03}"), 1, f"Issue {n}", text, text, "en"), spans
        )
        for n in range(DOCUMENTS)
    ]
    workspace.documents.add(documents)


def big_run(service: Service, workspace: Workspace, decisions: int = DECISIONS) -> str:
    """A finished run of so many decisions over 300 documents, 900 passages still held."""
    run = service.ask("What became of the bridge?", person="Ada")
    subs = tuple(
        SubQuestion(id=f"q{n}", text=f"Part {n} of the question", target="paper")
        for n in range(1, SUB_QUESTIONS + 1)
    )
    drafts = [Draft(RULES, ev.PlanProposed(sub_questions=subs))]
    drafts.append(Draft(RULES, ev.PlanAdopted(sub_questions=subs)))
    chunks = [
        chunk
        for n in range(DOCUMENTS)
        for chunk in workspace.documents.chunks_of(DocumentKey("paper", f"d{n:03}"))
    ]
    left = decisions
    for sub in subs:
        own = chunks[: min(len(chunks), left)]
        left -= len(own)
        drafts += _work(sub.id, own)
    ranking = tuple(
        RankedDocument(corpus="paper", source_id=f"d{n:03}", confirmations=4, sub_questions=("q1",))
        for n in range(DOCUMENTS)
    )
    drafts.append(Draft(RULES, ev.RankingMade(ranking=ranking)))
    drafts.append(Draft(RULES, ev.RunFinished(documents=DOCUMENTS, held=900)))
    workspace.events.append(run, drafts, after=1)
    return run


def _work(sub: str, chunks: Sequence[Chunk]) -> list[Draft]:
    found = (Found(search="s1", channel="bm25", query="bridge tanners", rank=1, score=1.0),)
    candidates = tuple(
        Candidate(
            chunk=chunk.id,
            corpus=chunk.key.corpus,
            source_id=chunk.key.source_id,
            version=1,
            position=place,
            score=1.0 / place,
            found=found,
        )
        for place, chunk in enumerate(chunks, start=1)
    )
    drafts = [
        Draft(RULES, ev.SubQuestionStarted(sub_question=sub)),
        Draft(
            RULES,
            ev.SearchDone(
                search=f"s-{sub}",
                sub_question=sub,
                step=0,
                stage="warm_start",
                action=Action(name="search_bm25", query="bridge tanners"),
                channels=("bm25",),
                returned=len(candidates),
                candidates=candidates,
            ),
        ),
    ]
    verdicts: tuple[Verdict, ...] = ("accept", "hold", "reject", "reject", "reject")
    for place, chunk in enumerate(chunks):
        decision = Decision(
            chunk=chunk.id,
            corpus=chunk.key.corpus,
            source_id=chunk.key.source_id,
            version=1,
            sub_question=sub,
            verdict=verdicts[place % PASSAGES],
            reason="names the bridge",
            stage="review",
        )
        drafts.append(Draft(RULES, ev.Decided(decision=decision)))
    drafts.append(Draft(RULES, ev.SubQuestionFinished(sub_question=sub, cause="rules")))
    return drafts


def fail(service: Service, run: str) -> None:
    """Let a run fail as an engine error would."""
    state = service.state(run)
    failed = ev.RunFailed(stage="warm_start", reason="The lexical index is *broken* & <gone>.")
    service.stores.events.append(run, [Draft(RULES, failed)], after=state.sequence)


def settings_with_broken_model() -> dict[str, dict[str, object]]:
    """Settings that name a model which nobody serves."""
    assert Settings().model.name == ""
    return {"model": {"name": "openai/none", "api_base": "http://127.0.0.1:9/v1", "retries": 0}}
