"""Scores over time: releases × metrics with intervals, corrected rates, and what is comparable."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from trueup.domain.model import JudgeSpec
from trueup.domain.scores import (
    ANSWER_CORRECTNESS,
    RecordScore,
    ScorePolicy,
    correctness,
    null_counts,
    record_score,
)
from trueup.errors import UsageError
from trueup.services.calibration_marks import Calibration, JudgeKey, calibrations, remember
from trueup.services.counting import HALVES, pairs
from trueup.services.record_scores import corpus_of, policy_of
from trueup.services.score_lineage import restated_rows
from trueup.services.score_series import (
    Break,
    SeriesRow,
    breaks,
    keyed,
    not_comparable,
)
from trueup.stats.correction import corrected_rate
from trueup.stats.estimate import Estimate
from trueup.stats.intervals import iid_wilson
from trueup.stats.rogan_gladen import rogan_gladen_rate
from trueup.stats.scores import mean_score

if TYPE_CHECKING:
    from pandas import DataFrame

    from trueup.services.workspace import Workspace
    from trueup.store import EndToEnd, ScoreGroup

UNCALIBRATED = "uncalibrated: no label lies on a unit that this judge ruled on"
NOT_ONE_QUESTION = "an F1 of two rates has no corrected rate"
_FEW = 0.05
"""Share of records on another claim set than the rest that is not worth a remark."""
_ENOUGH_HERE = 20
"""Labelled answers of a release from which its own labels correct its rate."""


@dataclass(frozen=True, slots=True)
class Scores:
    """Every series of the workspace, releases in the order of import."""

    end_to_end: tuple[EndToEnd, ...]
    series: tuple[SeriesRow, ...]
    breaks: tuple[Break, ...]
    notes: tuple[str, ...]
    releases: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """The contract's object; `moved` and `gate` are added where they were asked for."""
        return {
            "end_to_end": [
                {
                    "release": e.release,
                    "failing": e.failing,
                    "n": e.failing + e.not_failing,
                    "unknown": e.unknown,
                }
                for e in self.end_to_end
            ],
            "moved": [],
            "series": [row.to_json() for row in self.series],
            "not_comparable": not_comparable(self.series),
            "breaks": [b.to_json() for b in self.breaks],
            "notes": list(self.notes),
        }

    def to_frame(self) -> DataFrame:
        """One row a release and series; a mean in the columns `mean`, `low`, `high`, `reason`."""
        import pandas as pd

        return pd.DataFrame(
            [
                {
                    "release": r.release,
                    "metric": r.metric,
                    "judge": r.judge,
                    "key": r.key,
                    "n_records": r.n_records,
                    "n_scored": r.n_scored,
                    "mean": r.mean.value,
                    "low": r.mean.low,
                    "high": r.mean.high,
                    "reason": r.mean.reason,
                    "corrected": r.corrected.value,
                    "calibrated": r.calibration is not None,
                    "rebaselined_from": r.rebaselined_from,
                    "superseded": r.superseded,
                }
                for r in self.series
            ]
        )


def scores(
    workspace: Workspace,
    *,
    metrics: Sequence[str] | None = None,
    releases: Sequence[str] | None = None,
    judges: Sequence[str] = (),
    labels: str | None = None,
) -> Scores:
    """All stored scores by release (of these metrics, releases, judges).

    `labels` names the set or sample that calibrates and corrects. Raises UsageError for a judge or
    a label set that there is not.
    """
    from trueup.services.score_definitions import changed_definitions

    order = {name: i for i, (name, _) in enumerate(workspace.store.releases())}
    rows = keyed(_rows(workspace, metrics, releases, labels), order)
    rows = _of_judges(workspace, rows, judges)
    return Scores(
        end_to_end=tuple(
            e for e in workspace.store.end_to_end() if releases is None or e.release in releases
        ),
        series=tuple(rows),
        breaks=tuple(breaks(rows)),
        notes=tuple(changed_definitions(workspace, order)),
        releases=tuple(order),
    )


