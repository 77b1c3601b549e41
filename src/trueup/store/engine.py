"""Opens a database: pragmas, transactions, file mode, and errors that a person can act on.

Two kinds of transaction: `reading()` and `writing()`. On SQLite a writing one begins IMMEDIATE, so
that it waits for the lock at its start and never fails half-way for having read first.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, SQLAlchemyError

from trueup.errors import StoreError
from trueup.store import filesystem

BUSY_SECONDS = 30
_WRITING = "trueup_writing"
_NETWORK = (
    "{path} is on a network file system ({kind}): write-ahead logging is off, because it corrupts "
    "databases there. Keep the store on a local disk, or set TRUEUP_DATABASE_URL to a PostgreSQL "
    "server."
)
_HINTS = (
    ("database is locked", "locked by another program for too long",
     "wait for the other trueup to finish, or find it with `lsof`"),
    ("readonly", "is read-only", "check the owner and the mode of the file and its folder"),
    ("not a database", "is not a trueup database", "name another file, or restore it from a copy"),
    ("malformed", "is damaged", "restore it from a copy"),
    ("disk is full", "the disk is full", "free some space and run the same command again"),
    ("no space left", "the disk is full", "free some space and run the same command again"),
    ("unable to open", "cannot be opened", "check that its folder exists and can be written to"),
    ("connection refused", "the server does not answer", "check host and port, and that it runs"),
    ("password authentication", "the server refused the password", "check TRUEUP_DATABASE_URL"),
    ("does not exist", "no such database, or tables are missing", "check TRUEUP_DATABASE_URL"),
)  # fmt: skip


class Database:
    """An engine with the two kinds of transaction. Safe in several threads and processes."""

    def __init__(self, url: URL, warnings: tuple[str, ...], *, wal: bool = True) -> None:
        self.label = url.database if url.drivername.startswith("sqlite") else str(url)
        self.url = url.render_as_string(hide_password=True)
        self.warnings = warnings
        self.is_sqlite = url.drivername.startswith("sqlite")
        self.path = Path(url.database) if self.is_sqlite and url.database else None
        self._engine = _sqlite_engine(url, wal=wal) if self.is_sqlite else _server_engine(url)
        driver = self._engine.dialect.loaded_dbapi
        self._driver_error: type[Exception] = driver.Error
        """What bulk paths raise, which go past SQLAlchemy."""

    @property
    def engine(self) -> Engine:
        """The SQLAlchemy engine (for migrations)."""
        return self._engine

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A transaction that reads one state of the database."""
        with self.errors(), self._engine.begin() as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A transaction that writes; committed (and synced) at the end, rolled back on an error."""
        with self.errors(), self._engine.connect() as connection:
            writer = connection.execution_options(**{_WRITING: True})
            with writer.begin():
                yield writer

    @contextmanager
    def errors(self) -> Iterator[None]:
        """Turns errors of the database into StoreError with a hint."""
        try:
            yield
        except (SQLAlchemyError, self._driver_error) as error:
            raise store_error(self.label or self.url, error) from error

    def close(self) -> None:
        """Give back all connections."""
        self._engine.dispose()


def open_database(target: str | Path, *, create: bool) -> Database:
    """A database at a path or URL. Raises StoreError where it is absent and `create` is false."""
    url = _url(target)
    if not url.drivername.startswith("sqlite"):
        return Database(url, ())
    if not url.database or url.database == ":memory:":
        raise StoreError("a store needs a file", hint="name a path such as trueup.db")
    path = Path(url.database).expanduser()
    _prepare_file(path, create=create)
    network = filesystem.network_kind(path)
    warnings = [_NETWORK.format(path=path, kind=network)] if network else []
    return Database(url.set(database=str(path)), tuple(warnings), wal=network is None)


def store_error(label: str, error: BaseException) -> StoreError:
    """What went wrong in one line, with what to do about it where that is known."""
    cause = error.orig if isinstance(error, DBAPIError) and error.orig is not None else error
    text = " ".join(str(cause).split())
    for needle, meaning, hint in _HINTS:
        if needle in text.lower():
            return StoreError(f"{label}: {meaning} ({text})", hint=hint)
    return StoreError(f"{label}: {text or type(cause).__name__}")


def _url(target: str | Path) -> URL:
    if isinstance(target, Path) or "://" not in target:
        return URL.create("sqlite", database=str(target))
    try:
        url = make_url(target)
    except ArgumentError as error:
        raise StoreError(
            "the database URL cannot be read",
            hint="postgresql+psycopg://user:password@host/database, or a path",
        ) from error
    if url.drivername in {"postgresql", "postgres"}:
        url = url.set(drivername="postgresql+psycopg")
    if url.drivername not in {"sqlite", "postgresql+psycopg"}:
        raise StoreError(
            f"{url.drivername} is no database that trueup knows",
            hint="SQLite (a path) or PostgreSQL (postgresql+psycopg://…)",
        )
    return url


def _prepare_file(path: Path, *, create: bool) -> None:
    """Make the file ourselves, so that nobody else can ever read it; SQLite copies its mode."""
    if path.exists():
        return
    if not create:
        raise StoreError(f"{path}: no such store", hint="make a workspace with: trueup init")
    try:
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
    except OSError as error:
        raise StoreError(
            f"{path}: cannot be made: {error.strerror or error}",
            hint="check that its folder exists and can be written to",
        ) from error


def _server_engine(url: URL) -> Engine:
    try:
        return create_engine(url, pool_pre_ping=True, connect_args={"connect_timeout": 10})
    except ModuleNotFoundError as error:
        raise StoreError(
            "PostgreSQL needs the psycopg package", hint="pip install 'trueup[postgres]'"
        ) from error


def _sqlite_engine(url: URL, *, wal: bool) -> Engine:
    engine = create_engine(url, connect_args={"timeout": BUSY_SECONDS, "check_same_thread": False})

    @event.listens_for(engine, "connect")
    def on_connect(connection: Any, _: object) -> None:
        connection.isolation_level = (
            None  # transactions begin where we say, not where pysqlite does
        )
        cursor = connection.cursor()
        cursor.execute(f"PRAGMA busy_timeout = {BUSY_SECONDS * 1000}")
        # A chunk of text fills such a page well: a third less disk than with the usual half of it.
        # It counts for a new file only.
        cursor.execute("PRAGMA page_size = 8192")
        cursor.execute(f"PRAGMA journal_mode = {'WAL' if wal else 'DELETE'}")
        cursor.execute("PRAGMA synchronous = FULL")
        cursor.execute("PRAGMA foreign_keys = ON")
        cursor.close()

    @event.listens_for(engine, "begin")
    def on_begin(connection: Connection) -> None:
        writing = connection.get_execution_options().get(_WRITING)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writing else "BEGIN")

    return engine
