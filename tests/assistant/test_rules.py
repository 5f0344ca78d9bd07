import pytest

from trace_core.assistant.rules import RULES, RulesAssistant
from trace_core.assistant.rules_review import (
    Sought,
    judge,
    names_in,
    promotion,
    seen_names,
    shortened,
    sought,
    telling_first,
)
from trace_core.assistant.tasks import (
    AcceptedItem,
    ArchiveContext,
    BriefTask,
    CorpusView,
    HeldItem,
    OrderItem,
    OrderTask,
    PlanTask,
    ReevaluateTask,
    ReplanTask,
    ReviewItem,
    ReviewTask,
    StepTask,
)
from trace_core.domain.corpus import DocumentKey, SubCorpus
from trace_core.domain.evidence import Candidate, Found, Neighbour
from trace_core.domain.question import Briefing, Memory, SubQuestion
from trace_core.search.names import find_names
from trace_core.settings import Settings

WATCH = SubCorpus("vigie", "La Vigie", (), "newspaper", "fr")
ECHO = SubCorpus("echo", "L'Écho", (), "newspaper", "fr")
MINUTES = SubCorpus("minutes", "Registre du conseil", (), "minutes", "fr")
LETTERS = SubCorpus("letters", "Fonds Aubert", (), "letters", "fr")
ARCHIVE = ArchiveContext(tuple(CorpusView(c) for c in (WATCH, ECHO, MINUTES, LETTERS)))
RULES_ASSISTANT = RulesAssistant(Settings())
PART = SubQuestion(id="q1", text="?", target="vigie", dates=("1887-05-12",))


def plan(question: str, most: int = 4, **evidence: float):
    task = PlanTask(question, ARCHIVE, most, hits_by_corpus=evidence)
    outcome = RULES_ASSISTANT.plan(task)
    assert outcome.value is not None
    return outcome.value.sub_questions


def candidate(standing: int = 1, corpus: str = "vigie", **more) -> Candidate:
    found = tuple(
        Found(search="s1", channel=name, query="q", rank=rank)
        for name, rank in more.pop("ranks", {"bm25": 1, "dense": 3}).items()
    )
    given = {
        "chunk": 7, "corpus": corpus, "source_id": "x", "version": 1,
        "position": 1, "score": 0.9, "found": found, "standing": standing,
    }  # fmt: skip
    return Candidate(**(given | more))


def review_item(made: Candidate, text: str = "M. Aubert parle.", date: str = "1887-05-14"):
    return ReviewItem(made, text, "", date, "La Vigie")


def test_the_plan_asks_each_sub_corpus_that_is_named_first():
    parts = plan("Que disent L'Écho et La Vigie de M. Aubert le 12 mai 1887 ?", vigie=2, echo=1)
    assert [p.target for p in parts] == ["vigie", "echo"]
    assert {p.entities for p in parts} == {("Aubert",)}
    assert {p.dates for p in parts} == {("1887-05-12",)}
    assert parts[0].why == "the question names La Vigie; 67% of the best evidence"


def test_a_named_one_without_hits_is_asked_all_the_same():
    assert [p.target for p in plan("Que dit L'Écho ?")] == ["echo"]


def test_a_kind_points_at_those_of_the_kind_that_have_hits():
    parts = plan("Que dit la presse ?", vigie=5.0, minutes=0.2)
    assert [p.target for p in parts] == ["vigie"]


def test_strong_evidence_comes_through_where_the_question_points_elsewhere():
    parts = plan("Que dit L'Écho ?", echo=1.0, minutes=3.0, letters=0.1)
    assert [p.target for p in parts] == ["echo", "minutes"]


def test_a_question_that_points_nowhere_goes_where_the_best_hits_are():
    parts = plan("Pourquoi la récolte fut-elle mauvaise ?", most=2, vigie=1, echo=3, minutes=2)
    assert [p.target for p in parts] == ["echo", "minutes"]


def test_without_any_hit_the_whole_archive_is_asked():
    (part,) = plan("Pourquoi la récolte fut-elle mauvaise ?")
    assert part.target == ""