def _rows(
    workspace: Workspace,
    metrics: Sequence[str] | None,
    releases: Sequence[str] | None,
    labels: str | None,
) -> list[SeriesRow]:
    specs, groups = _groups(workspace, metrics, releases)
    names = unique_names(list(specs.values()))
    measured = sorted({g.metric for g in groups} - {ANSWER_CORRECTNESS})
    marks = calibrations(workspace, measured, labels=labels)
    remember(workspace, marks)
    policy = policy_of(workspace)
    rows = []
    for group in groups:
        judge = group.fingerprint, group.metric
        rows.append(_row(workspace, group, specs[judge], names, policy, marks.get(judge)))
    return restated_rows(workspace, rows)


def _groups(
    workspace: Workspace, metrics: Sequence[str] | None, releases: Sequence[str] | None
) -> tuple[dict[JudgeKey, JudgeSpec], list[ScoreGroup]]:
    """Judges by (fingerprint, metric) and groups; `answer_correctness` where both halves are."""
    store = workspace.store
    asked = None if metrics is None else [m for m in metrics if m != ANSWER_CORRECTNESS]
    found, groups = store.score_groups(metrics=asked, releases=releases)
    specs = {(s.fingerprint, s.metric): s for s in found}
    if metrics is None or ANSWER_CORRECTNESS in metrics:
        halves = found
        if metrics is not None:
            halves, _ = store.score_groups(metrics=HALVES, releases=releases)
        for precision, recall in pairs(halves):
            made = store.correctness_groups(
                precision.fingerprint, recall.fingerprint, releases=releases
            )
            groups += made
            specs |= {(g.fingerprint, g.metric): precision for g in made}
    return specs, groups


def unique_names(specs: Sequence[JudgeSpec]) -> dict[JudgeKey, str]:
    """(fingerprint, metric) → name: the newest judge of a name keeps it, as everywhere."""
    newest = {(s.metric, s.name): s.fingerprint for s in specs}
    return {
        (s.fingerprint, s.metric): s.name
        if newest[s.metric, s.name] == s.fingerprint
        else f"{s.name}@{s.fingerprint[:8]}"
        for s in specs
    }


def _row(
    workspace: Workspace,
    group: ScoreGroup,
    spec: JudgeSpec,
    names: Mapping[JudgeKey, str],
    policy: ScorePolicy,
    mark: Calibration | None,
) -> SeriesRow:
    counted = scored(group, policy)
    threshold = workspace.settings.metrics.get(group.metric)
    best, other = _corrected(group, mark)
    return SeriesRow(
        release=group.release,
        metric=group.metric,
        fingerprint=group.fingerprint,
        judge=names[spec.fingerprint, spec.metric],
        spec=spec,
        answered_model=group.answered_model,
        claim_set=group.claim_set,
        system_fingerprints=tuple(group.system_fingerprints),
        n_records=group.n_records,
        n_null=null_counts(counted),
        n_flagged=_flags(counted),
        mean=mean_score(expanded(counted)).mean,
        corrected=best,
        corrected_alt=other,
        passed=_passed(counted, threshold.threshold if threshold else None),
        calibration=mark,
        notes=_mixed(group),
    )


def scored(group: ScoreGroup, policy: ScorePolicy) -> dict[RecordScore, int]:
    """How many records of a group have which score."""
    found: dict[RecordScore, int] = {}
    for tallies, n in group.tallies.items():
        score = (
            record_score(group.metric, tallies[0], policy)
            if len(tallies) == 1
            else correctness(tallies[0], tallies[1], policy)
        )
        found[score] = found.get(score, 0) + n
    return found


def expanded(counted: Mapping[RecordScore, int]) -> np.ndarray[Any, np.dtype[np.float64]]:
    """One value a record, NaN for null, (R,)."""
    values = np.array([np.nan if s.value is None else s.value for s in counted], np.float64)
    return np.repeat(values, np.fromiter(counted.values(), np.int64, len(counted)))


def _flags(counted: Mapping[RecordScore, int]) -> dict[str, int]:
    """Records whose score follows from the record, and abstentions, null or not."""
    found: dict[str, int] = {}
    for score, n in counted.items():
        name = score.flag or (score.reason if score.reason == "abstained" else None)
        if name:
            found[name] = found.get(name, 0) + n
    return dict(sorted(found.items()))


