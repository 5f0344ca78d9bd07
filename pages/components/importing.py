"""An import on the page: the path, a preview, the columns, its progress and its report."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st

from pages.components import readoptions, upkeep
from pages.components.errors import guarded
from pages.components.html import clean, md, shortened, show
from pages.components.session import count, service, t

if TYPE_CHECKING:
    from trace_core.ingest.preview import Preview
    from trace_core.ingest.records import ProblemKind
    from trace_core.ingest.report import ImportReport, Listing
    from trace_core.service.views import Job

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
        preview.title or t("import.no_format"),
        t("import.files", n=preview.files),
        f"{preview.size / 1_000_000:,.1f} MB",
        *(f"{name}: {value}" for name, value in preview.dialect),
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
        f"<td>{clean(r.date or t('document.undated'))}</td><td>{clean(r.title)}</td>"
        f"<td>{clean(shortened(r.excerpt, 140))}</td></tr>"
        for r in preview.records
    )
    show(f'<table class="tr-table"><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>')
    for problem in preview.problems[:10]:
        st.caption(f":material/warning: {md(problem.location)}: {md(problem.reason)}")


# --- jobs --------------------------------------------------------------------------------------


def jobs() -> None:
    """Imports at work, with their progress; the page looks again by itself while one works."""
    if service().jobs():
        working = any(job.status in ("reading", "indexing") for job in service().jobs())
        st.session_state["_jobs_working"] = working
        st.fragment(_jobs, run_every=1.0 if working else None)()


def _jobs() -> None:
    every = service().jobs()
    for job in every[:3]:
        _job(job)
    working = any(job.status in ("reading", "indexing") for job in every)
    if st.session_state.get("_jobs_working") != working:
        st.rerun()


def _job(job: Job) -> None:
    if job.status in ("reading", "indexing"):
        left = f" · {t('import.left', seconds=round(job.left))}" if job.left else ""
        text = f"{md(job.source)} · {t(f'import.{job.status}')} · {md(job.message)}{left}"
        st.progress(min(1.0, max(0.0, job.share)), text=text)
        if not job.wish:
            st.button(t("import.stop"), key=f"job.{job.id}", on_click=_stop, args=(job.id,))
    elif job.status == "failed":
        st.error(f"{md(job.source)}: {md(job.message)}")
    else:
        st.success(f"{md(job.source)}: {md(job.message)}", icon=":material/check:")


def _stop(job_id: str) -> None:
    service().job(job_id).wish = "stop"


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
        report_of(chosen)


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
    if report.message:
        st.info(md(report.message))
    rows = "".join(
        f"<tr><td>{clean(corpus.name or name)}</td><td class='tr-number'>{corpus.new}</td>"
        f"<td class='tr-number'>{corpus.unchanged}</td><td class='tr-number'>{corpus.changed}</td>"
        f"<td class='tr-number'>{corpus.undated}</td></tr>"
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
            f"<tr><td>{clean(place.where)}</td><td>{clean(place.reason)}</td></tr>"
            for place in listing.places[:LISTED]
        )
        show(
            f'<table class="tr-table"><thead><tr><th>{clean(t("import.place"))}</th>'
            f"<th>{clean(t('decision.reason'))}</th></tr></thead><tbody>{rows}</tbody></table>"
        )
        if listing.count > LISTED:
            st.caption(t("import.more", n=listing.count - LISTED))
