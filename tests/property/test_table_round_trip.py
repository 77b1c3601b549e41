"""Whatever is exported as a table is imported as the same: CSV and Parquet, records and labels."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parent))

from test_jsonl_round_trip import items

from trueup.domain.transfer import ImportedRecord
from trueup.exchange.detect import read_files
from trueup.exchange.reading import Reading
from trueup.exchange.tables_write import RECORD_COLUMNS, csv_lines, record_rows, write_parquet

several = st.lists(
    items(), min_size=1, max_size=3, unique_by=lambda i: (i.record.id, i.record.release)
)


def same(back: list[ImportedRecord], given_items: list[ImportedRecord]) -> None:
    """Every part of every item, order from unit to unit aside."""
    assert [b.record for b in back] == [g.record for g in given_items]
    assert [b.record.version_id for b in back] == [g.record.version_id for g in given_items]
    for one, other in zip(back, given_items, strict=True):
        for part in ("verdicts", "labels"):
            assert sorted(getattr(one, part), key=str) == sorted(getattr(other, part), key=str)
        mine, theirs = (
            sorted((u for units in item.claims.values() for u in units), key=str)
            for item in (one, other)
        )
        assert mine == theirs


@given(several)
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
def test_csv_there_and_back(given_items: list[ImportedRecord]) -> None:
    """Formula protection, quotes, line ends, empty texts and missing ones: nothing changes."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "records.csv"
        with path.open("w", encoding="utf-8", newline="") as file:
            file.writelines(csv_lines(record_rows(given_items), RECORD_COLUMNS))
        same(list(read_files([path], Reading())), given_items)


@given(several)
@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
def test_parquet_there_and_back(given_items: list[ImportedRecord]) -> None:
    """Nulls and empty texts stay apart."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "records.parquet"
        assert write_parquet(path, record_rows(given_items), RECORD_COLUMNS) == len(given_items)
        same(list(read_files([path], Reading())), given_items)
