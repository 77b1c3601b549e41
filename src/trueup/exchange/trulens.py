"""Reads what TruLens writes: records with feedback, and ground truth."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from trueup.domain.transfer import ImportedRecord
from trueup.exchange.base import id_text
from trueup.exchange.entries import FieldError
from trueup.exchange.jsonl import read_object
from trueup.exchange.outside import (
    answer_in,
    chunks_in,
    judge_name,
    left_over,
    listed,
    object_in,
    our_metric,
    question_in,
    text_in,
)
from trueup.exchange.reading import Reading, Row
from trueup.exchange.rows import rows_of

_CALLS = "_calls"
_USED = (
    "record_id", "input", "output", "events", "app_version", "record_json", "cost_json",
    "perf_json", "query", "query_id", "expected_response", "expected_chunks", "ts",
)  # fmt: skip
_RETRIEVED = "ai.observability.retrieval.retrieved_contexts"
_STATEMENT = re.compile(
    r"Criteria:\s*(?P<criteria>.+?)\s*\n\s*Supporting Evidence:\s*(?P<supporting_evidence>.*?)"
    r"\s*\n\s*Score:\s*(?P<score>[\d.]+)",
    re.DOTALL,
)
_NO_EVIDENCE = frozenset({"", "none", "nothing found", "n/a", "no evidence found"})


def read_trulens(paths: Sequence[Path], reading: Reading) -> Iterator[ImportedRecord]:
    """Records under their app version as release; groundedness by statement gives claims.

    A statement is entailed at the full score only. Ground truth gives records without an answer,
    with reference and gold texts.
    """
    yield from reading.each(rows_of(paths, reading), lambda row: _row(row, reading))


def _row(row: Row, reading: Reading) -> ImportedRecord:
    if "expected_chunks" in row.value or "expected_response" in row.value:
        value = _truth(row.value)
    else:
        value = _record(row.value, reading)
    return read_object(value, reading.entries, str(row.path), row.line)


def _truth(value: Mapping[str, Any]) -> dict[str, Any]:
    question = text_in(value, "query", "input")
    if question is None:
        raise FieldError("query", "is missing")
    record: dict[str, Any] = {
        "id": id_text(value.get("query_id")),
        "question": question,
        "answer": "",
        "reference": text_in(value, "expected_response"),
        "meta": left_over(value, _USED),
    }
    chunks = value.get("expected_chunks")
    if chunks is None:
        return record
    given = [c for c in listed(chunks) if not isinstance(c, dict) or _is_gold(c)]
    found = chunks_in(given) or []
    record["gold_context"] = [c["text"] for c in found]
    if found and all("id" in c for c in found):
        record["gold"] = [c["id"] for c in found]
    return record


def _is_gold(chunk: Mapping[str, Any]) -> bool:
    score = chunk.get("expected_score")
    return score is None or (isinstance(score, (int, float)) and score > 0)


def _record(value: Mapping[str, Any], reading: Reading) -> dict[str, Any]:
    if "input" not in value and "output" not in value:
        raise FieldError("", f"has no input and no output (keys: {', '.join(value)})")
    feedback = {k.removesuffix(_CALLS): v for k, v in value.items() if k.endswith(_CALLS)}
    record: dict[str, Any] = {
        "id": id_text(value.get("record_id")),
        "question": question_in(value.get("input")),
        "answer": answer_in(value.get("output")) or "",
        "context": _context(value),
        "release": id_text(value.get("app_version")) or "",
        "meta": left_over(value, (*_USED, *(f"{name}{_CALLS}" for name in feedback))),
    }
    claims: list[dict[str, Any]] = []
    for name, calls in feedback.items():
        found = _claims(name, listed(calls)) if our_metric(name) == "groundedness" else []
        if found and not claims:
            claims = found
        else:
            reading.count(f"feedback {name} that rules on no statement: its score is metadata")
    if claims:
        record["claims"] = claims
    return record


def _context(value: Mapping[str, Any]) -> list[dict[str, Any]] | None:
    """What the retrieval spans retrieved; None where there is no such span."""
    found: list[dict[str, Any]] | None = None
    for event in listed(value.get("events")):
        attributes = object_in(event.get("record_attributes")) if isinstance(event, dict) else {}
        if _RETRIEVED in attributes:
            found = [*(found or []), *(chunks_in(listed(attributes[_RETRIEVED])) or [])]
    return found


def _claims(name: str, calls: Sequence[Any]) -> list[dict[str, Any]]:
    claims = []
    for call in calls:
        meta = object_in(call.get("meta")) if isinstance(call, dict) else {}
        reasons = meta.get("reasons", meta.get("reason"))
        if isinstance(reasons, str):
            reasons = [match.groupdict() for match in _STATEMENT.finditer(reasons)]
        found = reasons if isinstance(reasons, list) else []
        claims += [_claim(name, reason) for reason in found if isinstance(reason, dict)]
    return claims


def _claim(name: str, reason: Mapping[str, Any]) -> dict[str, Any]:
    text = reason.get("criteria", reason.get("statement"))
    if not isinstance(text, str) or not text:
        raise FieldError(f"{name}{_CALLS}", "a statement has no text (criteria)")
    score = _score(reason.get("score"), name)
    entry: dict[str, Any] = {
        # Older versions wrote raw points, of 3 or of 10, without saying which.
        "entailed": score >= 1.0 if score is not None and 0 <= score <= 1 else None,
        "meta": {} if score is None else {"score": score},
    }
    evidence = reason.get("supporting_evidence")
    if isinstance(evidence, str) and evidence.strip().casefold().rstrip(".") not in _NO_EVIDENCE:
        entry["evidence"] = evidence
    return {"text": text, "judges": {judge_name("trulens", name): entry}}


def _score(value: Any, name: str) -> float | None:
    if value is None:
        return None
    try:
        return float(value)
    except (TypeError, ValueError):
        raise FieldError(f"{name}{_CALLS}", f"score must be a number, not {value!r}") from None
