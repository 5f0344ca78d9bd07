"""Function words of French, English, German and Italian, and the query that is left without them.

In: a question as a person writes it. Out: its words that can tell one passage from another.
The lists hold grammar only (articles, prepositions, pronouns, conjunctions, question words,
auxiliaries), never a subject matter, so they hold for any archive.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from trace_core.text.folding import fold as folded
from trace_core.text.tokens import words as folded_words

_FRENCH = """
a ai aie ainsi ait alors apres as au aucun aucune aussi autre autres aux avaient avait avant avec
avez avoir avons ayant c ce ceci cela celle celles celui ces cet cette ceux chaque chez ci comme
comment combien d dans de depuis des donc dont du elle elles en encore entre es est et etaient
etait etant etes etre eu eut eux fait faire fit font furent fut il ils j je jusqu jusque l la
laquelle le lequel les lesquelles lesquels leur leurs lors lorsqu lorsque lui m mais me meme memes
mes moi moins mon n ne ni nos notre nous on ont ou par parce pas pendant peu peut plus plutot
pour pourquoi presque puis puisque qu quand que quel quelle quelles quels quelque quelques qui quoi
s sa sans se selon sera seront ses si soit son sont sous sur t ta tandis te tel telle telles tels
tes toi ton tous tout toute toutes tres tu un une vers vos votre vous y
duquel desquels desquelles auquel auxquels auxquelles
"""
_ENGLISH = """
a about after again all also an and any are as at be because been before being between both but by
can could d did do does doing during each either else ever every few for from further had has have
having he her here hers him his how i if in into is it its just less like ll many may me might
more most much must my neither no nor not of off on once one only or other our out over own rather
s same shall she should so some such t than that the their them then there these they this those
through to too under until up upon us very was we were what when where whether which while who
whom whose why will with within without would you your
"""
_GERMAN = """
aber alle allem allen aller alles als also am an andere anderen anderer anderes auch auf aus bei
beide beiden beim bis da dabei dafur dagegen damit dann das dass dem den denn der deren des dessen
dich die dies diese diesem diesen dieser dieses dir doch dort du durch ein eine einem einen einer
eines er es etwa euch fur gegen gewesen hat hatte hatten habe haben hier hinter ich ihm ihn ihnen
ihr ihre ihrem ihren ihrer im in indem ins ist ja jede jedem jeden jeder jedes jene jenem jenen
jener kann kein keine keinen keiner konnen konnte machen man mehr mein mich mir mit muss musste
nach nicht nichts noch nun nur ob oder ohne sehr sein seine seinem seinen seiner selbst sich sie
sind so soll sollte sondern sonst uber um und uns unser unter viel vom von vor wann war waren
warum was wegen weil welche welchem welchen welcher welches wenn wer werde werden wessen wie wieder
will wir wird wo wurde wurden zu zum zur zwischen
"""

_ITALIAN = """
a ad al alla alle allo agli ai all anche ancora avere aveva avevano avra che chi ci come con contro
coi col cosa cosi cui da dal dalla dalle dallo dagli dai dall degli dei del dell della delle dello
di dopo dove due durante e ed era erano essere fa fra fu furono gli ha hanno i il in io l la le lei
li lo loro lui ma me mentre mi ne negli nei nel nell nella nelle nello noi non o ogni oppure per
perche pero piu poi prima quale quali quando quanto quanti quella quelle quelli quello questa
queste questi questo qui quindi se sei senza si sia siano sono sopra sotto stata stati stato su sua
sue sugli sui sul sull sulla sulle sullo suo suoi tra tu tutta tutte tutti tutto un una uno vi
viene
"""

FUNCTION_WORDS: dict[str, frozenset[str]] = {
    "fr": frozenset(_FRENCH.split()),
    "en": frozenset(_ENGLISH.split()),
    "de": frozenset(_GERMAN.split()),
    "it": frozenset(_ITALIAN.split()),
}
"""Folded function words by ISO 639-1 code."""

_ALL = frozenset().union(*FUNCTION_WORDS.values())

_WORD = re.compile(r"[^\W_]+")


def language_of(text: str) -> str:
    """The language of a text by its function words; "" with less than two of them, or a tie."""
    words = folded_words(text)
    counts = {code: sum(w in known for w in words) for code, known in FUNCTION_WORDS.items()}
    best, second, *_ = sorted(counts.values(), reverse=True)
    if best < 2 or best == second:
        return ""
    return max(counts, key=lambda code: counts[code])


def function_words(language: str = "") -> frozenset[str]:
    """The function words of a language, none where it is unknown.

    French "été" (summer) and "or" (gold) are no function words here: folded text cannot tell
    them apart from those that are.
    """
    return FUNCTION_WORDS.get(language, frozenset())


def any_function_words() -> frozenset[str]:
    """The function words of all languages together."""
    return _ALL


def worth_marking(terms: Sequence[str], language: str = "") -> list[str]:
    """Folded terms without the function words of a text's language and of the terms' own.

    Terms that are function words one and all stay: whoever asks for them means them.
    """
    grammar = function_words(language[:2].lower()) | function_words(language_of(" ".join(terms)))
    kept = [term for term in terms if folded(term) not in grammar]
    return kept or list(terms)


def content_query(text: str, drop: Sequence[str] = (), language: str = "") -> str:
    """The text without function words and without the phrases to drop (sub-corpora's names).

    Accents, case and the order of what stays are kept. Where the language is neither given nor
    to be guessed, only the phrases go. A query of function words alone is given back as it is:
    it may be a quotation.
    """
    without = _without(text, drop)
    grammar = function_words(language or language_of(text))
    kept = [word for word in _WORD.findall(without) if folded(word) not in grammar]
    return " ".join(kept) if kept else text


def _without(text: str, phrases: Iterable[str]) -> str:
    for phrase in sorted(phrases, key=len, reverse=True):
        words = _WORD.findall(phrase)
        if words:
            pattern = r"(?<!\w)" + r"[\W_]+".join(re.escape(w) for w in words) + r"(?!\w)"
            text = re.sub(pattern, " ", text, flags=re.IGNORECASE)
    return text
