"""Stores on SQLite and on a PostgreSQL server that the tests start themselves."""

from __future__ import annotations

import os
import secrets
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from trueup.store import Store

Target = str | Path


@pytest.fixture(
    params=["sqlite", pytest.param("postgresql", marks=pytest.mark.service)],
)
def target(request: pytest.FixtureRequest, tmp_path: Path) -> Target:
    """Where an empty database is: a path, then (marked `service`) a PostgreSQL URL."""
    if request.param == "sqlite":
        return tmp_path / "trueup.db"
    return str(request.getfixturevalue("new_postgres")())


@pytest.fixture
def store(target: Target) -> Iterator[Store]:
    """An empty store on each kind of database."""
    with Store.open(target, create=True) as opened:
        yield opened


@pytest.fixture
def new_postgres(postgres_server: str) -> Iterator[Callable[[], str]]:
    """Makes empty databases on the server; dropped at the end."""
    import psycopg
    from sqlalchemy import make_url

    names: list[str] = []
    plain = make_url(postgres_server).set(drivername="postgresql")
    admin = plain.render_as_string(hide_password=False)

    def make() -> str:
        name = f"trueup_{secrets.token_hex(6)}"
        with psycopg.connect(admin, autocommit=True) as connection:
            connection.execute(f'CREATE DATABASE "{name}"')
        names.append(name)
        return make_url(postgres_server).set(database=name).render_as_string(hide_password=False)

    yield make
    with psycopg.connect(admin, autocommit=True) as connection:
        for name in names:
            connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """The URL of a server: TRUEUP_TEST_POSTGRES_URL, or one started on loopback."""
    if url := os.environ.get("TRUEUP_TEST_POSTGRES_URL"):
        yield url
        return
    binaries = _binaries()
    if binaries is None:
        reason = "no PostgreSQL server programs here"
        if os.environ.get("TRUEUP_REQUIRE_SERVICES"):
            pytest.fail(reason)
        pytest.skip(reason)
    folder = Path(tempfile.mkdtemp(prefix="trueup-pg-"))
    try:
        yield from _serve(binaries, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _serve(binaries: Path, folder: Path) -> Iterator[str]:
    data, secret = folder / "data", folder / "secret"
    password = secrets.token_hex(8)
    secret.write_text(password)
    prefix: list[str] = []
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        # The server refuses to run as root.
        prefix = ["runuser", "-u", "postgres", "--"]
        for path in (folder, secret):
            shutil.chown(path, "postgres")

    def run(program: str, *arguments: str) -> None:
        subprocess.run(
            [*prefix, str(binaries / program), *arguments],
            check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=folder,
        )  # fmt: skip

    run("initdb", "-D", str(data), "-U", "trueup", "-A", "scram-sha-256", "-N",
        "--pwfile", str(secret), "-E", "UTF8", "--no-locale")  # fmt: skip
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories='' -c fsync=off"
    log = str(folder / "log")
    run("pg_ctl", "-D", str(data), "-w", "-t", "60", "-l", log, "-o", options, "start")
    try:
        yield f"postgresql+psycopg://trueup:{password}@127.0.0.1:{port}/postgres"
    finally:
        run("pg_ctl", "-D", str(data), "-m", "immediate", "-w", "stop")


def _binaries() -> Path | None:
    if found := shutil.which("initdb"):
        return Path(found).parent
    debian = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return debian[-1].parent if debian else None
