"""`trueup judge`: rule on every unit not yet ruled on."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from trueup.cli.context import Env, trueup_command
from trueup.cli.options import MetricType, judges_option

if TYPE_CHECKING:
    from trueup.services.batching import BatchRun
    from trueup.services.judging import JudgeRun


@trueup_command(
    "judge",
    help="Split answers into claims where needed, and rule on every unit that the judge has not "
    "ruled on yet. Run again, it resumes where it stopped.",
)
@judges_option
@click.option(
    "--metric", "metrics", type=MetricType(), multiple=True, help="Default: groundedness."
)
@click.option("--release", "releases", multiple=True, help="Only records of this release.")
@click.option("--repeat", type=click.IntRange(min=1), default=1, help="Rule this many times.")
@click.option("--limit", type=click.IntRange(min=1), help="At most this many records.")
@click.option("--max-calls", type=click.IntRange(min=1), help="Stop after this many calls.")
@click.option("--max-cost", type=click.FloatRange(min=0), help="Stop when this much is spent.")
@click.option("--dry-run", is_flag=True, help="Print calls, tokens and cost; ask nothing.")
@click.option("--reparse", is_flag=True, help="Read stored replies again; ask nothing.")
@click.option(
    "--batch",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Write OpenAI Batch API request files there, and read the results there.",
)
@click.option("--send", is_flag=True, help="With --batch: submit and fetch by the endpoint.")
def command(
    env: Env, judges: tuple[str, ...], metrics: tuple[str, ...], releases: tuple[str, ...],
    batch: Path | None, send: bool, **options: Any,
) -> int:  # fmt: skip
    """Run each judge under each metric."""
    wanted: dict[str, Any] = {
        "metrics": metrics or ("groundedness",),
        "releases": releases or None,
    }
    if send and batch is None:
        raise click.UsageError("--send goes with --batch DIR")
    with env.workspace() as workspace:
        if batch is not None:
            from trueup.services.batching import batch as run_batch

            runs = run_batch(workspace, batch, judges, send=send, **wanted)
            env.out.result(
                "judge", {"batches": [r.to_json() for r in runs]},
                lambda: "\n".join(map(_batch_human, runs)),
            )  # fmt: skip
            return 0
        with env.out.progress("judging") as advance:
            outcome = workspace.judge(judges, on_progress=advance, **wanted, **options)
    for run in outcome.runs:
        for warning in run.summary.warnings:
            env.out.warning(warning)
    env.out.result("judge", outcome.to_json(), lambda: "\n".join(map(_human, outcome.runs)))
    return outcome.exit_code


def _batch_human(run: BatchRun) -> str:
    o = run.outcome
    did = f"{o.summary.units:,} units ruled on from {o.results:,} results"
    lines = [f"{run.judge} ({run.metric}): {did}, {o.waiting:,} requests wait"]
    lines += [f"  written: {path}" for path in run.written]
    lines += [f"  {s.requests.name}: {s.status} ({s.completed}/{s.total})" for s in run.states]
    lines += [f"  not read: {problem}" for problem in o.unread[:5]]
    if run.written and not run.states:
        lines.append(f"  submit them, put the results into {run.folder}, and run this again")
    return "\n".join(lines)


def _human(run: JudgeRun) -> str:
    s = run.summary
    who = f"{run.judge} ({run.metric})"
    cost = "" if s.cost is None else f", cost {s.cost:.4f}"
    if run.dry_run:
        return (
            f"{who}: would make about {s.calls:,} calls for {s.units:,} units, about "
            f"{s.input_tokens or 0:,} tokens in and {s.output_tokens or 0:,} out"
            f"{cost or ', cost unknown'}"
        )
    lines = [f"{who}: {s.units:,} units ruled on, {s.cached:,} there before"]
    if not s.units and not s.cached and not run.reread:
        lines += [
            "  no record here has units of this metric: look at --release, and whether the",
            "  records have what it needs (an answer, a context, a reference)",
        ]
    if run.reread:
        lines.append(f"  {run.reread:,} stored replies read again, without a call")
    if s.units:
        reasons = ", ".join(f"{k} {v:,}" for k, v in s.undecided.items())
        undecided = f", undecided {sum(s.undecided.values()):,} ({reasons})" if reasons else ""
        lines.append(f"  entailed {s.entailed:,}, not entailed {s.not_entailed:,}{undecided}")
        lines.append(f"  {s.calls:,} calls in {s.seconds:.1f} s{cost}")
    lines += [f"  first failure ({reason}): {text}" for reason, text in s.failures.items()]
    return "\n".join(lines)
