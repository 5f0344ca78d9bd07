"""The words of accounts in English and French: counted nouns, channels, actors, verdicts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from trace_core.domain.errors import BadInput
from trace_core.domain.evidence import Actor

Language = Literal["en", "fr"]

LANGUAGES: tuple[Language, ...] = ("en", "fr")

_NOUNS: Mapping[str, Mapping[str, tuple[str, str]]] = {
    "en": {
        "search": ("search", "searches"),
        "passage": ("passage", "passages"),
        "document": ("document", "documents"),
        "decision": ("decision", "decisions"),
        "sub-question": ("sub-question", "sub-questions"),
        "sub-corpus": ("sub-corpus", "sub-corpora"),
        "call": ("call", "calls"),
        "override": ("decision", "decisions"),
        "warm start": ("warm start", "warm starts"),
        "channel failure": ("failure of a search channel", "failures of a search channel"),
        "unreadable reply": ("unreadable reply", "unreadable replies"),
        "token": ("token", "tokens"),
        "day": ("day", "days"),
    },
    "fr": {
        "search": ("recherche", "recherches"),
        "passage": ("passage", "passages"),
        "document": ("document", "documents"),
        "decision": ("décision", "décisions"),
        "sub-question": ("sous-question", "sous-questions"),
        "sub-corpus": ("sous-corpus", "sous-corpus"),
        "call": ("appel", "appels"),
        "override": ("décision", "décisions"),
        "warm start": ("recherche initiale", "recherches initiales"),
        "channel failure": (
            "défaillance d’un canal de recherche",
            "défaillances d’un canal de recherche",
        ),
        "unreadable reply": ("réponse illisible", "réponses illisibles"),
        "token": ("jeton", "jetons"),
        "day": ("jour", "jours"),
    },
}

_CHANNELS: Mapping[str, Mapping[str, str]] = {
    "en": {
        "bm25": "BM25",
        "dense": "dense vectors",
        "date": "dates",
        "exact": "exact text",
        "fuzzy": "OCR-tolerant text",
    },
    "fr": {
        "bm25": "BM25",
        "dense": "vecteurs denses",
        "date": "dates",
        "exact": "texte exact",
        "fuzzy": "texte tolérant à l’OCR",
    },
}

_ACTORS: Mapping[str, Mapping[str, tuple[str, str]]] = {
    "en": {
        "human": ("{name}", "a person"),
        "model": ("the model {name}", "the model"),
        "rules": ("the rules ({name})", "the rules"),
        "engine": ("the program", "the program"),
    },
    "fr": {
        "human": ("{name}", "une personne"),
        "model": ("le modèle {name}", "le modèle"),
        "rules": ("les règles ({name})", "les règles"),
        "engine": ("le programme", "le programme"),
    },
}

_VERDICTS: Mapping[str, Mapping[str, str]] = {
    "en": {"accept": "accepted", "hold": "held", "reject": "rejected"},
    "fr": {"accept": "retenu", "hold": "mis en attente", "reject": "écarté"},
}


@dataclass(frozen=True, slots=True)
class Words:
    """The words of one language."""

    language: Language = "en"

    def count(self, number: int, noun: str) -> str:
        """A number with its noun: "1 search", "0 searches"; in French "0 recherche"."""
        return f"{self.number(number)} {self.noun(number, noun)}"

    def noun(self, number: int, noun: str) -> str:
        """The noun in the number that its language asks for."""
        one, many = _NOUNS[self.language][noun]
        single = number == 1 or (number == 0 and self.language == "fr")
        return one if single else many

    def number(self, number: int) -> str:
        """A whole number with its thousands parted."""
        return f"{number:,}".replace(",", "," if self.language == "en" else "\u202f")

    def channel(self, name: str) -> str:
        """A search channel's name."""
        return _CHANNELS[self.language].get(name, name)

    def actor(self, actor: Actor) -> str:
        """Who did it, inside a sentence."""
        named, nameless = _ACTORS[self.language][actor.kind]
        return named.format(name=actor.name) if actor.name else nameless

    def verdict(self, verdict: str) -> str:
        """A verdict as a participle."""
        return _VERDICTS[self.language][verdict]

    def quoted(self, text: str) -> str:
        """A text between the language's quotation marks."""
        return f"“{text}”" if self.language == "en" else f"«\u00a0{text}\u00a0»"

    def listed(self, items: Iterable[str]) -> str:
        """Items joined by commas and a last "and"."""
        given = list(items)
        joint = " and " if self.language == "en" else " et "
        if len(given) < 2:
            return "".join(given)
        return ", ".join(given[:-1]) + joint + given[-1]


def words(language: str) -> Words:
    """The words of a language. Raises BadInput for one that is not spoken here."""
    for known in LANGUAGES:
        if known == language:
            return Words(known)
    raise BadInput(f"Accounts are written in en or fr, not in {language!r}.")
