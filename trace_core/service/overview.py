"""The archive at a glance: documents a year, and how well they were read by OCR."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from trace_core.domain.dates import civil_day

if TYPE_CHECKING:
    from trace_core.ports_archive import Spread
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
