"""`trueup sample`: draw records to label."""

from __future__ import annotations

import shlex
from typing import Any

import click

from trueup.cli.context import Env, trueup_command
from trueup.cli.options import metric_option


@trueup_command("sample", help="Draw records to label; their inclusion probabilities are stored.")
@click.argument("name")
@click.option("--records", type=click.IntRange(min=1), required=True, help="How many answers.")
@click.option(
    "--design",
    type=click.Choice(["random", "score-bands", "discordant"]),
    default="random",
    show_default=True,
)
@click.option("--allocation", type=click.Choice(["sqrt", "equal", "neyman"]), default="sqrt")
@click.option("--judge", "judges", multiple=True, help="The judge that makes the bands (or two).")
@click.option("--release", "releases", multiple=True, help="Only records of this release.")
@click.option("--overlap", type=click.FloatRange(0, 1), default=0.0, help="Share for everyone.")
@click.option("--repeats", type=click.FloatRange(0, 1), default=0.0, help="Share shown twice.")
@click.option("--seed", type=int, default=1, show_default=True)
@metric_option
def command(env: Env, name: str, releases: tuple[str, ...], **options: Any) -> None:
    """Draw, store, and say what was drawn."""
    with env.workspace() as workspace:
        sample = workspace.sample(name, releases=releases or None, **options)
    strata: dict[str, int] = {}
    for member in sample.members:
        strata[member.stratum] = strata.get(member.stratum, 0) + 1
    data = {
        "name": sample.name,
        "metric": sample.metric,
        "design": sample.design,
        "seed": sample.seed,
        "population": sample.population,
        "n_records": len(sample.members),
        "strata": strata,
        "overlap": sum(m.overlap for m in sample.members),
        "repeats": sum(m.repeat for m in sample.members),
        "notes": list(sample.notes),
    }
    for note in sample.notes:
        env.out.info(note)
    env.out.result(
        "sample",
        data,
        lambda: (
            f"Sample {name}: {len(sample.members)} of {sample.population} records "
            f"({sample.design}, seed {sample.seed})\nNext: trueup label {shlex.quote(name)}"
        ),
    )
