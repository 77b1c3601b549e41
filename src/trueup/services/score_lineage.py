"""Restated releases on the line of the judge that they were restated for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from trueup.services.calibration_marks import estimate_of
from trueup.services.score_series import SeriesRow
from trueup.stats.estimate import Estimate

if TYPE_CHECKING:
    from trueup.services.workspace import Workspace
    from trueup.store import StoredRebaseline

NO_CORRECTION = "restated from an overlap: correct the rate of the judge that was restated"


def restated_rows(workspace: Workspace, rows: Sequence[SeriesRow]) -> list[SeriesRow]:
    """The rows with every rebaseline applied.

    The old judge's rows of a restated release stay and are `superseded`. A release of which every
    record was rejudged keeps the new judge's own row, marked with where it comes from; one of which
    an overlap was rejudged gets the restated mean in place of the mean of the overlap alone.
    """
    made = list(rows)
    for one in workspace.store.rebaselines():
        old = [r for r in made if _is(r, one, one.source)]
        new = [r for r in made if _is(r, one, one.target)]
        if not old or not new:
            continue
        kept = [r for r in made if r not in old and r not in new]
        made = [*kept, *(replace(r, superseded=True) for r in old), *_restated(one, old, new)]
    return made


def _is(row: SeriesRow, one: StoredRebaseline, fingerprint: str) -> bool:
    return (row.metric, row.release, row.fingerprint) == (one.metric, one.release, fingerprint)


def _restated(
    one: StoredRebaseline, old: Sequence[SeriesRow], new: Sequence[SeriesRow]
) -> list[SeriesRow]:
    if one.method == "rejudged":
        return [replace(r, rebaselined_from=one.source) for r in new]
    largest = max(new, key=lambda r: r.n_scored)
    nulls: dict[str, int] = {}
    for row in old:
        for reason, n in row.n_null.items():
            nulls[reason] = nulls.get(reason, 0) + n
    made = replace(
        largest,
        n_records=sum(r.n_records for r in old),
        n_null=nulls,
        n_flagged={},
        mean=estimate_of(one.body["new"]),
        corrected=Estimate.undefined(NO_CORRECTION),
        corrected_alt=None,
        passed=None,
        rebaselined_from=one.source,
        restated=True,
        notes=(f"restated from an overlap of {one.body['n_overlap']:,} records",),
    )
    return [made]
