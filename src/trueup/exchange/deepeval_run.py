"""Verdicts of deepeval's metrics: read from the logs of a saved run, claim by claim."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from trueup.exchange.literals import boolean
from trueup.exchange.outside import (
    judge_name,
    object_in,
    our_metric,
    snaked,
    text_in,
    whole_answer,
)
from trueup.exchange.reading import Reading

_WORDS: dict[str, bool | None] = {"yes": True, "no": False, "idk": None}
"""`idk` is the judge's own word for "cannot say": an undecided verdict."""
_CLAIMS = {"groundedness": ("Claims",), "answer_relevancy": ("Statements",)}
"""The blocks of the log that hold the claims of a metric."""
_FAILED = "bad_response"


def metric_entries(
    value: dict[str, Any], metrics: Sequence[Mapping[str, Any]], reading: Reading
) -> None:
    """Add to a record what the metrics of its test case ruled.

    Claims and their verdicts come from the log where both lists are there and of one length; else
    the metric's `success` is a verdict on the whole answer. Scores are kept as metadata.
    """
    claims: list[dict[str, Any]] = []
    scores: dict[str, Any] = {}
    whole: dict[str, dict[str, Any]] = {}
    for given in metrics:
        data = snaked(given)
        name = text_in(data, "name", needed=True) or ""
        scores[name] = {k: data[k] for k in ("score", "threshold") if data.get(k) is not None}
        base = name.removesuffix(" [GEval]").removesuffix(" (GEval)")
        metric = our_metric(base)
        judge = judge_name("deepeval", name, data.get("evaluation_model"))
        entry = {"model": data.get("evaluation_model") or None}
        if metric == "context_relevancy":
            _chunk_verdicts(value, base, data, judge, reading)
        elif metric in _CLAIMS:
            ruled = _ruled(str(data.get("verbose_logs") or ""), _CLAIMS[metric])
            if ruled:
                _add_claims(claims, ruled, metric, judge, entry, reading)
            else:
                whole |= _whole(data, metric, judge, entry)
        else:  # contextual recall's log has verdicts without the sentences they are about
            reading.count(f"results of {name} name no claims: kept as metadata")
    if whole and not claims:
        claims = [whole_answer(value["answer"], judges=whole)] if value["answer"] else []
    elif whole:
        reading.count("verdicts on whole answers beside verdicts on claims: left out", len(whole))
    if claims:
        value["claims"] = claims
    if scores:
        value["meta"]["scores"] = scores


def _whole(
    data: Mapping[str, Any], metric: str, judge: str, entry: dict[str, Any]
) -> dict[str, dict[str, Any]]:
    if data.get("error"):
        failed = {"entailed": None, "reason": _FAILED, "meta": {"error": str(data["error"])[:500]}}
        return {judge: {**entry, **failed, "metric": metric}}
    success = boolean(data.get("success"))
    if success is None:
        return {}
    more = {"reason": data["reason"]} if isinstance(data.get("reason"), str) else {}
    return {judge: {**entry, "entailed": success, "metric": metric, **more}}


def _ruled(log: str, blocks: Sequence[str]) -> list[tuple[str, dict[str, Any]]]:
    """Claims with their verdicts; nothing where the two lists do not pair."""
    for block in blocks:
        claims, verdicts = _block(log, block), _block(log, "Verdicts")
        if not claims or len(claims) != len(verdicts):
            continue
        pairs = []
        for claim, verdict in zip(claims, verdicts, strict=True):
            said = verdict.get("verdict") if isinstance(verdict, dict) else None
            if not isinstance(claim, str) or str(said).strip().casefold() not in _WORDS:
                return []
            pairs.append((claim, verdict))
        return pairs
    return []


def _block(log: str, name: str) -> list[Any]:
    """The JSON list that stands under a heading of the log."""
    match = re.search(rf"(?:^|\n)\s*{name}[^\n:]*:\s*(?=\[)", log)
    if match is None:
        return []
    try:
        found, _ = json.JSONDecoder().raw_decode(log, match.end())
    except (ValueError, RecursionError):
        return []
    return found if isinstance(found, list) else []


def _entry(verdict: Mapping[str, Any], entry: Mapping[str, Any], metric: str) -> dict[str, Any]:
    word = str(verdict["verdict"]).strip().casefold()
    made: dict[str, Any] = {**entry, "entailed": _WORDS[word], "metric": metric}
    if isinstance(verdict.get("reason"), str):
        made["reason"] = verdict["reason"]
    if word == "idk":
        made["meta"] = {"said": word}
    return made


def _add_claims(
    claims: list[dict[str, Any]],
    ruled: Sequence[tuple[str, Mapping[str, Any]]],
    metric: str,
    judge: str,
    entry: Mapping[str, Any],
    reading: Reading,
) -> None:
    """The first metric with claims makes the claim set; others join where texts are the same."""
    first = not claims
    free = list(claims)
    for text, verdict in ruled:
        if first:
            claims.append({"text": text, "judges": {judge: _entry(verdict, entry, metric)}})
            continue
        claim = next((c for c in free if c["text"] == text), None)
        if claim is None:
            reading.count(f"verdicts of {judge} on other claims than the first metric's: left out")
            continue
        free.remove(claim)
        claim["judges"][judge] = _entry(verdict, entry, metric)


def _chunk_verdicts(
    value: dict[str, Any], name: str, data: Mapping[str, Any], judge: str, reading: Reading
) -> None:
    """Contextual precision rules on each text of the retrieval context, in order."""
    verdicts = _block(str(data.get("verbose_logs") or ""), "Verdicts")
    context = value["context"] or []
    words = [str(object_in(v).get("verdict")).strip().casefold() for v in verdicts]
    if not words or len(words) != len(context) or not set(words) <= _WORDS.keys():
        reading.count(f"results of {name} name no claims: kept as metadata")
        return
    entry = {"model": data.get("evaluation_model") or None}
    value["context"] = [
        {**(chunk if isinstance(chunk, dict) else {"text": chunk}),
         "judges": {**(chunk.get("judges", {}) if isinstance(chunk, dict) else {}),
                    judge: _entry(object_in(verdict), entry, "context_relevancy")}}
        for chunk, verdict in zip(context, verdicts, strict=True)
    ]  # fmt: skip
