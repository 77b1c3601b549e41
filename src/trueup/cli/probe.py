"""`trueup probe`: self-tests of a judge that need no labels."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from trueup.cli.context import Env, trueup_command
from trueup.cli.options import metric_option
from trueup.cli.output import table

if TYPE_CHECKING:
    from trueup.services.probing import Probes


@trueup_command(
    "probe",
    help="Self-tests of a judge that need no labels, from the workspace's own records. With bars "
    "in [gate.probes]: exit 0 all held, 1 one missed, 3 one not decided.",
)
@click.argument("judge")
@metric_option
@click.option("--records", type=click.IntRange(min=1), default=30, help="Make cases from so many.")
@click.option("--ablate", is_flag=True, help="Take the two load-bearing sentences out, in turn.")
@click.option("--dry-run", is_flag=True, help="Print what it would cost; ask nothing.")
def command(env: Env, judge: str, **options: Any) -> int:
    """Ask, count, hold against the bars."""
    from trueup.services.probing import probe

    with env.workspace() as workspace, env.out.progress("probing") as advance:
        made = probe(workspace, judge, on_progress=advance, **options)
    env.out.result("probe", made.to_json(), lambda: "\n".join(_human(made)))
    return made.exit_code


def _human(made: Probes) -> Iterator[str]:
    from trueup.judge.probes import KINDS
    from trueup.report.words import estimate

    yield f"{made.judge} ({made.spec.metric}, {made.spec.fingerprint[:8]}): " + made.notes[0]
    if made.dry_run:
        calls = 0 if made.summary is None else made.summary.calls
        yield f"  would make about {calls:,} calls"
        return
    rows = [
        [
            r.kind, KINDS[r.kind].must, estimate(r.rate), f"{r.n_errors:,} of {r.n_units:,}",
            f"{r.n_undecided:,}",
        ]
        for r in made.results
    ]  # fmt: skip
    yield table(rows, ["self-test", "it", "rate of errors", "errors", "undecided"], right=(3, 4))
    for r in made.results:
        for example in r.examples[:1]:
            yield f"  {r.kind}, {example['record']}: {example['said']}: {example['claim']}"
            yield f"    given: {example['context']}"
    marks = {True: "✓", False: "✗", None: "?"}
    yield from (f"  {marks[b.ok]} {b.sentence}" for b in made.bars)
    for a in made.ablations:
        if a.without is None:
            yield f"  ablation: the prompt does not hold {a.sentence!r}"
            continue
        yield (
            f"  without {a.sentence!r}: {a.kind} {estimate(a.without.rate)} instead of "
            f"{estimate(a.with_it.rate)}"
        )
