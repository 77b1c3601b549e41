"""Fast writes: rows as tuples straight to the driver, texts stored once, ids given in blocks.

SQLite takes them by the driver's executemany, PostgreSQL by COPY (through a staging table where
some rows may be there already).
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import closing
from itertools import islice
from typing import Any, TypeVar

from sqlalchemy import Connection, func, select, text

from trueup.store.columns import storable
from trueup.store.tables import ClaimSetRow, RecordRow, Row, TextRow, UnitRow

IN_LIST = 2000
"""Values in one IN list: far below the limit of either database, and enough to amortise a query."""
_COPY_FROM = 64
_STRUCTURE_LOCK = 0x7472_7566
_CACHE_TEXTS = 50_000

T = TypeVar("T")


def batches(items: Iterable[T], size: int = IN_LIST) -> Iterator[list[T]]:
    """Lists of at most `size` items."""
    iterator = iter(items)
    while batch := list(islice(iterator, size)):
        yield batch


def insert_rows(
    connection: Connection,
    table: type[Row],
    columns: Sequence[str],
    rows: Sequence[tuple[Any, ...]],
    *,
    conflict: str = "",
) -> int:
    """Insert rows given as tuples of stored values (bytes for keys, text for JSON).

    `conflict` is an ON CONFLICT clause in the common words of both databases. Returns how many rows
    were inserted or changed.
    """
    if not rows:
        return 0
    name, names = table.__table__.name, ", ".join(f'"{c}"' for c in columns)
    if connection.dialect.name == "postgresql" and len(rows) >= _COPY_FROM:
        return _copy(connection, name, names, rows, conflict)
    mark = "?" if connection.dialect.name == "sqlite" else "%s"
    marks = ", ".join([mark] * len(columns))
    done = connection.exec_driver_sql(
        f'INSERT INTO "{name}" ({names}) VALUES ({marks}) {conflict}',  # noqa: S608 (own names)
        list(rows),
    )
    return int(done.rowcount)


def _copy(
    connection: Connection, name: str, names: str, rows: Sequence[tuple[Any, ...]], conflict: str
) -> int:
    target = name
    if conflict:
        target = f"staging_{name}"
        connection.exec_driver_sql(
            f'CREATE TEMP TABLE IF NOT EXISTS "{target}" ON COMMIT DROP AS '  # noqa: S608 (own names)
            f'SELECT {names} FROM "{name}" WITH NO DATA'
        )
        connection.exec_driver_sql(f'TRUNCATE "{target}"')
    driver = connection.connection.driver_connection
    assert driver is not None
    with driver.cursor() as cursor, cursor.copy(f'COPY "{target}" ({names}) FROM STDIN') as copy:
        for row in rows:
            copy.write_row(row)
    if not conflict:
        return len(rows)
    # In the order given: what the database numbers (label events) is numbered in that order.
    done = connection.exec_driver_sql(
        f'INSERT INTO "{name}" ({names}) SELECT {names} FROM "{target}" ORDER BY ctid {conflict}'  # noqa: S608
    )
    return int(done.rowcount)


def text_hash(body: str) -> bytes:
    """What makes a text unique: 16 bytes of SHA-256."""
    return hashlib.sha256(body.encode()).digest()[:16]


def lock_structure(connection: Connection) -> None:
    """Let one writer at a time give ids to texts, records, claim sets and units.

    SQLite's writing transaction is that lock already.
    """
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:k)"), {"k": _STRUCTURE_LOCK})


class Structure:
    """Gives ids to new texts, records, claim sets and units within one writing transaction."""

    def __init__(self, connection: Connection) -> None:
        lock_structure(connection)
        self.connection = connection
        self._next: dict[type[Row], int] = {
            table: (connection.execute(select(func.max(table.__table__.c.id))).scalar() or 0) + 1
            for table in (TextRow, RecordRow, ClaimSetRow, UnitRow)
        }
        self._known: dict[bytes, int] = {}

    def next_id(self, table: type[Row]) -> int:
        """A new id of that table."""
        number = self._next[table]
        self._next[table] = number + 1
        return number

    def upcoming(self, table: type[Row]) -> int:
        """The id that the next new row of that table gets."""
        return self._next[table]

    def add_texts(self, bodies: Sequence[str]) -> list[int]:
        """The ids of texts that are stored as new ones: an answer or a claim seldom recurs."""
        first = self._next[TextRow]
        rows = [(n, None, storable(body)) for n, body in enumerate(bodies, first)]
        self._next[TextRow] = first + len(rows)
        insert_rows(self.connection, TextRow, ("id", "hash", "body"), rows)
        return [row[0] for row in rows]

    def intern(self, bodies: Iterable[str]) -> dict[str, int]:
        """The ids of texts of which each is stored once, storing those that are new."""
        stored = {b: storable(b) for b in bodies}
        wanted = {body: text_hash(form) for body, form in stored.items()}
        if len(self._known) > _CACHE_TEXTS:
            self._known.clear()
        missing = {h: stored[body] for body, h in wanted.items() if h not in self._known}
        self._look_up(missing)
        rows = []
        for digest, body in missing.items():
            if digest not in self._known:
                self._known[digest] = number = self.next_id(TextRow)
                rows.append((number, digest, body))
        insert_rows(self.connection, TextRow, ("id", "hash", "body"), rows)
        return {body: self._known[digest] for body, digest in wanted.items()}

    def _look_up(self, digests: Collection[bytes]) -> None:
        for digest, number in select_in(
            self.connection, 'SELECT hash, id FROM "text" WHERE hash IN', digests
        ):
            self._known[bytes(digest)] = number


def select_in(
    connection: Connection, query: str, values: Collection[Any], tail: str = ""
) -> Iterator[tuple[Any, ...]]:
    """Rows of `query (values) tail` as the driver gives them, in as many queries as needed."""
    mark = "?" if connection.dialect.name == "sqlite" else "%s"
    driver: Any = connection.connection.driver_connection
    with closing(driver.cursor()) as cursor:
        for batch in batches(values):
            marks = ", ".join([mark] * len(batch))
            cursor.execute(f"{query} ({marks}) {tail}", tuple(batch))
            yield from cursor.fetchall()
