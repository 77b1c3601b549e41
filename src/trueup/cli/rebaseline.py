"""`trueup rebaseline`: stored scores on the scale of another judge, and a canary for drift."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from trueup.cli.context import Env, trueup_command
from trueup.cli.options import metric_option
from trueup.cli.output import table

if TYPE_CHECKING:
    from trueup.services.canary import Canary
    from trueup.services.rebaselining import Rebaseline


@trueup_command(
    "rebaseline",
    help="Restate the scores of one judge on the scale of another: every stored record ruled on "
    "again, or an overlap of each release. Old scores stay. With --canary, rule again on a frozen "
    "label set and raise an alarm (exit 1) where the judge has drifted.",
)
@click.option("--from", "source", help="The judge whose scores are restated.")
@click.option("--to", "target", help="The judge on whose scale.")
@metric_option
@click.option("--release", "releases", multiple=True, help="Only this release.")
@click.option("--overlap", type=click.IntRange(min=1), help="Rejudge this many records a release.")
@click.option("--seed", type=click.IntRange(min=0), default=1, help="Of the overlap's draw.")
@click.option("--max-cost", type=click.FloatRange(min=0), help="Stop when this much is spent.")
@click.option("--dry-run", is_flag=True, help="Print calls, tokens and cost; ask nothing.")
@click.option("--canary", "labels", help="A label set to rule on again; the judge is that of --to.")
def command(
    env: Env, source: str | None, target: str | None, metric: str, releases: tuple[str, ...],
    overlap: int | None, seed: int, max_cost: float | None, dry_run: bool, labels: str | None,
) -> int:  # fmt: skip
    """Restate, or look at the canary."""
    from trueup.services.canary import canary
    from trueup.services.rebaselining import rebaseline
    from trueup.services.specs import default_judges

    with env.workspace() as workspace, env.out.progress("judging") as advance:
        if labels is not None:
            name = target or source or default_judges(workspace)[0]
            look = canary(
                workspace, labels, name, metric=metric, dry_run=dry_run, on_progress=advance
            )
        elif source is None or target is None:
            raise click.UsageError("name both judges: --from A --to B")
        else:
            made = rebaseline(
                workspace, source, target, metric=metric, releases=releases or None,
                overlap=overlap, seed=seed, max_cost=max_cost, dry_run=dry_run,
                on_progress=advance,
            )  # fmt: skip
    if labels is not None:
        env.out.result("rebaseline", {"canary": look.to_json()}, lambda: "\n".join(_look(look)))
        return look.exit_code
    env.out.result("rebaseline", made.to_json(), lambda: "\n".join(_human(made)))
    return made.exit_code


def _human(made: Rebaseline) -> Iterator[str]:
    from trueup.report.words import count, estimate

    yield f"{made.metric}: {made.source.name} → {made.target.name} ({made.method})"
    if made.dry_run:
        yield from _cost(made)
        return
    rows = [
        [
            r.release or "–", estimate(r.restated.old), estimate(r.restated.new),
            estimate(r.restated.shift), f"{r.restated.n_overlap:,} of {r.restated.n_records:,}",
        ]
        for r in made.releases
    ]  # fmt: skip
    yield table(rows, ["release", made.source.name, made.target.name, "shift", "rejudged"])
    for side in (made.source, made.target):
        mark = made.calibration.get(side.fingerprint)
        if mark is None:
            yield f"  {side.name} is uncalibrated: no label lies on a unit that it ruled on"
        else:
            yield f"  {side.name} is calibrated by {mark.labels}: kappa {estimate(mark.kappa, 2)}"
    for r in made.releases:
        name = r.release or "–"
        parts = [f"{p.name} {estimate(p.change)}" for p in r.shift_parts]
        if parts:
            yield f"  {name}: shift by {'; '.join(parts)} (on {count(r.n_parts, 'record')})"
        if r.restated.left_out:
            left = ", ".join(f"{k.replace('_', ' ')} {n:,}" for k, n in r.restated.left_out.items())
            yield f"  {name}: left out: {left}"
        for note in r.notes:
            yield f"  {name}: {note}"
    yield "Old scores stay. trueup scores goes on with one line."


def _cost(made: Rebaseline) -> Iterator[str]:
    if made.judged is None:
        yield f"  {made.target.name} is a recorded judge: nothing would be asked"
        return
    for run in made.judged.runs:
        s = run.summary
        cost = "unknown" if s.cost is None else f"{s.cost:.4f}"
        yield (
            f"  would make about {s.calls:,} calls for {s.units:,} units, about "
            f"{s.input_tokens or 0:,} tokens in and {s.output_tokens or 0:,} out, cost {cost}"
        )


def _look(look: Canary) -> Iterator[str]:
    from trueup.report.words import estimate

    yield f"{look.judge} on {look.labels} ({look.metric}), look {look.look}: " + (
        "would be asked" if look.dry_run else "ALARM" if look.alarms else "no alarm"
    )
    if look.dry_run:
        summary = look.summary
        calls, units = (0, 0) if summary is None else (summary.calls, summary.units)
        yield f"  about {calls:,} calls for {units:,} units"
    elif look.score.change.value is not None:
        yield f"  score: change {estimate(look.score.change)}"
        yield f"  agreement with the labels: change {estimate(look.agreement.change)}"
    if look.n_failed:
        yield f"  {look.n_failed:,} of {look.n_records:,} records stayed undecided"
    yield from (f"  ! {alarm}" for alarm in look.alarms)
    yield from (f"  {note}" for note in look.notes)
