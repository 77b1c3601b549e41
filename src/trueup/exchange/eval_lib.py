"""Reads what eval-lib writes: test cases, and the cache of results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from trueup.domain.ids import canonical_json
from trueup.domain.transfer import ImportedRecord
from trueup.exchange.base import finite
from trueup.exchange.entries import FieldError
from trueup.exchange.json_read import inside
from trueup.exchange.jsonl import read_object
from trueup.exchange.outside import (
    judge_name,
    left_over,
    listed,
    object_in,
    objects_in,
    our_metric,
    text_in,
)
from trueup.exchange.reading import Reading, Row
from trueup.exchange.rows import rows_of

_USED = (
    "input", "input_full", "actual_output", "actual_output_full", "expected_output",
    "expected_output_full", "retrieval_context", "name", "extra_fields", "metrics", "test_index",
)  # fmt: skip
_FULL = "fully"
"""Of the degrees of support only this one is entailed: the others leave something out."""
_DEGREES = frozenset({"fully", "mostly", "partial", "minor", "none"})


def read_eval_lib(paths: Sequence[Path], reading: Reading) -> Iterator[ImportedRecord]:
    """Test cases as records; of several cached sessions each case's newest one counts."""
    cases: dict[str, Row] = {}
    for row in rows_of(paths, reading):
        session = object_in(row.value.get("data")).get("test_cases")
        if not isinstance(session, list):
            yield from reading.each(inside(row, "test_cases"), lambda row: _case(row, reading))
            continue
        for case in session:
            if not isinstance(case, dict):
                reading.refuse(row.path, row.line, FieldError("test_cases", "must hold objects"))
                continue
            when = str(row.value.get("timestamp") or "")
            one = row._replace(value={**case, "timestamp": when})
            _keep_newest(cases, one, reading)
    yield from reading.each(iter(cases.values()), lambda row: _case(row, reading))


def _keep_newest(cases: dict[str, Row], row: Row, reading: Reading) -> None:
    texts = ("input_full", "input", "actual_output_full", "actual_output", "retrieval_context")
    key = canonical_json([finite(row.value.get(name)) for name in texts])
    old = cases.setdefault(key, row)
    if old is row:
        return
    reading.count("cached results of older sessions: left out")
    if row.value["timestamp"] >= old.value["timestamp"]:
        cases[key] = row


def _case(row: Row, reading: Reading) -> ImportedRecord:
    case = row.value
    extra = object_in(case.get("extra_fields"))
    question = text_in(case, "input_full", "input")
    answer = text_in(case, "actual_output_full", "actual_output")
    if question is None and answer is None:
        raise FieldError("", f"has no input and no actual_output (keys: {', '.join(case)})")
    contexts = case.get("retrieval_context")
    value: dict[str, Any] = {
        "id": text_in(case, "name"),
        "question": question,
        "answer": answer or "",
        "reference": text_in(case, "expected_output_full", "expected_output"),
        "context": None if contexts is None else listed(contexts),
        "meta": left_over(case, _USED) | left_over(extra, ("gold_chunk_ids",)),
    }
    gold = extra.get("gold_chunk_ids", extra.get("gold"))
    if isinstance(gold, list):
        value["gold"] = gold
    claims, scores = [], {}
    for metric in objects_in(case.get("metrics"), "metrics"):
        name = text_in(metric, "name", needed=True) or ""
        scores[name] = {
            k: metric[k] for k in ("score", "threshold", "success") if metric.get(k) is not None
        }
        claims += _claims(name, metric, reading)
    if claims:
        value["claims"] = claims
    if scores:
        value["meta"]["scores"] = scores
    return read_object(value, reading.entries, str(row.path), row.line)


def _claims(name: str, metric: Mapping[str, Any], reading: Reading) -> list[dict[str, Any]]:
    """The claims that a metric's log rules on, with its verdicts."""
    log = object_in(metric.get("evaluation_log"))
    verdicts = [v for v in listed(log.get("verdicts")) if isinstance(v, dict)]
    kind = our_metric(name.removesuffix("Metric"))
    model = metric.get("evaluation_model")
    judge = judge_name("eval-lib", name, model)
    if kind == "contextual_recall" and verdicts:
        return [
            {"text": _text(v.get("claim"), name), "of": "reference",
             "judges": {judge: {**_supported(v), "model": model}}}
            for v in verdicts
        ]  # fmt: skip
    statements = listed(log.get("statements"))
    if kind == "groundedness" and statements and len(statements) == len(verdicts):
        return [
            {"text": _text(text, name), "judges": {judge: {**_degree(v), "model": model}}}
            for text, v in zip(statements, verdicts, strict=True)
        ]
    reading.count(f"results of {name} that rule on no claim: kept as metadata")
    return []


def _text(value: Any, name: str) -> str:
    if not isinstance(value, str):
        raise FieldError(f"metrics.{name}", "a claim in its log is no text")
    return value


def _supported(verdict: Mapping[str, Any]) -> dict[str, Any]:
    said = verdict.get("supported")
    if not isinstance(said, bool):
        raise FieldError("verdicts.supported", "must be true or false")
    return {"entailed": said, "reason": verdict.get("reason")}


def _degree(verdict: Mapping[str, Any]) -> dict[str, Any]:
    """A degree of support; what is no statement of fact was not ruled on."""
    word = str(verdict.get("verdict", "")).strip().casefold()
    fact = verdict.get("type") in (None, "fact")
    if fact and word not in _DEGREES:
        raise FieldError("verdicts.verdict", f"must be one of {', '.join(sorted(_DEGREES))}")
    made: dict[str, Any] = {
        "entailed": word == _FULL if fact else None,
        "reason": verdict.get("reason"),
        "meta": {"said": word} if fact else {"type": verdict.get("type")},
    }
    if isinstance(verdict.get("support"), str) and verdict["support"]:
        made["evidence"] = verdict["support"]
    return made
