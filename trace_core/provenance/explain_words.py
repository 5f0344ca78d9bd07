"""The sentences of explanations in English and French."""

from __future__ import annotations

from collections.abc import Mapping

_EN = {
    "rank": "rank {rank} by {channel}",
    "no_rank": "no rank of its own in any channel",
    "around": "{days} on either side of {day}",
    "between": "the days from {low} to {high}",
    "inside": " in {where}",
    "warm": "the warm start of sub-question {sub}, for {asked}{limits}",
    "loop": "for sub-question {sub}, for {asked}{limits}",
    "found": (
        "Search {search} ({what}) found it: {ranks}. Passage c{chunk}, at place {position} "
        "of {returned}, went into review."
    ),
    "widened": (
        "Search {search} ({what}) found passage c{chunk} only just outside the days that were "
        "asked for: {ranks}."
    ),
    "forms": "What matched there were the written forms {forms}.",
    "doubtful": "Words there that are only somewhat like those sought: {forms}.",
    "boosts": "Its place also owes to what no channel gave: {boosts}.",
    "boost_route": "how far the question points at its sub-corpus ({value})",
    "boost_neighbour": "a document of nearly the same day in another sub-corpus ({value})",
    "boost_lent": "{neighbour}, which is of another sub-corpus and {days} away ({value})",
    "boost_reranker": "the cross-encoder's score ({value})",
    "again": (
        "Search {search} ({what}) found it again: {ranks}. Nothing new went into review, since "
        "it had already been there for this sub-question."
    ),
    "beyond": (
        "Search {search} ({what}) found it: {ranks}. It stood beyond the cut: only {passages} "
        "of that search went into review."
    ),
    "decided": (
        "Passage c{chunk} was {verdict} for sub-question {sub} by {who} on {day} "
        "({id}){replaced}.{reason}"
    ),
    "promoted": (
        "At a second look passage c{chunk} was {verdict} for sub-question {sub} by {who} on "
        "{day} ({id}){replaced}.{reason}"
    ),
    "reconsidered": (
        "At a second look passage c{chunk} was {verdict} for sub-question {sub} by {who} on "
        "{day} ({id}){replaced}.{reason}"
    ),
    "undone": (
        "{who} took a decision back on {day}: passage c{chunk} is again {verdict} for "
        "sub-question {sub} ({id}){replaced}.{reason}"
    ),
    "unread": (
        "Passage c{chunk} was {verdict} for sub-question {sub} by {who} on {day} without having "
        "been judged ({id}){replaced}.{reason}"
    ),
    "replaced": ", in place of {old} ({verdict}, by {who})",
    "reason": " Reason given: {reason}",
    "moved": (
        "The hold pool of sub-question {sub} (capacity {capacity}) was full: passage c{chunk} "
        "moved to the historian's queue, still held."
    ),
    "still_held": (
        "The held passages of sub-question {sub} were looked at again (look {round}); passage "
        "c{chunk} stayed held."
    ),
    "look_failed": (
        "The held passages of sub-question {sub} were to be looked at again, passage c{chunk} "
        "among them, but this failed: {why}"
    ),
    "pending": (
        "Passage c{chunk}, which search {search} brought up for sub-question {sub}, has not been "
        "judged."
    ),
    "ranked": "In the list it stands at rank {rank}: {subs} accepted it ({ids}).",
    "nowhere": (
        "No search brought it into review, and it is not among the first documents that were "
        "recorded for any channel."
    ),
    "is_present": "{name} is in the evidence list, at rank {rank} of {total}.",
    "is_held": "{name} is not in the evidence list: it is held and waits for a person.",
    "is_rejected": (
        "{name} is not in the evidence list: it was found, but not accepted ({judged} judged)."
    ),
    "is_unreviewed": "{name} is not in the evidence list: it was found, but not reviewed.",
    "is_beyond": (
        "{name} is not in the evidence list: it was found, but below the cut of every search "
        "({searches})."
    ),
    "is_outside": ("{name} is not in the evidence list: the run was limited to other sub-corpora."),
    "is_never": ("{name} is not in the evidence list: it was never found by the run ({searches})."),
}

