"""Citations as data: CSL items from a document and what its sub-corpus says of citing it.

A sub-corpus carries a mapping that the historian edits once: field -> value or pattern. The
fields are those of `FIELDS`. A pattern may name {source_id}, {date}, {year}, {month}, {day},
{page}, {page_index}, {page_number}, {title}, {corpus} and any field of the document's own
metadata; a field whose pattern names something that this document lacks is left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from trace_core.domain.corpus import DocumentKey, Page, SubCorpus
from trace_core.domain.dates import civil_day
from trace_core.domain.errors import BadInput
from trace_core.export.citation_dates import csl_date, csl_day
from trace_core.export.clean import one_line
from trace_core.provenance.record import Source

FIELDS: Mapping[str, str] = {
    "archive": "archive",
    "archive_collection": "archive_collection",
    "collection": "archive_collection",
    "archive_location": "archive_location",
    "location": "archive_location",
    "archive_place": "archive-place",
    "call_number": "call-number",
    "container_title": "container-title",
    "publisher": "publisher",
    "publisher_place": "publisher-place",
    "edition": "edition",
    "section": "section",
    "volume": "volume",
    "issue": "issue",
    "number": "number",
    "genre": "genre",
    "medium": "medium",
    "source": "source",
    "authority": "authority",
    "author": "author",
    "recipient": "recipient",
    "type": "type",
    "title": "title",
    "url": "URL",
    "ark": "ark",
    "note": "note",
}
"""Fields of a sub-corpus's mapping and the CSL variable each becomes."""

_TYPES = {
    "newspaper": "article-newspaper",
    "debates": "hearing",
    "minutes": "hearing",
    "letters": "personal_communication",
    "diary": "manuscript",
    "court records": "legal_case",
    "pamphlets": "pamphlet",
    "books": "book",
}
CSL_TYPES = frozenset(
    [
        "article",
        "article-journal",
        "article-magazine",
        "article-newspaper",
        "bill",
        "book",
        "broadcast",
        "chapter",
        "classic",
        "collection",
        "dataset",
        "document",
        "entry",
        "entry-dictionary",
        "entry-encyclopedia",
        "figure",
        "graphic",
        "hearing",
        "interview",
        "legal_case",
        "legislation",
        "manuscript",
        "map",
        "motion_picture",
        "musical_score",
        "pamphlet",
        "paper-conference",
        "patent",
        "performance",
        "periodical",
        "personal_communication",
        "post",
        "post-weblog",
        "regulation",
        "report",
        "review",
        "review-book",
        "software",
        "song",
        "speech",
        "standard",
        "thesis",
        "treaty",
        "webpage",
    ]
)
"""The item types of CSL 1.0.2."""

_CONTAINED = frozenset({"article-newspaper", "hearing", "article-magazine", "article-journal"})
_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")
_OWN_FIELDS = frozenset(
    [
        "source_id",
        "date",
        "year",
        "month",
        "day",
        "page",
        "page_index",
        "page_number",
        "title",
        "corpus",
    ]
)
_META_AUTHORS = ("author", "sender", "speaker")


@dataclass(frozen=True, slots=True)
class Cited:
    """What a citation points at: a document, and the page inside it if one is known."""

    key: DocumentKey
    source: Source | None
    corpus: SubCorpus
    page: Page | None = None


def csl_type(kind: str) -> str:
    """The CSL type of a kind of sub-corpus."""
    return _TYPES.get(kind, "document")


def csl_item(cited: Cited, accessed: str) -> dict[str, Any]:
    """A document as a CSL-JSON item; only variables that CSL knows, `custom` for the rest."""
    source, values = cited.source, mapped(cited)
    kind = values.pop("type", "")
    item: dict[str, Any] = {
        "id": item_id(cited.key),
        "type": kind if kind in CSL_TYPES else csl_type(cited.corpus.kind),
        "title": values.pop("title", "") or one_line(source.title if source else ""),
    }
    if not item["title"]:
        item["title"] = cited.key.source_id
    within = "container-title" if item["type"] in _CONTAINED else "archive_collection"
    item[within] = one_line(cited.corpus.name)
    if source is not None:
        item |= _of_source(source)
    if cited.page is not None and cited.page.label:
        item["page"] = one_line(cited.page.label)
    for name in ("author", "recipient"):
        if values.get(name):
            item[name] = [{"literal": values.pop(name)}]
    ark = values.pop("ark", "")
    item |= values
    if "URL" not in item and (link := scan_link(cited)):
        item["URL"] = link
    if accessed:
        item["accessed"] = csl_day(accessed)
    item["custom"] = {"trace": _identity(cited, ark)}
    return item


def item_id(key: DocumentKey) -> str:
    """An item's id: the document's own, so that a second export names it the same."""
    return one_line(str(key))


def _of_source(source: Source) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if source.language:
        found["language"] = source.language
    if source.date is not None:
        found["issued"] = csl_date(source.date)
    author = next((source.meta[n] for n in _META_AUTHORS if source.meta.get(n)), "")
    if author:
        found["author"] = [{"literal": one_line(author)}]
    return found


def _identity(cited: Cited, ark: str) -> dict[str, str]:
    source = cited.source
    values = {
        "sub-corpus": cited.key.corpus,
        "document": cited.key.source_id,
        "version": str(source.version) if source else "",
        "date-written": source.date.written if source and source.date else "",
        "date-edtf": source.date.edtf if source and source.date else "",
        "ark": ark,
    }
    return {name: one_line(value) for name, value in values.items() if value}


