"""Rebaselining: stored scores of one judge restated on the scale of another, with lineage.

Every stored record is ruled on by the new judge on the same frozen claims (exact), or a random
overlap of each release is (an estimate with its interval). Old scores stay as they are. Restated
releases are never restated again: A → B → C goes back to A.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from trueup.domain.model import Sample
from trueup.errors import UsageError
from trueup.services.calibration_marks import Calibration, calibrations
from trueup.services.record_scores import ScoredRecord, scores_of
from trueup.services.shift import attribution
from trueup.services.yardstick import judges_of_store
from trueup.stats.rebaseline import LEAST_OVERLAP
from trueup.stats.rebaseline_release import (
    RestatedRelease,
    ShiftPart,
    restate_overlap,
    restate_rejudged,
)

if TYPE_CHECKING:
    from trueup.services.judging import JudgeOutcome
    from trueup.services.workspace import Workspace

Advance = Callable[..., None]
LEAST_ASKED = 50
"""An overlap is at least this large; a release with fewer rejudged records than 30 stays null."""
DEFAULT_OVERLAP = 200


@dataclass(frozen=True, slots=True)
class Side:
    """A judge of a rebaseline; `runs` says that trueup.toml defines it, so that it can be asked."""

    name: str
    fingerprint: str
    runs: bool


@dataclass(frozen=True, slots=True)
class ReleaseOutcome:
    """One release restated. `origin` is the judge whose scores were restated; `shift_parts` say
    what made the shift, on `n_parts` records."""

    release: str
    origin: str
    restated: RestatedRelease
    shift_parts: tuple[ShiftPart, ...] = ()
    n_parts: int = 0
    notes: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The contract's row, with lineage."""
        made = self.restated
        return {
            "release": self.release,
            "old": made.old.to_json(),
            "new": made.new.to_json(),
            "shift": made.shift.to_json(),
            "method": made.method,
            "n_records": made.n_records,
            "n_overlap": made.n_overlap,
            "left_out": dict(made.left_out),
            "origin": self.origin,
            "attribution": [
                {"what": p.name, "change": p.change.to_json()} for p in self.shift_parts
            ],
            "n_attributed": self.n_parts,
            "notes": list(self.notes),
        }


@dataclass(frozen=True, slots=True)
class Rebaseline:
    """What a rebaseline did, or (without releases) would cost."""

    metric: str
    source: Side
    target: Side
    overlap: int | None
    releases: tuple[ReleaseOutcome, ...]
    judged: JudgeOutcome | None
    dry_run: bool = False
    calibration: Mapping[str, Calibration] = field(default_factory=dict)
    """By fingerprint: of either judge that labels measured."""

    @property
    def method(self) -> str:
        """`overlap` where any release was restated from one."""
        if self.dry_run:
            return "rejudged" if self.overlap is None else "overlap"
        return (
            "overlap" if any(r.restated.method == "overlap" for r in self.releases) else "rejudged"
        )

    @property
    def exit_code(self) -> int:
        """4 where the new judge left too much undecided."""
        return 0 if self.judged is None or self.dry_run else self.judged.exit_code

    def to_json(self) -> dict[str, Any]:
        """The contract's object."""
        return {
            "from": self.source.name,
            "to": self.target.name,
            "metric": self.metric,
            "from_fingerprint": self.source.fingerprint,
            "to_fingerprint": self.target.fingerprint,
            "method": self.method,
            "n_overlap": sum(r.restated.n_overlap for r in self.releases),
            "dry_run": self.dry_run,
            "releases": [r.to_json() for r in self.releases],
            "from_calibration": self._mark(self.source),
            "to_calibration": self._mark(self.target),
            "judge": None if self.judged is None else self.judged.to_json(),
        }

    def _mark(self, side: Side) -> dict[str, Any] | None:
        found = self.calibration.get(side.fingerprint)
        return None if found is None else found.to_json()


def rebaseline(
    workspace: Workspace,
    source: str,
    target: str,
    *,
    metric: str = "groundedness",
    releases: Sequence[str] | None = None,
    overlap: int | None = None,
    seed: int = 1,
    max_cost: float | None = None,
    dry_run: bool = False,
    on_progress: Advance = lambda *_, **__: None,
) -> Rebaseline:
    """Restate every release that `source` scored (or these) on the scale of `target`.

    `overlap` rejudges a random sample of so many records of each release, stratified by old score,
    instead of all. What `target` has ruled on already is not asked again, so a run that was
    interrupted goes on where it stopped. Raises UsageError for a judge without scores, the same
    judge twice, a release that `source` did not score, or an overlap below 50.
    """
    one, two = _sides(workspace, metric, source, target)
    if overlap is not None and overlap < LEAST_ASKED:
        raise UsageError(
            f"an overlap of {overlap} is too small to restate a release",
            hint=f"at least {LEAST_ASKED}; {DEFAULT_OVERLAP} is usual",
        )
    plans = [
        _plan(workspace, metric, one, release, overlap, seed)
        for release in _releases(workspace, metric, one, releases)
    ]
    judged = _rejudge(workspace, metric, two, plans, max_cost, dry_run, on_progress)
    if dry_run:
        return Rebaseline(metric, one, two, overlap, (), judged, dry_run=True)
    outcomes = tuple(_outcome(workspace, metric, two, plan) for plan in plans)
    _save(workspace, metric, two, outcomes, seed)
    marks = {f: mark for (f, _), mark in calibrations(workspace, [metric]).items()}
    return Rebaseline(metric, one, two, overlap, outcomes, judged, calibration=marks)


