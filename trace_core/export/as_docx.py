"""DOCX: the list as a document to work on, in Word's own styles.

python-docx writes no footnotes, so each source is a numbered heading with its citation, its
passages as quotations and its reasons; a table at the end gives the provenance of each decision.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping
from datetime import datetime
from html import escape
from typing import TYPE_CHECKING

from trace_core.export.blocks import GROUPS, decision_note, line_facts, list_reason, passage_text
from trace_core.export.clean import xml_text
from trace_core.export.labels import labels
from trace_core.export.lines import Line, PassageLine, lines
from trace_core.export.options import Options
from trace_core.export.zipped import stable_zip
from trace_core.provenance.methods import methods
from trace_core.provenance.record import RunRecord

if TYPE_CHECKING:
    from docx.document import Document

_OPEN, _CLOSE = '<w:t xml:space="preserve">', "</w:t>"
_TABLE_WIDTHS = (800, 1300, 1700, 1150, 1500, 2280)  # twentieths of a point, the page's width
_TABLE_HEADS = ("rank", "decision", "document", "sub_question", "decided_by", "reason")


def as_docx(record: RunRecord, options: Options) -> bytes:
    """The evidence list as a Word document; characters that XML forbids are left out."""
    from docx import Document as new_document

    said, document = labels(options.language), new_document()
    _properties(document, record)
    _prepare(document)
    body = _Body()
    body.add("Title", said["title"])
    body.add("Subtitle", record.state.question)
    body.add("Heading1", said["methods"])
    body.add("", methods(record, options.language))
    made = lines(record, options)
    for heading, verdict in GROUPS:
        group = [line for line in made if line.verdict == verdict]
        if group or verdict == "accept":
            body.add("Heading1", said[heading])
        if not group and verdict == "accept":
            body.add("", said["nothing"])
        for line in group:
            _line(body, record, line, said)
    _table(body, made, said)
    body.add("Caption", said["heuristic"])
    out = io.BytesIO()
    document.save(out)
    return stable_zip(out.getvalue(), {"word/document.xml": body.within(document)})


class _Body:
    """Collects the document's blocks as WordprocessingML.

    The library looks for the end of the document at every paragraph that it adds, which for
    thousands of them takes minutes; so it gives the styles and the package, and this the text.
    """

    def __init__(self) -> None:
        self._blocks: list[str] = []

    def add(self, style: str, text: str, label: str = "") -> None:
        """A paragraph in the style with this id ("" for the normal one), label in bold."""
        self._blocks.append(_paragraph(style, text, label))

    def table(self, style: str, rows: Iterable[list[str]]) -> None:
        """A table; its first row is repeated on every page."""
        made = [
            f"<w:tr><w:trPr><w:cantSplit/>{'' if n else '<w:tblHeader/>'}</w:trPr>"
            + "".join(
                f'<w:tc><w:tcPr><w:tcW w:w="{width}" w:type="dxa"/></w:tcPr>'
                f"{_paragraph('TableText', cell)}</w:tc>"
                for cell, width in zip(row, _TABLE_WIDTHS, strict=True)
            )
            + "</w:tr>"
            for n, row in enumerate(rows)
        ]
        properties = (
            f'<w:tblPr><w:tblStyle w:val="{style}"/><w:tblW w:type="pct" w:w="5000"/>'
            '<w:tblLayout w:type="fixed"/></w:tblPr>'
        )
        columns = "".join(f'<w:gridCol w:w="{width}"/>' for width in _TABLE_WIDTHS)
        grid = f"<w:tblGrid>{columns}</w:tblGrid>"
        self._blocks.append(f"<w:tbl>{properties}{grid}{''.join(made)}</w:tbl>")

    def within(self, document: Document) -> bytes:
        """The document's main part with everything before the section's properties."""
        from lxml import etree

        empty = etree.tostring(document.element, xml_declaration=True, encoding="UTF-8")
        head, mark, tail = empty.partition(b"<w:sectPr")
        return b"".join([head, "".join(self._blocks).encode("utf-8"), mark, tail])


def _paragraph(style: str, text: str, label: str = "") -> str:
    named = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    bold = f"<w:r><w:rPr><w:b/></w:rPr>{_run(label + ': ')}</w:r>" if label else ""
    return f"<w:p>{named}{bold}<w:r>{_run(text)}</w:r></w:p>"


def _run(text: str) -> str:
    """A text with its own line breaks and tabs."""
    safe = escape(xml_text(text).replace("\r\n", "\n").replace("\r", "\n"))
    inside = safe.replace("\n", f"{_CLOSE}<w:br/>{_OPEN}").replace("\t", f"{_CLOSE}<w:tab/>{_OPEN}")
    return f"{_OPEN}{inside}{_CLOSE}"


def _properties(document: Document, record: RunRecord) -> None:
    properties = document.core_properties
    moment = datetime.fromisoformat(record.state.updated).replace(tzinfo=None)
    properties.title = xml_text(record.state.question)[:255]
    properties.author = "TRACE"
    properties.comments = f"Run {record.run}, {record.state.last_hash}"[:255]
    properties.created = properties.modified = moment
    properties.revision = 1


def _prepare(document: Document) -> None:
    """A page as a historian would set it: serif text, wide margins, quotations indented."""
    from docx.enum.style import WD_STYLE_TYPE
    from docx.oxml.ns import qn
    from docx.shared import Cm, Pt, RGBColor

    section = document.sections[0]
    section.page_width, section.page_height = Cm(21), Cm(29.7)
    section.left_margin = section.right_margin = Cm(2.8)
    ink = RGBColor(0x1D, 0x1A, 0x16)
    styles = document.styles
    normal = styles["Normal"]
    normal.font.name, normal.font.size = "Georgia", Pt(11)
    normal.paragraph_format.space_after = Pt(6)
    for name in ("Title", "Subtitle", "Heading 1", "Heading 2", "Caption"):
        font = styles[name].font
        font.name, font.color.rgb, font.bold = "Georgia", ink, name.startswith("Heading")
        fonts = styles[name].element.rPr.rFonts
        for theme in ("asciiTheme", "hAnsiTheme", "eastAsiaTheme", "cstheme"):
            fonts.attrib.pop(qn(f"w:{theme}"), None)
    styles["Caption"].font.color.rgb = RGBColor(0x6A, 0x62, 0x57)
    quote = styles["Quote"]
    quote.paragraph_format.left_indent = quote.paragraph_format.right_indent = Cm(0.8)
    quote.font.italic = False
    cells = styles.add_style("TableText", WD_STYLE_TYPE.PARAGRAPH)
    cells.base_style, cells.font.size = normal, Pt(9)
    cells.paragraph_format.space_after = Pt(0)


def _line(body: _Body, record: RunRecord, line: Line, said: Mapping[str, str]) -> None:
    number = f"{line.rank}. " if line.rank else ""
    body.add("Heading2", f"{number}{' '.join(xml_text(line.title).split())}")
    body.add("", line.citation)
    if reason := list_reason(line):
        body.add("", reason, said["reason"])
    for passage in line.passages:
        _passage(body, record, passage, said)
    for fact in line_facts(line, said):
        body.add("ListBullet", fact.value, fact.label)


def _passage(body: _Body, record: RunRecord, line: PassageLine, said: Mapping[str, str]) -> None:
    body.add("Quote", passage_text(record, line, said))
    if line.quote:
        body.add("", f"“{line.quote}”", said["quote"])
    if line.quote_verified == "no":
        body.add("Caption", said["unverified"])
    if line.reason:
        body.add("", line.reason, said["reason"])
    body.add("Caption", decision_note(line, said))


def _table(body: _Body, made: list[Line], said: Mapping[str, str]) -> None:
    """One row a decision: who decided what, for which sub-question, and why."""
    rows = [(line, passage) for line in made for passage in line.passages]
    if not rows:
        return
    body.add("Heading1", said["provenance"])
    table = [[said[name] for name in _TABLE_HEADS]]
    for line, passage in rows:
        decided = passage.record
        table.append(
            [
                str(line.rank or "—"),
                f"{passage.judged} ({decided.id})",
                str(line.key),
                decided.decision.sub_question,
                f"{passage.by}, {decided.time[:10]}",
                passage.reason,
            ]
        )
    body.table("TableGrid", table)
