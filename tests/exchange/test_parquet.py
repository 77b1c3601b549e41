"""Parquet: types as the file declares them, ids with every digit."""

from __future__ import annotations

import datetime as dt
import decimal
from pathlib import Path

import pytest

from exchange_help import read
from trueup.errors import InputError


def test_parquet_keeps_types_and_digits(tmp_path: Path) -> None:
    """Whole numbers beside nulls, nested lists and structs, dates, decimals, bytes."""
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    rows = {
        "id": pa.array([1582218195625938945, None, 7]),
        "answer": ["NA", "", "x"],
        "contexts": pa.array([["a", "b"], [], None], pa.list_(pa.string())),
        "gold": pa.array([["g1"], None, []], pa.list_(pa.string())),
        "slices": [{"plan": "team"}, {"plan": None}, None],
        "when": pa.array([dt.datetime(2026, 1, 2, tzinfo=dt.UTC), None, None]),
        "cost": pa.array([decimal.Decimal("1.50"), None, None]),
        "score": pa.array([0.5, float("nan"), None]),
        "raw": pa.array([b"bytes", None, None]),
        "failing": [True, False, None],
    }
    path = tmp_path / "any"
    pq.write_table(pa.table(rows), path)
    found = read(path)
    first, second, third = found.records

    assert (first.id, third.id, len(second.id)) == ("1582218195625938945", "7", 12)
    assert [r.answer for r in found.records] == ["NA", "", "x"]
    assert found.passages == [["a", "b"], [], []]
    assert (second.context, third.context) == ((), None)
    assert (first.gold, second.gold, third.gold) == (("g1",), None, ())
    assert (first.slices, second.slices) == ({"plan": "team"}, {})
    assert first.meta == {
        "when": "2026-01-02T00:00:00+00:00", "cost": "1.50", "score": 0.5, "raw": "bytes",
    }  # fmt: skip
    assert (second.meta, third.meta) == ({}, {})
    assert [r.failing for r in found.records] == [True, False, None]


def test_parquet_ids_that_were_rounded_are_refused(tmp_path: Path) -> None:
    """A column of whole numbers with a gap that became floats has lost digits beyond 2^53."""
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"id": [12.0, None], "answer": ["a", "b"]}), path)
    assert read(path).records[0].id == "12"
    pq.write_table(pa.table({"id": [1582218195625938945.0, None], "answer": ["a", "b"]}), path)
    with pytest.raises(InputError, match="rounded") as e:
        read(path)
    assert e.value.line == 1


def test_parquet_of_other_tools_is_told_by_its_columns(tmp_path: Path) -> None:
    """A ragas table in Parquet is ragas'."""
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    path = tmp_path / "t.parquet"
    row = {
        "user_input": ["q"], "response": ["a"], "retrieved_contexts": [["c"]],
        "retrieved_context_ids": [["id"]], "faithfulness": [0.5],
    }  # fmt: skip
    pq.write_table(pa.table(row), path)
    found = read(path)

    assert found.formats == ["ragas"]
    assert [(c.id, c.text) for c in found.records[0].context or ()] == [("id", "c")]
    assert found.records[0].meta == {"faithfulness": 0.5}
