"""The four cells of a failing question: did the evidence arrive, and was it used?

|             | groundedness high | groundedness low |
|-------------|-------------------|------------------|
| recall high | end_to_end        | generation       |
| recall low  | retrieval         | both             |
"""

from __future__ import annotations

from typing import Literal, get_args

Cell = Literal["end_to_end", "generation", "retrieval", "both"]
CELLS: tuple[Cell, ...] = get_args(Cell)
MEANING: dict[Cell, str] = {
    "end_to_end": "evidence arrived and was used",
    "generation": "evidence arrived and was not used",
    "retrieval": "faithful to the wrong passages",
    "both": "mend retrieval first",
}
LOW_RECALL_CAUSES = (
    "the knowledge base is incomplete",
    "chunks are too small to hold a whole answer",
    "the similarity threshold is too high",
)
"""The usual causes of a low contextual recall."""


def cell_of(
    retrieval: float, groundedness: float, *, retrieval_at: float, groundedness_at: float
) -> Cell:
    """The cell of two values; a value is high from its threshold on."""
    arrived, used = retrieval >= retrieval_at - _EPS, groundedness >= groundedness_at - _EPS
    if arrived:
        return "end_to_end" if used else "generation"
    return "retrieval" if used else "both"


_EPS = 1e-9
