"""Brings a database to the newest schema when it is opened.

The check is one small query; Alembic is imported only when a database is behind. An empty database
gets the newest tables at once (a test holds them equal to what the migrations make).
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

from sqlalchemy import Connection, inspect, text

from trueup.errors import StoreError
from trueup.store.engine import Database

REVISIONS = ("0001", "0002")
"""Every revision in order; the last is what this program writes."""

MIGRATIONS = Path(__file__).parent / "migrations"
_LOCK = 0x7472_7565


def migrate(database: Database) -> None:
    """Create or upgrade the tables. Raises StoreError for what this program cannot read."""
    with database.reading() as connection:
        revision = _revision(connection)
    if revision == REVISIONS[-1]:
        return
    _check_known(database, revision)
    if revision is not None and database.path is not None:
        copy_aside(database.path, revision)
    with database.writing() as connection:
        if not database.is_sqlite:
            connection.execute(text("SELECT pg_advisory_xact_lock(:k)"), {"k": _LOCK})
        revision = _revision(connection)
        if revision is None:
            _create(connection)
        elif revision != REVISIONS[-1]:
            upgrade(connection)


def _revision(connection: Connection) -> str | None:
    """The schema of a database: "" for foreign tables, None for an empty database."""
    names = inspect(connection).get_table_names()
    if "alembic_version" in names:
        found = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
        return "" if found is None else str(found)
    return "" if names else None


def _check_known(database: Database, revision: str | None) -> None:
    if revision is None or revision in REVISIONS:
        return
    if revision == "":
        raise StoreError(
            f"{database.label}: holds tables of another program", hint="name an empty database"
        )
    raise StoreError(
        f"{database.label}: was written by a newer trueup (schema {revision}, "
        f"this one knows {REVISIONS[-1]})",
        hint="upgrade trueup",
    )


def _create(connection: Connection) -> None:
    from trueup.store import score_tables  # noqa: F401 (its tables join the metadata)
    from trueup.store.tables import metadata

    metadata.create_all(connection)
    connection.execute(
        text(
            "CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL, "
            "CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num))"
        )
    )
    connection.execute(
        text("INSERT INTO alembic_version (version_num) VALUES (:v)"), {"v": REVISIONS[-1]}
    )


def upgrade(connection: Connection) -> None:
    """Run the migrations that a database lacks, on this connection, within its transaction."""
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


def copy_aside(path: Path, revision: str) -> Path:
    """Copy a database beside itself before it is changed; returns the copy (mode 0600).

    The copy goes through SQLite, so that what still stands in the write-ahead log is in it.
    """
    target = path.with_name(f"{path.name}.before-upgrade-of-{revision}")
    number = 1
    while target.exists():
        number += 1
        target = path.with_name(f"{path.name}.before-upgrade-of-{revision}-{number}")
    os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    with closing(sqlite3.connect(path)) as old, closing(sqlite3.connect(target)) as new:
        old.backup(new)
    return target