def variable_of(name: str) -> str | None:
    """The CSL variable that a field becomes, None for what is no field of a citation."""
    return FIELDS.get(name.strip().lower().replace("-", "_").replace(" ", "_"))


def mapped(cited: Cited) -> dict[str, str]:
    """The sub-corpus's mapping filled in for one document, by CSL variable."""
    found: dict[str, str] = {}
    for name, pattern in sorted(cited.corpus.citation.items()):  # a bundle keeps no other order
        variable = variable_of(name)
        if variable is None:
            continue
        escape = _in_url if variable == "URL" else one_line
        value = _filled(pattern, cited, escape)
        if value:
            found[variable] = value
    return found


def _in_url(text: str) -> str:
    return quote(text, safe="/:@,;~")


def _filled(pattern: str, cited: Cited, escape: Callable[[str], str]) -> str:
    """A pattern with its placeholders replaced, "" when one of them has no value here."""
    missing = False

    def value(match: re.Match[str]) -> str:
        nonlocal missing
        found = _value(match.group(1).strip(), cited)
        missing = missing or not found
        return escape(found)

    filled = _PLACEHOLDER.sub(value, pattern)
    return "" if missing else one_line(filled)


def _value(name: str, cited: Cited) -> str:
    source, page = cited.source, cited.page
    if name in ("date", "year", "month", "day"):
        return _date_value(name, source)
    own: dict[str, str] = {
        "source_id": cited.key.source_id,
        "corpus": cited.corpus.name,
        "title": source.title if source else "",
        "page": (page.label or str(page.index + 1)) if page else "",
        "page_index": str(page.index) if page else "",
        "page_number": str(page.index + 1) if page else "",
    }
    if name in own:
        return own[name]
    return source.meta.get(name.removeprefix("meta:"), "") if source else ""


def _date_value(name: str, source: Source | None) -> str:
    date = source.date if source else None
    if date is None:
        return ""
    if name == "date":
        return date.edtf
    low, high = civil_day(date.earliest), civil_day(date.latest)
    wanted = {"year": 1, "month": 2, "day": 3}[name]
    if low[:wanted] != high[:wanted]:
        return ""
    return f"{low[wanted - 1]:02d}" if wanted > 1 else str(low[0])


def read_mapping(text: str) -> dict[str, str]:
    """A mapping as a person writes it: one `field = pattern` a line. Raises BadInput."""
    mapping = {}
    for line in filter(None, map(str.strip, text.splitlines())):
        name, equals, pattern = map(str.strip, line.partition("="))
        if not (equals and name and pattern):
            raise BadInput(
                f"{line!r} says nothing of a citation; write field = pattern, one a line, as in "
                "archive = Archives municipales."
            )
        mapping[name] = pattern
    return mapping


def written_mapping(mapping: Mapping[str, str]) -> str:
    """A mapping as `read_mapping` reads it."""
    return "\n".join(f"{name} = {one_line(pattern)}" for name, pattern in mapping.items())


def check_mapping(mapping: Mapping[str, str], meta: frozenset[str] | None = None) -> list[str]:
    """What is wrong with a mapping, one sentence each.

    `meta` are the metadata fields that the documents have; None takes every placeholder for one.
    """
    found = []
    for name, pattern in mapping.items():
        if variable_of(name) is None:
            known = ", ".join(FIELDS)
            found.append(f"There is no citation field {name!r}; the fields are {known}.")
        for placeholder in _PLACEHOLDER.findall(pattern):
            bare = placeholder.strip().removeprefix("meta:")
            if meta is not None and bare not in _OWN_FIELDS | meta:
                found.append(
                    f"{name}: no document has {{{bare}}}; use {', '.join(sorted(_OWN_FIELDS))} "
                    "or a field of the documents' own."
                )
        if name == "type" and pattern not in CSL_TYPES and not _PLACEHOLDER.search(pattern):
            found.append(
                f"type: {pattern!r} is no type of CSL; leave it out, and the kind of the "
                "sub-corpus decides."
            )
    return found


def scan_link(cited: Cited) -> str:
    """A link to the scan or the source: the sub-corpus's URL pattern, the page's image, its URL.

    Only http and https addresses are given; anything else is no link for a reader.
    """
    source = cited.source
    pattern = next(
        (p for n, p in sorted(cited.corpus.citation.items()) if n.strip().lower() == "url"), ""
    )
    candidates = (
        _filled(pattern, cited, _in_url) if pattern else "",
        cited.page.image if cited.page else "",
        (source.meta.get("url") or source.meta.get("URL") or "") if source else "",
    )
    return next((u for c in candidates if (u := safe_url(c))), "")


def safe_url(url: str) -> str:
    """The address if it is http or https, as one word; "" for anything else."""
    text = one_line(url)
    if not re.match(r"https?://[^\s/]", text, re.IGNORECASE):
        return ""
    return quote(text, safe="%/:?#[]@!$&'()*+,;=~-._")


def permanent_id(cited: Cited) -> str:
    """What will still name the document: its ARK or DOI where one is known, else its own id."""
    meta = cited.source.meta if cited.source else {}
    ark = _filled(cited.corpus.citation.get("ark", ""), cited, one_line)
    for value in (ark, meta.get("ark", ""), meta.get("doi", "")):
        if value:
            return one_line(value)
    return item_id(cited.key)
