"""Opening, locking, file modes, durability, and errors that say what to do."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path

import pytest

from shared import golden_cases
from store_help import claims, item, label, record
from trueup.errors import StoreError
from trueup.store import Store, engine, filesystem

HERE = Path(__file__).parents[1]
POSIX = pytest.mark.skipif(os.name != "posix", reason="file modes and signals of POSIX")


def pragma(store: Store, name: str) -> object:
    """The value of an SQLite pragma on the store's own connection."""
    with store.db.reading() as connection:
        return connection.exec_driver_sql(f"PRAGMA {name}").scalar()


def test_sqlite_is_set_for_safety(tmp_path: Path) -> None:
    """Write-ahead log, full sync, foreign keys, half a minute of patience."""
    with Store.open(tmp_path / "trueup.db", create=True) as store:
        assert pragma(store, "journal_mode") == "wal"
        assert pragma(store, "synchronous") == 2
        assert pragma(store, "foreign_keys") == 1
        assert pragma(store, "busy_timeout") == 30_000
        assert pragma(store, "page_size") == 8192
        assert store.warnings == ()
        assert store.url == f"sqlite:///{tmp_path / 'trueup.db'}"


@POSIX
def test_only_the_owner_can_read_the_store(tmp_path: Path) -> None:
    """Mode 0600, also of the files beside it, whatever the umask."""
    before = os.umask(0)
    try:
        with Store.open(tmp_path / "trueup.db", create=True) as store:
            store.import_records([item()])
            modes = {p.name: p.stat().st_mode & 0o777 for p in tmp_path.iterdir()}
    finally:
        os.umask(before)

    assert set(modes) == {"trueup.db", "trueup.db-wal", "trueup.db-shm"}
    assert set(modes.values()) == {0o600}


