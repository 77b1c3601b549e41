"""Names of columns: which of our fields each one is, and what to say of columns that are none."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from functools import cache
from typing import Any

from trueup.exchange.entries import FieldError
from trueup.exchange.shapes import ALIASES

RECORD_FIELDS = (
    "id", "question", "context", "answer", "reference", "gold", "gold_context", "retrieved",
    "release", "failing", "slices", "meta", "claims", "claim_sets", "judges", "empty",
)  # fmt: skip
CLAIM_FIELDS = (
    "claim", "claim_id", "of", "start", "end", "metric", "entailed", "annotator", "judge", "model",
    "note", "evidence", "at",
)  # fmt: skip
DOTTED = ("human", "judges", "slices", "meta")
"""`human.ana` is a column of ana's labels, `judges.gpt-4o` of a judge's verdicts."""
HOW_TO_MAP = (
    "name your columns with --map COLUMN=FIELD, as in --map completion=answer; fields: "
    + ", ".join((*RECORD_FIELDS[:10], *CLAIM_FIELDS))
)
IGNORED = "-"
"""`--map COLUMN=-` leaves a column out."""

_MORE: dict[str, str] = {
    "query": "question", "user_query": "question",
    "output": "answer", "generated_answer": "answer", "model_answer": "answer",
    "model_output": "answer", "prediction": "answer",
    "passages": "context", "chunks": "context", "documents": "context",
    "retrieved_documents": "context", "retrieved_context": "context",
    "expected_answer": "reference", "gold_answer": "reference", "reference_answer": "reference",
    "correct_answer": "reference", "ground_truth_answer": "reference", "ideal": "reference",
    "question_id": "id", "query_id": "id", "qid": "id", "sample_id": "id", "test_id": "id",
    "gold_ids": "gold", "gold_chunks": "gold", "gold_chunk_ids": "gold", "relevant_ids": "gold",
    "retrieved_ids": "retrieved",
    "statement": "claim", "sentence": "claim",
    "label": "entailed", "human_label": "entailed", "supported": "entailed",
    "rater": "annotator", "labeller": "annotator", "labeler": "annotator",
    "labelled_by": "annotator",
    "judge_model": "judge", "comment": "note", "quote": "evidence",
}  # fmt: skip
NAMES: Mapping[str, str] = {
    **{name: name for name in (*RECORD_FIELDS, *CLAIM_FIELDS)}, **ALIASES, **_MORE,
}  # fmt: skip
"""Column (lower case, spaces as `_`) -> field. Our own names come first, in the order of fields."""


@cache
def known_names() -> frozenset[str]:
    """Every name of a column that is known, for telling delimiters apart."""
    spoken = {name.replace("_", " ") for name in NAMES}
    return frozenset({*NAMES, *spoken, *(name.title() for name in spoken)})


def field_of(column: str) -> str | None:
    """The field that a column's name means, None for one that nobody knows."""
    head, dot, tail = column.partition(".")
    if dot and tail and (head in DOTTED or head == "judge"):
        return f"{'judges' if head == 'judge' else head}.{tail}"
    return NAMES.get(column.strip().casefold().replace(" ", "_").replace("-", "_"))


def is_field(name: str) -> bool:
    """Whether `--map COLUMN=name` is allowed."""
    head, dot, tail = name.partition(".")
    return name in RECORD_FIELDS or name in CLAIM_FIELDS or name == IGNORED or (
        bool(dot) and bool(tail) and head in (*DOTTED, "judge")
    )  # fmt: skip


def fields_of(columns: Iterable[str]) -> dict[str, str]:
    """Column -> field, each field once: our own name before another tool's, then the first.

    A column that is not the chosen one of its field is metadata.
    """
    chosen: dict[str, str] = {}
    for column in columns:
        field = field_of(column)
        if field is None:
            continue
        if field not in chosen or (column == field and chosen[field] != field):
            chosen[field] = column
    return {column: field for field, column in chosen.items()}


def check_shape(fields: Collection[str], columns: Collection[str]) -> None:
    """Raise FieldError, listing the columns, where nothing that trueup measures is among them."""
    if {"answer", "claim", "claims", "gold", "retrieved"} & set(fields):
        return
    if "question" in fields and {"context", "reference"} & set(fields):
        return
    raise unknown_shape(columns)


def unknown_shape(columns: Iterable[str]) -> FieldError:
    """The error for columns (or keys) among which there is no answer and no claim."""
    seen = list(columns)
    shown = ", ".join(name if len(name) <= 60 else name[:60] + "…" for name in seen[:30])
    shown += ", …" if len(seen) > 30 else ""
    return FieldError("", f"has no answer and no claim; its columns: {shown}", hint=HOW_TO_MAP)


def mapped(value: dict[str, Any], mapping: Mapping[str, str], used: set[str]) -> dict[str, Any]:
    """The row with the columns of `--map` under the names of their fields.

    A column may be a path into an object (`data.question`). A mapped field replaces a column of
    that name. `used` collects the columns that were found.
    """
    row = dict(value)
    taken: dict[str, Any] = {}
    for column, field in mapping.items():
        found, inner = _find(row, column)
        if not found:
            continue
        used.add(column)
        row.pop(column, None)
        if field != IGNORED:
            taken[field] = inner
    return {**row, **taken}


def _find(row: Mapping[str, Any], column: str) -> tuple[bool, Any]:
    if column in row:
        return True, row[column]
    value: Any = row
    for part in column.split("."):
        if not isinstance(value, dict) or part not in value:
            return False, None
        value = value[part]
    return True, value
