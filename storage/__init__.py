"""Fulfils the core's ports in a workspace folder: SQLite, Tantivy and LanceDB."""

from storage.workspace import Workspace

__all__ = ["Workspace"]
