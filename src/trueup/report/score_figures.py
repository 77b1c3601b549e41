"""The plots of answers' scores: how people and a judge spread them, and whether bands hold.

Scores are shares of entailed units; bands are fixed, so that reports can be laid side by side.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from trueup.report.figures import Figure, legend
from trueup.report.svg import WIDTH, Scale, drawing, element, label, line, rect, shorten
from trueup.report.tables import Table
from trueup.report.words import PEOPLE, Who, count, number

_NAME = 34

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
    parts.append(legend(height, (("people", who.noun), ("judge-area", shorten(judge, _NAME)))))
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
    parts += _reading(left, base, side, who)
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


def _reading(left: float, base: float, side: float, who: Who) -> list[str]:
    """The names of the axes, and how to read the square."""
    x = left + side + 18
    return [
        label(left + side / 2, base + 33, "judge's score", class_="tick", text_anchor="middle"),
        label(x, base - side + 12, f"↑ {who.of} score", class_="tick"),
        label(x, base - 92, "on the line: alike", class_="tick"),
        label(x, base - 74, "below: judge too lenient", class_="tick"),
        label(x, base - 56, "above: judge too strict", class_="tick"),
        label(x, base - 38, "larger: more answers", class_="tick"),
    ]
