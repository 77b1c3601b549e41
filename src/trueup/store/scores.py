"""Scores counted by release, kept beside the verdicts that they follow from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from sqlalchemy import Connection, exists, func, select

from trueup.domain.model import JudgeSpec, Metric, UnitKind
from trueup.domain.scores import ANSWER_CORRECTNESS
from trueup.domain.transfer import spec_from_json
from trueup.errors import StoreError
from trueup.store.base import StoreBase
from trueup.store.bulk import batches
from trueup.store.judges import J, judge_id
from trueup.store.reading import R, S, U
from trueup.store.score_book import Book
from trueup.store.score_groups import Body, ScoreGroup, bodies, group_of, pair_fingerprint
from trueup.store.tables import VerdictRow
from trueup.store.tallies import RecordTally, record_tallies, tally_columns
from trueup.store.touching import Z

V = VerdictRow.__table__
_RELEASES = 64
"""Releases counted at once: what bounds memory, and how long one reading transaction is."""


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


@dataclass(frozen=True, slots=True, eq=False)
class _Job:
    """Releases of one judge (row id, 0), or of the two of a pair, with the metric of each."""

    judges: tuple[int, int]
    metrics: tuple[Metric, ...]
    states: dict[str, _State]

    def behind(self, release: str) -> bool:
        """Whether a release is of this job and has to be counted."""
        state = self.states.get(release)
        return state is not None and state.done != state.target


class Scores(StoreBase):
    """The part of the store that counts verdicts into scores."""

    def score_groups(
        self, *, metrics: Sequence[Metric] | None = None, releases: Sequence[str] | None = None
    ) -> tuple[list[JudgeSpec], list[ScoreGroup]]:
        """Judges in the order in which they were stored, and the groups of each by release.

        What has fallen behind is counted anew first, and kept where the store can be written.
        """
        specs, of_judge = self._counted(metrics, releases)
        found = [
            group_of(spec.fingerprint, spec.metric, release, body)
            for j, spec in specs.items()
            for release, state in of_judge[j].items()
            for body in state.groups
        ]
        return list(specs.values()), found

    def count_scores(self) -> list[JudgeSpec]:
        """Count what has fallen behind, so that the next look finds it counted. Returns judges."""
        specs, _ = self._counted(None, None)
        return list(specs.values())

    def _counted(
        self, metrics: Sequence[Metric] | None, releases: Sequence[str] | None
    ) -> tuple[dict[int, JudgeSpec], dict[int, dict[str, _State]]]:
        with self.db.reading() as connection:
            specs = _specs(connection, metrics)
            states = _states(connection, specs, 0, releases)
        of_judge: dict[int, dict[str, _State]] = {j: {} for j in specs}
        for (judge, release), state in states.items():
            of_judge[judge][release] = state
        self._refresh([_Job((j, 0), (spec.metric,), of_judge[j]) for j, spec in specs.items()])
        return specs, of_judge

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

        halves = ("correctness_precision", "correctness_recall")
        self._refresh([_Job((one, two), halves, mine)])
        name = pair_fingerprint(precision, recall)
        return [
            group_of(name, ANSWER_CORRECTNESS, release, body)
            for release, state in mine.items()
            for body in state.groups
        ]

    def _refresh(self, jobs: Sequence[_Job]) -> None:
        """Count what has fallen behind: some releases at a time, each read once for all judges."""
        open_ones: dict[str, list[_Job]] = {}
        for job in jobs:
            for release, state in job.states.items():
                if state.done != state.target:
                    open_ones.setdefault(release, []).append(job)
        for some in batches(sorted(open_ones), _RELEASES):
            self._count(some, {id(j): j for r in some for j in open_ones[r]}.values())

    def _count(self, releases: Sequence[str], jobs: Iterable[_Job]) -> None:
        made = []
        with self.db.reading() as connection:
            book = Book(connection, releases)
            for job in jobs:
                mine = [r for r in releases if job.behind(r)]
                seen = _changes(connection, job.judges, mine)
                halves = [
                    tally_columns(book, judge, metric)
                    for judge, metric in zip(job.judges, job.metrics, strict=False)
                ]
                groups = bodies(book, halves)
                for release in mine:
                    job.states[release].groups = groups.get(release, [])
                    made.append((job, release, seen[release]))
        # A store that cannot be written still has its scores shown.
        with suppress(StoreError), self.db.writing() as connection:
            for job, release, done in made:
                _keep(connection, (*job.judges, release), done, job.states[release].groups)

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

    def scored_releases(self) -> set[str]:
        """Releases of which some judge has verdicts."""
        with self.db.reading() as connection:
            return set(connection.execute(select(Z.c.release).distinct()).scalars())

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
