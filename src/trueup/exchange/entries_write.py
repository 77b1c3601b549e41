"""Writes entries under `human` and `judges`: the inverse of `entries.py`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from trueup.domain.model import Evidence, JudgeSpec, Label, UnitKind, Verdict
from trueup.domain.transfer import iso_or_none, label_id, spec_to_json
from trueup.exchange.entries import DEFAULT_METRICS, recorded_judge

_ENTAILED = {"entailed": True, "not_entailed": False}
_KEY_DIGITS = 12


@dataclass(frozen=True, slots=True)
class JudgeKeys:
    """How the judges of one record are called under `judges`, and what must be declared of them."""

    names: dict[tuple[str, str], str]
    """(fingerprint, metric) -> key: the judge's name, or name@fingerprint where two share it."""
    declared: dict[str, Any]
    """Key -> declaration, or a list of them, one per metric."""


def judge_keys(judges: Sequence[JudgeSpec]) -> JudgeKeys:
    """Keys and declarations for the judges of a record."""
    shared = Counter((spec.name, spec.metric) for spec in judges)
    names: dict[tuple[str, str], str] = {}
    declared: dict[str, list[dict[str, Any]]] = {}
    for spec in judges:
        key = spec.name
        if shared[spec.name, spec.metric] > 1:
            key = f"{spec.name}@{spec.fingerprint[:_KEY_DIGITS]}"
        names[spec.fingerprint, spec.metric] = key
        if spec != recorded_judge(key, spec.metric):
            declared.setdefault(key, []).append(_declaration(spec, key))
    return JudgeKeys(
        names, {key: found[0] if len(found) == 1 else found for key, found in declared.items()}
    )


def _declaration(spec: JudgeSpec, key: str) -> dict[str, Any]:
    recorded = recorded_judge(spec.name, spec.metric, spec.model or None, spec.prompt_text or None)
    if spec != recorded:
        return spec_to_json(spec)
    short: dict[str, Any] = {"metric": spec.metric}
    if key != spec.name:
        short["name"] = spec.name
    if spec.model:
        short["model"] = spec.model
    if spec.prompt_text:
        short["prompt"] = spec.prompt_text
    return short


def human_entries(labels: Sequence[Label], kind: UnitKind) -> list[dict[str, Any]]:
    """The label events of one unit, in their order."""
    seen: Counter[str] = Counter()
    entries = []
    for label in labels:
        own = label_id(label)
        usual = own if not seen[own] else label_id(label, seen[own])
        seen[own] += 1
        entry: dict[str, Any] = {"annotator": label.annotator}
        if label.label is None:
            entry["undo"] = True
        else:
            entry["entailed"] = _ENTAILED.get(label.label)
            if label.label not in _ENTAILED:
                entry["label"] = label.label
        more = {
            "metric": None if label.metric == DEFAULT_METRICS.get(kind) else label.metric,
            "note": label.note,
            "quote": label.quote,
            "at": iso_or_none(label.at),
            "blind": None if label.blind else False,
            "policy_sha256": label.policy_sha256,
            "ms": label.ms,
            "origin": None if label.origin == "person" else label.origin,
            "sample": label.sample,
            "repeat": label.repeat or None,
            "id": None if label.id == usual else label.id,
            "meta": dict(label.meta) or None,
        }
        entries.append(entry | {name: value for name, value in more.items() if value is not None})
    return entries


def judge_entries(verdicts: Sequence[Verdict], kind: UnitKind, keys: JudgeKeys) -> dict[str, Any]:
    """The verdicts on one unit by judge; a list where a judge has several."""
    found: dict[str, list[dict[str, Any]]] = {}
    for verdict in verdicts:
        key = keys.names[verdict.fingerprint, verdict.metric]
        found.setdefault(key, []).append(_verdict(verdict, kind))
    return {key: entries[0] if len(entries) == 1 else entries for key, entries in found.items()}


def _verdict(verdict: Verdict, kind: UnitKind) -> dict[str, Any]:
    entry: dict[str, Any] = {"entailed": _ENTAILED.get(verdict.value)}
    if verdict.own_value != verdict.value:
        entry["own"] = _ENTAILED.get(verdict.own_value)
    if verdict.evidence:
        entry["evidence"] = _evidence(verdict.evidence)
    usual = "missing_verdict" if verdict.value == "undecided" else None
    more = {
        "metric": None if verdict.metric == DEFAULT_METRICS.get(kind) else verdict.metric,
        "reason": None if verdict.reason == usual else verdict.reason,
        "flags": list(verdict.flags) or None,
        "repeat": verdict.repeat or None,
        "meta": dict(verdict.meta) or None,
    }
    return entry | {name: value for name, value in more.items() if value is not None}


def _evidence(evidence: Sequence[Evidence]) -> Any:
    found = [_quote(e) for e in evidence]
    return found[0] if len(found) == 1 else found


def _quote(evidence: Evidence) -> Any:
    if evidence == Evidence(evidence.quote, "unlocated") and evidence.quote:
        return evidence.quote
    entry: dict[str, Any] = {"quote": evidence.quote, "match": evidence.match}
    if evidence.chunk is not None:
        entry["chunk"] = evidence.chunk
    if evidence.spans:
        entry["spans"] = [[s.start, s.end] for s in evidence.spans]
    return entry
