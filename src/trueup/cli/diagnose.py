"""`trueup diagnose`: where failing questions fail."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from trueup.cli.context import Env, trueup_command
from trueup.cli.output import table
from trueup.domain.cells import CELLS, MEANING

if TYPE_CHECKING:
    from trueup.services.diagnose_model import Diagnosis

_SHOWN = 8
"""Questions of a cell on one screen."""


@trueup_command(
    "diagnose",
    help="The four cells of failing questions: did the evidence arrive, and was it used? With "
    "owners, and what to look at first.",
)
@click.option("--release", "releases", multiple=True, help="Only this release.")
@click.option("--judge", help="Whose groundedness counts; default: the judge in use.")
@click.option("-k", type=click.IntRange(min=1), help="Retrieved ids that count without a context.")
@click.option("--isolate", "isolating", is_flag=True, help="Judge each with the gold chunks alone.")
@click.option("--dry-run", is_flag=True, help="With --isolate: print what it would cost.")
@click.option("--out", type=click.Path(path_type=Path), help="Also write a report here.")
@click.option("--all", "everything", is_flag=True, help="Every question, not the first of each.")
def command(
    env: Env, releases: tuple[str, ...], judge: str | None, k: int | None, isolating: bool,
    dry_run: bool, out: Path | None, everything: bool,
) -> int:  # fmt: skip
    """Find, isolate where asked to, show."""
    from trueup.services.diagnosing import check, diagnose
    from trueup.services.isolating import isolate

    summary = None
    with env.workspace() as workspace:
        check(releases, [r for r, _ in workspace.store.releases()])
        found = diagnose(workspace, releases=releases or None, judge=judge, k=k)
        if isolating:
            with env.out.progress("judging") as advance:
                found, summary = isolate(workspace, found, dry_run=dry_run, on_progress=advance)
    data: dict[str, Any] = found.to_json()
    if isolating:
        data["calls"] = None if summary is None else summary.to_json()
    written = [] if out is None else _write(found, out)
    env.out.result("diagnose", data, lambda: "\n".join([*_human(found, everything), *written]))
    if isolating and dry_run:
        calls = 0 if summary is None else summary.calls
        env.out.info(f"--isolate would make about {calls:,} calls")
    return 0


def _write(found: Diagnosis, out: Path) -> list[str]:
    from trueup.services.diagnose_report import write

    return ["", str(write(found, out)[0])]


def _human(found: Diagnosis, everything: bool) -> Iterator[str]:
    limits = found.thresholds
    yield (
        f"{found.counts['failing']:,} failing questions, {found.counts['not_failing']:,} not "
        f"failing, {found.counts['unknown']:,} not known"
    )
    yield (
        f"high from: {limits.headline.replace('_', ' ')} {limits.retrieval:g}; groundedness "
        f"{limits.groundedness:g}, by {found.judge.name} ({_calibrated(found)})"
    )
    yield ""
    yield from _square(found)
    yield ""
    for cell in CELLS:
        mine = found.of(cell)
        if not mine:
            continue
        yield f"{cell.replace('_', '-')}: {MEANING[cell]}; owner: {found.owners[cell]}"
        for f in mine if everything else mine[:_SHOWN]:
            isolated = "" if f.isolated is None else f"  [{_isolated(f.isolated.outcome)}]"
            yield f"  {f.looked.name}: {f.look_at}{isolated}"
        if not everything and len(mine) > _SHOWN:
            yield f"  … and {len(mine) - _SHOWN:,} more: --all"
    if found.open_ones:
        yield "cannot attribute:"
        yield from (f"  {f.looked.name}: {f.reason}" for f in found.open_ones)
    yield from _tables(found)
    yield from (f"• {note}." for note in found.notes)


def _calibrated(found: Diagnosis) -> str:
    mark = found.calibration
    if mark is None:
        return "uncalibrated"
    return "calibrated" if mark.origin == "people" else "calibrated by constructed labels"


def _isolated(outcome: Any) -> str:
    from trueup.services.isolating import SENTENCES

    return SENTENCES[outcome]


def _square(found: Diagnosis) -> Iterator[str]:
    """The 2×2 of the cells."""
    n = {cell: len(found.of(cell)) for cell in CELLS}
    rows = [
        ["recall high", f"end-to-end {n['end_to_end']:,}", f"generation {n['generation']:,}"],
        ["recall low", f"retrieval {n['retrieval']:,}", f"both {n['both']:,}"],
    ]
    yield table(rows, ["", "groundedness high", "groundedness low"])


def _tables(found: Diagnosis) -> Iterator[str]:
    from trueup.report.words import estimate

    head = ["end-to-end", "generation", "retrieval", "both", "cannot attribute"]
    names = (*CELLS, "cannot_attribute")
    if len(found.by_release) > 1:
        rows = [[r or "–", *(f"{c[n]:,}" for n in names)] for r, c in found.by_release.items()]
        yield ""
        yield table(rows, ["release", *head], right=(1, 2, 3, 4, 5))
    for name, values in found.by_slice.items():
        rows = [[v, *(f"{c[n]:,}" for n in names)] for v, c in values.items()]
        yield ""
        yield table(rows[:_SHOWN], [name, *head], right=(1, 2, 3, 4, 5))
    if found.by_rank:
        rows = [
            ["none arrived" if r.rank is None else str(r.rank), f"{r.n_records:,}",
             estimate(r.groundedness), estimate(r.correct)]
            for r in found.by_rank
        ]  # fmt: skip
        yield ""
        header = ["first gold chunk at rank", "records", "groundedness", "share not failing"]
        yield table(rows, header, right=(1,))