def _passed(counted: Mapping[RecordScore, int], threshold: float | None) -> Estimate | None:
    if threshold is None:
        return None
    known = {s: n for s, n in counted.items() if s.value is not None}
    above = sum(n for s, n in known.items() if s.value is not None and s.value >= threshold)
    return iid_wilson(above, sum(known.values()))


def _corrected(group: ScoreGroup, mark: Calibration | None) -> tuple[Estimate, Estimate | None]:
    """(corrected rate per claim, the other method's): by the release's own sampled labels, else by
    the judge's error rates on all labels."""
    if group.metric == ANSWER_CORRECTNESS:
        return Estimate.undefined(NOT_ONE_QUESTION), None
    if mark is None:
        return Estimate.undefined(UNCALIBRATED), None
    corpus = corpus_of((t[0] for t in group.tallies), group.tallies.values())
    own = mark.by_release.get(group.release)
    if mark.sampled and own is not None and own.n_answers >= _ENOUGH_HERE:
        made = corrected_rate(own, corpus, probability_sample=True)
        return made.rate, made.alt
    return rogan_gladen_rate(mark.whole, corpus), None


def _mixed(group: ScoreGroup) -> tuple[str, ...]:
    most = max(group.claim_sets.values(), default=0)
    if most > (1 - _FEW) * sum(group.claim_sets.values()):
        return ()
    told = ", ".join(f"{name} {n:,}" for name, n in group.claim_sets.items())
    return (f"records of several claim sets: {told}",)


def _of_judges(
    workspace: Workspace, rows: list[SeriesRow], judges: Sequence[str]
) -> list[SeriesRow]:
    if not judges:
        return rows
    from trueup.services.specs import spec_of

    wanted = set()
    for name in judges:
        mine = {r.fingerprint for r in rows if name == r.judge or _is_print(name, r.fingerprint)}
        if name in workspace.settings.judges:
            for metric in {r.metric for r in rows} - {ANSWER_CORRECTNESS}:
                mine |= {spec_of(workspace, name, metric).fingerprint}
        wanted |= mine
        if not mine & {r.fingerprint for r in rows}:
            known = ", ".join(sorted({r.judge for r in rows})) or "none"
            raise UsageError(f"no score of a judge named {name!r}", hint=f"judges: {known}")
    return [r for r in rows if r.fingerprint in wanted]


def _is_print(name: str, fingerprint: str) -> bool:
    return len(name) >= 8 and fingerprint.startswith(name)


def row_of(workspace: Workspace, found: Scores, metric: str, release: str) -> SeriesRow | None:
    """The one row that speaks for a release: the only one, or that of the default judge.

    None where nothing is scored. Raises UsageError where several judges could be meant.
    """
    rows = [
        r for r in found.series
        if r.metric == metric and r.release == release and not r.superseded
    ]  # fmt: skip
    if len({r.fingerprint for r in rows}) > 1:
        rows = _of_default(workspace, metric, rows) or rows
    if not rows:
        return None
    if len({r.fingerprint for r in rows}) > 1:
        names = ", ".join(sorted({r.judge for r in rows}))
        raise UsageError(
            f"{metric} of {release or 'the release'} was scored by several judges: {names}",
            hint="--judge NAME says which one counts",
        )
    if len(rows) > 1:
        models = ", ".join(sorted(r.answered_model or "unknown" for r in rows))
        raise UsageError(
            f"several models answered as {rows[0].judge} in {release}: {models}",
            hint="they are not comparable: judge the release again with a judge of its own",
        )
    return rows[0]


def _of_default(workspace: Workspace, metric: str, rows: Sequence[SeriesRow]) -> list[SeriesRow]:
    from trueup.services.specs import default_judges, spec_of

    if metric == ANSWER_CORRECTNESS:
        wanted = set(default_judges(workspace)[:1])
        return [r for r in rows if r.judge in wanted]
    prints = {spec_of(workspace, n, metric).fingerprint for n in default_judges(workspace)[:1]}
    return [r for r in rows if r.fingerprint in prints]
