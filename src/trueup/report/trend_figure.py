"""Means by release as a drawing; a line that may not go on is cut, and seen to be."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import pairwise

from trueup.report.figures import Figure
from trueup.report.svg import WIDTH, drawing, element, label, line, shorten
from trueup.report.tables import Table
from trueup.report.trend import Line
from trueup.report.words import estimate, number
from trueup.stats.estimate import Estimate

_LEFT, _RIGHT, _TOP, _HEIGHT, _FOOT = 40, 10, 10, 190, 44
MAX_RELEASES = 120


def trend_figure(
    name: str, title: str, releases: Sequence[str], lines: Sequence[Line], breaks: Collection[str]
) -> Figure:
    """One mark a release and series with its interval; `breaks` names the releases before which
    the line is cut by a dashed upright. Filled marks were measured, hollow ones restated."""
    shown = [r for r in releases if any(r in x.points for x in lines)][-MAX_RELEASES:]
    axis = _Axis(shown, [line.points[r] for line in lines for r in shown if r in line.points])
    marks = [_scale(axis)]
    for release in shown[1:]:
        if release in breaks:
            x = axis.x(release) - axis.step / 2
            marks.append(line(x, _TOP, x, _TOP + _HEIGHT, "ceiling-line"))
    for place, one in enumerate(lines):
        marks += _series(axis, one, place)
    for release, anchor in {shown[0]: "start", shown[-1]: "end"}.items():
        text = shorten(release or "–", 22)
        y = _TOP + _HEIGHT + 20
        marks.append(label(axis.x(release), y, text, class_="tick", text_anchor=anchor))
    cut = ", ".join(r for r in shown if r in breaks)
    told = f"{len(shown)} releases; " + (f"the line is cut before {cut}" if cut else "one line")
    rows = tuple(
        (
            r or "–",
            one.name,
            estimate(one.points[r]),
            "restated" if r in one.restated else "measured",
        )
        for r in shown
        for one in lines
        if r in one.points
    )
    caption = "Mean score by release with its 95 % interval. " + (
        "A dashed upright says that what stands on its two sides does not compare."
        if cut
        else "All of it is on one scale."
    )
    return Figure(
        drawing(name, title, told, _TOP + _HEIGHT + _FOOT, *marks), title, caption,
        Table(title, ("release", "series", "mean", ""), rows, "llnl"),
    )  # fmt: skip


class _Axis:
    """Places of releases and values."""

    def __init__(self, releases: Sequence[str], points: Sequence[Estimate]) -> None:
        ends = [v for e in points for v in (e.value, e.low, e.high) if v is not None] or [0.0, 1.0]
        self.low = max(0.0, int(min(ends) * 10) / 10)
        self.high = min(1.0, int(max(ends) * 10 + 0.999999) / 10)
        if self.high <= self.low:
            self.low = max(0.0, self.high - 0.1)
        self.step = (WIDTH - _LEFT - _RIGHT) / max(1, len(releases))
        self._places = {r: _LEFT + self.step * (i + 0.5) for i, r in enumerate(releases)}

    def x(self, release: str) -> float:
        return self._places[release]

    def y(self, value: float) -> float:
        share = (self.high - value) / (self.high - self.low)
        return _TOP + _HEIGHT * min(1.0, max(0.0, share))

    def has(self, release: str) -> bool:
        return release in self._places


def _scale(axis: _Axis) -> str:
    parts = []
    tick = 0.1 if axis.high - axis.low > 0.15 else 0.05
    value = axis.low
    while value <= axis.high + 1e-9:
        y = axis.y(value)
        parts.append(line(_LEFT, y, WIDTH - _RIGHT, y, "grid"))
        parts.append(label(_LEFT - 6, y + 4, number(value, 2), class_="tick", text_anchor="end"))
        value += tick
    return "".join(parts)


def _series(axis: _Axis, one: Line, place: int) -> list[str]:
    points = [(r, e) for r, e in one.points.items() if axis.has(r) and e.value is not None]
    parts = []
    for (a, first), (b, second) in pairwise(points):
        assert first.value is not None
        assert second.value is not None
        parts.append(line(axis.x(a), axis.y(first.value), axis.x(b), axis.y(second.value), "axis"))
    for release, e in points:
        x = axis.x(release) + min(4.0, axis.step / 6) * place
        assert e.value is not None
        if e.low is not None and e.high is not None:
            parts.append(line(x, axis.y(e.low), x, axis.y(e.high), "whisker"))
        parts.append(_mark(x, axis.y(e.value), place, hollow=release in one.restated))
    return parts


def _mark(x: float, y: float, place: int, *, hollow: bool) -> str:
    if hollow:
        return element("circle", cx=x, cy=y, r=4.5, class_="judge-area")
    if place % 2:
        return element("rect", x=x - 4, y=y - 4, width=8, height=8, class_="people",
                       transform=f"rotate(45 {x:.2f} {y:.2f})")  # fmt: skip
    return element("circle", cx=x, cy=y, r=4.5, class_="judge")
