from dataclasses import replace

import pytest
import run_builders as runs

from trace_core.domain import events as ev
from trace_core.domain.corpus import DocumentKey
from trace_core.domain.errors import BadInput
from trace_core.domain.evidence import Neighbour
from trace_core.domain.question import SubQuestion
from trace_core.provenance.agreement import agreement, deciders
from trace_core.provenance.explain import explain
from trace_core.provenance.explain_words import SENTENCES
from trace_core.provenance.figures import figures
from trace_core.provenance.methods import methods
from trace_core.provenance.verify import verify


@pytest.fixture(scope="module")
def small():
    return runs.small_record()


@pytest.mark.parametrize(
    ("key", "kind", "said"),
    [
        ("matin/a", "present", "rank 1 of 3"),
        ("matin/b", "held", "waits for a person"),
        ("debates/c", "present", "rank 2 of 3"),
        ("debates/d", "held", "waits for a person"),
        ("debates/z", "beyond", "below the cut"),
        ("letters/e", "present", "rank 3 of 3"),
        ("matin/zz", "never", "never found by the run (2 searches)"),
    ],
)
def test_every_document_is_explained(small, key, kind, said):
    found = explain(small, DocumentKey(*key.split("/")))
    assert (found.kind, found.present) == (kind, kind == "present")
    assert said in found.headline
    french = explain(small, DocumentKey(*key.split("/")), "fr")
    assert (french.kind, len(french.steps)) == (kind, len(found.steps))


def test_the_path_names_search_rank_actor_reason_and_what_was_replaced(small):
    steps = explain(small, DocumentKey("letters", "e")).steps
    assert "Search s1" in steps[0] and "rank 3 by BM25" in steps[0]
    assert "rejected" in steps[1] and "local/scripted-1" in steps[1]
    assert "Ada Archivist" in steps[2] and "in place of d9 (rejected" in steps[2]
    moved = explain(small, DocumentKey("matin", "b")).steps
    assert any("hold pool" in step for step in moved)
    promoted = explain(small, DocumentKey("debates", "c")).steps
    assert any(step.startswith("At a second look") for step in promoted)


def test_what_moved_a_place_beside_the_channels_is_said_in_words(small):
    near = Neighbour(corpus="debates", source_id="c", days=2)
    moved = {"boosts": {"route": -0.25, "neighbour": 0.5, "other": 1.0}, "neighbour": near}
    explained = explain(_with_first_candidate(small, moved), DocumentKey("matin", "a"))
    (said,) = [step for step in explained.steps if "no channel gave" in step]
    assert "points at its sub-corpus (-0.2500)" in said
    assert "debates/c, which is of another sub-corpus and 2 days away (+0.5000)" in said
    assert "other (+1.0000)" in said
    unnamed = _with_first_candidate(small, moved | {"neighbour": None})
    steps = explain(unnamed, DocumentKey("matin", "a"), "fr").steps
    assert any("un document d’un autre corpus presque du même jour (+0.5000)" in s for s in steps)


def test_forms_that_are_only_alike_are_told_from_those_that_matched(small):
    changed = _with_first_candidate(small, {"forms": ("Gohlet", "mange?")})
    said = " ".join(explain(changed, DocumentKey("matin", "a")).steps)
    assert "written forms “Gohlet”" in said and "somewhat like those sought: “mange”" in said


def _with_first_candidate(record, changes):
    """The record, the first candidate of its first search changed."""
    events = list(record.events)
    place = next(n for n, event in enumerate(events) if isinstance(event.payload, ev.SearchDone))
    search = events[place].payload
    first = search.candidates[0].model_copy(update=changes)
    payload = search.model_copy(update={"candidates": (first, *search.candidates[1:])})
    events[place] = replace(events[place], body=payload.model_dump_json())
    return replace(record, events=tuple(events))


def test_a_rejected_and_an_unreviewed_document_and_one_outside_the_scope():
    shelf = runs.FakeShelf(corpora_=list(runs.CORPORA))
    a, b = shelf.put("matin", "a", "x"), shelf.put("matin", "b", "y")
    run = runs.RunBuilder()
    run.start(runs.CORPORA, scope={"corpora": ["matin"]})
    run.plan(SubQuestion(id="q1", text="t"))
    run.begin("q1")
    run.search("q1", [a, b])
    run.decide("q1", a, "reject")
    record = runs.record(run, shelf)
    assert explain(record, a.key).kind == "rejected"
    unreviewed = explain(record, b.key)
    assert unreviewed.kind == "unreviewed"
    assert "has not been judged" in unreviewed.steps[-1]
    assert explain(record, DocumentKey("debates", "c")).kind == "outside"