def test_the_reason_says_ranks_names_and_days():
    asked = sought("Que dit M. Aubert à Jules Marchand ?", ["1887-05-12"])
    judged = judge(review_item(candidate()), asked, Settings())
    assert judged.verdict == "accept"
    assert judged.reason == "BM25 rank 1, dense rank 3; names Aubert; 2 days from 1887-05-12"


def test_what_speaks_against_is_said_too():
    asked = sought("Que dit M. Aubert ?", ["1887-05-12"])
    judged = judge(review_item(candidate(), "Rien.", "1870-01-01"), asked, Settings())
    assert judged.reason == (
        "BM25 rank 1, dense rank 3; no name of the question; not of 1887-05-12"
    )


@pytest.mark.parametrize(
    ("days", "said"),
    [(0, "same day as echo/9"), (1, "1 day from echo/9"), (2, "2 days from echo/9")],
)
def test_who_lent_it_its_strength_is_named(days: int, said: str) -> None:
    near = Neighbour(corpus="echo", source_id="9", days=days)
    judged = judge(review_item(candidate(neighbour=near)), Sought(), Settings())
    assert judged.reason == f"BM25 rank 1, dense rank 3; {said}, also found"


def test_the_words_of_the_question_that_stand_in_the_text_are_named():
    asked = sought("Que dit La Vigie de la récolte perdue et du pain cher ?", (), ["La Vigie"])
    text = "La ré-\ncolte est PERDUE ; le pain, plus cher que jamais, manque."
    judged = judge(review_item(candidate(), text), asked, Settings())
    assert judged.reason == "BM25 rank 1, dense rank 3; has récolte, perdue, pain, cher"


def test_the_forms_in_which_words_are_certainly_written_are_named():
    made = candidate(forms=("Auhert", "mange?", "Auberl", "Aubcrt"))
    judged = judge(review_item(made, "Auhert"), Sought(), Settings())
    assert judged.reason == "BM25 rank 1, dense rank 3; written Auhert, Auberl"


def test_the_words_that_fewest_passages_hold_are_named_first():
    texts = ["La récolte est perdue.", "Le pain est cher, la vie est chère.", "Le pain manque."]
    assert telling_first(["pain", "récolte", "cher"], texts) == ("récolte", "cher", "pain")


def test_words_are_named_as_far_as_there_is_room():
    words = [f"mot{letter}" for letter in "abcdefghijklmnopqrstuvwxyz"]
    asked = Sought(words=tuple(words))
    judged = judge(review_item(candidate(), " ".join(words)), asked, Settings())
    assert judged.reason.startswith("BM25 rank 1, dense rank 3; has mota, motb")
    assert 110 < len(judged.reason) <= 120 and not judged.reason.endswith("…")


def test_standing_among_all_decides():
    rules = Settings().rules
    last = rules.accept_documents
    for standing, verdict in [
        (last, "accept"),
        (last + 1, "hold"),
        (last + rules.hold_documents, "hold"),
        (last + rules.hold_documents + 1, "reject"),
    ]:
        assert judge(review_item(candidate(standing)), Sought(), Settings()).verdict == verdict


def test_without_a_common_weighing_each_sub_question_gets_a_third():
    judged = [
        judge(review_item(candidate(0, position=n)), Sought(), Settings()).verdict
        for n in (4, 5, 9)
    ]
    assert judged == ["accept", "hold", "reject"]


def test_a_first_place_that_nothing_supports_is_held():
    made = candidate(1, ranks={"fuzzy": 21})
    judged = judge(review_item(made, "Rien."), sought("Que dit M. Aubert ?"), Settings())
    assert (judged.verdict, judged.reason.split(":")[0]) == ("hold", "in doubt")


def test_reasons_never_exceed_the_limit():
    question = "Entre Lyon, Nantes, Saint-Étienne-du-Rouvray, Villefranche et Pau"
    asked = sought(question, ["1887-05-12"])
    text = "Lyon, Nantes, Saint-Étienne-du-Rouvray, Villefranche, Pau"
    ranks = {"bm25": 10, "dense": 11, "fuzzy": 12, "date": 13}
    judged = judge(review_item(candidate(ranks=ranks), text), asked, Settings())
    assert len(judged.reason) <= 120
    assert judged.reason.endswith(" …")
    assert shortened("x" * 200, Settings()) == "x" * 118 + " …"


