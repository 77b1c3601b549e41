"""The plots of a report as inline SVG, each with its numbers in a table.

Shapes and hatching carry the meaning; colour repeats it. Colours are classes of the page's style
sheet, so that one drawing serves light, dark and print.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from trueup.report.model import Group
from trueup.report.svg import (
    WIDTH,
    Scale,
    drawing,
    element,
    label,
    line,
    rect,
    shorten,
)
from trueup.report.tables import Table
from trueup.report.words import estimate, number, percent, reason
from trueup.stats.estimate import Estimate

_ROW, _TOP, _AXIS = 40, 6, 26
_EDGE = 4.0
_NAME = 34
MAX_ROWS = 12
"""Groups in one figure; its table holds more."""
_MAX_TABLE = 60


@dataclass(frozen=True, slots=True)
class Figure:
    """A drawing (`svg` is markup that this module made), its caption, and its numbers.

    The table stands beside the drawing where there is room; a `wide` one always below.
    """

    svg: str
    title: str
    caption: str
    table: Table
    wide: bool = False


@dataclass(frozen=True, slots=True)
class Reference:
    """A level to compare with: the agreement of people with each other."""

    name: str
    estimate: Estimate


def forest(
    name: str,
    title: str,
    caption: str,
    rows: Sequence[tuple[str, Estimate]],
    *,
    reference: Reference | None = None,
    signed: bool = False,
) -> Figure:
    """One estimate with its interval a row, on one scale; undefined ones say so.

    `signed` puts the zero into the middle; else the scale ends at 1 and starts at 0, or below
    where a value asks for it.
    """
    shown = list(rows[:_MAX_TABLE])
    if reference is not None:
        shown.append((reference.name, reference.estimate))
    scale, step = _scale([e for _, e in shown], signed)
    bottom = _TOP + _ROW * len(shown)
    marks = [_axis(scale, step, bottom)]
    if reference is not None and reference.estimate.value is not None:
        marks.append(_band(scale, reference.estimate, bottom))
    for i, (row, e) in enumerate(shown):
        person = reference is not None and i == len(shown) - 1
        marks.append(_interval(scale, _TOP + _ROW * i, row, e, person=person))
    table = Table(title, ("", "value", "95% interval"), _estimate_rows([*shown]), "lnn")
    told = "; ".join(f"{row}: {estimate(e)}" for row, e in shown)
    return Figure(drawing(name, title, told, bottom + _AXIS, *marks), title, caption, table)


def _estimate_rows(rows: Sequence[tuple[str, Estimate]]) -> tuple[tuple[str, ...], ...]:
    return tuple(
        (
            name,
            number(e.value),
            f"{number(e.low)} to {number(e.high)}"
            if e.low is not None and e.high is not None
            else reason(e)
            if e.reason
            else "–",
        )
        for name, e in rows
    )


def _scale(estimates: Sequence[Estimate], signed: bool) -> tuple[Scale, float]:
    ends = [x for e in estimates for x in (e.value, e.low, e.high) if x is not None]
    if signed:
        widest = max((abs(x) for x in ends), default=0.0)
        reach = next(r for r in (0.1, 0.2, 0.5, 1.0, 2.0) if widest <= r or r == 2.0)
        return Scale(-reach, reach, _EDGE, WIDTH - _EDGE), reach / 2
    low = 0.0 if min(ends, default=0.0) >= 0 else -1.0
    return Scale(low, 1.0, _EDGE, WIDTH - _EDGE), 0.2 if low == 0 else 0.5


def _axis(scale: Scale, step: float, bottom: float) -> str:
    parts = [line(scale.left, bottom, scale.right, bottom, "axis")]
    for tick in scale.ticks(step):
        x = scale(tick)
        parts.append(line(x, _TOP, x, bottom + 4, "zero" if scale.low < tick == 0 else "grid"))
        text = number(tick, 1 if math.isclose(round(step, 1), step) else 2)
        parts.append(label(x, bottom + 18, text, class_="tick", text_anchor=_anchor(scale, tick)))
    return "".join(parts)


def _anchor(scale: Scale, tick: float) -> str:
    """The outer numbers of an axis stay inside the figure."""
    return "start" if tick == scale.low else "end" if tick == scale.high else "middle"


def _band(scale: Scale, e: Estimate, bottom: float) -> str:
    assert e.value is not None
    low, high = (e.value if end is None else end for end in (e.low, e.high))
    x = scale(e.value)
    area = rect(scale(low), _TOP, scale(high) - scale(low), bottom - _TOP, "ceiling")
    return area + line(x, _TOP, x, bottom, "ceiling-line")


def _interval(scale: Scale, top: float, name: str, e: Estimate, *, person: bool) -> str:
    y = top + 28
    text = estimate(e, 2) if e.value is not None else "undefined"
    parts = [
        label(0, top + 15, shorten(name, _NAME), class_="name"),
        label(WIDTH, top + 15, text, class_="value", text_anchor="end"),
    ]
    if e.value is None:
        return "".join(parts)
    if e.low is not None and e.high is not None:
        a, b = scale(e.low), scale(e.high)
        parts.append(line(a, y, b, y, "whisker"))
        parts += [line(x, y - 4, x, y + 4, "whisker") for x in (a, b)]
    x = scale(e.value)
    shape = (
        element("rect", x=x - 4.5, y=y - 4.5, width=9, height=9, class_="people",
                transform=f"rotate(45 {x:.2f} {y:.2f})")
        if person
        else element("circle", cx=x, cy=y, r=5, class_="judge")
    )  # fmt: skip
    return "".join([*parts, shape])


def legend(y: float, entries: Sequence[tuple[str, str]]) -> str:
    """What the fillings stand for, on one line: (class, text)."""
    parts, x = [], 8.0
    for kind, text in entries:
        parts.append(rect(x, y - 10, 12, 12, kind))
        parts.append(label(x + 18, y, text, class_="tick"))
        x += 40 + 6.6 * len(text)
    return "".join(parts)


def _share(n: int, group: Group) -> float:
    return n / group.n_units if group.n_units else 0.0


def differing(
    name: str,
    title: str,
    caption: str,
    groups: Sequence[Group],
    more: Mapping[str, tuple[str, str]] | None = None,
) -> Figure:
    """Share of units on which the judge differs, by group: too lenient, then too strict.

    Many groups: the drawing holds those with the most differences, the table more. `more` gives
    agreement and kappa of a group.
    """
    shown = list(groups)
    if len(groups) > MAX_ROWS:
        most = sorted(groups, key=lambda g: -g.differ)[:MAX_ROWS]
        shown = [g for g in groups if g in most]
        caption += f" Drawn are the {MAX_ROWS} of {len(groups):,} with the most."
    reach = _reach([_share(g.differ, g) for g in shown])
    scale, bottom = Scale(0, reach, _EDGE, WIDTH - _EDGE), float(_TOP + _ROW * len(shown))
    parts = [line(scale.left, bottom, scale.right, bottom, "axis")]
    for tick in scale.ticks(reach / 2):
        x = scale(tick)
        parts.append(line(x, _TOP, x, bottom + 4, "grid"))
        anchor = _anchor(scale, tick)
        parts.append(label(x, bottom + 18, percent(tick), class_="tick", text_anchor=anchor))
    parts += [_bars(scale, _TOP + _ROW * i, g) for i, g in enumerate(shown)]
    kinds = (("lenient", "judge too lenient"), ("strict", "judge too strict"))
    parts.append(legend(bottom + 40, kinds))
    told = "; ".join(f"{g.name}: {g.differ:,} of {g.n_units:,}" for g in shown) or "no units"
    svg = drawing(name, title, told, bottom + 46, *parts)
    return Figure(svg, title, caption, _differing_table(title, groups, more))


def _reach(shares: Sequence[float]) -> float:
    widest = max(shares, default=0.0)
    return next(r for r in (0.1, 0.2, 0.5, 1.0) if widest <= r or r == 1.0)


def _bars(scale: Scale, top: float, g: Group) -> str:
    middle = scale(_share(g.too_lenient, g))
    end = scale(_share(g.differ, g))
    return "".join(
        (
            label(0, top + 15, shorten(g.name, _NAME), class_="name"),
            label(WIDTH, top + 15, f"{g.differ:,} of {g.n_units:,}", class_="value",
                  text_anchor="end"),
            rect(scale.left, top + 21, middle - scale.left, 13, "lenient"),
            rect(middle, top + 21, end - middle, 13, "strict"),
        )
    )  # fmt: skip


def _differing_table(
    title: str, groups: Sequence[Group], more: Mapping[str, tuple[str, str]] | None
) -> Table:
    rows = tuple(
        (g.name, f"{g.n_units:,}", f"{g.differ:,}", f"{g.too_lenient:,}", f"{g.too_strict:,}",
         *(more[g.name] if more else (percent(_share(g.differ, g)),)))
        for g in groups[:_MAX_TABLE]
    )  # fmt: skip
    last = ("agreement", "kappa") if more else ("share",)
    head = ("", "units", "differ", "lenient", "strict", *last)
    rest = len(groups) - len(rows)
    told = f"{rest:,} more are in report.json." if rest else ""
    return Table(title, head, rows, "l" + "n" * (len(head) - 1), told)
