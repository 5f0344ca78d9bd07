"""The sentences of the methods paragraph in English and French."""

from __future__ import annotations

from collections.abc import Mapping

_EN = {
    "asked": (
        "The question {question} was put to the archive with TRACE{version} on {day}; {who} "
        "judged what was found."
    ),
    "who_rules": "rules, without any language model,",
    "who_model": "a language model ({models})",
    "who_model_unused": "a language model (none of whose calls is recorded)",
    "archive": "The archive comprised {count}: {names}.",
    "corpus": "{name} ({documents}{span})",
    "span": ", {low} to {high}",
    "limit_corpora": "The search was limited to {names}.",
    "limit_days": "Only documents dated {span} were searched{undated}.",
    "from_to": "from {low} to {high}",
    "from": "from {low} on",
    "to": "up to {high}",
    "undated_in": ", and undated ones",
    "undated_out": "; undated ones were left out",
    "plan": "The question was worked on as {subs}{origin}.",
    "spawned": "{n} added while the run was under way",
    "written": "{n} written or changed by a person",
    "searches": (
        "{searches} ({warm}) by {channels} brought {passages} of {documents} up for review; "
        "{read} judged."
    ),
    "searches_none": "No search was run.",
    "read": "{passages} {verb}",
    "decisions": "{total} {verb} recorded: {parts}{overrides}.",
    "by_model": "{n} by the model",
    "by_rules": "{n} by rules",
    "by_human": "{n} by {people}",
    "by_engine": "{n} by the program itself",
    "replaced": ", of which {parts}",
    "overrides": "{n} changed a verdict of somebody else",
    "confirmed": "{n} repeated the verdict of somebody else",
    "unread": ("{n} {verb} held at some point without having been judged, with the reason why."),
    "result": (
        "{documents} {verb} accepted on the evidence of {passages}; {held} {verb2} held and "
        "{rejected} {verb3} rejected."
    ),
    "calls": "The model was called {times} ({tokens_in}, {tokens_out}).",
    "calls_none": "No call of the model is recorded.",
    "troubles": "On the way, {parts} {verb} recorded.",
    "status": "The run has not come to its end (state: {status}).",
    "record": ("Settings {settings}, run {run}, {events} in a hash chain that ends in {hash}."),
    "settings": "SHA-256 {hash}",
    "settings_none": "not recorded",
    "order": (
        "Documents are ranked by the number of sub-questions that accepted them, which is a "
        "heuristic and no independent corroboration."
    ),
    "nameless": "a person",
}

_FR = {
    "asked": (
        "La question {question} a été posée aux archives avec TRACE{version} le {day} ; {who} a "
        "jugé ce qui était trouvé."
    ),
    "who_rules": "un jeu de règles, sans modèle de langue,",
    "who_model": "un modèle de langue ({models})",
    "who_model_unused": "un modèle de langue (dont aucun appel n’est enregistré)",
    "archive": "Les archives comprenaient {count} : {names}.",
    "corpus": "{name} ({documents}{span})",
    "span": ", du {low} au {high}",
    "limit_corpora": "La recherche s’est limitée à {names}.",
    "limit_days": "Seuls les documents datés {span} ont été cherchés{undated}.",
    "from_to": "du {low} au {high}",
    "from": "à partir du {low}",
    "to": "jusqu’au {high}",
    "undated_in": ", et ceux sans date",
    "undated_out": " ; ceux sans date ont été laissés de côté",
    "plan": "La question a été traitée en {subs}{origin}.",
    "spawned": "dont {n} en cours de route",
    "written": "dont {n} d’une main humaine",
    "searches": (
        "Total : {searches} ({warm}) par {channels}, avec {passages} ({documents}) à examiner, "
        "et {read}."
    ),
    "searches_none": "Aucune recherche n’a été faite.",
    "read": "{passages} {verb}",
    "decisions": "Le journal contient {total} : {parts}{overrides}.",
    "by_model": "{n} par le modèle",
    "by_rules": "{n} par les règles",
    "by_human": "{n} par {people}",
    "by_engine": "{n} par le programme lui-même",
    "replaced": ", dont {parts}",
    "overrides": "{n} contre le verdict d’autrui",
    "confirmed": "{n} dans le même sens que celui d’autrui",
    "unread": "En attente à un moment, sans jugement et avec le motif : {n}.",
    "result": (
        "Dans la liste : {documents}, sur la foi de {passages} ; en attente : {held} ; hors de la "
        "liste : {rejected}."
    ),
    "calls": "Appels au modèle : {times} ({tokens_in}, {tokens_out}).",
    "calls_none": "Aucun appel au modèle n’est enregistré.",
    "troubles": "En chemin, le journal note {parts}.",
    "status": "La recherche n’est pas arrivée à son terme (état : {status}).",
    "record": (
        "Réglages {settings}, recherche {run}, {events} dans une chaîne de hachage qui finit par "
        "{hash}."
    ),
    "settings": "SHA-256 {hash}",
    "settings_none": "non enregistrés",
    "order": (
        "Les documents sont rangés par le nombre de sous-questions qui les ont retenus : une "
        "heuristique, non une corroboration indépendante."
    ),
    "nameless": "une personne",
}


TEXTS: Mapping[str, Mapping[str, str]] = {"en": _EN, "fr": _FR}
"""Each language's sentences by name."""

FORMS: Mapping[str, Mapping[str, tuple[str, str]]] = {
    "en": {
        "was": ("was", "were"),
        "once": ("once", "{n} times"),
        "read": ("read", "read"),
        "written": ("written", "written"),
        "events": ("1 event", "{n} events"),
    },
    "fr": {
        "was": ("jugé", "jugés"),
        "once": ("1", "{n}"),
        "read": ("lu", "lus"),
        "written": ("écrit", "écrits"),
        "events": ("1 événement", "{n} événements"),
    },
}
"""What agrees with a number: the form for one, the form for many."""
