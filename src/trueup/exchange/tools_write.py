"""Writes records with people's labels as rows of ragas and deepeval, and gold as TREC qrels."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from trueup.domain.model import Label, Record, Unit
from trueup.errors import UsageError


@dataclass(frozen=True, slots=True)
class Labelled:
    """One record with its labelled units: what people say of each together (None where they do
    not agree, or flagged it), and what each of them said last."""

    record: Record
    metric: str
    units: tuple[Unit, ...]
    human: Mapping[str, bool | None]
    labels: Mapping[str, tuple[Label, ...]]

    @property
    def score(self) -> float | None:
        """The share of units that people call entailed, of those that they decided."""
        decided = [value for unit in self.units if (value := self.human[unit.key]) is not None]
        return sum(decided) / len(decided) if decided else None

    def summary(self) -> dict[str, Any]:
        """Labels beside a row of another tool."""
        return {
            "metric": self.metric,
            "score": self.score,
            "claims": [
                {
                    "id": unit.id,
                    "text": unit.text,
                    "entailed": self.human[unit.key],
                    "annotators": {x.annotator: x.label for x in self.labels[unit.key]},
                }
                for unit in self.units
            ],
        }


def ragas_lines(items: Iterable[Labelled]) -> Iterator[str]:
    """A ragas sample a line (its v2 names), with people's labels under `human`."""
    for item in items:
        r = item.record
        context = None if r.context is None else [c.text for c in r.context]
        ids = None if r.context is None else [c.id for c in r.context]
        row = {
            "user_input": r.question,
            "response": r.answer,
            "retrieved_contexts": context,
            "retrieved_context_ids": ids,
            "reference": r.reference,
            "reference_contexts": _list(r.gold_context),
            "reference_context_ids": _list(r.gold),
        }
        given = {key: value for key, value in row.items() if value is not None}
        line = {"id": r.id, **given, "human": item.summary()}
        yield json.dumps(line, ensure_ascii=False, allow_nan=False) + "\n"


def deepeval_lines(items: Iterable[Labelled]) -> Iterator[str]:
    """The lines of a JSON list of deepeval goldens, with people's labels in their metadata."""
    before = "[\n"
    for item in items:
        r = item.record
        row = {
            "name": r.id,
            "input": r.question or "",
            "actual_output": r.answer,
            "expected_output": r.reference,
            "retrieval_context": None if r.context is None else [c.text for c in r.context],
            "context": _list(r.gold_context),
            "additional_metadata": {"human": item.summary()},
        }
        yield before + json.dumps(row, ensure_ascii=False, allow_nan=False)
        before = ",\n"
    yield "[]\n" if before == "[\n" else "\n]\n"


def _list(value: Sequence[str] | None) -> list[str] | None:
    return None if value is None else list(value)


def qrels_lines(items: Iterable[Labelled]) -> Iterator[str]:
    """TREC qrels of labels on chunks: grade 1 where people call a chunk useful, 0 where not.

    A chunk that is labelled for a question in several releases has the higher grade. Raises
    UsageError for an id with a space in it, which the format cannot hold.
    """
    grades: dict[tuple[str, str], int] = {}
    for item in items:
        chunks = item.record.context or ()
        for unit in item.units:
            value = item.human[unit.key]
            if value is None:
                continue
            pair = item.record.id, chunks[unit.ordinal - 1].id
            grades[pair] = max(int(value), grades.get(pair, 0))
    for (question, chunk), grade in grades.items():
        for name in (question, chunk):
            if name.split() != [name]:
                raise UsageError(
                    f"the id {name!r} has a space in it, which qrels cannot hold",
                    hint="export the labels instead: trueup export --what labels --format csv",
                )
        yield f"{question} 0 {chunk} {grade}\n"
