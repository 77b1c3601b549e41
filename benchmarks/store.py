"""Speed of the store, as ratios to the driver alone in the same run.

    python benchmarks/store.py [--units 200000] [--url postgresql+psycopg://…]

Bulk verdict writes against the driver's executemany (SQLite) or COPY with ON CONFLICT (PostgreSQL);
a judge run's commits; verdicts into arrays against the driver's own rows; the plan of a second run.
"""

from __future__ import annotations

import argparse
import resource
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from trueup.domain.judging import Judgement, Reply
from trueup.domain.model import JudgeSpec, Label, Record, Unit, Verdict
from trueup.domain.transfer import ImportedRecord
from trueup.store import Store
from trueup.store.bulk import insert_rows
from trueup.store.tables import VerdictRow
from trueup.store.write_verdicts import VERDICT_COLUMNS

CLAIMS = 5
METRIC = "groundedness"


def timed(name: str, count: int, work: Callable[[], Any], base: float | None = None) -> float:
    """Print and return the CPU seconds of some work, and its ratio to a base."""
    start, wall = time.process_time(), time.perf_counter()
    work()
    used, real = time.process_time() - start, time.perf_counter() - wall
    ratio = "" if base is None else f"   {base / used:5.2f} of the driver's speed"
    print(f"  {name:44} {count / used:11,.0f} a CPU s   {real:6.2f} s wall{ratio}")
    return used


def items(records: int) -> Iterator[ImportedRecord]:
    """Small records with claims."""
    for n in range(records):
        record = Record(f"q-{n}", f"Answer {n}.", context=())
        claims = tuple(
            Unit(record.key, f"q-{n}#{k}", "answer_claim", f"claim {k} of {n}", k)
            for k in range(1, CLAIMS + 1)
        )
        yield ImportedRecord(record, {"answer_claim": claims})


def judge(name: str) -> JudgeSpec:
    """A judge of that name."""
    return JudgeSpec(name, "openai", METRIC, "model", prompt_text=name)


def rows_of(store: Store, spec: JudgeSpec) -> list[tuple[Any, ...]]:
    """A verdict row for every unit."""
    store.save_judge(spec)
    with store.db.reading() as connection:
        number = connection.exec_driver_sql("SELECT max(id) FROM judge").scalar()
        units = connection.exec_driver_sql(
            "SELECT u.id, s.record_id FROM unit u JOIN claim_set s ON s.id = u.claim_set_id "
            "ORDER BY u.id"
        )
        return [(number, 0, unit, record, unit % 2, None, None) for unit, record in units]


def sqlite_writes(store: Store, path: Path) -> None:
    """Bulk writes through the store against executemany on a connection with the same pragmas."""
    rows = rows_of(store, judge("driver"))
    sql = f"INSERT INTO verdict ({', '.join(VERDICT_COLUMNS)}) VALUES (?, ?, ?, ?, ?, ?, ?)"

    def driver() -> None:
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            for pragma in ("synchronous = FULL", "foreign_keys = ON"):
                connection.execute(f"PRAGMA {pragma}")
            connection.execute("BEGIN IMMEDIATE")
            connection.executemany(sql, rows)
            connection.execute("COMMIT")

    base = timed("driver executemany", len(rows), driver)
    bulk(store, base)


def postgres_writes(store: Store) -> None:
    """Bulk writes through the store against COPY into a staging table, then ON CONFLICT."""
    rows = rows_of(store, judge("driver"))
    names = ", ".join(VERDICT_COLUMNS)

    def driver() -> None:
        with store.db.writing() as connection:
            raw: Any = connection.connection.driver_connection
            with raw.cursor() as cursor:
                cursor.execute(
                    f"CREATE TEMP TABLE s ON COMMIT DROP AS SELECT {names} FROM verdict LIMIT 0"
                )
                with cursor.copy(f"COPY s ({names}) FROM STDIN") as copy:
                    for row in rows:
                        copy.write_row(row)
                cursor.execute(
                    f"INSERT INTO verdict ({names}) SELECT {names} FROM s ON CONFLICT DO NOTHING"
                )

    base = timed("driver COPY with ON CONFLICT", len(rows), driver)
    bulk(store, base)


def bulk(store: Store, base: float) -> None:
    """The store's own bulk path over rows of another judge."""
    rows = rows_of(store, judge("bulk"))

    def work() -> None:
        with store.db.writing() as connection:
            insert_rows(
                connection, VerdictRow, VERDICT_COLUMNS, rows, conflict="ON CONFLICT DO NOTHING"
            )

    timed("store bulk writes", len(rows), work, base)


def commits(store: Store, limit: int) -> None:
    """A judge run's commits: calls, replies and verdicts, 500 answers a transaction."""
    spec = judge("run")
    sink = store.sink(spec)
    found = store.missing(kind="answer_claim", metric=METRIC, fingerprint=spec.fingerprint,
                          limit=limit)  # fmt: skip
    batch = [
        Judgement(
            record.key, METRIC, spec.call_fingerprint, spec.fingerprint, 0, 0,
            Reply('{"verdicts": [' + '{"claim": 1, "entailed": true}, ' * CLAIMS + "]}", "stop"),
            None,
            tuple(
                Verdict(u.key, METRIC, spec.fingerprint, "entailed", "entailed") for u in units
            ),
            asked=tuple(u.key for u in units),
        )
        for record, units in found
    ]  # fmt: skip

    def work() -> None:
        for start in range(0, len(batch), 500):
            sink.commit(batch[start : start + 500])

    timed("judge run: verdicts committed", len(batch) * CLAIMS, work)


def reads(store: Store, units: int, path: Path | None) -> None:
    """Verdicts into arrays, and the plan of a second run that finds nothing to do."""
    spec = judge("bulk")
    base = None
    if path is not None:

        def driver() -> None:
            with closing(sqlite3.connect(path)) as connection:
                query = "SELECT unit_id, record_id, value FROM verdict WHERE judge_id = 1"
                np.array(connection.execute(query).fetchall(), np.int64)

        base = timed("driver rows into an array", units, driver)

    def arrays() -> None:
        found = store.verdict_arrays(metric=METRIC, fingerprint=spec.fingerprint)
        assert len(found.unit) == units

    def plan() -> None:
        missing = store.missing(kind="answer_claim", metric=METRIC, fingerprint=spec.fingerprint)
        assert next(missing, None) is None

    timed("store verdict_arrays", units, arrays, base)
    timed("second run, answers planned", units // CLAIMS, plan)
    found = store.units("answer_claim")
    at = datetime.now(UTC)
    store.append_labels(
        Label(u.key, u.key, METRIC, "ana", "entailed" if i % 3 else "not_entailed", at)
        for i, u in enumerate(found)
    )
    timed("store label_arrays", len(found), lambda: store.label_arrays(metric=METRIC))


def main() -> None:
    """Measure on SQLite, or on the server that is named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--units", type=int, default=200_000)
    parser.add_argument("--url")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = None if options.url else Path(folder) / "trueup.db"
        store = Store.open(path or options.url, create=True)
        records = options.units // CLAIMS
        print(f"{options.units:,} units of {records:,} answers on {store.url}")
        timed("import, records", records, lambda: store.import_records(items(records)))
        if path is not None:
            sqlite_writes(store, path)
        else:
            postgres_writes(store)
        commits(store, min(records, 20_000))
        reads(store, records * CLAIMS, path)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"  peak memory {peak:,.0f} MB")
        store.close()


if __name__ == "__main__":
    main()
