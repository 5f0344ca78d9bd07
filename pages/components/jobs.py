"""Background jobs on a page, with their progress and the buttons that pause, stop, go on.

A fragment looks again by itself while one works; the whole page is drawn anew when one begins or
ends. Nothing here touches a job: what a person wants of it goes through the service.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

import streamlit as st

from pages.components.corpora import parse_key
from pages.components.deeds import all_names, part_name
from pages.components.errors import remember, told
from pages.components.html import md
from pages.components.sentences import said
from pages.components.session import count, service, t
from trace_core.domain.errors import TraceError

if TYPE_CHECKING:
    from trace_core.ingest.report import ImportReport
    from trace_core.service.indexing import ArchiveJob
    from trace_core.service.jobs import Job

LOOK_SECONDS = 1.0
_SHOWN_OVER = 3
_MINUTE = 60

J = TypeVar("J", bound="Job")


def living(name: str, found: Callable[[], Sequence[J]], draw: Callable[[J], None]) -> None:
    """Draw the jobs that are found, again and again while one of them is at work."""
    every = found()
    st.session_state[f"_jobs.{name}"] = _shape(every)
    working = any(job.at_work for job in every)
    st.fragment(_drawn, run_every=LOOK_SECONDS if working else None)(name, found, draw)


def _drawn(name: str, found: Callable[[], Sequence[J]], draw: Callable[[J], None]) -> None:
    told()
    every = found()
    over = [job.id for job in every if job.status in ("finished", "failed", "stopped")]
    for job in every:
        if job.id not in over[_SHOWN_OVER:]:
            draw(job)
    if st.session_state.get(f"_jobs.{name}") != _shape(every):
        st.rerun()


def _shape(every: Sequence[Job]) -> list[tuple[str, str]]:
    return [(job.id, job.status) for job in every]


def controls(job: Job, *, stoppable: bool = True) -> None:
    """The buttons of a job: pause and stop while it works, go on while it rests, dismiss after."""
    if job.at_work and job.wish:
        st.caption(md(t(f"job.will_{job.wish}")))
        return
    ways = {
        "pause": job.at_work,
        "stop": job.at_work and stoppable,
        "resume": job.status in ("paused", "failed"),
        "dismiss": not job.at_work,
    }
    icons = {"pause": "pause", "stop": "stop", "resume": "play_arrow", "dismiss": "close"}
    with st.container(horizontal=True):
        for way, possible in ways.items():
            if possible:
                st.button(
                    t(f"job.{way}"),
                    key=f"job.{way}.{job.id}",
                    icon=f":material/{icons[way]}:",
                    on_click=_say,
                    args=(way, job.id),
                )


def _say(way: str, job_id: str) -> None:
    ways = {
        "pause": service().pause_job,
        "stop": service().stop_job,
        "resume": service().resume_job,
        "dismiss": service().dismiss_job,
    }
    try:
        ways[way](job_id)
    except TraceError as error:
        remember(error)


# --- the archive's -----------------------------------------------------------------------------


def of_archive() -> None:
    """Imports, and the indexes on their way to what was done to the records."""
    living("archive", service().archive_jobs, _archive_job)


def _archive_job(job: ArchiveJob) -> None:
    title = md(t(f"job.{job.kind}", what=_about(job)))
    with st.container(border=True):
        if job.at_work:
            st.progress(min(1.0, max(0.0, job.share)), text=f"**{title}** · {md(_progress(job))}")
            st.caption(md(t("job.keeps_import" if job.kind == "import" else "job.keeps_index")))
        elif job.status == "failed":
            st.error(f"**{title}** · {md(said(job.message))}", icon=":material/error:")
        elif job.status == "finished":
            st.success(f"**{title}** · {md(_finished(job))}", icon=":material/check:")
        else:
            line = md(t(f"job.{job.status}"))
            if job.report is not None:
                line += " " + md(_counted(job.report))
            st.info(f"**{title}** · {line}", icon=":material/pause:")
        controls(job, stoppable=job.kind == "import")


def _about(job: ArchiveJob) -> str:
    if job.kind == "import":
        return job.about
    known = all_names()
    key = None if job.about in known else parse_key(job.about)
    head = service().heads([key]).get(key) if key is not None else None
    if head is not None:
        return head.title or head.key.source_id
    return part_name(job.about, known)


def _progress(job: ArchiveJob) -> str:
    if job.status == "waiting" or not job.step:
        return t("job.waiting")
    parts = [t(f"job.step_{job.step}")]
    if job.total and job.done:
        parts.append(t("job.of", done=count(job.done), total=count(job.total)))
    elif job.done:
        parts.append(t("job.done", n=job.done))
    if job.left is not None:
        parts.append(_left(job.left))
    return " · ".join(parts)


def _left(seconds: float) -> str:
    if seconds < 1.5 * _MINUTE:
        return t("job.left_seconds", n=max(1, round(seconds)))
    return t("job.left_minutes", n=round(seconds / _MINUTE))


def _finished(job: ArchiveJob) -> str:
    return t("job.indexed") if job.report is None else _counted(job.report)


def _counted(report: ImportReport) -> str:
    counts = {
        "read": report.read,
        "new": report.new,
        "unchanged": report.unchanged,
        "changed": report.changed,
        "skipped": report.skipped.count,
    }
    shown = [
        f"{count(number)} {t(f'import.{name}')}"
        for name, number in counts.items()
        if number or name == "read"
    ]
    return ", ".join(shown) + ". " + t("job.see_report")
