"""Scores counted by release, kept beside the verdicts that they follow from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from sqlalchemy import Connection, exists, func, select

from trueup.domain.model import JudgeSpec, Metric, UnitKind
from trueup.domain.scores import ANSWER_CORRECTNESS
from trueup.domain.transfer import spec_from_json
from trueup.errors import StoreError
from trueup.store.base import StoreBase
from trueup.store.judges import J, judge_id
from trueup.store.reading import R, S, U
from trueup.store.score_groups import (
    Body,
    Line,
    ScoreGroup,
    bodies,
    group_of,
    joined,
    pair_fingerprint,
    single,
)
from trueup.store.tables import VerdictRow
from trueup.store.tallies import RecordTally, record_tallies
from trueup.store.touching import Z

V = VerdictRow.__table__
_Lines = Callable[[Connection, list[str]], list[Line]]


@dataclass(frozen=True, slots=True)
class EndToEnd:
    """How many records of a release are known to fail, known not to, and not known."""

    release: str
    failing: int
    not_failing: int
    unknown: int


@dataclass(slots=True)
class _State:
    """One row of `score_state`: what was counted, and whether it has fallen behind `target`."""

    target: int
    done: int
    groups: list[Body]


class Scores(StoreBase):
    """The part of the store that counts verdicts into scores."""

    def score_groups(
        self, *, metrics: Sequence[Metric] | None = None, releases: Sequence[str] | None = None
    ) -> tuple[list[JudgeSpec], list[ScoreGroup]]:
        """Judges in the order in which they were stored, and the groups of each by release.

        What has fallen behind is counted anew first, and kept where the store can be written.
        """
        with self.db.reading() as connection:
            specs = _specs(connection, metrics)
            states = _states(connection, specs, 0, releases)
        found = []
        for judge, spec in specs.items():
            mine = {r: s for (j, r), s in states.items() if j == judge}

            def lines(
                connection: Connection,
                behind: list[str],
                judge: int = judge,
                spec: JudgeSpec = spec,
            ) -> list[Line]:
                return single(record_tallies(connection, judge, spec.metric, releases=behind))

            self._refresh(judge, 0, mine, lines)
            for release, state in mine.items():
                found += [group_of(spec.fingerprint, spec.metric, release, b) for b in state.groups]
        return list(specs.values()), found

    def correctness_groups(
        self, precision: str, recall: str, *, releases: Sequence[str] | None = None
    ) -> list[ScoreGroup]:
        """Groups of `answer_correctness` from the judges (fingerprints) of its two halves."""
        with self.db.reading() as connection:
            one = judge_id(connection, precision, "correctness_precision")
            two = judge_id(connection, recall, "correctness_recall")
            if one is None or two is None:
                return []
            first = _states(connection, [one], 0, releases)
            second = _states(connection, [two], 0, releases)
            kept = _states(connection, [one], two, releases)
        mine = {}
        for (_, release), state in first.items():
            if (other := second.get((two, release))) is not None:
                stored = kept.get((one, release))
                target = state.target + other.target
                mine[release] = (
                    _State(target, -1, [])
                    if stored is None
                    else _State(target, stored.done, stored.groups)
                )

        def lines(connection: Connection, behind: list[str]) -> list[Line]:
            return joined(
                record_tallies(connection, one, "correctness_precision", releases=behind),
                record_tallies(connection, two, "correctness_recall", releases=behind),
            )

        self._refresh(one, two, mine, lines)
        name = pair_fingerprint(precision, recall)
        return [
            group_of(name, ANSWER_CORRECTNESS, release, body)
            for release, state in mine.items()
            for body in state.groups
        ]

    def _refresh(self, judge: int, partner: int, mine: dict[str, _State], lines: _Lines) -> None:
        """Count the releases that have fallen behind."""
        behind = [release for release, state in mine.items() if state.done != state.target]
        if not behind:
            return
        with self.db.reading() as connection:
            seen = _changes(connection, (judge, partner), behind)
            made = lines(connection, behind)
        by_release: dict[str, list[Line]] = {release: [] for release in behind}
        for line in made:
            by_release[line[1].release].append(line)
        for release, some in by_release.items():
            mine[release].groups = bodies(some)
        # A store that cannot be written still has its scores shown.
        with suppress(StoreError), self.db.writing() as connection:
            for release in behind:
                _keep(connection, (judge, partner, release), seen[release], mine[release].groups)

    def record_tallies(
        self,
        *,
        metric: Metric,
        fingerprint: str,
        releases: Sequence[str] | None = None,
        repeat: int = 0,
        own: bool = False,
        first: bool = False,
    ) -> list[RecordTally]:
        """What one judge left of each current record; see `tallies.record_tallies`."""
        with self.db.reading() as connection:
            judge = judge_id(connection, fingerprint, metric)
            if judge is None:
                return []
            return record_tallies(
                connection, judge, metric, releases=releases, repeat=repeat, own=own, first=first
            )

    def last_repeat(self, *, metric: Metric, fingerprint: str) -> int:
        """The highest repeat of which a judge has a verdict; 0 where it was asked at most once."""
        with self.db.reading() as connection:
            judge = judge_id(connection, fingerprint, metric)
            query = select(func.max(V.c.repeat)).where(V.c.judge_id == judge)
            return int(connection.execute(query).scalar() or 0)

    def count_with_units(self, kind: UnitKind, *, releases: Sequence[str]) -> int:
        """How many current records of these releases have a current unit of a kind."""
        some = exists().where(
            S.c.record_id == R.c.id, S.c.kind == kind, S.c.current,
            U.c.claim_set_id == S.c.id, U.c.provisional.is_(False),
        )  # fmt: skip
        query = select(func.count()).select_from(R)
        query = query.where(R.c.current, R.c.release.in_(list(releases)), some)
        with self.db.reading() as connection:
            return int(connection.execute(query).scalar_one())

    def end_to_end(self) -> list[EndToEnd]:
        """Current records by release and `failing`, releases in order of first import."""
        query = (
            select(R.c.release, R.c.failing, func.count(), func.min(R.c.id))
            .where(R.c.current)
            .group_by(R.c.release, R.c.failing)
        )
        counts: dict[str, Counter[bool | None]] = {}
        with self.db.reading() as connection:
            rows = sorted(connection.execute(query).all(), key=lambda row: row[3])
        for release, failing, n, _ in rows:
            counts.setdefault(release, Counter())[None if failing is None else bool(failing)] += n
        return [EndToEnd(r, c[True], c[False], c[None]) for r, c in counts.items()]


def _specs(connection: Connection, metrics: Sequence[Metric] | None) -> dict[int, JudgeSpec]:
    query = select(J.c.id, J.c.spec).order_by(J.c.id)
    if metrics is not None:
        query = query.where(J.c.metric.in_(list(metrics)))
    return {row.id: spec_from_json(row.spec) for row in connection.execute(query)}


def _states(
    connection: Connection,
    judges: Mapping[int, JudgeSpec] | Sequence[int],
    partner: int,
    releases: Sequence[str] | None,
) -> dict[tuple[int, str], _State]:
    query = (
        select(Z.c.judge_id, Z.c.release, Z.c.changes, Z.c.done, Z.c.body)
        .where(Z.c.judge_id.in_(list(judges)), Z.c.partner_id == partner)
        .order_by(Z.c.judge_id, Z.c.release)
    )
    if releases is not None:
        query = query.where(Z.c.release.in_(list(releases)))
    return {
        (row.judge_id, row.release): _State(
            row.changes, row.done, (row.body or {}).get("groups", [])
        )
        for row in connection.execute(query)
    }


def _changes(
    connection: Connection, judges: tuple[int, int], releases: Sequence[str]
) -> dict[str, int]:
    """What the counts that are made now will be up to, by release."""
    query = (
        select(Z.c.release, func.sum(Z.c.changes))
        .where(Z.c.judge_id.in_(judges), Z.c.partner_id == 0, Z.c.release.in_(list(releases)))
        .group_by(Z.c.release)
    )
    return {release: int(changes) for release, changes in connection.execute(query)}


def _keep(
    connection: Connection, key: tuple[int, int, str], done: int, groups: Sequence[Body]
) -> None:
    judge, partner, release = key
    values = {"done": done, "body": {"groups": list(groups)}}
    here = (Z.c.judge_id == judge, Z.c.partner_id == partner, Z.c.release == release)
    if not connection.execute(Z.update().where(*here).values(values)).rowcount:
        new = {"judge_id": judge, "partner_id": partner, "release": release, "changes": 0}
        connection.execute(Z.insert().values(new | values))
