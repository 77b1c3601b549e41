"""From records and their units to what a judge is asked, and what is still missing."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from trueup.domain.judging import JudgeTask, TaskUnit
from trueup.domain.metrics import METRICS
from trueup.domain.model import JudgeSpec, Record, Unit

if TYPE_CHECKING:
    from trueup.services.workspace import Workspace


def task_of(record: Record, units: Sequence[Unit], metric: str, repeat: int = 0) -> JudgeTask:
    """What a call asks about one record."""
    return JudgeTask(
        record=record.key,
        record_id=record.id,
        metric=metric,
        units=tuple(TaskUnit(u.key, u.text, u.context, u.span) for u in units),
        question=record.question,
        context=record.context,
        answer=record.answer,
        reference=record.reference,
        repeat=repeat,
    )


def plan(
    workspace: Workspace,
    spec: JudgeSpec,
    *,
    repeat: int = 0,
    releases: Sequence[str] | None = None,
    records: Collection[str] | None = None,
    limit: int | None = None,
) -> tuple[list[JudgeTask], int]:
    """(tasks for the units without a verdict of this judge, units that have one).

    The second is 0 where the run is restricted to some records.
    """
    kind = METRICS[spec.metric].units
    missing = workspace.store.missing(
        kind=kind, metric=spec.metric, fingerprint=spec.fingerprint, repeat=repeat,
        releases=releases, limit=limit,
    )  # fmt: skip
    tasks = [
        task_of(record, units, spec.metric, repeat)
        for record, units in missing
        if records is None or record.key in records
    ]
    if limit is not None or records is not None:
        return tasks, 0
    total = workspace.store.count_units(kind, releases=releases)
    return tasks, max(0, total - sum(len(t.units) for t in tasks))
