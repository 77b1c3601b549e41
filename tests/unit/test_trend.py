"""The plot of means by release: every value is drawn, and a cut is seen."""

from __future__ import annotations

import pytest

from trueup.report.trend import BREAK, MARKS, RESTATED, Line, legend, plot
from trueup.report.trend_figure import trend_figure
from trueup.stats.estimate import Estimate


def line(name: str, values: dict[str, float], **fields: object) -> Line:
    points = {r: Estimate(v, max(0.0, v - 0.05), min(1.0, v + 0.05)) for r, v in values.items()}
    return Line(name, points, **fields)  # type: ignore[arg-type]


def test_each_release_has_a_mark_at_its_height() -> None:
    """A higher mean stands higher; the axis holds all of it."""
    rows = plot(["a", "b"], [line("j", {"a": 0.9, "b": 0.6})])
    at = {i for i, row in enumerate(rows[:-1]) if MARKS[0] in row}

    assert sum(row.count(MARKS[0]) for row in rows) == 2
    assert len(at) == 2
    labels = [float(row.split("┤")[0]) for row in rows[:-1]]
    assert labels == sorted(labels, reverse=True)
    assert labels[0] >= 0.9 >= 0.6 >= labels[-1]
    assert rows[-1].split() == ["a", "b"]


def test_a_cut_runs_through_every_row() -> None:
    """Before the release that nothing leads to."""
    old, new = line("old", {"a": 0.8, "b": 0.8}), line("new", {"c": 0.6})
    rows = plot(["a", "b", "c"], [old, new], {"c"})

    assert all(BREAK in row for row in rows[:-1])
    assert all(row.index(BREAK) > row.rindex(MARKS[0]) for row in rows[:-1] if MARKS[0] in row)
    assert BREAK not in "".join(plot(["a", "b"], [old]))


def test_restated_releases_have_a_mark_of_their_own() -> None:
    """What was restated is not what was measured."""
    one = line("j", {"a": 0.8, "b": 0.8}, restated=frozenset({"a"}))
    rows = "".join(plot(["a", "b"], [one]))

    assert rows.count(RESTATED) == rows.count(MARKS[0]) == 1
    assert legend([one]) == [f"{MARKS[0]} j", f"{RESTATED} restated"]
    assert legend([line("j", {"a": 0.8})]) == []


@pytest.mark.parametrize("values", [{"a": 0.0}, {"a": 1.0}, {"a": 0.0, "b": 1.0}, {"a": 0.5}])
def test_edges_are_drawn(values: dict[str, float]) -> None:
    """0, 1, both, and one release alone."""
    rows = plot(list(values), [line("j", values)])

    assert "".join(rows).count(MARKS[0]) == len(values)
    assert all(-1e-9 <= float(row.split("┤")[0]) <= 1 + 1e-9 for row in rows[:-1])


def test_of_many_releases_the_newest_are_shown() -> None:
    """A year does not fit; the plot keeps its width."""
    releases = [f"d{i:03}" for i in range(365)]
    rows = plot(releases, [line("j", dict.fromkeys(releases, 0.8))])

    assert max(map(len, rows)) < 80
    assert rows[-1].split()[-1] == "d364"


def test_nothing_to_draw_is_nothing() -> None:
    """Without a value there is no plot."""
    assert plot(["a"], [Line("j", {"a": Estimate.undefined("no record has a score")})]) == []
    assert plot([], []) == []


def test_the_drawing_says_what_the_plot_says() -> None:
    """Marks, a dashed upright for the cut, hollow marks, the numbers in a table, texts escaped."""
    lines = [
        line("<old>", {"a": 0.8, "b": 0.7}, restated=frozenset({"a"})),
        line("new", {"c": 0.6}),
    ]
    made = trend_figure("t", "groundedness", ["a", "b", "c"], lines, {"c"})

    assert made.svg.count("ceiling-line") == 1
    assert made.svg.count("judge-area") == 1
    assert "the line is cut before c" in made.svg
    assert [row[1] for row in made.table.rows] == ["<old>", "<old>", "new"]
    assert "<old>" not in made.svg
    assert "ceiling-line" not in trend_figure("t", "g", ["a", "b"], lines[:1], set()).svg
