"""What needs no call: records that have nothing to be judged against."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from trueup.domain.judging import Judgement, JudgeTask, TaskUnit
from trueup.domain.metrics import METRICS
from trueup.domain.model import JudgeSpec, Verdict, VerdictValue
from trueup.judge.base import Reply


@dataclass(frozen=True, slots=True)
class Bound:
    """A spec with its two fingerprints, hashed once for a whole run."""

    spec: JudgeSpec
    call_fingerprint: str
    fingerprint: str

    @classmethod
    def of(cls, spec: JudgeSpec) -> Bound:
        """Hash the spec."""
        return cls(spec, spec.call_fingerprint, spec.fingerprint)


def settled(bound: Bound, task: JudgeTask) -> tuple[Verdict, ...] | None:
    """Verdicts that follow from the record alone; None where the judge has to be asked.

    With nothing retrieved no claim is entailed, flagged `empty_context`. What is missing in the
    record leaves the units undecided: `no_context`, `no_reference`, `incomplete` (no question).
    """
    against = METRICS[task.metric].against
    if against == "context":
        if task.context is None:
            return undecided(bound, task, task.units, "no_context")
        if not any(c.text.strip() for c in task.context):
            return _verdicts(bound, task, task.units, "not_entailed", None, ("empty_context",))
    if against == "reference" and task.reference is None:
        return undecided(bound, task, task.units, "no_reference")
    if against == "question" and task.question is None:
        return undecided(bound, task, task.units, "incomplete", ("no_question",))
    return None


def undecided(
    bound: Bound,
    task: JudgeTask,
    units: Sequence[TaskUnit],
    reason: str,
    flags: tuple[str, ...] = (),
) -> tuple[Verdict, ...]:
    """An undecided verdict with its reason for each of the units."""
    return _verdicts(bound, task, units, "undecided", reason, flags)


def judgement(
    bound: Bound,
    task: JudgeTask,
    verdicts: Sequence[Verdict],
    *,
    reply: Reply | None = None,
    failure: str | None = None,
    attempts: int = 0,
    seconds: float = 0.0,
    cost: float | None = None,
    notes: Mapping[str, str] | None = None,
) -> Judgement:
    """What is stored of one call about a task (or of none)."""
    return Judgement(
        record=task.record,
        metric=task.metric,
        call_fingerprint=bound.call_fingerprint,
        fingerprint=bound.fingerprint,
        repeat=task.repeat,
        part=task.part,
        reply=reply,
        failure=failure,
        verdicts=tuple(verdicts),
        cost=cost,
        seconds=seconds,
        attempts=attempts,
        notes=notes or {},
        asked=tuple(u.key for u in task.units),
    )


def _verdicts(
    bound: Bound,
    task: JudgeTask,
    units: Sequence[TaskUnit],
    value: VerdictValue,
    reason: str | None,
    flags: tuple[str, ...],
) -> tuple[Verdict, ...]:
    return tuple(
        Verdict(
            unit=u.key,
            metric=task.metric,
            fingerprint=bound.fingerprint,
            value=value,
            own_value=value,
            reason=reason,
            flags=flags,
            repeat=task.repeat,
        )
        for u in units
    )
