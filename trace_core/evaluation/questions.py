"""Questions with gold: what a strategy is measured against, checked against the archive.

In: a file in one of four formats, and the archive. Out: questions whose gold is named by
(sub-corpus, source id), and a list of what does not fit. Formats: HistoriQA's (`id_1` in
`source_1`, `id_2` in `source_2`), the project's own (`gold`: a list of objects), the method's
authors' (`gold_ids` alone, which may be ambiguous), and BEIR's folder of `queries.jsonl` with
`qrels/*.tsv` (or `queries.tsv`, and a TREC qrels file beside the queries).
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from trace_core.domain.corpus import DocumentKey, SubCorpus
from trace_core.domain.errors import BadInput, NotFound
from trace_core.domain.merging import FormerCorpus
from trace_core.ports import DocumentStore
from trace_core.text.folding import fold, folded_line


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its gold documents. `kind` is the set's own word for its type."""

    id: str
    text: str
    gold: tuple[DocumentKey, ...]
    kind: str = ""

    @property
    def pair(self) -> str:
        """The sub-corpora of its gold, sorted and joined by " + "."""
        return " + ".join(sorted({key.corpus for key in self.gold}))


@dataclass(frozen=True, slots=True)
class Flaw:
    """Something in a question set that does not fit, by question; one sentence."""

    question: str
    reason: str


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """Questions that can be measured, and the flaws of those that cannot or only in part."""

    name: str
    questions: tuple[Question, ...]
    flaws: tuple[Flaw, ...] = ()

    def gold_of(self, text: str) -> tuple[DocumentKey, ...]:
        """The gold of the question of this text, none where the set does not have it."""
        asked = folded_line(text)
        return next((q.gold for q in self.questions if folded_line(q.text) == asked), ())


@dataclass(frozen=True, slots=True)
class RawQuestion:
    """A question as a set has it: gold as (source as the set names it or "", id there)."""

    id: str
    text: str
    kind: str
    gold: tuple[tuple[str, str], ...]


def load_questions(
    path: Path, documents: DocumentStore, former: Iterable[FormerCorpus] = ()
) -> QuestionSet:
    """Read a question set and bind its gold to the archive.

    A set may name sub-corpora as they were called before they were merged: `former` are those.
    Raises NotFound for a path that does not exist and BadInput for a file of no known format, or
    one in which no question has gold in this archive.
    """
    if not path.exists():
        raise NotFound(f"There is no question set at {path}; name a file or a BEIR folder.")
    raw = list(_read_beir(path)) if path.is_dir() else list(_read_file(path))
    return bind(path.name, raw, documents, former)


def bind(
    name: str,
    raw: Sequence[RawQuestion],
    documents: DocumentStore,
    former: Iterable[FormerCorpus] = (),
) -> QuestionSet:
    """Find the gold of questions in the archive. Raises BadInput where none of it is there."""
    if not raw:
        raise BadInput(f"{name} holds no question.")
    bound = _Binder(documents, former)
    questions = [bound.question(item) for item in raw]
    kept = tuple(q for q in questions if q is not None)
    if not kept:
        raise BadInput(
            f"No question of {name} has a gold document in this archive; import its documents "
            f"first. The first flaw: {bound.flaws[0].question}: {bound.flaws[0].reason}"
        )
    return QuestionSet(name, kept, tuple(bound.flaws))


# --- formats -----------------------------------------------------------------------------------


def _read_file(path: Path) -> Iterable[RawQuestion]:
    for number, line in enumerate(_lines(path), start=1):
        if line.strip():
            yield read_entry(_json(line, f"{path}:{number}"), f"{path}:{number}")


def _json(line: str, where: str) -> Mapping[str, Any]:
    try:
        entry = json.loads(line)
    except json.JSONDecodeError as error:
        raise BadInput(f"{where} is not JSON ({error.msg}); mend or remove it.") from None
    if not isinstance(entry, dict):
        raise BadInput(f"{where} is no JSON object; a question is one object a line.")
    return entry


def read_entry(entry: Mapping[str, Any], where: str) -> RawQuestion:
    """One question of the three formats of one object a line. Raises BadInput."""
    if not str(entry.get("question") or "").strip():
        raise BadInput(f"{where} has no field `question`.")
    name = str(entry.get("question_id", entry.get("id", where)))
    kind = str(entry.get("question_type") or "")
    return RawQuestion(name, str(entry["question"]), kind, tuple(_gold(entry, where)))


def _gold(entry: Mapping[str, Any], where: str) -> list[tuple[str, str]]:
    if isinstance(entry.get("gold"), list):
        try:
            return [
                (str(g["corpus"]), str(g.get("doc_id") or g["source_id"])) for g in entry["gold"]
            ]
        except (TypeError, KeyError, AttributeError):
            raise BadInput(f"{where}: each of `gold` needs a `corpus` and a `doc_id`.") from None
    if "source_1" in entry:
        numbers = sorted(int(k[3:]) for k in entry if k.startswith("id_") and k[3:].isdigit())
        return [
            (str(entry.get(f"source_{n}") or ""), str(entry[f"id_{n}"]))
            for n in numbers
            if entry[f"id_{n}"]
        ]
    if isinstance(entry.get("gold_ids"), list):
        return [("", str(one)) for one in entry["gold_ids"]]
    raise BadInput(f"{where} has no gold: it needs `gold`, `gold_ids`, or `id_1` and `source_1`.")