@pytest.mark.parametrize("case", golden_cases("store", "network-fs"))
@pytest.mark.parametrize("kind", ["nfs4", "cifs", "9p"])
def test_no_write_ahead_log_on_a_network_file_system(
    case: dict[str, object], kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """WAL is off there, also for a store that had it, and the warning names the file system."""
    with Store.open(tmp_path / "trueup.db", create=True) as store:
        assert pragma(store, "journal_mode") == "wal"
    monkeypatch.setattr(filesystem, "type_of", lambda _: kind)
    with Store.open(tmp_path / "trueup.db") as store:
        assert pragma(store, "journal_mode") != case["check"]["journal_mode_not"]  # type: ignore[index]
        assert kind in store.warnings[0]
        store.import_records([item()])
        assert store.counts().records == 1


def test_the_type_of_a_file_system_is_read_from_the_mounts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The longest mount that holds the path counts, and of two on one place the later."""
    table = tmp_path / "mountinfo"
    table.write_text(
        "21 1 8:1 / / rw - ext4 /dev/a rw\n"
        "22 21 0:9 / /home rw - nfs4 server:/home rw\n"
        "23 22 0:9 / /home/a\\040b rw master:1 - cifs //server/x rw\n"
        "24 21 0:9 / /data rw - nfs server:/data rw\n"
        "25 24 8:2 / /data rw - xfs /dev/b rw\n"
        "broken line\n"
    )
    monkeypatch.setattr(filesystem, "_MOUNTS", table)
    kinds = {p: filesystem.filesystem_type(Path(p)) for p in ("/x", "/home/u/t.db", "/homes/t")}
    assert kinds == {"/x": "ext4", "/home/u/t.db": "nfs4", "/homes/t": "ext4"}
    assert filesystem.filesystem_type(Path("/home/a b/t.db")) == "cifs"
    assert filesystem.filesystem_type(Path("/data/t.db")) == "xfs"
    monkeypatch.setattr(filesystem, "_MOUNTS", tmp_path / "absent")
    assert filesystem.network_kind(Path("/home/u")) is None


def _label_many(path: str, name: str, count: int) -> None:
    with Store.open(path) as store:
        units = store.units("answer_claim")
        for n in range(count):
            store.append_label(label(units[n % len(units)], name, id=f"{name}-{n}"))


def _count_and_insert(path: str, name: str, count: int) -> None:
    with Store.open(path) as store:
        for n in range(count):
            with store.db.writing() as connection:
                connection.exec_driver_sql("SELECT count(*) FROM note").scalar()
                connection.exec_driver_sql("INSERT INTO note VALUES (?, '')", (f"{name}-{n}",))


def in_processes(function: object, path: Path, processes: int, count: int) -> None:
    """Run a function of (path, name, count) in several processes at once."""
    context = multiprocessing.get_context("spawn")
    workers = [
        context.Process(target=function, args=(str(path), f"p{n}", count))  # type: ignore[arg-type]
        for n in range(processes)
    ]
    for w in workers:
        w.start()
    for w in workers:
        w.join()
    assert [w.exitcode for w in workers] == [0] * processes


@pytest.mark.parametrize("case", [c for c in golden_cases("store", "locked") if "001" in str(c.id)])
def test_four_processes_label_at_once(case: dict[str, object], tmp_path: Path) -> None:
    """No label is lost and none refused."""
    path = tmp_path / "trueup.db"
    with Store.open(path, create=True) as store:
        store.import_records(item(record(f"q-{n}")) for n in range(10))
        given = case["input"]
        in_processes(_label_many, path, given["processes"], given["each_writes"])  # type: ignore[index]
        assert len(store.label_events()) == case["check"]["rows"]  # type: ignore[index]


@pytest.mark.parametrize("case", golden_cases("store", "locked-upgrade"))
def test_reading_before_writing_never_fails_on_the_lock(
    case: dict[str, object], tmp_path: Path
) -> None:
    """A writing transaction takes the lock at its start."""
    path = tmp_path / "trueup.db"
    with Store.open(path, create=True) as store:
        in_processes(_count_and_insert, path, 2, 100)
        with store.db.reading() as connection:
            rows = connection.exec_driver_sql("SELECT count(*) FROM note").scalar()
    assert rows == case["check"]["rows"]  # type: ignore[index]


def test_many_may_make_the_same_store_at_once(target: object) -> None:
    """Opening creates the tables once, whoever comes first."""
    stores: list[Store] = []
    errors: list[Exception] = []

    def work() -> None:
        try:
            stores.append(Store.open(target, create=True))  # type: ignore[arg-type]
        except StoreError as error:
            errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(6)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert (errors, len(stores)) == ([], 6)
    for n, store in enumerate(stores):
        assert store.import_records([item(record(f"q-{n}"))]).records == 1
    assert stores[0].counts().records == 6
    for store in stores:
        store.close()


def test_a_label_waits_for_the_lock_and_is_saved(tmp_path: Path) -> None:
    """While another program holds the write lock the label is not said to be saved."""
    path = tmp_path / "trueup.db"
    with Store.open(path, create=True) as store, closing(sqlite3.connect(path)) as other:
        store.import_records([item()])
        other.isolation_level = None
        other.execute("BEGIN IMMEDIATE")
        done = threading.Event()

        def save() -> None:
            store.append_label(label(claims(record())[0]))
            done.set()

        thread = threading.Thread(target=save)
        thread.start()
        assert not done.wait(0.2)
        other.execute("ROLLBACK")
        assert done.wait(30)
        thread.join()
        assert len(store.current_labels()) == 1


def test_a_lock_that_lasts_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After the patience has run out the error says what to look for."""
    monkeypatch.setattr(engine, "BUSY_SECONDS", 0)
    path = tmp_path / "trueup.db"
    with Store.open(path, create=True) as store, closing(sqlite3.connect(path)) as other:
        other.isolation_level = None
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match="locked by another program") as e:
            store.note("a", "b")
    assert "lsof" in (e.value.hint or "")
    assert e.value.exit_code == 5


