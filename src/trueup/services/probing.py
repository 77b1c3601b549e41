"""`trueup probe`: self-tests of a judge that need no labels, kept under its fingerprint."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from trueup.domain.ids import content_id
from trueup.domain.judging import JudgeTask
from trueup.domain.metrics import METRICS
from trueup.domain.model import JudgeSpec
from trueup.errors import UsageError
from trueup.judge.probes import KINDS, LOAD_BEARING, Case, cases, without_sentence
from trueup.services.probe_bars import Bar, bar_of
from trueup.services.specs import spec_of
from trueup.services.splitting import freeze_missing
from trueup.services.tasks import task_of
from trueup.services.trials import Said, ask, case_id
from trueup.stats.counts import Clusters
from trueup.stats.estimate import Estimate
from trueup.stats.intervals import proportion

if TYPE_CHECKING:
    from trueup.judge.progress import RunSummary
    from trueup.services.workspace import Workspace

Advance = Callable[..., None]
STORED_AS = "probe"
NO_CASE = "no record of the workspace makes such a case"
_EXAMPLES = 5
_SHOWN = 200


@dataclass(frozen=True, slots=True)
class ProbeResult:
    """One kind of self-test: the rate at which the judge errs, per unit, with its interval over
    records, and examples of its errors."""

    kind: str
    rate: Estimate
    n_records: int
    n_units: int
    n_errors: int
    n_undecided: int
    examples: tuple[Mapping[str, Any], ...]

    def to_json(self) -> dict[str, Any]:
        """Plain JSON values."""
        kind = KINDS[self.kind]
        return {
            "kind": self.kind,
            "must": kind.must,
            "error": kind.error,
            "rate": self.rate.to_json(),
            "n_records": self.n_records,
            "n_units": self.n_units,
            "n_errors": self.n_errors,
            "n_undecided": self.n_undecided,
            "examples": [dict(e) for e in self.examples],
        }


@dataclass(frozen=True, slots=True)
class Ablation:
    """One load-bearing sentence: the rate of errors with it and without it. `without` is None
    where the template does not hold it."""

    kind: str
    sentence: str
    with_it: ProbeResult
    without: ProbeResult | None

    def to_json(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {
            "kind": self.kind,
            "sentence": self.sentence,
            "with": self.with_it.rate.to_json(),
            "without": None if self.without is None else self.without.rate.to_json(),
        }


@dataclass(frozen=True, slots=True)
class Probes:
    """All self-tests of a judge, with the bars of trueup.toml."""

    judge: str
    spec: JudgeSpec
    results: tuple[ProbeResult, ...]
    bars: tuple[Bar, ...]
    ablations: tuple[Ablation, ...] = ()
    notes: tuple[str, ...] = ()
    summary: RunSummary | None = None
    dry_run: bool = False

    @property
    def exit_code(self) -> int:
        """1 where a bar is missed, 3 where one is not decided."""
        oks = [b.ok for b in self.bars]
        if False in oks:
            return 1
        return 3 if None in oks and not self.dry_run else 0

    def to_json(self) -> dict[str, Any]:
        """The object of `trueup probe --json`."""
        return {
            "judge": self.judge,
            "fingerprint": self.spec.fingerprint,
            "metric": self.spec.metric,
            "model": self.spec.model,
            "prompt_sha256": self.spec.prompt_sha256,
            "probes": [r.to_json() for r in self.results],
            "bars": [b.to_json() for b in self.bars],
            "ablation": [a.to_json() for a in self.ablations],
            "notes": list(self.notes),
            "dry_run": self.dry_run,
            "calls": None if self.summary is None else self.summary.to_json(),
        }


def probe(
    workspace: Workspace,
    name: str,
    *,
    metric: str = "groundedness",
    records: int = 30,
    ablate: bool = False,
    dry_run: bool = False,
    on_progress: Advance = lambda *_, **__: None,
) -> Probes:
    """Run the self-tests of a judge on cases made from so many of the workspace's records.

    Answers are kept: what was asked before is not asked again. Raises UsageError for a metric that
    is not about entailment by the context, and a workspace without records to make cases from.
    """
    spec = spec_of(workspace, name, metric)
    tasks = _tasks(workspace, metric, records)
    made = cases(tasks)
    said, summary = _ask(workspace, name, spec, made, dry_run, on_progress)
    gate = workspace.settings.gate.probes
    if dry_run:
        return Probes(name, spec, (), (), notes=(_about(tasks),), summary=summary, dry_run=True)
    results = tuple(_result(kind, made, said) for kind in KINDS)
    for result in results:
        workspace.store.save_probe(spec.fingerprint, metric, result.kind, result.to_json())
    ablations: tuple[Ablation, ...] = ()
    if ablate:
        ablations = tuple(_ablations(workspace, name, spec, tasks, results, on_progress))
    by_kind = {r.kind: r.rate for r in results}
    bars = tuple(bar_of(kind, limit, by_kind.get(kind)) for kind, limit in gate.items())
    return Probes(name, spec, results, bars, ablations, (_about(tasks),), summary)


def _about(tasks: Sequence[JudgeTask]) -> str:
    return f"made from {len(tasks):,} records of the workspace; no label was used"


def _tasks(workspace: Workspace, metric: str, count: int) -> list[JudgeTask]:
    """Records with claims and a context with text, in an order that no import decides."""
    spec = METRICS[metric]
    if spec.against != "context":
        raise UsageError(
            f"the self-tests are about entailment by the context, which {metric} is not",
            hint="--metric groundedness or contextual_recall",
        )
    freeze_missing(workspace, metric)
    units: dict[str, list[Any]] = {}
    for unit in workspace.store.units(spec.units):
        units.setdefault(unit.record, []).append(unit)
    order = sorted(units, key=lambda key: content_id("probe-order", key))
    found: list[JudgeTask] = []
    for start in range(0, len(order), 4 * count):
        keys = order[start : start + 4 * count]
        records = {r.key: r for r in workspace.store.iter_records(keys=keys)}
        for key in keys:
            record = records[key]
            if record.context and any(c.text.strip() for c in record.context):
                found.append(task_of(record, units[key], metric))
            if len(found) == count:
                return found
    if not found:
        raise UsageError(
            "no record has claims and a context to make cases from", hint="trueup import FILE"
        )
    return found


def _ask(
    workspace: Workspace,
    name: str,
    spec: JudgeSpec,
    made: Sequence[Case],
    dry_run: bool,
    on_progress: Advance,
) -> tuple[Mapping[str, Said], RunSummary | None]:
    every = [c for case in made for c in (case, case.like) if c is not None]
    wanted = {case_id(c.task, c.again): c.task for c in every}
    trials = ask(workspace, name, spec, STORED_AS, wanted, dry_run=dry_run, on_progress=on_progress)
    return trials.said, trials.summary


def _result(kind: str, made: Sequence[Case], said: Mapping[str, Said]) -> ProbeResult:
    counts: dict[str, list[int]] = {}
    examples: list[dict[str, Any]] = []
    undecided = 0
    for case in made:
        if case.kind != kind:
            continue
        for i, unit in enumerate(case.task.units):
            wrong, shown = _wrong(case, i, said)
            if wrong is None:
                undecided += 1
                continue
            counts.setdefault(case.source, [0, 0])[0 if wrong else 1] += 1
            if wrong and len(examples) < _EXAMPLES:
                examples.append(_example(case, unit.text, shown))
    rows = list(counts.values())
    n_errors, n_units = sum(r[0] for r in rows), sum(map(sum, rows))
    rate = proportion(Clusters.from_counts(rows or [[0, 0]]), [0], [0, 1], undefined=NO_CASE)
    return ProbeResult(kind, rate, len(rows), n_units, n_errors, undecided, tuple(examples))


def _wrong(case: Case, i: int, said: Mapping[str, Said]) -> tuple[bool | None, str]:
    """(whether the judge erred on a unit; None: it did not decide, what it said)."""
    answer = said.get(case_id(case.task, case.again))
    value = "undecided" if answer is None else answer.values[i]
    if case.like is not None:
        before = said.get(case_id(case.like.task, case.like.again))
        first = "undecided" if before is None else before.values[i]
        known = "undecided" not in (value, first)
        return (value != first) if known else None, f"{first}, then {value}"
    if value == "undecided":
        return None, value
    return (value == "entailed") != case.must, value


def _example(case: Case, claim: str, said: str) -> dict[str, Any]:
    context = " ⏎ ".join(c.text for c in case.task.context or ())
    return {
        "record": case.source,
        "claim": _short(claim),
        "context": _short(context),
        "said": said,
    }


def _short(text: str) -> str:
    text = " ⏎ ".join(text.splitlines())
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"


def _ablations(
    workspace: Workspace,
    name: str,
    spec: JudgeSpec,
    tasks: Sequence[JudgeTask],
    results: Sequence[ProbeResult],
    on_progress: Advance,
) -> Sequence[Ablation]:
    """Each load-bearing sentence taken out, and its own self-test run again."""
    whole = {r.kind: r for r in results}
    found = []
    for kind, sentence in LOAD_BEARING.items():
        text = without_sentence(spec.prompt_text, sentence)
        less = None
        if text is not None:
            other = replace(spec, name=f"{spec.name} without a sentence", prompt_text=text)
            made = cases(tasks, [kind])
            said, _ = _ask(workspace, name, other, made, False, on_progress)
            less = _result(kind, made, said)
        found.append(Ablation(kind, sentence.removeprefix("- "), whole[kind], less))
    return found
