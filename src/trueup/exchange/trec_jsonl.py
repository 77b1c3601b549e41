"""Ranked lists and gold ids from JSONL: one object a question, `{"id", "retrieved", "gold"}`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from trueup.errors import InputError, UsageError
from trueup.stats.retrieval import as_grades, as_id

_QUESTION_KEYS = ("id", "question_id", "query_id", "qid", "_id")


def json_rows(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """(line, object) of each line that is not blank. Raises InputError for anything else."""
    with path.open("rb") as file:
        for number, raw in enumerate(file, 1):
            if not raw.strip():
                continue
            try:
                row = json.loads(raw.decode("utf-8-sig" if number == 1 else "utf-8"))
            except (ValueError, RecursionError) as error:
                raise InputError(f"not JSON: {error}", path=path, line=number) from error
            if not isinstance(row, dict):
                raise InputError("not a JSON object", path=path, line=number)
            yield number, row


def question_of(row: dict[str, Any], path: Path, line: int) -> str:
    """The question's id, as text."""
    for key in _QUESTION_KEYS:
        if row.get(key) is not None:
            return _id(row[key], path, line, key)
    raise InputError("no question id", path=path, line=line, field="id")


def retrieved_of(row: dict[str, Any], path: Path, line: int) -> list[str] | None:
    """Ranked ids in their given order: ids, `[id, score]` pairs or objects with an `id`.

    A list keeps its order whatever the scores say. None where the row gives none.
    """
    listed = row.get("retrieved")
    if listed is None:
        return None
    if not isinstance(listed, list):
        raise InputError("a list of ids is needed", path=path, line=line, field="retrieved")
    return [_id(_bare(item), path, line, "retrieved") for item in listed]


def gold_of(row: dict[str, Any], path: Path, line: int) -> dict[str, int] | None:
    """Gold ids with grades; None where the row is not labelled."""
    gold = row.get("gold")
    if gold is None:
        return None
    if isinstance(gold, dict):
        grades = list(gold.values())
    elif isinstance(gold, list):
        grades = []
    else:
        raise InputError("a list of ids is needed", path=path, line=line, field="gold")
    if not all(isinstance(grade, int) and not isinstance(grade, bool) for grade in grades):
        raise InputError("grades must be whole numbers", path=path, line=line, field="gold")
    try:
        return as_grades(gold)
    except UsageError as error:
        raise InputError(error.message, path=path, line=line, field="gold") from error


def _bare(item: object) -> object:
    if isinstance(item, list) and item:
        return item[0]
    if isinstance(item, dict):
        return item.get("id")
    return item


def _id(value: object, path: Path, line: int, field: str) -> str:
    try:
        return as_id(value)
    except UsageError as error:
        raise InputError(error.message, path=path, line=line, field=field) from error
