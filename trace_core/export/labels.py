"""Headings and labels of exported documents in English and French."""

from __future__ import annotations

from collections.abc import Mapping

from trace_core.provenance.words import words

_LABELS: Mapping[str, tuple[str, str]] = {
    "title": ("Evidence list", "Liste de sources"),
    "question": ("Question", "Question"),
    "methods": ("How it was found", "Comment elle a été établie"),
    "evidence": ("Evidence", "Sources"),
    "held": ("Held, not decided", "En attente, non décidé"),
    "rejected": ("Rejected", "Écarté"),
    "passage": ("Passage", "Passage"),
    "quote": ("Quotation", "Citation"),
    "reason": ("Reason", "Motif"),
    "page": ("page", "page"),
    "decided_by": ("Decided by", "Décidé par"),
    "decided_at": ("on", "le"),
    "confirmations": ("Confirmations", "Confirmations"),
    "sub_question": ("Sub-question", "Sous-question"),
    "sub_questions": ("Sub-questions", "Sous-questions"),
    "found_by": ("Found by", "Trouvé par"),
    "id": ("Permanent id", "Identifiant"),
    "link": ("Link", "Lien"),
    "twins": ("The same text, or nearly, in", "Le même texte, ou presque, dans"),
    "more": ("{others} and {n} more", "{others} et {n} de plus"),
    "notes": ("Notes", "Notes"),
    "tags": ("Tags", "Étiquettes"),
    "starred_by": ("Starred by", "Marqué par"),
    "provenance": ("Provenance of each decision", "Provenance de chaque décision"),
    "decision": ("Decision", "Décision"),
    "document": ("Document", "Document"),
    "rank": ("Rank", "Rang"),
    "nothing": ("Nothing was accepted.", "Rien n’a été retenu."),
    "withheld": (
        "[text withheld; SHA-256 {hash}]",
        "[texte non communiqué ; SHA-256 {hash}]",
    ),
    "gone": ("[text no longer in the archive]", "[texte absent des archives]"),
    "unverified": (
        "A quotation that was claimed for this passage is not in it and is left out.",
        "Une citation attribuée à ce passage ne s’y trouve pas et a été omise.",
    ),
    "illegal": (
        "Characters left out because XML forbids them",
        "Caractères omis parce que XML les interdit",
    ),
    "cut": ("Cells cut at the limit of a workbook", "Cellules coupées à la limite du classeur"),
    "heuristic": (
        "Confirmations count the sub-questions that accepted a document: a heuristic, no "
        "independent corroboration.",
        "Les confirmations comptent les sous-questions qui ont retenu un document : une "
        "heuristique, non une corroboration indépendante.",
    ),
    "run": ("Run", "Recherche"),
    "contents": ("What is in this file", "Contenu du fichier"),
}


def labels(language: str) -> Mapping[str, str]:
    """All labels in one language. Raises BadInput for a language that is not spoken here."""
    place = 0 if words(language).language == "en" else 1
    return {name: forms[place] for name, forms in _LABELS.items()}