def _read_beir(folder: Path) -> Iterable[RawQuestion]:
    queries = next((folder / n for n in _QUERIES if (folder / n).exists()), None)
    qrels = sorted([*folder.glob("qrels/*.tsv"), *folder.glob("*.qrels"), *folder.glob("qrels.t*")])
    if queries is None or not qrels:
        raise BadInput(
            f"{folder} is no BEIR folder: it needs {' or '.join(_QUERIES)}, and qrels/*.tsv."
        )
    gold: dict[str, list[tuple[str, str]]] = {}
    for path in qrels:
        for query, document, relevance in _qrels(path):
            if relevance > 0:
                gold.setdefault(query, []).append(("", document))
    for name, text in _queries(queries):
        yield RawQuestion(name, text, "", tuple(gold.get(name, ())))


_QUERIES = ("queries.jsonl", "queries.tsv")


def _queries(path: Path) -> Iterable[tuple[str, str]]:
    for number, line in enumerate(_lines(path), start=1):
        if line.strip() and path.suffix == ".tsv":
            name, _, text = line.partition("\t")
            yield name.strip(), text.strip()
        elif line.strip():
            entry = _json(line, f"{path}:{number}")
            yield str(entry.get("_id", entry.get("id", ""))), str(entry.get("text", ""))


def _qrels(path: Path) -> Iterable[tuple[str, str, int]]:
    """(query, document, relevance) of a TREC file (four columns) or BEIR's (three, with header)."""
    for row in csv.reader(_lines(path), delimiter="\t" if path.suffix == ".tsv" else " "):
        parts = [part for part in row if part]
        if len(parts) == 4 and parts[3].lstrip("-").isdigit():
            yield parts[0], parts[2], int(parts[3])
        elif len(parts) == 3 and parts[2].lstrip("-").isdigit():
            yield parts[0], parts[1], int(parts[2])


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"{path} cannot be read as UTF-8 text ({type(error).__name__}).") from None


# --- binding to the archive ----------------------------------------------------------------------


class _Binder:
    """Finds a set's gold in the archive and remembers what does not fit."""

    def __init__(self, documents: DocumentStore, former: Iterable[FormerCorpus]) -> None:
        self._documents = documents
        self._corpora = documents.corpora()
        self._former = tuple(former)
        self._seen: dict[str, str] = {}
        self._ids: set[str] = set()
        self.flaws: list[Flaw] = []

    def question(self, raw: RawQuestion) -> Question | None:
        """The question with the gold that exists; None when it is a double or has none."""
        if not raw.text.strip():
            self._flaw(raw, "It has no text; left out.")
            return None
        if raw.id in self._ids:
            self._flaw(raw, "Another question has the same id; left out.")
            return None
        self._ids.add(raw.id)
        text = folded_line(raw.text)
        if text in self._seen:
            self._flaw(raw, f"The same question as {self._seen[text]}; left out.")
            return None
        self._seen[text] = raw.id
        found = [key for source, name in raw.gold if (key := self._find(raw, source, name))]
        if not raw.gold:
            self._flaw(raw, "No gold document is given; left out.")
        elif not found:
            self._flaw(raw, "None of its gold documents is in the archive; left out.")
        if not found:
            return None
        return Question(raw.id, raw.text, tuple(dict.fromkeys(found)), raw.kind)

    def _find(self, raw: RawQuestion, source: str, name: str) -> DocumentKey | None:
        # Before the present names: another document may have had the same id where it is now.
        if (moved := self._moved(source, name)) is not None:
            return moved
        corpora = self._named(source) if source else self._corpora
        if not corpora:
            self._flaw(raw, f"The archive has no sub-corpus {source!r}.")
            return None
        keys = [DocumentKey(corpus.id, name) for corpus in corpora]
        if not source and "/" in name:
            corpus_id, _, rest = name.partition("/")
            keys.append(DocumentKey(corpus_id, rest))
        heads = self._documents.heads(keys)
        if not heads:
            self._flaw(raw, f"Gold document {name!r} is not in the archive.")
            return None
        if len(heads) > 1:
            where = ", ".join(sorted(key.corpus for key in heads))
            self._flaw(raw, f"Gold document {name!r} is ambiguous: it stands in {where}.")
            return None
        key = next(iter(heads))
        if not self._documents.chunks_of(key):
            self._flaw(raw, f"Gold document {key} has no text that could be found.")
        return key

    def _moved(self, source: str, name: str) -> DocumentKey | None:
        """The key that a document had in a sub-corpus that was merged since."""
        wanted = fold(source).strip()
        keys = [
            DocumentKey(former.id, name)
            for former in self._former
            if former.id == source or (wanted and fold(former.name).strip() == wanted)
        ]
        return next(iter(self._documents.heads(keys)), None) if keys else None

    def _named(self, source: str) -> Sequence[SubCorpus]:
        wanted = fold(source).strip()
        by_id = [c for c in self._corpora if c.id == source]
        return by_id or [
            c for c in self._corpora if wanted in {fold(n).strip() for n in (c.name, *c.aliases)}
        ]

    def _flaw(self, raw: RawQuestion, reason: str) -> None:
        self.flaws.append(Flaw(raw.id, reason))


def entry_of(question: Question) -> dict[str, Any]:
    """A question in the project's own format, which the authors' tools read too."""
    return {
        "question_id": question.id,
        "question_type": question.kind,
        "question": question.text,
        "gold_ids": [key.source_id for key in question.gold],
        "gold": [{"corpus": key.corpus, "doc_id": key.source_id} for key in question.gold],
    }


def as_lines(questions: Iterable[Question]) -> str:
    """Questions in the project's own format, one JSON object a line."""
    return "".join(json.dumps(entry_of(q), ensure_ascii=False) + "\n" for q in questions)
