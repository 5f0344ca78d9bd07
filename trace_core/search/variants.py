"""The forms in which a name may stand in the archive, proposed by rules for a person to edit.

In: a name and the archive's forms. Out: each form with how often it stands there and what sort it
is. What the person keeps goes back into the search as `Name | form | form`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from trace_core.search.forms import FormIndex
from trace_core.search.fuzzy_plan import BAR, FoundKind, FuzzyLimits, Wanted, plan
from trace_core.text.tokens import words

_LEAST = 0.5
_MOST = 20


@dataclass(frozen=True, slots=True)
class Variant:
    """One form of a name, folded; `kind` says how it comes about.

    `passages` is how many hold it; for a form of several words, how many at most (as many as
    hold the rarest of them). `similarity` from 0 to 1 is how surely it stands for the name.
    """

    form: str
    passages: int
    kind: FoundKind
    similarity: float


def variants(name: str, forms: FormIndex, chunks: int) -> list[Variant]:
    """Forms of a name, the name itself first, then by similarity.

    Of a name of several words one word at a time is varied.
    """
    line = words(name)
    found: dict[str, Variant] = {}
    if line:
        itself = " ".join(line)
        found[itself] = Variant(itself, _passages(line, forms), "exact", 1.0)
    limits = FuzzyLimits(_LEAST, _MOST)
    for wanted in plan(name, forms, chunks, limits).wanted:
        for variant in _of_word(wanted, line, forms):
            found.setdefault(variant.form, variant)
    return sorted(found.values(), key=lambda v: (-v.similarity, -v.passages, v.form))


def joined(query: str, chosen: Sequence[str]) -> str:
    """A query with the variants that a person chose, as the search reads it."""
    kept = [form for form in (" ".join(part.split()) for part in chosen) if form]
    return f" {BAR} ".join([query, *kept])


def _of_word(wanted: Wanted, line: Sequence[str], forms: FormIndex) -> list[Variant]:
    at = line.index(wanted.word)
    result = []
    for way in wanted.ways:
        if way.kind == "exact" or way.similarity < _LEAST:
            continue
        # A joined neighbour stands for two words of the name.
        width = 2 if way.kind == "joined" else 1
        start = at
        if width == 2 and "".join(line[at : at + 2]) != way.tokens[0]:
            start = at - 1
        tokens = [*line[:start], *way.tokens, *line[start + width :]]
        result.append(Variant(" ".join(tokens), _passages(tokens, forms), way.kind, way.similarity))
    return result


def _passages(tokens: Sequence[str], forms: FormIndex) -> int:
    return min(forms.chunks(token) for token in tokens)
