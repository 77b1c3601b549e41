"""Giving everything out again: the store as files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trueup.errors import UsageError

if TYPE_CHECKING:
    from trueup.exchange.tables_write import Columns
    from trueup.services.workspace import Workspace

WHAT = ("records", "labels", "verdicts", "scores")
TABLES = ("jsonl", "csv", "parquet")
SETS = ("ragas", "deepeval", "qrels")
"""Formats of other tools: records with people's labels, or gold made of them."""
FORMATS = (*TABLES, *SETS)


@dataclass(frozen=True, slots=True)
class Export:
    """What is to be written. `metric` and `labels` (a sample or a label set) are for the formats
    of other tools, and `labels` for label rows."""

    what: str = "records"
    format: str = "jsonl"
    metric: str | None = None
    labels: str | None = None
    releases: Sequence[str] | None = None

    def check(self) -> None:
        """Raise UsageError for what goes together in no way."""
        if self.format in SETS and self.what != "records":
            raise UsageError(
                f"--format {self.format} writes records with labels, not {self.what}",
                hint=f"{self.what} go out as one of: {', '.join(TABLES)}",
            )
        if self.format in TABLES and self.labels is not None and self.what != "labels":
            raise UsageError(
                f"--labels does not go with {self.what} in {self.format}",
                hint="it picks labels: --what labels, or --format ragas, deepeval, qrels",
            )


def export_jsonl(workspace: Workspace, *, releases: Sequence[str] | None = None) -> Iterator[str]:
    """Lines of trueup JSONL, one a record, that import to the same store."""
    from trueup.exchange.jsonl_write import write_jsonl

    return write_jsonl(workspace.store.export_records(releases=releases))


def export_lines(workspace: Workspace, export: Export) -> Iterator[str]:
    """The lines of any text format. CSV begins with its header.

    Raises UsageError for a combination that makes no sense, and for Parquet, which is no text.
    """
    from trueup.exchange import tables_write, tools_write

    export.check()
    if export.format == "parquet":
        raise UsageError("Parquet is no text", hint="name a file: -o FILE.parquet")
    if export.format in SETS:
        from trueup.services.export_rows import labelled

        metric = export.metric or (
            "context_relevancy" if export.format == "qrels" else "groundedness"
        )
        items = labelled(workspace, metric, export.labels, export.releases)
        lines = {
            "ragas": tools_write.ragas_lines, "deepeval": tools_write.deepeval_lines,
            "qrels": tools_write.qrels_lines,
        }  # fmt: skip
        return lines[export.format](items)
    if export.what == "records" and export.format == "jsonl":
        return export_jsonl(workspace, releases=export.releases)
    rows, columns = _rows(workspace, export)
    if export.format == "jsonl":
        return tables_write.jsonl_lines(rows)
    return tables_write.csv_lines(rows, columns)


def export_parquet(workspace: Workspace, export: Export, path: Path) -> int:
    """Write a Parquet file whole or not at all; returns the rows."""
    from trueup.exchange.tables_write import write_parquet

    export.check()
    rows, columns = _rows(workspace, export)
    return write_parquet(path, rows, columns)


def _rows(workspace: Workspace, export: Export) -> tuple[Iterator[dict[str, Any]], Columns]:
    from trueup.exchange.tables_write import RECORD_COLUMNS, record_rows
    from trueup.services import export_rows

    if export.what == "records":
        return record_rows(workspace.store.export_records(releases=export.releases)), RECORD_COLUMNS
    if export.what == "labels":
        rows = export_rows.label_rows(workspace, export.labels, export.releases)
        return rows, export_rows.LABEL_COLUMNS
    if export.what == "verdicts":
        return export_rows.verdict_rows(workspace, export.releases), export_rows.VERDICT_COLUMNS
    return export_rows.score_rows(workspace, export.releases), export_rows.SCORE_COLUMNS
