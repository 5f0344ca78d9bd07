"""The formats that an import can read, as a person chooses among them."""

from __future__ import annotations


def formats() -> tuple[tuple[str, str], ...]:
    """(name as an import takes it, title as a person reads it) of every format."""
    from trace_core.ingest.registry import readers

    return tuple((reader.name, reader.title) for reader in readers())
