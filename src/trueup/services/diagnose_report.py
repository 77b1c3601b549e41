"""A diagnosis as diagnose.html, diagnose.md and diagnose.json."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from trueup.domain.cells import CELLS, MEANING
from trueup.report.cells import cells_figure
from trueup.report.simple import Section, SimplePage
from trueup.report.tables import Table
from trueup.report.words import count, estimate
from trueup.services.diagnose_model import Diagnosis
from trueup.services.isolating import SENTENCES
from trueup.services.page_files import write_page

_MOST = 500


def write(found: Diagnosis, target: Path) -> list[Path]:
    """The three files in a directory; returns their paths. Raises UsageError where it cannot."""
    data = {"schema": "trueup.diagnose/1", **found.to_json()}
    return write_page(page_of(found), data, target, "diagnose")


def page_of(found: Diagnosis) -> SimplePage:
    """The page of a diagnosis."""
    n = found.counts
    lead = (
        f"{count(n['failing'], 'failing question')} by whether the evidence arrived and whether it "
        f"was used; {n['not_failing']:,} do not fail, {n['unknown']:,} are not known."
    )
    return SimplePage("Diagnosis: the four cells", lead, tuple(_sections(found)))


def _sections(found: Diagnosis) -> Iterator[Section]:
    limits, mark = found.thresholds, found.calibration
    by = "uncalibrated" if mark is None else f"calibrated by {mark.labels} ({mark.origin})"
    counts = {cell: len(found.of(cell)) for cell in CELLS}
    high = (
        f"Retrieval is high from {limits.headline.replace('_', ' ')} {limits.retrieval:g} on, "
        f"groundedness by {found.judge.name} ({by}) from {limits.groundedness:g} on."
    )
    yield Section(
        "The four cells",
        (high, *(f"{note}." for note in found.notes)),
        (cells_figure(counts, found.owners),),
    )
    for cell in CELLS:
        rows = tuple(
            (
                f.looked.name, f.looked.record.question or "–", f.look_at,
                *(() if f.isolated is None else (SENTENCES[f.isolated.outcome],)),
            )
            for f in found.of(cell)[:_MOST]
        )  # fmt: skip
        if rows:
            title = cell.replace("_", "-")
            head = ("record", "question", "look at", "with the gold chunks alone")[: len(rows[0])]
            table = Table(title, head, rows, "llll"[: len(rows[0])])
            yield Section(
                title,
                (f"{MEANING[cell].capitalize()}. Owner: {found.owners[cell]}.",),
                (),
                (table,),
            )
    if found.open_ones:
        open_rows = tuple((f.looked.name, f.reason or "") for f in found.open_ones[:_MOST])
        table = Table("Cannot attribute", ("record", "why"), open_rows, "ll")
        yield Section("Cannot attribute", (), (), (table,))
    yield Section("Where, and by rank", (), (), tuple(_tables(found)))


def _tables(found: Diagnosis) -> Iterator[Table]:
    head = (*(c.replace("_", "-") for c in CELLS), "cannot attribute")
    names = (*CELLS, "cannot_attribute")
    groups = {"release": found.by_release, **found.by_slice}
    for name, values in groups.items():
        rows = tuple((v or "–", *(f"{c[n]:,}" for n in names)) for v, c in values.items())
        if rows:
            yield Table(f"By {name}", (name, *head), rows, "lnnnnn")
    ranks = tuple(
        ("none arrived" if r.rank is None else str(r.rank), f"{r.n_records:,}",
         estimate(r.groundedness), estimate(r.correct), estimate(r.answer_correctness))
        for r in found.by_rank
    )  # fmt: skip
    if ranks:
        columns = ("rank", "records", "groundedness", "share not failing", "answer correctness")
        yield Table("By the rank of the first gold chunk", columns, ranks, "lnnnn")
