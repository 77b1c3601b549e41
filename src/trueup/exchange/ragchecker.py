"""Reads RAGChecker's inputs and results: claims of both answers, checked against each other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from trueup.domain.transfer import ImportedRecord
from trueup.exchange.base import id_text
from trueup.exchange.entries import FieldError
from trueup.exchange.json_read import inside
from trueup.exchange.jsonl import read_object
from trueup.exchange.outside import chunks_in, left_over, said, text_in
from trueup.exchange.reading import Reading, Row
from trueup.exchange.rows import rows_of

_JUDGE = "ragchecker"
_USED = (
    "query_id", "query", "gt_answer", "response", "retrieved_context", "response_claims",
    "gt_answer_claims", "retrieved2response", "retrieved2answer", "answer2response",
    "response2answer",
)  # fmt: skip
_SETS = (
    ("response_claims", "answer", "retrieved2response", "answer2response", "correctness_precision"),
    ("gt_answer_claims", "reference", "retrieved2answer", "response2answer", "correctness_recall"),
)
"""Claims, what they are of, their check against the chunks, and against the other answer."""


def read_ragchecker(paths: Sequence[Path], reading: Reading) -> Iterator[ImportedRecord]:
    """One record for each query, with claims and verdicts where the file has results.

    A claim is entailed by the context where at least one chunk entails it.
    """
    for row in rows_of(paths, reading):
        yield from reading.each(inside(row, "results"), lambda row: _record(row, reading))


def _record(row: Row, reading: Reading) -> ImportedRecord:
    value = row.value
    if "query" not in value:
        raise FieldError("query", f"is missing (keys: {', '.join(value)})")
    context = chunks_in(value.get("retrieved_context"))
    record: dict[str, Any] = {
        "id": id_text(value.get("query_id")),
        "question": text_in(value, "query"),
        "context": context,
        "answer": text_in(value, "response") or "",
        "reference": text_in(value, "gt_answer"),
        "meta": left_over(value, _USED),
    }
    claims: list[dict[str, Any]] = []
    for key, of, by_chunk, by_answer, metric in _SETS:
        texts = [_text(claim, f"{key}[{i}]") for i, claim in enumerate(value.get(key) or [])]
        against_chunks = _paired(value, by_chunk, texts)
        against_answer = _paired(value, by_answer, texts)
        for i, text in enumerate(texts):
            verdicts = []
            if against_chunks is not None:
                verdicts.append(_by_chunk(against_chunks[i], context or [], f"{by_chunk}[{i}]"))
            if against_answer is not None:
                ruled = _said(against_answer[i], f"{by_answer}[{i}]")
                verdicts.append({"entailed": ruled, "metric": metric})
            claims.append({"text": text, "of": of, "judges": {_JUDGE: verdicts}})
    if claims:
        record["claims"] = claims
    return read_object(record, reading.entries, str(row.path), row.line)


def _text(claim: Any, where: str) -> str:
    """A claim: a sentence, or a triplet of subject, relation and object."""
    if isinstance(claim, list) and claim and all(isinstance(part, str) for part in claim):
        return " ".join(claim)
    if isinstance(claim, str) and claim:
        return claim
    raise FieldError(where, "must be a text or a triplet of texts")


def _paired(value: Mapping[str, Any], key: str, texts: Sequence[str]) -> list[Any] | None:
    found = value.get(key)
    if not found:
        return None
    if not isinstance(found, list) or len(found) != len(texts):
        raise FieldError(key, f"must have an entry for each of the {len(texts)} claims")
    return found


def _said(word: Any, where: str) -> bool:
    ruled = said(word)
    if ruled is None:
        raise FieldError(where, f"must be Entailment, Neutral or Contradiction, not {word!r}")
    return ruled


def _by_chunk(words: Any, context: Sequence[dict[str, Any]], where: str) -> dict[str, Any]:
    """Entailed by any chunk; which ones stays in the verdict's metadata."""
    ruled = [_said(word, where) for word in (words if isinstance(words, list) else [words])]
    ids = [
        str(context[i].get("id", i + 1)) for i, yes in enumerate(ruled) if yes and i < len(context)
    ]
    return {"entailed": any(ruled), **({"meta": {"chunks": ids}} if ids else {})}
