"""The record of model calls in SQLite. A call is written once and never changed."""

from __future__ import annotations

from sqlalchemy import Connection

from storage.database import Database, as_stored, as_text
from storage.rows import Row, as_meta, meta_json
from trace_core.ports import CallRecord

_COLUMNS = (
    'id, run, "key", stage, model, prompt_hash, request, reply, tokens_in, tokens_out, seconds, '
    "price, time, problem, meta"
)


class SqliteCalls:
    """Fulfils `trace_core.ports.CallLog`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def find(self, run: str, key: str) -> CallRecord | None:
        """The call already answered for this state, if any."""
        with self._database.read() as connection:
            found = _select(connection, 'WHERE run = ? AND "key" = ?', (run, key))
        return found[0] if found else None

    def save(self, call: CallRecord) -> None:
        """Keep a call. A second call with the same run and key is refused silently."""
        row = (
            call.id,
            call.run,
            call.key,
            call.stage,
            call.model,
            call.prompt_hash,
            as_stored(call.request),
            as_stored(call.reply),
            call.tokens_in,
            call.tokens_out,
            call.seconds,
            call.price,
            call.time,
            as_stored(call.problem),
            meta_json(call.meta),
        )
        marks = ", ".join("?" * len(row))
        with self._database.write() as connection:
            connection.exec_driver_sql(f"INSERT INTO calls ({_COLUMNS}) VALUES ({marks})", row)

    def calls(self, run: str) -> list[CallRecord]:
        """All calls of a run, in order of time."""
        with self._database.read() as connection:
            return _select(connection, "WHERE run = ? ORDER BY time, rowid", (run,))


def _select(connection: Connection, where: str, values: tuple[str, ...]) -> list[CallRecord]:
    rows = connection.exec_driver_sql(f"SELECT {_COLUMNS} FROM calls {where}", values)
    return [_call(row) for row in rows]


def _call(row: Row) -> CallRecord:
    return CallRecord(
        id=row[0],
        run=row[1],
        key=row[2],
        stage=row[3],
        model=row[4],
        prompt_hash=row[5],
        request=as_text(row[6]),
        reply=as_text(row[7]),
        tokens_in=row[8],
        tokens_out=row[9],
        seconds=row[10],
        price=row[11],
        time=row[12],
        problem=as_text(row[13]),
        meta=as_meta(row[14]),
    )
