"""Taking runs away: exports, accounts, and the check of a record or a bundle."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from trace_core.domain.corpus import DocumentKey
from trace_core.domain.errors import BadInput, ChainBroken, NotFound
from trace_core.service.worker import WorkerRoom

if TYPE_CHECKING:
    from trace_core.export.options import Options
    from trace_core.provenance.agreement import Agreement
    from trace_core.provenance.explain import Explanation, Told
    from trace_core.provenance.record import RunRecord
    from trace_core.provenance.verify import Report


class ExportRoom(WorkerRoom):
    """The part of the façade that accounts for runs."""

    def record(self, run: str) -> RunRecord:
        """A run with all that it refers to. Raises NotFound."""
        from trace_core.provenance.gathering import Shelves, gather

        self.require(run)
        stores = self.stores
        shelves = Shelves(stores.documents, stores.calls, stores.notes, stores.twins, stores.upkeep)
        texts = {stage: prompt.text for stage, prompt in self.prompts_of(self.state(run)).items()}
        return gather(run, self.stores.events.read(run), shelves, prompts=texts)

    def explain(
        self, run: str, key: DocumentKey, language: str = "en", told: Told | None = None
    ) -> Explanation:
        """The path of a document into the list, or why it is not there. Raises NotFound.

        `told` may put recorded reasons into the reader's language.
        """
        from trace_core.provenance.explain import as_it_is, explain

        record, told = self.record(run), told or as_it_is
        found = explain(record, key, language, told)
        if found.kind == "never":  # the run may know the document by another key
            upkeep = self.stores.upkeep
            now = upkeep.present([key]).get(key, key)
            others = (now, *upkeep.former([now]).get(now, ()))
            known = (explain(record, other, language, told) for other in others if other != key)
            found = next((other for other in known if other.kind != "never"), found)
        if found.kind == "never" and not self.stores.documents.heads([key]):
            raise NotFound(f"The archive has no document {key}; `search` shows how they are named.")
        return found

    def methods(self, run: str, language: str = "en") -> str:
        """A paragraph for a paper's methods section, every number from the record."""
        from trace_core.provenance.methods import methods

        return methods(self.record(run), language)

    def export(self, run: str, name: str, options: Options | None = None) -> bytes:
        """A run in a format. Raises BadInput for a format that there is not."""
        from trace_core.export.registry import export

        return export(self.record(run), name, options)

    def export_file(
        self, run: str, name: str, target: Path, options: Options | None = None
    ) -> Path:
        """Write an export beside its place and move it there, so that none is ever half written."""
        content = self.export(run, name, options)
        if target.is_dir():
            from trace_core.export.registry import format_named

            target = target / f"{run}{format_named(name).suffix}"
        part = target.with_name(f".{target.name}.part")
        try:
            part.write_bytes(content)
            part.replace(target)
        except OSError as error:
            raise BadInput(
                f"{target} cannot be written ({error.strerror}); name another."
            ) from None
        return target

    def verify(self, run: str) -> Report:
        """Everything that a run's record can be checked for, with each disagreement by name.

        Events that are whole by themselves are held against what the store knows of their end: how
        many it wrote, and the last one's hash. Raises NotFound.
        """
        from trace_core.provenance.verify import Finding, verify

        report = verify(run, self.stores.events.read(run))
        if report.ok or not report.events:
            try:
                self.stores.events.verify(run)
            except ChainBroken as error:
                cut = Finding("chain", "the end", str(error))
                return replace(report, findings=(cut,))
        return report

    def deciders(self, run: str) -> tuple[str, ...]:
        """The people who decided anything in a run, in the order in which they began."""
        from trace_core.provenance.agreement import deciders

        return deciders(self.state(run))

    def agreement(self, run: str, first: str, second: str) -> Agreement:
        """Cohen's kappa of two people's decisions on a run, with the disagreements."""
        from trace_core.provenance.agreement import agreement

        return agreement(self.state(run), first, second)


def check_bundle(path: Path) -> Report:
    """Check a bundle without any workspace. Raises BadInput for a file that is none."""
    from trace_core.export.bundle_verify import verify_bundle

    return verify_bundle(path)


def read_bundle(path: Path) -> RunRecord:
    """A bundle's run, to be looked at. Raises BadInput for a file that is none."""
    from trace_core.export.bundle_read import open_bundle

    return open_bundle(path)


def document_key(text: str) -> DocumentKey:
    """A document as it is named in lists: sub-corpus/id. Raises BadInput."""
    corpus, slash, source_id = text.partition("/")
    if not (corpus and slash and source_id):
        raise BadInput(f"Name a document as sub-corpus/id (courrier/18870601), not {text!r}.")
    return DocumentKey(corpus, source_id)
