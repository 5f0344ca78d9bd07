"""Made-up documents that behave like an old newspaper archive, the same for the same seed.

    python -m benchmarks.texts FILE --documents 1000 --words 300

Words follow Zipf's law with Mandelbrot's shift, p(r) ~ 1 / (r + 2.7) ** 1.07, over a vocabulary
of invented words behind some true French function words, which the language is guessed from. One
word in twenty-five is misread (letters confused, lost, doubled), each time at random, so that the
number of different words goes on growing with the archive as it does under OCR. Lines end every
ten words or so, some of them inside a hyphenated word. Dates are spread evenly over 1789 to 1940,
documents over three sub-corpora.
"""

from __future__ import annotations

import argparse
import itertools
import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

import numpy as np

VOCABULARY = 60_000
MISREAD = 0.04
FIRST_DAY, LAST_DAY = date(1789, 5, 5), date(1940, 7, 10)
CORPORA = ("Le Phare du Nord", "La Gazette des Ponts", "Débats de la Chambre")

_FUNCTION = """
de la le et les des en un du une que est pour qui dans a par plus pas au sur ne se ce il sont avec
son ses ont mais cette nous aux sa été fait était tout comme leur deux ces même ou leurs sans elle
être aussi faire après dont entre ils très peut bien encore donc on avait y
""".split()
_HEADS = "b c d f g j l m n p qu r s t v ch br cr tr pr pl gr bl".split()
_CORES = "a e i o u é è ou ai an on in eu oi ê".split()
_TAILS = ["", "", "", "r", "s", "t", "l", "n", "c", "tion", "ment", "eur", "té"]
_CONFUSED = {
    "e": "c", "c": "e", "u": "n", "n": "u", "m": "rn", "i": "l", "l": "1", "h": "li", "s": "f",
    "t": "l", "a": "u", "o": "0", "r": "v", "v": "r", "é": "e", "b": "h", "d": "cl",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Made:
    """One document of the archive, in the shape that the import reads."""

    doc_id: str
    corpus: str
    date: str
    title: str
    text: str

    def line(self) -> str:
        """The document as one line of JSON."""
        return json.dumps(
            {
                "doc_id": self.doc_id,
                "corpus": self.corpus,
                "date": self.date,
                "title": self.title,
                "text_original": self.text,
            },
            ensure_ascii=False,
        )


class Maker:
    """Makes documents of so many words."""

    def __init__(self, words: int = 300, seed: int = 1887) -> None:
        self.words = words
        self._chance = random.Random(seed)
        self._numbers = np.random.default_rng(seed)
        self.vocabulary = _vocabulary(self._chance)
        ranks = np.arange(1, len(self.vocabulary) + 1)
        weights = 1.0 / (ranks + 2.7) ** 1.07
        self._steps = np.cumsum(weights / weights.sum())

    def documents(self, number: int) -> Iterator[Made]:
        """So many documents, one after another."""
        days = (LAST_DAY - FIRST_DAY).days
        for place in range(number):
            day = FIRST_DAY + timedelta(days=self._chance.randrange(days))
            corpus = CORPORA[place % len(CORPORA)]
            title = f"{corpus}, {day.isoformat()}"
            yield Made(f"d{place:07d}", corpus, day.isoformat(), title, self.text())

    def text(self) -> str:
        """The text of one document."""
        found = np.searchsorted(self._steps, self._numbers.random(self.words))
        last = len(self.vocabulary) - 1
        tokens = [self.vocabulary[min(i, last)] for i in found.tolist()]
        self._misread(tokens)
        self._punctuate(tokens)
        self._break_lines(tokens)
        return "".join(tokens)

    def _misread(self, tokens: list[str]) -> None:
        misread = self._chance.sample(range(len(tokens)), round(MISREAD * len(tokens)))
        for place in misread:
            tokens[place] = self._damaged(tokens[place])

    def _damaged(self, word: str) -> str:
        letters = list(word)
        place = self._chance.randrange(len(letters))
        kind = self._chance.random()
        if kind < 0.7:
            letters[place] = _CONFUSED.get(letters[place], letters[place])
        elif kind < 0.85 and len(letters) > 3:
            del letters[place]
        else:
            letters.insert(place, self._chance.choice("iltecnu"))
        return "".join(letters)

    def _punctuate(self, tokens: list[str]) -> None:
        start = 0
        while start < len(tokens):
            end = min(start + self._chance.randint(8, 30), len(tokens))
            tokens[start] = tokens[start].capitalize()
            tokens[end - 1] += "."
            if end - start > 12:
                tokens[start + 6] += ","
            start = end

    def _break_lines(self, tokens: list[str]) -> None:
        for place in range(len(tokens) - 1):
            if place % 10 != 9:
                tokens[place] += " "
            elif len(tokens[place]) > 6 and self._chance.random() < 0.4:
                word = tokens[place]
                tokens[place] = f"{word[:4]}-\n{word[4:]} "
            else:
                tokens[place] += "\n"


def queries(maker: Maker, number: int, seed: int = 3) -> list[str]:
    """Queries of 3 to 12 words, as they stand side by side in made-up texts."""
    chance = random.Random(seed)
    found = []
    for document in maker.documents(number):
        words = document.text.replace("-\n", "").split()
        length = chance.randint(3, 12)
        start = chance.randrange(max(1, len(words) - length))
        found.append(" ".join(words[start : start + length]))
    return found


def write(path: Path, documents: int, words: int = 300, seed: int = 1887) -> int:
    """Write an archive as JSON lines; the bytes of its texts alone."""
    size = 0
    with path.open("w", encoding="utf-8") as out:
        for made in Maker(words, seed).documents(documents):
            size += len(made.text.encode())
            out.write(made.line() + "\n")
    return size


def _vocabulary(chance: random.Random) -> list[str]:
    found = dict.fromkeys(_FUNCTION)
    for length in itertools.chain((1,) * 400, (2,) * 8_000, itertools.repeat(3)):
        if len(found) >= VOCABULARY:
            break
        syllables = (chance.choice(_HEADS) + chance.choice(_CORES) for _ in range(length))
        word = "".join(syllables) + chance.choice(_TAILS)
        # One invented word in eight is a name, written large.
        found[word.capitalize() if chance.random() < 0.125 else word] = None
    return list(found)


def main() -> None:
    """Write an archive."""
    parser = argparse.ArgumentParser(prog="benchmarks.texts", description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--documents", type=int, default=1_000)
    parser.add_argument("--words", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1887)
    options = parser.parse_args()
    size = write(options.file, options.documents, options.words, options.seed)
    print(f"{options.documents:,} documents, {size:,} bytes of text")


if __name__ == "__main__":
    main()
