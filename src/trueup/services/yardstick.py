"""The labels that a judge is measured by, from the store, a sample, or a frozen label set.

A unit has the same key wherever it is, so verdicts of the store and of a label set meet by key.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from trueup.domain.assignment import is_assignment
from trueup.domain.model import JudgeSpec, Label, Record, Sample, Unit, Verdict
from trueup.errors import UsageError

if TYPE_CHECKING:
    from trueup.services.label_sets import LabelSet
    from trueup.services.workspace import Workspace
    from trueup.stats.discordant import DiscordantCorpus


@dataclass(frozen=True, slots=True)
class Yardstick:
    """Labels of one metric with the units and records that they are about.

    `expected` holds, for a designed sample, every unit of the drawn records that needs a label, so
    that an answer that was not labelled whole counts as nonresponse; `unasked` are drawn records
    without such a unit. `discordant`: what such a sample was drawn from, judges by fingerprint.
    """

    name: str
    metric: str
    labels: tuple[Label, ...]
    units: Mapping[str, Unit]
    records: Mapping[str, Record]
    sha256: str | None = None
    sample: Sample | None = None
    label_set: LabelSet | None = None
    expected: Mapping[str, str] = field(default_factory=dict)
    unasked: tuple[str, ...] = ()
    discordant: DiscordantCorpus | None = None

    @property
    def constructed(self) -> bool:
        """No person labelled: labels are right by construction."""
        return bool(self.labels) and all(x.origin == "constructed" for x in self.labels)


@dataclass(frozen=True, slots=True)
class KnownJudge:
    """A judge with verdicts that can be set against labels, under a name that is unique here."""

    name: str
    spec: JudgeSpec
    fingerprint: str
    answered_models: tuple[str, ...] = ()
    in_store: bool = True


def yardstick(workspace: Workspace, metric: str, labels: str | None) -> Yardstick:
    """The labels of a set or a sample; without a name, of every labelled unit of the workspace.

    Raises UsageError for a name that is neither, and where nothing is labelled.
    """
    if labels is None:
        found = _of_store(workspace, metric, "workspace", None)
    elif (sample := _sample(workspace, labels)) is not None:
        found = _of_store(workspace, metric, labels, sample)
    else:
        from trueup.services import label_sets

        path = label_sets.find(workspace.root, labels)
        if path is None:
            raise UsageError(
                f"no sample or label set is named {labels!r}",
                hint="samples are drawn by `trueup sample`, sets frozen by `trueup labels freeze`",
            )
        found = of_label_set(label_sets.load(path), metric)
    if not found.labels:
        raise UsageError(
            f"no {metric} label in {found.name}",
            hint="label some with `trueup label`, or read some with `trueup labels import`",
        )
    return found


def _sample(workspace: Workspace, name: str) -> Sample | None:
    return workspace.store.sample(name) if workspace.has_store else None


def of_label_set(label_set: LabelSet, metric: str) -> Yardstick:
    """The labels of one metric of a frozen set."""
    labels = tuple(x for x in label_set.labels if x.metric == metric)
    units = {x.unit: label_set.units[x.unit] for x in labels}
    return Yardstick(
        name=label_set.name,
        metric=metric,
        labels=labels,
        units=units,
        records={u.record: label_set.records[u.record] for u in units.values()},
        sha256=label_set.sha256,
        label_set=label_set,
    )


def _of_store(workspace: Workspace, metric: str, name: str, sample: Sample | None) -> Yardstick:
    store = workspace.store
    events = [e.label for e in store.label_events(metric=metric) if not is_assignment(e.label)]
    units = store.units_by_key({x.unit for x in events})
    # No judge rules on parts of a split and added claims before they are adjudicated.
    units = {k: u for k, u in units.items() if not u.provisional}
    events = [x for x in events if x.unit in units]
    expected: dict[str, str] = {}
    unasked: list[str] = []
    corpus: DiscordantCorpus | None = None
    if sample is not None:
        from trueup.services import discordance

        expected = {u.key: u.record for u in discordance.asked(store, sample)}
        if sample.design == discordance.DISCORDANT:
            corpus = discordance.corpus_of_sample(store, sample)
            wanted = set(expected.values())
            unasked = [m.record for m in sample.members if m.record not in wanted]
        events = [x for x in events if x.unit in expected]
        units = {k: u for k, u in units.items() if k in expected}
    keys = sorted({u.record for u in units.values()})
    return Yardstick(
        name=name,
        metric=metric,
        labels=tuple(events),
        units=units,
        records={r.key: r for r in store.iter_records(keys=keys)},
        sample=sample,
        expected=expected,
        unasked=tuple(unasked),
        discordant=corpus,
    )


def known_judges(
    workspace: Workspace, stick: Yardstick, names: Sequence[str] = ()
) -> list[KnownJudge]:
    """The judges asked for by name or fingerprint, or every judge with verdicts on the labels.

    Raises UsageError for a name without verdicts.
    """
    found = _candidates(workspace, stick)
    if names:
        return [_chosen(workspace, found, name, stick.metric) for name in names]
    used = {v.fingerprint for v in _all_verdicts(workspace, stick, found)}
    return [j for j in found if j.fingerprint in used]


def judges_of_store(workspace: Workspace, metric: str, names: Sequence[str]) -> list[KnownJudge]:
    """Judges by name or fingerprint that have verdicts in the store. Raises UsageError."""
    found = _with_unique_names(_stored(workspace, metric))
    return [_chosen(workspace, found, name, metric) for name in names]


def verdicts_of(
    workspace: Workspace, stick: Yardstick, judges: Iterable[KnownJudge]
) -> Iterator[Verdict]:
    """The verdicts of these judges on the labelled units, from the store and the label set."""
    yield from _all_verdicts(workspace, stick, list(judges))


def _stored(workspace: Workspace, metric: str) -> list[KnownJudge]:
    return [
        KnownJudge(j.spec.name, j.spec, j.fingerprint, j.answered_models)
        for j in (workspace.store.judges(metric=metric) if workspace.has_store else ())
        if j.n_verdicts
    ]


def _candidates(workspace: Workspace, stick: Yardstick) -> list[KnownJudge]:
    found = {j.fingerprint: j for j in _stored(workspace, stick.metric)}
    for spec in stick.label_set.judges if stick.label_set else ():
        if spec.metric == stick.metric:
            found.setdefault(
                spec.fingerprint, KnownJudge(spec.name, spec, spec.fingerprint, (), False)
            )
    return _with_unique_names(list(found.values()))


def _with_unique_names(judges: list[KnownJudge]) -> list[KnownJudge]:
    """The newest judge of a name keeps it; older ones of that name show their fingerprint."""
    newest = {j.name: j.fingerprint for j in judges}
    return [
        j if newest[j.name] == j.fingerprint else replace(j, name=f"{j.name}@{j.fingerprint[:8]}")
        for j in judges
    ]


def _chosen(
    workspace: Workspace, found: Sequence[KnownJudge], name: str, metric: str
) -> KnownJudge:
    if name in workspace.settings.judges:
        from trueup.services.specs import spec_of

        present = spec_of(workspace, name, metric).fingerprint
        exact = [j for j in found if j.fingerprint == present]
        if exact:
            return exact[0]
    for judge in found:
        if judge.name == name or (len(name) >= 8 and judge.fingerprint.startswith(name)):
            return judge
    known = ", ".join(sorted(j.name for j in found)) or "none"
    raise UsageError(
        f"judge {name!r} has no {metric} verdicts",
        hint=f"trueup judge --judge {name}; judges with verdicts: {known}",
    )


def _all_verdicts(
    workspace: Workspace, stick: Yardstick, judges: Sequence[KnownJudge]
) -> Iterator[Verdict]:
    wanted = [j.fingerprint for j in judges]
    stored: set[tuple[str, str, int]] = set()
    kept: Iterable[Verdict] = ()
    if workspace.has_store:
        kept = workspace.store.verdicts(
            metric=stick.metric, fingerprints=wanted, units=set(stick.units), repeat=None
        )
    for verdict in kept:
        stored.add((verdict.unit, verdict.fingerprint, verdict.repeat))
        yield verdict
    for verdict in stick.label_set.verdicts if stick.label_set else ():
        at = (verdict.unit, verdict.fingerprint, verdict.repeat)
        if verdict.metric == stick.metric and verdict.fingerprint in wanted and at not in stored:
            yield verdict
