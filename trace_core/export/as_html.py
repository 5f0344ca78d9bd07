"""HTML: one page that stands alone, to read by day or night and to print."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape

from trace_core.export.blocks import GROUPS, decision_note, line_facts, list_reason, passage_text
from trace_core.export.clean import xml_text
from trace_core.export.labels import labels
from trace_core.export.lines import Line, PassageLine, lines
from trace_core.export.options import Options
from trace_core.provenance.methods import methods
from trace_core.provenance.record import RunRecord

CSS = """
:root{color-scheme:light dark;--ink:#1d1a16;--paper:#fbf8f1;--soft:#6a6257;--line:#d8cfbf;
--accent:#7a1f1f}
@media (prefers-color-scheme:dark){:root{--ink:#ece6da;--paper:#1c1a17;--soft:#a89f90;
--line:#4a443a;--accent:#e0a0a0}}
body{margin:0 auto;max-width:46rem;padding:2rem 1.2rem;background:var(--paper);color:var(--ink);
font:1.05rem/1.55 Georgia,"Times New Roman",serif}
h1,h2{font-weight:normal;border-bottom:1px solid var(--line);padding-bottom:.2em}
h3{margin-bottom:.2em}a{color:var(--accent);overflow-wrap:anywhere}
blockquote{white-space:pre-wrap;overflow-wrap:anywhere;margin:.8em 0;padding:.2em 0 .2em 1em;
border-left:3px solid var(--line)}
.note,dl,footer{color:var(--soft);font-size:.88rem}dl{display:grid;
grid-template-columns:max-content 1fr;gap:.1em 1em}dd{margin:0;overflow-wrap:anywhere}
article{margin:1.6em 0}code{overflow-wrap:anywhere}
@media print{body{max-width:none;padding:0;background:#fff;color:#000;font-size:11pt}
article{break-inside:avoid-page}a{color:#000}}
"""


def page(language: str, title: str, body: str) -> bytes:
    """A whole page around a body; no script, nothing fetched from elsewhere."""
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    return (
        f'<!DOCTYPE html>\n<html lang="{language}">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{shown(title)}</title>\n<style>{CSS}</style>\n</head>\n<body>\n"
        f"{body}\n</body>\n</html>\n"
    ).encode()


def shown(text: str) -> str:
    """A text that HTML shows as it is."""
    return escape(xml_text(text), quote=True)


def as_html(record: RunRecord, options: Options) -> bytes:
    """The evidence list as one HTML page."""
    said = labels(options.language)
    body = "\n".join(_body(record, options, said))
    return page(options.language, f"{said['title']}: {record.state.question}", body)


def _body(record: RunRecord, options: Options, said: Mapping[str, str]) -> Iterator[str]:
    yield f"<main>\n<h1>{shown(said['title'])}</h1>"
    yield f'<p dir="auto"><strong>{shown(record.state.question)}</strong></p>'
    yield f"<h2>{shown(said['methods'])}</h2>\n<p>{shown(methods(record, options.language))}</p>"
    made = lines(record, options)
    for heading, verdict in GROUPS:
        group = [line for line in made if line.verdict == verdict]
        if group or verdict == "accept":
            yield f"<h2>{shown(said[heading])}</h2>"
        if not group and verdict == "accept":
            yield f"<p>{shown(said['nothing'])}</p>"
        for line in group:
            yield from _line(record, line, said)
    yield f"</main>\n<footer><p>{shown(said['heuristic'])}</p></footer>"


def _line(record: RunRecord, line: Line, said: Mapping[str, str]) -> Iterator[str]:
    number = f"{line.rank}. " if line.rank else ""
    yield f'<article>\n<h3 dir="auto">{number}{shown(line.title)}</h3>'
    yield f'<p dir="auto">{shown(line.citation)}</p>'
    if reason := list_reason(line):
        yield f'<p dir="auto"><em>{shown(said["reason"])}:</em> {shown(reason)}</p>'
    for passage in line.passages:
        yield from _passage(record, passage, said)
    yield "<dl>"
    for fact in line_facts(line, said):
        value = shown(fact.value)
        if fact.link:
            value = f'<a href="{shown(fact.link)}" rel="noreferrer">{value}</a>'
        yield f'<dt>{shown(fact.label)}</dt><dd dir="auto">{value}</dd>'
    yield "</dl>\n</article>"


def _passage(record: RunRecord, line: PassageLine, said: Mapping[str, str]) -> Iterator[str]:
    yield f'<blockquote dir="auto">{shown(passage_text(record, line, said))}</blockquote>'
    if line.quote:
        yield f'<p dir="auto"><em>{shown(said["quote"])}:</em> <q>{shown(line.quote)}</q></p>'
    if line.quote_verified == "no":
        yield f'<p class="note">{shown(said["unverified"])}</p>'
    if line.reason:
        yield f'<p dir="auto"><em>{shown(said["reason"])}:</em> {shown(line.reason)}</p>'
    yield f'<p class="note" dir="auto">{shown(decision_note(line, said))}</p>'
