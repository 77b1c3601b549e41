"""Cells that no spreadsheet runs, and the way back."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared import golden_cases
from trueup.exchange.csv_safety import QUOTING, protect, restore

_CELLS = st.text(max_size=40) | st.text(st.sampled_from("'=+-@\t\r\n ,;\"＝＠\u200b1a"), max_size=8)


@pytest.mark.parametrize(
    "cell",
    [
        *("=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=2", "\tx", "\rx", " =1", "\u00a0=1"),
        *(
            "＝1+1",
            "＋1",
            "－1",
            "＠x",
            "﹦1",
            "\u200b=1",
            "\ufeff=1",
            "\x00=1",
            "=cmd|' /C calc'!A0",
        ),
        *("'=1", "''=1", "-", "- a bullet"),
    ],
)
def test_a_cell_that_would_run_is_protected(cell: str) -> None:
    """By an apostrophe before it."""
    assert protect(cell).startswith("'" + cell[:1])
    assert restore(protect(cell)) == cell


@pytest.mark.parametrize(
    "cell", ["", "ok", "1+1", "a=b", "'quoted'", "it's", "5 - 3", "日本", "#1", '"x"']
)
def test_an_ordinary_cell_stays(cell: str) -> None:
    """In both directions."""
    assert protect(cell) == cell
    assert restore(cell) == cell


@given(_CELLS)
def test_protection_is_reversible_and_final(cell: str) -> None:
    """For any text, protected any number of times."""
    once = protect(cell)

    assert restore(once) == cell
    assert restore(restore(protect(once))) == cell
    assert once.lstrip("\t\r\n \u00a0\u200b")[:1] not in set("=+-@＝＠")


@given(st.lists(_CELLS.filter(lambda c: "\x00" not in c), min_size=1, max_size=5))
def test_a_row_survives_writing_and_reading(cells: list[str]) -> None:
    """With the quoting of this module."""
    file = io.StringIO(newline="")
    csv.writer(file, quoting=QUOTING).writerow([protect(c) for c in cells])
    file.seek(0)

    assert [[restore(c) for c in row] for row in csv.reader(file)] == [cells]


@given(st.lists(_CELLS.filter(lambda c: "\x00" not in c), min_size=1, max_size=5))
@pytest.mark.parametrize("separator", ";\t,")
def test_no_other_separator_makes_a_formula(separator: str, cells: list[str]) -> None:
    """A program that splits elsewhere, inside quotation marks even, gets no cell that runs."""
    file = io.StringIO(newline="")
    csv.writer(file, quoting=QUOTING).writerow([protect(c) for c in cells])
    file.seek(0)

    for row in csv.reader(file, delimiter=separator):
        assert not [c for c in row if c.strip().startswith(tuple("=+-@＝＠"))]


@pytest.mark.parametrize(
    ("cell", "safe"),
    [
        ("a;=1", "a;'=1"),
        ("a\t@x", "a\t'@x"),
        ("list:\n- item", "list:\n'- item"),
        ("a;'=1", "a;''=1"),
        ('a\n"=1', "a\n'\"=1"),
        ("a, -1", "a, -1"),
        ("a; b", "a; b"),
    ],
)
def test_a_formula_behind_another_separator_is_protected(cell: str, safe: str) -> None:
    """Where a program of another locale would split."""
    assert (protect(cell), restore(safe)) == (safe, cell)


@pytest.mark.parametrize("case", golden_cases("report", "csv-formula"))
def test_golden_rows_are_neutralised(case: dict) -> None:
    """The first six, full-width and line-led forms, and what tries to leave its quotes."""
    rows = case["input"]["rows"]
    neutralised = [r for r in rows if protect(r) != r]
    file = io.StringIO(newline="")
    csv.writer(file, quoting=QUOTING).writerows([protect(r)] for r in rows)
    read = list(csv.reader(io.StringIO(file.getvalue(), newline="")))

    assert [restore(c) for (c,) in read] == rows
    assert {r for r in rows if r.strip()[:1] in set("=+-@＝＠")} == set(neutralised)
    assert [r for r in read if r[0][:1] in set("=+-@＝＠\t\r\n")] == []


def test_numbers_stay_numbers() -> None:
    """Only texts are protected."""
    file = io.StringIO(newline="")
    csv.writer(file, quoting=QUOTING).writerow([-5.2, protect("-5.2"), 3])

    assert file.getvalue() == '-5.2,"\'-5.2",3\r\n'
