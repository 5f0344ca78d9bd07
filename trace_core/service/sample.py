"""The sample archive: an invented town, ready to ask."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from trace_core.domain.corpus import SubCorpus
from trace_core.domain.errors import NotFound

if TYPE_CHECKING:
    from trace_core.ingest.report import ImportReport
    from trace_core.service import Service

FOLDER = Path(__file__).resolve().parents[2] / "assets" / "sample"


QUESTIONS = FOLDER / "questions.jsonl"
"""The sample archive's questions with the documents that answer them."""

INVENTED = "invented"
"""The field of a sub-corpus's citation that marks what was invented."""


def is_invented(corpus: SubCorpus) -> bool:
    """Whether a sub-corpus belongs to the invented sample archive, and must be shown so."""
    return INVENTED in corpus.citation


@dataclass(frozen=True, slots=True)
class SampleQuestion:
    """A question of the sample archive with its gold documents (sub-corpus, id)."""

    id: str
    kind: str
    text: str
    gold: tuple[tuple[str, str], ...]


def load_sample(service: Service) -> ImportReport:
    """Import the sample archive. Raises NotFound where the assets are not installed."""
    if not FOLDER.exists():
        raise NotFound("The sample archive is not installed; install the project from its folder.")
    for entry in json.loads((FOLDER / "corpora.json").read_text(encoding="utf-8")):
        service.add_corpus(
            SubCorpus(
                id=entry["id"],
                name=entry["name"],
                aliases=tuple(entry.get("aliases", ())),
                kind=entry["kind"],
                language=entry["language"],
                description=entry["description"],
                citation={INVENTED: "yes"} if entry.get("invented") else {},
            )
        )
    return service.run_import(FOLDER / "documents.jsonl")


def sample_questions() -> list[SampleQuestion]:
    """The sample archive's questions; none where the assets are not installed."""
    if not QUESTIONS.exists():
        return []
    found = []
    for line in QUESTIONS.read_text(encoding="utf-8").splitlines():
        entry = json.loads(line)
        gold = tuple((g["corpus"], g["doc_id"]) for g in entry["gold"])
        found.append(
            SampleQuestion(entry["question_id"], entry["question_type"], entry["question"], gold)
        )
    return found
