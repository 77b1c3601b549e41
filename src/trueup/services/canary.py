"""A canary: a frozen labelled set that a judge rules on again on a schedule.

Each look asks about every record of the set anew. What is watched is the change since the frozen
verdicts, of the score and of the agreement with the labels, by a confidence sequence that holds at
all looks together. A new fingerprint under the old name, or another model that answers, is an
alarm by itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from trueup.domain.judging import JudgeTask
from trueup.domain.model import JudgeSpec, Unit
from trueup.errors import UsageError
from trueup.services import label_sets
from trueup.services.calibrating import frame_of
from trueup.services.label_sets import LabelSet
from trueup.services.specs import spec_of
from trueup.services.tasks import task_of
from trueup.services.trials import Said, ask, case_id, stored
from trueup.services.yardstick import Yardstick, of_label_set
from trueup.stats.drift import Drift, watch

if TYPE_CHECKING:
    from trueup.judge.progress import RunSummary
    from trueup.services.workspace import Workspace

Advance = Callable[..., None]
_ALPHA = 0.025
"""Of each of the two sequences, so that both together raise a false alarm in 5 % at most."""


@dataclass(frozen=True, slots=True)
class Canary:
    """What a look found. `look` 0 is the first one, which later ones are held against where the set
    holds no frozen verdicts of this judge. `alarms` say why it is raised; none: all is well."""

    judge: str
    fingerprint: str
    metric: str
    labels: str
    sha256: str
    look: int
    n_records: int
    n_failed: int
    score: Drift
    agreement: Drift
    alarms: tuple[str, ...]
    notes: tuple[str, ...]
    summary: RunSummary | None = None
    dry_run: bool = False

    @property
    def exit_code(self) -> int:
        """1 for an alarm."""
        return 1 if self.alarms else 0

    def to_json(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {
            "judge": self.judge,
            "fingerprint": self.fingerprint,
            "metric": self.metric,
            "labels": {"name": self.labels, "sha256": self.sha256},
            "look": self.look,
            "n_records": self.n_records,
            "n_failed": self.n_failed,
            "score_change": self.score.change.to_json(),
            "agreement_change": self.agreement.change.to_json(),
            "alarm": bool(self.alarms),
            "alarms": list(self.alarms),
            "notes": list(self.notes),
            "dry_run": self.dry_run,
            "calls": None if self.summary is None else self.summary.to_json(),
        }


def canary(
    workspace: Workspace,
    labels: str,
    judge: str,
    *,
    metric: str = "groundedness",
    dry_run: bool = False,
    on_progress: Advance = lambda *_, **__: None,
) -> Canary:
    """Take one look. A look that was interrupted goes on where it stopped.

    Raises UsageError for a set that there is not, or that holds no label of the metric.
    """
    stick = _stick(workspace, labels, metric)
    spec = spec_of(workspace, judge, metric)
    tasks = _tasks(stick, metric)
    kind = f"canary/{stick.sha256}"
    looks, number = _past(workspace, spec, kind, tasks)
    cases = {case_id(t, number): t for t in tasks.values()}
    trials = ask(workspace, judge, spec, kind, cases, dry_run=dry_run, on_progress=on_progress)
    now = _of_look(tasks, trials.said, number)
    frozen = _frozen(stick.label_set, spec, tasks)
    base = frozen or (looks[0] if looks else {})
    seen = [*(looks if frozen else looks[1:]), *([now] if base and not dry_run else [])]
    hard = [] if dry_run else _alarms(workspace, judge, spec, kind, base, now)
    score, agreement = (
        watch(_differences(base, seen, of), alpha=_ALPHA)
        for of in (lambda _, said: said.score, _rightness(stick, tasks))
    )
    return Canary(
        judge,
        spec.fingerprint,
        metric,
        stick.name,
        sha256=stick.sha256 or "",
        look=number,
        n_records=len(tasks),
        n_failed=0 if dry_run else sum(k not in now or now[k].score is None for k in tasks),
        score=score,
        agreement=agreement,
        alarms=(*hard, *_drifted(score, agreement)),
        notes=tuple(_notes(stick, frozen, base, dry_run)),
        summary=trials.summary,
        dry_run=dry_run,
    )


def _stick(workspace: Workspace, labels: str, metric: str) -> Yardstick:
    path = label_sets.find(workspace.root, labels)
    if path is None:
        raise UsageError(
            f"no label set is named {labels!r}", hint="freeze one: trueup labels freeze NAME"
        )
    stick = of_label_set(label_sets.load(path), metric)
    if not stick.labels:
        raise UsageError(f"{labels} holds no label of {metric}", hint="name another --metric")
    return stick


def _tasks(stick: Yardstick, metric: str) -> dict[str, JudgeTask]:
    """Record key → its labelled units, as they are asked about."""
    units: dict[str, list[Unit]] = {}
    for unit in stick.units.values():
        units.setdefault(unit.record, []).append(unit)
    return {
        key: task_of(stick.records[key], sorted(mine, key=lambda u: u.ordinal), metric)
        for key, mine in units.items()
    }


def _past(
    workspace: Workspace, spec: JudgeSpec, kind: str, tasks: Mapping[str, JudgeTask]
) -> tuple[list[dict[str, Said]], int]:
    """The looks that were taken whole, and the number of the one to take (or to finish) now."""
    looks: list[dict[str, Said]] = []
    while True:
        number = len(looks)
        cases = {case_id(t, number): t for t in tasks.values()}
        known = stored(workspace.store, spec, kind, cases)
        if len(known) < len(cases):
            return looks, number
        looks.append(_of_look(tasks, known, number))


def _of_look(
    tasks: Mapping[str, JudgeTask], said: Mapping[str, Said], number: int
) -> dict[str, Said]:
    """Record key → what was said, of those that were answered."""
    ids = {key: case_id(task, number) for key, task in tasks.items()}
    return {key: said[i] for key, i in ids.items() if i in said}


def _frozen(
    label_set: LabelSet | None, spec: JudgeSpec, tasks: Mapping[str, JudgeTask]
) -> dict[str, Said]:
    """The set's own verdicts of this very judge; {} where it holds none."""
    assert label_set is not None
    mine = {
        v.unit: v
        for v in label_set.verdicts
        if (v.metric, v.fingerprint, v.repeat) == (spec.metric, spec.fingerprint, 0)
    }
    found = {}
    for key, task in tasks.items():
        verdicts = [mine[u.key] for u in task.units if u.key in mine]
        if len(verdicts) == len(task.units):
            found[key] = Said(
                tuple(v.value for v in verdicts),
                tuple(v.own_value for v in verdicts),
                tuple(v.reason for v in verdicts),
            )
    return found


