"""The commands that look after an archive: the same text twice, withdrawing, merging, records."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING

from trace_core.cli.output import counted, write_json, write_line, write_table
from trace_core.cli.shapes import corpora_json, day
from trace_core.cli.values import pairs
from trace_core.domain.errors import BadInput

if TYPE_CHECKING:
    from trace_core.ports import Part
    from trace_core.service import Service
    from trace_core.service.upkeep import Change


def duplicates(service: Service, arguments: Namespace) -> int:
    """List the groups of documents with the same text, or nearly the same."""
    if arguments.limit < 1 or arguments.offset < 0:
        raise BadInput("The limit must be at least 1, and the offset at least 0.")
    groups = service.duplicates(arguments.offset, arguments.limit)
    number, documents = service.count_duplicates()
    if arguments.json:
        shown = [{"kind": g.kind, "documents": [str(key) for key in g.keys]} for g in groups]
        write_json({"groups": number, "documents": documents, "shown": shown})
        return 0
    texts, among = counted(number, "text"), counted(documents, "document")
    write_line(f"More than once in the archive: {texts}, in {among}.")
    for group in groups:
        write_line(f"{group.kind:<6} {', '.join(map(str, group.keys))}")
    return 0


def withdraw(service: Service, arguments: Namespace) -> int:
    """Take documents, an import or a sub-corpus out of the search."""
    change = service.withdraw(_part(arguments), arguments.reason, arguments.person)
    return _say(change, "withdrawn", arguments)


def bring_back(service: Service, arguments: Namespace) -> int:
    """Bring withdrawn documents, an import or a sub-corpus back."""
    change = service.bring_back(_part(arguments), arguments.reason, arguments.person)
    return _say(change, "brought back", arguments)


def merge(service: Service, arguments: Namespace) -> int:
    """Move all documents of one sub-corpus to another one."""
    if not (arguments.id and arguments.into):
        raise BadInput("Name two sub-corpora: `corpus merge FROM INTO --reason …`.")
    done = service.merge_corpora(arguments.id, arguments.into, arguments.reason, arguments.person)
    if arguments.json:
        renamed = [{"old": str(moved.old), "new": str(moved.new)} for moved in done.renamed]
        write_json({"documents": done.documents, "into": done.corpus.id, "renamed": renamed})
        return 0
    moved_on = counted(done.documents, "document")
    write_line(f"{moved_on} of {arguments.id} moved to {done.corpus.id}.")
    for moved in done.renamed:
        write_line(f"  {moved.old} is {moved.new} now, since its id was taken.")
    return 0


def unmerge(service: Service, arguments: Namespace) -> int:
    """Give a sub-corpus that was merged back, as it was."""
    if not arguments.id:
        raise BadInput("Name the former sub-corpus: `corpus unmerge ID --reason …`.")
    done = service.unmerge_corpus(arguments.id, arguments.reason, arguments.person)
    corpus, holder = done.corpus, done.holder
    if arguments.json:
        write_json(
            {
                "documents": done.documents,
                "corpus": corpus.id,
                "out_of": holder.id,
                "complete": done.complete,
            }
        )
        return 0
    write_line(f"{counted(done.documents, 'document', f'in {corpus.id} ({corpus.name}) again')}.")
    if not done.complete:
        write_line(
            f"Only its name was kept at that merge: its kind, language and citation are those of "
            f"{holder.id} now, and it has no other names; see `corpus set {corpus.id}`."
        )
    return 0


def deeds(service: Service, arguments: Namespace) -> int:
    """List what was done to the archive, by whom and why."""
    found = service.deeds()
    if arguments.json:
        write_json({"deeds": [asdict(deed) for deed in found]})
        return 0
    rows = [(d.time[:16], d.kind, d.target, d.person, d.reason, _details(d.details)) for d in found]
    write_table(("time", "what", "of", "by", "why", "details"), rows)
    return 0


def _details(details: Mapping[str, str]) -> str:
    return "; ".join(f"{name}: {value}" for name, value in details.items())


def _part(arguments: Namespace) -> Part:
    from trace_core.service.exporting import document_key
    from trace_core.service.upkeep import part_of

    keys = [document_key(text) for text in arguments.documents]
    return part_of(keys, arguments.corpus, arguments.report)


def _say(change: Change, done: str, arguments: Namespace) -> int:
    if arguments.json:
        write_json(asdict(change))
        return 0
    write_line(f"{counted(change.documents, 'document', done)}; {change.already:,} before already.")
    if change.stays:
        stays = counted(change.stays, "document")
        write_line(f"Kept: {stays} that only had a new version by this import.")
    return 0


def corpus(service: Service, arguments: Namespace) -> int:
    """List the sub-corpora, describe one anew, merge two, or take a merge back."""
    if arguments.action == "merge":
        return merge(service, arguments)
    if arguments.action == "unmerge":
        return unmerge(service, arguments)
    if arguments.action == "set":
        _describe(service, arguments)
    _list_corpora(service, arguments)
    return 0


def _describe(service: Service, arguments: Namespace) -> None:
    if not arguments.id:
        raise BadInput("Name the sub-corpus to describe: `corpus set ID --name …`.")
    service.set_corpus(
        arguments.id,
        person=arguments.person,
        reason=arguments.reason,
        name=arguments.name,
        aliases=arguments.alias,
        kind=arguments.kind,
        language=arguments.language,
        description=arguments.description,
        local_only=None if arguments.local_only is None else arguments.local_only == "yes",
        citation=None if arguments.cite is None else pairs(arguments.cite, "--cite"),
    )


def _list_corpora(service: Service, arguments: Namespace) -> None:
    views = service.corpora()
    if arguments.json:
        write_json(corpora_json(views))
        return
    rows = [
        (
            v.corpus.id,
            v.corpus.name,
            v.corpus.kind,
            v.corpus.language,
            v.stats.documents,
            v.stats.undated,
            f"{day(v.stats.earliest) or '?'} to {day(v.stats.latest) or '?'}",
        )
        for v in views
    ]
    write_table(("id", "name", "kind", "language", "documents", "undated", "days"), rows)