def test_both_languages_have_the_same_sentences_and_placeholders():
    import string

    def names(text):
        return {name for _, name, _, _ in string.Formatter().parse(text) if name}

    english, french = SENTENCES["en"], SENTENCES["fr"]
    assert english.keys() == french.keys()
    for name in english:
        if name != "is_rejected":
            assert names(english[name]) == names(french[name]), name


def test_the_methods_paragraph_counts_right(small):
    text = methods(small)
    counted = figures(small)
    assert (counted.searches, counted.found, counted.read) == (2, 5, 4)
    assert counted.decisions == {"model": 6, "engine": 1, "human": 1}
    assert (counted.accepted, counted.held, counted.rejected, counted.overrides) == (3, 2, 0, 1)
    for said in (
        "2 searches (2 warm starts)",
        "5 passages of 5 documents",
        "8 decisions were recorded: 6 by the model, 1 by Ada Archivist and 1 by the program",
        "of which 1 changed a verdict of somebody else.",
        "3 documents were accepted",
        "2,400 tokens read",
        small.state.last_hash,
        small.state.start.settings_hash,
    ):
        assert said in text
    assert "2 recherches (2 recherches initiales)" in methods(small, "fr")


def test_the_methods_paragraph_agrees_for_none_and_one():
    shelf = runs.FakeShelf(corpora_=runs.CORPORA[:1])
    run = runs.RunBuilder()
    run.start(runs.CORPORA[:1], assistant="rules")
    empty = runs.record(run, shelf)
    assert "1 sub-corpus:" in methods(empty)
    assert "No search was run." in methods(empty)
    assert "0 documents were accepted on the evidence of 0 passages" in methods(empty)
    assert "Dans la liste : 0 document, sur la foi de 0 passage ;" in methods(empty, "fr")
    assert "1 event in a hash chain" in methods(empty)
    chunk = shelf.put("matin", "a", "text")
    run.plan(SubQuestion(id="q1", text="t"))
    run.begin("q1")
    run.search("q1", [chunk], channels=("bm25",))
    run.decide("q1", chunk, "accept", runs.RULES)
    one = methods(runs.record(run, shelf))
    assert "1 search (1 warm start) by BM25 brought 1 passage of 1 document" in one
    assert "1 passage was judged" in one
    assert "1 decision was recorded: 1 by rules." in one
    assert "1 document was accepted on the evidence of 1 passage" in one
    assert "The model was called" not in one
    with pytest.raises(BadInput):
        methods(empty, "la")


def test_calls_and_people_s_verdicts_agree_with_their_numbers(small):
    run, shelf = runs.small_run()
    (a,) = (c for c in shelf.chunks_ if c.key.source_id == "a")
    run.decide("q1", a, "accept", runs.ADA)
    both = runs.record(run, shelf)
    assert (figures(both).overrides, figures(both).confirmed) == (1, 1)
    assert (
        "of which 1 changed a verdict of somebody else and 1 repeated the verdict of somebody else."
    ) in methods(both)
    assert ", dont 1 contre le verdict d’autrui et 1 dans le même sens" in methods(both, "fr")
    assert "(2\u202f400 jetons lus, 160 jetons écrits)" in methods(small, "fr")
    alone = runs.RunBuilder()
    alone.start(runs.CORPORA[:1])
    silent = runs.record(alone, runs.FakeShelf())
    assert "No call of the model is recorded." in methods(silent)
    assert "Aucun appel au modèle" in methods(silent, "fr")
    alone.add(
        ev.CallMade(
            call="x", stage="plan", model="m", prompt_hash="", tokens_in=1, tokens_out=1, seconds=1
        ),
        runs.MODEL,
    )
    one = runs.record(alone, runs.FakeShelf())
    assert "The model was called once (1 token read, 1 token written)." in methods(one)
    assert "Appels au modèle : 1 (1 jeton lu, 1 jeton écrit)." in methods(one, "fr")


def test_an_explanation_names_sub_corpora_as_people_do():
    shelf = runs.FakeShelf(corpora_=runs.CORPORA)
    chunk = shelf.put("matin", "a", "text")
    run = runs.RunBuilder()
    run.start(runs.CORPORA)
    run.plan(SubQuestion(id="q1", text="t"))
    run.begin("q1")
    run.search("q1", [chunk], corpora=("matin",))
    first = explain(runs.record(run, shelf), chunk.key).steps[0]
    assert " in Le Matin) found it" in first


