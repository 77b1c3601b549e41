"""ragas' metric annotations: per metric, what it ruled and how a person changed that."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from trueup.domain.transfer import ImportedRecord
from trueup.exchange.entries import FieldError
from trueup.exchange.jsonl import read_object
from trueup.exchange.literals import boolean
from trueup.exchange.outside import NOT_BLIND, judge_name, object_in, our_metric
from trueup.exchange.reading import Reading, Row
from trueup.exchange.shapes import ALIASES

ANNOTATOR = "ragas"
"""The file names nobody. What people changed, they had seen: these labels are not blind."""

_LISTS = {"statements": "verdict", "classifications": "attributed"}
"""The list in a prompt's output that holds a verdict per claim, and the verdict's key."""
_METRICS = {"groundedness": "answer", "contextual_recall": "reference"}


def is_annotation(value: Mapping[str, Any]) -> bool:
    """Whether an object is {metric: [{"metric_input": …}, …]}."""
    return any(
        isinstance(items, list) and items and isinstance(items[0], dict)
        and "metric_input" in items[0]
        for items in value.values()
    )  # fmt: skip


def annotated(row: Row, reading: Reading) -> Iterator[ImportedRecord]:
    """A record for each annotated sample of each metric."""
    for name, items in row.value.items():
        for i, item in enumerate(items if isinstance(items, list) else ()):
            try:
                yield _annotation(name, item, row, reading)
            except FieldError as error:
                where = f"{name}[{i}]" + (f".{error.field}" if error.field else "")
                reading.refuse(row.path, row.line, FieldError(where, error.message))


def _annotation(name: str, item: Any, row: Row, reading: Reading) -> ImportedRecord:
    given = object_in(item.get("metric_input")) if isinstance(item, dict) else {}
    if not given:
        raise FieldError("metric_input", "is missing")
    value: dict[str, Any] = {ALIASES.get(key, key): v for key, v in given.items() if v is not None}
    value.setdefault("answer", "")
    if isinstance(value.get("context"), str):
        value["context"] = [value["context"]]
    metric = our_metric(name)
    if metric in _METRICS:
        value["claims"] = _claims(name, metric, item, reading)
    if not value.get("claims"):
        reading.count(f"annotations of {name} that rule on no claim: kept as metadata")
        value["meta"] = {**value.get("meta", {}), f"ragas_{name}": _score(item)}
    return read_object(value, reading.entries, str(row.path), row.line)


def _score(item: Mapping[str, Any]) -> dict[str, Any]:
    return {k: item.get(k) for k in ("metric_output", "is_accepted", "target")}


def _claims(
    name: str, metric: str, item: Mapping[str, Any], reading: Reading
) -> list[dict[str, Any]]:
    """Claims with the metric's verdicts, and the labels of the person who edited or accepted."""
    ruled, edited = _ruled(item)
    if not ruled:
        return []
    if edited is None and item.get("is_accepted") is True:
        edited = ruled
    elif edited is None and item.get("is_accepted") is False:
        reading.count("annotations were rejected without saying which verdict is wrong: no labels")
    left = Counter(text for text, _, _ in ruled)
    labels: dict[str, list[tuple[bool | None, str | None]]] = {}
    for text, verdict, reason in edited or ():
        if left[text] <= 0:
            reading.count("edited statements are none of those that were ruled on: no label")
        left[text] -= 1
        labels.setdefault(text, []).append((verdict, reason))
    judge = judge_name("ragas", name)
    claims = []
    for text, verdict, reason in ruled:
        claim: dict[str, Any] = {"text": text, "of": _METRICS[metric]}
        claim["judges"] = {judge: {"entailed": verdict, "reason": reason}}
        if labels.get(text):
            own, note = labels[text].pop(0)
            note = None if note == reason else note
            reading.count(NOT_BLIND)
            claim["human"] = [
                {"annotator": ANNOTATOR, "entailed": own, "note": note, "blind": False}
            ]
        claims.append(claim)
    return claims


_Ruled = list[tuple[str, "bool | None", "str | None"]]


def _ruled(item: Mapping[str, Any]) -> tuple[_Ruled, _Ruled | None]:
    """(text, verdict, reason) of each claim, as the metric said and as the person edited it."""
    prompts = object_in(item.get("prompts"))
    for name, prompt in prompts.items():
        if not isinstance(prompt, dict):
            continue
        said = _statements(name, object_in(prompt.get("prompt_output")))
        if said is not None:
            edited = object_in(prompt.get("edited_output"))
            return said, _statements(name, edited) if edited else None
    return [], None


def _statements(prompt: str, output: Mapping[str, Any]) -> _Ruled | None:
    for key, verdict in _LISTS.items():
        items = output.get(key)
        if not (isinstance(items, list) and items and isinstance(items[0], dict)):
            continue
        found: _Ruled = []
        for i, one in enumerate(items):
            where = f"prompts.{prompt}.{key}[{i}]"
            if not isinstance(object_in(one).get("statement"), str) or verdict not in one:
                raise FieldError(where, f"needs statement and {verdict}")
            try:
                found.append((one["statement"], boolean(one[verdict]), one.get("reason")))
            except FieldError as error:
                raise FieldError(f"{where}.{verdict}", error.message) from None
        return found
    return None
