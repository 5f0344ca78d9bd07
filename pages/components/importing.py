"""An import on the page: the path, a preview, the columns, and its report."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st

from pages.components import readoptions, upkeep
from pages.components.errors import guarded, remember
from pages.components.html import clean, md, shortened, show
from pages.components.sentences import said
from pages.components.session import count, service, t
from trace_core.domain.errors import TraceError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trace_core.ingest.preview import Preview
    from trace_core.ingest.records import ProblemKind
    from trace_core.ingest.report import ImportReport, Listing

FIELDS = ("id", "corpus", "title", "date", "text", "language", "page", "image")
PROBLEMS: tuple[ProblemKind, ...] = ("skipped", "empty", "undated", "suspicious")
LISTED = 200


def importer() -> None:
    """Choose a source, look at what would be read, say what the columns mean, and import."""
    st.write(md(t("import.help")))
    named = st.text_input(t("import.path"), key="import.path", placeholder="/home/…").strip()
    readoptions.draw()
    if not named:
        return
    with guarded():
        options = readoptions.chosen()
        preview = service().preview_import(Path(named).expanduser(), options)
        mapping = _preview(preview)
        if mapping != dict(preview.mapping):
            options = readoptions.chosen(mapping)
            preview = service().preview_import(Path(named).expanduser(), options)
        _records(preview)
        if st.button(
            t("import.start"), type="primary", icon=":material/download:", key="import.start"
        ):
            service().start_import(Path(named).expanduser(), options)
            st.rerun()


def _preview(preview: Preview) -> dict[str, str]:
    facts = [
        said(preview.title) or t("import.no_format"),
        t("import.files", n=preview.files),
        _size(preview.size),
        *(said(f"{name}: {value}") for name, value in preview.dialect),
    ]
    show(
        '<div class="tr-row tr-small">'
        + "".join(f"<span>{clean(fact)}</span>" for fact in facts)
        + "</div>"
    )
    mapping = dict(preview.mapping)
    if not preview.columns:
        return mapping
    st.markdown(f"##### {md(t('import.columns'))}")
    chosen: dict[str, str] = {}
    for place, column in enumerate(st.columns(4) * 2):
        field = FIELDS[place]
        options = ("", *preview.columns)
        proposed = mapping.get(field, "")
        with column:
            value = st.selectbox(
                t(f"import.field_{field}"),
                options,
                index=options.index(proposed) if proposed in options else 0,
                format_func=lambda name: name or "–",
                key=f"import.map.{field}",
            )
        if value:
            chosen[field] = str(value)
    return chosen


def _size(size: int) -> str:
    if size < 1_000_000:
        return f"{max(1, round(size / 1_000))} kB" if size else "0 kB"
    return f"{size / 1_000_000:,.1f} MB"


def _records(preview: Preview) -> None:
    st.markdown(f"##### {md(t('import.preview'))}")
    if not preview.records:
        st.warning(t("import.no_records"))
    heads = "".join(
        f"<th>{clean(t(f'import.field_{name}'))}</th>"
        for name in ("corpus", "id", "date", "title", "text")
    )
    rows = "".join(
        f"<tr><td>{clean(r.corpus_name)}</td><td>{clean(r.source_id)}</td>"
        f"<td class='tr-date'>{clean(r.date or t('document.undated'))}</td>"
        f"<td>{clean(r.title)}</td>"
        f"<td>{clean(shortened(r.excerpt, 140))}</td></tr>"
        for r in preview.records
    )
    show(f'<table class="tr-table"><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>')
    for problem in preview.problems[:10]:
        st.caption(f":material/warning: {md(problem.location)}: {md(said(problem.reason))}")


# --- reports -----------------------------------------------------------------------------------


def reports() -> None:
    """All import reports, the newest open."""
    every = service().reports()
    if not every:
        st.caption(t("import.no_reports"))
        return
    chosen = st.selectbox(
        t("import.report"),
        every,
        format_func=lambda report: f"{report.started[:16].replace('T', ' ')} · {report.source}",
        key="import.report",
    )
    if chosen is not None:
        _undone(chosen, every)
        report_of(chosen)


def _undone(report: ImportReport, every: Sequence[ImportReport]) -> None:
    """What became of an import that has not read all of its source, and the way to go on."""
    from trace_core.service.importing import UNDONE

    if report.status not in UNDONE:
        return
    told = t(f"import.was_{report.status}")
    if report.status == "failed":
        told += f" {said(report.message)}"
    st.info(md(told), icon=":material/info:")
    later = every[: [one.id for one in every].index(report.id)]
    done = any(one.source == report.source and one.status == "finished" for one in later)
    at_work = any(job.at_work and job.about == report.source for job in service().archive_jobs())
    if not done and not at_work:
        st.button(
            t("import.resume"),
            key=f"import.resume.{report.id}",
            icon=":material/play_arrow:",
            on_click=_resume,
            args=(report.id,),
        )


def _resume(report_id: str) -> None:
    try:
        service().resume_import(report_id)
    except TraceError as error:
        remember(error)


def report_of(report: ImportReport) -> None:
    """One report: the sum that adds up, the sub-corpora, and every problem with its place."""
    cells = "".join(
        f"<div><b>{clean(count(value))}</b><span class='tr-small'>{clean(t(f'import.{name}'))}"
        "</span></div>"
        for name, value in (
            ("read", report.read),
            ("new", report.new),
            ("unchanged", report.unchanged),
            ("changed", report.changed),
            ("skipped", report.skipped.count),
            ("empty", report.empty.count),
            ("undated", report.undated.count),
        )
    )
    show(f'<div class="tr-totals">{cells}</div>')
    rows = "".join(
        f"<tr><td>{clean(corpus.name or name)}</td>"
        + "".join(
            f"<td class='tr-number'>{count(number)}</td>"
            for number in (corpus.new, corpus.unchanged, corpus.changed, corpus.undated)
        )
        + "</tr>"
        for name, corpus in report.corpora.items()
    )
    if rows:
        heads = f"<th>{clean(t('corpus.one'))}</th>" + "".join(
            f"<th class='tr-number'>{clean(t(f'import.{name}'))}</th>"
            for name in ("new", "unchanged", "changed", "undated")
        )
        show(
            f'<table class="tr-table"><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>'
        )
    for kind in PROBLEMS:
        _listing(kind, report.listing(kind))
    with guarded():
        upkeep.of_import(report)


def _listing(kind: ProblemKind, listing: Listing) -> None:
    if not listing.count:
        return
    with st.expander(t(f"import.list_{kind}", n=listing.count)):
        rows = "".join(
            f"<tr><td>{clean(place.where)}</td><td>{clean(said(place.reason))}</td></tr>"
            for place in listing.places[:LISTED]
        )
        show(
            f'<table class="tr-table"><thead><tr><th>{clean(t("import.place"))}</th>'
            f"<th>{clean(t('decision.reason'))}</th></tr></thead><tbody>{rows}</tbody></table>"
        )
        if listing.count > LISTED:
            st.caption(t("import.more", n=listing.count - LISTED))
