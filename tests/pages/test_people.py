"""Several people at one archive: tags, notes with their authors, agreement, held passages."""

from __future__ import annotations

from pathlib import Path

import pytest

from storage.workspace import Workspace
from tests.pages.driving import OpenApp, words_of
from tests.pages.test_work import QUESTION, look
from trace_core.domain.checkpoint import HoldsProposal, VerdictChange
from trace_core.domain.corpus import DocumentKey
from trace_core.domain.evidence import Verdict
from trace_core.service import Service

FEW = {"accept_documents": 2, "hold_documents": 6}


@pytest.fixture
def judged(folder: Path) -> tuple[Path, str]:
    """A finished run in which two people judged the same passages, once differently."""
    service = Service(Workspace.open(folder))
    run = service.ask(QUESTION, changes={"rules": FEW})
    held = service.advance(run, "approve").held()[:2]
    words: tuple[tuple[str, tuple[Verdict, Verdict]], ...] = (
        ("Ada", ("accept", "reject")),
        ("Jean <b>", ("accept", "accept")),
    )
    for person, verdicts in words:
        for record, verdict in zip(held, verdicts, strict=True):
            decision = record.decision
            change = VerdictChange(
                chunk=decision.chunk,
                sub_question=decision.sub_question,
                verdict=verdict,
                reason=f"as {person} reads it",
            )
            service.override(run, [change], person)
    service.close()
    return folder, run


def first_document(folder: Path, run: str) -> DocumentKey:
    service = look(folder)
    found = service.evidence(run)[0].key
    service.close()
    return found


def test_a_tag_is_given_seen_and_taken_off(judged: tuple[Path, str], open_app: OpenApp) -> None:
    folder, run = judged
    key = first_document(folder, run)
    address = f"{key.corpus}/{key.source_id}"
    field = f"tags.{key.corpus}.{key.source_id}"
    app = open_app(folder, "document", doc=address)
    app.multiselect(key=field).set_value(["flood <i>"]).run()
    assert not app.exception
    service = look(folder)
    assert service.tags(key) == ["flood <i>"]
    listed = words_of(open_app(folder, "evidence", run=run))
    assert "flood &lt;i&gt;" in listed
    assert "<i>" not in listed
    app = open_app(folder, "document", doc=address)
    assert app.multiselect(key=field).value == ["flood <i>"]
    app.multiselect(key=field).set_value([]).run()
    assert not app.exception
    assert service.tags(key) == []
    assert [n.kind for n in service.notes([key])] == ["tag", "untag"]
    service.close()


def test_notes_of_several_people_stand_with_author_and_time(
    judged: tuple[Path, str], open_app: OpenApp
) -> None:
    folder, run = judged
    key = first_document(folder, run)
    service = look(folder)
    kept = [service.note(key, f"word of {who}", who) for who in ("Ada", "Jean <b>")]
    service.close()
    words = words_of(open_app(folder, "document", doc=f"{key.corpus}/{key.source_id}"))
    for note, author in zip(kept, ("Ada", "Jean &lt;b&gt;"), strict=True):
        assert f"{author} · {note.time[:16].replace('T', ' ')}" in words
    assert "word of Ada" in words


def test_the_agreement_of_two_people(judged: tuple[Path, str], open_app: OpenApp) -> None:
    folder, run = judged
    app = open_app(folder, "evidence", run=run)
    app.segmented_control(key="evidence.view").select("agreement").run()
    assert not app.exception
    words = words_of(app)
    # Two passages, one judged alike. Ada said yes once, Jean twice: by chance they agree on
    # 1/2 * 1 = 0.5, so kappa = (0.5 - 0.5) / (1 - 0.5) = 0.
    assert "<b>2</b>" in words
    assert "<b>50%</b>" in words
    assert "<b>0.00</b>" in words
    assert "1 passage judged differently" in words
    assert "as Jean &lt;b&gt; reads it" in words
    assert "Jean <b>" not in words


def test_one_person_alone_has_nobody_to_agree_with(folder: Path, open_app: OpenApp) -> None:
    service = Service(Workspace.open(folder))
    run = service.ask(QUESTION, changes={"rules": FEW})
    service.advance(run, "approve")
    service.close()
    app = open_app(folder, "evidence", run=run)
    app.segmented_control(key="evidence.view").select("agreement").run()
    assert not app.exception
    assert "Fewer than two people" in words_of(app)


def test_held_passages_are_judged_at_their_checkpoint(folder: Path, open_app: OpenApp) -> None:
    service = Service(Workspace.open(folder))
    gates = {"plan": False, "holds": True, "final": False}
    run = service.ask(QUESTION, changes={"rules": FEW, "checkpoints": gates})
    waiting = service.advance(run).checkpoint
    service.close()
    assert waiting is not None
    assert isinstance(waiting.proposal, HoldsProposal)
    first, second, *rest = waiting.proposal.chunks
    app = open_app(folder, "run", run=run)
    assert not app.exception
    draft = f"draft.{run}.{waiting.id}"
    app.segmented_control(key=f"{draft}.{first}").select("accept")
    app.segmented_control(key=f"{draft}.{second}").select("reject")
    app.text_input(key=f"{draft}.reason").set_value("read in full")
    app.button(key="checkpoint.approve").click().run()
    assert not app.exception
    service = look(folder)
    verdicts = service.state(run).sub(waiting.proposal.sub_question).verdicts
    assert verdicts[first].decision.verdict == "accept"
    assert verdicts[second].decision.verdict == "reject"
    assert {verdicts[first].actor.kind, verdicts[second].actor.kind} == {"human"}
    assert {verdicts[chunk].decision.verdict for chunk in rest} <= {"hold"}
    service.close()