Measure = Callable[[str, Said], "float | None"]


def _differences(
    base: Mapping[str, Said], looks: list[dict[str, Said]], of: Measure
) -> list[float]:
    """New less frozen, record by record, in the order of the looks."""
    found = []
    for look in looks:
        for key, said in look.items():
            before = of(key, base[key]) if key in base else None
            after = of(key, said)
            if before is not None and after is not None:
                found.append(after - before)
    return found


def _rightness(stick: Yardstick, tasks: Mapping[str, JudgeTask]) -> Measure:
    """The share of a record's labelled units on which a judge says what people say."""
    frame = frame_of(stick, {})
    human = {frame.unit_name(i): int(code) for i, code in enumerate(frame.human.tolist())}

    def share(key: str, said: Said) -> float | None:
        right = [
            (value == "entailed") == bool(human[unit.key])
            for unit, value in zip(tasks[key].units, said.values, strict=True)
            if human.get(unit.key, -1) >= 0 and value != "undecided"
        ]
        return sum(right) / len(right) if right else None

    return share


def _alarms(
    workspace: Workspace,
    judge: str,
    spec: JudgeSpec,
    kind: str,
    base: Mapping[str, Said],
    now: Mapping[str, Said],
) -> list[str]:
    """Hard alarms: another judge under the name, another model behind it."""
    found = []
    note = f"{kind}/{spec.metric}/{judge}"
    before = workspace.store.note_of(note)
    if before is not None and before != spec.fingerprint:
        found.append(
            f"{judge} is another judge than at the last look: fingerprint {before[:8]} → "
            f"{spec.fingerprint[:8]}"
        )
    if before != spec.fingerprint:
        workspace.store.note(note, spec.fingerprint)
    for name in ("answered_model", "system_fingerprint"):
        old, new = (Counter(getattr(s, name) for s in x.values()) for x in (base, now))
        known = {k for k in old if k is not None}, {k for k in new if k is not None}
        if all(known) and not known[0] & known[1]:
            told = ", ".join(sorted(known[0])), ", ".join(sorted(known[1]))
            found.append(f"{name.replace('_', ' ')} changed: {told[0]} → {told[1]}")
    return found


def _drifted(score: Drift, agreement: Drift) -> list[str]:
    named = (("the score", score), ("the agreement with the labels", agreement))
    return [
        f"{name} has drifted: change {d.change.value:+.3f} after {d.alarm_at:,} rulings"
        for name, d in named
        if d.alarm and d.change.value is not None
    ]


def _notes(
    stick: Yardstick, frozen: Mapping[str, Said], base: Mapping[str, Said], dry_run: bool
) -> list[str]:
    notes = []
    if stick.constructed:
        notes.append("the labels are right by construction; no person gave them")
    if not base and not dry_run:
        notes.append("the first look: later ones are held against it")
    elif not frozen and not dry_run:
        notes.append("held against the first look: the set holds no frozen verdicts of this judge")
    return notes
