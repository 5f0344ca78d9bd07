"""TREC run: the ranking in the form that evaluation tools read (qid Q0 docid rank score tag)."""

from __future__ import annotations

from urllib.parse import quote

from trace_core.domain.state import current_ranking
from trace_core.export.options import Options
from trace_core.provenance.record import RunRecord

TAG = "trace"


def as_trec(record: RunRecord, _options: Options) -> bytes:
    """The list as it stands. The score only repeats the rank: the first of n scores n.

    White space and other unsafe characters of names are percent-encoded, since the format parts
    its fields by white space.
    """
    ranking = current_ranking(record.state)
    run, total = _word(record.run), len(ranking)
    rows = (
        f"{run} Q0 {_word(str(line.key))} {rank} {total - rank + 1} {TAG}\n"
        for rank, line in enumerate(ranking, 1)
    )
    return "".join(rows).encode("utf-8")


def _word(text: str) -> str:
    return quote(text, safe="/:@.,;+()[]_-", errors="replace") or "%00"
