"""The plots of a report as inline SVG, each with its numbers in a table.

Shapes and hatching carry the meaning; colour repeats it. Colours are classes of the page's style
sheet, so that one drawing serves light, dark and print.
"""

from __future__ import annotations

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
from trueup.report.words import PEOPLE, Who, count, estimate, number, percent, reason
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
        text = number(tick, 2 if step < 0.1 else 1)
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


BANDS = ("0", "to ¼", "to ½", "to ¾", "below 1", "1")
"""Score bands: 0 and 1 on their own, since most scores are one of them."""


def band(score: float) -> int:
    """Index of a score's band."""
    if score <= 0:
        return 0
    if score >= 1:
        return 5
    return min(4, 1 + int(score * 4 - 1e-9))


def distribution(
    name: str, judge: str, scores: Sequence[tuple[float, float]], who: Who = PEOPLE
) -> Figure:
    """How many answers have which score, by people and by the judge, side by side."""
    people, judged = [0] * len(BANDS), [0] * len(BANDS)
    for human, said in scores:
        people[band(human)] += 1
        judged[band(said)] += 1
    top = max([*people, *judged, 1])
    height, base = 176.0, 140.0
    pitch = (WIDTH - 16) / len(BANDS)
    parts = [line(8, base, WIDTH - 8, base, "axis")]
    for i, title in enumerate(BANDS):
        x = 8 + pitch * i
        for offset, n, kind in ((0.10, people[i], "people"), (0.52, judged[i], "judge-area")):
            tall = (base - 22) * n / top
            parts.append(rect(x + pitch * offset, base - tall, pitch * 0.38, tall, kind))
            middle = x + pitch * (offset + 0.19)
            parts.append(
                label(middle, base - tall - 5, f"{n:,}", class_="tick", text_anchor="middle")
            )
        parts.append(label(x + pitch / 2, base + 16, title, class_="tick", text_anchor="middle"))
    parts.append(_legend(height, (("people", who.noun), ("judge-area", shorten(judge, _NAME)))))
    rows = tuple((title, f"{people[i]:,}", f"{judged[i]:,}") for i, title in enumerate(BANDS))
    title = who.put("Scores of answers, by people and by the judge")
    told = f"{count(len(scores), 'answer')}; " + "; ".join(
        f"{r[0]}: {who.noun} {r[1]}, judge {r[2]}" for r in rows
    )
    table = Table(title, ("score", who.noun, judge), rows, "lnn")
    caption = (
        "The share of an answer's units that is entailed. Bars that differ in height show where "
        "the judge moves answers."
    )
    return Figure(drawing(name, title, told, height + 6, *parts), title, caption, table)


def _legend(y: float, entries: Sequence[tuple[str, str]]) -> str:
    parts, x = [], 8.0
    for kind, text in entries:
        parts.append(rect(x, y - 10, 12, 12, kind))
        parts.append(label(x + 18, y, text, class_="tick"))
        x += 40 + 6.6 * len(text)
    return "".join(parts)


@dataclass(frozen=True, slots=True)
class _Point:
    """The answers of one score band."""

    band: str
    n: int
    judge: float
    people: float


def _points(scores: Sequence[tuple[float, float]], weights: Sequence[float]) -> list[_Point]:
    cells: dict[int, list[tuple[float, float, float]]] = {}
    for (human, said), weight in zip(scores, weights or [1.0] * len(scores), strict=True):
        cells.setdefault(band(said), []).append((human, said, weight))
    points = []
    for i, cell in sorted(cells.items()):
        mass = sum(w for _, _, w in cell)
        judge, people = sum(s * w for _, s, w in cell), sum(h * w for h, _, w in cell)
        points.append(_Point(BANDS[i], len(cell), judge / mass, people / mass))
    return points


def reliability(
    name: str,
    scores: Sequence[tuple[float, float]],
    weights: Sequence[float] = (),
    who: Who = PEOPLE,
) -> Figure:
    """People's mean score of the answers in each band of the judge's score."""
    points = _points(scores, weights)
    left, base, side = 40.0, 196.0, 184.0
    x_of, y_of = Scale(0, 1, left, left + side), Scale(0, 1, base, base - side)
    parts = [line(left, base, left + side, base - side, "diagonal")]
    for tick in (0.0, 0.5, 1.0):
        parts.append(line(x_of(tick), base, x_of(tick), base - side, "grid"))
        parts.append(line(left, y_of(tick), left + side, y_of(tick), "grid"))
        text = number(tick, 1)
        parts.append(label(x_of(tick), base + 16, text, class_="tick", text_anchor="middle"))
        parts.append(label(left - 6, y_of(tick) + 4, text, class_="tick", text_anchor="end"))
    most = max((p.n for p in points), default=1)
    parts += [
        element("circle", cx=x_of(p.judge), cy=y_of(p.people), r=3 + 9 * (p.n / most) ** 0.5,
                class_="judge point")
        for p in points
    ]  # fmt: skip
    x = left + side + 18
    parts += [
        label(left + side / 2, base + 33, "judge's score", class_="tick", text_anchor="middle"),
        label(x, base - side + 12, f"↑ {who.of} score", class_="tick"),
        label(x, base - 92, "on the line: alike", class_="tick"),
        label(x, base - 74, "below: judge too lenient", class_="tick"),
        label(x, base - 56, "above: judge too strict", class_="tick"),
        label(x, base - 38, "larger: more answers", class_="tick"),
    ]
    rows = tuple(
        (p.band, f"{p.n:,}", number(p.judge), number(p.people), number(p.judge - p.people))
        for p in points
    )
    title = who.put("What people say of the answers in each score band")
    head = ("judge's score", "answers", "judge's mean", f"{who.of} mean", "off by")
    told = "; ".join(
        f"judge {number(p.judge)}, {who.noun} {number(p.people)}, {count(p.n, 'answer')}"
        for p in points
    )
    caption = "Answers grouped by the judge's score, against the mean score that people give them."
    caption = who.put(caption)
    svg = drawing(name, title, told, base + 40, *parts)
    return Figure(svg, title, caption, Table(title, head, rows, "lnnnn"))


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
    parts.append(_legend(bottom + 40, kinds))
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