def test_an_honest_run_verifies(small):
    report = verify("r1", small.events)
    assert report.ok and report.documents == 3 and report.events == len(small.events)


def reseal(events, change):
    """The events with a change of one payload, and a chain that holds all the same."""
    out, previous = [], ev.GENESIS
    for event in events:
        payload = change(event) or event.payload
        draft = ev.Draft(event.actor, payload)
        out.append(ev.seal(event.run, len(out) + 1, previous, draft, event.time))
        previous = out[-1].hash
    return out


def changed(type_name, **fields):
    def change(event):
        if event.type != type_name:
            return None
        payload = event.payload
        if type_name == "decided":
            return payload.model_copy(
                update={"decision": payload.decision.model_copy(update=fields)}
            )
        return payload.model_copy(update=fields)

    return change


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        (changed("ranking_made", ranking=()), "ranking"),
        (changed("run_finished", documents=9), "count"),
        (changed("review_done", accepted=9), "count"),
        (changed("holds_reevaluated", promoted=0), "count"),
        (changed("decided", source_id="other"), "decision"),
        (changed("decided", search="s99"), "decision"),
        (changed("decided", chunk=4), "decision"),
        (changed("decided", call="call-99"), "call"),
        (changed("run_started", settings={"index": {}}), "settings"),
        (changed("hold_moved", chunk=1), "state"),
        (changed("sub_question_started", sub_question="q9"), "state"),
    ],
)
def test_a_record_that_disagrees_with_itself_is_named_even_under_a_new_chain(small, change, kind):
    report = verify("r1", reseal(small.events, change))
    assert kind in {f.kind for f in report.findings}
    assert all(f.sentence and f.where for f in report.findings)


def test_a_reversed_ranking_is_named(small):
    def change(event):
        if event.type == "ranking_made":
            return event.payload.model_copy(
                update={"ranking": tuple(reversed(event.payload.ranking))}
            )
        return None

    kinds = {f.kind for f in verify("r1", reseal(small.events, change)).findings}
    assert kinds == {"ranking"}


def test_broken_chains_are_named(small):
    events = list(small.events)
    removed = verify("r1", events[:5] + events[6:])
    assert any("missing" in f.sentence for f in removed.findings)
    swapped = verify("r1", [*events[:5], events[6], events[5], *events[7:]])
    assert any("order was changed" in f.sentence for f in swapped.findings)
    assert verify("r1", []).findings[0].kind == "chain"
    assert verify("r2", events).findings[0].kind == "chain"


def test_kappa_is_cohens():
    shelf = runs.FakeShelf()
    chunks = [shelf.put("matin", f"d{i}", f"t{i}") for i in range(10)]
    run = runs.RunBuilder()
    run.start()
    run.plan(SubQuestion(id="q1", text="t"))
    run.begin("q1")
    run.search("q1", chunks)
    for i, chunk in enumerate(chunks):
        run.decide("q1", chunk, "accept" if i < 6 else "reject", runs.ADA)
    for i, chunk in enumerate(chunks[:9]):
        run.decide("q1", chunk, "hold", runs.BEN)  # a first word that a later one replaces
        run.decide("q1", chunk, "accept" if i < 5 else "reject", runs.BEN)
    found = agreement(run.state, "Ada Archivist", "Ben Brown")
    observed = 8 / 9
    expected = (6 / 9) * (5 / 9) + (3 / 9) * (4 / 9)
    assert found.common == 9
    assert found.observed == pytest.approx(observed)
    assert found.kappa == pytest.approx((observed - expected) / (1 - expected))
    assert [d.chunk for d in found.disagreements] == [chunks[5].id]
    assert found.table == {
        ("accept", "accept"): 5,
        ("accept", "reject"): 1,
        ("reject", "reject"): 3,
    }
    assert deciders(run.state) == ("Ada Archivist", "Ben Brown")
    with pytest.raises(BadInput):
        agreement(run.state, "Ada Archivist", "Nobody")
    with pytest.raises(BadInput):
        agreement(run.state, "Ada Archivist", "Ada Archivist")


def test_kappa_is_undefined_where_chance_would_agree_fully():
    shelf = runs.FakeShelf()
    chunk = shelf.put("matin", "a", "t")
    run = runs.RunBuilder()
    run.start()
    run.plan(SubQuestion(id="q1", text="t"))
    run.begin("q1")
    run.search("q1", [chunk])
    run.decide("q1", chunk, "accept", runs.ADA)
    run.decide("q1", chunk, "accept", runs.BEN)
    found = agreement(run.state, "Ada Archivist", "Ben Brown")
    assert (found.observed, found.kappa) == (1.0, None)