def test_names_are_seen_across_line_ends_and_without_accents():
    names = find_names("Que dit M. Méline ?")
    assert names_in("M. Me-\nline se lève", names) == list(names)
    assert names_in("Le melon", names) == []


def test_a_surname_alone_is_seen_and_said_as_such():
    names = find_names("Que dit Jules Marchand ?")
    assert seen_names("M. Marchand se lève", names) == ["Marchand"]
    assert seen_names("Jules se lève", names) == []
    assert names_in("M. Marchand se lève", names) == []


def accepted(corpus: str, date: str) -> AcceptedItem:
    return AcceptedItem(1, DocumentKey(corpus, "a"), "", date, "")


def test_a_hold_with_all_names_beside_accepted_evidence_is_promoted():
    names = find_names("Que dit M. Aubert ?")
    made = review_item(candidate(20))
    judged = promotion(made, names, [accepted("minutes", "1887-05-15")], Settings())
    assert judged is not None
    assert judged.reason == "1 day from accepted minutes/a; names Aubert"
    for other in (accepted("vigie", "1887-05-15"), accepted("minutes", "1887-05-16"),
                  accepted("minutes", "1887"), accepted("minutes", "undated")):  # fmt: skip
        assert promotion(made, names, [other], Settings()) is None
    assert promotion(made, [], [accepted("minutes", "1887-05-15")], Settings()) is None


def test_a_document_already_accepted_is_not_promoted_again():
    names = find_names("Que dit M. Aubert ?")
    made = review_item(candidate(20))
    mine = AcceptedItem(2, DocumentKey("vigie", "x"), "", "1887-05-14", "")
    assert promotion(made, names, [mine, accepted("minutes", "1887-05-15")], Settings()) is None


def test_every_pending_chunk_is_judged_and_the_actor_is_the_rule_set():
    items = (review_item(candidate()), review_item(candidate(99, chunk=8)))
    outcome = RULES_ASSISTANT.review(ReviewTask("Que dit M. Aubert ?", PART, ARCHIVE, items))
    assert outcome.value is not None
    assert [j.chunk for j in outcome.value.judgements] == [7, 8]
    assert (outcome.actor.kind, outcome.actor.name, outcome.calls) == ("rules", RULES, ())


def test_unreviewed_holds_are_not_promoted():
    held = (HeldItem(review_item(candidate(20)), "not reviewed", reviewed=False),)
    task = ReevaluateTask(
        "Que dit M. Aubert ?", PART, ARCHIVE, (accepted("minutes", "1887-05-14"),), held
    )
    outcome = RULES_ASSISTANT.reevaluate(task)
    assert outcome.value is not None
    assert outcome.value.promotions == ()


def test_the_other_tasks_add_nothing_of_their_own():
    step = RULES_ASSISTANT.next_action(StepTask("?", PART, ARCHIVE, Memory()))
    assert step.value is not None
    assert step.value.action.name == "finish"
    brief = RULES_ASSISTANT.brief(
        BriefTask("?", PART, ARCHIVE, (accepted("vigie", "1887-05-14"),), gap="no letters")
    ).value
    assert brief == Briefing(
        summary="Of La Vigie: 1 accepted, 0 held.",
        dates=("1887-05-14",),
        gaps=("no letters",),
    )
    replan = RULES_ASSISTANT.replan(ReplanTask("?", ARCHIVE, (), (PART,), Briefing(), 4)).value
    assert replan is not None
    assert replan.sub_questions == (PART,)
    keys = (DocumentKey("vigie", "b"), DocumentKey("vigie", "a"))
    items = tuple(OrderItem(key, "", "", 1, ()) for key in keys)
    order = RULES_ASSISTANT.order(OrderTask("?", ARCHIVE, items)).value
    assert order is not None
    assert order.keys == keys


def test_rules_work_on_this_machine_and_say_so():
    assert RULES_ASSISTANT.kind == "rules"
    assert RULES_ASSISTANT.local
