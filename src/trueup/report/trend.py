"""Means by release as a plot for a terminal. A line that may not go on is cut, and seen to be."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from trueup.stats.estimate import Estimate

MARKS = "●◆▲■○◇△□"
RESTATED = "◎"
BREAK = "┊"
_HEIGHT = 9
_WIDTH = 64
_LABEL = 5
_STEPS = (0.01, 0.02, 0.05, 0.1, 0.125)


@dataclass(frozen=True, slots=True)
class Line:
    """One series: its name, and its mean by release; `restated` names releases that were."""

    name: str
    points: Mapping[str, Estimate]
    restated: frozenset[str] = field(default_factory=frozenset)


def plot(releases: Sequence[str], lines: Sequence[Line], breaks: Collection[str] = ()) -> list[str]:
    """Rows of text of one width. `breaks` names the releases before which the line is cut.

    Of more releases than fit, the newest are shown. Nothing with a value: no rows.
    """
    shown = [r for r in releases if any(_value(x, r) is not None for x in lines)][-_WIDTH:]
    if not shown:
        return []
    step = max(1, min(6, _WIDTH // (len(shown) + sum(r in breaks for r in shown))))
    low, high, tick = _range([line.points[r] for line in lines for r in shown if r in line.points])
    columns = _columns(shown, breaks, step)
    width = max(columns.values()) + step
    grid = [[" "] * width for _ in range(_HEIGHT)]
    for release in shown:
        if release in breaks and release != shown[0]:
            for row in grid:
                row[columns[release] - step // 2 - 1] = BREAK
    for place, line in enumerate(lines):
        for release in shown:
            _draw(
                grid,
                line,
                release,
                columns[release] + _aside(place, len(lines), step),
                (low, high),
                place,
            )
    rows = [
        f"{_label(high - i * tick):>{_LABEL}} ┤{''.join(row).rstrip()}"
        for i, row in enumerate(grid)
    ]
    first, last = shown[0] or "–", shown[-1] or "–"
    gap = max(1, width - len(first) - len(last))
    axis = " " * (_LABEL + 2) + (first if len(shown) == 1 else first + " " * gap + last)
    return [*rows, axis]


def legend(lines: Sequence[Line]) -> list[str]:
    """What the marks stand for; nothing where there is one line without restated releases."""
    told = [f"{MARKS[i % len(MARKS)]} {line.name}" for i, line in enumerate(lines)]
    if any(line.restated for line in lines):
        told.append(f"{RESTATED} restated")
    return told if len(told) > 1 else []


def _value(line: Line, release: str) -> float | None:
    point = line.points.get(release)
    return None if point is None else point.value


def _range(points: Sequence[Estimate]) -> tuple[float, float, float]:
    """(bottom, top, step) of the axis: round numbers inside [0, 1] that hold every interval."""
    ends = [x for e in points for x in (e.value, e.low, e.high) if x is not None]
    least, most = min(ends), max(ends)
    reach = _HEIGHT - 1
    for tick in _STEPS:
        bottom = math.floor(least / tick + 1e-9) * tick
        if bottom + reach * tick > 1:
            bottom = max(0.0, 1 - reach * tick)
        if bottom <= least + 1e-9 and bottom + reach * tick >= most - 1e-9:
            return bottom, bottom + reach * tick, tick
    return 0.0, 1.0, _STEPS[-1]


def _columns(shown: Sequence[str], breaks: Collection[str], step: int) -> dict[str, int]:
    at = 0
    columns: dict[str, int] = {}
    for release in shown:
        if release in breaks and columns:
            at += step
        columns[release] = at
        at += step
    return columns


def _aside(place: int, count: int, step: int) -> int:
    """How far right of its release a line's mark stands, so that lines do not hide each other."""
    return min(place, step - 2) if count > 1 and step > 2 else 0


def _draw(
    grid: list[list[str]],
    line: Line,
    release: str,
    column: int,
    axis: tuple[float, float],
    place: int,
) -> None:
    point = line.points.get(release)
    if point is None or point.value is None:
        return
    if point.low is not None and point.high is not None:
        for row in range(_row(point.high, axis), _row(point.low, axis) + 1):
            if grid[row][column] == " ":
                grid[row][column] = "│"
    mark = RESTATED if release in line.restated else MARKS[place % len(MARKS)]
    grid[_row(point.value, axis)][column] = mark


def _row(value: float, axis: tuple[float, float]) -> int:
    low, high = axis
    share = (high - value) / (high - low)
    return min(_HEIGHT - 1, max(0, round(share * (_HEIGHT - 1))))


def _label(value: float) -> str:
    return f"{value:.3f}" if round(value * 100) != round(value * 100, 6) else f"{value:.2f}"
