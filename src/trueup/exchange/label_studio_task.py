"""One task of Label Studio: what its annotations and predictions say of which claim."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from trueup.domain.ids import content_id
from trueup.exchange.base import id_text
from trueup.exchange.entries import LABELS
from trueup.exchange.label_studio_spans import evidence_of
from trueup.exchange.outside import listed, object_in
from trueup.exchange.reading import Reading

_VERDICT = re.compile(r"(?:verdict|entailed|label)(?:_(\d+))?\Z")
_CLAIM = re.compile(r"claim_(\d+)\Z")
_SPANS = ("labels", "hypertextlabels")
_MOST_MS = 1 << 52


@dataclass(frozen=True, slots=True)
class Mark:
    """What one annotation (or prediction, with `annotator` None) says of one claim."""

    event: str
    annotator: str | None
    judge: str
    label: str
    order: tuple[str, str]
    """Time and number: later ones stand above earlier ones."""
    at: str | None = None
    note: str | None = None
    quote: str | None = None
    ms: int | None = None
    blind: bool = True
    meta: Mapping[str, Any] = field(default_factory=dict)

    def entry(self, metric: str | None) -> dict[str, Any]:
        """As an entry under `human` or `judges`."""
        entailed = {"entailed": True, "not_entailed": False}.get(self.label)
        common = {"entailed": entailed, "metric": metric, "meta": dict(self.meta)}
        if self.annotator is None:
            return common
        return {
            **common, "annotator": self.annotator, "label": self.label, "at": self.at,
            "note": self.note, "quote": self.quote, "ms": self.ms, "blind": self.blind,
            "id": self.event,
        }  # fmt: skip


def annotator_of(completed_by: Any) -> str | None:
    """The e-mail address of an annotator, else the number: the same at every export."""
    if isinstance(completed_by, dict):
        names = (completed_by.get(k) for k in ("email", "username", "id"))
        return next((text for name in names if (text := id_text(name))), None)
    return id_text(completed_by)


def marks_of(
    task: Mapping[str, Any], claims: Sequence[str | None], reading: Reading
) -> Iterator[tuple[int, Mark]]:
    """(place of the claim, mark) of everything that the task says; the rest is counted and said."""
    annotations = listed(task.get("annotations", task.get("completions")))
    drafts = listed(task.get("drafts"))
    reading.count("drafts: not imported", len(drafts))
    if not annotations:
        what = "tasks with drafts only" if drafts else "tasks without an annotation"
        reading.count(what)
    for annotation in annotations:
        if not isinstance(annotation, dict):
            reading.count("annotations are numbers only: export as JSON, not by reference")
        elif annotation.get("was_cancelled") in (True, 1, "true"):
            reading.count("skipped annotations")
        else:
            yield from _annotation(task, annotation, claims, reading)
    for prediction in listed(task.get("predictions")):
        if isinstance(prediction, dict):
            yield from _prediction(task, prediction, claims, reading)
        else:
            reading.count("predictions are numbers only, as a plain JSON export has them: left out")


def _annotation(
    task: Mapping[str, Any],
    given: Mapping[str, Any],
    claims: Sequence[str | None],
    reading: Reading,
) -> Iterator[tuple[int, Mark]]:
    who = annotator_of(given.get("completed_by"))
    name = id_text(given.get("unique_id")) or id_text(given.get("id"))
    at = _time(given.get("updated_at") or given.get("created_at"))
    results = listed(given.get("result"))
    choices, note, spans = _parts(task, results)
    ruled = list(_ruled(task, given, choices, claims, reading))
    if who is None:
        reading.say(f"{_where(task, given)}: names no annotator (completed_by); left out")
        return
    preset = given.get("parent_prediction") is not None or any(
        str(r.get("origin", "")).startswith("prediction") for r in results if isinstance(r, dict)
    )
    meta = _meta(given, who, reading)
    if spans:
        meta["evidence"] = spans
    quotes = [s["quote"] for s in spans if len(ruled) == 1]
    for place, label in ruled:
        event = content_id(
            "label-studio",
            [name, at, id_text(object_in(task.get("data")).get("record_id")), claims[place], place],
        )
        quote, ms = quotes[0] if quotes else None, _ms(given.get("lead_time"), len(ruled))
        order = (at or "", (name or "").rjust(20))
        yield place, Mark(event, who, "", label, order, at, note, quote, ms, not preset, meta)


def _prediction(
    task: Mapping[str, Any],
    given: Mapping[str, Any],
    claims: Sequence[str | None],
    reading: Reading,
) -> Iterator[tuple[int, Mark]]:
    judge = id_text(given.get("model_version")) or "label-studio"
    choices, _, _ = _parts(task, listed(given.get("result")))
    score = given.get("score")
    meta = {} if score is None else {"score": score}
    for place, label in _ruled(task, given, choices, claims, reading):
        event = content_id("label-studio-prediction", [judge, claims[place], place, label])
        yield place, Mark(event, None, judge, label, ("", ""), meta=meta)


def _ruled(
    task: Mapping[str, Any],
    given: Mapping[str, Any],
    choices: Sequence[Mapping[str, Any]],
    claims: Sequence[str | None],
    reading: Reading,
) -> Iterator[tuple[int, str]]:
    """(place of the claim, label) of each choice that can be read; the others are said."""
    for result in choices:
        words = object_in(result.get("value")).get("choices")
        place = _place(result)
        word = words[0] if isinstance(words, list) and len(words) == 1 else None
        label = str(word).strip().casefold().replace(" ", "_").replace("-", "_")
        if word is None:
            problem = "its verdict has no choice, or several"
        elif label not in LABELS:
            problem = f"{str(word)[:40]!r} is no verdict"
        elif not 0 <= place < len(claims):
            problem = f"its verdict is on claim {place}, of {len(claims)}"
        else:
            yield place, label
            continue
        reading.say(f"{_where(task, given)}: {problem}; left out")
        reading.count("annotations or predictions could not be read: left out")


def _where(task: Mapping[str, Any], given: Mapping[str, Any]) -> str:
    return f"task {task.get('id')}, annotation {given.get('id')}"


def _parts(
    task: Mapping[str, Any], results: Sequence[Any]
) -> tuple[list[Mapping[str, Any]], str | None, list[dict[str, Any]]]:
    """The results that are verdicts, the note, and the spans that were marked as evidence."""
    choices: list[Mapping[str, Any]] = [
        r for r in results if isinstance(r, dict) and r.get("type") == "choices"
    ]
    named = [r for r in choices if _VERDICT.match(str(r.get("from_name")))]
    notes = [
        str(text)
        for r in results
        if isinstance(r, dict) and r.get("type") == "textarea"
        for text in listed(object_in(r.get("value")).get("text"))
    ]
    spans = [
        span
        for r in results
        if isinstance(r, dict) and r.get("type") in _SPANS
        if (span := evidence_of(r, object_in(task.get("data")))) is not None
    ]
    return named or choices, "\n".join(notes) or None, spans


def _place(result: Mapping[str, Any]) -> int:
    """Which claim of the task a verdict is on."""
    by_claim = _CLAIM.match(str(result.get("to_name")))
    by_name = _VERDICT.match(str(result.get("from_name")))
    found = (by_claim and by_claim[1]) or (by_name and by_name[1]) or "0"
    return int(found)


def _meta(given: Mapping[str, Any], who: str, reading: Reading) -> dict[str, Any]:
    meta: dict[str, Any] = {}
    updated_by = annotator_of(given.get("updated_by"))
    own = {who, id_text(object_in(given.get("completed_by")).get("id"))}
    if updated_by is not None and updated_by not in own:
        meta["updated_by"] = updated_by
        reading.count("annotations were changed by someone else than their annotator")
    if given.get("ground_truth") is True:
        meta["ground_truth"] = True
    return meta


def _time(value: Any) -> str | None:
    """An ISO time in UTC, written in one way, so that times order as texts."""
    if not isinstance(value, str) or not value:
        return None
    try:
        at = datetime.fromisoformat(value)
    except ValueError:
        return None
    at = at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
    return at.isoformat(timespec="microseconds")


def _ms(lead_time: Any, claims: int) -> int | None:
    """Seconds on a task as milliseconds on each of its claims."""
    try:
        ms = float(lead_time) * 1000 / max(claims, 1)
    except (TypeError, ValueError):
        return None
    return round(ms) if 0 <= ms < _MOST_MS else None


def pseudo_task(row: dict[str, Any]) -> dict[str, Any]:
    """A row of a JSON_MIN or CSV export as a task with one annotation; a task as it is."""
    if "annotation_id" not in row or "data" in row:
        return row
    result = []
    for key, value in row.items():
        if _VERDICT.match(key) and value not in (None, ""):
            words = object_in(value).get("choices", value)
            words = words if isinstance(words, list) else [words]
            result.append({"from_name": key, "type": "choices", "value": {"choices": words}})
        elif key == "note" and value not in (None, ""):
            result.append({"from_name": key, "type": "textarea", "value": {"text": value}})
    annotation = {
        "id": row["annotation_id"], "completed_by": row.get("annotator"), "result": result,
        **{k: row.get(k) for k in ("created_at", "updated_at", "lead_time")},
    }  # fmt: skip
    return {"id": row.get("id"), "data": row, "annotations": [annotation], "predictions": []}
