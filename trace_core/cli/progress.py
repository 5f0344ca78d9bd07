"""How far a long command is: a bar on the terminal, nothing for a machine."""

from __future__ import annotations

import sys
from argparse import Namespace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from trace_core.ingest.importer import Progress
    from trace_core.ingest.indexer import IndexProgress
    from trace_core.ports import Wish


class Bar:
    """A progress bar on the terminal; nothing where there is none."""

    def __init__(self, *, shown: bool) -> None:
        self._shown = shown
        self._bar: Any = None

    def __enter__(self) -> Bar:
        if self._shown:
            from tqdm import tqdm

            self._bar = tqdm(total=1000, bar_format="{desc} |{bar}| {percentage:3.0f}%")
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.close()

    def _move(self, text: str, share: float) -> None:
        if self._bar is not None:
            self._bar.set_description(text)
            self._bar.n = round(1000 * share)
            self._bar.refresh()

    def reading(self, progress: Progress) -> Wish:
        """The watch of an import."""
        left = f", about {progress.left:.0f} s left" if progress.left is not None else ""
        self._move(f"{progress.read:,} read{left}", progress.share)
        return ""

    def writing(self, done: int, total: int) -> None:
        """How many of all documents are written."""
        self._move(f"{done:,} written", done / total if total else 0.0)

    def indexing(self, progress: IndexProgress) -> Wish:
        """The watch of an indexing."""
        from trace_core.ingest.indexer import STAGES

        share = progress.done / progress.total if progress.total else 0.0
        self._move(STAGES[progress.stage], share)
        return ""


def progress_bar(arguments: Namespace) -> Bar:
    """The bar of a command: none where nobody looks at it, or where JSON was asked for."""
    return Bar(shown=sys.stderr.isatty() and not arguments.json)