def start(script: str, path: Path) -> subprocess.Popen[str]:
    """A process that runs a script with the store's path, its output piped."""
    prelude = f"import sys; sys.path.insert(0, {str(HERE)!r})\n"
    prelude += "from store_help import *; from trueup.store import Store\n"
    prelude += "store = Store.open(sys.argv[1])\n"
    return subprocess.Popen(
        [sys.executable, "-c", prelude + script, str(path)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip


@POSIX
@pytest.mark.parametrize("case", golden_cases("store", "durability"))
def test_labels_said_to_be_saved_survive_kill_9(case: dict[str, object], tmp_path: Path) -> None:
    """What a process confirmed before it was killed is there."""
    path = tmp_path / "trueup.db"
    with Store.open(path, create=True) as store:
        store.import_records([item(record("q-0")), item(record("q-1"))])
    script = (
        "for unit in store.units('answer_claim')[:3]:\n"
        "    store.append_label(label(unit)); print('saved', flush=True)\n"
        "input()\n"
    )
    with start(script, path) as process:
        assert process.stdout is not None
        assert [process.stdout.readline() for _ in range(3)] == ["saved\n"] * 3
        process.send_signal(signal.SIGKILL)
    with Store.open(path) as store:
        assert len(store.current_labels()) == case["check"]["labels"]  # type: ignore[index]


@POSIX
def test_an_import_killed_half_way_leaves_nothing(tmp_path: Path) -> None:
    """The transaction never ended: no record, and the store is as good as before."""
    path = tmp_path / "trueup.db"
    with Store.open(path, create=True) as store:
        store.import_records([item(record("before"))])
    script = (
        "def items():\n"
        "    yield from (item(record(f'q-{n}')) for n in range(2000))\n"
        "    print('half', flush=True); input()\n"
        "store.import_records(items())\n"
    )
    with start(script, path) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "half\n"
        process.send_signal(signal.SIGKILL)
    with Store.open(path) as store:
        assert [r.id for r in store.iter_records()] == ["before"]
        assert store.import_records([item(record("after"))]).records == 1
        with store.db.reading() as connection:
            assert connection.exec_driver_sql("PRAGMA integrity_check").scalar() == "ok"


def test_a_store_serves_several_threads(store: Store) -> None:
    """One object, many threads, no lost event."""
    store.import_records([item()])
    unit = claims(record())[0]

    def work(name: str) -> None:
        for n in range(20):
            store.append_label(label(unit, name, id=f"{name}-{n}"))

    threads = [threading.Thread(target=work, args=(f"t{n}",)) for n in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    events = store.label_events()

    assert len(events) == 80
    assert [e.seq for e in events] == sorted(e.seq for e in events)


@pytest.mark.parametrize(
    ("name", "content", "message", "hint"),
    [
        ("absent.db", None, "no such store", "trueup init"),
        ("absent/x.db", None, "no such store", "trueup init"),
        ("text.db", b"hello, I am no database at all. " * 9, "not a trueup database", "another"),
        (".", None, "cannot be opened", "folder"),
    ],
)
def test_what_cannot_be_opened_says_why(
    name: str, content: bytes | None, message: str, hint: str, tmp_path: Path
) -> None:
    """One line and a hint, never a traceback of a driver."""
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(StoreError, match=message) as e:
        Store.open(path)
    assert hint in (e.value.hint or "")
    assert str(path) in str(e.value)


def test_a_store_cannot_be_made_where_there_is_no_folder(tmp_path: Path) -> None:
    """Making a file makes no folders."""
    with pytest.raises(StoreError, match="cannot be made"):
        Store.open(tmp_path / "no" / "trueup.db", create=True)


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("mysql://u@h/x", "no database that trueup knows"),
        ("postgresql://u:secret@127.0.0.1:1/x", "does not answer"),
        ("sqlite://", "needs a file"),
        ("://", "cannot be read"),
    ],
)
def test_a_url_that_leads_nowhere_is_said_without_its_password(url: str, message: str) -> None:
    """Never the password, always what to check."""
    with pytest.raises(StoreError, match=message) as e:
        Store.open(url)
    assert "secret" not in str(e.value)
    assert e.value.hint


def test_a_url_is_shown_without_its_password(target: object) -> None:
    """`url` is for people."""
    with Store.open(target, create=True) as store:  # type: ignore[arg-type]
        shown = store.url
    assert ("***" in shown) == shown.startswith("postgresql")


def test_a_full_disk_is_said_and_leaves_the_store_whole(tmp_path: Path) -> None:
    """The import that did not fit is undone, and the error says why."""
    with Store.open(tmp_path / "trueup.db", create=True) as store:
        pages = pragma(store, "page_count")
        pragma(store, f"max_page_count = {pages}")
        big = record(context=None, answer="x" * 1_000_000)
        with pytest.raises(StoreError, match="disk is full") as e:
            store.import_records([item(big, claims={})])
        assert "space" in (e.value.hint or "")
        assert store.counts().records == 0


def test_a_read_only_store_can_be_read_but_not_written(tmp_path: Path) -> None:
    """Writing says that the file is read-only."""
    with Store.open(tmp_path / "trueup.db", create=True) as store:
        store.import_records([item()])
        with store.db.reading() as connection:
            connection.exec_driver_sql("PRAGMA query_only = 1")
        with pytest.raises(StoreError, match="read-only"):
            store.note("a", "b")
        assert store.counts().records == 1
