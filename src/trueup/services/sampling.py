"""Drawing records to label, with the inclusion probability of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from trueup.domain.display import safe_filename
from trueup.domain.metrics import METRICS
from trueup.domain.model import Design, Sample
from trueup.errors import UsageError

if TYPE_CHECKING:
    from trueup.services.workspace import Workspace
    from trueup.services.yardstick import KnownJudge
    from trueup.stats.sampling import Allocation

Values = Mapping[str, Mapping[str, bool | None]]
"""Record → unit → entailed, not entailed, or neither (undecided or no verdict)."""


def draw(
    workspace: Workspace,
    name: str,
    *,
    records: int,
    metric: str = "groundedness",
    design: Design = "random",
    judges: Sequence[str] = (),
    releases: Sequence[str] | None = None,
    overlap: float = 0.0,
    repeats: float = 0.0,
    allocation: Allocation = "sqrt",
    seed: int = 1,
) -> Sample:
    """Draw and store a sample of records that have units of the metric.

    The population is the records of the workspace (or of `releases`) that have at least one unit.
    Asking for more records than there are takes them all. `score-bands` needs one judge with
    verdicts, `discordant` two. A sample of that name with the same content is left as it is; with
    other content it is a conflict.
    """
    from trueup.stats import sampling

    _check_name(workspace, name)
    units = workspace.store.units(METRICS[metric].units, releases=releases)
    population: dict[str, list[str]] = {}
    for unit in units:
        population.setdefault(unit.record, []).append(unit.key)
    if not population and releases:
        raise UsageError(
            f"no record of release {', '.join(releases)} has {metric} units to label",
            hint="look at the spelling of --release; records carry `release`",
        )
    if not population:
        raise UsageError(
            f"no record has {metric} units to label",
            hint="import records, then split their answers: trueup judge --judge embedded",
        )
    if design == "random":
        sample = sampling.random_sample(
            name, metric, population, records, seed=seed, overlap=overlap, repeats=repeats
        )
    elif design == "score-bands":
        (judge,) = _judges(workspace, metric, judges, 1, design)
        sample = sampling.score_band_sample(
            name, metric, _scores(workspace, population, metric, judge), records, seed=seed,
            judge_fingerprint=judge.fingerprint, allocation=allocation,
            overlap=overlap, repeats=repeats,
        )  # fmt: skip
    elif design == "discordant":
        a, b = _judges(workspace, metric, judges, 2, design)
        sample = sampling.discordant_sample(
            name, metric, _discordant(workspace, population, metric, a, b), records, seed=seed,
            judge_fingerprints=(a.fingerprint, b.fingerprint), overlap=overlap, repeats=repeats,
        )  # fmt: skip
    else:
        raise UsageError(f"no design {design!r}", hint="random, score-bands or discordant")
    workspace.store.save_sample(sample)
    return sample


def _check_name(workspace: Workspace, name: str) -> None:
    """A name that commands and file names can carry, and that no label set has."""
    from trueup.services import label_sets

    if safe_filename(name) != name:
        raise UsageError(f"{name!r} cannot name a sample", hint="use letters, digits, - and _")
    known = workspace.store.sample(name) is not None
    if not known and label_sets.find(workspace.root, name) is not None:
        raise UsageError(
            f"{name!r} is a label set: --labels {name} could mean either",
            hint="give the sample another name",
        )


def _judges(
    workspace: Workspace, metric: str, names: Sequence[str], count: int, design: str
) -> list[KnownJudge]:
    from trueup.services.yardstick import judges_of_store

    if not names and count == 1:
        from trueup.services.specs import default_judges

        names = default_judges(workspace)[:1]
    if len(names) != count:
        asked = "--judge NAME" if count == 1 else "--judge A --judge B"
        raise UsageError(f"the design {design} is made from {count} judges", hint=asked)
    return judges_of_store(workspace, metric, names)


def _values(
    workspace: Workspace, population: Mapping[str, Sequence[str]], metric: str, judge: KnownJudge
) -> Values:
    said = {
        v.unit: {"entailed": True, "not_entailed": False}.get(v.value)
        for v in workspace.store.verdicts(metric=metric, fingerprints=[judge.fingerprint])
    }
    return {
        record: {unit: said.get(unit) for unit in units} for record, units in population.items()
    }


def _scores(
    workspace: Workspace, population: Mapping[str, Sequence[str]], metric: str, judge: KnownJudge
) -> dict[str, float | None]:
    """The judge's score of each record; null where too few units are decided."""
    least = workspace.settings.workspace.min_decided
    out: dict[str, float | None] = {}
    for record, units in _values(workspace, population, metric, judge).items():
        decided = [v for v in units.values() if v is not None]
        enough = bool(decided) and len(decided) >= least * len(units)
        out[record] = sum(decided) / len(decided) if enough else None
    return out


def _discordant(
    workspace: Workspace,
    population: Mapping[str, Sequence[str]],
    metric: str,
    a: KnownJudge,
    b: KnownJudge,
) -> dict[str, int]:
    """Each record's units that both judges decided, and differently."""
    one = _values(workspace, population, metric, a)
    two = _values(workspace, population, metric, b)
    return {
        record: sum(
            v is not None and two[record][unit] is not None and v != two[record][unit]
            for unit, v in units.items()
        )
        for record, units in one.items()
    }
