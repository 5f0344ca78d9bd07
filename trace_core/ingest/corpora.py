"""First descriptions of sub-corpora: what their ids, names and records tell about them."""

from __future__ import annotations

import json
import re
import unicodedata
from dataclasses import replace
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

from trace_core.domain.corpus import SubCorpus
from trace_core.ingest.records import CorpusHint
from trace_core.text.folding import fold

# Words of an id, name or genre that tell the kind, searched as whole words, plural or not.
_KIND_WORDS = {
    "debates": "debate débat debatte parliament parlement parlament chambre landtag reichstag "
    "bundestag nationalrat hansard sitzungsbericht stenograph sitting senate sénat congress "
    "congrès assemblée abgeordnetenhaus herrenhaus commons lords",
    "newspaper": "newspaper journal zeitung gazette gazzetta presse press tribune courrier kurier "
    "journaux anzeiger tageblatt wochenblatt feuille newspapers zeitschrift giornale herald times "
    "chronicle advertiser courier observer mercury examiner telegraph dispatch daily weekly "
    "intelligencer moniteur écho quotidien hebdomadaire tagblatt "
    "volksblatt merkur nachrichten bote rundschau morgenblatt abendblatt volkszeitung corriere",
    "letters": "letter lettre brief briefe letter correspondence correspondance korrespondenz "
    "briefwechsel epistolae lettere",
    "minutes": "minutes procès-verbal procès-verbaux protokoll protokolle délibération council "
    "conseil deliberation ratsprotokoll",
    "diary": "diary diaries tagebuch tagebücher journal-intime carnet diario",
    "court records": "court trial procès gericht tribunal prozess",
    "pamphlets": "pamphlet flugschrift libelle brochure",
    "books": "book livre buch bücher monograph theatre théâtre drama",
}

_COMPOUNDS = ("zeitung", "blatt", "anzeiger", "kurier", "bote")
"""Last parts of German newspapers' names."""


def corpus_hint(
    corpus: str, *, name: str = "", kind: str = "", language: str = "", note: str = ""
) -> CorpusHint:
    """A hint for a sub-corpus id; what the caller knows goes before what the id tells.

    `note` is further text that may tell the kind (a genre, a chamber).
    """
    hint = _from_id(corpus, note)
    return replace(
        hint,
        name=name or hint.name,
        kind=kind or hint.kind or guess_kind(name),
        language=language or hint.language,
    )


@cache
def _from_id(corpus: str, note: str) -> CorpusHint:
    known = _known().get(squeeze(_core(corpus)), {})
    return CorpusHint(
        id=corpus,
        name=known.get("name") or readable(corpus),
        kind=known.get("kind") or guess_kind(f"{note} {readable(corpus)}"),
        language=known.get("language", ""),
        aliases=tuple(known.get("aliases", ())),
    )


def as_sub_corpus(hint: CorpusHint) -> SubCorpus:
    """The description that a new sub-corpus begins with."""
    name = hint.name or readable(hint.id)
    # A record's own language need not be its sub-corpus's; the importer sees all of them.
    language = _from_id(hint.id, "").language
    aliases = tuple(dict.fromkeys(alias for alias in hint.aliases if alias != name))
    return SubCorpus(
        id=hint.id,
        name=name,
        aliases=aliases,
        kind=hint.kind or "other",
        language=language,
        description=hint.description,
    )


def readable(corpus: str) -> str:
    """A display name from an id: years, versions and technical tails taken off, words parted."""
    words = re.sub(r"[_\s]+", " ", _core(corpus)).strip(" -_.")
    if not words:
        return corpus
    if words.islower() and "-" not in words:
        words = words[0].upper() + words[1:]
    return words


@lru_cache(maxsize=1_000)
def guess_kind(text: str) -> str:
    """The kind of source that a text's words name, "" if none does."""
    words = set(re.findall(r"[^\W\d_]+(?:-[^\W\d_]+)*", fold(text)))
    words |= {word.rstrip("s") for word in words} | {p for word in words for p in word.split("-")}
    for kind, hints in _KIND_WORDS.items():
        if words & set(fold(hints).split()):
            return kind
    if any(word.endswith(_COMPOUNDS) for word in words):
        return "newspaper"
    return ""


def slug(name: str) -> str:
    """A sub-corpus id from a name: lower case letters of any script, digits and hyphens."""
    plain = unicodedata.normalize("NFKD", name.replace("œ", "oe").replace("ß", "ss"))
    plain = "".join(c for c in plain if not unicodedata.combining(c)).casefold()
    return re.sub(r"[\W_]+", "-", plain).strip("-") or "corpus"


def squeeze(name: str) -> str:
    """A name without anything but its letters and digits, for comparing."""
    return slug(name).replace("-", "") if any(map(str.isalnum, name)) else ""


def _core(corpus: str) -> str:
    core = corpus.split("__")[0]
    core = re.sub(r"[_-]v\d+$", "", core, flags=re.IGNORECASE)
    return re.sub(r"[_-](1[4-9]|20)\d{2}([_-](1[4-9]|20)?\d{2})?$", "", core) or corpus


@cache
def _known() -> dict[str, dict[str, Any]]:
    text = files("trace_core.ingest").joinpath("known_collections.json").read_text("utf-8")
    table: dict[str, dict[str, Any]] = json.loads(text)
    table.pop("_about", None)
    return table
