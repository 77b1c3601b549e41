"""Counts a judge's verdicts by record: what scores are made of.

All counting is done by the database; a record is one row here however many units it has.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, and_, case, exists, func, select

from trueup.domain.metrics import METRICS
from trueup.domain.model import Metric
from trueup.domain.scores import Tally, state_of
from trueup.store.reading import C as CHUNK
from trueup.store.reading import R, S, T, U
from trueup.store.tables import CallRow, JudgementRow, VerdictRow

V = VerdictRow.__table__
CALL = CallRow.__table__
G = JudgementRow.__table__
_BLANK = " \t\r\n"


@dataclass(frozen=True, slots=True)
class RecordTally:
    """One record as one judge left it.

    `judged` is false where the judge was never asked about it. `claim_set` names what was counted:
    splitter and version. `answered_model` and `system_fingerprint` are those of its last call.
    """

    key: str
    record: str
    release: str
    tally: Tally
    judged: bool
    claim_set: str | None = None
    answered_model: str | None = None
    system_fingerprint: str | None = None


@dataclass(slots=True)
class _Counts:
    entailed: int = 0
    not_entailed: int = 0
    undecided: int = 0
    reasons: set[str] = field(default_factory=set)


def record_tallies(
    connection: Connection,
    judge: int,
    metric: Metric,
    *,
    releases: Sequence[str] | None = None,
    repeat: int = 0,
    own: bool = False,
    first: bool = False,
) -> list[RecordTally]:
    """Tallies of a judge (row id) for all current records (of releases), in import order.

    Counted are the units of the current claim set where the judge ruled on any of them, else those
    of the newest claim set that it ruled on; with `first` those of the oldest one. `own` counts
    what the judge itself said, before the evidence rule.
    """
    within = R.c.current if releases is None else and_(R.c.current, R.c.release.in_(releases))
    spec = METRICS[metric]
    sets = _claim_sets(connection, spec.units, within)
    verdicts = _verdicts(connection, judge, repeat, within, own=own)
    calls = _calls(connection, judge, repeat, within)
    context = (
        _chunks(connection, within) if spec.against == "context" or spec.units == "chunk" else {}
    )
    made = []
    columns = (R.c.id, R.c.key, R.c.name, R.c.release, R.c.has_context, R.c.reference_id)
    for row in connection.execute(select(*columns).where(within).order_by(R.c.id)):
        ruled = verdicts.get(row.id, {})
        chosen = _chosen(sets.get(row.id, ()), ruled, first=first)
        units = 0 if chosen is None else chosen.units
        state = state_of(
            metric,
            units=units,
            abstained=chosen is not None and chosen.abstained,
            has_reference=row.reference_id is not None,
            context=context.get(row.id, 0) if row.has_context else None,
        )
        counts = ruled.get(chosen.id) if chosen is not None else None
        model, system = calls.get(row.id, (None, None))
        made.append(
            RecordTally(
                key=row.key,
                record=row.name,
                release=row.release,
                tally=_tally(units, counts, state),
                judged=counts is not None,
                claim_set=None if chosen is None else chosen.name,
                answered_model=model,
                system_fingerprint=system,
            )
        )
    return made


@dataclass(frozen=True, slots=True)
class _Set:
    id: int
    version: int
    current: bool
    name: str
    abstained: bool
    units: int


def _tally(units: int, counts: _Counts | None, state: str) -> Tally:
    if counts is None:
        return Tally(units, state=state, reason="missing_verdict" if units else "")
    reasons = set(counts.reasons)
    if units > counts.entailed + counts.not_entailed + counts.undecided:
        reasons.add("missing_verdict")
    reason = reasons.pop() if len(reasons) == 1 else ""
    return Tally(units, counts.entailed, counts.not_entailed, state, reason)


def _chosen(sets: Sequence[_Set], ruled: Mapping[int, _Counts], *, first: bool) -> _Set | None:
    """The claim set that counts: with verdicts before without, then current, then newest; or, of
    those with verdicts, the `first`."""
    if first:
        old = [s for s in sets if s.id in ruled]
        if old:
            return min(old, key=lambda s: s.version)
    order = sorted(sets, key=lambda s: (s.id in ruled, s.current, s.version))
    return order[-1] if order else None


def _claim_sets(
    connection: Connection, kind: str, within: ColumnElement[bool]
) -> dict[int, list[_Set]]:
    units = func.count(U.c.id)
    query = (
        select(S.c.id, S.c.record_id, S.c.version, S.c.current, S.c.splitter, S.c.meta, units)
        .join(R, R.c.id == S.c.record_id)
        .outerjoin(U, and_(U.c.claim_set_id == S.c.id, U.c.provisional.is_(False)))
        .where(within, S.c.kind == kind)
        .group_by(S.c.id, S.c.record_id, S.c.version, S.c.current, S.c.splitter, S.c.meta)
    )
    found: dict[int, list[_Set]] = {}
    for number, record, version, current, splitter, meta, n in connection.execute(query):
        abstained = bool((meta or {}).get("abstained"))
        one = _Set(number, version, bool(current), f"{splitter}@{version}", abstained, n)
        found.setdefault(record, []).append(one)
    return found


def _verdicts(
    connection: Connection, judge: int, repeat: int, within: ColumnElement[bool], *, own: bool
) -> dict[int, dict[int, _Counts]]:
    """Record row → claim set row → counts."""
    value = func.coalesce(V.c.own, V.c.value) if own else V.c.value

    def count(code: int) -> Any:
        return func.sum(case((value == code, 1), else_=0))

    query: Select[Any] = (
        select(
            V.c.record_id, U.c.claim_set_id, count(1), count(0), count(-1),
            func.min(V.c.reason), func.max(V.c.reason),
        )
        .join(U, U.c.id == V.c.unit_id)
        .join(R, R.c.id == V.c.record_id)
        .where(V.c.judge_id == judge, V.c.repeat == repeat, U.c.provisional.is_(False), within)
        .group_by(V.c.record_id, U.c.claim_set_id)
    )  # fmt: skip
    found: dict[int, dict[int, _Counts]] = {}
    for record, owner, yes, no, open_, least, most in connection.execute(query):
        counts = _Counts(int(yes), int(no), int(open_), {r for r in (least, most) if r})
        found.setdefault(record, {})[owner] = counts
    return found


def _calls(
    connection: Connection, judge: int, repeat: int, within: ColumnElement[bool]
) -> dict[int, tuple[str | None, str | None]]:
    """Record row → (model, system fingerprint) that answered last."""
    if connection.dialect.name == "postgresql":
        from sqlalchemy import cast
        from sqlalchemy.dialects.postgresql import JSON

        info = cast(CALL.c.info, JSON)
        system = info["reply"]["system_fingerprint"].as_string()
    else:
        system = func.json_extract(CALL.c.info, "$.reply.system_fingerprint")
    query = (
        select(CALL.c.record_id, CALL.c.answered_model, system)
        .join(G, G.c.call_id == CALL.c.id)
        .join(R, R.c.id == CALL.c.record_id)
        .where(G.c.judge_id == judge, CALL.c.repeat == repeat, within)
        .where(CALL.c.body.is_not(None))
        .order_by(CALL.c.id)
    )
    return {record: (model, print_) for record, model, print_ in connection.execute(query)}


def _chunks(connection: Connection, within: ColumnElement[bool]) -> dict[int, int]:
    """Record row → 1, of the records with a chunk that holds text."""
    some = (
        exists()
        .where(CHUNK.c.record_id == R.c.id, T.c.id == CHUNK.c.text_id)
        .where(func.length(func.trim(T.c.body, _BLANK)) > 0)
    )
    return dict.fromkeys(connection.execute(select(R.c.id).where(within, some)).scalars(), 1)
