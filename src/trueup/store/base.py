"""What every part of the store shares: the database, opened and at the newest schema."""

from __future__ import annotations

from pathlib import Path
from typing import Self

from trueup.store.engine import Database, open_database
from trueup.store.migrate import migrate


class StoreBase:
    """Opens and closes. Every method of the store is short, synchronous and thread-safe."""

    def __init__(self, db: Database) -> None:
        self.db = db

    @classmethod
    def open(cls, target: str | Path, *, create: bool = False) -> Self:
        """Open the store at a path or database URL, upgrading its tables where they are behind.

        Raises StoreError: no such file (unless `create`), no database, locked, a newer schema.
        """
        with_errors = open_database(target, create=create)
        try:
            migrate(with_errors)
        except BaseException:
            with_errors.close()
            raise
        return cls(with_errors)

    @property
    def url(self) -> str:
        """Where the store is, as a URL without its password."""
        return self.db.url

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a person should know about this database (a network file system)."""
        return self.db.warnings

    def close(self) -> None:
        """Give back all connections."""
        self.db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
