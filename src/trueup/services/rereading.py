"""Stored replies read again: one serves every evidence rule, and a new reader needs no call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from trueup.domain.judging import JudgeTask
from trueup.domain.metrics import METRICS
from trueup.domain.model import JudgeSpec, Unit
from trueup.services.tasks import task_of

if TYPE_CHECKING:
    from trueup.services.workspace import Workspace

_BATCH = 500


def reread_stored(workspace: Workspace, spec: JudgeSpec, tasks: Sequence[JudgeTask]) -> int:
    """Read the stored replies to the same calls for the units of these tasks.

    Returns how many stored calls were read. A verdict that is there stays; what no stored reply
    decides is left for a call.
    """
    from trueup.judge.reparse import reread

    wanted = {(t.record, t.repeat) for t in tasks}
    calls = [
        call
        for call in workspace.store.replies(
            metric=spec.metric, call_fingerprint=spec.call_fingerprint
        )
        if (call.record, call.repeat) in wanted
    ]
    if not calls:
        return 0
    workspace.store.save_judge(spec)
    sink = workspace.store.sink(spec)
    whole = _whole_tasks(workspace, spec.metric, {c.record for c in calls})
    judgements = list(reread(calls, whole, spec))
    for start in range(0, len(judgements), _BATCH):
        sink.commit(judgements[start : start + _BATCH])
    return len(calls)


def _whole_tasks(workspace: Workspace, metric: str, records: set[str]) -> Mapping[str, JudgeTask]:
    """Each record's task with all its current units."""
    keys = sorted(records)
    units: dict[str, list[Unit]] = {}
    for unit in workspace.store.units(METRICS[metric].units, records=keys):
        units.setdefault(unit.record, []).append(unit)
    return {
        record.key: task_of(record, units.get(record.key, ()), metric)
        for record in workspace.store.iter_records(keys=keys)
    }
