"""Where failing questions fail: the four cells, who owns each, and what to look at first."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from trueup.domain.cells import CELLS, LOW_RECALL_CAUSES, cell_of
from trueup.domain.model import Record
from trueup.domain.scores import ANSWER_CORRECTNESS, RecordScore
from trueup.errors import UsageError
from trueup.services.calibration_marks import calibrations
from trueup.services.diagnose_judge import DiagnoseJudge, judge_of
from trueup.services.diagnose_model import Diagnosis, Finding, Looked, Thresholds
from trueup.services.diagnose_rank import by_rank
from trueup.services.first_look import first_look
from trueup.stats.retrieval import as_ids, hit_rate_at_k, recall_at_k

if TYPE_CHECKING:
    from trueup.services.workspace import Workspace

GOLD, CONTEXTUAL = "gold", "contextual_recall"
UNANSWERABLE = "unanswerable: its gold set is empty"
NO_GOLD = "no gold ids, and no contextual recall"
NOTHING_KNOWN = "neither its context nor what was retrieved is given"
CORRECT_FROM = 0.5
"""`answer_correctness` below which a record without a `failing` verdict is taken to fail, where
[metrics.answer_correctness] names no threshold."""


def diagnose(
    workspace: Workspace,
    *,
    releases: Sequence[str] | None = None,
    judge: str | None = None,
    k: int | None = None,
) -> Diagnosis:
    """Put every failing question (of these releases) into a cell.

    Groundedness is that of `judge`, else of the default judge; `k` is how many retrieved ids count
    where a record's context is not given. Raises UsageError where nothing is judged.
    """
    chosen = judge_of(workspace, judge)
    limits = _thresholds(workspace, k)
    looked = _named(list(_looks(workspace, chosen, limits, releases)))
    failing = [one for one in looked if one.failing]
    findings = [_finding(one, limits) for one in failing]
    findings = first_look(workspace, chosen, findings)
    mark = calibrations(workspace, ["groundedness"]).get((chosen.fingerprint, "groundedness"))
    return Diagnosis(
        judge=chosen,
        calibration=mark,
        thresholds=limits,
        owners=workspace.settings.diagnose.owners.model_dump(),
        findings=tuple(findings),
        counts={
            "failing": len(failing),
            "not_failing": sum(one.failing is False for one in looked),
            "unknown": sum(one.failing is None for one in looked),
        },
        by_release=_counted((f.looked.record.release, f) for f in findings),
        by_slice=_by_slice(findings),
        by_rank=by_rank(looked),
        notes=tuple(_notes(looked, findings, limits)),
    )


def _thresholds(workspace: Workspace, k: int | None) -> Thresholds:
    settings = workspace.settings
    at = settings.diagnose.retrieval

    def of(metric: str, usual: float) -> float:
        found = settings.metrics.get(metric)
        return usual if found is None or found.threshold is None else found.threshold

    return Thresholds(
        headline=settings.workspace.retrieval_headline,
        k=k or max(settings.workspace.k),
        retrieval=at,
        contextual_recall=of("contextual_recall", at),
        groundedness=settings.diagnose.groundedness,
        answer_correctness=of(ANSWER_CORRECTNESS, CORRECT_FROM),
    )


def _looks(
    workspace: Workspace,
    judge: DiagnoseJudge,
    limits: Thresholds,
    releases: Sequence[str] | None,
) -> Iterable[Looked]:
    grounded = judge.scores(workspace, "groundedness", releases)
    recalled = judge.scores(workspace, "contextual_recall", releases)
    correct = judge.correctness(workspace, releases)
    for record in workspace.store.iter_records(releases=releases):
        found = correct.get(record.key)
        value = None if found is None else found.value
        failing = record.failing
        if failing is None and value is not None:
            failing = value < limits.answer_correctness
        retrieval, axis, why = _retrieval(record, limits, recalled.get(record.key))
        rank = _first_rank(record)
        yield Looked(
            record=record,
            name=record.id,
            failing=failing,
            derived=record.failing is None,
            retrieval=retrieval,
            axis=axis,
            no_retrieval=why,
            groundedness=grounded.get(record.key, RecordScore(None, "missing_verdict")),
            correctness=found,
            has_gold=bool(record.gold),
            first_rank=rank,
        )


def arrived(record: Record, k: int | None = None) -> tuple[str, ...] | None:
    """The chunks that the generator saw, else the first k retrieved; None: neither is given."""
    if record.context is not None:
        return tuple(c.id for c in record.context)
    return None if record.retrieved is None else record.retrieved[:k]


def _retrieval(
    record: Record, limits: Thresholds, recalled: RecordScore | None
) -> tuple[float | None, str, str | None]:
    """(value, what it is measured by, why there is none)."""
    if record.gold is None:
        if recalled is None:
            return None, CONTEXTUAL, NO_GOLD
        return recalled.value, CONTEXTUAL, recalled.reason
    if not record.gold:
        return None, GOLD, UNANSWERABLE
    ids = arrived(record, limits.k)
    if ids is None:
        return None, GOLD, NOTHING_KNOWN
    measure = recall_at_k if limits.headline == "recall" else hit_rate_at_k
    return measure(ids, record.gold, max(1, len(ids))), GOLD, None


def _first_rank(record: Record) -> int | None:
    gold = set(record.gold or ())
    ids = as_ids(arrived(record))
    return next((rank for rank, name in enumerate(ids, 1) if name in gold), None)


def _named(looked: list[Looked]) -> list[Looked]:
    """Ids as they are, with the release where an id fails in several."""
    seen: dict[str, int] = {}
    for one in looked:
        if one.failing:
            seen[one.record.id] = seen.get(one.record.id, 0) + 1
    return [
        replace(one, name=f"{one.record.id}@{one.record.release}")
        if seen.get(one.record.id, 0) > 1
        else one
        for one in looked
    ]


def _finding(one: Looked, limits: Thresholds) -> Finding:
    if one.retrieval is None:
        return Finding(one, None, one.no_retrieval)
    if one.groundedness.value is None:
        return Finding(one, None, f"groundedness is null: {one.groundedness.reason}")
    at = limits.contextual_recall if one.axis == CONTEXTUAL else limits.retrieval
    made = cell_of(
        one.retrieval, one.groundedness.value, retrieval_at=at, groundedness_at=limits.groundedness
    )
    return Finding(one, made, None)


def _counted(pairs: Iterable[tuple[str, Finding]]) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = {}
    for name, finding in pairs:
        counts = found.setdefault(name, dict.fromkeys((*CELLS, "cannot_attribute"), 0))
        counts[finding.cell or "cannot_attribute"] += 1
    return found


def _by_slice(findings: Sequence[Finding]) -> dict[str, dict[str, dict[str, int]]]:
    names = sorted({name for f in findings for name in f.looked.record.slices})
    return {
        name: dict(
            sorted(
                _counted(
                    (f.looked.record.slices[name], f)
                    for f in findings
                    if name in f.looked.record.slices
                ).items()
            )
        )
        for name in names
    }


def _notes(
    looked: Sequence[Looked], findings: Sequence[Finding], limits: Thresholds
) -> Iterable[str]:
    """What a reader must know to read the cells right."""
    by_recall = [f for f in findings if f.looked.axis == CONTEXTUAL and f.cell is not None]
    if by_recall:
        yield (
            f"{len(by_recall):,} failing questions have no gold ids: contextual recall, which is a "
            "judge's, stands for retrieval there"
        )
    low = [f for f in by_recall if (f.looked.retrieval or 0) < limits.contextual_recall]
    if low:
        yield (
            f"contextual recall is low for {len(low):,} of them. The usual causes: "
            + "; ".join(LOW_RECALL_CAUSES)
        )
    derived = sum(one.derived and one.failing is not None for one in looked)
    if derived:
        yield (
            f"{derived:,} records carry no verdict of their own on failing: answer_correctness "
            f"below {limits.answer_correctness:g} is taken to fail"
        )


def check(releases: Sequence[str], known: Iterable[str]) -> None:
    """Raise UsageError for a release that no record has."""
    there = list(known)
    for name in releases:
        if name not in there:
            raise UsageError(
                f"no record has the release {name!r}", hint=f"releases: {', '.join(there)}"
            )
