"""The commands and their options, without any import that takes time."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from trace_core import __version__
from trace_core.cli.import_options import add_import_options

if TYPE_CHECKING:
    _Commands = argparse._SubParsersAction[argparse.ArgumentParser]
_Add = Callable[[str, str], argparse.ArgumentParser]

CHANNELS = ("fused", "bm25", "dense", "date", "exact", "fuzzy")


def build_parser() -> argparse.ArgumentParser:
    """The whole command line."""
    parser = argparse.ArgumentParser(
        prog="trace-archive",
        description="Find sources in an archive, with a reason and a record for every one of them.",
        parents=[_common(before=True)],
    )
    parser.add_argument("--version", action="version", version=f"trace-archive {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    add = _adder(commands)
    for group in (
        _import_commands,
        _upkeep_commands,
        _workspace_commands,
        _search_commands,
        _run_commands,
        _decision_commands,
        _work_commands,
        _export_commands,
        _account_commands,
        _copy_commands,
        _evaluation_commands,
        _trajectory_commands,
    ):
        group(add)
    return parser


def _adder(commands: _Commands) -> _Add:
    """Makes a command by its name and the sentence that explains it in every help."""
    common = _common()

    def add(name: str, text: str) -> argparse.ArgumentParser:
        return commands.add_parser(name, help=text, description=text, parents=[common])

    return add


def _common(*, before: bool = False) -> argparse.ArgumentParser:
    """What every command takes, `before` its name or behind it; the word behind it counts."""
    common = argparse.ArgumentParser(
        add_help=False, argument_default=None if before else argparse.SUPPRESS
    )
    common.add_argument(
        "--workspace",
        type=Path,
        metavar="FOLDER",
        help="the workspace folder (default: TRACE_WORKSPACE, else ./workspace)",
    )
    common.add_argument(
        "--json",
        action="store_true",
        default=False if before else argparse.SUPPRESS,
        help="print JSON alone",
    )
    return common


def _import_commands(add: _Add) -> None:
    init = add("init", "Make a new workspace.")
    init.add_argument("--sample", action="store_true", help="with the invented sample archive")
    imported = add("import", "Read documents into the archive.")
    imported.add_argument("source", type=Path, metavar="SOURCE", help="a file or a folder")
    add_import_options(imported)
    imported.add_argument("--preview", action="store_true", help="only show what would be read")
    out = add("archive-export", "Write the archive to a file that can be imported again.")
    out.add_argument("target", type=Path, metavar="FILE", help="a name in .jsonl or .parquet")
    out.add_argument(
        "--corpus", action="append", default=[], metavar="ID", help="only this one (repeat)"
    )


def _upkeep_commands(add: _Add) -> None:
    twins = add("duplicates", "List the documents that have the same text.")
    twins.add_argument("--limit", type=int, default=100, help="most groups (default: 100)")
    twins.add_argument("--offset", type=int, default=0, help="leave out the first groups")
    for name, text in (
        ("withdraw", "Take documents out of the search, not out of history."),
        ("restore-documents", "Bring withdrawn documents back into the search."),
    ):
        part = add(name, text)
        part.add_argument("documents", nargs="*", metavar="CORPUS/ID")
        part.add_argument("--corpus", default="", metavar="ID", help="a whole sub-corpus")
        part.add_argument("--import", dest="report", default="", metavar="REPORT", help="an import")
        _add_who(part)
    add("deeds", "List what was done to the archive's order, by whom, when and why.")
    corpus = add("corpus", "List the sub-corpora, describe one, merge two, or take that back.")
    actions = ("list", "set", "merge", "unmerge")
    corpus.add_argument("action", choices=actions, nargs="?", default="list")
    corpus.add_argument("id", nargs="?", default="", help="the sub-corpus that is meant")
    corpus.add_argument("into", nargs="?", default="", help="the one that it is merged into")
    _add_who(corpus)
    corpus.add_argument("--name")
    corpus.add_argument("--alias", action="append", default=None, help="another name (repeat)")
    corpus.add_argument("--kind")
    corpus.add_argument("--language")
    corpus.add_argument("--description")
    corpus.add_argument(
        "--cite",
        action="append",
        default=None,
        metavar="FIELD=PATTERN",
        help="how its documents are cited, for example archive=…, url=… (repeat)",
    )
    corpus.add_argument("--local-only", choices=("yes", "no"), help="never sent to a far model")


def _workspace_commands(add: _Add) -> None:
    add("status", "Say what the workspace holds and whether its parts agree.")
    add("reindex", "Build both indexes anew from the records.")
    reports = add("reports", "List the import reports, or show one.")
    reports.add_argument("id", nargs="?", default="")
    setting = add("settings", "List the settings, or change one.")
    setting.add_argument("change", nargs="?", default="", metavar="GROUP.NAME=VALUE")
    told = add("prompts", "List what a model is told at each stage, or show, set or reset one.")
    told.add_argument("action", choices=("list", "show", "set", "reset"), nargs="?", default="list")
    told.add_argument("stage", nargs="?", default="", metavar="STAGE")
    told.add_argument("--file", type=Path, metavar="FILE", help="the text to set; - for stdin")
    told.add_argument("--version", default="", metavar="HASH", help="an earlier text instead")
    told.add_argument("--person", default="", help="who does it")
    serve = add("serve", "Start the app in the browser.")
    serve.add_argument("--port", type=int, default=8501)
    serve.add_argument("--sample", action="store_true", help="with the invented sample archive")
    serve.add_argument("--no-browser", action="store_true", help="do not open a browser window")


def _add_who(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--reason", default="", help="why; it is kept with the record")
    parser.add_argument("--person", default="", help="who does it")


def _search_commands(add: _Add) -> None:
    search = add("search", "Search the archive.")
    search.add_argument("query", metavar="QUERY", help="words; or `NAME | FORM | FORM`")
    search.add_argument("--channel", choices=CHANNELS, default="fused")
    search.add_argument("--limit", type=int, default=20)
    _add_scope(search)
    named = add("variants", "List the forms in which a name may stand in the archive.")
    named.add_argument("name", metavar="NAME")
    named.add_argument("--model", action="store_true", help="also ask the model, with one call")


def _add_language(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--lang", choices=("en", "fr"), default="en", help="of words and dates")


def _add_scope(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--corpus", action="append", default=[], metavar="ID", help="only there (repeat)"
    )
    parser.add_argument("--from", dest="date_from", metavar="DATE", help="1887, 1887-05 or a day")
    parser.add_argument("--to", dest="date_to", metavar="DATE")
    parser.add_argument(
        "--undated",
        choices=("keep", "leave"),
        default="keep",
        help="keep undated documents within dates or leave them out (default: keep)",
    )
    parser.add_argument(
        "--min-quality",
        metavar="0..1",
        help="leave out documents whose OCR is known to be worse (default: none is left out)",
    )


def _on_run(add: _Add, name: str, text: str) -> argparse.ArgumentParser:
    made = add(name, text)
    made.add_argument("run", metavar="RUN")
    return made


def _run_commands(add: _Add) -> None:
    ask = add("ask", "Ask a question and work on it.")
    ask.add_argument("question", metavar="QUESTION")
    ask.add_argument("--assistant", choices=("rules", "model"), default="rules")
    ask.add_argument(
        "--approve", choices=("all", "ask"), default="ask", help="who answers the checkpoints"
    )
    ask.add_argument("--preset", default="", help="settings to start from: default, paper, local")
    ask.add_argument(
        "--set", action="append", default=[], metavar="GROUP.NAME=VALUE", help="a setting (repeat)"
    )
    ask.add_argument("--person", default="", help="who asks")
    _add_scope(ask)
    add("runs", "List the runs.")
    _on_run(add, "show", "Show where a run stands and what it found.")
    events = _on_run(add, "events", "List the events of a run.")
    events.add_argument("--after", type=int, default=0, metavar="N")
    verify = add("verify", "Check that nothing of a run, or in a bundle, was changed.")
    verify.add_argument("run", metavar="RUN|BUNDLE", help="a run, or a bundle's file")


def _decision_commands(add: _Add) -> None:
    decide = _on_run(add, "decide", "Answer the checkpoint at which a run waits.")
    decide.add_argument("--approve", action="store_true", help="approve the proposal as it stands")
    decide.add_argument("--file", type=Path, metavar="JSON", help="a decision with edits")
    decide.add_argument("--person", default="")
    decide.add_argument("--then", choices=("work", "rest"), default="work")
    override = _on_run(add, "override", "Give a verdict on a passage, at any time.")
    override.add_argument("passage", help="its id, for example c42")
    override.add_argument("verdict", choices=("accept", "hold", "reject"))
    override.add_argument("--reason", default="")
    override.add_argument("--sub-question", default="", help="one of them (default: all)")
    override.add_argument("--person", default="")
    undo = _on_run(add, "undo", "Take a decision back by a further record.")
    undo.add_argument("decision", help="its id, for example d17")
    undo.add_argument("--reason", default="")
    undo.add_argument("--person", default="")


def _work_commands(add: _Add) -> None:
    resume = _on_run(add, "resume", "Go on with a run that was paused or whose process died.")
    resume.add_argument("--approve", choices=("all", "ask"), default="ask")
    resume.add_argument(
        "--budget",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="change a cap first: model_calls, tokens, money or steps (repeat)",
    )
    resume.add_argument("--person", default="", help="who changes it")
    stop = _on_run(add, "stop", "End a run with what it has found.")
    stop.add_argument("--reason", default="")
    stop.add_argument("--person", default="")
    pause = _on_run(add, "pause", "Let a run rest after the stage that it is in.")
    pause.add_argument("--person", default="")


def _export_commands(add: _Add) -> None:
    export = _on_run(add, "export", "Write a run's evidence list or whole record to a file.")
    _add_language(export)
    export.add_argument(
        "--format",
        required=True,
        help="csv, xlsx, md, docx, html, json, csl-json, ris, bibtex, prov, prov-n, ro-crate, "
        "trec or bundle",
    )
    export.add_argument("-o", "--output", type=Path, metavar="FILE", help="else standard output")
    export.add_argument("--columns", default="", help="names of columns, joined by commas")
    export.add_argument("--order", default="rank", help="rank, date, corpus or decided")
    export.add_argument("--held", action="store_true", help="with what is held")
    export.add_argument("--rejected", action="store_true", help="with what was rejected")
    export.add_argument("--bom", action="store_true", help="begin a CSV with Excel's mark")
    export.add_argument("--style", default="archival-note", help="a citation style or CSL file")
    export.add_argument("--without-texts", action="store_true", help="leave out all texts")


def _account_commands(add: _Add) -> None:
    explain = _on_run(add, "explain", "Say why a document is in a run's list, or why it is not.")
    _add_language(explain)
    explain.add_argument("document", metavar="SUB-CORPUS/ID")
    _add_language(_on_run(add, "methods", "Write the paragraph for a paper's methods section."))
    agreement = _on_run(add, "agreement", "Compare two people's decisions on a run.")
    agreement.add_argument("first", metavar="PERSON")
    agreement.add_argument("second", metavar="PERSON")


def _copy_commands(add: _Add) -> None:
    opened = add("open", "Show the run in a bundle, without a workspace.")
    _add_language(opened)
    opened.add_argument("bundle", type=Path, metavar="BUNDLE")
    backup = add("backup", "Copy the workspace while it is in use.")
    backup.add_argument("target", type=Path, metavar="FILE|FOLDER")
    restore = add("restore", "Make a workspace again from a copy.")
    restore.add_argument("source", type=Path, metavar="FILE|FOLDER")


def _evaluation_commands(add: _Add) -> None:
    evaluate = add("evaluate", "Measure strategies on questions with gold.")
    evaluate.add_argument(
        "questions", metavar="QUESTIONS", nargs="?", default="", help="a file, BEIR folder, or own"
    )
    evaluate.add_argument(
        "--strategy", default="", help="names, joined by commas (default: bm25,fused,trace-rules)"
    )
    evaluate.add_argument(
        "--ablation", action="store_true", help="what each part of one strategy brings"
    )
    evaluate.add_argument("--channels", action="store_true", help="also how channels overlap")
    _measuring_options(evaluate)
    evaluate.add_argument("-o", "--output", type=Path, help="also write the JSON report there")
    evaluate.add_argument("--trec", type=Path, help="also write TREC run files to this folder")
    evaluate.add_argument("--plots", type=Path, help="also write plots (HTML) to this folder")
    evaluate.add_argument(
        "--compare", nargs=2, type=Path, metavar="REPORT", help="show what differs between two"
    )


def _trajectory_commands(add: _Add) -> None:
    what_if = _on_run(
        add,
        "counterfactual",
        "What a finished run would have missed without one of its documents.",
    )
    what_if.add_argument(
        "--document", action="append", default=[], metavar="CORPUS/ID", help="this one (repeat)"
    )
    what_if.add_argument("--gold", default="", metavar="QUESTIONS", help="measure by this gold")
    what_if.add_argument("--most", type=int, default=20, help="most documents (default: 20)")
    what_if.add_argument(
        "--for-good", action="store_true", help="hide it from every later search too"
    )
    what_if.add_argument("--no-noise", action="store_true", help="leave out the replay for noise")
    way = add(
        "trajectory",
        "How runs go to what they find: cost, idle searches, reasons, traps, repeats, help.",
    )
    way.add_argument("questions", metavar="QUESTIONS", help="a file, BEIR folder, or own")
    way.add_argument("--strategy", default="trace-rules", help="a whole run")
    way.add_argument("--repeats", type=int, default=0, help="runs of each question (5 or more)")
    way.add_argument("--traps", action="store_true", help="plant a misleading passage in each")
    way.add_argument(
        "--trap-text", type=Path, metavar="FILE", help="plant the text of this file in each instead"
    )
    way.add_argument(
        "--scaffold", action="store_true", help="give the beginning of each good run as help"
    )
    _measuring_options(way)


def _measuring_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--paper", action="store_true", help="with the authors' constants")
    parser.add_argument(
        "--set", action="append", default=[], metavar="GROUP.NAME=VALUE", help="a setting (repeat)"
    )
    parser.add_argument("--workers", type=int, default=1, help="questions at the same time")
    parser.add_argument("--fresh", action="store_true", help="use no answer that was kept")
