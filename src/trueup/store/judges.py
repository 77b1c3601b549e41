"""Judges as rows, and verdicts as codes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, select

from trueup.domain.model import Evidence, JudgeSpec, Span, Verdict, VerdictValue
from trueup.domain.transfer import spec_to_json
from trueup.store.bulk import insert_rows
from trueup.store.columns import dump_json
from trueup.store.tables import JudgeRow

J = JudgeRow.__table__
CODES: dict[VerdictValue, int] = {"entailed": 1, "not_entailed": 0, "undecided": -1}
VALUES: dict[int, VerdictValue] = {code: value for value, code in CODES.items()}


def judge_ids(
    connection: Connection, specs: Sequence[JudgeSpec]
) -> tuple[dict[tuple[str, str], int], int]:
    """(fingerprint, metric) -> row id of judges, storing the new ones; and how many were new."""
    wanted = {(spec.fingerprint, spec.metric): spec for spec in specs}
    found = _find(connection, list(wanted))
    missing = [key for key in wanted if key not in found]
    rows = [
        (
            bytes.fromhex(fingerprint), bytes.fromhex(spec.call_fingerprint), metric,
            spec.name, dump_json(spec_to_json(spec)),
        )
        for (fingerprint, metric), spec in wanted.items()
        if (fingerprint, metric) not in found
    ]  # fmt: skip
    columns = ("fingerprint", "call", "metric", "name", "spec")
    insert_rows(connection, JudgeRow, columns, rows, conflict="ON CONFLICT DO NOTHING")
    return (found | _find(connection, missing), len(missing)) if missing else (found, 0)


def _find(connection: Connection, keys: Sequence[tuple[str, str]]) -> dict[tuple[str, str], int]:
    query = select(J.c.id, J.c.fingerprint, J.c.metric).where(
        J.c.fingerprint.in_({fingerprint for fingerprint, _ in keys})
    )
    rows = connection.execute(query)
    return {(r.fingerprint, r.metric): r.id for r in rows if (r.fingerprint, r.metric) in keys}


def judge_id(connection: Connection, fingerprint: str, metric: str) -> int | None:
    """The row of a judge, or None."""
    query = select(J.c.id).where(J.c.fingerprint == fingerprint, J.c.metric == metric)
    return connection.execute(query).scalar()


def verdict_extras(verdict: Verdict) -> str | None:
    """Evidence, flags and metadata as JSON text; None where there is nothing."""
    body: dict[str, Any] = {}
    if verdict.evidence:
        body["evidence"] = [
            [e.quote, e.match, e.chunk, [[s.start, s.end] for s in e.spans]]
            for e in verdict.evidence
        ]
    if verdict.flags:
        body["flags"] = list(verdict.flags)
    if verdict.meta:
        body["meta"] = dict(verdict.meta)
    return dump_json(body) if body else None


def verdict_of(
    unit: str,
    metric: str,
    fingerprint: str,
    row: tuple[int, int | None, str | None, int],
    extras: dict[str, Any],
) -> Verdict:
    """A verdict from (value, own, reason, repeat) and its extras."""
    value, own, reason, repeat = row
    return Verdict(
        unit=unit,
        metric=metric,
        fingerprint=fingerprint,
        value=VALUES[value],
        own_value=VALUES[value if own is None else own],
        reason=reason,
        evidence=tuple(
            Evidence(quote, match, chunk, tuple(Span(a, b) for a, b in spans))
            for quote, match, chunk, spans in extras.get("evidence", ())
        ),
        flags=tuple(extras.get("flags", ())),
        repeat=repeat,
        meta=extras.get("meta", {}),
    )
