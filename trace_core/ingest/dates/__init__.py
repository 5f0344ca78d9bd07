"""Reading dates: ``read_date`` for one field, ``guess_order`` for a column, ``find_dates`` in text.

The way of a date: ``tokens`` folds and cuts, ``pieces`` reads single dates with the vocabulary of
``words``, ``grammar`` joins them to ranges and notes, ``values`` turns them into EDTF and days.
"""

from trace_core.domain.dates import HistoricalDate, Undated
from trace_core.ingest.dates.cursor import Order
from trace_core.ingest.dates.mentions import DateMention, find_dates
from trace_core.ingest.dates.reading import guess_order, read_date

__all__ = [
    "DateMention",
    "HistoricalDate",
    "Order",
    "Undated",
    "find_dates",
    "guess_order",
    "read_date",
]
