"""The archive at a glance: documents a year, and how well they were read by OCR."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trace_core.domain.dates import civil_day

if TYPE_CHECKING:
    from trace_core.ports import Spread
    from trace_core.service import Service


def spread(service: Service) -> Spread:
    """How the documents that can be found are spread over days and OCR quality."""
    return service.stores.documents.spread()


def histogram(found: Spread) -> list[tuple[str, int, int]]:
    """(sub-corpus, astronomical year, documents) for every year that has some.

    A document whose date spans several years counts in the first of them; one whose date is open
    on a side counts nowhere.
    """
    counted: Counter[tuple[str, int]] = Counter()
    for corpus, day, documents in found.days:
        counted[corpus, civil_day(day)[0]] += documents
    return [(corpus, year, number) for (corpus, year), number in sorted(counted.items())]


@dataclass(frozen=True, slots=True)
class QualityOf:
    """How well OCR read a sub-corpus, from 0 to 1, over its documents of known quality.

    `lowest` is the 10th percentile, `low` and `high` are the quartiles.
    """

    corpus: str
    documents: int
    mean: float
    lowest: float
    low: float
    median: float
    high: float


def qualities(found: Spread) -> list[QualityOf]:
    """The OCR quality of each sub-corpus that has documents of known quality.

    Percentiles are the smallest quality that so many documents do not exceed (Hyndman and Fan 1996,
    definition 1), of qualities in whole hundredths.
    """
    by_corpus: dict[str, list[tuple[int, int]]] = {}
    for corpus, hundredths, documents in found.qualities:
        by_corpus.setdefault(corpus, []).append((hundredths, documents))
    return [_quality_of(corpus, sorted(counted)) for corpus, counted in by_corpus.items()]


def _quality_of(corpus: str, counted: Sequence[tuple[int, int]]) -> QualityOf:
    total = sum(documents for _, documents in counted)
    mean = sum(hundredths * documents for hundredths, documents in counted) / total / 100
    marks = (_percentile(counted, share * total / 100) for share in (10, 25, 50, 75))
    return QualityOf(corpus, total, mean, *marks)


def _percentile(counted: Sequence[tuple[int, int]], wanted: float) -> float:
    passed = 0
    for hundredths, documents in counted:
        passed += documents
        if passed >= wanted:
            return hundredths / 100
    return counted[-1][0] / 100
