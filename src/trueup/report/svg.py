"""SVG as text: elements whose every attribute and text is escaped, and a horizontal scale."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from trueup.domain.display import display

WIDTH = 440
"""Width of every figure in its own units: a phone shows it whole, a page two side by side."""


def text_of(value: object) -> str:
    """A value as safe text."""
    return escape(display(str(value)))


def element(name: str, *children: str, **attributes: object) -> str:
    """One element; `class_` is written `class`, `stroke_width` becomes `stroke-width`.

    Children are elements already; texts go through `label` or `text_of`.
    """
    told = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{text_of(_number(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    inside = "".join(children)
    return f"<{name}{told}>{inside}</{name}>" if inside else f"<{name}{told}/>"


def label(x: float, y: float, text: str, **attributes: object) -> str:
    """A text at a place; texts of any direction keep their own."""
    return element("text", text_of(text), x=x, y=y, **attributes)


def line(x1: float, y1: float, x2: float, y2: float, class_: str) -> str:
    """A straight line."""
    return element("line", x1=x1, y1=y1, x2=x2, y2=y2, class_=class_)


def rect(x: float, y: float, width: float, height: float, class_: str) -> str:
    """A rectangle; nothing where it has no width."""
    if width <= 0 or height <= 0:
        return ""
    return element("rect", x=x, y=y, width=width, height=height, class_=class_)


def drawing(name: str, title: str, description: str, height: float, *children: str) -> str:
    """A whole figure with the title and description that a screen reader speaks.

    `name` makes its ids unique in the page.
    """
    return element(
        "svg",
        element("title", text_of(title), id=f"{name}-t"),
        element("desc", text_of(description), id=f"{name}-d"),
        *children,
        viewBox=f"0 0 {WIDTH} {_number(height)}",
        role="img",
        aria_labelledby=f"{name}-t {name}-d",
        class_="fig",
    )


def shorten(text: str, limit: int) -> str:
    """A text of at most `limit` characters, cut in the middle: both ends tell names apart."""
    if len(text) <= limit:
        return text
    tail = (limit - 1) // 3
    return f"{text[: limit - 1 - tail]}…{text[len(text) - tail :]}"


@dataclass(frozen=True, slots=True)
class Scale:
    """Values [low, high] on the pixels [left, right]."""

    low: float
    high: float
    left: float = 8
    right: float = WIDTH - 8

    def __call__(self, value: float) -> float:
        """Place of a value, held inside the figure."""
        inside = min(max(value, self.low), self.high)
        return self.left + (inside - self.low) / (self.high - self.low) * (self.right - self.left)

    def ticks(self, step: float) -> list[float]:
        """Values to write at the axis."""
        first = round(self.low / step)
        return [round(i * step, 10) for i in range(first, round(self.high / step) + 1)]


def _number(value: object) -> object:
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else value
