"""Judging: split where needed, plan what is missing, run, and say what happened."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from trueup.domain.judging import JudgeTask
from trueup.domain.model import JudgeSpec
from trueup.services.counting import refresh
from trueup.services.rereading import reread_stored
from trueup.services.specs import backend_of, default_judges, spec_of
from trueup.services.splitting import freeze_missing
from trueup.services.tasks import plan

if TYPE_CHECKING:
    from trueup.config import JudgeSettings
    from trueup.judge.options import RunOptions
    from trueup.judge.progress import Progress, RunSummary
    from trueup.services.workspace import Workspace

Advance = Callable[..., None]
Planned = tuple[list[JudgeTask], int]


@dataclass(frozen=True, slots=True)
class JudgeRun:
    """One judge under one metric and repeat. With `dry_run` the summary is an estimate.

    `reread` counts stored replies that served again, without a call.
    """

    judge: str
    metric: str
    fingerprint: str
    repeat: int
    summary: RunSummary
    dry_run: bool = False
    reread: int = 0


@dataclass(frozen=True, slots=True)
class JudgeOutcome:
    """All runs of one call, and the exit code that they give together."""

    runs: tuple[JudgeRun, ...]
    max_undecided: float

    @property
    def exit_code(self) -> int:
        """4 where more verdicts stayed undecided than gate.max_undecided allows, else 0."""
        ruled = sum(r.summary.units for r in self.runs if not r.dry_run)
        undecided = sum(sum(r.summary.undecided.values()) for r in self.runs if not r.dry_run)
        return 4 if ruled and undecided / ruled > self.max_undecided else 0

    def to_json(self) -> dict[str, Any]:
        """The contract's fields, summed over the runs, and each run by itself."""
        runs = [
            {
                "judge": r.judge,
                "metric": r.metric,
                "fingerprint": r.fingerprint,
                "repeat": r.repeat,
                "dry_run": r.dry_run,
                "reread": r.reread,
                **r.summary.to_json(),
            }
            for r in self.runs
        ]
        totals: dict[str, Any] = {
            name: sum(r[name] for r in runs)
            for name in ("calls", "cached", "units", "entailed", "not_entailed", "seconds")
        }
        undecided: dict[str, int] = {}
        for run in self.runs:
            for reason, count in run.summary.undecided.items():
                undecided[reason] = undecided.get(reason, 0) + count
        # A sum with an unknown part is unknown: null, never a number that is too small.
        for name in ("input_tokens", "output_tokens", "cost"):
            values = [r[name] for r in runs if r["calls"] or r["dry_run"]]
            totals[name] = None if not values or None in values else sum(values)
        return {**totals, "undecided": undecided, "runs": runs}


def judge(
    workspace: Workspace,
    names: Sequence[str] = (),
    *,
    metrics: Sequence[str] = ("groundedness",),
    releases: Sequence[str] | None = None,
    records: Collection[str] | None = None,
    repeat: int = 1,
    limit: int | None = None,
    max_calls: int | None = None,
    max_cost: float | None = None,
    dry_run: bool = False,
    reparse: bool = False,
    on_progress: Advance = lambda *_, **__: None,
) -> JudgeOutcome:
    """Rule on every unit that these judges have not ruled on yet.

    Replies that are stored for the same call (under another evidence rule, or read by an older
    reader) are read again first; with `reparse` nothing else is done. `records` (keys) restricts
    the run to these; `repeat` is how many times each unit is ruled on; `limit` caps the records per
    run. Raises ServiceError (RunStopped) when going on is no use; what was answered before is
    stored.
    """
    runs = []
    for metric in metrics:
        freeze_missing(workspace, metric, releases=releases)
        for name in names or default_judges(workspace):
            spec = spec_of(workspace, name, metric)
            for number in range(repeat):

                def missing(spec: JudgeSpec = spec, number: int = number) -> Planned:
                    return plan(
                        workspace, spec, repeat=number, releases=releases, records=records,
                        limit=limit,
                    )  # fmt: skip

                tasks, cached = missing()
                reread = 0 if dry_run else reread_stored(workspace, spec, tasks)
                if reread:
                    tasks, cached = missing()
                settings = workspace.settings.judge(name)
                if dry_run or reparse:
                    summary = estimate_run(spec, settings, tasks if dry_run else (), cached)
                else:
                    options = run_options(settings, cached, max_calls, max_cost)
                    summary = asyncio.run(_run(workspace, name, spec, tasks, options, on_progress))
                runs.append(
                    JudgeRun(name, metric, spec.fingerprint, number, summary, dry_run, reread)
                )
    if not dry_run:
        refresh(workspace)
    return JudgeOutcome(tuple(runs), workspace.settings.gate.max_undecided)


async def _run(
    workspace: Workspace,
    name: str,
    spec: JudgeSpec,
    tasks: Sequence[JudgeTask],
    options: RunOptions,
    on_progress: Advance,
) -> RunSummary:
    from trueup.judge.runner import Run

    store = workspace.store
    store.save_judge(spec)
    backend = backend_of(workspace, name)
    run = Run(tasks, spec, backend, store.sink(spec), options)
    done = 0
    try:
        async for event in run.events():
            on_progress(event.done - done, total=event.total, note=_note(name, event))
            done = event.done
    finally:
        await backend.aclose()
    assert run.summary is not None
    return run.summary


def _note(name: str, event: Progress) -> str:
    cost = "" if event.cost is None else f"  cost {event.cost:.4f}"
    undecided = f"  undecided {event.undecided}" if event.undecided else ""
    return f"{name}{cost}{undecided}"


def run_options(
    settings: JudgeSettings, cached: int, max_calls: int | None, max_cost: float | None
) -> RunOptions:
    """How a run of a judge goes about it, by trueup.toml."""
    from trueup.judge.budget import Price
    from trueup.judge.options import RunOptions
    from trueup.judge.retry import RetryPolicy

    price = settings.price_per_million
    return RunOptions(
        concurrency=settings.concurrency,
        timeout_s=settings.timeout_s,
        retry=RetryPolicy(retries=settings.retries),
        price=None if price is None else Price(price.input, price.output),
        max_calls=max_calls,
        max_cost=max_cost,
        cached=cached,
    )


def estimate_run(
    spec: JudgeSpec, settings: JudgeSettings, tasks: Sequence[JudgeTask], cached: int
) -> RunSummary:
    """What a run would take: one call a record (or a group of claims), tokens, and cost."""
    from trueup.judge.budget import Price, estimate
    from trueup.judge.progress import RunSummary

    price = settings.price_per_million
    usages = [estimate(spec, task) for task in tasks]
    costs = [None if price is None else Price(price.input, price.output).of(u) for u in usages]
    known = [c for c in costs if c is not None]
    per_call = spec.claims_per_call
    return RunSummary(
        calls=sum(1 if per_call is None else -(-len(t.units) // per_call) for t in tasks),
        cached=cached,
        units=sum(len(t.units) for t in tasks),
        input_tokens=sum(u.input_tokens or 0 for u in usages),
        output_tokens=sum(u.output_tokens or 0 for u in usages),
        cost=sum(known) if len(known) == len(costs) and known else None,
    )
