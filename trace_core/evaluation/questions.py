"""Questions with gold: what a strategy is measured against, checked against the archive.

In: a file in one of four formats, and the archive. Out: questions whose gold is named by
(sub-corpus, source id), and a list of what does not fit. Formats: HistoriQA's (`id_1` in
`source_1`, `id_2` in `source_2`), the project's own (`gold`: a list of objects), the method's
authors' (`gold_ids` alone, which may be ambiguous), and BEIR's folder of `queries.jsonl` with
`qrels/*.tsv` (a TREC qrels file beside the queries is read as well).
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
from trace_core.ports import DocumentStore
from trace_core.text.layers import fold


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


@dataclass(frozen=True, slots=True)
class _Raw:
    id: str
    text: str
    kind: str
    gold: tuple[tuple[str, str], ...]  # (source as the set names it or "", id)


def load_questions(path: Path, documents: DocumentStore) -> QuestionSet:
    """Read a question set and bind its gold to the archive.

    Raises NotFound for a path that does not exist and BadInput for a file of no known format, or
    one in which no question has gold in this archive.
    """
    if not path.exists():
        raise NotFound(f"There is no question set at {path}; name a file or a BEIR folder.")
    raw = list(_read_beir(path)) if path.is_dir() else list(_read_file(path))
    if not raw:
        raise BadInput(f"{path} holds no question.")
    bound = _Binder(documents)
    questions = [bound.question(item) for item in raw]
    kept = tuple(q for q in questions if q is not None)
    if not kept:
        raise BadInput(
            f"No question of {path} has a gold document in this archive; import its documents "
            f"first. The first flaw: {bound.flaws[0].question}: {bound.flaws[0].reason}"
        )
    return QuestionSet(path.name, kept, tuple(bound.flaws))


# --- formats -----------------------------------------------------------------------------------


def _read_file(path: Path) -> Iterable[_Raw]:
    for number, line in enumerate(_lines(path), start=1):
        if not line.strip():
            continue
        try:
            entry = json.loads(line)
        except json.JSONDecodeError as error:
            raise BadInput(
                f"{path}:{number} is not JSON ({error.msg}); mend or remove it."
            ) from None
        if not isinstance(entry, dict) or "question" not in entry:
            raise BadInput(f"{path}:{number} has no field `question`.")
        yield _raw(entry, f"{path}:{number}")


def _raw(entry: Mapping[str, Any], where: str) -> _Raw:
    gold: list[tuple[str, str]] = []
    if "gold" in entry:
        gold = [(str(g["corpus"]), str(g.get("doc_id", g.get("source_id")))) for g in entry["gold"]]
    elif "source_1" in entry:
        for n in ("1", "2", "3", "4"):
            if entry.get(f"id_{n}"):
                gold.append((str(entry.get(f"source_{n}") or ""), str(entry[f"id_{n}"])))
    elif isinstance(entry.get("gold_ids"), list):
        gold = [("", str(one)) for one in entry["gold_ids"]]
    else:
        raise BadInput(f"{where} has no gold: it needs `gold`, `gold_ids`, or `id_1`, `source_1`.")
    name = str(entry.get("question_id", entry.get("id", where)))
    return _Raw(name, str(entry["question"]), str(entry.get("question_type", "")), tuple(gold))


def _read_beir(folder: Path) -> Iterable[_Raw]:
    queries_path = folder / "queries.jsonl"
    qrels = sorted([*folder.glob("qrels/*.tsv"), *folder.glob("*.qrels"), *folder.glob("qrels.t*")])
    if not queries_path.exists() or not qrels:
        raise BadInput(f"{folder} is no BEIR folder: it needs queries.jsonl and qrels/*.tsv.")
    gold: dict[str, list[tuple[str, str]]] = {}
    for path in qrels:
        for query, document, relevance in _qrels(path):
            if relevance > 0:
                gold.setdefault(query, []).append(("", document))
    for line in _lines(queries_path):
        if line.strip():
            entry = json.loads(line)
            name = str(entry.get("_id", entry.get("id", "")))
            yield _Raw(name, str(entry.get("text", "")), "", tuple(gold.get(name, ())))


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

    def __init__(self, documents: DocumentStore) -> None:
        self._documents = documents
        self._corpora = documents.corpora()
        self._seen: dict[str, str] = {}
        self.flaws: list[Flaw] = []

    def question(self, raw: _Raw) -> Question | None:
        """The question with the gold that exists; None when it is a double or has none."""
        text = " ".join(fold(raw.text).split())
        if text in self._seen:
            self._flaw(raw, f"The same question as {self._seen[text]}; left out.")
            return None
        self._seen[text] = raw.id
        found = [key for source, name in raw.gold if (key := self._find(raw, source, name))]
        if not raw.gold:
            self._flaw(raw, "No gold document is given; left out.")
        if not found:
            return None
        return Question(raw.id, raw.text, tuple(dict.fromkeys(found)), raw.kind)

    def _find(self, raw: _Raw, source: str, name: str) -> DocumentKey | None:
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

    def _named(self, source: str) -> Sequence[SubCorpus]:
        wanted = fold(source).strip()
        by_id = [c for c in self._corpora if c.id == source]
        return by_id or [
            c for c in self._corpora if wanted in {fold(n).strip() for n in (c.name, *c.aliases)}
        ]

    def _flaw(self, raw: _Raw, reason: str) -> None:
        self.flaws.append(Flaw(raw.id, reason))


def save_questions(path: Path, questions: Iterable[Question]) -> None:
    """Write questions in the project's own format."""
    lines = [
        json.dumps(
            {
                "question_id": q.id,
                "question_type": q.kind,
                "question": q.text,
                "gold_ids": [key.source_id for key in q.gold],
                "gold": [{"corpus": key.corpus, "doc_id": key.source_id} for key in q.gold],
            },
            ensure_ascii=False,
        )
        for q in questions
    ]
    path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
