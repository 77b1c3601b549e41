"""`trueup import`: records, recorded verdicts and labels in."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from trueup.cli.context import Env, trueup_command

if TYPE_CHECKING:
    from trueup.services.importing import ImportOutcome


@trueup_command(
    "import",
    help="Read records, recorded verdicts and labels. All of a file is stored, or nothing.",
)
@click.argument("paths", type=click.Path(path_type=Path), nargs=-1, required=True)
@click.option("--format", "format_", help="Force a format instead of telling it by content.")
@click.option(
    "--update", is_flag=True, help="Replace records that changed; the old stay as history."
)
@click.option("--skip-bad", is_flag=True, help="Store what can be read; exit 4 if a line was not.")
@click.option("--dry-run", is_flag=True, help="Show what would be read; store nothing.")
def command(
    env: Env,
    paths: tuple[Path, ...],
    format_: str | None,
    update: bool,
    skip_bad: bool,
    dry_run: bool,
) -> int:
    """Import, and say what was new."""
    with env.workspace() as workspace, env.out.progress("importing") as advance:
        outcome = workspace.import_files(
            paths, format=format_, update=update, skip_bad=skip_bad, dry_run=dry_run, tick=advance
        )
    for line in outcome.bad[:20]:
        env.out.warning(f"{line.path}:{line.line}: {line.reason}")
    if len(outcome.bad) > 20:
        env.out.warning(f"and {len(outcome.bad) - 20} more bad lines")
    env.out.result("import", _data(outcome, dry_run), lambda: _human(outcome, dry_run))
    return 4 if outcome.bad else 0


def _data(outcome: ImportOutcome, dry_run: bool) -> dict[str, Any]:
    counts = outcome.counts
    return {
        "files": [{"path": p, "format": f} for p, f in outcome.formats],
        "dry_run": dry_run,
        "seen": outcome.seen,
        "records": counts.records,
        "unchanged": counts.records_unchanged,
        "updated": counts.records_updated,
        "units": counts.units,
        "verdicts": counts.verdicts,
        "labels": counts.labels,
        "judges": counts.judges,
        "bad_lines": [
            {"path": str(b.path), "line": b.line, "reason": b.reason} for b in outcome.bad
        ],
    }


def _human(outcome: ImportOutcome, dry_run: bool) -> str:
    c = outcome.counts
    did = "Would import" if dry_run else "Imported"
    new = f"{c.records:,} records, {c.units:,} units, {c.verdicts:,} verdicts, {c.labels:,} labels"
    lines = [f"{did}: {new}"]
    if c.records_unchanged:
        lines.append(f"Already here: {c.records_unchanged:,} records")
    if c.records_updated:
        lines.append(f"Updated: {c.records_updated:,} records; the old versions are kept")
    if outcome.bad:
        lines.append(f"Left out: {len(outcome.bad):,} lines that could not be read")
    return "\n".join(lines)
