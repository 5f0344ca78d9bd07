"""Import reports in SQLite, kept for ever."""

from __future__ import annotations

from sqlmodel import col, select

from storage.database import Database, as_stored, as_text
from storage.tables import ReportRow


class SqliteReports:
    """Fulfils `trace_core.ports.ReportStore`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def save(self, report_id: str, body: str) -> None:
        """Keep or replace (while the import runs) a report's JSON."""
        with self._database.write() as connection:
            connection.exec_driver_sql(
                "INSERT INTO reports (id, body) VALUES (?, ?) "
                "ON CONFLICT (id) DO UPDATE SET body = excluded.body",
                (report_id, as_stored(body)),
            )

    def load(self, report_id: str) -> str | None:
        """A report's JSON."""
        with self._database.read() as connection:
            query = select(ReportRow.body).where(col(ReportRow.id) == report_id)
            body = connection.execute(query).scalar()
        return None if body is None else as_text(body)

    def list(self) -> list[tuple[str, str]]:
        """(id, JSON) of all reports, newest first."""
        with self._database.read() as connection:
            query = select(ReportRow.id, ReportRow.body).order_by(col(ReportRow.number).desc())
            return [(row[0], as_text(row[1])) for row in connection.execute(query)]
