"""Counts a judge's verdicts by record: what scores are made of.

A record is one row here however many units it has, and all rows of a judge are counted at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, func, select

from trueup.domain.metrics import METRICS
from trueup.domain.model import Metric
from trueup.domain.scores import Tally, state_of
from trueup.store.reading import R
from trueup.store.score_book import Book, Bools, Ints, SetColumns, pairs
from trueup.store.tables import CallRow, JudgementRow, VerdictRow

V = VerdictRow.__table__
CALL = CallRow.__table__
G = JudgementRow.__table__
MISSING = "missing_verdict"
_RULED, _CURRENT = 1 << 40, 1 << 39
"""Weights that put a claim set with verdicts first, then the current one, then the newest."""


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
    book = Book(connection, releases)
    columns = tally_columns(book, judge, metric, repeat=repeat, own=own, first=first)

    def named(names: tuple[str, ...], code: int) -> str | None:
        return None if code < 0 else names[code]

    return [
        RecordTally(
            key=row[1],
            record=row[2],
            release=row[3],
            tally=columns.tally(i),
            judged=bool(columns.judged[i]),
            claim_set=named(columns.claim_sets, int(columns.claim_set[i])),
            answered_model=named(columns.models, int(columns.model[i])),
            system_fingerprint=named(columns.systems, int(columns.system[i])),
        )
        for i, row in enumerate(book.rows)
    ]


@dataclass(frozen=True, slots=True, eq=False)
class TallyColumns:
    """The tallies of one judge for the records of a book, (R,) each.

    `state`, `reason`, `claim_set`, `model` and `system` are places in the lists of those names;
    −1 stands for none.
    """

    units: Ints
    entailed: Ints
    not_entailed: Ints
    judged: Bools
    state: Ints
    reason: Ints
    claim_set: Ints
    model: Ints
    system: Ints
    states: tuple[str, ...]
    reasons: tuple[str, ...]
    claim_sets: tuple[str, ...]
    models: tuple[str, ...]
    systems: tuple[str, ...]

    def tally(self, i: int) -> Tally:
        """The tally of the record at a place."""
        return Tally(
            int(self.units[i]),
            int(self.entailed[i]),
            int(self.not_entailed[i]),
            self.states[self.state[i]],
            self.reasons[self.reason[i]],
        )


def tally_columns(
    book: Book,
    judge: int,
    metric: Metric,
    *,
    repeat: int = 0,
    own: bool = False,
    first: bool = False,
) -> TallyColumns:
    """As `record_tallies`, in columns."""
    sets = book.sets(METRICS[metric].units)
    counts = _count(book, sets, judge, repeat, own=own)
    chosen = _chosen(len(book), sets, counts.ruled, first=first)
    has_set = chosen >= 0
    at = np.where(has_set, chosen, 0)

    def of_set(column: NDArray[Any], none: int = 0) -> Ints:
        if not len(column):
            return np.full(len(book), none, np.int64)
        return np.where(has_set, column[at], none).astype(np.int64)

    units, judged = of_set(sets.units), of_set(counts.ruled) > 0
    state, states = _states(book, metric, units, of_set(sets.abstained) > 0)
    reason, reasons = _reasons(counts, of_set, units, judged, chosen)
    model, models, system, systems = _calls(book, judge, metric, repeat)
    return TallyColumns(
        units=units,
        entailed=of_set(counts.entailed),
        not_entailed=of_set(counts.not_entailed),
        judged=judged,
        state=state,
        reason=reason,
        claim_set=of_set(sets.name, -1),
        model=model,
        system=system,
        states=states,
        reasons=reasons,
        claim_sets=sets.names,
        models=models,
        systems=systems,
    )


def _states(
    book: Book, metric: Metric, units: Ints, abstained: Bools
) -> tuple[Ints, tuple[str, ...]]:
    """What each record lacks, by `state_of`, asked once for each combination that occurs."""
    spec = METRICS[metric]
    asks_text = spec.against == "context" or spec.units == "chunk"
    text = book.has_text if asks_text else np.zeros(len(book), np.bool_)
    context = np.where(book.has_context, text.astype(np.int64), -1)
    code = (units > 0) + 2 * abstained + 4 * book.has_reference + 8 * (context + 1)
    names: dict[str, int] = {}
    made = np.zeros(len(book), np.int64)
    for one in np.unique(code).tolist():
        state = state_of(
            metric,
            units=one & 1,
            abstained=bool(one & 2),
            has_reference=bool(one & 4),
            context=None if one < 8 else (one >> 3) - 1,
        )
        made[code == one] = names.setdefault(state, len(names))
    return made, tuple(names) or ("",)


def _reasons(
    counts: _Counts, of_set: Any, units: Ints, judged: Bools, chosen: Ints
) -> tuple[Ints, tuple[str, ...]]:
    """The one reason that all undecided units of a record share, or ""."""
    names = {"": 0, MISSING: 1}
    made = np.where(judged, 0, np.where(units > 0, 1, 0)).astype(np.int64)
    said = of_set(counts.entailed + counts.not_entailed + counts.undecided)
    lacking = judged & (units > said)
    made[lacking] = 1
    if counts.reasons:
        for i in np.flatnonzero(np.isin(chosen, list(counts.reasons)) & judged).tolist():
            found = counts.reasons[int(chosen[i])] | ({MISSING} if lacking[i] else set())
            made[i] = names.setdefault(found.copy().pop(), len(names)) if len(found) == 1 else 0
    return made, tuple(names)


@dataclass(frozen=True, slots=True, eq=False)
class _Counts:
    """Verdicts by claim set (Z,): entailed, not entailed, whether there is any, and the reasons."""

    entailed: Ints
    not_entailed: Ints
    undecided: Ints
    ruled: Bools
    reasons: dict[int, set[str]]


def _count(book: Book, sets: SetColumns, judge: int, repeat: int, *, own: bool) -> _Counts:
    value = func.coalesce(V.c.own, V.c.value) if own else V.c.value
    mine = (V.c.judge_id == judge, V.c.repeat == repeat)
    query = select(V.c.unit_id, value).where(*mine)
    table = pairs(book.connection, query, V.c.unit_id, sets.unit)
    at, known = _places(sets, np.ascontiguousarray(table["id"]))
    owner, said = sets.unit_set[at[known]], table["value"][known]

    def count(code: int) -> Ints:
        return np.bincount(owner[said == code], minlength=len(sets.id)).astype(np.int64)

    columns = count(1), count(0), count(-1)
    reasons: dict[int, set[str]] = {}
    if columns[2].any():
        why = select(V.c.unit_id, V.c.reason).where(*mine, V.c.reason.is_not(None))
        rows = book.connection.execute(why).all()
        at, known = _places(sets, np.fromiter((r[0] for r in rows), np.int64, len(rows)))
        for place, row, there in zip(at.tolist(), rows, known.tolist(), strict=True):
            if there:
                reasons.setdefault(int(sets.unit_set[place]), set()).add(row[1])
    return _Counts(*columns, (columns[0] + columns[1] + columns[2]) > 0, reasons)


def _places(sets: SetColumns, units: Ints) -> tuple[Ints, Bools]:
    """(place among the units of the sets, whether it is one of them) of each unit id."""
    if not len(sets.unit):
        return np.zeros(len(units), np.int64), np.zeros(len(units), np.bool_)
    at = np.minimum(np.searchsorted(sets.unit, units), len(sets.unit) - 1).astype(np.int64)
    return at, sets.unit[at] == units


def _chosen(records: int, sets: SetColumns, ruled: Bools, *, first: bool) -> Ints:
    """The claim set of each record that counts, (R,); −1 where it has none."""
    age = -sets.version if first else sets.version + sets.current * _CURRENT
    order = np.lexsort((np.where(ruled, age + _RULED, age), sets.record))
    made = np.full(records, -1, np.int64)
    made[sets.record[order]] = order  # of several, the last assignment stays
    return made


def _calls(
    book: Book, judge: int, metric: Metric, repeat: int
) -> tuple[Ints, tuple[str, ...], Ints, tuple[str, ...]]:
    """Which model, and which system fingerprint, answered last about each record."""
    query = (
        select(CALL.c.record_id, CALL.c.answered_model, _system(book.connection))
        .join(G, G.c.call_id == CALL.c.id)
        .join(R, R.c.id == CALL.c.record_id)
        .where(book.within, G.c.judge_id == judge)
        .where(CALL.c.metric == metric, CALL.c.repeat == repeat, CALL.c.body.is_not(None))
        .order_by(CALL.c.id)
    )
    rows = book.connection.execute(query).all()
    places = book.places(np.fromiter((r[0] for r in rows), np.int64, len(rows)))

    def coded(column: int) -> tuple[Ints, tuple[str, ...]]:
        names = {n: i for i, n in enumerate(dict.fromkeys(r[column] for r in rows if r[column]))}
        made = np.full(len(book), -1, np.int64)
        codes = (names.get(r[column], -1) for r in rows)
        made[places] = np.fromiter(codes, np.int64, len(rows))  # the last of several stays
        return made, tuple(names)

    return *coded(1), *coded(2)


def _system(connection: Connection) -> Any:
    """The system fingerprint of a call, from its JSON."""
    if connection.dialect.name == "postgresql":
        from sqlalchemy import cast
        from sqlalchemy.dialects.postgresql import JSON

        return cast(CALL.c.info, JSON)["reply"]["system_fingerprint"].as_string()
    return func.json_extract(CALL.c.info, "$.reply.system_fingerprint")
