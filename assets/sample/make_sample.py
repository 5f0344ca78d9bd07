"""Make the sample archive from its clean texts: columns, hyphenation, OCR damage.

In come the hand-written texts of ``clean/`` (one file a sub-corpus, read by :func:`read_clean`)
and the questions in ``clean/questions.json``. Out go ``documents.jsonl`` and ``questions.jsonl``.
The town of Vaubrenne and everything in it is invented.

Every document has its own random stream, seeded by the seed, its sub-corpus and its id: changing
one text never changes the damage of another, and the same texts always give the same bytes. Only
``Random.random`` is used, whose sequence Python keeps the same between versions.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

HERE = Path(__file__).resolve().parent
SEED = 1887
UNDATED = "s.d."

# Characters to a line, about what a newspaper column, a council register and a letter hold.
WIDTHS = {"debates": 62, "newspaper": 36, "letters": 54}

# Glyphs that a recogniser takes for each other. Applied to the parts of a word, longest first.
CONFUSIONS: dict[str, tuple[str, ...]] = {
    "rn": ("m",),
    "m": ("rn", "in"),
    "e": ("c",),
    "c": ("e",),
    "u": ("n", "ii"),
    "n": ("u", "ri"),
    "f": ("ſ",),
    "s": ("ſ", "f"),
    "l": ("1", "i"),
    "1": ("l",),
    "i": ("l", "1"),
    "h": ("b",),
    "v": ("y",),
    "é": ("e", "6"),
    "è": ("e", "ê"),
    "ê": ("e",),
    "à": ("a",),
    "â": ("a",),
    "ç": ("c",),
    "ô": ("o",),
    "î": ("i",),
    "û": ("u",),
    "ù": ("u",),
    "œ": ("oe", "ce"),
    "M": ("iM",),
    "E": ("F",),
    "G": ("C",),
    "H": ("II",),
    "'": ("’", " "),
}


@dataclass(frozen=True, slots=True)
class Damage:
    """How badly a page was read: each value is a probability between 0 and 1."""

    word: float  # a word has one glyph misread (two, one time in four)
    accent: float  # a word loses all its accents
    split: float  # a word falls into two
    join: float  # two words run together
    lost_hyphen: float  # the hyphen at a line's end is not seen
    spaced_heading: float  # the heading's capitals stand apart


LEVELS = {
    "none": Damage(0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
    "light": Damage(0.035, 0.01, 0.004, 0.004, 0.0, 0.35),
    "medium": Damage(0.11, 0.04, 0.012, 0.012, 0.05, 0.5),
    "heavy": Damage(0.23, 0.09, 0.03, 0.03, 0.15, 0.6),
}


@dataclass(frozen=True, slots=True)
class CleanDocument:
    """One hand-written document: the truth from which the damaged page is made."""

    corpus: str
    doc_id: str
    date: str  # ISO, or UNDATED
    damage: str  # a key of LEVELS
    title: str
    paragraphs: tuple[str, ...]  # the first one, if all in capitals, is the heading

    @property
    def text(self) -> str:
        """The clean text, paragraphs parted by an empty line."""
        return "\n\n".join(self.paragraphs)


def read_clean(path: Path) -> list[CleanDocument]:
    """Read ``clean/<sub-corpus>.txt``: ``@@ id | date | damage | title``, then paragraphs."""
    documents = []
    for block in re.split(r"^@@ ", path.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        header, body = block.split("\n", 1)
        doc_id, date, damage, title = (part.strip() for part in header.split("|", 3))
        if damage not in LEVELS:
            raise ValueError(f"{path.name}: {doc_id} names the unknown damage level {damage!r}.")
        paragraphs = tuple(part.strip() for part in re.split(r"\n\s*\n", body) if part.strip())
        documents.append(CleanDocument(path.stem, doc_id, date, damage, title, paragraphs))
    return documents


def pick(rng: Random, choices: Sequence[str]) -> str:
    """One of the choices, all equally likely."""
    return choices[int(rng.random() * len(choices))]


def strip_accents(word: str) -> str:
    """The word without its accents; œ and punctuation stay as they are."""
    decomposed = unicodedata.normalize("NFD", word)
    kept = "".join(c for c in decomposed if not unicodedata.combining(c))
    return unicodedata.normalize("NFC", kept)


def misread(rng: Random, word: str) -> str:
    """Replace one glyph of the word by another that looks like it."""
    places = [
        (start, key)
        for key in CONFUSIONS
        for start in range(len(word))
        if word.startswith(key, start)
        # A long s never stood at the end of a word, so no reader sees one there.
        and not (key == "s" and start == len(word) - 1)
    ]
    if not places:
        return word
    start, key = places[int(rng.random() * len(places))]
    return word[:start] + pick(rng, CONFUSIONS[key]) + word[start + len(key) :]


def damage_word(rng: Random, word: str, damage: Damage) -> str:
    """Misread, unaccent or split one word; the stream advances alike whatever happens."""
    hit, twice, accent, split, where = (rng.random() for _ in range(5))
    if hit < damage.word:
        word = misread(rng, word)
        if twice < 0.25:
            word = misread(rng, word)
    if accent < damage.accent:
        word = strip_accents(word)
    if split < damage.split and len(word) > 5:
        cut = 2 + int(where * (len(word) - 4))
        word = f"{word[:cut]} {word[cut:]}"
    return word


def damage_paragraph(rng: Random, paragraph: str, damage: Damage) -> str:
    """Damage the words of a paragraph one by one, then run some of them together."""
    out: list[str] = []
    for word in paragraph.split():
        read = damage_word(rng, word, damage)
        # Only a letter runs into a letter: French punctuation keeps its space.
        if rng.random() < damage.join and out and out[-1][-1].isalpha() and read[0].isalpha():
            out[-1] += read
        else:
            out.append(read)
    return " ".join(out)


def space_out(heading: str) -> str:
    """Set capitals apart, as a wide-set heading is read: ``LE PONT`` → ``L E   P O N T``."""
    return "   ".join(" ".join(word) for word in heading.split())


VOWELS = "aàâeéèêëiîïoôuùûüyœæ"
INSEPARABLE = {"bl", "br", "ch", "cl", "cr", "dr", "fl", "fr", "gl", "gn", "gr", "ph", "pl", "pr"}
INSEPARABLE |= {"qu", "th", "tr", "vr", "gu", "ſt"}


def break_points(word: str) -> list[int]:
    """Where a French printer may part a word: before the consonant that opens a syllable.

    At least two letters stay on the line and three go over; a hyphen in the word is also a place.
    """
    low = word.lower()
    points = []
    for i in range(2, len(word) - 2):
        if word[i - 1] == "-":
            points.append(i)
            continue
        if not (low[i - 2 : i + 2].isalpha() and low[i + 1 :].rstrip(".,;:!?»\u00a0").isalpha()):
            continue
        opens = low[i] not in VOWELS and (low[i + 1] in VOWELS or low[i : i + 2] in INSEPARABLE)
        heavy_enough = len(low[i:].rstrip(".,;:!?»\u00a0")) >= 3 and set(low[:i]) & set(VOWELS)
        if opens and heavy_enough and low[i - 1 : i + 1] not in INSEPARABLE:
            points.append(i)
    return points


def hyphenate(word: str, room: int, mark: str) -> tuple[str, str] | None:
    """Part the word so that its head, with the mark, fits the room; None if it cannot be."""
    for point in reversed(break_points(word)):
        head = word[:point] if word[point - 1] == "-" else word[:point] + mark
        if len(head) <= room:
            return head, word[point:]
    return None


def wrap(rng: Random, paragraph: str, width: int, mark: str, lost_hyphen: float) -> list[str]:
    """Set a paragraph in lines of at most ``width`` characters, parting words at line ends."""
    glued = re.sub(r" ([;:!?»])", "\u00a0\\1", paragraph).replace("« ", "«\u00a0")
    lines: list[str] = []
    line = ""
    queue = glued.split(" ")[::-1]
    while queue:
        word = queue.pop()
        room = width - len(line) - (1 if line else 0)
        if len(word) <= room:
            line = f"{line} {word}" if line else word
            continue
        parted = hyphenate(word, room, mark)
        if parted is not None:
            head, rest = parted
            if head[-1] == mark and rng.random() < lost_hyphen:
                head = head[:-1]
            lines.append(f"{line} {head}" if line else head)
            queue.append(rest)
        else:
            if not line:  # a single word wider than the column: let it stand out
                lines.append(word)
                continue
            lines.append(line)
            queue.append(word)
        line = ""
    return [*lines, line] if line else lines


def render(document: CleanDocument, kind: str, seed: int) -> str:
    """The page as a recogniser would hand it over: damaged, in short lines, words parted."""
    rng = Random(f"{seed}:{document.corpus}:{document.doc_id}")
    damage = LEVELS[document.damage]
    mark = "¬" if rng.random() < 0.4 else "-"
    spaced = rng.random() < damage.spaced_heading
    blocks = []
    for number, paragraph in enumerate(document.paragraphs):
        if number == 0 and paragraph.isupper():
            blocks.append(space_out(paragraph) if spaced else paragraph)
            continue
        read = damage_paragraph(rng, paragraph, damage)
        lines = wrap(rng, read, WIDTHS[kind], mark, damage.lost_hyphen)
        blocks.append("\n".join(lines).replace("\u00a0", " "))
    return "\n\n".join(blocks)


def make_documents(clean: Path, corpora: Path, seed: int) -> list[dict[str, str]]:
    """All documents in the shape that the importer reads, sub-corpora in the file's order."""
    rows = []
    for corpus in json.loads(corpora.read_text(encoding="utf-8")):
        for document in read_clean(clean / f"{corpus['id']}.txt"):
            rows.append(
                {
                    "doc_id": document.doc_id,
                    "corpus": document.corpus,
                    "date": document.date,
                    "title": document.title,
                    "language": corpus["language"],
                    "text_original": render(document, corpus["kind"], seed),
                }
            )
    return rows


