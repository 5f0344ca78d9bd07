"""Questions, answers and reports of evaluations in SQLite: JSON texts by kind and id."""

from __future__ import annotations

from sqlmodel import col, select

from storage.database import Database, as_stored, as_text
from storage.tables import ShelfRow


class SqliteShelf:
    """Fulfils `trace_core.ports.Shelf`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put(self, kind: str, text_id: str, body: str) -> None:
        """Keep a text, or replace the one of this kind and id."""
        with self._database.write() as connection:
            connection.exec_driver_sql(
                "INSERT INTO shelf (kind, id, body) VALUES (?, ?, ?) "
                "ON CONFLICT (kind, id) DO UPDATE SET body = excluded.body",
                (kind, text_id, as_stored(body)),
            )

    def get(self, kind: str, text_id: str) -> str | None:
        """The text of this kind and id."""
        with self._database.read() as connection:
            query = select(ShelfRow.body).where(
                col(ShelfRow.kind) == kind, col(ShelfRow.id) == text_id
            )
            body = connection.execute(query).scalar()
        return None if body is None else as_text(body)

    def list(self, kind: str) -> list[tuple[str, str]]:
        """(id, text) of all of a kind, in the order in which they were first kept."""
        with self._database.read() as connection:
            query = (
                select(ShelfRow.id, ShelfRow.body)
                .where(col(ShelfRow.kind) == kind)
                .order_by(col(ShelfRow.number))
            )
            return [(row[0], as_text(row[1])) for row in connection.execute(query)]
