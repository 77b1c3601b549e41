"""Frames from rows: label events, verdicts, sample weights, slices."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from trueup.domain.model import LabelValue, Origin, Sample, VerdictValue
from trueup.errors import UsageError
from trueup.stats.binary import CodeArray
from trueup.stats.counts import FloatArray, IntArray
from trueup.stats.frame import NO_VERDICT, UNDECIDED, Frame
from trueup.stats.resolve import LABEL_CODES, ORIGIN_CODES, LabelColumns, Resolved, resolve

_VERDICT_CODES = {"entailed": 1, "not_entailed": 0, "undecided": UNDECIDED}


class LabelRow(NamedTuple):
    """One label event. `label` None takes the one before back; `repeat` 1 is the second showing.

    `at` orders the events (time or sequence number, of one kind); without it on every row the
    order of the rows counts.
    """

    unit: str
    record: str
    annotator: str
    label: LabelValue | None
    blind: bool = True
    origin: Origin = "person"
    repeat: int = 0
    at: Any = None


class VerdictRow(NamedTuple):
    """One verdict of a judge; `reason` where it is undecided; `repeat` counts from 0."""

    unit: str
    judge: str
    value: VerdictValue
    reason: str | None = None
    repeat: int = 0


@dataclass(frozen=True, slots=True)
class SampleWeights:
    """What a designed sample says of its records: 1/probability, stratum, strata sizes N_h.

    Strata are neighbours in the order of `population`. Equal weights in a single stratum (a simple
    random sample) leave every figure unweighted; `population` then still serves the
    finite-population correction. Not so in a `discordant` sample, whose totals need the weights.
    """

    weight: Mapping[str, float]
    stratum: Mapping[str, str] = field(default_factory=dict)
    population: Mapping[str, int] = field(default_factory=dict)
    discordant: bool = False

    @classmethod
    def from_sample(cls, sample: Sample) -> Self | None:
        """The weights of a drawn sample; None for a convenience one."""
        if sample.design == "convenience" or not sample.members:
            return None
        strata = dict(sample.strata) or {sample.members[0].stratum: sample.population}
        return cls(
            {m.record: 1 / m.probability for m in sample.members},
            {m.record: m.stratum for m in sample.members},
            strata if all(m.stratum in strata for m in sample.members) else {},
            sample.design == "discordant",
        )


def frame_from_rows(
    labels: Iterable[LabelRow],
    verdicts: Iterable[VerdictRow],
    *,
    units: Mapping[str, str] | None = None,
    origin: Origin = "person",
    include_not_blind: bool = False,
    sample: SampleWeights | None = None,
    slices: Mapping[str, Mapping[str, str]] | None = None,
    judges: Sequence[str] | None = None,
    unasked: Collection[str] = (),
) -> Frame:
    """Resolve rows to a frame (the rules are those of `stats.resolve` and `stats.frame`).

    `units`: unit → record of every unit that should be labelled; units with a label are added.
    `origin`: "person" (with adjudications) or "constructed". Verdicts on other units are passed
    over. With a `sample`, records outside it are left out, and so is a drawn record of which some
    unit carries neither label nor flag (nonresponse; the others of its stratum stand for it).
    `slices`: record → slice name → value. `judges` picks judges and their order. `unasked` are
    drawn records of which no unit needs a label: they responded.
    Raises UsageError for a unit that is given two records, or an unknown label.
    """
    if origin == "adjudication":
        raise UsageError("a frame is of people's labels or of constructed ones")
    rows = _ordered(list(labels))
    unit_record = _unit_records(units or {}, rows)
    unit_code = {name: i for i, name in enumerate(unit_record)}
    records = list(dict.fromkeys([*unit_record.values(), *unasked]))
    record_code = {name: i for i, name in enumerate(records)}
    people = sorted({row.annotator for row in rows if row.origin != "adjudication"})
    resolved = resolve(
        _columns(rows, unit_code, people),
        len(unit_code),
        max(len(people), 1),
        origin=origin,
        include_not_blind=include_not_blind,
    )
    told = _verdicts(verdicts, unit_code, judges)
    frame = Frame(
        answer=np.array([record_code[r] for r in unit_record.values()], dtype=np.int64),
        human=resolved.human,
        verdicts=told.values,
        judges=told.judges,
        n_records=len(records),
        reasons=told.reasons,
        reason_names=told.reason_names,
        unit_names=list(unit_record),
        record_names=records,
        annotators=tuple(people),
        votes=resolved.votes[: len(people)],
        second=resolved.second[: len(people)],
        runs=told.runs,
        slices=_slices(slices or {}, records),
        origin=origin,
        label_counts=resolved.left_out,
    )
    return frame if sample is None else _designed(frame, resolved, sample)


def _unit_records(units: Mapping[str, str], rows: Sequence[LabelRow]) -> dict[str, str]:
    """Unit → record: the given units first, then labelled ones in their order."""
    found = dict(units)
    for row in rows:
        if found.setdefault(row.unit, row.record) != row.record:
            raise UsageError(f"unit {row.unit} belongs to record {found[row.unit]}")
    return found


def _ordered(rows: list[LabelRow]) -> list[LabelRow]:
    timed = all(row.at is not None for row in rows)
    return sorted(rows, key=lambda row: row.at) if timed else rows


def _columns(
    rows: list[LabelRow], unit_code: Mapping[str, int], people: Sequence[str]
) -> LabelColumns:
    who = {name: i for i, name in enumerate(people)}
    deciders: dict[str, int] = {}
    for row in rows:
        if row.label not in LABEL_CODES or row.origin not in ORIGIN_CODES:
            raise UsageError(f"unit {row.unit}: {row.label!r} of origin {row.origin!r} is no label")
    annotator = [
        deciders.setdefault(row.annotator, len(deciders))
        if row.origin == "adjudication"
        else who[row.annotator]
        for row in rows
    ]
    return LabelColumns(
        unit=np.array([unit_code[row.unit] for row in rows], dtype=np.int64),
        annotator=np.array(annotator, dtype=np.int64),
        value=np.array([LABEL_CODES[row.label] for row in rows], dtype=np.int8),
        blind=np.array([row.blind for row in rows], dtype=np.bool_),
        origin=np.array([ORIGIN_CODES[row.origin] for row in rows], dtype=np.int8),
        repeat=np.array([row.repeat for row in rows], dtype=np.int8),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Told:
    """Verdicts as arrays, the last one of each (unit, judge, repeat)."""

    judges: tuple[str, ...]
    values: CodeArray
    reasons: npt.NDArray[np.int16]
    reason_names: tuple[str, ...]
    runs: dict[str, CodeArray]


def _verdicts(
    rows: Iterable[VerdictRow], unit_code: Mapping[str, int], judges: Sequence[str] | None
) -> _Told:
    wanted = None if judges is None else set(judges)
    said: dict[str, dict[int, dict[int, tuple[int, int]]]] = {j: {} for j in judges or ()}
    reason_code: dict[str, int] = {}
    for row in rows:
        at = unit_code.get(row.unit)
        if at is None or (wanted is not None and row.judge not in wanted):
            continue
        if row.value not in _VERDICT_CODES:
            raise UsageError(f"unit {row.unit}: {row.value!r} is no verdict")
        why = -1 if row.reason is None else reason_code.setdefault(row.reason, len(reason_code))
        runs = said.setdefault(row.judge, {})
        runs.setdefault(row.repeat, {})[at] = (_VERDICT_CODES[row.value], why)
    n = len(unit_code)
    values = np.full((len(said), n), NO_VERDICT, np.int8)
    reasons = np.full((len(said), n), -1, np.int16)
    repeated: dict[str, CodeArray] = {}
    for j, (judge, runs) in enumerate(said.items()):
        matrix = np.full((n, len(runs)), NO_VERDICT, np.int8)
        for k, (repeat, found) in enumerate(sorted(runs.items())):
            at_units = np.fromiter(found, np.int64, len(found))
            pairs = np.array(list(found.values()), dtype=np.int64).reshape(-1, 2)
            matrix[at_units, k] = pairs[:, 0]
            if repeat == 0:
                values[j, at_units] = pairs[:, 0]
                reasons[j, at_units] = pairs[:, 1]
        if len(runs) > 1:
            repeated[judge] = matrix
    return _Told(tuple(said), values, reasons, tuple(reason_code), repeated)


def _slices(
    slices: Mapping[str, Mapping[str, str]], records: Sequence[str]
) -> dict[str, tuple[IntArray, tuple[str, ...]]]:
    names = sorted({name for of_record in slices.values() for name in of_record})
    found = {}
    for name in names:
        told = [slices.get(record, {}).get(name) for record in records]
        values = sorted({v for v in told if v is not None})
        code = {v: i for i, v in enumerate(values)}
        codes = np.array([-1 if v is None else code[v] for v in told], dtype=np.int64)
        found[name] = (codes, tuple(values))
    return found


def _designed(frame: Frame, resolved: Resolved, sample: SampleWeights) -> Frame:
    """The frame of the drawn records that responded, with weights that stand for the others."""
    names = list(frame.record_names or ())
    drawn = np.array([name in sample.weight for name in names], dtype=np.bool_)
    silent = np.bincount(frame.answer[~resolved.touched], minlength=len(names)) > 0
    inside, kept = drawn[frame.answer], (drawn & ~silent)[frame.answer]
    dropped = {
        "outside_sample": int((~inside & (frame.human >= 0)).sum()),
        "nonresponse": int((inside & ~kept).sum()),
    }
    responded = [n for n, d, s in zip(names, drawn, silent, strict=True) if d and not s]
    part = _renumbered(frame.part(kept), responded)
    weight, stratum, population = _weights(sample, responded)
    return replace(
        part,
        weight=weight,
        stratum=stratum,
        population=population,
        dropped={k: v for k, v in dropped.items() if v},
        n_nonresponse=len(sample.weight) - len(responded),
        within_design=sample.discordant,
    )


def _renumbered(frame: Frame, records: Sequence[str]) -> Frame:
    """The same units with only the given records in the table of records."""
    place = {name: i for i, name in enumerate(records)}
    old = [place.get(name, -1) for name in frame.record_names or ()]
    code = np.array(old, dtype=np.int64)
    was = {name: i for i, name in enumerate(frame.record_names or ())}
    order = np.array([was[name] for name in records], dtype=np.int64)
    return replace(
        frame,
        answer=code[frame.answer],
        n_records=len(records),
        record_names=list(records),
        slices={name: (codes[order], values) for name, (codes, values) in frame.slices.items()},
    )


def _weights(
    sample: SampleWeights, responded: Sequence[str]
) -> tuple[FloatArray | None, IntArray | None, FloatArray | None]:
    """Weights of the responding records, raised by drawn/responding in their stratum.

    (None, None, N) where all weigh the same in one stratum.
    """
    order = {name: i for i, name in enumerate(sample.population)}
    for record in sample.weight:
        order.setdefault(sample.stratum.get(record, ""), len(order))
    code = {record: order[sample.stratum.get(record, "")] for record in sample.weight}
    drawn = np.bincount(list(code.values()), minlength=len(order))
    strata = np.array([code[r] for r in responded], dtype=np.int64)
    answered = np.bincount(strata, minlength=len(order))
    raised = drawn / np.maximum(answered, 1)
    weight = np.array([sample.weight[r] for r in responded], dtype=np.float64) * raised[strata]
    sizes = [float(sample.population[name]) for name in order if name in sample.population]
    known = len(sizes) == len(order)
    present = np.unique(strata)
    population = np.array(sizes)[present] if known and sizes and len(present) else None
    if not sample.discordant and len(present) <= 1 and np.allclose(weight, weight[:1]):
        return None, None, population
    return weight, strata, population


def frame_from_codes(
    labels: LabelColumns,
    record: IntArray,
    verdicts: Mapping[str, tuple[IntArray, CodeArray]],
    *,
    annotators: tuple[str, ...] = (),
    origin: Origin = "person",
    include_not_blind: bool = False,
) -> Frame:
    """The array path for stored labels and verdicts: everything is row numbers and codes.

    `labels.unit` are unit numbers and `record` (one per label) record numbers, of any values;
    `verdicts` holds per judge the unit numbers and the verdict codes (1, 0, −1). Units without a
    label are passed over. A million labels and verdicts take a few sorts.
    """
    unit_ids, first, index = np.unique(labels.unit, return_index=True, return_inverse=True)
    record_ids, answer = np.unique(record[first], return_inverse=True)
    columns = replace(labels, unit=index.astype(np.int64))
    n_annotators = max(len(annotators), int(labels.annotator.max(initial=0)) + 1)
    resolved = resolve(
        columns, len(unit_ids), n_annotators, origin=origin, include_not_blind=include_not_blind
    )
    values = np.full((len(verdicts), len(unit_ids)), NO_VERDICT, np.int8)
    for j, (ids, codes) in enumerate(verdicts.values()):
        place = np.searchsorted(unit_ids, ids)
        place = np.minimum(place, max(len(unit_ids) - 1, 0))
        known = unit_ids[place] == ids if len(unit_ids) else np.zeros(len(ids), np.bool_)
        values[j, place[known]] = np.maximum(codes[known], UNDECIDED)
    return Frame(
        answer=answer.astype(np.int64),
        human=resolved.human,
        verdicts=values,
        judges=tuple(verdicts),
        n_records=len(record_ids),
        annotators=annotators,
        votes=resolved.votes,
        second=resolved.second,
        origin=origin,
        label_counts=resolved.left_out,
    )
