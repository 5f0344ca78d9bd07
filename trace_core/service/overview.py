"""The archive at a glance: documents a year, and how well they were read by OCR."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from trace_core.domain.corpus import DocumentHead, Scope
from trace_core.domain.dates import civil_day

if TYPE_CHECKING:
    from trace_core.service import Service

MOST = 50_000
"""How many documents are looked at; a larger archive is shown by its first ones."""

_PAGE = 5_000


def histogram(service: Service) -> list[tuple[str, int, int]]:
    """(sub-corpus, astronomical year, documents) for every year that has some.

    A document whose date spans several years counts in the first of them.
    """
    counted = Counter(
        (head.key.corpus, civil_day(head.date.earliest)[0])
        for head in _heads(service)
        if head.date is not None and not head.date.is_open
    )
    return [(corpus, year, number) for (corpus, year), number in sorted(counted.items())]


def qualities(service: Service) -> list[tuple[str, float]]:
    """(sub-corpus, OCR quality from 0 to 1) of every document whose quality is known."""
    return [(head.key.corpus, head.quality) for head in _heads(service) if head.quality is not None]


def _heads(service: Service) -> Iterator[DocumentHead]:
    for offset in range(0, MOST, _PAGE):
        page = service.browse(Scope(), offset=offset, limit=_PAGE)
        yield from page
        if len(page) < _PAGE:
            return