_FR = {
    "rank": "rang {rank} par {channel}",
    "no_rank": "aucun rang propre dans un canal",
    "around": "{days} de part et d’autre du {day}",
    "between": "les jours du {low} au {high}",
    "inside": " dans {where}",
    "warm": "la recherche initiale de la sous-question {sub}, sur {asked}{limits}",
    "loop": "pour la sous-question {sub}, sur {asked}{limits}",
    "found": (
        "La recherche {search} ({what}) l’a trouvé : {ranks}. Le passage c{chunk}, en place "
        "{position} sur {returned}, a été soumis à l’examen."
    ),
    "widened": (
        "La recherche {search} ({what}) n’a trouvé le passage c{chunk} que juste en dehors des "
        "jours demandés : {ranks}."
    ),
    "forms": "Les formes écrites qui ont correspondu sont {forms}.",
    "doubtful": "Des mots y ressemblent un peu, sans plus, à ceux cherchés : {forms}.",
    "boosts": "Sa place tient aussi à ce qu’aucun canal n’a donné : {boosts}.",
    "boost_route": "la part de son corpus dans la question ({value})",
    "boost_neighbour": "un document d’un autre corpus presque du même jour ({value})",
    "boost_lent": "{neighbour}, d’un autre corpus et à {days} de là ({value})",
    "boost_reranker": "la note du reclasseur ({value})",
    "again": (
        "La recherche {search} ({what}) l’a retrouvé : {ranks}. Rien de nouveau n’a été soumis "
        "à l’examen, puisqu’il l’avait déjà été pour cette sous-question."
    ),
    "beyond": (
        "La recherche {search} ({what}) l’a trouvé : {ranks}. Il se situait au-delà de la "
        "limite : seul le haut de cette recherche ({passages}) a été soumis à l’examen."
    ),
    "decided": (
        "Le passage c{chunk} a été {verdict} pour la sous-question {sub} par {who} le {day} "
        "({id}){replaced}.{reason}"
    ),
    "promoted": (
        "Au second examen, le passage c{chunk} a été {verdict} pour la sous-question {sub} par "
        "{who} le {day} ({id}){replaced}.{reason}"
    ),
    "reconsidered": (
        "Au second examen, le passage c{chunk} a été {verdict} pour la sous-question {sub} par "
        "{who} le {day} ({id}){replaced}.{reason}"
    ),
    "undone": (
        "{who} est revenu sur une décision le {day} : le passage c{chunk} est de nouveau "
        "{verdict} pour la sous-question {sub} ({id}){replaced}.{reason}"
    ),
    "unread": (
        "Le passage c{chunk} a été {verdict} pour la sous-question {sub} par {who} le {day} sans "
        "avoir été jugé ({id}){replaced}.{reason}"
    ),
    "replaced": ", à la place de {old} ({verdict}, par {who})",
    "reason": " Motif donné : {reason}",
    "moved": (
        "La réserve de la sous-question {sub} (capacité {capacity}) était pleine : le passage "
        "c{chunk} a rejoint la file de l’historien, toujours en attente."
    ),
    "still_held": (
        "Les passages en attente de la sous-question {sub} ont été revus (examen {round}) ; le "
        "passage c{chunk} est resté en attente."
    ),
    "look_failed": (
        "Les passages en attente de la sous-question {sub} devaient être revus, dont le passage "
        "c{chunk}, mais cela a échoué : {why}"
    ),
    "pending": (
        "Le passage c{chunk}, apporté par la recherche {search} pour la sous-question {sub}, n’a "
        "pas été jugé."
    ),
    "ranked": "Dans la liste, il est au rang {rank} : retenu par {subs} ({ids}).",
    "nowhere": (
        "Aucune recherche ne l’a soumis à l’examen, et il n’est pas parmi les premiers documents "
        "enregistrés d’un canal."
    ),
    "is_present": "{name} est dans la liste, au rang {rank} sur {total}.",
    "is_held": "{name} n’est pas dans la liste : il est en attente d’une personne.",
    "is_rejected": "{name} n’est pas dans la liste : trouvé, mais non retenu ({judged}).",
    "is_unreviewed": "{name} n’est pas dans la liste : trouvé, mais non examiné.",
    "is_beyond": (
        "{name} n’est pas dans la liste : trouvé, mais au-delà de la limite de chaque recherche "
        "({searches})."
    ),
    "is_outside": "{name} n’est pas dans la liste : la recherche se limitait à d’autres corpus.",
    "is_never": "{name} n’est pas dans la liste : jamais trouvé ({searches}).",
}

SENTENCES: Mapping[str, Mapping[str, str]] = {"en": _EN, "fr": _FR}
"""Each language's sentences by name; both have the same names and placeholders."""
