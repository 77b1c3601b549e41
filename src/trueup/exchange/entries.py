"""Entries under `human` and `judges`: labels and verdicts of recorded judges."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, cast, get_args

from trueup.domain.metrics import METRICS, metric
from trueup.domain.model import (
    REASONS,
    UNKNOWN_TIME,
    Evidence,
    JudgeSpec,
    Label,
    LabelValue,
    Origin,
    Unit,
    UnitKind,
    Verdict,
    VerdictValue,
)
from trueup.domain.transfer import label_id, spec_from_json
from trueup.exchange.base import finite, id_text
from trueup.exchange.evidence import FieldError, read_evidence
from trueup.exchange.shapes import HUMAN_KEYS, JUDGE_KEYS, collect_meta

__all__ = [
    "DEFAULT_METRICS",
    "LABELS",
    "UNNAMED_JUDGE",
    "Entries",
    "FieldError",
    "recorded_judge",
]

DEFAULT_METRICS: dict[UnitKind, str] = {
    "answer_claim": "groundedness",
    "reference_claim": "contextual_recall",
    "chunk": "context_relevancy",
}
UNNAMED_JUDGE = "recorded"
"""The judge of a claim that carries `entailed` itself, without saying whose verdict it is."""

_PLAIN_LABEL = frozenset({"annotator", "entailed", "note"})
_PLAIN_VERDICT = frozenset({"entailed", "evidence"})
_TEXT_OR_NONE = (str, type(None))
LABELS = frozenset(get_args(LabelValue))
_ORIGINS = frozenset(get_args(Origin))
_VALUES: dict[bool | None, VerdictValue] = {
    True: "entailed",
    False: "not_entailed",
    None: "undecided",
}


@dataclass(slots=True)
class Entries:
    """Reads the entries of one file; keeps the judges, which are the same for all its records."""

    judges: dict[tuple[str, str, str | None, str | None, str], JudgeSpec] = field(
        default_factory=dict
    )
    _fingerprints: dict[int, str] = field(default_factory=dict)
    _plain: dict[tuple[str, UnitKind], tuple[JudgeSpec, str]] = field(default_factory=dict)

    def labels(self, unit: Unit, entries: Any, where: str) -> list[Label]:
        """Labels of the entries under `human`, in their order."""
        seen: Counter[str] = Counter()
        found = []
        for i, entry in enumerate(entries or ()):
            label = _plain_label(unit, entry) or _label(unit, entry, f"{where}[{i}]")
            own = label_id(label)
            nth = seen[own] = seen[own] + 1
            name = entry.get("id") or (own if nth == 1 else label_id(label, nth - 1))
            object.__setattr__(label, "id", str(name))  # as yet nobody else has it
            found.append(label)
        return found

    def verdicts(
        self, unit: Unit, entries: Any, declared: Mapping[str, Any], where: str
    ) -> list[tuple[JudgeSpec, Verdict]]:
        """Verdicts of the entries under `judges`, with the judge of each."""
        found: list[tuple[JudgeSpec, Verdict]] = []
        seen: set[tuple[str, str, int]] = set()
        for name, value in (entries or {}).items():
            if name not in declared and _is_plain(value):
                spec, fingerprint = self._plain_judge(name, unit.kind)
                found.append((spec, _plain_verdict(unit, spec.metric, fingerprint, value)))
                continue
            for i, entry in enumerate(value if isinstance(value, list) else [value]):
                if entry is None:
                    continue
                at = f"{where}.{name}[{i}]" if isinstance(value, list) else f"{where}.{name}"
                metric_name = _metric(entry, unit.kind, at)
                spec = self._judge(name, metric_name, entry, declared.get(name))
                verdict = _verdict(unit, metric_name, self._fingerprint(spec), entry, at)
                key = (verdict.fingerprint, metric_name, verdict.repeat)
                if key in seen:
                    raise FieldError(at, "a second verdict of the same judge on the same unit")
                seen.add(key)
                found.append((spec, verdict))
        return found

    def _plain_judge(self, name: str, kind: UnitKind) -> tuple[JudgeSpec, str]:
        """The undeclared judge of that name, asked the usual question of a kind."""
        if (name, kind) not in self._plain:
            spec = self._judge(name, _metric({}, kind, name), {}, None)
            self._plain[name, kind] = spec, self._fingerprint(spec)
        return self._plain[name, kind]

    def _fingerprint(self, spec: JudgeSpec) -> str:
        # Hashed once per judge, not once per verdict; the spec stays alive in `judges`.
        if id(spec) not in self._fingerprints:
            self._fingerprints[id(spec)] = spec.fingerprint
        return self._fingerprints[id(spec)]

    def _judge(
        self, name: str, metric_name: str, entry: Mapping[str, Any], declared: Any
    ) -> JudgeSpec:
        model, prompt = entry.get("model"), entry.get("prompt")
        text = "" if declared is None else json.dumps(declared, sort_keys=True)
        key = (name, metric_name, model, prompt, text)
        if key not in self.judges:
            self.judges[key] = _spec(name, metric_name, model, prompt, declared)
        return self.judges[key]


def recorded_judge(
    name: str, metric_name: str, model: str | None = None, prompt: str | None = None
) -> JudgeSpec:
    """The judge of a file: its identity is its name and, where declared, its model and prompt."""
    return JudgeSpec(
        name=name,
        backend="recorded",
        metric=metric_name,
        model=model or "",
        prompt="recorded",
        prompt_text=prompt or "",
    )


# Most entries of a large file hold nothing but the ruling, and a quote or a note: they are read
# without looking for the twenty fields that they do not have.


def _is_plain(entry: Any) -> bool:
    return (
        type(entry) is dict
        and "entailed" in entry
        and entry.keys() <= _PLAIN_VERDICT
        and isinstance(entry.get("evidence"), _TEXT_OR_NONE)
    )


def _plain_verdict(
    unit: Unit, metric_name: str, fingerprint: str, entry: Mapping[str, Any]
) -> Verdict:
    value = _VALUES[entry["entailed"]]
    quote = entry.get("evidence")
    evidence = (Evidence(quote, "unlocated"),) if quote else ()
    reason = "missing_verdict" if value == "undecided" else None
    return Verdict(unit.key, metric_name, fingerprint, value, value, reason, evidence)


def _plain_label(unit: Unit, entry: Mapping[str, Any]) -> Label | None:
    annotator = entry.get("annotator")
    if not entry.keys() <= _PLAIN_LABEL or "entailed" not in entry or type(annotator) is not str:
        return None
    metric_name = DEFAULT_METRICS.get(unit.kind)
    if not annotator or metric_name is None:
        return None
    said = entry["entailed"]
    label = "unsure" if said is None else cast("LabelValue", _VALUES[said])
    return Label("", unit.key, metric_name, annotator, label, UNKNOWN_TIME, note=entry.get("note"))


def _spec(name: str, metric_name: str, model: Any, prompt: Any, declared: Any) -> JudgeSpec:
    if isinstance(declared, list):
        declared = next((d for d in declared if d.get("metric") == metric_name), None)
    declared = declared or {}
    if "backend" not in declared:
        return recorded_judge(
            declared.get("name", name),
            metric_name,
            model or declared.get("model"),
            prompt or declared.get("prompt"),
        )
    try:
        return spec_from_json({"name": name, **declared, "metric": metric_name})
    except TypeError as error:
        raise FieldError(f"judges.{name}", f"is no judge: {error}") from error


def _metric(entry: Mapping[str, Any], kind: UnitKind, where: str) -> str:
    name = entry.get("metric")
    if name is None:
        if kind not in DEFAULT_METRICS:
            raise FieldError(f"{where}.metric", "is missing: no metric is the usual one here")
        return DEFAULT_METRICS[kind]
    try:
        spec = metric(name)
    except KeyError:
        known = ", ".join(METRICS)
        raise FieldError(f"{where}.metric", f"no metric is named {name!r}: {known}") from None
    if spec.units != kind:
        what = kind.replace("_", " ")
        raise FieldError(f"{where}.metric", f"{spec.name} is not asked of a unit of kind {what}")
    return spec.name


def _label(unit: Unit, entry: Mapping[str, Any], where: str) -> Label:
    annotator = id_text(entry.get("annotator"))
    if annotator is None:
        raise FieldError(f"{where}.annotator", "is missing")
    value, word = _label_value(entry, where)
    meta = collect_meta(entry, HUMAN_KEYS)
    if word is not None:
        meta["label"] = word
    quote = entry.get("quote")
    if quote is None and isinstance(entry.get("evidence"), str):
        quote = entry["evidence"]
        meta.pop("evidence", None)
    elif meta.get("evidence", 0) is None:
        del meta["evidence"]
    origin = entry.get("origin") or "person"
    if origin not in _ORIGINS:
        raise FieldError(f"{where}.origin", f"must be one of {', '.join(sorted(_ORIGINS))}")
    blind = entry.get("blind")
    return Label(
        id="",
        unit=unit.key,
        metric=_metric(entry, unit.kind, where),
        annotator=annotator,
        label=value,
        at=_time(entry.get("at"), where),
        blind=True if blind is None else blind,
        note=entry.get("note"),
        quote=quote,
        policy_sha256=entry.get("policy_sha256"),
        ms=_milliseconds(entry.get("ms"), where),
        origin=cast("Origin", origin),
        sample=entry.get("sample"),
        repeat=_repeat(entry, where),
        meta=meta,
    )


def _label_value(entry: Mapping[str, Any], where: str) -> tuple[LabelValue | None, Any]:
    """(label, the file's own word for it where that is none of ours)."""
    word = entry.get("label")
    if entry.get("undo"):
        return None, word
    if isinstance(word, str) and word in LABELS:
        label = cast("LabelValue", word)
        said = entry.get("entailed")
        if said is not None and _VALUES[said] != label:
            raise FieldError(f"{where}.entailed", f"contradicts the label {label!r}")
        return label, None
    if "entailed" not in entry:
        raise FieldError(f"{where}.entailed", "is missing: true, false or null")
    said = entry["entailed"]
    # A person who was asked and said neither is unsure, which is not the same as not asked.
    return ("unsure" if said is None else cast("LabelValue", _VALUES[said])), word


def _verdict(
    unit: Unit, metric_name: str, fingerprint: str, entry: Mapping[str, Any], where: str
) -> Verdict:
    if "entailed" not in entry:
        raise FieldError(f"{where}.entailed", "is missing: true, false or null")
    value = _VALUES[entry["entailed"]]
    meta = collect_meta(entry, JUDGE_KEYS)
    reason = entry.get("reason")
    if reason not in REASONS:  # the judge's explanation in its own words, or nothing
        if reason is not None:
            meta["reason"] = finite(reason)
        reason = "missing_verdict" if value == "undecided" else None
    flags = entry.get("flags") or ()
    return Verdict(
        unit=unit.key,
        metric=metric_name,
        fingerprint=fingerprint,
        value=value,
        own_value=_VALUES[entry["own"]] if "own" in entry else value,
        reason=reason,
        evidence=read_evidence(entry.get("evidence"), f"{where}.evidence"),
        flags=tuple(flags),
        repeat=_repeat(entry, where),
        meta=meta,
    )


def _repeat(entry: Mapping[str, Any], where: str) -> int:
    repeat = entry.get("repeat") or 0
    if not 0 <= repeat < 1000:
        raise FieldError(f"{where}.repeat", "must be a small count")
    return int(repeat)


def _milliseconds(value: int | None, where: str) -> int | None:
    if value is not None and not 0 <= value < 1 << 53:
        raise FieldError(f"{where}.ms", "must be a count of milliseconds")
    return value


def _time(value: str | None, where: str) -> datetime:
    """An instant; one without a zone is taken as UTC."""
    if value is None:
        return UNKNOWN_TIME
    try:
        at = datetime.fromisoformat(value)
        return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
    except (ValueError, OverflowError):
        raise FieldError(f"{where}.at", f"is no ISO 8601 time: {value[:40]!r}") from None