@dataclass(frozen=True, slots=True)
class _Plan:
    """What is to be rejudged of a release: all records that `origin` scored, or a sample."""

    release: str
    origin: str
    old: Mapping[str, float | None]
    sample: Sample | None
    notes: tuple[str, ...]

    @property
    def records(self) -> set[str]:
        """Keys of the records that the new judge has to rule on."""
        if self.sample is None:
            return set(self.old)
        return {m.record for m in self.sample.members}


def _sides(workspace: Workspace, metric: str, source: str, target: str) -> tuple[Side, Side]:
    (old,) = judges_of_store(workspace, metric, [source])
    one = Side(old.name, old.fingerprint, source in workspace.settings.judges)
    if target in workspace.settings.judges:
        from trueup.services.specs import spec_of

        spec = spec_of(workspace, target, metric)
        two = Side(target, spec.fingerprint, runs=True)
    else:
        (new,) = judges_of_store(workspace, metric, [target])
        two = Side(new.name, new.fingerprint, runs=False)
    if one.fingerprint == two.fingerprint:
        raise UsageError(
            f"{source} and {target} are the same judge: there is nothing to restate",
            hint="a model that changed under the same name: trueup rebaseline --canary SET",
        )
    return one, two


def _releases(
    workspace: Workspace, metric: str, one: Side, wanted: Sequence[str] | None
) -> list[str]:
    _, groups = workspace.store.score_groups(metrics=[metric])
    scored = {g.release for g in groups if g.fingerprint == one.fingerprint}
    missing = [r for r in wanted or () if r not in scored]
    if missing:
        raise UsageError(
            f"{one.name} has no {metric} score of {', '.join(missing)}",
            hint=f"scored releases: {', '.join(sorted(scored)) or 'none'}",
        )
    order = [r for r, _ in workspace.store.releases() if r in scored]
    return order if wanted is None else [r for r in order if r in wanted]


def _plan(
    workspace: Workspace, metric: str, one: Side, release: str, overlap: int | None, seed: int
) -> _Plan:
    origin = _origin(workspace, metric, one, release)
    notes = []
    if origin != one.fingerprint:
        notes.append(
            f"{one.name} has restated scores of this release only: restated anew from the judge "
            "that they came from"
        )
    scored = scores_of(workspace, metric, origin, releases=[release])
    old = {s.key: s.score.value for s in scored if not _never_asked(s)}
    decided = [key for key, value in old.items() if value is not None]
    sample = None
    if overlap is not None and overlap < len(decided):
        sample = _draw(metric, release, {k: old[k] for k in decided}, overlap, origin, seed)
    return _Plan(release, origin, old, sample, tuple(notes))


def _never_asked(score: ScoredRecord) -> bool:
    return score.score.reason == "missing_verdict"


def _origin(workspace: Workspace, metric: str, one: Side, release: str) -> str:
    """The judge that scored a release itself, behind any restatement from an overlap."""
    came_from = {
        r.target: r.source
        for r in workspace.store.rebaselines()
        if r.metric == metric and r.release == release and r.method == "overlap"
    }
    origin = one.fingerprint
    seen = {origin}
    while origin in came_from and came_from[origin] not in seen:
        origin = came_from[origin]
        seen.add(origin)
    return origin


def _draw(
    metric: str, release: str, scores: Mapping[str, float | None], overlap: int, origin: str,
    seed: int,
) -> Sample:  # fmt: skip
    """The overlap of one release: proportional to its bands of old scores."""
    from trueup.stats.sampling import score_band_sample

    return score_band_sample(
        f"overlap of {release}", metric, scores, overlap, seed=seed, judge_fingerprint=origin,
        allocation="proportional",
    )  # fmt: skip


def _rejudge(
    workspace: Workspace,
    metric: str,
    two: Side,
    plans: Sequence[_Plan],
    max_cost: float | None,
    dry_run: bool,
    on_progress: Advance,
) -> JudgeOutcome | None:
    """Let the new judge rule on what it has not ruled on yet; None where it cannot be asked."""
    from trueup.services.judging import judge

    if not two.runs:
        return None
    return judge(
        workspace,
        [two.name],
        metrics=(metric,),
        releases=[p.release for p in plans],
        records=set().union(*(p.records for p in plans)),
        max_cost=max_cost,
        dry_run=dry_run,
        on_progress=on_progress,
    )


def _outcome(workspace: Workspace, metric: str, two: Side, plan: _Plan) -> ReleaseOutcome:
    scored = scores_of(workspace, metric, two.fingerprint, releases=[plan.release])
    new = {s.key: s.score.value for s in scored if s.key in plan.records}
    if plan.sample is None:
        made = restate_rejudged(plan.old, new)
    else:
        made = restate_overlap(plan.sample, plan.old, new, least=LEAST_OVERLAP)
    parts, n = attribution(
        workspace, metric, plan.release, plan.origin, two.fingerprint, plan.records
    )
    return ReleaseOutcome(plan.release, plan.origin, made, parts, n, plan.notes)


def _save(
    workspace: Workspace, metric: str, two: Side, outcomes: Sequence[ReleaseOutcome], seed: int
) -> None:
    """Keep each restated release with where it comes from; those without a mean are not kept."""
    by_origin: dict[str, list[tuple[str, str, dict[str, Any]]]] = {}
    for outcome in outcomes:
        if outcome.restated.new.value is not None:
            body = outcome.to_json() | {"seed": seed}
            row = (outcome.release, outcome.restated.method, body)
            by_origin.setdefault(outcome.origin, []).append(row)
    for origin, rows in by_origin.items():
        workspace.store.save_rebaselines(metric, origin, two.fingerprint, rows)