def make_questions(path: Path, documents: list[dict[str, str]]) -> list[dict[str, object]]:
    """The questions with their gold written out; a gold document that is not there is an error."""
    known = {(row["corpus"], row["doc_id"]) for row in documents}
    rows: list[dict[str, object]] = []
    for question in json.loads(path.read_text(encoding="utf-8")):
        gold = [tuple(place.split("/", 1)) for place in question["gold"]]
        missing = [place for place in gold if place not in known]
        if missing:
            raise ValueError(f"{question['question_id']} names documents that are not: {missing}.")
        rows.append(
            {
                "question_id": question["question_id"],
                "question_type": question["question_type"],
                "question": question["question"],
                "gold_ids": [doc_id for _, doc_id in gold],
                "gold": [{"corpus": corpus, "doc_id": doc_id} for corpus, doc_id in gold],
            }
        )
    return rows


def to_jsonl(rows: Sequence[object]) -> str:
    """One JSON object a line, accents as they are."""
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def main(argv: Sequence[str] | None = None) -> int:
    """Write ``documents.jsonl`` and ``questions.jsonl`` into the output folder."""
    parser = argparse.ArgumentParser(description="Make the invented sample archive of Vaubrenne.")
    parser.add_argument("--clean", type=Path, default=HERE / "clean", help="folder of clean texts")
    parser.add_argument("--corpora", type=Path, default=HERE / "corpora.json")
    parser.add_argument("--out", type=Path, default=HERE, help="folder to write into")
    parser.add_argument("--seed", type=int, default=SEED)
    args = parser.parse_args(argv)
    documents = make_documents(args.clean, args.corpora, args.seed)
    questions = make_questions(args.clean / "questions.json", documents)
    args.out.mkdir(parents=True, exist_ok=True)
    for name, text in (
        ("documents.jsonl", to_jsonl(documents)),
        ("questions.jsonl", to_jsonl(questions)),
    ):
        (args.out / name).write_text(text, encoding="utf-8", newline="\n")
    sys.stdout.write(f"{len(documents)} documents, {len(questions)} questions.\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
