"""An evaluation on the page: its progress, and its report, whose misses can be followed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import streamlit as st

from pages.components.corpora import names, plain
from pages.components.html import clean, md, show
from pages.components.jobs import controls, living
from pages.components.places import link
from pages.components.sentences import said
from pages.components.session import count, service, t
from trace_core.domain.corpus import DocumentKey
from trace_core.evaluation.misses import CAUSES, PAPER_SHARES
from trace_core.evaluation.report import SHOWN

if TYPE_CHECKING:
    from trace_core.service.measuring import EvaluationJob

LISTED = 25


def table(heads: list[str], rows: list[list[str]]) -> None:
    """A table whose first column is text and whose others are numbers."""
    css = ["", *["tr-number"] * (len(heads) - 1)]
    head = "".join(f"<th class='{c}'>{clean(h)}</th>" for h, c in zip(heads, css, strict=True))
    body = "".join(
        "<tr>"
        + "".join(f"<td class='{c}'>{clean(v)}</td>" for v, c in zip(row, css, strict=True))
        + "</tr>"
        for row in rows
    )
    show(f'<table class="tr-table"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>')


# --- at work -----------------------------------------------------------------------------------


def jobs() -> None:
    """Evaluations at work, with their progress; the page looks again by itself while one works."""
    living("evaluation", service().evaluation_jobs, _job)


def _job(job: EvaluationJob) -> None:
    named = md(f"{job.questions} · {', '.join(job.strategies)}")
    with st.container(border=True):
        if job.at_work:
            done, total = job.progress.done, job.progress.total
            st.progress(done / total if total else 0.0, text=f"{named} · {md(_progress(job))}")
        elif job.status == "failed":
            st.error(f"{named}: {md(said(job.message))}")
        elif job.status == "finished":
            st.success(f"{named}: {t('evaluation.finished')}", icon=":material/check:")
        else:
            st.info(f"{named}: {t(f'evaluation.{job.status}')}", icon=":material/pause:")
        controls(job)


def _progress(job: EvaluationJob) -> str:
    text = t("evaluation.progress", done=count(job.progress.done), total=count(job.progress.total))
    spent = job.progress.cost
    if spent.calls:
        tokens = count(spent.tokens_in + spent.tokens_out)
        text += " · " + t("evaluation.spent", calls=count(spent.calls), tokens=tokens)
    return text


# --- a report ----------------------------------------------------------------------------------


def report(made: dict[str, Any]) -> None:
    """One report: measures with intervals, differences, groups, misses, channels, conditions."""
    strategies = made["strategies"]
    st.caption(md(t("evaluation.intervals")))
    table(
        [t("evaluation.strategy"), "n", *SHOWN, t("evaluation.failures")],
        [
            [name, str(s["n"]), *(_measure(s, m) for m in SHOWN), str(s["failures"])]
            for name, s in strategies.items()
        ],
    )
    for name, s in strategies.items():
        if s["failures"]:
            reason = next(iter(s["failure_reasons"].values()))
            st.warning(f"{md(name)}: {md(t('evaluation.failed', n=s['failures']))} {md(reason)}")
    if made.get("ablation"):
        _ablation(made["ablation"])
    if made["flaws"]:
        with st.expander(t("evaluation.flaws", n=len(made["flaws"])), icon=":material/warning:"):
            for flaw in made["flaws"][:200]:
                st.markdown(f"- {md(flaw['question'])}: {md(flaw['reason'])}")
    with st.expander(t("evaluation.compared")):
        table(
            [t("evaluation.difference"), t("evaluation.mean"), "95 %", "p"],
            [
                [name, f"{d['mean']:+.3f}", f"{d['low']:+.3f} … {d['high']:+.3f}", f"{d['p']:.3f}"]
                for name, d in made["comparisons"].items()
            ],
        )
    chosen: str = st.selectbox(t("evaluation.look_at"), list(strategies), key="evaluation.strategy")
    _groups(strategies[chosen])
    _misses(strategies[chosen].get("misses"))
    if made.get("channels"):
        _channels(made["channels"])


def _measure(numbers: dict[str, Any], name: str) -> str:
    low, high = numbers["intervals"].get(name, (0.0, 0.0))
    return f"{numbers.get(name, 0.0):.3f} ({low:.2f} … {high:.2f})"


def _ablation(found: dict[str, Any]) -> None:
    for part in ("cumulative", "leave_one_out"):
        st.markdown(f"##### {md(t(f'evaluation.{part}'))}")
        table(
            [t("evaluation.part"), "recall@10", t("evaluation.difference"), "95 %", "p"],
            [
                [
                    line["name"],
                    f"{line['recall@10']:.3f}",
                    f"{line['change']['mean']:+.3f}",
                    f"{line['change']['low']:+.3f} … {line['change']['high']:+.3f}",
                    f"{line['change']['p']:.3f}",
                ]
                for line in found[part]
            ],
        )
    st.caption(md(found["note"]))


def _groups(numbers: dict[str, Any]) -> None:
    with st.expander(t("evaluation.groups")):
        for group in ("by_type", "by_pair"):
            table(
                [t(f"evaluation.{group}"), "n", *SHOWN],
                [
                    [name or "–", str(g["n"]), *(f"{g.get(m, 0.0):.3f}" for m in SHOWN)]
                    for name, g in numbers[group].items()
                ],
            )


def _misses(found: dict[str, Any] | None) -> None:
    if not found or not found["count"]:
        return
    st.markdown(f"##### {md(t('evaluation.missed', n=found['count']))}")
    table(
        [t("evaluation.cause"), t("evaluation.share"), t("evaluation.paper")],
        [[t(f"miss.{c}"), f"{found['shares'][c]:.1%}", f"{PAPER_SHARES[c]:.1%}"] for c in CAUSES],
    )
    cause: str = st.selectbox(
        t("evaluation.cause"),
        [c for c in CAUSES if found["shares"][c]],
        format_func=lambda c: t(f"miss.{c}"),
        key="evaluation.cause",
    )
    own = [miss for miss in found["documents"] if miss["cause"] == cause]
    keys = {m["key"]: DocumentKey(*m["key"].split("/", 1)) for m in own[:LISTED]}
    heads, known = service().heads(keys.values()), names()
    for miss in own[:LISTED]:
        key = keys[miss["key"]]
        with st.container(horizontal=True, vertical_alignment="center"):
            link(
                "document", plain(heads.get(key), known, key), ":material/article:", doc=miss["key"]
            )
            if miss["run"]:
                link("evidence", t("evaluation.trace"), ":material/account_tree:", run=miss["run"])
            where = ", ".join(f"{t(f'channel.{n}')} {rank}" for n, rank in miss["would"].items())
            said = t("evaluation.would", where=where) if where else miss["detail"]
            st.caption(md(f"{miss['question']} · {said}"))
    if len(own) > LISTED:
        st.caption(t("evaluation.more", n=len(own) - LISTED))


def _channels(found: dict[str, Any]) -> None:
    with st.expander(t("evaluation.channels")):
        table(
            [t("evaluation.pair"), t("evaluation.overlap")],
            [[pair, f"{value:.2f}"] for pair, value in found["overlap"].items()],
        )
        table(
            [t("evaluation.channel"), "recall@20", t("evaluation.alone")],
            [
                [name, f"{value:.3f}", str(found["alone"].get(name, "–"))]
                for name, value in found["recall@20"].items()
            ],
        )
        st.caption(md(t("evaluation.gain", gain=f"{found['fusion_gain']:+.3f}")))
