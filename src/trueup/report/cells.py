"""The four cells of failing questions as a drawing."""

from __future__ import annotations

from collections.abc import Mapping

from trueup.domain.cells import CELLS, MEANING, Cell
from trueup.report.figures import Figure
from trueup.report.svg import WIDTH, drawing, label, rect
from trueup.report.tables import Table

_LEFT, _TOP, _SIDE, _GAP = 96, 26, 88, 8
_PLACES: dict[Cell, tuple[int, int]] = {
    "end_to_end": (0, 0), "generation": (1, 0), "retrieval": (0, 1), "both": (1, 1),
}  # fmt: skip


def cells_figure(counts: Mapping[Cell, int], owners: Mapping[str, str]) -> Figure:
    """Two by two: did the evidence arrive, and was it used? Numbers say how many questions."""
    wide = (WIDTH - _LEFT - _GAP) / 2
    marks = [
        label(_LEFT + wide * (i + 0.5), 16, f"groundedness {word}", class_="tick",
              text_anchor="middle")
        for i, word in enumerate(("high", "low"))
    ]  # fmt: skip
    marks += [
        label(4, _TOP + _SIDE * (i + 0.5), f"recall {word}", class_="tick")
        for i, word in enumerate(("high", "low"))
    ]
    for cell in CELLS:
        column, row = _PLACES[cell]
        x, y = _LEFT + wide * column, _TOP + _SIDE * row
        middle = x + (wide - _GAP) / 2
        marks.append(rect(x, y, wide - _GAP, _SIDE - _GAP, "judge-area"))
        marks.append(label(middle, y + 26, _name(cell), class_="name", text_anchor="middle"))
        marks.append(
            label(middle, y + 54, f"{counts[cell]:,}", class_="value", text_anchor="middle")
        )
    told = "; ".join(f"{_name(c)} {counts[c]:,}" for c in CELLS)
    rows = tuple((_name(c), f"{counts[c]:,}", MEANING[c], owners[c]) for c in CELLS)
    head = ("cell", "questions", "what it means", "owner")
    return Figure(
        drawing("cells", "The four cells", told, _TOP + 2 * _SIDE, *marks),
        "The four cells",
        "Failing questions by whether the evidence arrived and whether it was used.",
        Table("Failing questions by cell", head, rows, "lnll"),
    )


def _name(cell: Cell) -> str:
    return cell.replace("_", "-")
