"""Soft routing: which sub-corpora a question points at, as weights with reasons, never a wall.

In: a question and the descriptions of the sub-corpora. Out: a weight for each of them. A
sub-corpus that the question names (by name, alias or id) counts fully; one of a kind that it
speaks of ("the press", "les deux journaux", "im Landtag") counts less, unless another of that
kind is named; the rest count least, so that strong evidence still comes through. A question
that points nowhere weighs all alike.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from trace_core.domain.corpus import SubCorpus
from trace_core.search.kinds import kinds_named
from trace_core.search.words import any_function_words
from trace_core.text.folding import fold as folded

_WORD = re.compile(r"[^\W_]+")
_ARTICLES = frozenset(
    [
        "le",
        "la",
        "les",
        "l",
        "the",
        "der",
        "die",
        "das",
        "den",
        "dem",
        "des",
        "du",
        "au",
        "aux",
        "im",
        "il",
        "lo",
        "gli",
    ]
)
_BEFORE_SHORT = _ARTICLES | frozenset(
    "nel nella nell del della dell sul sulla sull dal dalla dall al alla all".split()
    + "vom zum zur beim".split()
)
"""Articles, and prepositions that Italian and German write together with one."""


@dataclass(frozen=True, slots=True)
class RouteWeights:
    """How much a named sub-corpus, one of a kind spoken of, and any other counts (0 to 1)."""

    named: float = 1.0
    kind: float = 0.7
    other: float = 0.4


@dataclass(frozen=True, slots=True)
class Route:
    """One sub-corpus: its weight, why, and whether the question names it."""

    corpus: str
    weight: float
    reason: str
    named: bool = False


def route(
    question: str, corpora: Sequence[SubCorpus], weights: RouteWeights | None = None
) -> tuple[Route, ...]:
    """A weight for each sub-corpus, in the order given."""
    given = weights or RouteWeights()
    named = _mentions(question, corpora)
    kinds = kinds_named(_without(question, named), [c.kind for c in corpora])
    named_kinds = {c.kind for c in corpora if c.id in named}
    routes = []
    for corpus in corpora:
        if corpus.id in named:
            text = f"the question names {corpus.name}"
            routes.append(Route(corpus.id, given.named, text, named=True))
        elif corpus.kind in kinds and corpus.kind not in named_kinds:
            text = f"the question speaks of “{kinds[corpus.kind]}” ({corpus.kind})"
            routes.append(Route(corpus.id, given.kind, text))
        elif named or kinds:
            routes.append(Route(corpus.id, given.other, "the question points elsewhere"))
        else:
            routes.append(Route(corpus.id, given.named, "the question points at no sub-corpus"))
    return tuple(routes)


def named_corpora(question: str, corpora: Sequence[SubCorpus]) -> list[str]:
    """Ids of the sub-corpora that a question names, in the order in which it names them."""
    found = _mentions(question, corpora)
    return sorted(found, key=lambda corpus: found[corpus])


def names_of(corpora: Sequence[SubCorpus]) -> list[str]:
    """Everything by which these sub-corpora may be called, for taking it out of a query."""
    return [name for corpus in corpora for name in _names(corpus)]


def _names(corpus: SubCorpus) -> Iterator[str]:
    yield corpus.name
    yield from corpus.aliases
    if not corpus.id.isalpha():  # an id that is a plain word would be met by chance
        yield corpus.id


def _mentions(question: str, corpora: Sequence[SubCorpus]) -> dict[str, tuple[int, int]]:
    """The words of the question (first, one behind the last) that name each named sub-corpus."""
    written = _WORD.findall(question)
    plain = [folded(word) for word in written]
    lower = question == question.lower()
    found: dict[str, tuple[int, int]] = {}
    for corpus in corpora:
        spans = [
            span
            for name in _names(corpus)
            if (span := _find(_WORD.findall(name), written, plain, lower=lower))
        ]
        if spans:
            found[corpus.id] = min(spans, key=lambda span: (span[0], -span[1]))
    for corpus, word in _short_names(corpora):
        if corpus.id not in found and (span := _short(word, written, plain)):
            found[corpus.id] = span
    return _longest(found)


def _longest(found: dict[str, tuple[int, int]]) -> dict[str, tuple[int, int]]:
    """Drop a name that is only part of a longer one at the same place."""
    return {
        corpus: span
        for corpus, span in found.items()
        if not any(
            other[0] <= span[0] and span[1] <= other[1] and other != span
            for other in found.values()
        )
    }


def _find(
    name: Sequence[str], written: Sequence[str], plain: Sequence[str], *, lower: bool
) -> tuple[int, int] | None:
    """Where the name stands in the question: with its article or without, capitals as in it.

    Only in a question without any capital may the whole name stand in small letters; its bare
    core may not ("temps" is not Le Temps).
    """
    core = _core(name)
    for words, whole in ((list(name), True), (core, len(core) == len(name))):
        wanted = [folded(word) for word in words]
        if not any(wanted):
            continue
        for at in range(len(plain) - len(wanted) + 1):
            if plain[at : at + len(wanted)] != wanted:
                continue
            if (lower and whole) or _capitals_agree(words, written[at : at + len(wanted)]):
                return at, at + len(wanted)
    return None


def _core(name: Sequence[str]) -> list[str]:
    words = list(name)
    while len(words) > 1 and folded(words[0]) in _ARTICLES:
        words = words[1:]
    return words


def _capitals_agree(name: Sequence[str], written: Sequence[str]) -> bool:
    """Whether the first word of the name's core has a capital in the question where the name
    has one."""
    first = len(name) - len(_core(name))
    return not name[first][0].isupper() or written[first][0].isupper()


def _short_names(corpora: Sequence[SubCorpus]) -> list[tuple[SubCorpus, str]]:
    """The first word of each name of several words, where only one sub-corpus begins with it."""
    firsts = [
        (corpus, folded(core[0]))
        for corpus in corpora
        if len(core := _core(_WORD.findall(corpus.name))) > 1 and core[0][0].isupper()
    ]
    words = [word for _, word in firsts]
    others = {folded(_core(w)[0]) for c in corpora for n in c.aliases if (w := _WORD.findall(n))}
    grammar = any_function_words()
    return [
        (corpus, word)
        for corpus, word in firsts
        if words.count(word) == 1 and len(word) > 3 and word not in grammar | others
    ]


def _short(word: str, written: Sequence[str], plain: Sequence[str]) -> tuple[int, int] | None:
    """Where the word stands with a capital behind an article or what is written with one."""
    for at in range(1, len(plain)):
        if plain[at] == word and written[at][0].isupper() and plain[at - 1] in _BEFORE_SHORT:
            return at, at + 1
    return None


def _without(question: str, named: dict[str, tuple[int, int]]) -> str:
    """The question without the words that name sub-corpora: "Journal" in a name is no kind."""
    taken = {at for first, last in named.values() for at in range(first, last)}
    return " ".join(w for at, w in enumerate(_WORD.findall(question)) if at not in taken)
