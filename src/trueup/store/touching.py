"""Notes which tallies have fallen behind: every writer of verdicts, records and claims calls here.

Called last in a writing transaction, so that two writers wait for each other's row but briefly.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from sqlalchemy import Connection, select

from trueup.store.bulk import batches
from trueup.store.reading import R
from trueup.store.score_tables import ScoreStateRow

Z = ScoreStateRow.__table__
_ONE_MORE = (
    "INSERT INTO score_state (judge_id, partner_id, release, changes, done) "
    "VALUES ({0}, 0, {0}, 1, -1) ON CONFLICT (judge_id, partner_id, release) "
    "DO UPDATE SET changes = score_state.changes + 1"
)


def touch_verdicts(connection: Connection, pairs: Iterable[tuple[int, str]]) -> None:
    """Verdicts of judges (row ids) on records of releases were written."""
    mark = "?" if connection.dialect.name == "sqlite" else "%s"
    rows = sorted(set(pairs))
    if rows:
        connection.exec_driver_sql(_ONE_MORE.format(mark), rows)


def touch_releases(connection: Connection, releases: Collection[str]) -> None:
    """Records or claim sets of releases were written: every judge's tallies of them are behind."""
    for batch in batches(sorted(set(releases))):
        update = Z.update().where(Z.c.release.in_(batch), Z.c.partner_id == 0)
        connection.execute(update.values(changes=Z.c.changes + 1))


def releases_of(connection: Connection, records: Collection[int]) -> set[str]:
    """The releases of records (row ids)."""
    return {
        release
        for batch in batches(set(records))
        for release in connection.execute(
            select(R.c.release).where(R.c.id.in_(batch)).distinct()
        ).scalars()
    }
