"""Migrations make what the models say; an older file is copied aside before it changes."""

from __future__ import annotations

import re
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory

from store_help import item
from trueup.errors import StoreError
from trueup.store import Store, migrate, tables
from trueup.store.engine import open_database

MIGRATIONS = Path(migrate.__file__).parent / "migrations"


def schema(path: Path) -> dict[str, list[str]]:
    """The parts of each definition in an SQLite file, in no order, white space aside."""
    query = "SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'"
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute(query).fetchall()
    plain = {name: re.sub(r'[\s"()]+', " ", sql) for name, sql in rows}
    # What follows the last bracket belongs to the table, not to its last constraint.
    apart = {name: sql.replace("WITHOUT ROWID", ", WITHOUT ROWID") for name, sql in plain.items()}
    return {name: sorted(p.strip() for p in sql.split(",")) for name, sql in apart.items()}


def migrated(target: str | Path) -> None:
    """Make the tables by the migrations alone."""
    database = open_database(target, create=True)
    with database.writing() as connection:
        migrate.upgrade(connection)
    database.close()


def test_migrations_and_models_agree(target: str | Path) -> None:
    """Alembic sees no difference between what the migrations make and the models."""
    migrated(target)
    database = open_database(target, create=False)
    with database.reading() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, tables.metadata) == []
    database.close()


def test_a_new_file_has_what_the_migrations_make(tmp_path: Path) -> None:
    """The short way for new files leads to the same definitions, word for word."""
    migrated(tmp_path / "migrated.db")
    Store.open(tmp_path / "new.db", create=True).close()

    assert schema(tmp_path / "new.db") == schema(tmp_path / "migrated.db")


def test_the_revisions_are_those_in_the_folder() -> None:
    """The list that is checked without Alembic is Alembic's own."""
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    scripts = ScriptDirectory.from_config(config)

    assert [s.revision for s in reversed(list(scripts.walk_revisions()))] == list(migrate.REVISIONS)
    assert scripts.get_heads() == [migrate.REVISIONS[-1]]


def test_an_older_file_is_copied_and_upgraded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The copy holds the data as it was; the file goes to the newest schema."""
    path = tmp_path / "trueup.db"
    with Store.open(path, create=True) as store:
        store.import_records([item()])
    folder = tmp_path / "migrations"
    folder.mkdir()
    for name in ("env.py", "script.py.mako"):
        (folder / name).write_text((MIGRATIONS / name).read_text())
    (folder / "versions").mkdir()
    for script in (MIGRATIONS / "versions").glob("*.py"):
        (folder / "versions" / script.name).write_text(script.read_text())
    (folder / "versions" / "9999_next.py").write_text(
        f"import sqlalchemy as sa\nfrom alembic import op\nrevision = '9999'\n"
        f"down_revision = {migrate.REVISIONS[-1]!r}\n"
        "def upgrade():\n"
        "    with op.batch_alter_table('note') as batch:\n"
        "        batch.add_column(sa.Column('more', sa.Text))\n"
    )
    monkeypatch.setattr(migrate, "MIGRATIONS", folder)
    monkeypatch.setattr(migrate, "REVISIONS", (*migrate.REVISIONS, "9999"))
    old = migrate.REVISIONS[-2]
    with Store.open(path) as store:
        assert store.counts().records == 1
        with store.db.reading() as connection:
            assert connection.exec_driver_sql("SELECT more FROM note").all() == []
    copy = tmp_path / f"trueup.db.before-upgrade-of-{old}"
    assert "more TEXT" not in str(schema(copy)["note"])
    assert "more TEXT" in str(schema(path)["note"])
    with closing(sqlite3.connect(copy)) as connection:
        assert connection.execute("SELECT count(*) FROM record").fetchone() == (1,)
    with Store.open(path) as store:
        assert store.counts().records == 1
    assert migrate.copy_aside(path, old).name.endswith("-2")


def test_a_newer_file_is_refused(target: str | Path) -> None:
    """A file of a newer program is not touched."""
    with Store.open(target, create=True) as store, store.db.writing() as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = 'z999'")
    with pytest.raises(StoreError, match="newer trueup") as e:
        Store.open(target)
    assert e.value.hint == "upgrade trueup"


def test_tables_of_another_program_are_left_alone(tmp_path: Path) -> None:
    """A database that is not ours gets no tables of ours."""
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE x (y)")
    with pytest.raises(StoreError, match="another program"):
        Store.open(path)
    assert set(schema(path)) == {"x"}


def test_opening_a_current_store_imports_no_alembic(tmp_path: Path) -> None:
    """Alembic is for databases that are behind."""
    path = tmp_path / "trueup.db"
    Store.open(path, create=True).close()
    script = (
        "import sys; from trueup.store import Store; Store.open(sys.argv[1]).close()\n"
        "print([m for m in sys.modules if m.split('.')[0] in ('alembic', 'mako', 'psycopg')])"
    )
    run = subprocess.run(
        [sys.executable, "-c", script, str(path)], capture_output=True, text=True, check=True
    )

    assert run.stdout.strip() == "[]"
