import math

import pytest

from trace_core.search.bridge import BridgeSettings, bridge_entities, entity_weight


def logit(p: float) -> float:
    return math.log(p / (1 - p))


def test_the_weight_follows_the_formula():
    # 3 of 4 accepted and 1 of 6 rejected passages hold the name
    p = (3 + 0.5) / (4 + 1)
    q = (1 + 0.5) / (6 + 1)
    assert entity_weight((3, 4), (1, 6)) == pytest.approx(
        (1 - math.exp(-4 / 5)) * (logit(p) - logit(q))
    )


def test_alpha_and_tau_are_settings():
    p, q = (1 + 1) / (2 + 2), (0 + 1) / (3 + 2)
    assert entity_weight((1, 2), (0, 3), BridgeSettings(alpha=1.0, tau=2.0)) == pytest.approx(
        (1 - math.exp(-1 / 2)) * (logit(p) - logit(q))
    )


def test_a_name_in_no_passage_weighs_nothing():
    assert entity_weight((0, 3), (0, 3)) == 0.0


def test_names_that_tell_accepted_from_rejected_come_first():
    accepted = [
        "Hier M. Aubert a parlé à Nantes.",
        "Le soir, M. Aubert quitta Nantes.",
        "On dit que M. Aubert reviendra.",
    ]
    rejected = ["À midi la foule de Nantes partit.", "On vit Nantes sous la neige."]
    found = bridge_entities(accepted, rejected)
    assert [(e.name, e.accepted, e.rejected) for e in found] == [("Aubert", 3, 0), ("Nantes", 2, 2)]
    assert found[0].weight == pytest.approx(entity_weight((3, 3), (0, 2)))
    assert found[0].weight > 0 > found[1].weight


def test_a_name_counts_once_a_passage_in_its_most_frequent_spelling():
    accepted = ["Ici M. Méline, puis M. Meline, puis M. Méline."]
    (entity,) = bridge_entities(accepted, [])
    assert (entity.name, entity.accepted) == ("Méline", 1)


def test_uncertain_names_are_no_hints():
    assert bridge_entities(["Récolte mauvaise cette année dans le pays."], []) == ()


def test_nothing_accepted_gives_nothing():
    assert bridge_entities([], ["À Nantes on vit M. Aubert."]) == ()
