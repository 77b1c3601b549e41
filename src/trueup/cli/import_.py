"""`trueup import`: records, recorded verdicts and labels in."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from trueup.cli.context import Env, trueup_command
from trueup.cli.output import table

if TYPE_CHECKING:
    from trueup.services.importing import ImportOutcome

_SHOWN = 20
_WIDTH = 70


class MapType(click.ParamType[tuple[str, str]]):
    """`COLUMN=FIELD`; the last `=` divides, so that a column may have one in its name."""

    name = "column=field"

    def convert(self, value: Any, param: Any, ctx: Any) -> tuple[str, str]:
        column, sign, name = str(value).rpartition("=")
        if not sign or not column or not name:
            self.fail(f"{value!r} is not COLUMN=FIELD", param, ctx)
        return column, name


@trueup_command(
    "import",
    help="Read records, recorded verdicts and labels: trueup JSONL, CSV, Parquet, and the files of "
    "ragas, deepeval, eval-lib, Phoenix, TruLens, Langfuse, promptfoo, OpenAI evals, RAGTruth, "
    "RAGChecker, BEIR, TREC, Label Studio. All of them are stored, or nothing.",
)
@click.argument("paths", type=click.Path(path_type=Path), nargs=-1, required=True)
@click.option("--format", "format_", help="Force a format instead of telling it by content.")
@click.option(
    "--map", "mapping", type=MapType(), multiple=True, metavar="COLUMN=FIELD",
    help="What a column holds: answer, context, claim, human.NAME, judges.NAME, …",
)  # fmt: skip
@click.option(
    "--update", is_flag=True, help="Replace records that changed; the old stay as history."
)
@click.option("--skip-bad", is_flag=True, help="Store what can be read; exit 4 if a line was not.")
@click.option("--dry-run", is_flag=True, help="Show what would be read; store nothing.")
def command(
    env: Env,
    paths: tuple[Path, ...],
    format_: str | None,
    mapping: tuple[tuple[str, str], ...],
    update: bool,
    skip_bad: bool,
    dry_run: bool,
) -> int:
    """Import, and say what was new."""
    with env.workspace() as workspace, env.out.progress("importing") as advance:
        outcome = workspace.import_files(
            paths, format=format_, mapping=dict(mapping), update=update, skip_bad=skip_bad,
            dry_run=dry_run, tick=advance,
        )  # fmt: skip
    for line in outcome.bad[:_SHOWN]:
        env.out.warning(f"{line.path}:{line.line}: {line.reason}")
    if len(outcome.bad) > _SHOWN:
        env.out.warning(f"and {len(outcome.bad) - _SHOWN} more bad lines")
    for note in outcome.notes:
        env.out.info(f"note: {note}")
    env.out.result("import", _data(outcome, dry_run), lambda: _human(outcome, dry_run))
    return 4 if outcome.bad else 0


def _data(outcome: ImportOutcome, dry_run: bool) -> dict[str, Any]:
    counts = outcome.counts
    tallies = {t.path: t for t in outcome.files}
    files = []
    for path, name in outcome.formats:
        one: dict[str, Any] = {"path": path, "format": name}
        if (tally := tallies.get(path)) is not None:
            one |= {
                "records": tally.records, "claims": tally.claims, "labels": tally.labels,
                "verdicts": tally.verdicts, "metadata": dict(tally.kept),
            }  # fmt: skip
        files.append(one)
    data = {
        "files": files,
        "dry_run": dry_run,
        "seen": outcome.seen,
        "records": counts.records,
        "unchanged": counts.records_unchanged,
        "updated": counts.records_updated,
        "units": counts.units,
        "verdicts": counts.verdicts,
        "labels": counts.labels,
        "judges": counts.judges,
        "notes": list(outcome.notes),
        "bad_lines": [
            {"path": str(b.path), "line": b.line, "reason": b.reason} for b in outcome.bad
        ],
    }
    if dry_run:
        data["first"] = _first(outcome)
    return data


def _first(outcome: ImportOutcome) -> dict[str, Any] | None:
    from trueup.exchange.jsonl_write import item_line

    return None if outcome.first is None else item_line(outcome.first)


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
    return "\n".join([*_preview(outcome), *lines] if dry_run else lines)


def _preview(outcome: ImportOutcome) -> list[str]:
    """What a dry run shows: a table of counts, the first record, what becomes metadata."""
    tallies = {t.path: t for t in outcome.files}
    rows = []
    for path, name in outcome.formats:
        t = tallies.get(path)
        counts = (t.records, t.claims, t.labels, t.verdicts) if t else None
        rows.append([path, name, *(f"{n:,}" for n in counts)] if counts else [path, name, *"––––"])
    header = ["file", "format", "records", "claims", "labels", "verdicts"]
    lines = [table(rows, header, right=(2, 3, 4, 5)), ""]
    if (first := _first(outcome)) is not None:
        lines.append("The first record:")
        lines += [f"  {key}: {_short(value)}" for key, value in first.items()]
    kept: dict[str, int] = {}
    for tally in outcome.files:
        for name, n in tally.kept.items():
            kept[name] = kept.get(name, 0) + n
    names = ", ".join(f"{name} ({n:,})" for name, n in kept.items())
    return [*lines, "", f"Kept as metadata, no field of ours: {names or 'nothing'}", ""]


def _short(value: Any) -> str:
    """A value in one line that fits a terminal."""
    import json

    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    text = " ".join(text.split())
    return text if len(text) <= _WIDTH else text[: _WIDTH - 1] + "…"
