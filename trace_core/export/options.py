"""What a person may choose about an export."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Order = Literal["rank", "date", "corpus", "decided"]

ORDERS: tuple[Order, ...] = ("rank", "date", "corpus", "decided")


@dataclass(frozen=True, slots=True)
class Options:
    """The choices; every format takes those that concern it.

    `columns` names the table's columns in order (none = those of the default). `order` puts
    lines by rank in the list, date of the document, sub-corpus and id, or time of decision;
    what is held follows what is accepted, and what is rejected follows both. `history` adds
    superseded decisions to tables. `bom` begins a CSV file with the mark by which Excel knows
    UTF-8. `style` is the name of a citation style or the path of a CSL file. `language` (en or
    fr) is that of headings, citations and accounts. `without_texts` leaves out the texts of
    passages and model calls where rights forbid to hand them on.
    """

    columns: tuple[str, ...] = ()
    order: Order = "rank"
    include_held: bool = False
    include_rejected: bool = False
    history: bool = False
    bom: bool = False
    style: str = "archival-note"
    language: str = "en"
    without_texts: bool = False
